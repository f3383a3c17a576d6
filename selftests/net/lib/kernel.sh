# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The module, and the audit of the kernel log.
# Copyright (C) 2026 The mptun authors
#
# Sourced by lib.sh.

# log_begin: follow the kernel log into a file from here on. A ring buffer of
# 128 KiB would not hold a theme.
log_begin() {
	sysctl -qw kernel.printk_devkmsg=on 2>/dev/null || :
	cat /dev/kmsg >"$TMP/kmsg" 2>"$TMP/kmsg.err" &
	LOG_PID=$!
	log_mark begin
}

# log_mark WORD: put a line into the log and wait until it has come through
log_mark() {
	LOG_MARK="mptun-test: $1 $THEME $$"
	echo "$LOG_MARK" >/dev/kmsg
	wait_for 10 grep -qaF "$LOG_MARK" "$TMP/kmsg"
}

# log_lines: the log of this theme so far, without its prefixes
log_lines() {
	sed -n "/mptun-test: begin $THEME $$/,\$p" "$TMP/kmsg" |
		sed 's/^[^;]*;//'
}

# log_objects: "OBJECT VERB" of every line about the life of an object. Devices
# are left out, because they may be renamed meanwhile. One program, as it is
# called often.
log_objects() {
	awk -v begin="mptun-test: begin $THEME $$" '
		index($0, begin) { begun = 1 }
		begun && match($0, /: (tunnel|path [^ ]+|port [0-9]+) [a-z]+$/) {
			what = substr($0, RSTART + 2)
			if (what ~ / (created|destroyed|opened|closed)$/)
				print what
		}' "$TMP/kmsg"
}

# log_balance: objects that were created more often than destroyed
log_balance() {
	log_objects | awk '{
			what = $0; sub(/ [a-z]+$/, "", what)
			left[what] += $NF ~ /created|opened/ ? 1 : -1
		}
		END {
			for (what in left) if (left[what])
				print what ": " left[what] \
					" more created than destroyed"
		}'
}

log_balanced() {
	[ -z "$(log_balance)" ]
}

# audit: no warning in the log, everything created has been destroyed
audit() {
	local rc=0 made

	log_mark end || { echo "the kernel log does not answer"; return 1; }
	kill -0 "$LOG_PID" 2>/dev/null || {
		echo "the kernel log overran: $(cat "$TMP/kmsg.err")"
		return 1
	}
	log_lines >"$TMP/kmsg.theme"
	lab_klog_judge "$TMP/kmsg.theme" || rc=1
	if ! wait_for 20 log_balanced; then
		log_balance
		rc=1
	fi
	[ -z "$RESULTS" ] || cp -- "$TMP/kmsg.theme" "$RESULTS/$THEME.kmsg"
	made=$(log_objects | grep -cE '(created|opened)$')
	if [ "$made" -eq 0 ] && [ -z "${NO_OBJECTS:-}" ]; then
		echo "the log names no object: is dynamic debug off?"
		rc=1
	fi
	echo "$made objects created"
	return "$rc"
}

# --- the module

# module_load: load MPTUN_KO, or what modprobe finds, unless it is loaded
module_load() {
	local dep

	[ ! -d /sys/module/mptun ] || return 0
	if [ -z "${MPTUN_KO:-}" ]; then
		modprobe mptun dyndbg=+p
		return
	fi
	for dep in $(modinfo -F depends "$MPTUN_KO" 2>/dev/null | tr ',' ' '); do
		modprobe "$dep" || :
	done
	insmod "$MPTUN_KO" dyndbg=+p
}

module_unload() {
	[ ! -d /sys/module/mptun ] || rmmod mptun
}

# --- memory

# used_kib: memory in use, without files
used_kib() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemTotal/ { used += $2 }
		/^(MemAvailable|Shmem):/ { used -= $2 }
		END { print used }' /proc/meminfo
}

# has_kasan: whether the kernel keeps freed objects for a while
has_kasan() {
	grep -q ' kasan_report$' /proc/kallsyms
}

# kernel_kib: memory of the kernel's own objects; the total varies by megabytes
# with programs that start and end. Free objects that the allocator keeps for
# the next burst do not count; those of KASAN's quarantine do, which changes by
# more whenever a cache is shrunk.
kernel_kib() {
	local cache

	echo 3 >/proc/sys/vm/drop_caches
	if ! has_kasan; then
		for cache in /sys/kernel/slab/*/shrink; do
			[ ! -e "$cache" ] || echo 1 >"$cache"
		done
	fi
	awk '/^(Slab|Percpu|VmallocUsed):/ { used += $2 } END { print used }' \
		/proc/meminfo
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs inside a lab kernel: sets it up, runs the script, reports.
# Copyright (C) 2026 The mptun authors
#
# usage (by the runners only): lab/guest.sh RUNDIR
#
# RUNDIR/env holds the environment and the command. RUNDIR/end is written last;
# the run has failed without it.

RUN=$1
# shellcheck source=/dev/null
. "$RUN/env"

# kmsg TEXT: a line of ours in the kernel log
kmsg() {
	echo "mptun-lab: $*" >/dev/kmsg
}

# cover DIR: mount a tmpfs over DIR; the folders of this run below it stay
# visible
cover() {
	local dir=$1 keep fd
	local -a keeps=() fds=()

	[ -d "$dir" ] && [ ! -L "$dir" ] || return 0
	# in the order of their names, so that no mount hides another
	while read -r keep; do
		case $keep in
		"$dir"/*)
			[ -d "$keep" ] || continue
			exec {fd}<"$keep"
			keeps+=("$keep")
			fds+=("$fd")
			;;
		esac
	done < <(printf '%s\n' "$MPTUN_TOP" "$MPTUN_BUILD" "$MPTUN_CACHE" \
		"$MPTUN_RESULTS" "$RUN" "$LAB_CWD" | sort -u)
	mount -t tmpfs -o mode=1777 tmpfs "$dir" || return
	for fd in "${!fds[@]}"; do
		mkdir -p "${keeps[fd]}"
		mount -c --bind "/proc/self/fd/${fds[fd]}" "${keeps[fd]}"
	done
}

# file_systems: mount what an init would mount
file_systems() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	ln -sfn /proc/self/fd /dev/fd
	ln -sfn /proc/self/fd/0 /dev/stdin
	ln -sfn /proc/self/fd/1 /dev/stdout
	ln -sfn /proc/self/fd/2 /dev/stderr
	mkdir -p /dev/pts /dev/shm
	mount -t devpts devpts /dev/pts
	mount -t tmpfs tmpfs /dev/shm
	cover /tmp
	cover /run
	cover /var/tmp
	cover /var/log
	mkdir -p /run/netns /run/lock /var/log/nginx
}

# kernel_files: put modules and headers where programs expect them, those of
# this kernel only (DKMS builds for every kernel it finds)
kernel_files() {
	local dir=/lib/modules/$LAB_RELEASE

	[ "$LAB_KIND" = uml ] || mkdir -p /lib/modules
	[ -d /lib/modules ] || return 0
	mount -t tmpfs tmpfs /lib/modules
	mkdir -p "$dir"
	if [ -d "$RUN/root/lib/modules" ]; then
		# one by one, by name: a folder's files are copied by their
		# inodes' numbers, and those are what the host had free
		cp -dR "$RUN/root$dir/"* "$dir/"
	elif [ "$LAB_KIND" = vm ]; then
		cp -d "$LAB_MODDIR"/modules.* "$dir/"
		ln -s "$LAB_MODDIR/kernel" "$dir/kernel"
	fi
	[ ! -d "/usr/src/linux-headers-$LAB_RELEASE" ] ||
		ln -s "/usr/src/linux-headers-$LAB_RELEASE" "$dir/build"
}

# settle: settings that are the same on every kernel
settle() {
	local fs

	for fs in debugfs:/sys/kernel/debug tracefs:/sys/kernel/tracing \
		cgroup2:/sys/fs/cgroup; do
		mountpoint -q "${fs#*:}" 2>/dev/null ||
			mount -t "${fs%%:*}" "${fs%%:*}" "${fs#*:}" 2>/dev/null || :
	done
	hostname "$MPTUN_LAB" 2>/dev/null || :
	ip link set lo up
	sysctl -qw net.core.default_qdisc=fq_codel 2>/dev/null || {
		modprobe -q sch_fq_codel 2>/dev/null || :
		sysctl -qw net.core.default_qdisc=fq_codel
	}
	sysctl -qw kernel.printk='8 4 1 7' kernel.panic_on_oops=0
	[ ! -e /proc/sys/kernel/hung_task_timeout_secs ] ||
		sysctl -qw kernel.hung_task_timeout_secs=60 \
			kernel.hung_task_warnings=10
	kmemleak clear
	[ ! -e /sys/kernel/debug/kcsan ] || echo on >/sys/kernel/debug/kcsan
}

# steady_code: under software emulation (TCG of qemu) a processor may hit a
# stale breakpoint that the kernel has removed before, and panics ("Oops:
# int3"). The kernel patches them in to switch static keys, so the keys that
# tests would switch often (time stamps, encapsulation) stay on.
steady_code() {
	local fd

	exec {fd}< <(exec python3 -c '
import signal, socket
ESP_IN_UDP, UDP_ENCAP, SO_TIMESTAMP = 2, 100, 29
held = [socket.socket(family, socket.SOCK_DGRAM)
        for family in (socket.AF_INET, socket.AF_INET6)]
for s in held:
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
    s.setsockopt(socket.IPPROTO_UDP, UDP_ENCAP, ESP_IN_UDP)
print("held", flush=True)
signal.pause()')
	read -r <&"$fd" || kmsg "static keys are not held"
}

# kmemleak clear|scan: forget what boot left behind; look for leaks, put what
# is found into the kernel log
kmemleak() {
	local file=/sys/kernel/debug/kmemleak

	[ -w "$file" ] && echo "$1" 2>/dev/null >"$file" || return 0
	[ "$1" = scan ] || return 0
	# an object counts as leaked when it is 5 s old and two scans agree
	sleep 6
	echo scan >"$file"
	[ -s "$file" ] || [ -n "$(head -c1 "$file")" ] || return 0
	cat "$file" >"$MPTUN_RESULTS/kmemleak"
	while read -r line; do
		case $line in
		"unreferenced object"* | *"+0x"*) kmsg "$line" ;;
		esac
	done < <(head -n 60 "$MPTUN_RESULTS/kmemleak")
}

# power_off: never returns
power_off() {
	local how

	sync
	for how in "busybox poweroff" "/sbin/poweroff"; do
		command -v "${how%% *}" >/dev/null || continue
		$how -f
		sleep 5
	done
	echo o >/proc/sysrq-trigger
	sleep 10
	exit 1
}

file_systems
kernel_files
settle
[ "$LAB_KIND" != vm ] || steady_code
kmsg "begin"
cd "$LAB_CWD" 2>/dev/null || cd "$MPTUN_TOP" || exit 1
# the console is the runner's log file, this terminal leads to its output
case $LAB_KIND in
uml) tty=/dev/tty0 ;;
vm) tty=/dev/hvc0 ;;
esac
stty -F "$tty" -opost
"${LAB_COMMAND[@]}" </dev/null >"$tty" 2>&1
rc=$?
cd /
kmemleak scan
kmsg "end $rc"
dmesg >"$MPTUN_RESULTS/dmesg"
sync
echo "$LAB_NONCE $rc" >"$RUN/end"
power_off

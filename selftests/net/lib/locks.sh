# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Which locks are taken, by whom: lockdep has a tracepoint for each.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes. Only the debug kernel has lockdep.

TRACING=/sys/kernel/tracing

# Under RTNL synchronize_net() expedites the grace period, under this mutex.
# shellcheck disable=SC2034 # for the themes
EXPEDITED=rcu_state.exp_mutex

# locks_known: whether this kernel has it
locks_known() {
	[ "$LAB" = uml-debug ]
}

# locks NAME... [EVENT/NAME...]: trace these locks, with the stacks that they are
# taken in, and other tracepoints
locks() {
	local name filter=()

	LOCK_EVENTS=(lock/lock_acquire)
	for name in "$@"; do
		case $name in
		*/*) LOCK_EVENTS+=("$name") ;;
		*) filter+=(${filter[0]:+"||"} "name == \"$name\"") ;;
		esac
	done
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
	echo "${filter[*]}" >"$TRACING/events/lock/lock_acquire/filter"
	echo 1 >"$TRACING/options/stacktrace"
	echo >"$TRACING/trace"
	for name in "${LOCK_EVENTS[@]}"; do
		echo 1 >"$TRACING/events/$name/enable"
	done
}

# locks_end: the trace is in $TMP/trace
locks_end() {
	local name

	for name in "${LOCK_EVENTS[@]}"; do
		echo 0 >"$TRACING/events/$name/enable"
	done
	echo 0 >"$TRACING/options/stacktrace"
	cat "$TRACING/trace" >"$TMP/trace"
}

# waits: how many grace periods ip has waited for by synchronize_net(), and how
# many at all because a function of mptun called for one. Those that lockdep needs
# to forget the keys of qdiscs do not count.
waits() {
	awk '/: lock_acquire: / {
			is = $1 ~ /^ip-/
			after = net = 0
		}
		$1 == "=>" && is {
			if (after && $2 !~ /^synchronize_/) {
				all += net
				ours += $2 ~ /^mptun_/
				is = 0
			}
			after = $2 ~ /^synchronize_/
			net += $2 == "synchronize_net"
		}
		END { print all + 0, ours + 0 }' "$TMP/trace"
}

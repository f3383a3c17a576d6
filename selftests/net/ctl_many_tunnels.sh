#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hundred tunnels on one port work independently.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (100 Mbit/s, 2 ms)  ┌───────┐
#   │   a   ├──────────────────────────┤   b   │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

N=$(quick 100 1000)
case $LAB in vm-*) N=$(quick 100 300) ;; esac

theme_setup() {
	hosts a b
	link a b wan1 100mbit 2ms
	make a 0 1
	make b 1 0
}

# tunnel I of a host: addresses out of 172.21, point to point
make() {
	local host=$1 own=$2 other=$3 i

	for i in $(seq 1 "$N"); do
		echo "link add t$i type mptun"
		echo "address add 172.$((21 + own)).$((i / 250)).$((i % 250 + 1)) \
			peer 172.$((21 + other)).$((i / 250)).$((i % 250 + 1)) \
			dev t$i"
		echo "link set t$i up"
	done | ip -n "$NSP-$host" -batch -
	for i in $(seq 1 "$N"); do
		ctl "$host" set "t$i" key "$(tunnel_key "many$i")"
		ctl "$host" path add "t$i" wan1 \
			remote "$(remote "$host" wan1)" \
			local "$(addr "$host" wan1)"
	done
}

all_up() {
	[ "$(ctl "$1" show -j | jq 'map(select(.paths_up == 1)) | length')" = \
		"$N" ]
}

test_all() {
	local i

	wait_for 30 all_up a
	wait_for 30 all_up b
	eq "sockets of a" "$(on a ss -Hluan 'sport = :4725' | wc -l)" 2
	for i in $(seq 1 "$N"); do
		echo "172.22.$((i / 250)).$((i % 250 + 1))"
	done >"$TMP/addresses"
	# shellcheck disable=SC2016 # expanded over there
	on a bash -c 'while read -r to; do
		ping -n -q -c 1 -W 2 "$to" >/dev/null || echo "$to"
	done' <"$TMP/addresses" >"$TMP/lost"
	eq "tunnels without an answer" "$(cat "$TMP/lost")" ""
	for i in 1 $((N / 2)) "$N"; do
		num "packets in tunnel $i" \
			"$(path_json b "t$i" wan1 .stats.rx_packets) == 1"
	done
}

# wakeups SECONDS [FUNCTION]: how often timers and workers of the module run
# meanwhile, all or this one
wakeups() {
	local tracing=/sys/kernel/tracing event
	local -a events=(timer/hrtimer_expire_entry timer/timer_expire_entry
		workqueue/workqueue_execute_start)

	mountpoint -q "$tracing" || mount -t tracefs none "$tracing"
	echo >"$tracing/trace"
	for event in "${events[@]}"; do
		echo 1 >"$tracing/events/$event/enable"
	done
	sleep "$1"
	for event in "${events[@]}"; do
		echo 0 >"$tracing/events/$event/enable"
	done
	grep -c "function[= ]mptun_${2:-}" "$tracing/trace" || :
}

# an idle tunnel causes wake-ups only for the probes of its paths
test_rest() {
	local count mean

	sleep 30
	count=$(wakeups 60)
	mean=$(calc "$count / 60 / $N / 2")
	figure "wake-ups of an idle tunnel" "$mean" "a second"
	num "wake-ups of a tunnel at rest" "$mean > 0.01 && $mean <= 1"
}

# routes change in a namespace without tunnels, and nobody there looks at them
test_unused() {
	local i

	hosts plain
	ipn plain link add d0 type dummy
	ipn plain link set d0 up
	for i in $(seq 1 20); do
		sleep 0.2
		ipn plain route add "198.18.$i.0/24" dev d0
	done &
	eq "work on routes" "$(wakeups 6 notifier_route)" 0
	wait "$!"
}

plain_device() {
	local i

	for i in {1..5}; do
		ipn a -batch - <<-END
			link add d0 type dummy
			link set d0 up
			address add 198.18.0.1/24 dev d0
			link del d0
		END
	done
}

uplink_flaps() {
	ipn a link set wan1 down
	sleep 1
	ipn a link set wan1 up
	link_address wan1 A
	link_routes wan1 A
	wait_for 10 all_up a
}

# events of a device that no path uses, and of the one that all of them use:
# the carriers of their tunnels change as well
test_events() {
	local count

	eq "paths looked at, other device" "$(looked_at plain_device)" 0
	count=$(looked_at uplink_flaps)
	figure "paths looked at, uplink" "$(calc "$count / $N")" "per path"
	num "paths looked at" "$count >= $N && $count <= 20 * $N"
	wait_for 10 all_up a
	wait_for 10 all_up b
}

# half of them are deleted, the others keep working
test_half() {
	local i

	plain_queue t2 a
	flow_start a b 172.22.0.3 1000 3
	for i in $(seq 3 2 "$N"); do
		echo "link del t$i"
	done | ip -n "$NSP-b" -batch -
	flow_end
	timely lost "$(flow .lost) == 0"
	eq "tunnels left" "$(ctl b show -j | jq length)" \
		$((N - (N - 1) / 2))
}

# memory of an idle tunnel; both ends are on this machine
test_memory() {
	local before after kib

	hosts idle
	sync
	echo 3 >/proc/sys/vm/drop_caches
	before=$(free_kib)
	for i in $(seq 1 "$N"); do
		echo "link add m$i type mptun"
	done | ip -n "$NSP-idle" -batch -
	echo 3 >/proc/sys/vm/drop_caches
	after=$(free_kib)
	kib=$(calc "($before - $after) / $N")
	figure "memory of a tunnel that is down, with its device" "$kib" KiB
}

free_kib() {
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

t "$N tunnels on one port answer" test_all
case $LAB in uml-tt) t "at rest they wake nobody" test_rest ;; esac
case $LAB in uml-tt) t "routes of unused namespaces" test_unused ;; esac
t "events of devices" test_events
t "half of them deleted, the others keep working" test_half
t "memory" test_memory
run_theme

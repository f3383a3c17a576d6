#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unloading the module, deleting links and namespaces under traffic.
# Copyright (C) 2026 The mptun authors
# stages: leaks tt-long vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 30 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/locks.sh
. "$NET_DIR/lib/locks.sh"

# packets per second of each flow: more than the links carry, and few enough for
# slow kernels
RATE=$((30000 / SLOW))

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 30ms
}

# busy: a tunnel with more traffic than it carries, both ways
busy() {
	tunnel a b mp0
	paths a b mp0 wan1 wan2
	bg a "$(helper udpflow)" send "$(inner a mp0)" 9 "$RATE" 1200 60
	bg b "$(helper udpflow)" send "$(inner b mp0)" 9 "$RATE" 1200 60
	sleep 0.5
}

# loaded and unloaded without tunnels
test_empty() {
	local i

	for i in $(seq 1 "$(quick 10 50 4)"); do
		module_unload
		module_load
	done
}

# load_kib: memory that the module takes with the namespaces that there are
load_kib() {
	local before

	module_unload
	before=$(kernel_kib)
	module_load
	echo $(($(kernel_kib) - before))
}

# a namespace without tunnels costs hardly any memory: 31 KiB if each had the
# tables, and with KASAN up to 10 of other memory that changes meanwhile
test_unused() {
	local n=64 i kib

	kib=$(load_kib)
	for i in $(seq 1 "$n"); do
		ip netns add "$NSP-u$i"
		echo "$NSP-u$i" >>"$NS_LIST"
	done
	kib=$(calc "($(load_kib) - $kib) / $n")
	figure "memory of a namespace without tunnels" "$kib" KiB
	num "memory" "$kib < 16"
}

# unloaded with tunnels under full traffic
test_busy() {
	local i

	for i in $(seq 1 "$(quick 4 20 2)"); do
		busy
		rmmod mptun
		reap
		! ipn a link show mp0 2>/dev/null || fail "mp0 is still there"
		module_load
		TUNNELS=0
	done
}

# unloaded at random moments of a handshake
test_beginning() {
	local i

	for i in $(seq 1 "$(quick 10 50 4)"); do
		tunnel a b mp0
		path a mp0 wan1
		path b mp0 wan1
		path a mp0 wan2
		path b mp0 wan2
		sleep "0.0$((i % 10))"
		rmmod mptun
		module_load
		TUNNELS=0
	done
}

# tunnels are deleted under full traffic
test_link() {
	local i

	for i in $(seq 1 "$(quick 5 20 2)"); do
		busy
		if ((i % 2)); then
			ipn a link del mp0
			ipn b link del mp0
		else
			ipn b link del mp0
			sleep 0.1
			ipn a link del mp0
		fi
		reap
		TUNNELS=0
	done
}

# del_ms ARGUMENT...: how long it takes to delete links of host many
del_ms() {
	local begin

	begin=$(now_ms)
	ipn many link del "$@"
	echo $(($(now_ms) - begin))
}

# many COUNT: that many tunnels on a host, each with a port of its own, and one
# more, m0
many() {
	local i

	for i in $(seq 0 "$1"); do
		echo "link add m$i type mptun port $((6000 + i))"
		echo "link set m$i up group 7"
	done | ip -n "$NSP-many" -batch -
	ipn many link set m0 group 0
}

# waits_of ARGUMENT...: how many grace periods deleting links of host many takes
waits_of() {
	locks "$EXPEDITED"
	ipn many link del "$@"
	locks_end
	waits
}

# many tunnels, each with a port of its own, are deleted at once: that takes a
# few grace periods, as one does, and not some for each
test_many() {
	local n=64 one all try

	hosts many
	# what else the machine does only adds time
	for try in 1 2 3; do
		many "$n"
		one=$(del_ms m0)
		all=$(del_ms group 7)
		eq "sockets left" "$(on many ss -Hlun | wc -l)" 0
		figure "a tunnel deleted" "$one" ms
		figure "$n tunnels deleted" "$all" ms
		# the kernel of virtual time has no grace periods
		! virtual_time || return 0
		[ "$all" -ge $((10 * (one + 10))) ] || return 0
	done
	fail "$n tunnels took $all ms, one $one ms, in each of $try tries"
}

# the same, where grace periods can be counted: that kernel is slow, so times say
# nothing
test_counted() {
	local n=200 one all ours

	hosts many
	many "$n"
	read -r one ours <<<"$(waits_of m0)"
	eq "grace periods of mptun for one tunnel" "$ours" 0
	num "grace periods" "$one > 0"
	read -r all ours <<<"$(waits_of group 7)"
	eq "grace periods of mptun for many" "$ours" 0
	eq "sockets left" "$(on many ss -Hlun | wc -l)" 0
	figure "grace periods for 1, for $n tunnels" "$one, $all" ""
	num "grace periods" "$all <= $one + 5"
}

# all paths are deleted at once, under full traffic
test_paths() {
	local i

	busy
	for i in $(seq 1 "$(quick 5 20 2)"); do
		ctl a path del mp0 wan1
		ctl b path del mp0 wan2
		ctl a path del mp0 wan2
		ctl b path del mp0 wan1
		paths a b mp0 wan1 wan2
	done
	ipn a link del mp0
	ipn b link del mp0
}

# namespaces are deleted under full traffic
test_namespace() {
	local i

	for i in $(seq 1 "$(quick 3 15 2)"); do
		hosts c d
		link c d wan3 8mbit 10ms
		tunnel c d mp5
		paths c d mp5 wan3
		bg c "$(helper udpflow)" send "$(inner c mp5)" 9 "$RATE" 1200 60
		sleep 0.5
		reap
		drop_namespaces
	done
}

# an open netlink socket of the family does not pin the module
test_monitor() {
	tunnel a b mp0
	bg a mptunctl monitor
	sleep 0.2
	rmmod mptun
	module_load
}

t "loaded and unloaded in a loop" test_empty
# what KASAN keeps varies by more
has_kasan || t "namespaces without tunnels take no memory" test_unused
t "unloaded under traffic in a loop" test_busy
t "unloaded during handshakes" test_beginning
t "links deleted under traffic" test_link
if locks_known; then
	t "many links deleted at once, counted" test_counted
else
	t "many links deleted at once" test_many
fi
t "paths deleted and added under traffic" test_paths
t "namespaces deleted under traffic" test_namespace
t "unloaded while a monitor runs" test_monitor
run_theme

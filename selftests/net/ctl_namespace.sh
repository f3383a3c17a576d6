#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The device in one namespace, its sockets in another; either is deleted.
# Copyright (C) 2026 The mptun authors
# stages: debug tt-long vm-long
#
#   ┌───────┐ mp0       ┌───────┐ wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │ inner │ ╌╌╌╌╌╌╌╌╌ │   a   ├─────────────────────────┤   b   │
#   └───────┘  sockets  └───────┘                         └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# begin: new hosts for every test, as it deletes some
begin() {
	hosts a b inner
	link a b wan1 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1
	wait_ping a "$(inner a mp0)"
}

# inside NS: move mp0 there, with its addresses
inside() {
	ipn a link set mp0 netns "$NSP-$1"
	tunnel_up "$1" mp0 "${TUN_N[mp0]}" 1
}

# ns_del HOST: end the processes of a namespace and delete it
ns_del() {
	local pid

	for pid in $(ip netns pids "$NSP-$1"); do
		kill -KILL "$pid" || :
	done
	ip netns del "$NSP-$1"
}

# the device works in another namespace than its sockets; nothing leaks
test_moved() {
	begin
	inside inner
	wait_ping inner "$(inner a mp0)"
	! ipn a link show mp0 2>/dev/null || fail "mp0 is still in a"
	eq "sockets in a" "$(on a ss -Hluan 'sport = :4725' | wc -l)" 2
	eq "sockets in inner" "$(on inner ss -Hluan | wc -l)" 0
	eq "tunnels shown in inner" "$(ctl inner show -j | jq length)" 1
	eq "tunnels shown in a" "$(ctl a show -j | jq length)" 0
	ctl inner path set mp0 wan1 weight 3
	ctl inner path del mp0 wan1
	ctl inner path add mp0 again remote "$(remote a wan1)" \
		local "$(addr a wan1)" dev wan1
	wait_state inner mp0 again up
	wait_ping inner "$(inner a mp0)"
	ipn inner link set mp0 netns "$NSP-a"
	tunnel_up a mp0 "${TUN_N[mp0]}" 1
	wait_ping a "$(inner a mp0)"
}

# ip link add in one namespace, sockets in another (link-netns)
test_link_netns() {
	hosts a b inner
	link a b wan1 8mbit 5ms
	TUN_N[mp0]=1 TUN_A[mp0]=a
	ip -n "$NSP-a" link add mp0 netns "$NSP-inner" type mptun
	ctl inner set mp0 key "$(tunnel_key 1)"
	tunnel_up inner mp0 1 1
	tunnel_end b mp0
	path b mp0 wan1
	ctl inner path add mp0 wan1 remote "$(remote a wan1)"
	wait_ping inner "$(inner a mp0)"
}

# the device moves to another user namespace: root of that one may read and
# change the tunnel, but opens no port in the namespace of the sockets
test_stranger() {
	local stranger

	begin
	bg a unshare --user --map-root-user --net sleep 60
	stranger=$BG
	wait_for 5 has_own_net "$stranger"
	ipn a link set mp0 netns "$stranger"
	inhabit "$stranger" mptunctl path show mp0
	inhabit "$stranger" mptunctl set mp0 hold 30ms
	inhabit "$stranger" ip link set mp0 up
	refused 2 "$NO_RIGHT" inhabit "$stranger" mptunctl path add mp0 x \
		remote 10.0.0.1 local-port 53
	refused 2 "$NO_RIGHT" inhabit "$stranger" mptunctl path set mp0 wan1 \
		local-port 53
	refused 2 "$NO_RIGHT" inhabit "$stranger" mptunctl path del mp0 wan1
	eq "sockets in a" "$(on a ss -Hluan 'sport = :53' | wc -l)" 0
	# with the capability in both namespaces every change is allowed
	nsenter --net="/proc/$stranger/ns/net" -- \
		mptunctl path set mp0 wan1 weight 3
	bg_kill "$stranger"
}

NO_RIGHT="paths need CAP_NET_ADMIN in the namespace of the sockets"

# inhabit PID CMD...: as root of the namespaces of that process
inhabit() {
	local pid=$1

	shift
	nsenter --target "$pid" --user --net --preserve-credentials -- "$@"
}

# has_own_net PID: whether its unshare is done
has_own_net() {
	[ "$(cat "/proc/$1/comm")" = sleep ]
}

# the namespace of the device is deleted under traffic
test_device_gone() {
	begin
	inside inner
	wait_ping inner "$(inner a mp0)"
	bg inner ping -q -i 0.002 "$(inner a mp0)"
	bg b ping -q -i 0.002 "$(inner b mp0)"
	sleep 1
	ns_del inner
	wait_for 10 no_sockets a
	wait_for 10 not_up_anymore b
}

no_sockets() {
	[ -z "$(on "$1" ss -Hluan 'sport = :4725')" ]
}

not_up_anymore() {
	! path_is "$1" mp0 wan1 up
}

# the namespace of the sockets is deleted under traffic: the device stays, but
# down
test_sockets_gone() {
	begin
	ctl a path set mp0 wan1 dev wan1
	wait_paths a b mp0 wan1
	inside inner
	wait_ping inner "$(inner a mp0)"
	bg inner ping -q -i 0.002 "$(inner a mp0)"
	sleep 1
	ns_del a
	wait_carrier inner mp0 off
	refused 2 "" ctl inner path add mp0 x remote 10.0.0.1
	ctl inner path set mp0 wan1 fwmark 7
	ctl inner set mp0 fwmark 7
	ctl inner show mp0
	ctl inner stats mp0
	ipn inner -d link show mp0
	ipn inner link set mp0 down
	ipn inner link set mp0 up
	ctl inner path del mp0 wan1
	ipn inner link del mp0
}

# the same during handshakes, one each 50 us
test_sockets_flooded() {
	begin
	bg b "$(helper flood)" -t 3600 -p 20000 hello "$(addr a wan1)" 4725
	sleep 0.5
	ns_del a
	sleep 0.5
}

# both at once, together with the namespaces of the link
test_all_gone() {
	begin
	inside inner
	bg inner ping -q -i 0.002 "$(inner a mp0)"
	sleep 0.5
	drop_namespaces
}

# namespaces with a tunnel each come and go, many times
test_often() {
	local i

	for i in $(seq 1 "$(quick 8 40 3)"); do
		begin
		[ $((i % 2)) = 0 ] || inside inner
		bg b ping -q -f "$(inner b mp0)"
		reap
		drop_namespaces
		LINKS=0 TUNNELS=0
	done
}

# kernel_of FOLDER: kernel memory of a cgroup in bytes
kernel_of() {
	awk '$1 == "kernel" { print $2 }' "$1/memory.stat"
}

# what configuration takes is charged to the cgroup of the process that makes
# it, and returned when it goes
test_cgroup() {
	local root=$TMP/cgroup group n=20 i with without

	mkdir "$root"
	mount -t cgroup2 none "$root"
	grep -qw memory "$root/cgroup.controllers" ||
		skip "no cgroups of memory"
	group=$root/mptun
	echo +memory >"$root/cgroup.subtree_control"
	mkdir "$group"
	hosts a
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		for i in $(seq "$n"); do
			ipn a link add "mp$i" type mptun port 4725 cipher clear \
				id "$i" peer-id "$i"
			ctl a path add "mp$i" one remote 192.0.2.1
			ctl a path add "mp$i" two remote 192.0.2.2
		done
	)
	with=$(kernel_of "$group")
	for i in $(seq "$n"); do
		ipn a link del "mp$i"
	done
	# what readers of RCU may have seen is freed later
	sleep 2
	without=$(kernel_of "$group")
	figure "kernel memory of a tunnel in its cgroup" \
		$(((with - without) / n / 1024)) KiB
	num "kernel memory of $n tunnels" "$with - $without >= $n * 40 * 1024"
	rmdir "$group"
	umount "$root"
}

t "the device moved away from its sockets, and back" test_moved
t "made in another namespace than its sockets" test_link_netns
t "root of another user namespace opens no ports" test_stranger
t "namespace of the device deleted under traffic" test_device_gone
t "namespace of the sockets deleted under traffic" test_sockets_gone
t "namespace of the sockets deleted under handshakes" test_sockets_flooded
t "all namespaces deleted under traffic" test_all_gone
t "namespaces come and go" test_often
t "memory belongs to a cgroup" test_cgroup
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Paths are added, changed, deleted and learned, also under traffic.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long kcsan
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 10ms
	cable a b direct
}

end_tunnel() {
	ipn a link del mp0
	ipn b link del mp0
}

# paths_of HOST: the number of paths of mp0 there, except those being deleted
paths_of() {
	ctl "$1" path show mp0 -j |
		jq 'map(select(.state != "draining")) | length'
}

# show prints the settings that add was given
test_add() {
	tunnel a b mp0
	ctl a path add mp0 wan1 remote "$(remote a wan1)" \
		local "$(addr a wan1)" dev wan1 weight 7 priority 3 \
		backup on mtu 1400 rate 5mbit cc fixed group 4
	eq remote "$(path_json a mp0 wan1 .remote)" "$(remote a wan1)"
	eq port "$(path_json a mp0 wan1 .remote_port)" 4725
	eq local "$(path_json a mp0 wan1 .local)" "$(addr a wan1)"
	eq dev "$(path_json a mp0 wan1 .dev)" wan1
	eq weight "$(path_json a mp0 wan1 .weight)" 7
	eq priority "$(path_json a mp0 wan1 .priority)" 3
	eq group "$(path_json a mp0 wan1 .group)" 4
	eq backup "$(path_json a mp0 wan1 .backup)" true
	eq mtu "$(path_json a mp0 wan1 .mtu)" 1400
	eq rate "$(path_json a mp0 wan1 .rate)" 5000000
	eq cc "$(path_json a mp0 wan1 .cc)" fixed
	eq learned "$(path_json a mp0 wan1 .learned)" false
	end_tunnel
}

# paths to one remote that differ only in their device are not mixed up,
# whichever end numbers them (each association decides which one does)
test_dev_only() {
	local host i n

	tunnel a b mp0
	ipn b address add 10.99.9.2/32 dev lo
	for i in wan1 wan2; do
		n=${LINK_N[$i]}
		ipn a route add 10.99.9.2/32 via "10.$n.1.1" dev "$i" metric "$n"
		ipn "r-$i" route add 10.99.9.2/32 via "$(addr b "$i")"
		ctl a path add mp0 "$i" remote 10.99.9.2 dev "$i"
		ctl b path add mp0 "$i" remote "$(addr a "$i")" local 10.99.9.2
	done
	for n in 1 2 3 4 5 6; do
		for host in a b; do
			wait_state "$host" mp0 wan1 up 3
			wait_state "$host" mp0 wan2 up 3
		done
		ipn a link set mp0 down
		ipn a link set mp0 up
	done
	for i in wan1 wan2; do
		ipn a route del 10.99.9.2/32 dev "$i"
		ipn "r-$i" route del 10.99.9.2/32
	done
	ipn b address del 10.99.9.2/32 dev lo
	end_tunnel
}

# a path works as soon as both ends have it, not before
test_both_ends() {
	tunnel a b mp0 learn off
	path a mp0 wan1
	never_for 1 path_is a mp0 wan1 up
	eq carrier "$(carrier a mp0)" off
	path b mp0 wan1
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	wait_carrier a mp0 on 2
	wait_ping a "$(inner a mp0)"
	eq "number at both ends" "$(path_json a mp0 wan1 .id)" \
		"$(path_json b mp0 wan1 .id)"
	end_tunnel
}

test_names() {
	tunnel a b mp0
	path a mp0 wan1
	refused 2 "a path of this name exists already" \
		path a mp0 wan1
	refused 1 "" ctl a path add mp0 "" remote 10.0.0.1
	refused 1 "" ctl a path add mp0 abcdefghijklmnop remote 10.0.0.1
	ctl a path add mp0 abcdefghijklmno remote 10.0.0.1
	ctl a path del mp0 abcdefghijklmno
	refused 2 "" ctl a path del mp0 abcdefghijklmno
	refused 2 "" ctl a path set mp0 nosuch weight 2
	refused 2 "" ctl a path show mp0 nosuch
	eq "number of paths" "$(paths_of a)" 1
	end_tunnel
}

# a name is free at once, while the old path still drains
test_name_again() {
	local i

	tunnel a b mp0
	plain_queue mp0 a
	paths a b mp0 wan1 wan2
	flow_start a b "$(inner a mp0)" 2000 4
	for i in 1 2 3 4 5 6; do
		sleep 0.3
		ctl a path del mp0 wan2
		path a mp0 wan2
	done
	wait_state a mp0 wan2 up
	flow_end
	timely lost "$(flow .lost) == 0"
	end_tunnel
}

test_limit() {
	local i

	tunnel a b mp0
	for i in $(seq 1 32); do
		ctl a path add mp0 "p$i" remote "10.9.0.$i"
	done
	refused 2 "a tunnel has at most 32 paths" \
		ctl a path add mp0 p33 remote 10.9.0.33
	ctl a path del mp0 p7
	ctl a path add mp0 p33 remote 10.9.0.33
	eq "number of paths" "$(paths_of a)" 32
	end_tunnel
}

# 32 paths carry data, over the addresses of one link
test_thirtytwo() {
	local i n

	n=${LINK_N[wan1]}
	tunnel a b mp0
	plain_queue mp0 a
	for i in $(seq 1 32); do
		ipn a address add "10.$n.1.$((100 + i))/24" dev wan1
		ctl a path add mp0 "p$i" remote "$(remote a wan1)" \
			local "10.$n.1.$((100 + i))"
		ctl b path add mp0 "p$i" remote "10.$n.1.$((100 + i))" \
			local "$(addr b wan1)"
	done
	wait_for 20 paths_up a mp0 32
	wait_for 20 paths_up b mp0 32
	wait_ping a "$(inner a mp0)"
	flow_start a b "$(inner a mp0)" 2000 3
	flow_end
	timely lost "$(flow .lost) == 0"
	end_tunnel
	for i in $(seq 1 32); do
		ipn a address del "10.$n.1.$((100 + i))/24" dev wan1
	done
}

paths_up() {
	[ "$(tun_json "$1" "$2" .paths_up)" = "$3" ]
}

# settings change under traffic and nothing is lost
test_change() {
	local i

	tunnel a b mp0
	plain_queue mp0 a
	paths a b mp0 wan1 wan2
	flow_start a b "$(inner a mp0)" 2000 4
	for i in 1 2 3; do
		sleep 0.2
		ctl a path set mp0 wan1 weight $((i * 3)) priority 1
		sleep 0.2
		ctl a path set mp0 wan1 priority 0 cc none
		ctl a set mp0 sched wrr
		sleep 0.2
		ctl a path set mp0 wan1 cc default rate 4mbit
		ctl a set mp0 sched greedy reorder fixed hold 20ms
		sleep 0.2
		ctl a path set mp0 wan1 rate none mtu 1450
		ctl a set mp0 reorder adaptive cc newreno hold 200ms
		ctl b set mp0 reorder off
		ctl b set mp0 reorder adaptive
		ctl a path set mp0 wan1 mtu auto
	done
	flow_end
	timely lost "$(flow .lost) == 0"
	eq duplicates "$(flow .duplicates)" 0
	eq weight "$(path_json a mp0 wan1 .weight)" 9
	end_tunnel
}

# the size of a full packet follows the MTU of the device and the path; packets
# of the old size do not stall the queue
test_mtu() {
	local limit mtu

	tunnel a b mp0
	plain_queue mp0 a
	paths a b mp0 wan1 wan2
	flow_start a b "$(inner a mp0)" 2000 5
	for mtu in 9000 1280 9000 1400; do
		sleep 0.5
		ipn a link set mp0 mtu "$mtu"
		sleep 0.5
		[ "$mtu" = 9000 ] && limit=1450 || limit=auto
		ctl a path set mp0 wan1 mtu "$limit"
	done
	flow_end
	timely lost "$(flow .lost) == 0"
	timely gap "$(flow .gap_ms) < 500"
	end_tunnel
}

# carries_tcp MBIT: TCP reaches that rate
carries_tcp() {
	local got

	got=$(tcp a b "$(inner a mp0)" 3)
	num "Mbit/s" "$got > 0"
	timely "Mbit/s" "$got > $1"
}

# full packets of either MTU, faster than the rate of the pacer
test_mtu_paced() {
	tunnel a b mp0
	paths a b mp0 wan1
	ctl a path set mp0 wan1 rate 4mbit
	ipn a link set mp0 mtu 9000
	ipn b link set mp0 mtu 9000
	carries_tcp 2
	ipn a link set mp0 mtu 1280
	carries_tcp 2
	end_tunnel
}

# ICMP reports the MTU of the path in use, not the larger one of a backup path
test_too_big() {
	tunnel a b mp0
	ipn a link set mp0 mtu 1440
	paths a b mp0 wan1 wan2
	ctl a path set mp0 wan2 backup on
	ctl a path set mp0 wan1 mtu 1400
	! on a ping -n -q -c 2 -i 0.2 -W 1 -M "do" -s 1412 "$(inner a mp0)" ||
		fail "wan1 carries more than its MTU"
	# 1400 minus the outer headers, our header and the tag
	on a ip route get "$(inner a mp0)" | grep -w "mtu $((1344 - TAG))"
	carries_tcp 4
	end_tunnel
}

# a low rate holds the queue for seconds; a higher one takes effect at once
test_rate() {
	local begin

	tunnel a b mp0
	plain_queue mp0 a
	paths a b mp0 wan1
	ctl a path set mp0 wan1 rate 1kbit
	on a ping -n -q -c 6 -i 0.01 -s 1000 -w 1 "$(inner a mp0)" || :
	begin=$(now_ms)
	ctl a path set mp0 wan1 rate 4mbit
	wait_ping a "$(inner a mp0)" 2
	timely "ms until a ping passes" "$(now_ms) - $begin < 200"
	end_tunnel
}

# the lowest priority number carries everything; a backup only replaces it
test_policy() {
	tunnel a b mp0
	paths a b mp0 wan1 wan2
	ctl a path set mp0 wan1 priority 5
	carries_only wan2
	ctl a path set mp0 wan1 priority 0
	ctl a path set mp0 wan1 backup on
	carries_only wan2
	ctl a path set mp0 wan1 backup off
	ctl a path set mp0 wan2 off
	eq state "$(path_state a mp0 wan2)" off
	carries_only wan1
	ctl a path set mp0 wan2 on
	wait_state a mp0 wan2 up
	end_tunnel
}

# carries_only PATH: a second of light traffic uses that path alone, except for
# a packet or two if an acknowledgment is late
carries_only() {
	local other=wan1 before after

	[ "$1" != wan1 ] || other=wan2
	before=$(path_json a mp0 "$other" .stats.tx_packets)
	on a ping -n -q -i 0.02 -c 50 -s 1000 "$(inner a mp0)"
	after=$(path_json a mp0 "$other" .stats.tx_packets)
	num "data on $other" "$after - $before < 10"
	timely "data on $other" "$after - $before == 0"
}

# a path moves to new addresses under traffic, the flow continues
test_move() {
	tunnel a b mp0
	paths a b mp0 wan1
	flow_start a b "$(inner a mp0)" 1000 4
	sleep 1
	ctl b path set mp0 wan1 remote "$(remote b wan2)" local "$(addr b wan2)"
	ctl a path set mp0 wan1 remote "$(remote a wan2)" local "$(addr a wan2)"
	wait_state a mp0 wan1 up
	wait_ping a "$(inner a mp0)"
	flow_end
	figure "longest gap while a path moves" "$(flow .gap_ms)" ms
	timely gap "$(flow .gap_ms) < 1500"
	end_tunnel
}

# a path that carries half of a flow is deleted, at one end or at both: nothing
# in flight is lost
test_delete() {
	local ends=$1 host

	tunnel a b mp0
	plain_queue mp0 a
	paths a b mp0 wan1 wan2
	ctl a set mp0 sched wrr
	flow_start a b "$(inner a mp0)" $(($(kbit 8mbit) / 2)) 4
	sleep 1.5
	for host in $ends; do
		ctl "$host" path del mp0 wan2
	done
	flow_end
	timely lost "$(flow .lost) == 0"
	end_tunnel
}

# a client opens paths, the server learns them without having one of its own
test_learned() {
	tunnel a b mp0
	ctl b set mp0 learn on
	path a mp0 wan1
	path a mp0 wan2
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_for 10 paths_up b mp0 2
	eq learned "$(ctl b path show mp0 -j | jq -r 'map(.learned) | all')" \
		true
	wait_ping a "$(inner a mp0)"
	wait_ping b "$(inner b mp0)"
	ctl a path del mp0 wan2
	wait_for 10 path_count b 1
	end_tunnel
}

# the name of a learned path may be used for another path
test_learned_name() {
	local id

	tunnel a b mp0
	ctl b set mp0 learn on follow off
	path a mp0 wan1
	wait_state a mp0 wan1 up
	id=$(path_json a mp0 wan1 .id)
	ctl b path add mp0 "peer$((id + 2))" remote 10.99.0.1
	ctl b path add mp0 "peer$((id + 2)).1" remote 10.99.0.2
	path a mp0 wan2
	wait_state a mp0 wan2 up
	wait_state b mp0 "peer$((id + 2)).2" up
	end_tunnel
}

path_count() {
	[ "$(paths_of "$1")" = "$2" ]
}

# a client that moves a path reports the old one as gone over another path: the
# server does not keep it until it times out
test_learned_moves() {
	local new

	new=10.${LINK_N[wan2]}.1.99
	tunnel a b mp0
	ctl b set mp0 learn on
	ipn a address add "$new/24" dev wan2
	path a mp0 wan1
	path a mp0 wan2
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_for 10 paths_up b mp0 2
	ctl a path set mp0 wan2 local "$new"
	wait_state a mp0 wan2 up
	wait_for 2 path_count b 2
	wait_for 10 paths_up b mp0 2
	end_tunnel
	ipn a address del "$new/24" dev wan2
}

# a peer deletes and adds a path again and again: the path that was added here
# stays and comes up with every new number, sooner or later
test_given_up() {
	local i

	tunnel a b mp0
	paths a b mp0 wan1 wan2
	for i in $(seq 1 12); do
		ctl b path del mp0 wan2
		path b mp0 wan2
		sleep 0.1
	done
	wait_state a mp0 wan2 up 3
	wait_state b mp0 wan2 up 3
	ctl b path del mp0 wan2
	wait_for 5 gone_down a wan2
	eq "paths of a" "$(paths_of a)" 2
	eq associations "$(tun_json a mp0 .associations)" 1
	path b mp0 wan2
	wait_state a mp0 wan2 up 3
	end_tunnel
}

gone_down() {
	! path_is "$1" mp0 "$2" up
}

# a client does not open paths to a server without learn
test_not_learned() {
	tunnel a b mp0 learn off
	path a mp0 wan1
	path b mp0 wan1
	wait_state a mp0 wan1 up
	path a mp0 wan2
	never_for 2 path_is a mp0 wan2 up
	eq "paths of b" "$(paths_of b)" 1
	num "probes refused" "$(tun_json b mp0 .drops.rx_no_path) > 0"
	end_tunnel
}

# the number of paths that a peer can open is limited
test_learn_limit() {
	local i n

	n=${LINK_N[wan1]}
	tunnel a b mp0
	ctl b set mp0 learn on
	ctl b path add mp0 own remote 10.99.0.1
	for i in $(seq 1 32); do
		ipn a address add "10.$n.1.$((100 + i))/24" dev wan1
		ctl a path add mp0 "p$i" remote "$(remote a wan1)" \
			local "10.$n.1.$((100 + i))"
	done
	wait_for 20 paths_up b mp0 31
	wait_for 10 refused_paths
	eq "paths of b" "$(paths_of b)" 32
	end_tunnel
	for i in $(seq 1 32); do
		ipn a address del "10.$n.1.$((100 + i))/24" dev wan1
	done
}

refused_paths() {
	[ "$(tun_json b mp0 .drops.rx_path_limit)" -gt 0 ]
}

# packets for no tunnel are counted, also at the port of a single path
test_port_drops() {
	tunnel a b mp0
	ctl a path add mp0 wan1 remote "$(remote a wan1)" local-port 6000
	ctl a path add mp0 wan2 remote "$(remote a wan2)" local-port 6000
	on b bash -c "echo x >/dev/udp/$(addr a wan1)/6000"
	wait_for 3 counted 1
	end_tunnel
}

counted() {
	[ "$(tun_json a mp0 .port_drops.rx_short)" = "$1" ]
}

# a device that does not exist yet; one without a route
test_device() {
	tunnel a b mp0
	ctl a path add mp0 later remote "$(remote a wan1)" dev nosuch0
	eq reason "$(path_json a mp0 later .reason)" device
	ctl a path add mp0 away remote 203.0.113.1 dev wan1
	wait_for 5 path_is a mp0 away noroute
	eq reason "$(path_json a mp0 away .reason)" route
	end_tunnel
}

# lose EVERY: drop one in EVERY packets that b is sent over the cable
lose() {
	on b nft -f - <<-END
		table inet lose {
			chain in {
				type filter hook prerouting priority 0
				iifname direct numgen inc mod $1 0 drop
			}
		}
	END
}

# reports KBIT: the number (REPORTS) that b sends in a second while it receives
# packets of 100 bytes at this rate
reports() {
	local before

	before=$(path_json b mp0 direct .stats.tx_control)
	flow_start a b "$(inner a mp0)" "$1" 1 100
	flow_end
	REPORTS=$(($(path_json b mp0 direct .stats.tx_control) - before))
}

# on a short round trip reports are sent each ms; each quarter ms if every fifth
# of a ms has a gap, each 8 ms at less than two packets per ms, and each 20 ms
# at less than one, as with the acknowledgments of TCP inside
test_reports() {
	tunnel a b mp0
	paths a b mp0 direct
	ctl a path set mp0 direct cc none
	reports 16000
	num "reports" "$REPORTS > 900 && $REPORTS < 1050"
	reports 800
	num "reports at one packet per ms" "$REPORTS > 115 && $REPORTS < 145"
	reports 200
	num "reports at a low rate" "$REPORTS > 53 && $REPORTS < 68"
	lose 4
	reports 16000
	on b nft delete table inet lose
	num "reports of gaps" "$REPORTS > 3600 && $REPORTS < 4100"
	end_tunnel
}

t "every setting is kept and shown" test_add
t "both ends are needed, the path is up at once" test_both_ends
t "paths to one remote that differ in their device" test_dev_only
t "names: unique, limited, free again" test_names
t "a name is used again while the old path drains" test_name_again
t "32 paths are the limit" test_limit
t "32 paths carry data" test_thirtytwo
t "settings change under traffic, nothing is lost" test_change
t "the MTU changes under traffic, nothing is lost" test_mtu
t "a low-rate path and an MTU larger than its own" test_mtu_paced
t "the sender gets the MTU of the path in use" test_too_big
t "a higher rate takes effect at once" test_rate
t "priority, backup and off decide which path is used" test_policy
t "a path moves to other addresses under traffic" test_move
t "deleted under traffic at the sender, nothing is lost" test_delete a
t "deleted under traffic at the receiver, nothing is lost" test_delete b
t "deleted under traffic at both ends, nothing is lost" test_delete "a b"
t "learned paths come and go" test_learned
t "a learned path moves" test_learned_moves
t "the peer deletes and adds a path again and again" test_given_up
t "the name of a learned path may be taken" test_learned_name
t "nothing is learned without learn on" test_not_learned
t "learned paths have a limit" test_learn_limit
t "packets for no tunnel at the port of a path are counted" test_port_drops
! virtual_time ||
	t "reports: each millisecond, sooner after gaps, later if idle" test_reports
t "a missing device and a missing route are named" test_device
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The MTU that follows the paths, and packets that are larger than one carries.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
# lib/layers.sh has the hosts.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/layers.sh
. "$NET_DIR/lib/layers.sh"
# shellcheck source=selftests/net/lib/mtu.sh
. "$NET_DIR/lib/mtu.sh"

theme_setup() {
	layer_hosts
}

# pair LINK...: mp0 over these links, and the network of c at b
pair() {
	fresh
	link_mtu wan2 1500
	[ $# -eq 0 ] || "$@"
	tunnel a b mp0
	# shellcheck disable=SC2086 # one or none
	paths a b mp0 wan1 ${SECOND:-}
	ipn b route replace 10.3.0.0/16 dev mp0
	ipn b -6 route replace fd00:3::/64 dev mp0
}

# frames HOST LINK: data packets that a path sent
frames() {
	path_json "$1" mp0 "$2" .stats.tx_packets
}

# the MTU falls to what the narrower path carries, so that both are used; it
# rises when that path has been out of use for a while; all of it is announced
test_auto() {
	local SECOND=wan2 before got

	pair link_mtu wan2 1430
	mtu_becomes "$(inside 1430)" 3
	eq mtu "$(tun_json a mp0 .mtu)" null
	eq mtu-now "$(tun_json a mp0 .mtu_now)" "$(inside 1430)"
	before=$(frames a wan2)
	got=$(tcp a b "$(inner a mp0)" 3)
	timely "TCP" "$got > 11"
	num "packets on wan2" "$(frames a wan2) > $before + 200"
	bg a ip monitor link dev mp0
	ctl a path set mp0 wan2 off
	ctl b path set mp0 wan2 off
	sleep 8
	if grep "mtu $(inside 1500)" "$TMP/bg.$BG"; then
		fail "the MTU rises at once"
	fi
	mtu_becomes "$(inside 1500)" 6
	ctl a path set mp0 wan2 on
	ctl b path set mp0 wan2 on
	wait_paths a b mp0 wan2
	mtu_becomes "$(inside 1430)" 2
	bg_kill "$BG"
	grep -q "mtu $(inside 1500)" "$TMP/bg.$BG"
	grep -q "mtu $(inside 1430)" "$TMP/bg.$BG"
	eq "packets too big" "$(tun_json a mp0 .drops.tx_too_big)" 0
}

# IPv6 inside keeps what it needs
test_least() {
	pair link_mtu wan1 1300
	mtu_becomes 1280 3
	sized a 1280 "$(inner a mp0 6)"
	sized b 1280 "$(inner b mp0 6)"
}

# who sets the MTU ends automatic mode; it can be restored
test_fixed() {
	pair
	mtu_becomes "$(inside 1500)" 3
	ipn a link set mp0 mtu 1300
	eq mtu "$(tun_json a mp0 .mtu)" 1300
	never_for 1 not mtu_is a 1300
	ctl a set mp0 mtu auto
	eq mtu "$(tun_json a mp0 .mtu)" null
	mtu_becomes "$(inside 1500)" 2
	# also to the value that it has
	ctl a set mp0 mtu "$(inside 1500)"
	eq mtu "$(tun_json a mp0 .mtu)" "$(inside 1500)"
	link_mtu wan1 1400
	carries
	mtu_is a "$(inside 1500)" || fail "the MTU was not kept"
	refused 2 "the device cannot have this MTU" ctl a set mp0 mtu 67
	refused 2 "the device cannot have this MTU" ctl a set mp0 mtu 65535
	ipn a link add mp7 mtu 1350 type mptun
	eq "mtu of mp7" "$(tun_json a mp7 .mtu)" 1350
	ipn a link add mp8 type mptun
	eq "mtu of mp8" "$(tun_json a mp8 .mtu)" null
	ipn a link del mp7
	ipn a link del mp8
}

# a path that is too small for an MTU that was set takes its part of large
# packets, in fragments, and the tools say which MTU it carries
test_small_beside() {
	local SECOND=wan2 least got

	pair link_mtu wan2 1430
	least=$(inside 1430)
	mtu_becomes "$least" 3
	dev_mtu mp0 1400
	got=$(tcp a b "$(inner a mp0)" 3)
	figure "TCP" "$got" Mbit/s
	timely "TCP" "$got > 12"
	got=$(tcp a b "$(inner a mp0)" 3 -R)
	figure "TCP, reverse" "$got" Mbit/s
	timely "TCP, reverse" "$got > 12"
	eq "packets too big" "$(tun_json a mp0 .drops.tx_too_big)" 0
	eq inner-mtu "$(path_json a mp0 wan2 .inner_mtu)" "$least"
	ctl a show mp0 | grep -q "wan2:.*inner-mtu $least"
	ctl a show mp0 | grep "wan1:.*inner-mtu" && fail "wan1 is small"
	ctl a check mp0 | grep -q "ip link set mp0 mtu $least"
}

carries() {
	on a ping -n -q -c 2 -i 0.2 -W 1 "$(inner a mp0)"
}

# the device moves, and goes, while its MTU is about to change
test_moves() {
	local n

	pair
	hosts d
	ipn a link set mp0 netns "$(ns d)"
	ipn d link set mp0 up
	link_mtu wan1 1400
	for n in 1 2 3 4; do
		link_mtu wan1 $((1500 - 20 * n))
		nap 0.2
	done
	ipn d link del mp0
	link_mtu wan1 1500
	tunnel_end a mp0
	path a mp0 wan1
	wait_state a mp0 wan1 up
	ipn a link set wan1 mtu 1400
	ipn a link del mp0
}

# segments TO COUNT BYTES: UDP packets without DF from a, sent as one
segments() {
	on a python3 -c 'import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.setsockopt(socket.IPPROTO_IP, 10, 0)
    sock.setsockopt(socket.IPPROTO_UDP, 103, int(sys.argv[3]))
    sock.sendto(bytes(int(sys.argv[2]) * int(sys.argv[3])),
                (sys.argv[1], 9999))' "$@"
}

# counted COUNTER: value of a counter of the firewall of b
counted() {
	on b nft -j list counter inet in "$1" |
		jq '.nftables[] | .counter? | values | .packets'
}

counted_is() {
	[ "$(counted "$1")" = "$2" ]
}

# IPv4 packets without DF that no path carries are fragmented, on their own and
# as segments; with DF their sender gets the MTU
test_router() {
	local mtu host

	pair link_mtu wan1 1430
	mtu=$(inside 1430)
	dev_mtu mp0 "$(inside 1500)"
	on b nft -f - <<-END
		table inet in {
			counter whole {}
			chain in {
				type filter hook input priority 0
				udp dport 9999 udp length 1380 counter name whole
			}
		}
	END
	for host in a c; do
		on "$host" ping -n -q -c 2 -i 0.2 -W 1 -M "dont" -s 1380 \
			"$(inner a mp0)"
		on "$host" ping -n -q -c 2 -i 0.2 -W 1 -M "dont" -s 9000 \
			"$(inner a mp0)"
	done
	segments "$(inner a mp0)" 20 1372
	wait_for 2 counted_is whole 20 || fail "$(counted whole) of 20 arrived"
	eq "packets too big" "$(tun_json a mp0 .drops.tx_too_big)" 0
	by_icmp c $((mtu + 1)) "$(inner a mp0)" "$mtu"
	num "packets too big" "$(tun_json a mp0 .drops.tx_too_big) >= 1"
	by_icmp c $((mtu + 1)) "$(inner a mp0 6)" "$mtu"
}

# cut OUTER: over a path of that size all packets of 1280 bytes pass, in
# fragments of the tunnel that are no larger than the path
test_cut() {
	local outer=$1 host got

	pair link_mtu wan1 "$outer"
	mtu_becomes 1280 3
	watch "$outer"
	for host in a c; do
		sized "$host" 1280 "$(inner a mp0)" 3
		sized "$host" 1280 "$(inner a mp0 6)" 3
	done
	got=$(tcp a b "$(inner a mp0)" 2)
	timely "TCP" "$got > 5"
	got=$(tcp a b "$(inner a mp0 6)" 2 -R)
	timely "TCP over IPv6, reverse" "$got > 5"
	eq "packets of more" "$(watched over)" 0
	eq "fragments on the wire" "$(watched pieces)" 0
	eq "packets too big" "$(tun_json a mp0 .drops.tx_too_big)" 0
	eq "lost fragments" "$(tun_json b mp0 .drops.rx_fragment)" 0
}

# nothing is lost if fragments are, as each is retransmitted; with another path
# of full size beside it
test_cut_lossy() {
	local SECOND=${1:-}

	pair link_mtu wan1 1000
	ctl a class set mp0 0 repair on
	link_set wan1 8mbit 5ms loss 3%
	flow_start a b "$(inner a mp0)" 1000 4 1200
	flow_end
	link_set wan1 8mbit 5ms
	timely lost "$(flow .lost) <= 1"
	eq reordered "$(flow .reordered)" 0
	eq duplicates "$(flow .duplicates)" 0
}

# a class that is duplicated, and one without order
test_cut_class() {
	local SECOND=wan2

	pair link_mtu wan1 1000
	link_mtu wan2 1100
	ctl a class add mp0 1 protocol udp policy duplicate paths all
	link_set wan1 8mbit 5ms loss 5%
	flow_start a b "$(inner a mp0)" 500 3 1200
	flow_end
	link_set wan1 8mbit 5ms
	timely lost "$(flow .lost) == 0"
	eq duplicates "$(flow .duplicates)" 0
	ctl a class set mp0 1 protocol udp policy aggregate order off \
		repair off
	flow_start a b "$(inner a mp0)" 500 2 1200
	flow_end
	timely lost "$(flow .lost) == 0"
	eq duplicates "$(flow .duplicates)" 0
}

# fragments on request, and none
test_request() {
	local least

	pair
	mtu_becomes "$(inside 1500)" 3
	ctl a set mp0 frag on
	ctl b set mp0 frag on
	dev_mtu mp0 1500
	watch 1500
	sized c 1500 "$(inner a mp0)" 3
	sized c 1500 "$(inner a mp0 6)" 3
	eq "packets of more" "$(watched over)" 0
	eq frag "$(tun_json a mp0 .frag)" on
	ctl a set mp0 frag off
	by_icmp c 1500 "$(inner a mp0)" "$(inside 1500)"
	link_mtu wan1 1000
	forget a c
	least=$(inside 1000)
	carries
	by_icmp c 1200 "$(inner a mp0)" "$least"
}

# segment SIDE: what TCP between c and b finds to be the largest segment
mss() {
	PORT=$(next_port)
	bg b python3 -c 'import socket, sys, time
with socket.create_server(("", int(sys.argv[1])), family=socket.AF_INET6,
                          dualstack_ipv6=True) as sock:
    conn, _ = sock.accept()
    print(conn.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG), flush=True)
    conn.sendall(b"x")
    time.sleep(0.2)' "$PORT"
	wait_for 5 listens b "$PORT"
	on c python3 -c 'import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as sock:
    sock.recv(1)
    print(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG))' \
		"$1" "$PORT"
	bg_wait "$BG"
	echo "$BG_OUT"
}

# the MSS of TCP that passes is lowered at one end, in both directions; the
# timestamps take 12 bytes
test_mss() {
	pair
	dev_mtu mp0 "$(inside 1500)"
	ipn a link set mp0 mtu 1300
	eq "MSS, no clamp" "$(mss "$(inner a mp0)" | sort -n | tail -n 1)" \
		$(($(inside 1500) - 52))
	ctl a set mp0 mss-clamp auto
	eq mss-clamp "$(tun_json a mp0 .mss_clamp)" auto
	eq MSS "$(mss "$(inner a mp0)" | xargs)" "1248 1248"
	eq "MSS, IPv6" "$(mss "$(inner a mp0 6)" | xargs)" "1228 1228"
	ctl a set mp0 mss-clamp off
	forget c
	eq "MSS, off" "$(mss "$(inner a mp0)" | sort -n | tail -n 1)" \
		$(($(inside 1500) - 52))
}

t "the MTU follows the paths" test_auto
t "the MTU is 1280 at least" test_least
t "an MTU that was set stays" test_fixed
t "a path too small for an MTU that was set" test_small_beside
t "MTU, moving and deleting" test_moves
t "packets without DF are fragmented" test_router
t "fragments on a path of 1340" test_cut 1340
t "fragments on a path of 1000" test_cut 1000
t "fragments on a path of 576" test_cut 576
t "fragments and losses" test_cut_lossy
t "fragments and losses, beside a larger path" test_cut_lossy wan2
t "fragments of classes" test_cut_class
t "fragments on request" test_request
t "the MSS of TCP" test_mss
run_theme

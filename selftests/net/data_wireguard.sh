#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mptun inside WireGuard, and WireGuard inside mptun, as their page says.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long vm-long
#
# lib/layers.sh has the hosts. The commands are read from the guide.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/wireguard.sh
. "$NET_DIR/lib/wireguard.sh"
# shellcheck source=selftests/net/lib/layers.sh
. "$NET_DIR/lib/layers.sh"

# the payload of pings, which is searched for on the wire
MARK=mptunlegible

theme_setup() {
	layer_hosts
}

# --- what is on the wire

# marks ADDRESS [DEV]: how often pings to it are readable on wan1, and in DEV of
# a
marks() {
	local wire inside=''

	wait_ping a "$1"
	bg r-wan1 tcpdump -p -U -w - -i b
	wire=$BG
	[ -z "${2:-}" ] || {
		bg a tcpdump -p -U -w - -i "$2"
		inside=$BG
	}
	sleep "$(quick 1 1 3)"
	on a ping -n -q -c 10 -i 0.1 -s 500 \
		-p "$(printf %s "$MARK" | od -An -tx1 | tr -d ' \n')" "$1"
	sleep 0.5
	bg_kill "$wire"
	[ "$(wc -c <"$TMP/bg.$wire")" -gt 10000 ] ||
		fail "nothing was captured: $(head -c 300 "$TMP/bg.$wire")"
	WIRE=$(grep -aoc "$MARK" "$TMP/bg.$wire" || :)
	[ -z "$inside" ] || {
		bg_kill "$inside"
		INSIDE=$(grep -aoc "$MARK" "$TMP/bg.$inside" || :)
	}
}

test_legible() {
	local CIPHER=$1 legible=$2

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	marks "$(inner a mp0)"
	if [ "$legible" = legible ]; then
		num "lines with the mark" "$WIRE > 0"
	else
		eq "lines with the mark" "$WIRE" 0
	fi
}

test_legible_in_wg() {
	local CIPHER=$1

	fresh
	wg_over a b wg1 1 wan1 4 1440
	layered 4
	marks "$(inner a mp0)" wg1
	num "lines with the mark in wg1" "$INSIDE > 0"
	eq "lines with the mark on the wire" "$WIRE" 0
}

test_legible_wg_inside() {
	local CIPHER=$1

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	wg_pair a b wg9 9 "$(inner a mp0)" 1340
	marks "$(wg_in 9 2)" wg9
	num "lines with the mark in wg9" "$INSIDE > 0"
	eq "lines with the mark on the wire" "$WIRE" 0
}

# a router changes a byte in the middle of each large packet; without a UDP
# checksum, which would be wrong
test_changed() {
	local CIPHER=auth-only before

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	wait_ping a "$(inner a mp0)"
	sized a 1000 "$(inner a mp0)" 5
	before=$(tun_json b mp0 .drops.rx_auth)
	on r-wan1 nft -f - <<-END
		table ip change {
			chain on_the_way {
				type filter hook prerouting priority 0
				ip daddr $(addr b wan1) udp dport 4725 \
					meta length > 1000 \
					@th,4000,8 set 0 udp checksum set 0
			}
		}
	END
	! sized a 1000 "$(inner a mp0)" 5 || fail "a changed packet passed"
	num "dropped by their tags" \
		"$(tun_json b mp0 .drops.rx_auth) >= $before + 5"
	on r-wan1 nft delete table ip change
	wait_ping a "$(inner a mp0)"
	sized a 1000 "$(inner a mp0)" 5
}

# --- the recipes

# in_wg_made: mptun in WireGuard, by the commands of the guide
in_wg_made() {
	local title="mptun inside WireGuard"

	fresh
	recipe a "$title" 1
	recipe b "$title" 2
	carry a b router1.pub router2.pub
	carry b a server1.pub server2.pub
	recipe a "Make a key" 1 -e '/^scp /d' -e 's,/etc/mptun/,,'
	carry a b site.key
	if [ "$1" = auth-only ]; then
		recipe b "$title" 4
		recipe a "$title" 3
	else
		# blocks 5 to 7 make mp0 in clear mode
		recipe b "$title" 4 -e '/mp0/d'
		recipe a "$title" 3 -e '/mp0/d'
		recipe b "$title" 6
		recipe b "$title" 7
		recipe a "$title" 5
	fi
	both_up
}

both_learned() {
	[ "$(tun_json b mp0 .paths_up)" = 2 ]
}

# lte on|off: switch that path at both ends, to test the other uplink
lte() {
	local name

	name=$(ctl b path show mp0 -j | jq -r '.[] |
		select(.remote | endswith(".2.2")).name')
	ctl a path set mp0 lte "$1"
	ctl b path set mp0 "$name" "$1"
	if [ "$1" = on ]; then
		both_up
	fi
}

both_up() {
	wait_state a mp0 dsl up
	wait_state a mp0 lte up
	wait_for 10 both_learned
}

# in mode clear only the firewall of the guide keeps others out
test_recipe_in_wg() {
	local mtu=$2

	in_wg_made "$1"
	eq "mtu of mp0" "$(ipn a -j link show mp0 | first .mtu)" "$mtu"
	lte off
	exact mp0 "$mtu" 1500 10.7.0.1
	lte on
	reaches b 10.7.0.2
	[ "$1" = clear ] || return 0
	ctl a path add mp0 beside remote "$(addr b wan1)" \
		local "$(addr a wan1)"
	never_for 4 path_is a mp0 beside up
	on b nft delete table inet mptun
	wait_state a mp0 beside up
}

# both paths carry, each dies and comes back
test_two_paths() {
	local both

	in_wg_made auth-only
	both=$(tcp a b 10.7.0.1 "$(quick 5 5 2)")
	figure "TCP over two WireGuards" "$both" Mbit/s
	timely "both paths" "$both >= 12"
	both=$(tcp a b 10.7.0.1 "$(quick 5 5 2)" -R)
	figure "TCP over two WireGuards, reverse" "$both" Mbit/s
	timely "both paths" "$both >= 12"
	dies wan1 dsl a b 10.7.0.1
	dies wan1 dsl b a 10.7.0.2
	dies wan2 lte a b 10.7.0.1
}

# dies LINK PATH FROM TO ADDRESS: only packets in flight may be lost
dies() {
	local sent

	flow_start "$3" "$4" "$5" 2000 6
	sleep 2
	link_blackhole "$1"
	wait_for 5 not path_is a mp0 "$2" up
	sleep 1
	link_heal "$1"
	flow_end
	figure "lost when $1 died, $3 to $4" \
		"$(flow .lost) of $(flow .sent)" packets
	sent=$(flow .sent)
	timely lost "$(flow .lost) <= 0.01 * $sent"
	eq duplicates "$(flow .duplicates)" 0
	wait_state a mp0 "$2" up
	wait_for 10 both_learned
}

# WireGuard goes down and up: its path goes and returns, nothing is lost
test_wg_down() {
	in_wg_made auth-only
	flow_start a b 10.7.0.1 1000 6
	sleep 1
	ipn a link set wg1 down
	wait_state a mp0 dsl noroute
	sleep 1
	ipn a link set wg1 up
	wait_state a mp0 dsl up
	flow_end
	figure "lost while wg1 went down and up" "$(flow .lost)" packets
	timely lost "$(flow .lost) == 0"
}

test_recipe_wg_inside() {
	local title="WireGuard inside mptun" hand="Set up a tunnel by hand"

	fresh
	ipn a route add default via 192.168.1.1 dev wan1 metric 100
	ipn a route add default via 192.168.2.1 dev wan2 metric 200
	recipe a "Make a key" 1 -e '/^scp /d' -e 's,/etc/mptun/,,'
	carry a b site.key
	recipe b "$hand" 1 -e 's,/etc/mptun/,,'
	recipe a "$hand" 2 -e 's,/etc/mptun/,,' -e 's/ppp0/wan1/' \
		-e 's/wwan0/wan2/'
	recipe a "$title" 1
	recipe b "$title" 2
	carry a b router.pub
	carry b a server.pub
	recipe b "$title" 4
	recipe a "$title" 3
	wait_ping a 10.9.0.1
	both_up
	# 1340 and 60 make the 1400 of mp0; 72 more are on the wire
	lte off
	exact wg0 1340 1472 10.9.0.1
	lte on
	reaches b 10.9.0.2
	both=$(tcp a b 10.9.0.1 "$(quick 4 4 2)")
	figure "TCP in WireGuard over two paths" "$both" Mbit/s
	timely "both paths" "$both >= 12"
}

# --- loops

sent_by_a() {
	ipn a -s -j link show mp0 | first .stats64.tx.packets
}

# calm BEFORE SECONDS: no storm of packets that are routed back into mp0
calm() {
	local n

	n=$(($(sent_by_a) - $1))
	figure "packets into mp0 in $2 s" "$n" packets
	timely "packets" "$n <= 1000 * $2"
}

# WireGuard runs inside mp0, and a path of mp0 inside that WireGuard: half of
# the packets take it, again and again
test_loop() {
	local CIPHER=auth-only before host

	fresh
	tunnel a b mp0 sched wrr
	paths a b mp0 wan1
	wg_pair a b wg9 9 "$(inner a mp0)" 1340
	before=$(sent_by_a)
	wg_path a mp0 loop wg9 9 4
	wg_path b mp0 loop wg9 9 4
	sleep 2
	calm "$before" 2
	flow_start a b "$(wg_in 9 2)" 300 3 800
	flow_end
	num "packets into the loop" \
		"$(path_json a mp0 loop .stats.tx_packets) > 50"
	figure "lost with a path of mp0 in itself" "$(flow .lost)" packets
	calm "$before" 6
	for host in a b; do
		ctl "$host" path del mp0 loop
	done
	flow_start a b "$(wg_in 9 2)" 300 2 800
	flow_end
	timely lost "$(flow .lost) == 0"
}

# the only route to the peer leads into WireGuard, and from there into mp0
test_circle() {
	local CIPHER=auth-only before

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	wg_pair a b wg9 9 "$(inner a mp0)" 1420
	flow_start a b "$(wg_in 9 2)" 1000 6
	sleep 1
	before=$(sent_by_a)
	ipn a route add "$(addr b wan1)/32" dev wg9
	sleep 3
	calm "$before" 3
	wait_for 5 path_is a mp0 wan1 down
	eq reason "$(path_json a mp0 wan1 .reason)" timeout
	ipn a route del "$(addr b wan1)/32" dev wg9
	wait_state a mp0 wan1 up
	flow_end
	wait_ping a "$(wg_in 9 2)"
}

# --- ends and roaming

busy() {
	local tool

	tool=$(helper udpflow)
	bg b "$tool" recv 6000 60
	bg a "$tool" send "$1" 6000 3000 800 30
	bg a ping -q -i 0.01 "$1"
	bg b ping -q -i 0.01 "$2"
	sleep 1
}

# down HOST DEV DEV: both are deleted under traffic, nothing leaks
down() {
	ipn "$1" link del "$2"
	sleep 0.3
	ipn "$1" link del "$3"
	sleep 0.3
}

test_down_in_wg() {
	local CIPHER=auth-only

	fresh
	wg_over a b wg1 1 wan1 4 1440
	layered 4
	busy "$(inner a mp0)" "$(inner b mp0)"
	down a "$1" "$2"
	down b "$1" "$2"
	reap
}

test_down_wg_inside() {
	local CIPHER=auth-only

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	wg_pair a b wg9 9 "$(inner a mp0)" 1340
	busy "$(wg_in 9 2)" "$(wg_in 9 1)"
	down b "$1" "$2"
	down a "$1" "$2"
	reap
}

# endpoint HOST DEV: where WireGuard sends to
endpoint_is() {
	[ "$(on "$1" wg show "$2" endpoints | cut -f 2)" = "$3" ]
}

# WireGuard on an uplink moves into the tunnel, and back
test_into_mptun() {
	local CIPHER=auth-only

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	wg_over a b wg9 9 wan2 4 1340
	flow_start a b "$(wg_in 9 2)" 500 4 1000
	sleep 1
	roam_to "$(inner a mp0)" "$(inner b mp0)"
	sleep 1
	roam_to "$(addr b wan2)" "$(addr a wan2)"
	flow_end
	timely lost "$(flow .lost) == 0"
}

roam_to() {
	on a wg set wg9 peer "$(on a wg show wg9 peers)" \
		endpoint "$1:$((51820 + 9))"
	wait_for 5 endpoint_is b wg9 "$2:$((51820 + 9))"
}

# a NAT gives WireGuard another port: mptun inside is not affected
test_wg_roams() {
	local CIPHER=auth-only

	fresh
	wg_over a b wg1 1 wan1 4 1440
	layered 4
	flow_start a b "$(inner a mp0)" 500 4 1000
	sleep 1
	on r-wan1 nft -f - <<-END
		table ip translator {
			chain out {
				type filter hook postrouting priority 0
				ip daddr $(addr b wan1) udp dport 51821 \
					udp sport set 5000
			}
			chain back {
				type filter hook prerouting priority -300
				ip daddr $(addr a wan1) udp dport 5000 \
					udp dport set 51821
			}
		}
	END
	wait_for 5 endpoint_is b wg1 "$(addr a wan1):5000"
	flow_end
	timely lost "$(flow .lost) == 0"
	eq "path of b" "$(path_state b mp0 in)" up
	eq associations "$(tun_json b mp0 .associations)" 1
}

t "auth-only is readable" test_legible auth-only legible
t "chacha20-poly1305 is not readable" test_legible chacha20-poly1305 hidden
t "auth-only in WireGuard is not readable" test_legible_in_wg auth-only
t_full "clear in WireGuard is not readable" test_legible_in_wg clear
t "WireGuard in clear is not readable" test_legible_wg_inside clear
t_full "WireGuard in auth-only is not readable" test_legible_wg_inside auth-only
t "auth-only drops changed packets" test_changed
t "the guide: mptun in WireGuard" test_recipe_in_wg auth-only 1368
t_full "the guide: clear in WireGuard" test_recipe_in_wg clear 1384
t "the guide: WireGuard in mptun" test_recipe_wg_inside
t "one WireGuard of two dies and comes back" test_two_paths
t_full "one WireGuard of two is taken down and up" test_wg_down
t "a path in itself by way of WireGuard" test_loop
t "the route to the peer leads into WireGuard in mptun" test_circle
t "mptun in WireGuard ends under traffic" test_down_in_wg mp0 wg1
t_full "mptun in WireGuard ends under traffic, WireGuard first" \
	test_down_in_wg wg1 mp0
t "WireGuard in mptun ends under traffic" test_down_wg_inside wg9 mp0
t_full "WireGuard in mptun ends under traffic, mptun first" \
	test_down_wg_inside mp0 wg9
t "WireGuard moves into mptun, and back" test_into_mptun
t "WireGuard under mptun gets another port" test_wg_roams
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Segmentation offload: super-packets of the stack arrive as single packets.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long debug-long vm-long kcsan
#
#   ┌───┐   whole    ┌───┐	a device that takes segments of UDP
#   │ a ├────────────┤ b │
#   │   ├────────────┤   │	one that does not, and has no queue
#   │   │  packets   │   │
#   │   ├────────────┤   │	one that does not, and has one
#   │   │   queue    │   │
#   │   ├─────[r]────┤   │	a router with a tunnel of its own
#   └───┘ left right └─┬─┘
#                      │ office, whose device at b computes no checksums
#                      c
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

STREAM=$TESTS_DIR/helpers/stream.py
# less on emulated and debug kernels, which are slow
MBYTE=$(quick 1000000 1000000 100000)

theme_setup() {
	hosts a b c
	cable b c office
	cable a b whole whole
	cable a b packets
	cable a b queue
	six whole packets queue
	on b ethtool -K office tx off >/dev/null
	on a tc qdisc add dev queue root pfifo limit 1000
	on b tc qdisc add dev queue root pfifo limit 1000
	router
}

# router: r between a and b, with a tunnel on the same port as theirs
router() {
	routers r
	cable a r left
	cable r b right
	ipn a route add "10.${LINK_N[right]}.0.0/16" via "$(remote a left)"
	ipn b route add "10.${LINK_N[left]}.0.0/16" via "$(remote b right)"
	ipn r link add mp9 type mptun
}

# six CABLE...: IPv6 as well
six() {
	local cable

	for cable; do
		ipn a address add "fd00:${LINK_N[$cable]}::1/64" dev "$cable" nodad
		ipn b address add "fd00:${LINK_N[$cable]}::2/64" dev "$cable" nodad
	done
}

# ends CABLE FAMILY: a tunnel mp1 over it
ends() {
	local n=${LINK_N[$1]} own other

	tunnel a b mp1
	if [ "$2" = 4 ]; then
		paths a b mp1 "$1"
		return
	fi
	own=fd00:$n::1 other=fd00:$n::2
	ctl a path add mp1 "$1" remote "$other" local "$own"
	ctl b path add mp1 "$1" remote "$own" local "$other"
	wait_state a mp1 "$1" up
	wait_state b mp1 "$1" up
}

# taken CABLE: packets handed to the device at a so far
taken() {
	ipn a -s -j link show dev "$1" | jq '.[0].stats64.tx.packets'
}

# carried CABLE: packets that the path carried so far
carried() {
	path_json a mp1 "$1" .stats.tx_packets
}

# passes tcp|step FAMILY BYTES SIZE [HOST ADDRESS]: data from a to b, or to a
# host behind it, arrives unchanged; datagrams in any order
passes() {
	local port host=${5:-b} address=${6:-}

	port=$(next_port)
	address=${address:-$(inner a mp1 "$2")}
	bg "$host" python3 "$STREAM" recv "$1" "$address" "$port" "$3"
	wait_for 20 grep -q listens "$TMP/bg.$BG"
	on a python3 "$STREAM" send "$1" "$address" "$port" "$3" "$4" \
		>"$TMP/sent" 2>"$TMP/again" ||
		fail "$1 over IPv$2: $(cat "$TMP/again" "$TMP/bg.$BG")"
	timely "$(cat "$TMP/again")" "$(wc -l <"$TMP/again") == 0"
	bg_wait "$BG" || fail "$1 over IPv$2: $BG_OUT"
	eq "$1 over IPv$2" "$(tail -n 1 <<<"$BG_OUT")" "$(cat "$TMP/sent")"
}

# joined CABLE: whether the device gets super-packets. Ciphers that may complete
# asynchronously send packets one by one: on x86, aes-gcm before v6.15.
joined() {
	[ "$1" = whole ] || return
	[ "$CIPHER:${LAB%-*}" != aes-gcm:vm ] ||
		{ echo 6.15; uname -r; } | sort -CV
}

# test_segments CABLE CIPHER FAMILY: all kinds of inner packets
test_segments() {
	local cable=$1 CIPHER=$2 devs packets family

	ends "$cable" "$3"
	devs=$(taken "$cable")
	packets=$(carried "$cable")
	for family in 4 6; do
		passes tcp "$family" $((5 * MBYTE)) 0
		passes step "$family" $((2 * MBYTE)) 1200
	done
	devs=$(($(taken "$cable") - devs))
	packets=$(($(carried "$cable") - packets))
	note "$packets packets, $devs for the device"
	num "packets" "$packets > 14 * $MBYTE / 1428"
	# a run counts as one; on a slow machine runs are short and reports many
	if joined "$cable"; then
		num "of which the device is given" "$devs < $packets"
	else
		num "of which the device is given" "$devs >= $packets"
	fi
	# only the processor limits these cables, so queues may overflow
	! virtual_time ||
		eq "lost" "$(path_json a mp1 "$cable" .stats.lost_packets)" 0
}

# forwarded: packets that the router has forwarded so far; joined ones are one
forwarded() {
	on r nstat -asz IpForwDatagrams | awk '$1 ~ /^Ip/ { print $2 }'
}

# offloads WHAT...: receive offloads of the devices on the way
offloads() {
	local device

	for device in a:left r:left r:right b:right; do
		on "${device%:*}" ethtool -K "${device#*:}" "$@" >/dev/null
	done
}

# a router does not merge forwarded packets to the port of its own tunnel, and a
# receiver behind GRO gets them unchanged
test_relay() {
	local own other sent out family drop

	offloads gro on rx-udp-gro-forwarding on
	tunnel a b mp1
	own=$(addr a left) other=$(addr b right)
	ctl a path add mp1 relay remote "$other" local "$own"
	ctl b path add mp1 relay remote "$own" local "$other"
	wait_state a mp1 relay up
	wait_state b mp1 relay up
	sent=$(path_json a mp1 relay .stats.tx_packets)
	out=$(forwarded)
	for family in 4 6; do
		passes tcp "$family" $((2 * MBYTE)) 0
		passes step "$family" "$MBYTE" 1200
	done
	sent=$(($(path_json a mp1 relay .stats.tx_packets) - sent))
	out=$(($(forwarded) - out))
	num "forwarded" "$out >= $sent"
	for drop in rx_auth rx_short rx_malformed rx_not_ip; do
		eq "$drop" "$(tun_json b mp1 ".drops.$drop")" 0
	done
}

# wrong HOST: datagrams and segments with a wrong checksum
wrong() {
	on "$1" nstat -asz TcpInCsumErrors UdpInCsumErrors Udp6InCsumErrors |
		awk '/CsumErrors/ { n += $2 } END { print n }'
}

# checksums left to the other end are complete for hosts behind it
test_behind() {
	local n=${LINK_N[office]} family host way wrong
	local -A at=([4]=$(remote b office) [6]=fd00:$n::2)
	local -A via=([4]=$(remote c office) [6]=fd00:$n::1)

	ends packets 4
	for host in b c; do
		on "$host" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1
	done
	ipn b address add "${via[6]}/64" dev office nodad
	ipn c address add "${at[6]}/64" dev office nodad
	for family in 4 6; do
		ipn a route add "${at[$family]}" \
			via "$(inner a mp1 "$family")"
		ipn c route add "$(inner b mp1 "$family")" \
			via "${via[$family]}"
	done
	wrong=$(wrong c)
	for way in on off; do
		on b ethtool -K mp1 gro "$way" >/dev/null
		for family in 4 6; do
			passes tcp "$family" "$MBYTE" 0 \
				c "${at[$family]}"
			passes step "$family" "$MBYTE" 1200 \
				c "${at[$family]}"
		done
	done
	eq "wrong checksums" "$(($(wrong c) - wrong))" 0
}

# the offloads of a device change under traffic
test_change() {
	local way

	ends whole 4
	for way in off on off on; do
		on a ethtool -K whole tx-udp-segmentation "$way" >/dev/null
		passes tcp 4 $((2 * MBYTE)) 0
		passes step 6 "$MBYTE" 999
	done
}

# ICMP reports the MTU for a packet too large for the path; the flow continues
test_mtu() {
	ends whole 4
	ipn a link set mp1 mtu 1400
	ctl a set mp1 frag off
	passes tcp 4 "$MBYTE" 0
	ctl a path set mp1 whole mtu 1350
	passes tcp 4 $((2 * MBYTE)) 0
	ctl a path set mp1 whole mtu 1280
	passes tcp 4 "$MBYTE" 0
	num "packets too big" "$(tun_json a mp1 .drops.tx_too_big) > 1"
}

# several processors encrypt and decrypt: nothing is changed or dropped
test_spread() {
	[ "$(nproc)" -gt 1 ] || skip "one processor"
	ends packets 4
	# whether work is spread depends on the load of the machine; elsewhere
	# vector instructions may be too fast for it
	for _ in $(seq 15); do
		passes tcp 4 $((20 * MBYTE)) 0
		[[ $LAB == uml-* ]] || break
		[ "$(tun_json b mp1 .spread_opened)" -eq 0 ] || break
	done
	note "sealed $(tun_json a mp1 .spread_sealed)," \
		"opened $(tun_json b mp1 .spread_opened)"
	[[ $LAB != uml-* ]] || num "packets that several opened" \
		"$(tun_json b mp1 .spread_opened) > 0"
	eq "dropped" "$(tun_json b mp1 .drops.rx_overrun)" 0
	eq "not genuine" "$(tun_json b mp1 .drops.rx_auth)" 0
}

# A packet that is too big waits in the line of those that several processors
# encrypt; its sender gets the MTU nevertheless
test_spread_mtu() {
	local pid mtu=$((1294 - TAG)) sealed

	[ "$(nproc)" -gt 1 ] || skip "one processor"
	ends packets 4
	ipn a link set mp1 mtu 1400
	ctl a set mp1 frag off
	ctl a path set mp1 packets mtu 1350
	# see test_spread()
	for _ in $(seq 15); do
		bg a python3 "$TESTS_DIR/helpers/oversize.py" \
			"$(inner a mp1)" 1400 200 0.01
		pid=$BG
		passes tcp 4 $((20 * MBYTE)) 0
		bg_wait "$pid"
		eq "packets that were too big" "$(jq -c . <<<"$BG_OUT")" \
			'{"sent":200,"too_big":200,"others":0,"least":'"$mtu"',"greatest":'"$mtu"'}'
		sealed=$(tun_json a mp1 .spread_sealed)
		[[ $LAB == uml-* && $sealed -lt 50 ]] || break
	done
	note "sealed by several: $sealed"
	[[ $LAB != uml-* ]] || num "packets that several sealed" "$sealed > 0"
}

# runs over paths with different offloads
test_paths() {
	tunnel a b mp1
	paths a b mp1 whole packets queue
	passes tcp 4 $((10 * MBYTE)) 0
	passes tcp 6 $((5 * MBYTE)) 0
	num "packets over whole" "$(carried whole) > 0"
}

# datagrams LOTS: to b, without waiting for them
datagrams() {
	on a python3 "$STREAM" send udp "$(inner a mp1)" "$PORT" $((47600 * $1)) \
		1200 >/dev/null
}

# whole LOTS: whether packets of the stack are whole on their way
whole() {
	local devs packets

	devs=$(taken whole)
	packets=$(carried whole)
	datagrams "$1"
	devs=$(($(taken whole) - devs))
	packets=$(($(carried whole) - packets))
	note "$packets packets, $devs for the device"
	[ "$devs" -lt $((packets / 4)) ]
}

# Datagrams of a class that wants low latency are packets of their own while they
# are coded. They stay whole once the path loses none, and if b decodes none.
test_coded() {
	local CIPHER=$1 coded PORT

	ends whole 4
	ctl a class add mp1 1 protocol udp order off repair off
	PORT=$(next_port)
	bg b python3 "$STREAM" recv udp "$(inner a mp1)" "$PORT" 100000000
	wait_for 20 grep -q listens "$TMP/bg.$BG"
	on a tc qdisc add dev whole root netem loss 5%
	datagrams 100
	on a tc qdisc del dev whole root
	coded=$(ctl a class show mp1 1 -j | first .stats.tx_coded)
	if [ "$CIPHER" = clear ]; then
		eq "coded" "$coded" 0
	else
		num "coded" "$coded > 100"
		# the loss is forgotten
		datagrams 200
	fi
	whole 20 || fail "packets are not whole"
	num "lost" "$(path_json a mp1 whole .stats.lost_packets) > 10"
	bg_kill "$BG"
}

# waiting PORT: bytes in the receive queue at b, and the memory charged for them
waiting() {
	on b ss -tmnHO state close-wait "sport = :$1" |
		sed -E 's/^([0-9]+) .*skmem:\(r([0-9]+),.*/\1 \2/'
}

# received data lies in shared pages, like that of a network card
test_memory() {
	local CIPHER=$2 port address bytes charged

	ends "$1" 4
	port=$(next_port)
	address=$(inner a mp1)
	bg b python3 "$STREAM" hold tcp "$address" "$port" 2
	wait_for 20 grep -q listens "$TMP/bg.$BG"
	on a python3 "$STREAM" send tcp "$address" "$port" 50000 0 >/dev/null &
	sleep 1
	read -r bytes charged < <(waiting "$port")
	eq "bytes that wait, and the end" "$bytes" 50001
	num "charged for" "$charged < 3 * $bytes / 2"
	bg_wait "$BG"
	wait $! || true
}

# heard COUNTER: a counter of datagrams that b received
heard() {
	on b nstat -asz "$1" | awk -v name="$1" '$1 == name { print $2 }'
}

# all_heard WRONG RIGHT: whether both counters have got there
all_heard() {
	[ "$(heard UdpInCsumErrors) $(heard UdpNoPorts)" = "$1 $2" ]
}

# without a key only the inner checksum protects a packet: datagrams to a closed
# port are answered if it is right, and dropped if it is wrong
test_sums() {
	local CIPHER=clear size bad good

	ends "$1" 4
	bad=$(heard UdpInCsumErrors)
	good=$(heard UdpNoPorts)
	for size in 10 999 1000; do
		on a python3 "$TESTS_DIR/helpers/badsum.py" "$(inner a mp1)" 9 "$size" 3
		on a python3 "$STREAM" send udp "$(inner a mp1)" 9 "$size" \
			"$size" >/dev/null 2>&1 || true
	done
	sleep 1
	# later on a slow machine
	wait_for 5 all_heard $((bad + 9)) $((good + 3)) || :
	eq "wrong ones" "$(($(heard UdpInCsumErrors) - bad))" 9
	eq "right ones" "$(($(heard UdpNoPorts) - good))" 3
}

for cipher in chacha20-poly1305 $(virtual_time && quick "" clear); do
	for cable in whole $(virtual_time && echo packets queue); do
		t "$cable, $cipher, over IPv4" test_segments "$cable" "$cipher" 4
	done
	t "whole, $cipher, over IPv6" test_segments whole "$cipher" 6
done
for cipher in aes-gcm $(virtual_time && quick clear auth-only); do
	t "whole, $cipher" test_segments whole "$cipher" 4
done
t "through a router with GRO and its own tunnel" test_relay
t "to a host behind the other end" test_behind
# virtual time has one processor
virtual_time || t "several processors seal and open" test_spread
virtual_time || t "the MTU is reported while several processors seal" \
	test_spread_mtu
t "offloads of a device change" test_change
t "the MTU of a path shrinks" test_mtu
for cipher in $(virtual_time && echo clear chacha20-poly1305 aes-gcm); do
	t "$cipher, memory of received data" test_memory packets "$cipher"
done
for cable in $(virtual_time && echo whole packets); do
	t "$cable, wrong checksums" test_sums "$cable"
done
for cipher in $(virtual_time && echo clear chacha20-poly1305); do
	t "$cipher, a class that is coded" test_coded "$cipher"
done
t "paths with and without offloads" test_paths
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Code: lost packets are computed from repair symbols.
# Copyright (C) 2026 The mptun authors
# stages: tt leaks
#
#   ┌───────┐ wan1 (8 Mbit/s, 50 ms, loses bursts)      ┌───────┐
#   │       ├───────────────────────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 50 ms)                    │   b   │
#   │       ├───────────────────────────────────────────┤       │
#   └───────┘                                           └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/locks.sh
. "$NET_DIR/lib/locks.sh"

BURSTS=4%:30%:80%:0.5%

theme_setup() {
	two_paths "8mbit 50ms" "8mbit 50ms"
	ctl a set mp0 park off
	ctl b set mp0 park off
	plain_queue mp0 a b
	eq "code of a new tunnel, null for auto" "$(class 0 .code)" null
}

# class ID FILTER: a value of a class at a
class() {
	ctl a class show mp0 "$1" -j | first "$2"
}

# decoded: lost packets that b has computed so far
decoded() {
	tun_json b mp0 .reordering.decoded
}

# clean, bursts, lossy: what the links lose
clean() {
	link_set wan1 8mbit 50ms
	link_set wan2 8mbit 50ms
}

bursts() {
	link_set wan1 8mbit 50ms loss "$BURSTS"
}

lossy() {
	link_set wan1 8mbit 50ms loss 2%
	link_set wan2 8mbit 50ms loss 2%
}

# losses: what is late or lost of the last flow, per 10000 packets
losses() {
	calc "1e4 * ($(flow .late) + $(flow .lost)) / $(flow .sent)"
}

# without loss there is no symbol; in real time a busy machine loses packets
test_clean() {
	clean
	flow_start a b "$(inner a mp0)" 8000 4 1000
	flow_end
	flow_start a b "$(inner a mp0)" 80 2 200
	flow_end
	timely "packets coded" "$(class 0 .stats.tx_coded) == 0"
	timely "symbols" "$(class 0 .stats.tx_symbols) == 0"
	timely "symbols that arrived" \
		"$(tun_json b mp0 .reordering.symbols) == 0"
}

# a call of 50 packets a second, while both links lose packets
test_call() {
	local before

	lossy
	ctl a class set mp0 0 code off
	flow_start a b "$(inner a mp0)" 80 20 200
	flow_end
	figure "lost or late, code off" "$(losses)" "per 10000"
	figure "p99, code off" "$(flow .age_p99_ms)" ms
	ctl a class set mp0 0 code auto
	# the decoder is made
	flow_start a b "$(inner a mp0)" 80 2 200
	flow_end
	before=$(decoded)
	flow_start a b "$(inner a mp0)" 80 40 200
	flow_end
	figure "lost or late, code auto" "$(losses)" "per 10000"
	figure "p99, code auto" "$(flow .age_p99_ms)" ms
	num "decoded" "$(decoded) - $before > 20"
	timely "lost or late" "$(losses) <= 5"
	timely "p99" "$(flow .age_p99_ms) <= 60"
}

# stream CODE SECONDS: 8 Mbit/s to the class of port 7000
stream() {
	ctl a class set mp0 1 code "$1"
	tx=$(class 1 .stats.tx_packets) symbols=$(class 1 .stats.tx_symbols)
	flow_start a b "$(inner a mp0)" 8000 "$2" 1000
	flow_end
	tx=$(($(class 1 .stats.tx_packets) - tx))
	symbols=$(($(class 1 .stats.tx_symbols) - symbols))
	overhead=$(calc "100 * $symbols / $tx")
}

# a stream that neither link carries alone, while one loses bursts; what is
# older than 150 ms is late
test_stream() {
	local tx symbols overhead without

	bursts
	ctl a class add mp0 1 protocol udp repair off order off
	stream off 10
	without=$(flow .lost_percent)
	figure "lost or late, code off" "$(losses)" "per 10000"
	stream auto 30
	figure "lost or late, code auto" "$(losses)" "per 10000"
	figure "lost, code auto" "$(flow .lost_percent)" %
	figure "symbols per 100 packets" "$overhead" packets
	figure "p99, code auto" "$(flow .age_p99_ms)" ms
	timely lost "$(flow .lost_percent) <= $without / 5"
	num "symbols per 100 packets" "$overhead <= 34"
	ctl a class del mp0 1
}

# a call beside TCP, over links that lose packets
test_beside() {
	local mode pid

	lossy
	for mode in off auto; do
		ctl a class set mp0 0 code "$mode"
		TCP_OMIT=2 tcp a b "$(inner a mp0)" 14 >"$TMP/mbit" &
		pid=$!
		sleep 3
		flow_start a b "$(inner a mp0)" 80 10 200
		flow_end
		wait "$pid"
		figure "lost or late, code $mode" "$(losses)" "per 10000"
		figure "p99, code $mode" "$(flow .age_p99_ms)" ms
		figure "TCP, code $mode" "$(cat "$TMP/mbit")" Mbit/s
	done
	timely "lost or late" "$(losses) <= 20"
}

# A call over links that lose packets, deliver them out of order, and of which
# one carries no large packets and does not say so: fewer are late or lost than
# the 200 of 10000 that the links lose
test_harsh() {
	local before wrong

	on r-wan1 nft -f - <<-END
		table inet hole {
			chain sent {
				type filter hook forward priority 0
				meta length > 1300 drop
			}
		}
	END
	link_set wan1 8mbit 50ms jitter 8ms loss 2%
	link_set wan2 8mbit 50ms jitter 8ms loss 2%
	# the first losses, and the decoder is made
	flow_start a b "$(inner a mp0)" 80 4 200
	flow_end
	before=$(decoded)
	wrong=$(tun_json b mp0 .reordering.symbols_wrong)
	flow_start a b "$(inner a mp0)" 80 10 200
	flow_end
	on r-wan1 nft delete table inet hole
	clean
	figure "lost or late" "$(losses)" "per 10000"
	figure "p99" "$(flow .age_p99_ms)" ms
	num "decoded" "$(decoded) > $before"
	eq "contradictions" "$(tun_json b mp0 .reordering.symbols_wrong)" \
		"$wrong"
	timely "lost or late" "$(losses) <= 150"
}

# TCP in a class that wants low latency is not coded, in fragments either, except
# while it is so slow that its flow is sparse
test_fragments() {
	local coded packets

	lossy
	ctl a class add mp0 1 protocol tcp order off repair off
	ctl a path set mp0 wan1 mtu 1280
	ctl a path set mp0 wan2 mtu 1280
	coded=$(class 1 .stats.tx_coded) packets=$(class 1 .stats.tx_packets)
	figure TCP "$(tcp a b "$(inner a mp0)" 10)" Mbit/s
	coded=$(($(class 1 .stats.tx_coded) - coded))
	packets=$(($(class 1 .stats.tx_packets) - packets))
	figure "fragments, coded" "$packets, $coded" packets
	num fragments "$packets > 300"
	num coded "$coded <= $packets / 4"
	ctl a path set mp0 wan1 mtu auto
	ctl a path set mp0 wan2 mtu auto
	ctl a class del mp0 1
}

# over_full: packets that were sent while the window of their path was full
over_full() {
	sed -n 's/.*: mptun_place: .* bytes=\([0-9]*\) in_flight=\([0-9]*\) cwnd=/\1 \2 /p' \
		"$TRACING/trace" | awk '$2 - $1 > $3 { n++ } END { print n + 0 }'
}

# A call waits for room like the TCP flow beside it, as policy nearest gives no
# flow precedence: so do its symbols
test_window() {
	local symbols pid cc

	link_set wan1 8mbit 50ms loss 0.5%
	link_set wan2 8mbit 50ms loss 0.5%
	cc=$(tun_json a mp0 .cc)
	ctl a set mp0 cc cubic
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
	echo 20000 >"$TRACING/buffer_size_kb"
	ctl a class add mp0 1 protocol udp policy nearest
	symbols=$(class 1 .stats.tx_symbols)
	TCP_OMIT=2 tcp a b "$(inner a mp0)" 14 >"$TMP/mbit" &
	pid=$!
	sleep 3
	echo >"$TRACING/trace"
	echo 1 >"$TRACING/events/mptun/mptun_place/enable"
	flow_start a b "$(inner a mp0)" 80 10 200
	flow_end
	echo 0 >"$TRACING/events/mptun/mptun_place/enable"
	wait "$pid"
	figure "lost or late" "$(losses)" "per 10000"
	figure "TCP" "$(cat "$TMP/mbit")" Mbit/s
	symbols=$(($(class 1 .stats.tx_symbols) - symbols))
	figure "symbols" "$symbols" packets
	num "symbols" "$symbols > 100"
	eq "sent while the window was full" "$(over_full)" 0
	ctl a class del mp0 1
	ctl a set mp0 cc "$cc"
}

# The path that carries a call loses many packets, and the other one, that of the
# symbols, none: however many symbols make up for that, none is missed
test_unequal() {
	local before

	link_set wan1 8mbit 50ms loss 20%
	link_set wan2 8mbit 60ms
	ctl a class set mp0 0 code 100
	flow_start a b "$(inner a mp0)" 80 2 200
	flow_end
	before=$(tun_json b mp0 .reordering.symbols_missed)
	flow_start a b "$(inner a mp0)" 80 40 200
	flow_end
	figure "lost or late" "$(losses)" "per 10000"
	figure "decoded" "$(decoded)" packets
	eq "symbols that were missed" \
		"$(tun_json b mp0 .reordering.symbols_missed)" "$before"
	ctl a class set mp0 0 code auto
	clean
}

# Links without a queue lose what is above their rate: a bulk flow that heeds no
# loss gets no symbols, which would take what little there is. Its first packets
# and those after a pause are taken for those of a sparse flow.
test_police() {
	local n

	clean
	link_police wan1 4mbit 20000
	link_police wan2 4mbit 20000
	ctl a class add mp0 1 protocol udp port 6000
	bg a "$(helper udpflow)" send "$(inner a mp0)" 6000 12000 1358 8
	bg_wait "$BG" || :
	num "lost" "$(path_json a mp0 wan1 .stats.lost_packets) > 100"
	figure "coded" "$(class 1 .stats.tx_coded)" packets
	figure "of" "$(class 1 .stats.tx_packets)" packets
	num "coded" "$(class 1 .stats.tx_coded) <= \
		$(class 1 .stats.tx_packets) / 50"
	ctl a class del mp0 1
	for n in 1 2; do
		on "r-wan$n" tc qdisc del dev a clsact
		on "r-wan$n" tc qdisc del dev b clsact
	done
}

# values that are refused
test_refused() {
	refused 1 "code 101 is out of range (1..100)" \
		ctl a class set mp0 0 code 101
	ctl a class set mp0 0 code 33
	eq "code of class 0" "$(class 0 .code)" 33
	ctl a class set mp0 0 code off
	eq "code of class 0" "$(class 0 .code)" off
	ctl a class set mp0 0 code auto
}

# encoders and decoders do not leak, which the kernel log would show
test_teardown() {
	lossy
	ctl a class set mp0 0 code 30
	flow_start a b "$(inner a mp0)" 6000 6 1000
	sleep 1
	num "decoded" "$(decoded) > 0"
	# another association: the dsns begin again
	ipn b link set mp0 down
	ipn b link set mp0 up
	wait_paths a b mp0 wan1 wan2
	sleep 1
	eq "contradictions" "$(tun_json b mp0 .reordering.symbols_wrong)" 0
	ipn a link del mp0
	bg_kill "$FLOW_TX"
	bg_kill "$FLOW_RX"
	ipn b link del mp0
}

t "without loss it costs nothing" test_clean
t "what is refused" test_refused
! virtual_time || t "a call over lossy links" test_call
! virtual_time || t "a stream over a link with bursts" test_stream
! virtual_time || t "a call beside TCP" test_beside
! virtual_time || t "losses, jitter and a path of small packets" test_harsh
! virtual_time || t "the links lose unequally" test_unequal
! virtual_time || t "TCP in fragments" test_fragments
! virtual_time || t "symbols wait for the window" test_window
! virtual_time || t "a bulk flow over links that are policed" test_police
t "deleted under traffic" test_teardown
run_theme

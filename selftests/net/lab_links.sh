#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The emulated links themselves, without a tunnel: rate, delay, queue.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1   ┌─────────┐   wan1 ┌───────┐
#   │       ├────────┤ r-wan1  ├────────┤       │  8 Mbit/s, 10 ms
#   │   a   │ wan2   ├─────────┤   wan2 │   b   │
#   │       ├────────┤ r-wan2  ├────────┤       │  2 up, 16 down, 40 ms
#   └───────┘        └─────────┘        └───────┘
#
# and with 8 Mbit/s wan3 (jitter), wan4 (jitter that reorders), wan5 (bursts of
# loss)
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034 # read by the audit
NO_OBJECTS=1

theme_setup() {
	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 2mbit/16mbit 40ms queue 50ms
	link a b wan3 8mbit 60ms jitter 20ms/normal
	link a b wan4 none 60ms jitter 20ms/normal
	link_shape wan4 8mbit 100ms
	link a b wan5 8mbit 10ms loss 5%*5
}

# round trip: both delays and the transmission of a small packet
test_delay() {
	local rtt

	rtt=$(on a ping -n -q -i 0.05 -c 10 "$(remote a wan1)" |
		sed -n 's/^rtt.* = \([0-9.]*\).*/\1/p')
	figure "least round trip over 10 ms each way" "$rtt" ms
	num "round trip" "$rtt >= 20 && $rtt < 25"
	on a ping -n -q -c 2 "$(remote a wan1 6)"
}

# a TCP flow gets the rate less its headers (1448 of 1514 bytes: 95.6 %), plus
# what the queue held when counting began
test_rate() {
	local way=$1 link=$2 rate want got seconds

	seconds=$(quick 4 15)
	rate=$(kbit "$3")
	want=$(calc "$rate / 1000 * 1448 / 1514")
	got=$(tcp a b "$(remote a "$link")" "$seconds" ${way:+"$way"})
	figure "TCP over $link${way:+, reverse}" "$got" "Mbit/s of $want"
	num "rate" "$got <= $want * (1 + 0.2 / $seconds) && $got >= $want * 0.9"
}

# the queue holds 100 ms and drops the rest
test_queue() {
	local age rate

	rate=$(kbit 8mbit)
	flow_start a b "$(remote a wan1)" $((rate * 3 / 2)) 2 1472
	flow_end
	age=$(flow .age_mean_ms)
	figure "mean wait at 1.5 x the rate" "$age" ms
	num "mean wait" "$age > 90 && $age < 120"
	num "share received" "$(flow '.received / .sent') > 0.6" \
		"&& $(flow '.received / .sent') < 0.75"
}

# no device on the way joins packets beyond the MTU
test_sizes() {
	local seen

	bg r-wan1 timeout 10 tcpdump -p -n -l -i b -c 20 "greater 1515"
	seen=$BG
	tcp a b "$(remote a wan1)" 1
	bg_kill "$seen"
	! grep -q ' IP6\? ' "$TMP/bg.$seen" || fail "a packet exceeds the MTU"
}

test_blackhole() {
	flow_start a b "$(remote a wan1)" 500 3 500
	sleep 1
	link_blackhole wan1
	sleep 1
	link_heal wan1
	flow_end
	num "gap" "$(flow .gap_ms) > 900 && $(flow .gap_ms) < 1800"
}

# normal jitter exceeds its deviation, and packets keep their order
test_jitter() {
	flow_start a b "$(remote a wan3)" 2000 4 500
	flow_end
	num "latency differs" "$(flow '.age_max_ms - .age_min_ms') > 60"
	num "overtaken" "$(flow .reordered) == 0"
}

# behind the jitter packets wait in the order in which they come, at the rate
test_reorders() {
	flow_start a b "$(remote a wan4)" 2000 4 500
	flow_end
	num "overtaken" "$(flow .reordered) > $(flow .received) / 4"
	flow_start a b "$(remote a wan4)" 12000 4 1472
	flow_end
	num "share received" "$(flow '.received / .sent') > 0.6" \
		"&& $(flow '.received / .sent') < 0.75"
}

# 5 % independent losses would be ten in a row once in 10^13
test_bursts() {
	flow_start a b "$(remote a wan5)" 4000 8 500
	flow_end
	num "lost" "$(flow .lost_percent) > 3 && $(flow .lost_percent) < 7.5"
	num "ten in a row" "$(flow .gap_ms) > 10"
}

t "delay is that of both ways" test_delay
t "8 Mbit/s up" test_rate "" wan1 8mbit
[ -z "$(quick "" 1)" ] || {
	t "8 Mbit/s down" test_rate -R wan1 8mbit
	t "2 Mbit/s up" test_rate "" wan2 2mbit
}
t "16 Mbit/s down" test_rate -R wan2 16mbit
t "the queue is 100 ms long" test_queue
t "no device joins packets" test_sizes
t "normal jitter keeps the order of packets" test_jitter
t "jitter before the bottleneck does not" test_reorders
t "losses come in bursts" test_bursts
t "a blackhole loses silently and heals" test_blackhole
run_theme

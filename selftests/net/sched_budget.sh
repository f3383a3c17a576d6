#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How much a path may carry: priority, spill-over, data caps and rates.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 25 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 10ms" "8mbit 25ms"
	plain_queue mp0 a b
}

# both_ends PATH SETTING...: change a path at both ends
both_ends() {
	ctl a path set mp0 "$@"
	ctl b path set mp0 "$@"
}

# plain: the settings with which the theme starts
plain() {
	local link

	for link in wan1 wan2; do
		both_ends "$link" priority 0 spill off cap none used 0 \
			cap-action stop rate none cc default
		wait_state a mp0 "$link" up
		wait_state b mp0 "$link" up
	done
}

# sent HOST LINK: data packets that a path has sent
sent() {
	path_json "$1" mp0 "$2" .stats.tx_packets
}

# used HOST LINK: bytes that count against the cap of a path
used() {
	path_json "$1" mp0 "$2" .used
}

# share LINK KBIT SECONDS: SHARE is the percentage of packets that a flow from a
# to b had on a link
share() {
	local before

	before=$(sent a "$1")
	flow_start a b "$(inner a mp0)" "$2" "$3"
	flow_end
	SHARE=$(calc "100 * ($(sent a "$1") - $before) / $(flow .sent)")
}

# none LINK KBIT SECONDS: a flow uses a link for none of its packets
none() {
	share "$@"
	eq "percent on $1 of $2 kbit/s" "$SHARE" 0
}

# all LINK KBIT SECONDS: a flow uses a link for all of its packets
all() {
	share "$@"
	num "percent on $1 of $2 kbit/s" "$SHARE >= 100 && $SHARE < 110"
}

# the preferred path carries everything; when it dies the other one takes over
test_priority() {
	plain
	both_ends wan2 priority 1
	none wan2 2000 2
	link_blackhole wan1
	wait_state a mp0 wan1 down
	all wan2 2000 2
	link_heal wan1
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	none wan2 2000 2
	# also if the preferred path is full
	none wan2 12000 4
	timely "how long packets waited" "$(flow .age_max_ms) > 80"
	sleep 2
}

# the other path carries only what exceeds the preferred one
test_spill() {
	local before

	plain
	both_ends wan2 priority 1 spill 100ms
	none wan2 2000 2
	before=$(path_json a mp0 wan1 .stats.tx_bytes)
	share wan2 12000 4
	figure "of 12 Mbit/s on wan2" "$SHARE" percent
	before=$(($(path_json a mp0 wan1 .stats.tx_bytes) - before))
	figure "of 12 Mbit/s on wan1" "$(calc "$before * 8 / 4e6")" Mbit/s
	timely "percent on wan2" "$SHARE > 25 && $SHARE < 50"
	timely "percent lost" "$(flow .lost_percent) < 2"
	none wan2 2000 2
	both_ends wan2 spill off
	none wan2 12000 2
	sleep 2
}

# the cap counts the same bytes as the device
test_counts() {
	local link before wire count

	plain
	for link in wan1 wan2; do
		before[${link#wan}]=$(on_wire a "$link")
		ctl a path set mp0 "$link" used 0
	done
	flow_start b a "$(inner b mp0)" 6000 2
	tcp a b "$(inner a mp0)" 3 >/dev/null
	flow_end
	sleep 1
	for link in wan1 wan2; do
		count=$(used a "$link")
		wire=$(($(on_wire a "$link") - ${before[${link#wan}]}))
		note "$link: used $count, on the wire $wire"
		num "bytes of $link" "$count > 1000000"
		# a rekey may have happened meanwhile
		num "bytes of $link" "$count <= $wire + 600"
		num "bytes of $link" "$count >= 0.998 * $wire - 1500"
	done
}

# cap_events: "PATH STATE" of each that the monitor saw
cap_events() {
	jq -r 'select(.event == "path-cap") | "\(.name) \(.cap_state)"' \
		"$TMP/bg.$1"
}

# test_stop SENDER RECEIVER: a cap at a stops both directions, nothing is lost
test_stop() {
	local from=$1 to=$2 monitor quiet

	plain
	ctl b path set mp0 wan2 priority 1
	ctl a path set mp0 wan2 priority 1
	bg a mptunctl monitor -j mp0
	monitor=$BG
	wait_for 10 grep -q listening "$TMP/bg.$monitor"
	ctl a path set mp0 wan1 cap 600kb used 0
	flow_start "$from" "$to" "$(inner "$from" mp0)" 3000 3
	flow_end
	figure "used of 600 kB" "$(used a wan1)" bytes
	num used "$(used a wan1) >= 600000"
	# a round trip, or 1 s if the first notification is lost
	timely used "$(used a wan1) <= 600000 + 3e6 / 8 * 0.12"
	eq "packets lost" "$(flow .lost)" 0
	eq state "$(path_json a mp0 wan1 .cap_state)" reached
	eq events "$(cap_events "$monitor" | tr '\n' ,)" \
		"wan1 open,wan1 near,wan1 reached,"
	path_is a mp0 wan1 up || fail "wan1 is not up"
	path_is b mp0 wan1 up || fail "wan1 is not up at b"
	quiet="$(sent a wan1) $(sent b wan1)"
	flow_start "$from" "$to" "$(inner "$from" mp0)" 3000 1
	flow_end
	eq "packets on wan1" "$(sent a wan1) $(sent b wan1)" "$quiet"
	eq "packets lost" "$(flow .lost)" 0
	# a new period
	ctl a path set mp0 wan1 used 0
	sleep 0.2
	quiet=$(sent "$from" wan1)
	flow_start "$from" "$to" "$(inner "$from" mp0)" 3000 1
	flow_end
	num "packets on wan1" "$(sent "$from" wan1) - $quiet >= $(flow .sent)"
	bg_kill "$monitor"
}

# a standby path is probed rarely, and still watched
test_standby() {
	local before

	plain
	ctl a path set mp0 wan1 cap 1kb used 1kb
	sleep 2
	before=$(used a wan1)
	flow_start a b "$(inner a mp0)" 1000 10
	flow_end
	note "$(($(used a wan1) - before)) bytes in 10 s"
	num "bytes of a path that stands by" "$(used a wan1) - $before < 1500"
	link_blackhole wan1
	wait_for 60 not path_is a mp0 wan1 up
	link_heal wan1
	wait_state a mp0 wan1 up
}

# both paths have reached their caps: no path is left
test_last() {
	local before

	plain
	ctl a path set mp0 wan1 cap 1kb used 2kb
	wait_carrier a mp0 on
	ctl a path set mp0 wan2 cap 1kb used 2kb
	wait_carrier a mp0 off
	wait_carrier b mp0 off
	ctl a path set mp0 wan2 used 0 cap 1gb
	wait_carrier a mp0 on
	wait_carrier b mp0 on
	wait_ping a "$(inner a mp0)"
	# a peer that restarts gets to know the caps that were reached
	ipn b link set mp0 down
	ipn b link set mp0 up
	wait_ping a "$(inner a mp0)"
	sleep 2
	before=$(sent b wan1)
	flow_start b a "$(inner b mp0)" 2000 1
	flow_end
	eq "packets of b on wan1" "$(($(sent b wan1) - before))" 0
}

# a path whose cap is used up becomes a backup
test_backup() {
	plain
	ctl a path set mp0 wan1 cap 1kb used 1kb cap-action backup
	sleep 0.2
	none wan1 2000 1
	link_blackhole wan2
	wait_state a mp0 wan2 down
	all wan1 2000 1
	link_heal wan2
	wait_state a mp0 wan2 up
	none wan1 2000 1
}

# a cap that only notifies
test_notify() {
	plain
	both_ends wan2 priority 1
	ctl a path set mp0 wan1 cap 1kb used 1kb cap-action notify
	all wan1 2000 1
	eq state "$(path_json a mp0 wan1 .cap_state)" reached
	refused 1 "cap-action must be stop, backup or notify" \
		ctl a path set mp0 wan1 cap-action halt
}

# test_rate CC: no controller exceeds the rate
test_rate() {
	local before bits

	plain
	both_ends wan2 priority 1
	ctl a path set mp0 wan1 cc "$1" rate 3mbit
	flow_start a b "$(inner a mp0)" 6000 1.5
	sleep 0.3
	before=$(path_json a mp0 wan1 .stats.tx_bytes)
	sleep 1
	bits=$((($(path_json a mp0 wan1 .stats.tx_bytes) - before) * 8))
	flow_end
	figure "$1 of 3 Mbit/s" "$(calc "$bits / 1e6")" Mbit/s
	timely "rate of $1" "$bits < 1.05 * 3e6 && $bits > 0.8 * 3e6"
}

t "priority: the preferred path first" test_priority
t "spill-over: what exceeds the preferred path" test_spill
t "the cap counts what is on the wire" test_counts
t "a cap stops a path, sending" test_stop a b
t "a cap stops a path, receiving" test_stop b a
t "a standby path is probed" test_standby
t "the last path stops" test_last
t "a cap makes a path a backup" test_backup
t "a cap that only notifies" test_notify
for cc in $(quick "newreno delay bbr none" \
	"newreno cubic lia residual delay bbr fixed none"); do
	t "rate: an upper bound for $cc" test_rate "$cc"
done
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The status page of the agent: what it serves to whom, and its figures.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
# The site is that of lib/conf.sh. What a browser makes of the page is tested by
# selftests/page/run.py.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/conf.sh
. "$NET_DIR/lib/conf.sh"
# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck source=selftests/net/lib/agent.sh
. "$NET_DIR/lib/agent.sh"

TOOLS+=(mptund curl)

URL=http://127.0.0.1:9100
FILES=$TREE_DIR/tools/status

theme_setup() {
	site
}

# served [OPTION...] URL: what the agent of a answers, to $TMP/body and $TMP/head
served() {
	on a curl -sS --fail --path-as-is --max-time 5 -o "$TMP/body" \
		-D "$TMP/head" "$@"
}

# has HEADER VALUE: the last answer has this header, and no other of its name
has() {
	eq "$1" "$(tr -d '\r' <"$TMP/head" | sed -n "s/^$1: //Ip")" "$2"
}

# safe: the headers that all answers have
safe() {
	has x-content-type-options nosniff
	has referrer-policy no-referrer
	has content-security-policy "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	has access-control-allow-origin ''
}

# serves PATH TYPE FILE: the agent serves this file there
serves() {
	served "$URL$1"
	cmp "$TMP/body" "$3"
	has content-type "$2"
	has cache-control no-cache
	safe
	served -I "$URL$1"
	has content-length "$(stat -Lc %s "$3")"
	safe
}

# begin_page: tunnel and agent, with the page of the source tree
begin_page() {
	ready
	client 'Metrics = 9100'
	up
	agent MPTUN_STATUS="$FILES"
	both
}

# page_json FILTER: of the figures that the agent serves
page_json() {
	served "$URL/status.json"
	jq -c "$1" "$TMP/body"
}

# of_path PATH FILTER: that of a path of mp0
of_path() {
	page_json ".tunnels[] | select(.ifname == \"mp0\").paths[] |
		select(.name == \"$1\") | $2"
}

test_pages() {
	local path

	begin_page
	serves / 'text/html; charset=utf-8' "$FILES/index.html"
	serves /status.css 'text/css; charset=utf-8' "$FILES/status.css"
	serves /status.js 'text/javascript; charset=utf-8' "$FILES/status.js"
	serves /chart.js 'text/javascript; charset=utf-8' \
		/usr/share/javascript/chart.js/chart.min.js
	served "$URL/status.json"
	has content-type application/json
	has cache-control no-store
	safe
	# a page in a browser that comes from elsewhere
	eq "another host" "$(status -H 'Host: evil.example' "$URL/")" 421
	eq "another host" "$(status -H 'Host: evil.example' "$URL/status.json")" 421
	eq "another method" "$(status -d x=1 "$URL/")" 405
	eq "another method" "$(status -X DELETE "$URL/status.json")" 405
	for path in /../etc/passwd /%2e%2e/etc/passwd //etc/passwd \
		/status.json/x /status.js/../status.css /index.html // /x \
		/usr/share/javascript/chart.js/chart.min.js /status.CSS; do
		eq "$path" "$(status "$URL$path")" 404
	done
	# without the files, figures are served all the same
	agent_end
	agent MPTUN_STATUS=/nonexistent
	eq "no file" "$(status "$URL/")" 404
	eq "figures" "$(page_json '.tunnels | length')" 1
	eq "metrics" "$(status "$URL/metrics")" 200
	end
}

# figures: those of paths that do not change while nothing happens, from the list
# of tunnels on standard input
figures() {
	jq -S 'map(select(.ifname == "mp0")) | .[0] | {ifname, state, cipher,
		paths_up, paths: [.paths[] | {name, dev, state, reason, backup,
		priority, learned, parked, detour, pmtu, min_rtt, loss, cap_state,
		rx: .stats.rx_bytes, tx: .stats.tx_bytes,
		lost: .stats.lost_packets}] | sort}'
}

test_json() {
	local before filter sum

	begin_page
	reaches a 10.7.0.1
	sleep 1
	# nothing is sent now: the same as mptunctl has
	ctl a show -j >"$TMP/show"
	served "$URL/status.json"
	figures <"$TMP/show" >"$TMP/want"
	jq .tunnels "$TMP/body" | figures | diff "$TMP/want" -
	# the test of the page in a browser has the same fields
	for filter in 'keys' '.tunnels[0] | keys' '.tunnels[0].paths[0] | keys' \
		'.tunnels[0].paths[0].stats | keys' '.events[0] | keys'; do
		eq "$filter" "$(jq -c "$filter" "$TESTS_DIR/page/status.json")" \
			"$(jq -c "$filter" "$TMP/body")"
	done
	num "sent" "$(jq '.paths | map(.tx) | add' "$TMP/want") > 0"
	# no rates from one time
	eq "rate" "$(jq -c '[.tunnels[0].paths[].tx_rate]' "$TMP/body")" '[null,null]'
	flow_start a b 10.7.0.1 4000 8
	sleep 2
	page_json . >/dev/null
	sleep 2
	sum=$(page_json '.tunnels[0].tx_rate')
	num "rate of the tunnel" "$sum > 3500000 && $sum < 5000000"
	eq "its paths" "$(jq '[.tunnels[0].paths[].tx_rate] | add' "$TMP/body")" \
		"$sum"
	# two that ask at once have the same figures
	before=$(jq -c .tunnels "$TMP/body")
	eq "figures" "$(page_json .tunnels)" "$before"
	flow_end
	num "latency" "$(of_path wan1 .srtt) > 9000 && $(of_path wan1 .srtt) < 100000"
	# no rates of a time long ago
	sleep 15
	eq "rate" "$(page_json .tunnels[0].tx_rate)" null
	end
}

test_events() {
	local why

	begin_page
	ipn a link set wan2 down
	wait_for 5 said "path wan2 is down"
	why=$(sed -n 's/.*path wan2 is down, //p' "$TMP/bg.$AGENT")
	eq "events" "$(page_json "[.events[] | select(.text == \"path wan2 is down, $why\")] | length")" 1
	[[ $(page_json '.events[0].time') =~ \
		^\"20[0-9-]{8}T[0-9:]{8}\.[0-9]+[+-][0-9]{2}:[0-9]{2}\"$ ]]
	eq "order" "$(page_json '[.events[].time] | . == (sort | reverse)')" true
	wait_for 5 path_is a mp0 wan2 noroute
	eq "why" "$(of_path wan2 .why)" "\"$why\""
	eq "state" "$(of_path wan2 '.state + " " + .reason')" "\"$(path_json a mp0 \
		wan2 '.state + " " + .reason')\""
	eq "up" "$(of_path wan1 .state)" '"up"'
	uplink_up wan2
	both
	end
}

# neither the key nor what belongs to it, and no address of the peer
test_secret() {
	local key

	begin_page
	key=$(tr -d '\n' <"$TMP/etc/site.key")
	[ "${#key}" -gt 20 ]
	served "$URL/status.json"
	not grep -qF "$key" "$TMP/body"
	not grep -qi -e fingerprint -e instance "$TMP/body"
	eq "addresses" "$(jq '[.. | strings | select(test("198\\.51"))] -
		[.events[].text] | length' "$TMP/body")" 0
	end
}

# what looks like markup stays a text
test_names() {
	local name='<b>"&\<i>'

	begin_page
	ctl a path add mp0 "$name" remote 198.51.100.9 dev wan1
	eq "name" "$(jq -n --arg name "$name" --argjson names \
		"$(page_json '[.tunnels[0].paths[].name]')" '$names | index($name) != null')" \
		true
	has content-type application/json
	safe
	ctl a path del mp0 "$name"
	end
}

# two browsers open six connections each
test_clients() {
	local n

	begin_page
	for ((n = 0; n < 12; n++)); do
		bg a bash -c 'exec 3<>/dev/tcp/127.0.0.1/9100; sleep 8'
	done
	sleep 1
	eq "beside 12 clients" "$(status "$URL/")" 200
	end
}

# its page remains, with other tunnels and the event
test_gone() {
	begin_page
	page_json . >/dev/null
	down
	wait_for 5 said "mp0 is gone"
	sleep 1
	eq "tunnels" "$(page_json .tunnels)" '[]'
	eq "event" "$(page_json '.events[0].text')" \
		'"mp0 is gone, and so are the rules of its uplinks"'
	up
	both
	end
}

t "status page: files, headers and refusals" test_pages
t "status page: figures are those of mptunctl" test_json
t "status page: events, states and reasons" test_events
t "status page: no keys, no addresses" test_secret
t "status page: names with markup" test_names
t "status page: clients at once" test_clients
t "status page: a tunnel that is gone" test_gone
run_theme

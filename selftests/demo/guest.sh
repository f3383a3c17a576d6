#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the demonstration does inside its virtual machine.
# Copyright (C) 2026 The mptun authors
#
#            ┌────────────────┐
#      ┌─────┤ dsl-modem, NAT ├─────┐      16 down / 4 up Mbit/s, 15 ms
#      │     └────────────────┘     │
#  ┌───┴──┐  ┌────────────────┐  ┌──┴───────┐     ┌────────┐
#  │ home ├──┤ lte-modem, NAT ├──┤ internet ├─────┤ server │
#  └───┬──┘  └────────────────┘  └──┬───────┘     └────────┘
#      │     ┌────────────────┐     │      12 / 8, 45 ms and jitter
#      └─────┤ sat-dish, NAT  ├─────┘      24 / 6, 30 ms
#            └────────────────┘
#
# A machine that cannot carry that much, as it is emulated or busy, gets links of
# lower rates in the same proportions: what it shows should be limited by the
# links and not by the processors.
#
# Every command is printed before it is run, and kept in the file commands:
# typed as root they do the same.

set -Eeuo pipefail
trap 'echo "FAILED: guest.sh:$LINENO: $BASH_COMMAND" >&2' ERR
# shellcheck source=selftests/net/lib/measure.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib/measure.sh"

OUT=${MPTUN_RESULTS:-/tmp/mptun-demo}
WEB=/tmp/mptun-web
SERVER=198.51.100.1
TUNNEL=10.77.0.1
SECONDS_ALONE=8
FILE=150000000
LINKS=(dsl lte sat)
# Mbit/s of all links, towards home
ALL_RATES=52
# of the links' rates
PERCENT=100
declare -A TITLE=([dsl]="DSL" [lte]="LTE" [sat]="satellite")
declare -A ALONE=()
CARRIES=0

bold=$'\033[1m' dim=$'\033[2m' off=$'\033[0m'
[ -z "${NO_COLOR:-}" ] || bold='' dim='' off=''

# commands are shown here, also while their output is caught
exec 3>&1

say() {
	printf '\n%s%s%s\n' "$bold" "$*" "$off"
	printf '\n# %s\n' "$*" >>"$OUT/commands"
}

# run LINE: print it, keep it, run it
run() {
	printf '%s  # %s%s\n' "$dim" "$*" "$off" >&3
	echo "$*" >>"$OUT/commands"
	eval "$*"
}

# --- the lab

# modem NAME NUMBER: a link with a NAT router in the middle
modem() {
	local name=$1 n=$2 ns=modem-$1

	run ip netns add "$ns"
	run ip link add "$name" netns home type veth peer name lan netns "$ns"
	run ip link add wan netns "$ns" type veth peer name "$name" netns internet
	run ip -n home address add "192.168.$n.2/24" dev "$name"
	run ip -n "$ns" address add "192.168.$n.1/24" dev lan
	run ip -n "$ns" address add "203.0.113.$((n * 4 + 2))/30" dev wan
	run ip -n internet address add "203.0.113.$((n * 4 + 1))/30" dev "$name"
	run ip -n "$ns" link set lan up
	run ip -n "$ns" link set wan up
	run ip -n home link set "$name" up
	run ip -n internet link set "$name" up
	run ip -n "$ns" route add default via "203.0.113.$((n * 4 + 1))"
	run ip -n home route add default via "192.168.$n.1" dev "$name" metric "$n"
	run ip netns exec "$ns" sysctl -qw net.ipv4.ip_forward=1
	run "ip netns exec $ns nft 'add table ip nat; add chain ip nat post { type nat hook postrouting priority 100; }; add rule ip nat post oifname wan masquerade'"
	# real modems see single packets
	run ip netns exec home ethtool -K "$name" tso off gso off gro off
	run ip netns exec "$ns" ethtool -K lan tso off gso off gro off
	run ip netns exec "$ns" ethtool -K wan tso off gso off gro off
	run ip netns exec internet ethtool -K "$name" tso off gso off gro off
}

lab() {
	say "1. The lab: home, three modems, the internet, a server" \
		"(skip it if you have real ones)"
	run ip netns add home
	run ip netns add internet
	run ip netns add server
	run ip netns exec internet sysctl -qw net.ipv4.ip_forward=1
	run ip link add eth0 netns server type veth peer name server netns internet
	run ip -n server address add "$SERVER/24" dev eth0
	run ip -n internet address add 198.51.100.254/24 dev server
	run ip -n server link set eth0 up
	run ip -n internet link set server up
	run ip -n server route add default via 198.51.100.254
	run ip netns exec server ethtool -K eth0 tso off gso off gro off
	run ip netns exec internet ethtool -K server tso off gso off gro off
	modem dsl 1
	modem lte 2
	modem sat 3
}

# half NAME DEVICE MBIT DELAY JITTER: one direction of a link
half() {
	local kbit=$(($3 * 10 * PERCENT)) delay=$4

	run ip netns exec "modem-$1" tc qdisc add dev "$2" root netem rate "${kbit}kbit" delay "${delay}ms" "${5}ms" limit "$((kbit * (100 + delay) / 12000 + 20))"
}

# link NAME DOWN UP DELAY JITTER
link() {
	half "$1" lan "$2" "$4" "$5"
	half "$1" wan "$3" "$4" "$5"
}

links() {
	link dsl 16 4 15 0
	link lte 12 8 45 4
	link sat 24 6 30 0
}

rates() {
	say "3. The rates of the links"
	if [ "$PERCENT" -lt 100 ]; then
		echo "      This machine carries $CARRIES Mbit/s through a" \
			"tunnel over three links. So each link"
		echo "      gets $PERCENT % of its rate: they are to be the" \
			"limit, and not the processors."
		# the steps between take longer on a slow machine
		run truncate -s "$((FILE * PERCENT * 3 / 200))" "$WEB/large"
	fi
	links
}

web() {
	say "2. A web server (nginx)"
	run mkdir -p "$WEB"
	run "head -c $FILE /dev/urandom >$WEB/large"
	cat >"$WEB/nginx.conf" <<-END
		daemon on;
		pid $WEB/pid;
		error_log $WEB/error.log;
		user root;
		worker_processes 1;
		events { worker_connections 64; }
		http { access_log off; send_timeout 15m; server { listen 80; root $WEB; } }
	END
	sed 's/^/      /' "$WEB/nginx.conf"
	run ip netns exec server nginx -c "$WEB/nginx.conf"
}

# trial HOST ADDRESS: one end of a tunnel that only measures the machine
trial() {
	ip -n "$1" link add mp1 type mptun port 4000
	ip netns exec "$1" mptunctl set mp1 key "$WEB/trial.key"
	ip -n "$1" address add "$2/24" dev mp1
	ip -n "$1" link set mp1 up
}

# burden SECONDS: bit/s through the trial, and for how much of the time processors
# were busy
burden() {
	local rate
	local -a before

	read -ra before < <(ticks)
	rate=$(ip netns exec home curl -s -m "$1" -o /dev/null \
		-w '%{speed_download}' http://10.78.0.1/large) ||
		[ $? -eq 28 ] # time is over
	echo "$rate" "$((100 - $(idle_since "${before[@]}")))"
}

# shaped SECONDS: the same over links that have PERCENT of their rates
shaped() {
	local link

	(run() { eval "$*"; } && links)
	burden "$1"
	for link in "${LINKS[@]}"; do
		ip netns exec "modem-$link" tc qdisc del dev lan root
		ip netns exec "modem-$link" tc qdisc del dev wan root
	done
}

# What the processors carry through a tunnel over the three links, and from that
# the part of the links' rates that leaves them half of the time. Without rates a
# run of packets takes one link at once, which costs less than packets of three
# links one by one. So the result is tried, with rates, until it holds. Sets
# CARRIES and PERCENT.
machine() {
	local link rate busy

	(umask 077 && mptunctl key gen >"$WEB/trial.key")
	trial server 10.78.0.1
	trial home 10.78.0.2
	for link in "${LINKS[@]}"; do
		ip netns exec home mptunctl path add mp1 "$link" \
			remote "$SERVER" port 4000 dev "$link"
	done
	ip netns exec home ping -q -c 20 -i 0.2 -w 10 10.78.0.1 >/dev/null || :
	read -r rate busy < <(burden 4)
	for _ in {1..4}; do
		CARRIES=$(awk "BEGIN { printf \"%.1f\", $rate * 8e-6 * 100 / \
			($busy > 5 ? $busy : 5) }")
		PERCENT=$(awk "BEGIN { printf \"%d\", $CARRIES * 45 / $ALL_RATES }")
		[ "$PERCENT" -le 100 ] || PERCENT=100
		[ "$PERCENT" -ge 3 ] || PERCENT=3
		read -r rate busy < <(shaped 6)
		if [ "$busy" -le 50 ] || [ "$PERCENT" -eq 3 ]; then
			break
		fi
	done
	ip -n home link del mp1
	ip -n server link del mp1
}

# mbit BYTES SECONDS
mbit() {
	awk "BEGIN { printf \"%.1f\", $1 * 8 / $2 / 1e6 }"
}

alone() {
	local link rate

	say "4. A large file over one link at a time, $SECONDS_ALONE s each"
	for link in "${LINKS[@]}"; do
		rate=$(run "ip netns exec home curl -s -m $SECONDS_ALONE" \
			"--interface $link -o /dev/null" \
			"-w '%{speed_download}' http://$SERVER/large") ||
			[ $? -eq 28 ] # time is over
		ALONE[$link]=$(mbit "$rate" 1)
		echo "      ${TITLE[$link]}: $bold${ALONE[$link]} Mbit/s$off"
	done
}

tunnel() {
	local link

	say "5. The tunnel. Both ends need the same key. The server needs its" \
		"end of the link and no path: it learns them"
	run "(umask 077; mptunctl key gen >/run/site.key)"
	run ip -n server link add mp0 type mptun
	run ip netns exec server mptunctl set mp0 key /run/site.key
	run ip -n server address add "$TUNNEL/24" dev mp0
	run ip -n server link set mp0 up
	say "6. Home: its end, and a path for each uplink"
	run ip -n home link add mp0 type mptun
	run ip netns exec home mptunctl set mp0 key /run/site.key
	run ip -n home address add 10.77.0.2/24 dev mp0
	run ip -n home link set mp0 up
	for link in "${LINKS[@]}"; do
		run ip netns exec home mptunctl path add mp0 "$link" \
			remote "$SERVER" dev "$link"
	done
	for _ in $(seq 100); do
		[ "$(ip netns exec home mptunctl show mp0 -j |
			jq '.[0].paths_up')" != ${#LINKS[@]} ] || break
		sleep 0.1
	done
	run ip netns exec home mptunctl show
	run ip netns exec home ping -q -c 3 -i 0.2 "$TUNNEL"
}

# received: bytes of the file that have come so far, as curl counts them too; the
# file is made with the first
received() {
	stat -c %s "$WEB/copy" 2>/dev/null || echo 0
}

# now: seconds, with decimals
now() {
	cut -d' ' -f1 /proc/uptime
}

# live: what every half second brought, per path, and the state it is in. Two
# processes for all of it: an emulated machine has little to spare. It is killed at
# the end, which is no failure.
live() {
	trap - ERR
	ip netns exec home mptunctl show mp0 every 500ms -j |
		jq --unbuffered -r --argjson percent "$PERCENT" '
		def mbit: . / 1e5 | round / 10;
		.[0].paths as $p |
		[$p[] | "\(.name) \(.rx_rate | mbit) (\(.state))"] as $each |
		([$p[].rx_rate] | add | mbit) as $all |
		"      \($all) Mbit/s = \($each | join(" + "))  " +
			("█" * ($all * 50 / $percent | floor) // "")'
}

# mean BYTES SINCE: Mbit/s since then
mean() {
	mbit "$(($(received) - $1))" "($(now) - $2)"
}

download() {
	local curl live from since sum_in sum_out
	local -a before

	say "7. The same file over all of them; after a while the satellite" \
		"link dies silently"
	sum_in=$(sha256sum "$WEB/large" | cut -d' ' -f1)
	live &
	live=$!
	run "ip netns exec home curl -s -o $WEB/copy http://$TUNNEL/large &"
	curl=$!
	sleep 8
	from=$(received) since=$(now)
	read -ra before < <(ticks)
	sleep 6
	ALL=$(mean "$from" "$since")
	BUSY=$((100 - $(idle_since "${before[@]}")))
	run ip netns exec modem-sat tc qdisc change dev lan root netem loss 100%
	run ip netns exec modem-sat tc qdisc change dev wan root netem loss 100%
	from=$(received) since=$(now)
	sleep 6
	BROKEN=$(mean "$from" "$since")
	run ip netns exec home mptunctl show
	echo "      and back:"
	run ip netns exec modem-sat tc qdisc change dev lan root netem loss 0%
	run ip netns exec modem-sat tc qdisc change dev wan root netem loss 0%
	sleep 2
	from=$(received) since=$(now)
	sleep 4
	AGAIN=$(mean "$from" "$since")
	wait "$curl"
	pkill -f "mptunctl show mp0 every"
	wait "$live" || :
	sum_out=$(sha256sum "$WEB/copy" | cut -d' ' -f1)
	if [ "$sum_in" != "$sum_out" ]; then
		echo "the file was damaged"
		exit 1
	fi
	echo "      the file arrived whole (sha256 ${sum_in:0:16}...)"
}

percent() {
	awk "BEGIN { printf \"%.0f %%\", 100 * $1 / $2 }"
}

row() {
	printf '      %-42s %8s   %s\n' "$1" "$2" "${3:-}"
}

table() {
	local link sum left

	sum=$(awk "BEGIN { print ${ALONE[dsl]} + ${ALONE[lte]} + \
		${ALONE[sat]} }")
	left=$(awk "BEGIN { print $sum - ${ALONE[sat]} }")
	row "" "Mbit/s"
	for link in "${LINKS[@]}"; do
		row "${TITLE[$link]} alone, without tunnel" "${ALONE[$link]}"
	done
	row "sum of the three" "$sum"
	row "tunnel over all three, 8 s after the start" "$ALL" \
		"$(percent "$ALL" "$sum") of the sum"
	row "6 s from the satellite's silent death on" "$BROKEN" \
		"$(percent "$BROKEN" "$left") of what is left"
	row "2 s after its return" "$AGAIN" "$(percent "$AGAIN" "$sum")"
	echo
	echo "      The tunnel's headers take 72 of 1500 bytes, 4.8 %."
	echo "      Processors were busy for $BUSY % of the time with all three."
	[ "$PERCENT" -eq 100 ] ||
		echo "      The links have $PERCENT % of their rates, as this" \
			"machine carries $CARRIES Mbit/s."
	[ "$BUSY" -lt 85 ] ||
		echo "      That is what limits the tunnel: the machine got" \
			"busier meanwhile."
}

mkdir -p "$OUT"
: >"$OUT/commands"
modprobe -q mptun 2>/dev/null || insmod "$MPTUN_KO"
lab
web
machine
rates
alone
tunnel
download
say "What it was worth"
table | tee "$OUT/table"

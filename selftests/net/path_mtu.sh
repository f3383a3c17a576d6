#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The largest packet of each path: found without ICMP, with it, from the start
# and when it changes.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├────────────( r )─────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 5 ms)    │   b   │
#   │       ├────────────( r )─────────┤       │
#   └───────┘                          └───────┘
#
# A router carries less than the uplinks on either side of it, and says so by
# ICMP, or is silent.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

SERVER=198.51.100.7

theme_setup() {
	local n

	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 8mbit 5ms
	# one address of the server, and a default route over each uplink
	ipn b address add "$SERVER/32" dev lo
	for n in 1 2; do
		ipn "r-wan$n" route add "$SERVER" via "$(addr b "wan$n")"
		ipn a route add default via "10.${LINK_N[wan$n]}.1.1" \
			dev "wan$n" metric "${n}00"
	done
}

# narrow LINK MTU [silent]: what its router carries in both directions
narrow() {
	local link=$1 mtu=$2 n=${LINK_N[$1]}

	ip -n "$NSP-r-$link" -batch - <<-END
		route replace $SERVER via 10.$n.2.2 mtu $mtu
		route replace 10.$n.1.0/24 dev a src 10.$n.1.1 mtu $mtu
		route replace 10.$n.2.0/24 dev b src 10.$n.2.1 mtu $mtu
		route replace fd00:$n:1::/64 dev a metric 1 mtu $mtu
		route replace fd00:$n:2::/64 dev b metric 1 mtu $mtu
	END
	on "r-$link" nft -f - <<-END
		table inet silent
		delete table inet silent
	END
	[ "${3:-}" = silent ] || return 0
	on "r-$link" nft -f - <<-END
		table inet silent {
			chain sent {
				type filter hook output priority 0
				icmp type destination-unreachable drop
				icmpv6 type packet-too-big drop
			}
		}
	END
}

wide() {
	narrow wan1 1500
	narrow wan2 1500
}

# over FAMILY LINK...: mp0 with paths over these links
over() {
	local add=path link

	[ "$1" = 4 ] || add=path6
	shift
	tunnel a b mp0
	for link; do
		"$add" a mp0 "$link"
		"$add" b mp0 "$link"
	done
	wait_paths a b mp0 "$@"
}

size() {
	path_json "$1" mp0 "$2" .pmtu
}

# size_is HOST PATH SIZE: to four bytes
size_is() {
	local got

	got=$(size "$1" "$2")
	[ "$got" -le "$3" ] && [ "$got" -gt $(($3 - 4)) ]
}

wait_size() {
	wait_for "${4:-2}" size_is "$1" "$2" "$3" ||
		fail "size of $2 at $1 is $(size "$1" "$2"), not $3"
}

# soon HOST PATH SIZE: it has this size within a second
soon() {
	local begin

	begin=$(now_ms)
	wait_size "$@" 5
	begin=$(($(now_ms) - begin))
	figure "new size of $2 at $1" "$begin" ms
	timely "new size" "$begin < 1000"
}

state_is() {
	[ "$(path_json "$1" mp0 "$2" .pmtu_state)" = "$3" ]
}

# least FROM TO: the least Mbit/s of a second between these
least() {
	jq -r "[.intervals[].sum | select(.start > $1 - 0.5 and
		.end < $2 + 0.5) | .bits_per_second] | min / 1e4 |
		round / 100" "$TMP/iperf.json"
}

# --- the search

# sizes FAMILY MTU...: what a router carries is found at once, to four bytes
sizes() {
	local family=$1 mtu

	shift
	for mtu; do
		narrow wan1 "$mtu" silent
		over "$family" wan1
		wait_size a wan1 "$mtu" 1
		wait_size b wan1 "$mtu" 1
		wait_for 1 state_is a wan1 complete
		ipn a link del mp0
		ipn b link del mp0
	done
	wide
}

# below the base size: the state says so, and packets that fit still pass
small() {
	narrow wan1 1000 silent
	over 4 wan1
	wait_size a wan1 1000 3
	wait_size b wan1 1000 3
	eq state "$(path_json a mp0 wan1 .pmtu_state)" error
	on a ping -n -q -c 5 -i 0.1 -s 800 "$(inner a mp0)"
	wide
}

# a size that is set is an upper bound; the route may allow less
bound() {
	narrow wan1 1400 silent
	over 4 wan1
	wait_size a wan1 1400
	ctl a path set mp0 wan1 mtu 1452
	eq mtu "$(path_json a mp0 wan1 .mtu)" 1452
	eq size "$(size a wan1)" 1400
	ctl a path set mp0 wan1 mtu 1300
	eq size "$(size a wan1)" 1300
	ipn a link set wan1 mtu 1290
	wait_size a wan1 1290
	ipn a link set wan1 mtu 1500
	wait_size a wan1 1300
	ctl a path set mp0 wan1 mtu auto
	wait_size a wan1 1400
	wide
}

# an unused path sends no probes of full size
unused() {
	over 4 wan1 wan2
	ctl a path set mp0 wan2 backup on
	narrow wan1 1400 silent
	sleep 2
	on r-wan2 nft -f - <<-END
		table inet watch {
			counter full {}
			chain seen {
				type filter hook prerouting priority -500
				meta length > 1000 counter name full
			}
		}
	END
	on a ping -n -q -c 700 -i 1 -W 1 "$(inner a mp0)"
	eq "large packets" "$(on r-wan2 nft -j list counter inet watch full |
		jq '.nftables[] | .counter? | values | .packets')" 0
	on r-wan2 nft delete table inet watch
	wide
}

# --- changes under traffic

# hole FAMILY MTU: a router that was wide carries less from now on, and says
# nothing: the only path has the new size within a second
hole() {
	local family=$1 mtu=$2

	wide
	over "$family" wan1
	wait_size a wan1 1500
	flow_start a b "$(inner a mp0)" 2000 4
	sleep 1
	narrow wan1 "$mtu" silent
	soon a wan1 "$mtu"
	eq state "$(path_state a mp0 wan1)" up
	flow_end
	wide
}

# losses, and a policer that drops more large packets than small ones, are no
# hole
no_hole() {
	local bad

	wide
	over 4 wan1
	wait_size a wan1 1500
	"$@"
	tcp a b "$(inner a mp0)" 8
	tcp a b "$(inner a mp0)" 4 -P 4
	flow_start a b "$(inner a mp0)" 12000 4
	for bad in {1..40}; do
		eq "size after $bad" "$(size a wan1)" 1500
		nap 0.1
	done
	flow_end
	eq size "$(size a wan1)" 1500
	on r-wan1 nft flush ruleset
	link_heal wan1
}

loses() {
	link_set wan1 8mbit 10ms loss 5
}

polices() {
	on r-wan1 nft -f - <<-END
		table inet police {
			chain forward {
				type filter hook forward priority 0
				meta length > 1000 limit rate over 600 kbytes/second burst 5 kbytes drop
			}
		}
	END
}

# a message concerns the path whose packet it quotes, not the route to the
# server, which is that of the first path
quoted() {
	local CIPHER=chacha20-poly1305 LEARN=on

	wide
	narrow wan2 1430
	tunnel a b mp0
	ctl a path add mp0 p1 remote "$SERVER" dev wan1
	ctl a path add mp0 p2 remote "$SERVER" dev wan2
	wait_state a mp0 p1 up
	wait_state a mp0 p2 up
	wait_size a p1 1500
	wait_size a p2 1430
	# larger than 1340 with all headers, and more than one path carries
	flow_start a b "$(inner a mp0)" 12000 3 1300
	sleep 1
	narrow wan2 1340
	soon a p2 1340
	flow_end
	eq "size of p1" "$(size a p1)" 1500
	wide
}

# --- all together

# alone FAMILY: the better path without the other one
alone() {
	wide
	over "$1" wan2
	TCP_OMIT=0 tcp a b "$(inner a mp0)" 6 -R
	series 3 6 >"$TMP/alone.$1"
	figure "wan2 alone, IPv$1 outside" "$(<"$TMP/alone.$1")" Mbit/s
	figure "least second of wan2 alone" "$(least 3 6)" Mbit/s
}

# one row for each test: MTU LINK silent|icmp OUTER INNER start|later. Each pair of
# values of two columns is in a row.
ROWS="1280 wan1 silent 4 6 start
1280 wan2 icmp 6 4 later
1280 wan1 silent 4 4 later
1340 wan2 silent 4 6 start
1340 wan1 icmp 6 4 later
1340 wan1 silent 4 4 start
1400 wan2 silent 4 4 start
1400 wan1 silent 6 6 later
1400 wan2 icmp 4 6 later
1430 wan1 icmp 4 4 start
1430 wan2 silent 6 4 later
1430 wan2 icmp 6 6 start
1472 wan1 silent 6 6 start
1472 wan2 icmp 4 4 later
1472 wan1 silent 4 4 start
1492 wan2 silent 4 4 later
1492 wan1 icmp 6 6 start
1492 wan1 silent 4 4 start
1500 wan1 silent 6 4 start
1500 wan2 icmp 4 6 start
1500 wan1 silent 4 6 later"

pairwise() {
	awk '{
			for (i = 1; i <= NF; i++) {
				values[i] += !seen[i, $i]++
				for (j = 1; j < i; j++)
					pairs[i, j] += !seen[i, $i, j, $j]++
			}
		}
		END {
			for (i = 1; i <= NF; i++)
				for (j = 1; j < i; j++)
					if (pairs[i, j] != values[i] * values[j])
						bad = bad " " j "-" i
			print "columns that lack pairs:" bad
			exit bad != ""
		}' <<<"$ROWS"
}

# cell ROW: TCP over both paths, one of which is narrow; then what needs both
# loses nothing
cell() {
	local mtu=$1 link=$2 how=$3 outer=$4 inner=$5 when=$6 host

	wide
	[ "$when" = later ] || narrow "$link" "$mtu" "$how"
	over "$outer" wan1 wan2
	[ "$when" = start ] || (
		nap 1.5
		narrow "$link" "$mtu" "$how"
	) &
	TCP_OMIT=0 tcp a b "$(inner a mp0 "$inner")" 6 -R
	wait
	figure "least second of $*" "$(least 3 6)" Mbit/s
	timely "least second" "$(least 3 6) >= 0.9 * $(<"$TMP/alone.$outer")"
	# The narrow path is examined once packets of its size get lost
	[ "$when" = later ] ||
		for host in a b; do
			wait_size "$host" "$link" "$mtu"
		done
	flow_start b a "$(inner b mp0 "$inner")" 9000 1
	flow_end
	timely lost "$(flow .lost) == 0"
	for link in wan1 wan2; do
		eq "state of $link" "$(path_state a mp0 "$link")" up
		num "data on $link" \
			"$(path_json b mp0 "$link" .stats.tx_packets) > 500"
	done
	wide
}

t "sizes of a silent router, IPv4" sizes 4 1500 1492 1472 1420 1399 1281 1280
t "sizes of a silent router, IPv6" sizes 6 1500 1452 1366 1281
t "less than the base size" small
t "upper bounds" bound
t "an unused path" unused
t "a silent hole, IPv4" hole 4 1400
t "a silent hole, IPv6" hole 6 1304
t "random loss" no_hole loses
t "a policer that drops large packets" no_hole polices
t "messages that quote packets of the second path" quoted

t "the better path alone, IPv4" alone 4
t "the better path alone, IPv6" alone 6
t "each pair of values has a row" pairwise
# all values of each column are in every third row, too
while read -r row; do
	# shellcheck disable=SC2086 # columns
	t "TCP with $row" cell $row
done < <(awk -v step="$(quick 3 1)" 'NR % step == 1 % step' <<<"$ROWS")
if [ "$(quick few all)" = all ]; then
	# shellcheck disable=SC2046 # numbers
	t "every fourth size, IPv4" sizes 4 $(seq 1280 4 1500)
	# shellcheck disable=SC2046
	t "every fourth size, IPv6" sizes 6 $(seq 1282 4 1500)
fi
run_theme

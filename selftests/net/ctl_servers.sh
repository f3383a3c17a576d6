#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The agent of several servers, which fail, return and move.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
# The site is that of lib/conf.sh, with a second server.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck disable=SC2119 # nothing is passed on
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/conf.sh
. "$NET_DIR/lib/conf.sh"
# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck source=selftests/net/lib/agent.sh
. "$NET_DIR/lib/agent.sh"

TOOLS+=(mptund)

theme_setup() {
	site
	second
}

# second: another server, d, behind b: the same file, and another address
second() {
	hosts d
	cable d b to-d
	ipn d address add 198.51.100.9/32 dev lo
	ipn d route add default via "$(addr b to-d)"
	ipn b route add 198.51.100.9 via "$(addr d to-d)"
}

# second_up [LINE...]: with these lines in [Interface]
second_up() {
	mkdir -p "$TMP/etc/d"
	{
		sed 's,site,../site,' "$TMP/etc/server.conf"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$TMP/etc/d/mp0.conf"
	ctl d up "$TMP/etc/d/mp0.conf"
}

second_down() {
	ctl d down "$TMP/etc/d/mp0.conf"
}

# first_down: the server at b is stopped
first_down() {
	ctl b down "$TMP/etc/b/mp0.conf"
}

# lead ADDRESS: both paths lead to this server, and are up
lead() {
	peer_is wan1 "$1" && peer_is wan2 "$1"
}

# served SERVERS [LINE...]: the file of a, for these servers
served() {
	local servers=$1

	shift
	{
		printf '%s\n' '[Interface]' 'KeyFile = site.key' \
			'Address = 10.7.0.2/24' 'Uplinks = wan2' \
			"Server = $servers" \
			"OnServer = echo \$MPTUN_EVENT %i \$MPTUN_SERVER \$MPTUN_REASON >>$TMP/hooks" \
			"$@"
		cat <<-END

			[Path wan1]
			Dev = wan1
			Gateway = 10.1.1.1
			Weight = 3

			[Path *]
			Weight = 2
		END
	} | conf mp0
	rm -f "$TMP/hooks"
}

# pings_lost SECONDS CMD...: how many of the pings per second are lost while CMD
# runs, and for these seconds; sets LOST
pings_lost() {
	local seconds=$1 pinger

	shift
	bg a ping -n -q -i 0.05 10.7.0.1
	pinger=$BG
	"$@"
	sleep "$seconds"
	kill -INT "$pinger"
	bg_wait "$pinger" || :
	LOST=$(awk '/packets transmitted/ { print $1 - $4 }' <<<"$BG_OUT")
}

# trial: name of the tunnel of a trial, if there is one
trial() {
	ipn a -j link show type mptun |
		jq -r '.[].ifname | select(startswith("mptry"))'
}

# trial_is STATE: the path of a trial is in this state
trial_is() {
	[ "$(ctl a path show "$(trial)" -j | jq -r '.[-1].state')" = "$1" ]
}

# both_return: the preferred server comes back
both_return() {
	server
	wait_for 60 lead 198.51.100.7
}

# a server fails, another one takes over, and the first one returns
test_servers() {
	local begin

	ready
	served '198.51.100.7, 198.51.100.9'
	up
	agent
	wait_for 10 lead 198.51.100.7
	eq "weight" "$(path_json a mp0 wan1 .weight)" 3
	second_up
	first_down
	begin=$(now_ms)
	wait_for 30 lead 198.51.100.9
	begin=$(($(now_ms) - begin))
	figure "a server fails, until both paths are up at the next" "$begin" ms
	timely "fail-over" "$begin <= 8000"
	on a ping -n -q -c 2 -W 1 10.7.0.1
	said "server 198.51.100.7 does not answer, the paths move to 198.51.100.9"
	# trials fail, and cost no packet
	flow_start a d 10.7.0.1 1000 8
	sleep 2
	sync
	kill -KILL "$AGENT"
	sleep 1
	agent
	said "the paths lead to server 198.51.100.9"
	flow_end
	eq "lost" "$(flow .lost)" 0
	lead 198.51.100.9
	# it returns, and hardly a packet is lost
	pings_lost 1 both_return
	figure "the first server returns, packets lost at 20 per second" \
		"$LOST" packets
	timely "lost" "$LOST <= 20"
	said "server 198.51.100.7 answers again, the paths return to it"
	# once each
	printf 'server mp0 198.51.100.%s\n' '9 timeout' '7 preferred' |
		diff - "$TMP/hooks" || fail "other hooks"
	eq "trial" "$(trial)" ""
	# the next agent begins there
	agent_end
	agent
	not said "the paths lead to server"
	second_down
	end
}

# fail_over: the agent of two servers, the first of which is stopped
fail_over() {
	ready
	served '198.51.100.7, 198.51.100.9'
	up
	agent
	wait_for 10 lead 198.51.100.7
	second_up
	first_down
	wait_for 30 lead 198.51.100.9
}

# not_taken: packets of the server that the tunnel of a trial does not take
not_taken() {
	tun_json a "$(trial)" .drops.rx_not_allowed
}

# the server that a trial asks can send nothing through it
test_servers_trial() {
	fail_over
	server
	wait_for 90 trial_is up
	bg b ping -n -q -i 0.1 10.7.0.2
	sleep 2
	num "refused" "$(not_taken) >= 10"
	eq "taken" "$(ipn a -j -s link show "$(trial)" |
		jq '.[0].stats64.rx.packets')" 0
	wait_for 20 lead 198.51.100.7
	second_down
	end
}

# trials that others delete, or that are left
test_servers_left() {
	fail_over
	wait_for 5 trial_is new
	ipn a link del "$(trial)"
	server
	# the next one makes another
	wait_for 90 lead 198.51.100.7
	first_down
	wait_for 30 lead 198.51.100.9
	wait_for 5 trial_is new
	kill -KILL "$AGENT"
	sed -i -e 's/^Server.*/Server = 198.51.100.9/' -e '/^OnServer/d' \
		"$TMP/etc/mp0.conf"
	agent
	sleep 1
	eq "trial" "$(trial)" ""
	second_down
	end
}

# away, back: the network of the server at b fails, and returns
away() {
	ipn b address del 198.51.100.7/32 dev lo
	ipn b route add blackhole 198.51.100.7
}

back() {
	ipn b route del blackhole 198.51.100.7
	ipn b address add 198.51.100.7/32 dev lo
}

# both servers have known the client before, and its trials
test_servers_away() {
	local n

	ready
	served '198.51.100.7, 198.51.100.9'
	second_up
	up
	agent
	wait_for 10 lead 198.51.100.7
	for n in 1 2; do
		away
		wait_for 30 lead 198.51.100.9
		sleep 10
		back
		wait_for 90 lead 198.51.100.7
		sleep 10
	done
	lead 198.51.100.7
	# once each
	printf 'server mp0 198.51.100.%s\n' '9 timeout' '7 preferred' \
		'9 timeout' '7 preferred' | diff - "$TMP/hooks" ||
		fail "other hooks"
	second_down
	end
}

# a server, or a user, moves a path: it stays there
test_servers_roam() {
	fail_over
	ipn d address replace 198.51.100.10/32 dev lo
	ipn b route replace 198.51.100.10 via "$(addr d to-d)"
	ctl a path set mp0 wan1 remote 198.51.100.10
	ctl a path set mp0 wan2 remote 198.51.100.10
	wait_for 5 lead 198.51.100.10
	something
	lead 198.51.100.10
	# the next agent knows which server that is
	sleep 61
	kill -KILL "$AGENT"
	agent
	said "the paths lead to server 198.51.100.9"
	something
	lead 198.51.100.10
	# a path that others add leads to the server in use
	ctl a path del mp0 wan1
	ctl a path add mp0 wan1 remote 198.51.100.7 dev wan1
	wait_for 20 peer_is wan1 198.51.100.9
	peer_is wan2 198.51.100.10
	# the file counts when it is read again
	kill -HUP "$AGENT"
	wait_for 20 lead 198.51.100.9
	pings_lost 1 both_return
	second_down
	ipn b route del 198.51.100.10
	ipn d address del 198.51.100.10/32 dev lo
	end
}

# dead LINK..., alive LINK...: nothing arrives over an uplink, or all does
dead() {
	local wan

	for wan; do
		on "r-$wan" tc qdisc replace dev b root netem loss 100%
	done
}

alive() {
	local wan

	for wan; do
		# shellcheck disable=SC2086 # a list of words
		on "r-$wan" tc qdisc replace dev b root netem \
			${LINK_NETEM_B[$wan]}
	done
}

# uplinks without a network behind them are no reason to move
test_servers_dead() {
	local seconds

	ready
	served '198.51.100.7, 198.51.100.9'
	second_up
	up
	agent
	wait_for 10 lead 198.51.100.7
	bg a ping -q -i 0.2 10.7.0.1
	for seconds in 10 $(quick 30 400 10); do
		dead wan1 wan2
		sleep "$seconds"
		alive wan1 wan2
		wait_for 40 lead 198.51.100.7
	done
	sleep 5
	not said "does not answer, the paths move"
	[ ! -e "$TMP/hooks" ] || fail "$(<"$TMP/hooks")"
	eq "trial" "$(trial)" ""
	# one works: the server is known to be the one that fails
	dead wan1
	wait_for 10 not path_is a mp0 wan1 up
	first_down
	wait_for 30 peer_is wan2 198.51.100.9
	alive wan1
	wait_for 30 lead 198.51.100.9
	pings_lost 1 both_return
	second_down
	end
}

# first_path NAME: that is the first path of a
first_path() {
	[ "$(ctl a path show mp0 -j | first .name)" = "$1" ]
}

# a path that somebody has added is not tried, and keeps no other from it
test_servers_hand() {
	ready
	served '198.51.100.7, 198.51.100.9'
	up
	agent
	wait_for 10 lead 198.51.100.7
	ctl a path add mp0 hand remote 198.51.100.7 dev wan1
	ctl a path del mp0 wan1
	ctl a path del mp0 wan2
	wait_for 20 peer_is wan2 198.51.100.7
	wait_for 10 first_path hand
	second_up
	first_down
	wait_for 30 peer_is wan2 198.51.100.9
	second_down
	server
	end
}

# the trial has found the address of the preferred server, which is known by
# nobody any more
test_servers_found() {
	ready
	names_server
	printf 'one.test 198.51.100.7\n' >"$TMP/names"
	served 'one.test, 198.51.100.9' 'Resolver = 203.0.113.9'
	sed -i '/^\[Path wan1\]/,/^$/d; s/^Uplinks.*/Uplinks = wan*/' \
		"$TMP/etc/mp0.conf"
	up
	agent
	wait_for 10 lead 198.51.100.7
	second_up
	first_down
	wait_for 30 lead 198.51.100.9
	server
	wait_for 90 trial_is up
	known
	wait_for 20 said "server one.test answers again, the paths return to it"
	wait_for 5 lead 198.51.100.7
	second_down
	end
}

# without uplinks no server is to blame
test_servers_uplinks() {
	ready
	served '198.51.100.7, 198.51.100.9'
	second_up
	up
	agent
	wait_for 10 lead 198.51.100.7
	ipn a link set wan1 down
	ipn a link set wan2 down
	sleep 10
	not said "does not answer, the paths move"
	uplink_up wan1
	uplink_up wan2
	wait_for 20 lead 198.51.100.7
	# a file without the server in use
	sed -i 's/^Server.*/Server = 198.51.100.9, 198.51.100.7/' \
		"$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	sleep 2
	lead 198.51.100.7
	wait_for 30 lead 198.51.100.9
	sed -i 's/^Server.*/Server = 198.51.100.7, 198.51.100.8/' \
		"$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 30 lead 198.51.100.7
	second_down
	end
}

# servers with names, and one with a port of its own
test_servers_names() {
	ready
	names_server
	printf 'one.test 198.51.100.7\n' >"$TMP/names"
	served 'one.test, two.test:4800' 'Resolver = 203.0.113.9'
	sed -i '/^\[Path wan1\]/,/^$/d; s/^Uplinks.*/Uplinks = wan*/' \
		"$TMP/etc/mp0.conf"
	up
	agent
	wait_for 10 lead 198.51.100.7
	second_up "Port = 4800"
	first_down
	# its name is known late
	sleep 8
	printf 'two.test 198.51.100.9\n' >>"$TMP/names"
	wait_for 60 lead 198.51.100.9
	eq "port" "$(path_json a mp0 wan1 .remote_port)" 4800
	agent_end
	agent
	wait_for 5 said "the paths lead to server two.test:4800"
	lead 198.51.100.9
	pings_lost 1 both_return
	eq "port" "$(path_json a mp0 wan1 .remote_port)" 4725
	figure "a server with a name returns, packets lost at 20 per second" \
		"$LOST" packets
	timely "lost" "$LOST <= 20"
	second_down
	end
}

t "a server fails and returns" test_servers
t "a trial takes nothing of the server" test_servers_trial
t "trials that are deleted or left" test_servers_left
t "a server that was away returns" test_servers_away
t "paths that the peer or users move" test_servers_roam
t "uplinks that are dead" test_servers_dead
t "a path that somebody has added" test_servers_hand
t "the address that a trial has found" test_servers_found
t "servers, without uplinks, and in another file" test_servers_uplinks
t "servers with names" test_servers_names
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The agent: spares that join when a bound is not met, and leave again.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
# The site is that of lib/conf.sh.  wan2 is the spare.
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
}

# spare [LINE...]: the file of a, with these lines in [Interface]; wan2 is a
# spare of Uplinks
spare() {
	{
		printf '%s\n' '[Interface]' 'KeyFile = site.key' \
			'Address = 10.7.0.2/24' 'Uplinks = auto' "$@"
		cat <<-END

			[Path *2]
			Remote = 198.51.100.7
			Spare = on

			[Path *]
			Remote = 198.51.100.7
		END
	} | conf mp0
}

# spare_file [LINE...]: the same with two paths of the file
spare_file() {
	{
		printf '%s\n' '[Interface]' 'KeyFile = site.key' \
			'Address = 10.7.0.2/24' "$@"
		cat <<-END

			[Path wan1]
			Remote = 198.51.100.7
			Dev = wan1
			Gateway = 10.1.1.1

			[Path wan2]
			Remote = 198.51.100.7
			Dev = wan2
			Gateway = 10.2.1.1
			Spare = on
		END
	} | conf mp0
}

# start: the tunnel and its agent, with wan1 up and packets that need it
start() {
	up
	agent
	wait_state a mp0 wan1 up
	eq "paths" "$(names)" wan1
	bg a ping -q -i 0.5 10.7.0.1
	PING=$BG
}

# finish: nothing is left
finish() {
	bg_kill "$PING"
	end
}

# lines FILE N: it has N lines
lines() {
	[ "$(wc -l <"$1")" -eq "$2" ]
}

# joins WHAT CMD...: a spare is up within 2 s of what CMD has done to wan1, and
# within 1 s of the end of its path
joins() {
	local what=$1 begin down

	shift
	begin=$(now_ms)
	"$@"
	wait_for 10 said "path wan1 is down" || fail "wan1 is up"
	down=$(now_ms)
	wait_for 10 path_is a mp0 wan2 up || {
		cat "$TMP/bg.$AGENT"
		fail "$what: the spare has not joined"
	}
	figure "$what, until the spare is up" $(($(now_ms) - begin)) ms
	timely "$what" "$(now_ms) - $down <= 1000"
	wait_ping a 10.7.0.1
}

# leaves: the spare leaves a minute after wan1 is up again
leaves() {
	local begin

	wait_state a mp0 wan1 up
	begin=$(now_ms)
	sleep 55
	eq "paths" "$(names)" "wan1 wan2"
	wait_for 10 names_are wan1 || fail "the spare has not left"
	figure "until the spare leaves" $(($(now_ms) - begin)) ms
	said "spare wan2 leaves: the other paths have met MinPaths for 60 s"
	said "spare wan2 has no path any more"
	wait_ping a 10.7.0.1
}

# packets LINK: UDP packets that have crossed it, from the first call on
packets() {
	on "r-$1" nft -j list table ip spare 2>/dev/null |
		jq '[.. | .counter?.packets? // empty] | add' | grep . && return
	on "r-$1" nft -f - <<-END
		table ip spare {
			chain in {
				type filter hook prerouting priority 0
				udp dport 4725 counter
				udp sport 4725 counter
			}
		}
	END
}

# an uplink dies and returns; the spare has neither path nor rules meanwhile
test_spare_uplink() {
	ready
	rm -f "$TMP/hooks"
	spare "MinPaths = 1" \
		"OnPathUp = echo up \$MPTUN_PATH >>$TMP/hooks" \
		"OnPathDown = echo down \$MPTUN_PATH >>$TMP/hooks"
	start
	rules >"$TMP/rules"
	not grep -q wan2 "$TMP/rules"
	packets wan2
	sleep 30
	eq "packets of the spare" "$(packets wan2)" 0
	joins "an uplink dies" link_blackhole wan1
	said "spare wan2 joins: 0 paths work, MinPaths is 1"
	said "spare wan2 has path wan2 to 198.51.100.7"
	[[ $(rules) == *wan2* ]] || fail "no rules"
	link_heal wan1
	leaves
	eq "rules" "$(rules)" "$(<"$TMP/rules")"
	[ "$(packets wan2)" -gt 20 ] || fail "the spare was not used"
	on r-wan2 nft delete table ip spare
	wait_for 5 lines "$TMP/hooks" 5
	eq "commands" "$(xargs <"$TMP/hooks")" \
		"up wan1 down wan1 up wan2 up wan1 down wan2"
	# and again, by a device that goes down
	joins "a device goes down" ipn a link set wan1 down
	uplink_up wan1
	wait_state a mp0 wan1 up
	finish
}

# one of the file; syncconf and setconf leave it to the agent, and the next
# agent finds it
test_spare_file() {
	ready
	spare_file 'MinPaths = 1'
	start
	sync
	eq "paths" "$(names)" wan1
	joins "an uplink dies" link_blackhole wan1
	sync
	ctl a setconf "$TMP/etc/mp0.conf"
	eq "spare" "$(path_state a mp0 wan2)" up
	sed -i 's/^Spare.*/&\nWeight = 3/' "$TMP/etc/mp0.conf"
	sync
	eq "weight" "$(path_json a mp0 wan2 .weight)" 3
	kill -KILL "$AGENT"
	sleep 5
	eq "spare" "$(path_state a mp0 wan2)" up
	agent
	sleep 65
	eq "spare" "$(path_state a mp0 wan2)" up
	not said "spare wan2"
	link_heal wan1
	leaves
	finish
}

# a path that begins has some time, so that no start makes a spare join; one that
# does not come up has none for ever
test_spare_begins() {
	ready
	spare 'MinPaths = 1'
	start
	sleep 5
	not said "spare wan2 joins"
	bg_kill "$PING"
	agent_end
	down
	ipn b address del 198.51.100.7/32 dev lo
	up
	agent
	wait_for 10 said "spare wan2 joins: 0 paths work, MinPaths is 1"
	ipn b address add 198.51.100.7/32 dev lo
	leaves
	end
}

# the rate of the other paths is too small
test_spare_rate() {
	ready
	spare 'MinRate = 30mbit'
	start
	sleep 10
	not said "spare wan2 joins"
	flow_start a b 10.7.0.1 40000 20
	wait_for 18 path_is a mp0 wan2 up || {
		ctl a path show mp0
		fail "the spare has not joined"
	}
	said "spare wan2 joins: the paths that work have a rate of .*, MinRate is 30mbit"
	flow_end
	agent_end
	sed -i 's/30mbit/1mbit/' "$TMP/etc/mp0.conf"
	agent
	sleep 58
	wait_for 10 names_are wan1 || fail "the spare has not left"
	said "spare wan2 leaves: the other paths have met MinRate for 60 s"
	finish
}

# the bounds change, and what was a spare is none
test_spare_reload() {
	ready
	spare 'MinPaths = 1'
	start
	sed -i 's/^MinPaths.*/MinPaths = 2/' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	soon "a larger bound" wan2
	said "spare wan2 joins: 1 path works, MinPaths is 2"
	sed -i -e '/^MinPaths/d' -e '/^Spare/d' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	sleep 65
	eq "paths" "$(names)" "wan1 wan2"
	not said "spare wan2 leaves"
	sed -i 's/^Uplinks.*/&\nMinPaths = 1/' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 5 said "mp0.conf:5: MinPaths needs a path with Spare = on"
	finish
}

t "a spare of Uplinks joins and leaves" test_spare_uplink
t_full "a spare of the file, syncconf, and another agent" test_spare_file
t_full "paths that begin" test_spare_begins
t "a smallest rate" test_spare_rate
t "a reload changes bounds and spares" test_spare_reload
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The agent: uplinks that come, go and change, names, data caps and metrics.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
# The site is that of lib/conf.sh.  From the moment at which the machine has what
# a path needs, that path is up within 2 s.
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

theme_setup() {
	site
	# the first VRF makes rules that stay
	ipn a link add red type vrf table 99
	ipn a link del red
}

test_appears() {
	ready
	no_default wan2
	on a sysctl -qw net.ipv4.conf.wan2.rp_filter=1
	client 'Routes = default'
	up
	agent
	wait_state a mp0 wan1 up
	eq "paths" "$(names)" wan1
	site_default wan2
	soon "a default route appears" wan2
	# with its gateway, for its device and its address
	[[ $(ipn a route get 203.0.113.9 oif wan2) == *" via 10.2.1.1 "* ]]
	[[ $(ipn a route get 203.0.113.9 from "$(addr a wan2)") == \
		*" via 10.2.1.1 dev wan2 table "* ]] || fail "no source routing"
	no_default wan2
	wait_for 10 names_are wan1
	[[ $(rules) != *wan2* ]] || fail "rules of wan2 are left"
	site_default wan2
	soon "it returns" wan2
	on a sysctl -qw net.ipv4.conf.wan2.rp_filter=0
	end
}

# its path stays, with its way, and no packet is lost
test_gap() {
	begin 'Routes = default'
	rules >"$TMP/rules"
	flow_start a b 10.7.0.1 1000 10
	no_default wan2
	sleep 2
	rules | diff "$TMP/rules" - || fail "other rules"
	site_default wan2
	flow_end
	eq "paths" "$(names)" "wan1 wan2"
	eq "lost" "$(flow .lost)" 0
	not said "uplink wan2 is gone"
	end
}

# only IPv6, or a table of its own, makes an uplink as well
test_families() {
	ready
	no_default wan2
	ipn a route del default dev wan1
	REMOTE=2001:db8::7 client
	up
	agent
	wait_state a mp0 wan1 up
	ipn a -6 route add default via fd00:2:1::1 dev wan2 table 77
	soon "a route in a table" wan2
	ipn a -6 route del default dev wan2 table 77
	wait_for 10 names_are wan1
	# an IPv4 route is of no use for this server
	ipn a route add default via 10.2.1.1 dev wan2 metric 2
	never_for 1 not names_are wan1
	site_default wan1
	site_default wan2
	both
	end
}

# what is no uplink gets no path
test_never() {
	local dev n=70

	ready
	ipn a link add dum0 type dummy
	ipn a link add red type vrf table 99
	ipn a link add ipip9 type ipip local 10.1.1.2 remote 10.1.1.9
	ipn a link add br0 type bridge
	for dev in "${NO_UPLINKS[@]}"; do
		ipn a link set "$dev" up
	done
	ipn a address add 192.0.2.1/24 dev br0
	client "Uplinks = !lan" "Table = main" "Routes = default"
	up
	agent
	both
	for dev in dum0 red ipip9; do
		ipn a route add default dev "$dev" metric $((++n))
	done
	ipn a route add default dev lan metric 80
	never_for 1 not names_are wan1 wan2
	# one that leads to a router is an uplink
	ipn a route add default via 192.0.2.9 dev br0 metric 90
	wait_for 10 names_are br0 wan1 wan2
	drop_links
	ipn a route del default dev lan metric 80
	wait_for 10 names_are wan1 wan2
	end
}

# names choose, and sections give settings
test_patterns() {
	ready
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Uplinks = wan*, !wan1

		[Path *2]
		Remote = 198.51.100.7
		Backup = on
	END
	up
	agent
	wait_state a mp0 wan2 up
	eq "backup" "$(path_json a mp0 wan2 .backup)" true
	eq "paths" "$(names)" wan2
	sed -i -e 's/, !wan1//' -e 's/\*2/*/' -e '/Backup/d' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	both
	wait_for 5 said "path wan2 has other settings"
	eq "backup" "$(path_json a mp0 wan2 .backup)" false
	# what is set by hand stays
	ctl a path set mp0 wan2 weight 7
	no_default wan1
	wait_for 10 names_are wan2
	site_default wan1
	both
	eq "weight" "$(path_json a mp0 wan2 .weight)" 7
	end
}

# no_way_to NETWORK: no route of the tunnel leads there
no_way_to() {
	[[ $(ipn a route show table all proto 47) != *"$1"* ]]
}

# rule_from ADDRESS: packets from there take the gateway of an uplink
rule_from() {
	[[ $(rules) == *"from $1 lookup"* ]]
}

test_address() {
	begin 'Routes = default'
	ipn a address del "$(addr a wan1)/24" dev wan1
	sleep 1
	ipn a address add 10.1.1.7/24 dev wan1
	link_routes wan1 A
	site_default wan1
	soon "a new address" wan1
	wait_for 5 rule_from 10.1.1.7 || fail "$(rules)"
	not rule_from "$(addr a wan1)"
	ipn a address del 10.1.1.7/24 dev wan1
	# another network
	ipn r-wan1 address add 10.99.1.1/24 dev a
	ipn b route add 10.99.1.0/24 via 10.1.2.1 dev wan1
	ipn a address add 10.99.1.7/24 dev wan1
	ipn a route replace default via 10.99.1.1 dev wan1 metric 1
	soon "an address of another network" wan1
	wait_for 5 no_way_to 10.1.1.0/24
	ipn a address del 10.99.1.7/24 dev wan1
	ipn r-wan1 address del 10.99.1.1/24 dev a
	ipn b route del 10.99.1.0/24
	link_address wan1 A
	link_routes wan1 A
	site_default wan1
	soon "the old address" wan1
	end
}

# a modem is pulled and put back: another device of the same name
test_device() {
	begin
	flow_start a b 10.7.0.1 1000 4
	ipn a link del wan1
	wait_for 10 names_are wan2
	join a wan1 r-wan1 a
	ip -n "$NSP-r-wan1" -batch - <<-END
		address add 10.1.1.1/24 dev a
		address add fd00:1:1::1/64 dev a nodad
	END
	# shellcheck disable=SC2086 # a list of words
	on r-wan1 tc qdisc add dev a root netem ${LINK_NETEM_A[wan1]}
	link_address wan1 A
	link_routes wan1 A
	site_default wan1
	soon "another device" wan1
	flow_end
	timely "lost" "$(flow .lost) <= 5"
	end
}

# a point-to-point link has no gateway
test_direct() {
	begin
	on r-wan2 sysctl -qw net.ipv4.conf.a.proxy_arp=1
	ipn a link set wan2 down
	wait_for 10 names_are wan1
	ipn a link set wan2 name ppp0
	ipn a address flush dev ppp0
	ipn a address add 10.2.1.2 peer 10.2.1.1/32 dev ppp0
	ipn a link set ppp0 up
	ipn a route add default dev ppp0 metric 2
	soon "a link without gateway" ppp0
	[[ $(ipn a route show table all dev ppp0) == \
		*"default table "*" proto 47 scope link"* ]]
	ipn a link set ppp0 down
	ipn a address flush dev ppp0
	ipn a link set ppp0 name wan2
	uplink_up wan2
	soon "the device has its name again" wan2
	on r-wan2 sysctl -qw net.ipv4.conf.a.proxy_arp=0
	end
}

# the route to the gateway of a path of the file is set again
test_gateway() {
	ready
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
		Gateway = 10.1.1.1
	END
	no_default wan1
	no_default wan2
	up
	agent
	wait_state a mp0 one up
	ipn a link set wan1 down
	wait_for 5 not path_is a mp0 one up
	ipn a link set wan1 up
	link_address wan1 A
	soon "its device is up again" one
	link_routes wan1 A
	site_default wan1
	site_default wan2
	end
}

# routes: those in the tables of uplinks
routes() {
	ipn a route show table all proto 47
	ipn a -6 route show table all proto 47
}

# gateways: rules and routes are still those of $TMP/rules and $TMP/routes
gateways() {
	rules | diff "$TMP/rules" - || fail "other rules"
	routes | diff "$TMP/routes" - || fail "other routes"
}

# the file changes, and only syncconf knows
test_gateway_sync() {
	ready
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
		Gateway = 10.1.1.1
	END
	no_default wan1
	no_default wan2
	up
	agent
	wait_state a mp0 one up
	cat >>"$TMP/etc/mp0.conf" <<-END

		[Path two]
		Remote = 198.51.100.7
		Dev = wan2
		Gateway = 10.2.1.1
	END
	sync
	wait_state a mp0 two up
	rules >"$TMP/rules"
	routes >"$TMP/routes"
	something
	gateways
	# not even that yet
	sed -i 's/10\.2\.1\.1$/10.2.1.9/' "$TMP/etc/mp0.conf"
	something
	gateways
	# a file that is wrong
	sed -i 's/^Gateway/Gatewa/' "$TMP/etc/mp0.conf"
	something
	something
	gateways
	eq "messages" \
		"$(grep -c "as it was before stays in use" "$TMP/bg.$AGENT")" 1
	sed -i -e 's/^Gatewa/Gateway/' -e 's/10\.2\.1\.9$/10.2.1.1/' \
		"$TMP/etc/mp0.conf"
	agent_end
	site_default wan1
	site_default wan2
	down
	clean
}

# syncconf and setconf leave the paths of uplinks alone
test_sync() {
	begin
	rules >"$TMP/rules"
	flow_start a b 10.7.0.1 1000 2
	client 'Hold = 100ms'
	sync
	eq "hold" "$(tun_json a mp0 .hold)" 100000
	ctl a setconf "$TMP/etc/mp0.conf"
	eq "paths" "$(names)" "wan1 wan2"
	flow_end
	eq "lost" "$(flow .lost)" 0
	rules | diff "$TMP/rules" - || fail "other rules"
	agent_end
	sed -i -e '/^Uplinks/d' -e '/Path/,$d' "$TMP/etc/mp0.conf"
	sync
	eq "paths" "$(names)" ""
	eq "rules" "$(rules)" ""
	down
	clean
}

# rules_are FILE: the rules are those of the file; those of one priority have no
# order
rules_are() {
	rules | sort | cmp -s "$1" -
}

# rules of the main table that others delete come back, and go with the tunnel
test_rules_deleted() {
	local v

	ready
	client 'Routes = default'
	up
	agent
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	rules | sort >"$TMP/rules"
	for v in -4 -6; do
		while ipn a "$v" rule delete table main suppress_prefixlength 0; do
			:
		done 2>/dev/null
	done
	wait_for 2 rules_are "$TMP/rules"
	end
}

# under traffic, which notices nothing; the next one begins where it ended
test_killed() {
	local instance

	begin 'Routes = default'
	instance=$(tun_json a mp0 .instance)
	state >"$TMP/state"
	flow_start a b 10.7.0.1 2000 5
	kill -KILL "$AGENT"
	sleep 1
	agent
	sleep 1
	state | diff "$TMP/state" - || fail "it has changed something"
	not said "uplink .* has path"
	kill -KILL "$AGENT"
	no_default wan2
	sleep 1
	eq "paths" "$(names)" "wan1 wan2"
	agent
	wait_for 10 names_are wan1
	site_default wan2
	soon "a route" wan2
	flow_end
	eq "lost" "$(flow .lost)" 0
	eq "instance" "$(tun_json a mp0 .instance)" "$instance"
	end
}

# the tunnel goes and comes while the agent runs
test_tunnel_gone() {
	begin 'Routes = default'
	down
	wait_for 5 said "mp0 is gone"
	sleep 1
	clean
	up
	soon "up" wan1
	soon "up" wan2
	# by hand
	ipn a link del mp0
	sleep 1
	[[ $(rules) != *"oif wan"* ]] || fail "rules are left"
	down
	clean
	agent_end
}

# it works on in another network namespace, and by another name
test_tunnel_moved() {
	begin 'Routes = default'
	rules >"$TMP/rules"
	ipn a link set mp0 netns "$NSP-c"
	wait_for 5 said "mp0 has left for another network namespace"
	rules | diff "$TMP/rules" - || fail "other rules"
	ipn c link set mp0 netns "$NSP-a"
	ipn a link set mp0 up
	both
	ipn a link set mp0 down
	ipn a link set mp0 name other0
	wait_for 5 said "mp0 is called other0 now"
	rules | diff "$TMP/rules" - || fail "other rules"
	ipn a link set other0 name mp0
	ipn a link set mp0 up
	both
	end
}

# again: both ends are set up again, after the module was loaded again
again() {
	down
	ctl b down "$TMP/etc/b/mp0.conf"
	module_unload
	module_load
	server
	up
}

# its family has another number then, also if the agent has not seen that the
# tunnel was gone
test_module() {
	local codes modprobe

	begin 'Metrics = 9100'
	down
	ctl b down "$TMP/etc/b/mp0.conf"
	module_unload
	wait_for 5 said "mp0 is gone"
	# nor can the kernel load it
	modprobe=$(</proc/sys/kernel/modprobe)
	echo /bin/false >/proc/sys/kernel/modprobe
	codes=$(for _ in 1 2 3; do
		status http://127.0.0.1:9100/metrics || :
		echo
	done | xargs)
	echo "$modprobe" >/proc/sys/kernel/modprobe
	eq "without module" "$codes" "503 503 503"
	not said "the kernel has no mptun"
	module_load
	server
	up
	soon "the module was loaded" wan1
	both
	kill -STOP "$AGENT"
	again
	kill -CONT "$AGENT"
	soon "it has slept meanwhile" wan1
	both
	# events of paths come from the new one
	no_default wan1
	wait_for 10 names_are wan2
	tail -n 2 "$TMP/bg.$AGENT" | grep -q "path wan1 is down, it is deleted"
	site_default wan1
	both
	end
}

# names_of_mp1 NAME...
names_of_mp1() {
	[ "$(names mp1)" = "$*" ]
}

# two tunnels with two agents, and one takes nothing of the other
test_two() {
	begin
	rules >"$TMP/rules"
	(umask 077 && mptunctl key gen >"$TMP/etc/other.key")
	sed -e 's/^KeyFile.*/KeyFile = ..\/other.key\nPort = 4800/' \
		-e 's/10\.7/10.8/' -e 's/fd07/fd08/' \
		"$TMP/etc/b/mp0.conf" >"$TMP/etc/b/mp1.conf"
	ctl b up "$TMP/etc/b/mp1.conf"
	sed -e 's/^KeyFile.*/KeyFile = other.key\nPort = 4800/' \
		-e 's/10\.7/10.8/' -e 's/^Remote.*/&\nPort = 4800/' \
		"$TMP/etc/mp0.conf" >"$TMP/etc/mp1.conf"
	ctl a up "$TMP/etc/mp1.conf"
	bg a mptund "$TMP/etc/mp1.conf"
	wait_state a mp1 wan1 up
	wait_state a mp1 wan2 up
	no_default wan2
	wait_for 10 names_are wan1
	wait_for 10 names_of_mp1 wan1
	site_default wan2
	soon "a route" wan2
	wait_state a mp1 wan2 up
	bg_kill "$BG"
	cat "$TMP/bg.$BG"
	ctl a down "$TMP/etc/mp1.conf"
	ctl b down "$TMP/etc/b/mp1.conf"
	rules | sort | diff <(sort "$TMP/rules") - || fail "rules of mp0"
	both
	end
}

# asked [N]: who has asked the resolver, from the Nth query on
asked() {
	awk -v "from=${1:-1}" 'NR >= from { print $1 }' "$TMP/bg.$DNS" |
		sort -u | xargs
}

# moves FROM TO: the server has another address
moves() {
	ipn b address add "$2/32" dev lo
	ipn b address del "$1/32" dev lo
	known "$2"
}

# the default route and the resolver lie in the tunnel, and a kill switch holds
test_name() {
	local begin queries

	ready
	names_server 198.51.100.7
	UPLINKS='wan*' REMOTE=vpn.test client 'Routes = default' \
		'Resolver = 203.0.113.9' 'KillSwitch = on'
	up
	agent
	both
	eq "who has asked" "$(asked)" "$(addr a wan1) $(addr a wan2)"
	not on a ping -n -q -c 1 -W 1 -I wan1 203.0.113.9
	queries=$(wc -l <"$TMP/bg.$DNS")
	bg a ping -q -i 0.1 10.7.0.1
	moves 198.51.100.7 198.51.100.8
	begin=$(now_ms)
	wait_for 10 not path_is a mp0 wan1 up
	figure "the server moves, until a path is down" \
		"$(($(now_ms) - begin))" ms
	begin=$(now_ms)
	wait_for 10 peer_is wan1 198.51.100.8
	wait_for 10 peer_is wan2 198.51.100.8
	begin=$(($(now_ms) - begin))
	figure "a path is down, until both have the new address" "$begin" ms
	timely "after it is down" "$begin <= 2000"
	on a ping -n -q -c 2 -W 1 203.0.113.9
	eq "who has asked" "$(asked $((queries + 1)))" \
		"$(addr a wan1) $(addr a wan2)"
	moves 198.51.100.8 198.51.100.7
	wait_for 20 peer_is wan1 198.51.100.7
	wait_for 20 peer_is wan2 198.51.100.7
	agent_end
	down
	clean
}

# a name that is known late, and with an address that is of no use
test_name_late() {
	ready
	names_server
	REMOTE=vpn.test client 'Resolver = 203.0.113.9'
	up
	agent
	wait_for 5 said "vpn.test cannot be looked up for path wan1: Domain name not found"
	sleep 20
	eq "paths" "$(names)" ""
	num "look-ups in 20 s" "$(grep -c . "$TMP/bg.$DNS") <= 24"
	# the domains of the machine may be those of the tunnel
	eq "names" "$(awk '{ print $3 }' "$TMP/bg.$DNS" | sort -u)" vpn.test
	# what filters and captive portals answer
	known 0.0.0.0 127.0.0.1 :: ::1
	wait_for 90 said "path wan1: no host has such an address"
	eq "paths" "$(names)" ""
	known 0.0.0.0 2001:db8::8 198.51.100.7
	wait_for 90 names_are wan1 wan2
	wait_for 5 peer_is wan1 198.51.100.7
	wait_for 5 peer_is wan2 198.51.100.7
	end
}

# a path whose predecessor of the same name still drains
test_name_replaced() {
	local begin

	ready
	names_server 198.51.100.7
	REMOTE=vpn.test client 'Resolver = 203.0.113.9'
	up
	agent
	both
	ctl a path del mp0 wan1
	ctl a path add mp0 wan1 remote 198.51.100.77 dev wan1
	begin=$(now_ms)
	wait_for 10 peer_is wan1 198.51.100.7
	timely "until it is looked up" "$(($(now_ms) - begin)) <= 4000"
	end
}

# an uplink without gateway, on a machine that names no resolver
test_name_unknown() {
	ready
	no_default wan1
	no_default wan2
	ipn a route add default dev wan2
	REMOTE=vpn.test client
	up
	# shellcheck disable=SC2016 # for the other shell
	agent unshare -m sh -c 'mount -t tmpfs none /etc &&
		mount -t tmpfs none /run && exec "$0" "$@"'
	wait_for 5 said "no resolver is known for uplink wan2, see Resolver"
	sleep 10
	eq "messages" "$(grep -c "wan2, see Resolver" "$TMP/bg.$AGENT")" 1
	not said "cannot be looked up"
	ipn a route del default dev wan2
	site_default wan1
	site_default wan2
	end
}

# a path of the file, which up has looked up
test_name_given() {
	ready
	names_server 198.51.100.7
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Address = 10.7.0.2/24
		Resolver = 203.0.113.9

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
		Weight = 3
	END
	up
	sed -i 's/^Remote.*/Remote = vpn.test/' "$TMP/etc/mp0.conf"
	agent
	wait_state a mp0 one up
	bg a ping -q -i 0.1 10.7.0.1
	moves 198.51.100.7 198.51.100.8
	wait_for 20 peer_is one 198.51.100.8
	eq "weight" "$(path_json a mp0 one .weight)" 3
	moves 198.51.100.8 198.51.100.7
	wait_for 20 peer_is one 198.51.100.7
	end
}

# the file has another peer, which works while the present one does, too
test_reload() {
	begin
	names_server 198.51.100.7
	ipn b address add 198.51.100.8/32 dev lo
	sed -i 's/^Remote.*/Remote = 198.51.100.8/' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 5 peer_is wan1 198.51.100.8
	wait_for 5 peer_is wan2 198.51.100.8
	sed -i -e 's/^Remote.*/Remote = vpn.test/' \
		-e 's/^Uplinks/Resolver = 203.0.113.9\n&/' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 5 peer_is wan1 198.51.100.7
	wait_for 5 peer_is wan2 198.51.100.7
	# it is asked once, and stays
	eq "queries" "$(wc -l <"$TMP/bg.$DNS")" 4
	known 198.51.100.8
	never_for 3 not peer_is wan1 198.51.100.7
	eq "queries" "$(wc -l <"$TMP/bg.$DNS")" 4
	# a file that is wrong
	sed -i 's/^Uplinks/Uplink/' "$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 5 said "the file as it was before stays in use"
	both
	sed -i 's/^Uplink /Uplinks /' "$TMP/etc/mp0.conf"
	end
}

# what is set by hand stays, though a setting of another path is refused
test_reload_once() {
	begin
	sed -i 's/^\[Path \*\]/[Path *2]\nRemote = 198.51.100.7\nCc = nosuch\n\n&/' \
		"$TMP/etc/mp0.conf"
	kill -HUP "$AGENT"
	wait_for 5 said "no congestion controller of this name"
	ctl a path set mp0 wan1 weight 7
	sleep 8
	eq "weight" "$(path_json a mp0 wan1 .weight)" 7
	end
}

# hooks_are N: that is how many commands have run
hooks_are() {
	[ "$(wc -l <"$TMP/hooks")" = "$1" ]
}

test_hooks() {
	rm -f "$TMP/hooks"
	begin "OnPathUp = echo \$MPTUN_EVENT %i \$MPTUN_PATH \$MPTUN_DEV \$MPTUN_REMOTE \$MPTUN_STATE >>$TMP/hooks" \
		"OnPathDown = echo \$MPTUN_EVENT \$MPTUN_TUNNEL \$MPTUN_PATH \$MPTUN_REASON >>$TMP/hooks; exit 3"
	wait_for 5 hooks_are 2
	grep -qx 'path-up mp0 wan1 wan1 198.51.100.7:4725 up' "$TMP/hooks"
	grep -qx 'path-up mp0 wan2 wan2 198.51.100.7:4725 up' "$TMP/hooks"
	ipn a link set wan2 down
	wait_for 5 said "a command of the file has failed with status 3"
	grep -Eqx 'path-down mp0 wan2 (carrier|route|address)' "$TMP/hooks"
	uplink_up wan2
	wait_for 5 hooks_are 4
	# also if the path goes with the default route
	no_default wan1
	wait_for 10 hooks_are 5
	tail -n 1 "$TMP/hooks" | grep -q '^path-down mp0 wan1 '
	site_default wan1
	both
	wait_for 5 hooks_are 6
	# and with the tunnel
	down
	wait_for 5 hooks_are 8
	tail -n 2 "$TMP/hooks" | sort | cut -d' ' -f 1-3 |
		diff <(printf 'path-down mp0 %s\n' wan1 wan2) -
	agent_end
	clean
}

# a path that is up before the agent begins
test_hooks_before() {
	ready
	rm -f "$TMP/hooks"
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		OnPathUp = echo \$MPTUN_PATH \$MPTUN_STATE >>$TMP/hooks

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
		Gateway = 10.1.1.1
	END
	up
	wait_state a mp0 one up
	agent
	wait_for 5 hooks_are 1
	eq "hooks" "$(<"$TMP/hooks")" "one up"
	something
	hooks_are 1
	end
}

# woken: how often the agent has waited
woken() {
	awk '/^voluntary_ctxt/ { print $2 }' "/proc/$AGENT/status"
}

# a routing daemon does not wake it
test_other_routes() {
	local n before what

	begin
	sleep 5
	before=$(woken)
	for what in add del; do
		for ((n = 0; n < 50; n++)); do
			echo "route $what 10.200.$n.0/24 via 10.1.1.1"
		done
		echo "route $what fd99::/64 via fd00:1:1::1"
	done | ipn a -batch -
	sleep 1
	eq "wakes" "$(woken)" "$before"
	no_default wan2
	wait_for 10 names_are wan1
	num "wakes" "$(woken) > $before"
	site_default wan2
	both
	end
}

# the file of the guide, with other names
test_guide() {
	ready
	guide block "Uplinks that come and go" 1 |
		sed -e 's/vpn.example.org/198.51.100.7/' -e 's/wwan/wan2/' |
		conf mp0
	up
	agent
	both
	eq "backup" "$(path_json a mp0 wan1 .backup)" false
	eq "backup" "$(path_json a mp0 wan2 .backup)" true
	on c ping -n -q -c 2 -W 1 203.0.113.9
	end
}

# bounce LINK N: something happens to an uplink, and it returns
bounce() {
	case $(($2 % 4)) in
	0)
		no_default "$1"
		sleep 0.$((RANDOM % 10))
		;;
	1)
		ipn a link set "$1" down
		sleep 0.$((RANDOM % 10))
		ipn a link set "$1" up
		;;
	2)
		ipn a address flush dev "$1" scope global
		sleep 0.$((RANDOM % 10))
		;;
	3)
		kill -KILL "$AGENT"
		no_default "$1"
		;;
	esac
	link_address "$1" A
	link_routes "$1" A
	site_default "$1"
	[ $(($2 % 4)) -ne 3 ] || agent
}

# resources: memory and files of the agent
resources() {
	awk '/^VmRSS/ { print $2 }' "/proc/$AGENT/status"
	find "/proc/$AGENT/fd" -type l | wc -l
}

# what comes and goes at random leaves nothing
test_bounces() {
	local n before after wan rounds

	rounds=$(quick 24 2000 8)
	begin 'Routes = default'
	state >"$TMP/state"
	read -rd '' -a before < <(resources) || :
	for ((n = 0; n < rounds; n++)); do
		wan=wan$((1 + RANDOM % 2))
		bounce "$wan" "$n"
		soon "round $n" "$wan" 3>/dev/null
	done
	both
	sleep 1
	state | diff "$TMP/state" - || fail "rules and routes"
	read -rd '' -a after < <(resources) || :
	figure "memory of the agent" "${after[0]}" kB
	eq "files" "${after[1]}" "${before[1]}"
	end
}

# capped: the file of a, whose uplinks have a cap of 5 MB each
capped() {
	client "OnCap = echo \$MPTUN_EVENT %i \$MPTUN_PATH \$MPTUN_DEV \$MPTUN_CAP \$MPTUN_USED >>$TMP/hooks"
	printf '%s\n' 'Cap = 5mb' 'CapReset = 15' >>"$TMP/etc/mp0.conf"
	rm -f "$TMP/hooks"
}

# used PATH: what counts against its cap
used() {
	path_json a mp0 "$1" .used
}

# used_from PATH BYTES: that much or a little more
used_from() {
	local is

	is=$(used "$1")
	[ "$is" -ge "$2" ] && [ "$is" -le $(($2 + 100000)) ]
}

# noted PATH FILTER: what the agent has written down
noted() {
	jq ".paths.$1$2" "$TMP/var/mp0.json"
}

# again_used WHAT BYTES: both paths are up, and wan1 has its count
again_used() {
	both
	wait_for 5 used_from wan1 "$2" ||
		fail "$1: wan1 has used $(used wan1), not $2"
}

# what was used outlives the path, the device, the agent and the tunnel
test_cap() {
	local was

	ready
	capped
	up
	agent
	both
	ctl a path set mp0 wan1 used 3mb
	something
	no_default wan1
	wait_for 10 names_are wan2
	site_default wan1
	again_used "another path" 3000000
	was=$(used wan1)
	kill -KILL "$AGENT"
	agent
	something
	again_used "another agent" "$was"
	agent_end
	eq "noted" "$(noted wan1 '.used >= 3000000')" true
	was=$(used wan1)
	down
	up
	agent
	again_used "after a reboot" "$was"
	# set by hand
	ctl a path set mp0 wan1 used 1mb
	something
	again_used "by hand" 1000000
	# it is reached, which is reported once
	ctl a path set mp0 wan1 used 5mb
	wait_for 5 said "path wan1 has reached its cap of 5"
	wait_for 5 [ -s "$TMP/hooks" ]
	grep -Eqx 'cap mp0 wan1 wan1 5000000 5[0-9]{6}' "$TMP/hooks"
	no_default wan1
	wait_for 10 names_are wan2
	site_default wan1
	wait_for 10 used_from wan1 5000000
	something
	eq "hooks" "$(wc -l <"$TMP/hooks")" 1
	eq "state" "$(path_json a mp0 wan1 .cap_state)" reached
	# a file that is damaged
	agent_end
	echo '{ "paths": { "wan1"' >"$TMP/var/mp0.json"
	agent
	said "mp0.json is damaged, so it is left out"
	end
}

# the last count of a path that the agent deletes, and one that others replace
test_cap_replaced() {
	ready
	capped
	up
	agent
	both
	something
	# the look finds no uplink any more, so only the last event has the count
	ctl a path set mp0 wan1 used 2mb
	no_default wan1
	wait_for 10 names_are wan2
	site_default wan1
	again_used "its uplink was gone" 2000000
	# the old path ends long after the new one of its name was added
	ctl a path set mp0 wan1 used 2500kb
	ctl a path del mp0 wan1
	ctl a path add mp0 wan1 remote "198.51.100.7" dev wan1 cap 5mb
	again_used "another one was added" 2500000
	sleep 10
	something
	again_used "the old one has ended" 2500000
	eq "noted" "$(noted wan1 '.used < 2700000')" true
	end
}

# clock DATE: the clock of the machine jumps
clock() {
	date -s "$1" >/dev/null
}

# the month ends on its day, by a clock that can be right
test_cap_month() {
	local before

	virtual_time || skip "it sets the clock of the machine"
	before=$(date +%s)
	ready
	clock '2027-01-31 12:00'
	capped
	sed -i 's/^CapReset.*/CapReset = 31/' "$TMP/etc/mp0.conf"
	up
	agent
	both
	ctl a path set mp0 wan1 used 2mb
	# nothing synchronizes it
	sleep 300
	something
	eq "month" "$(noted wan1 .since)" null
	sleep 400
	eq "month" "$(noted wan1 .since)" 20270131
	used_from wan1 2000000
	# it jumps ahead, and back
	clock '2031-05-05 12:00'
	sleep 300
	clock '2027-01-31 14:00'
	sleep 700
	used_from wan1 2000000
	# no clock at boot
	clock '1971-01-01'
	sleep 700
	eq "month" "$(noted wan1 .since)" 20270131
	used_from wan1 2000000
	# the last day of a short month
	clock '2027-02-27 23:40'
	sleep 900
	eq "month" "$(noted wan1 .since)" 20270131
	sleep 600
	eq "month" "$(noted wan1 .since)" 20270228
	said "a new month of path wan1 begins, its cap counts from 0"
	[ "$(used wan1)" -lt 2000000 ]
	clock "@$before"
	end
}

# scrape [CURL OPTION...]: the metrics of a, to $TMP/metrics
scrape() {
	on a curl -sS --fail --max-time 5 -o "$TMP/metrics" "$@"
}

# scraped NAME LABELS: the metrics of a have it
scraped() {
	scrape "${URL:-http://127.0.0.1:9100/metrics}" &&
		[ -n "$(metric "$@")" ]
}

# metric NAME LABELS: its value, as a parser of the format reads it
metric() {
	python3 - "$TMP/metrics" "$@" <<-'END'
		import sys
		from prometheus_client.openmetrics import parser
		with open(sys.argv[1], encoding="utf-8") as file:
		    families = list(parser.text_fd_to_metric_families(file))
		want = dict(pair.split("=") for pair in sys.argv[3].split(","))
		for family in families:
		    for sample in family.samples:
		        if sample.name == sys.argv[2] and \
		           want.items() <= sample.labels.items():
		            print(sample.value)
	END
}

# spent: processor time of the agent in ticks of 10 ms
spent() {
	awk '{ print $14 + $15 }' "/proc/$AGENT/stat"
}

test_metrics() {
	local url=http://127.0.0.1:9100/metrics n was

	ready
	client 'Metrics = 9100'
	up
	agent
	both
	reaches a 10.7.0.1
	scrape -D "$TMP/head" "$url"
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' \
		"$TMP/head"
	eq "last line" "$(tail -n 1 "$TMP/metrics")" "# EOF"
	eq "up" "$(metric mptun_path_state path=wan1,mptun_path_state=up)" 1
	eq "down" "$(metric mptun_path_state path=wan2,mptun_path_state=down)" 0
	eq "device" "$(metric mptun_path_info tunnel=mp0,path=wan2,dev=wan2)" 1
	eq "paths" "$(metric mptun_tunnel_paths_up tunnel=mp0)" 2
	num "sessions" "$(metric mptun_tunnel_sessions_total tunnel=mp0) >= 1"
	n=$(metric mptun_path_rtt_seconds path=wan1)
	num "round trip time" "$n > 0.009 && $n < 0.1"
	num "sent" "$(metric mptun_path_sent_bytes_total tunnel=mp0 |
		paste -sd+) > 0"
	num "drops" "$(metric mptun_tunnel_dropped_packets_total \
		tunnel=mp0,reason=rx-auth) == 0"
	eq "decoded" "$(metric mptun_tunnel_decoded_packets_total tunnel=mp0)" 0
	ipn a link set wan2 down
	wait_for 5 not path_is a mp0 wan2 up
	scrape "$url"
	eq "up" "$(metric mptun_path_state path=wan2,mptun_path_state=up)" 0
	# nobody else, and nothing else
	eq "another host" "$(status -H "Host: evil.example" "$url")" 421
	eq "another page" "$(status http://127.0.0.1:9100/metrics/)" 404
	eq "another method" "$(status -d x=1 "$url")" 405
	eq "only the head" "$(status -I "$url")" 200
	not scrape "http://$(addr a lan):9100/metrics"
	# a client that says nothing keeps nobody waiting
	bg a bash -c 'exec 3<>/dev/tcp/127.0.0.1/9100; sleep 5'
	scrape http://localhost:9100/metrics -4
	# another place
	client "Metrics = $TMP/metrics.sock"
	kill -HUP "$AGENT"
	wait_for 5 scrape --unix-socket "$TMP/metrics.sock" "$url"
	not scrape "$url"
	client "Metrics = [fd00:1:1::2]:9100"
	kill -HUP "$AGENT"
	wait_for 5 scrape -g 'http://[fd00:1:1::2]:9100/metrics'
	[ ! -e "$TMP/metrics.sock" ]
	# many tunnels
	for ((n = 1; n <= 100; n++)); do
		printf 'add t%d cipher clear id %d\npath add t%d p remote 198.51.100.7\n' \
			"$n" "$n" "$n"
	done >"$TMP/batch"
	ctl a -batch "$TMP/batch"
	was=$(spent)
	for ((n = 0; n < 50; n++)); do
		scrape -g 'http://[fd00:1:1::2]:9100/metrics'
	done
	eq "last tunnel" "$(metric mptun_tunnel_paths tunnel=t100)" 1
	n=$((($(spent) - was) * 10000 / 50))
	virtual_time || figure "metrics of 101 tunnels, processor time" "$n" us
	sed -n 's/^add \(t[0-9]*\) .*/del \1/p' "$TMP/batch" >"$TMP/batch.del"
	ctl a -batch "$TMP/batch.del"
	uplink_up wan2
	both
	end
}

# paths that are deleted, and tunnels of others
test_metrics_paths() {
	ready
	client 'Metrics = 9100'
	up
	agent
	both
	# the old one drains
	ctl a path del mp0 wan1
	ctl a path add mp0 wan1 remote 198.51.100.7 dev wan1
	scrape http://127.0.0.1:9100/metrics
	eq "samples" "$(metric mptun_path_info path=wan1 | wc -l)" 1
	eq "samples" "$(metric mptun_path_timeouts_total path=wan1 | wc -l)" 1
	ctl a add other0 cipher clear id 1
	down
	wait_for 5 said "mp0 is gone"
	wait_for 5 scraped mptun_tunnel_paths tunnel=other0
	ctl a del other0
	up
	both
	end
}

# a port that is in use, and the socket of another agent
test_metrics_busy() {
	local url=http://127.0.0.1:9100/metrics other lock

	ready
	client 'Metrics = 9100'
	up
	bg a python3 -m http.server -b 127.0.0.1 9100
	other=$BG
	wait_for 10 on a curl -s -o /dev/null http://127.0.0.1:9100/
	agent
	wait_for 5 said "no metrics are served at 9100 yet: Address already in use"
	sleep 10
	bg_kill "$other"
	wait_for 30 scrape "$url"
	said "metrics are served at 9100 now"
	eq "messages" "$(grep -c "no metrics are served" "$TMP/bg.$AGENT")" 1
	# the folder is one that others can open, and lock
	client "Metrics = $TMP/metrics.sock"
	bg a flock "$TMP" sleep 60
	lock=$BG
	wait_for 5 not flock -n "$TMP" true
	kill -HUP "$AGENT"
	wait_for 5 scrape --unix-socket "$TMP/metrics.sock" "$url"
	bg_kill "$lock"
	cp "$TMP/etc/mp0.conf" "$TMP/etc/other.conf"
	bg a mptund "$TMP/etc/other.conf"
	other=$BG
	wait_for 5 grep -q "no metrics are served" "$TMP/bg.$other"
	scrape --unix-socket "$TMP/metrics.sock" "$url"
	bg_kill "$other"
	scrape --unix-socket "$TMP/metrics.sock" "$url"
	# one that is left has no owner, and agents replace it one after another
	kill -KILL "$AGENT"
	[ -S "$TMP/metrics.sock" ]
	bg a flock "$TMP/.mptund.lock" sleep 5
	sleep 0.5
	agent
	said "at $TMP/metrics.sock yet: Resource temporarily unavailable"
	wait_for 30 scrape --unix-socket "$TMP/metrics.sock" "$url"
	agent_end
	[ ! -e "$TMP/metrics.sock" ]
	# with the rights that the unit gives
	client 'Metrics = 80'
	agent setpriv --bounding-set -net_bind_service
	said "at 80 yet: a port below 1024 needs CAP_NET_BIND_SERVICE"
	end
}

# clients that ask and do not read keep the agent from nothing
test_metrics_slow() {
	ready
	client 'Metrics = 9100'
	up
	agent
	both
	for ((n = 1; n <= 100; n++)); do
		printf 'add t%d cipher clear id %d\npath add t%d p remote 198.51.100.7\n' \
			"$n" "$n" "$n"
	done >"$TMP/batch"
	ctl a -batch "$TMP/batch"
	for ((n = 0; n < 4; n++)); do
		bg a bash -c 'exec 3<>/dev/tcp/127.0.0.1/9100
			printf "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" >&3
			sleep 30'
	done
	sleep 2
	no_default wan2
	wait_for 10 names_are wan1
	site_default wan2
	soon "a route" wan2
	scrape http://127.0.0.1:9100/metrics
	sed -n 's/^add \(t[0-9]*\) .*/del \1/p' "$TMP/batch" >"$TMP/batch.del"
	ctl a -batch "$TMP/batch.del"
	end
}

# agent_b: an agent at the other end, with metrics; sets PEER to its pid
agent_b() {
	sed -e 's,site,../site,' -e '/^Address/a Metrics = 9100' \
		"$TMP/etc/server.conf" >"$TMP/etc/b/mp0.conf"
	bg b env STATE_DIRECTORY="$TMP/var/b" mptund "$TMP/etc/b/mp0.conf"
	PEER=$BG
	wait_for 5 scrape_b
}

scrape_b() {
	on b curl -sS --fail --max-time 5 -o "$TMP/metrics" \
		http://127.0.0.1:9100/metrics
}

# sample NAME [LABELS]: a sample of the last scrape, without the start of a parser for each
sample() {
	sed -n "s/^$1{tunnel=\"mp0\"${2:-}} //p" "$TMP/metrics"
}

# heard PATH STATE: the agent of b has heard so of a path of a
heard() {
	scrape_b && [ "$(sample mptun_peer_path_state \
		",path=\"$1\",mptun_peer_path_state=\"$2\"")" = 1 ]
}

# exchanged END: datagrams of an agent so far, b or a
exchanged() {
	on "$1" curl -sS --fail --max-time 5 -o "$TMP/metrics" \
		http://127.0.0.1:9100/metrics
	sample mptun_exchange_sent_packets_total
}

# refusals: datagrams that the agent of b has refused
refusals() {
	scrape_b
	sample mptun_exchange_refused_packets_total
}

refusals_are() {
	[ "$(refusals)" = "$1" ]
}

# peer_said REGEX: the agent of b has said so
peer_said() {
	[ -n "$1" ] && grep -q -- "$1" "$TMP/bg.$PEER"
}

# the agents of both ends exchange summaries of their paths, and nothing more
test_exchange() {
	local was

	begin 'Metrics = 9100'
	agent_b
	wait_for 5 heard wan2 up
	wait_for 5 scraped mptun_peer_path_info path=wan1
	# what is not known at b without a
	ipn a link set wan2 down
	wait_for 10 heard wan2 noroute
	peer_said "$(sed -n 's/.*path wan2 is down, /path wan2 does not work at the other end, /p' \
		"$TMP/bg.$AGENT")"
	eq "reason" "$(metric mptun_peer_path_info \
		"path=wan2,reason=$(path_json a mp0 wan2 .reason)")" 1
	# also if it is gone meanwhile
	wait_for 20 said "uplink wan2 is gone"
	wait_for 10 not heard wan2 noroute
	uplink_up wan2
	wait_for 10 heard wan2 up
	peer_said "path wan2 works at the other end again"
	not said "at the other end"
	# at rest nothing is sent, also while somebody looks
	sleep 30
	was=$(exchanged a)
	for _ in {1..5}; do
		sleep 10
		exchanged b >/dev/null
	done
	eq "datagrams of a" "$(exchanged a)" "$was"
	# figures are fresh while the tunnel carries something
	flow_start a b 10.7.0.1 4000 6
	sleep 5
	exchanged b >/dev/null
	sleep 1
	scrape_b
	num "age" "$(sample mptun_peer_age_seconds) <= 3"
	flow_end
	# without an agent there four are sent, maybe one of them before this, and
	# then none
	bg_kill "$PEER"
	was=$(exchanged a)
	for _ in {1..3}; do
		ipn a link set wan2 down
		sleep 4
		uplink_up wan2
		wait_state a mp0 wan2 up
	done
	num "datagrams of a" "$(exchanged a) <= $was + 4"
	num "datagrams of a" "$(exchanged a) >= $was + 3"
	agent_b
	wait_for 5 heard wan2 up
	bg_kill "$PEER"
	end
}

# throw FROM TTL PORT TEXT [TIMES]: datagrams to the agent of b, from a port
throw() {
	on "$1" python3 - "$2" "$3" "$4" "${5:-1}" <<-'END'
		import socket, sys
		sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		sock.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, int(sys.argv[1]))
		sock.bind(("", int(sys.argv[2])))
		for _ in range(int(sys.argv[4])):
		    sock.sendto(sys.argv[3].encode(), ("10.7.0.1", 14725))
	END
}

port_taken() {
	[ -n "$(on b ss -Hlun 'sport = :14725')" ]
}

# what is not from the agent of the other end is refused
test_exchange_others() {
	local other was text='{"version":"1","number":1,"seen":1,"paths":[]}'

	begin 'Metrics = 9100' 'Routes = default'
	# a port that is taken is one that may be free later
	bg b python3 -c 'import socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("", 14725))
time.sleep(60)'
	other=$BG
	wait_for 5 port_taken
	agent_b
	peer_said "another program uses UDP port 14725 of mp0"
	not heard wan2 up
	bg_kill "$other"
	ipn b route replace 10.9.0.0/16 dev mp0
	wait_for 15 heard wan2 up
	# from a host behind a, and from other programs of a
	on a sysctl -qw net.ipv4.ip_forward=1
	ipn c route replace 10.7.0.1 via "$(addr a lan)"
	ipn b route replace "$(addr c lan)" dev mp0
	throw c 255 14725 "$text"
	wait_for 5 refusals_are 1
	peer_said "is refused, it was forwarded by a router"
	throw a 255 0 "$text"
	wait_for 5 refusals_are 2
	agent_end
	throw a 254 14725 "$text"
	wait_for 5 refusals_are 3
	throw a 255 14725 '{"version":1}'
	wait_for 5 refusals_are 4
	throw a 255 14725 "$text$(printf '%20000s' '')"
	wait_for 5 refusals_are 5
	# outside of the tunnel nobody listens
	on a python3 - <<-'END'
		import socket, sys
		sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"wan1")
		sock.connect(("198.51.100.7", 14725))
		sock.send(b"x")
		sock.settimeout(5)
		try:
		    sock.recv(1)
		except ConnectionRefusedError:
		    sys.exit(0)
		sys.exit("somebody listens")
	END
	# many take neither time nor the log
	throw a 255 14725 x 2000
	sleep 5
	was=$(refusals)
	num "refused" "$was <= 1000"
	eq "messages" "$(grep -c "is refused" "$TMP/bg.$PEER")" 1
	heard wan2 up
	# without IPv4 in the tunnel
	ipn a address del 10.7.0.2/24 dev mp0
	ipn a address add fd07::2/64 dev mp0 nodad
	ipn b address del 10.7.0.1/24 dev mp0
	agent
	ipn a link set wan2 down
	wait_for 10 heard wan2 noroute
	ipn b address add 10.7.0.1/24 dev mp0
	uplink_up wan2
	bg_kill "$PEER"
	end
}

# a disk that takes 30 s for each write keeps nothing but the next one waiting
test_disk() {
	ready
	capped
	up
	agent LD_PRELOAD="$(helper slowdisk.so)"
	both
	no_default wan2
	wait_for 10 names_are wan1
	site_default wan2
	soon "a route" wan2
	[ ! -e "$TMP/var/mp0.json" ]
	wait_for 30 [ -e "$TMP/var/mp0.json" ]
	# it is given what is there at the end
	ctl a path set mp0 wan1 used 2mb
	agent_end
	eq "noted" "$(noted wan1 '.used >= 2000000')" true
	down
	clean
}

# what an agent that was killed had begun to write is not written later
test_disk_killed() {
	ready
	capped
	up
	agent LD_PRELOAD="$(helper slowdisk.so)"
	both
	wait_for 10 [ -e "$TMP/var/mp0.json.new" ]
	kill -KILL "$AGENT"
	sleep 35
	[ ! -e "$TMP/var/mp0.json" ]
	down
	clean
}

# a command that does not end keeps nothing but the next ones waiting
test_hook_hangs() {
	ready
	client 'OnPathUp = trap "" TERM; sleep 777; true' \
		"OnPathUp = touch $TMP/second"
	rm -f "$TMP/second"
	up
	agent
	both
	no_default wan2
	wait_for 10 names_are wan1
	site_default wan2
	soon "a route" wan2
	[ ! -e "$TMP/second" ]
	wait_for 60 said "a command of the file has run for 60 s, and is ended"
	wait_for 20 [ -e "$TMP/second" ]
	agent_end
	pkill -xf "sleep 777" || :
	down
	clean
}

t "an uplink appears, goes and returns" test_appears
t "a gap in a default route" test_gap
t "uplinks by IPv6, and by another table" test_families
t_full "what is no uplink gets no path" test_never
t_full "patterns, settings, and a reload" test_patterns
t "an uplink changes its address" test_address
t_full "another device of the same name" test_device
t_full "a link without gateway" test_direct
t "the gateway of a path of the file" test_gateway
t_full "syncconf changes gateways, without a reload" test_gateway_sync
t_full "syncconf leaves paths of uplinks alone" test_sync
t "rules that others delete come back" test_rules_deleted
t "killed and started again: no packet is lost" test_killed
t_full "the tunnel goes and comes" test_tunnel_gone
t "the tunnel moves" test_tunnel_moved
t_full "the module is loaded again" test_module
t_full "two tunnels, two agents" test_two
t "the server moves; its name is looked up over the uplinks" test_name
t_full "a name that is known late" test_name_late
t_full "the name of a path whose predecessor drains" test_name_replaced
t "a name that nobody can be asked for" test_name_unknown
t_full "the name of a path of the file" test_name_given
t_full "the file has another peer" test_reload
t "a reload counts once" test_reload_once
t "commands when paths come up and go down" test_hooks
t "commands for paths that are up before" test_hooks_before
t_full "a command that does not end" test_hook_hangs
t "data caps are kept" test_cap
t_full "data caps of paths that are replaced" test_cap_replaced
t_full "months of data caps" test_cap_month
t_full "a slow disk" test_disk
t "a slow disk, and killed" test_disk_killed
t "metrics" test_metrics
t_full "metrics: paths that are deleted, and tunnels of others" test_metrics_paths
t_full "metrics: a port and a socket in use" test_metrics_busy
t_full "metrics: slow clients" test_metrics_slow
t "agents of both ends exchange summaries" test_exchange
t_full "what is not from the agent of the other end" test_exchange_others
t_full "routes of others do not wake it" test_other_routes
t "the file of the guide" test_guide
t_full "uplinks that come and go" test_bounces
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion in bash, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: completion.sh MPTUNCTL-FAKE

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/completion/mptunctl
. "$here/../completion/mptunctl"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$(realpath "$1")" "$work/mptunctl"
export MPTUN_FAKE=$work/state PATH=$work:$PATH

# completes LINE WORD...: the candidates for the end of LINE
completes()
{
	COMP_LINE=$1
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	shift
	_mptunctl
	check_equal "${COMPREPLY[*]}" "$*"
}

setup()
{
	rm -f "$MPTUN_FAKE"
	mptunctl add mp0 id 7
	mptunctl add mp1 id 8
	mptunctl path add mp0 wan1 remote 192.0.2.1
	mptunctl path add mp0 wan2 remote 192.0.2.2
	mptunctl path add mp1 dsl remote 192.0.2.3
	mptunctl class add mp0 7 dscp ef
	mptunctl class add mp0 9 port 53
	mptunctl class add mp1 3 mark 1
}

test_commands()
{
	completes "mptunctl " show path class key set add del up down showconf \
		setconf syncconf server check monitor stats top record test \
		bugreport help
	completes "mptunctl s" show set showconf setconf syncconf server stats
	completes "mptunctl key " gen set show
	completes "mptunctl path " add set del show
	completes "mptunctl path d" del
	completes "mptunctl nonesuch "
	completes "mptunctl help " show path class key set add del up down \
		showconf setconf syncconf server check monitor stats top record \
		test bugreport help
	completes "mptunctl help key " gen set show
	completes "mptunctl server " init add-client list export remove up down
	completes "mptunctl server add-client home -a" -address -a -all
	completes "mptunctl server init " endpoint port pool routes dns masquerade
	completes "mptunctl server init masquerade " off on
	completes "mptunctl help path " add set del show
	completes "mptunctl help set "
	completes "mptunctl show -" -j -json -d -details -a -all -n -netns -b \
		-batch -force -h -help -V -version
	completes "mptunctl record -" -i -t -o -j -json -d -details -a -all -n -netns -b \
		-batch -force -h -help -V -version
}

test_objects()
{
	setup
	completes "mptunctl set " mp0 mp1
	completes "mptunctl del mp1" mp1
	completes "mptunctl key set " mp0 mp1
	completes "mptunctl key show " mp0 mp1
	completes "mptunctl key gen "
	completes "mptunctl path set " mp0 mp1
	completes "mptunctl path set mp0 " wan1 wan2
	completes "mptunctl path del mp1 " dsl
	completes "mptunctl path add mp0 "
	completes "mptunctl class set mp0 " 7 9
	completes "mptunctl class del mp1 " 3
	completes "mptunctl class add mp0 "
	completes "mptunctl show " mp0 mp1 every count
	completes "mptunctl add "
}

# What looks like a command in the name of a path is a name.
test_names()
{
	setup
	# shellcheck disable=SC2016 # not for this shell
	mptunctl path add mp1 '$(>own)' remote 192.0.2.9
	(
		cd "$work"
		completes "mptunctl path set mp1 " dsl '\$\(\>own\)'
		completes "mptunctl path set mp1 \$" '\$\(\>own\)'
		completes "mptunctl path set mp1 d" dsl
		[ ! -e own ]
	)
}

test_options()
{
	setup
	completes "mptunctl top " mp0 mp1 -i -n
	completes "mptunctl top mp0 " mp0 mp1 -i -n
	completes "mptunctl top mp0 -i "
	completes "mptunctl top mp0 -i 2 " mp0 mp1 -n
	completes "mptunctl top -i 2 mp1 m" mp0 mp1
	completes "mptunctl record mp0 -o /nonesuch"
	completes "mptunctl -d -j path set mp1 " dsl
	completes "mptunctl -b $work/stat" "$work/state"
	completes "mptunctl -n nonesuch path set mp1 "
	completes "mptunctl -n nonesuch pa" path
}

test_keywords()
{
	setup
	completes "mptunctl set mp0 " key key-grace sched cc reorder hold \
		buffer psmc-factor psmc-period learn follow rekey dscp park \
		auto-group fwmark allowed-ips mtu frag mss-clamp
	completes "mptunctl set mp0 hold 50ms " key key-grace sched cc reorder \
		buffer psmc-factor psmc-period learn follow rekey dscp park \
		auto-group fwmark allowed-ips mtu frag mss-clamp
	completes "mptunctl set mp0 allowed-ips " any
	completes "mptunctl set mp0 h" hold
	completes "mptunctl p s mp0 wan1 prio 3 we" weight
	completes "mptunctl add mp9 key $work/stat" "$work/state"
	completes "mptunctl add mp9 u" up
	completes "mptunctl add mp9 up ad" address
	completes "mptunctl add mp9 p" port peer-id psmc-factor psmc-period park
	completes "mptunctl path set mp0 wan1 remote fe80::1%lo lo" local local-port
	completes "mptunctl path set mp0 wan1 off re" remote
	completes "mptunctl show mp0 " every count
	completes "mptunctl class add mp0 8 p" protocol port policy path paths \
		playout
}

test_values()
{
	completes "mptunctl set mp0 reorder " off fixed adaptive psmc
	completes "mptunctl set mp0 learn " off on
	completes "mptunctl set mp0 dscp in" inherit
	completes "mptunctl set mp0 dscp af4" af41 af42 af43
	completes "mptunctl set mp0 park " off
	completes "mptunctl set mp0 auto-group " off on
	completes "mptunctl set mp0 sched " auto greedy ecf flow redundant wrr \
		wrr-auto
	completes "mptunctl set mp0 hold "
	completes "mptunctl add mp9 cipher " clear chacha20-poly1305 aes-gcm \
		auth-only
	completes "mptunctl path set mp0 wan1 keepalive " auto off
	completes "mptunctl path set mp0 wan1 cc n" newreno none
	completes "mptunctl path set mp0 wan1 local " any
	completes "mptunctl path set mp0 wan1 dev lo" lo
	completes "mptunctl path set mp0 wan1 rate n" none
	completes "mptunctl class set mp0 7 policy " aggregate duplicate pin \
		nearest
	completes "mptunctl class set mp0 7 dscp af1" af11 af12 af13
	completes "mptunctl class set mp0 7 policy pin path " wan1 wan2
	completes "mptunctl class add mp0 8 policy pin path w" wan1 wan2
	completes "mptunctl class set mp0 7 paths " all
	completes "mptunctl class set mp0 7 port " any
}

test_files()
{
	setup
	mkdir -p "$work/keys"
	: >"$work/keys/one.key"
	: >"$work/keys/two words.key"
	completes "mptunctl key set mp0 $work/keys/o" "$work/keys/one.key"
	completes "mptunctl set mp0 learn on key $work/keys/o" \
		"$work/keys/one.key"
	completes "mptunctl set mp0 key $work/keys/t" "$work/keys/two words.key"
	completes "mptunctl key set mp0 $work/keys/one.key " grace
	completes "mptunctl key set mp0 $work/nonesuch"
	completes "mptunctl up $work/keys/o" "$work/keys/one.key"
	completes "mptunctl down $work/keys/t" "$work/keys/two words.key"
	completes "mptunctl syncconf mp0 $work/keys/o" "$work/keys/one.key"
	completes "mptunctl showconf " mp0 mp1
	completes "mptunctl check " mp0 mp1
	completes "mptunctl check $work/keys/o" "$work/keys/one.key"
}

test_no_kernel()
{
	MPTUN_FAKE_FAMILY=none completes "mptunctl set "
	MPTUN_FAKE_FAMILY=none completes "mptunctl path set mp0 "
	MPTUN_FAKE_FAMILY=none completes "mptunctl set mp0 h" hold
}

ktap_test "completion: commands" test_commands
ktap_test "completion: tunnels and paths" test_objects
ktap_test "completion: names are not executed" test_names
ktap_test "completion: options of a command" test_options
ktap_test "completion: keywords" test_keywords
ktap_test "completion: values" test_values
ktap_test "completion: names of files" test_files
ktap_test "completion: without the module" test_no_kernel
ktap_run

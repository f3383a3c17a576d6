#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Life of a tunnel's device: made, configured, renamed, deleted, refused.
# Copyright (C) 2026 The mptun authors
# stages: tt vm-6.1 vm-long
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   └───────┘                           └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
}

link_json() {
	ipn a -d -j link show "$1" | first "$2"
}

data() {
	link_json "$1" ".linkinfo.info_data.$2"
}

add() {
	ipn a link add "$1" type mptun "${@:2}"
}

# every option that has a default has the documented one
test_defaults() {
	add mp0
	eq kind "$(link_json mp0 .linkinfo.info_kind)" mptun
	eq mtu "$(link_json mp0 .mtu)" 1400
	eq "queue length" "$(link_json mp0 .txqlen)" 1000
	eq carrier "$(carrier a mp0)" off
	eq port "$(data mp0 port)" 4725
	eq cipher "$(data mp0 cipher)" chacha20-poly1305
	eq rekey "$(data mp0 rekey)" 120
	eq sched "$(data mp0 sched)" auto
	eq cc "$(data mp0 cc)" bbr
	eq reorder "$(data mp0 reorder)" adaptive
	eq hold "$(data mp0 hold)" 500000
	eq buffer "$(data mp0 buffer)" 16777216
	eq learn "$(data mp0 learn)" true
	eq dscp "$(data mp0 dscp)" 0
	eq auto-group "$(data mp0 auto_group)" false
	eq follow "$(data mp0 follow)" true
	eq psmc-factor "$(data mp0 psmc_factor)" 200
	eq psmc-period "$(data mp0 psmc_period)" 100000
	ipn a link del mp0
	add mp0 cipher clear id 7
	eq id "$(tun_json a mp0 .id)" 7
	eq peer-id "$(tun_json a mp0 .peer_id)" 7
	eq learn "$(data mp0 learn)" false
	eq dscp "$(tun_json a mp0 .dscp)" 0
	ipn a link del mp0
	! ipn a link show mp0 2>/dev/null || fail "mp0 is still there"
}

# a clear tunnel needs an id: without options the error names what is missing
test_bare() {
	refused 2 "needs an id" refused_ip a link add mp0 type mptun \
		cipher clear
	refused 2 "only for cipher clear" refused_ip a link add mp0 \
		type mptun id 7
	! ipn a link show mp0 2>/dev/null || fail "mp0 is there"
}

# ip prints "Error: TEXT." alone if the kernel sent an extended error
refused_ip() {
	ip -n "$NSP-$1" "${@:2}"
}

test_options() {
	add mp0 port 4800 id 4294967295 peer-id 1 cipher clear sched wrr \
		cc none reorder fixed hold 50ms buffer 1m learn on \
		auto-group on follow off psmc-factor 300 psmc-period 50ms
	eq port "$(data mp0 port)" 4800
	eq id "$(tun_json a mp0 .id)" 4294967295
	eq peer-id "$(tun_json a mp0 .peer_id)" 1
	eq sched "$(data mp0 sched)" wrr
	eq cc "$(data mp0 cc)" none
	eq reorder "$(data mp0 reorder)" fixed
	eq hold "$(data mp0 hold)" 50000
	eq buffer "$(data mp0 buffer)" 1048576
	eq learn "$(data mp0 learn)" true
	eq auto-group "$(data mp0 auto_group)" true
	eq follow "$(data mp0 follow)" false
	eq psmc-factor "$(data mp0 psmc_factor)" 300
	eq psmc-period "$(data mp0 psmc_period)" 50000
	eq "the same over genetlink" "$(tun_json a mp0 \
		'[.follow, .psmc_factor, .psmc_period]' | jq -c .)" \
		'[false,300,50000]'
	ipn a -d link show mp0
	ipn a -s -d link show mp0
	ipn a link del mp0
}

# as_user COMMAND...: what an unprivileged user of host a sees
as_user() {
	on a setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# ids are shown to administrators only: by mptunctl, and by ip to nobody
test_ids() {
	local show

	add mp0 cipher clear id 4001004001 peer-id 4001004002
	eq "ids shown by mptunctl" "$(ctl a show mp0 -j |
		jq -c '.[0] | [.id, .peer_id]')" '[4001004001,4001004002]'
	show=$(ctl a show mp0)
	[[ $show == *" id 4001004001 "*" peer-id 4001004002 "* ]] ||
		fail "root sees $show"
	show=$(as_user mptunctl show mp0 -j)
	eq port "$(first .port <<<"$show")" 4725
	eq "ids shown to others" \
		"$(jq -c '.[0] | [.id, .peer_id]' <<<"$show")" '[null,null]'
	for show in "$(as_user mptunctl show mp0)" \
		"$(ipn a -d link show mp0)" "$(ipn a -d -j link show mp0)"; do
		[[ $show == *4725* ]] || fail "no port in $show"
		[[ $show != *400100400[12]* ]] || fail "ids in $show"
	done
	ipn a link del mp0
}

# mutable settings change; a change of a fixed one is refused by name
test_change() {
	add mp0 cipher clear id 7
	ipn a link set mp0 type mptun sched wrr reorder off hold 10ms learn on \
		follow off psmc-factor 100 psmc-period 600s
	eq sched "$(data mp0 sched)" wrr
	eq reorder "$(data mp0 reorder)" off
	eq follow "$(data mp0 follow)" false
	eq psmc-factor "$(data mp0 psmc_factor)" 100
	eq psmc-period "$(data mp0 psmc_period)" 600000000
	refused 2 "cannot be changed" refused_ip a link set mp0 type mptun id 8
	refused 2 "cannot be changed" refused_ip a link set mp0 type mptun \
		port 5000 hold 20ms
	eq hold "$(data mp0 hold)" 10000
	ipn a link del mp0
}

# the port opens with the device, not when it goes up; down and up works
test_updown() {
	tunnel a b mp0
	paths a b mp0 wan1
	for _ in 1 2 3; do
		wait_ping a "$(inner a mp0)"
		ipn a link set mp0 down
		eq carrier "$(carrier a mp0)" off
		! reaches a "$(inner a mp0)" || fail "passed while down"
		ipn a link set mp0 up
	done
	wait_ping a "$(inner a mp0)"
}

test_rename() {
	tunnel a b mp0
	paths a b mp0 wan1
	wait_ping a "$(inner a mp0)"
	ipn a link set mp0 down
	ipn a link set mp0 name uplink
	ipn a link set uplink up
	wait_ping a "$(inner a mp0)"
	eq "name of the tunnel" "$(ctl a show uplink -j | jq -r '.[0].ifname')" \
		uplink
	refused 2 "" ctl a show mp0
	ipn a link del uplink
	ipn b link del mp0
}

# packets of the MTU pass, packets with one byte more do not
test_mtu() {
	local mtu most=$((1444 - TAG))

	tunnel a b mp0
	paths a b mp0 wan1
	wait_ping a "$(inner a mp0)"
	for mtu in 1280 "$most"; do
		ipn a link set mp0 mtu "$mtu"
		ipn b link set mp0 mtu "$mtu"
		on a ping -n -q -c 1 -M "do" -s $((mtu - 28)) "$(inner a mp0)"
		! on a ping -n -q -c 1 -W 1 -M "do" -s $((mtu - 27)) \
			"$(inner a mp0)" || fail "$mtu carries more"
	done
	refused 2 "" refused_ip a link set mp0 mtu 67
	refused 2 "" refused_ip a link set mp0 mtu 65536
}

# tunnels on one port need different ids; a port of another program is refused
test_port() {
	add mp0 cipher clear id 7
	refused 2 "another tunnel on this port has the same id" \
		refused_ip a link add mp1 type mptun cipher clear id 7
	add mp1 cipher clear id 8
	add mp2 cipher clear id 7 port 4726
	eq sockets "$(on a ss -Hluan 'sport = :4725' | wc -l)" 2
	bg a "$(helper udpflow)" recv 5555 60
	wait_for 5 flow_listens a 5555
	refused 2 "UDP port is used by another program" \
		refused_ip a link add mp3 type mptun port 5555
	ipn a link del mp0
	eq "sockets with one tunnel left" \
		"$(on a ss -Hluan 'sport = :4725' | wc -l)" 2
	ipn a link del mp1
	ipn a link del mp2
	eq "sockets at the end" \
		"$(on a ss -Hluan 'sport = :4725' | wc -l)" 0
}

# unknown words and values out of range: a status and one sentence
test_bad_words() {
	local words

	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		if ip -n "$NSP-a" link add bad0 type mptun $words \
			2>"$TMP/err"; then
			fail "'$words' was accepted"
		fi
		echo "$words: $(cat "$TMP/err")"
		[ -s "$TMP/err" ] || fail "'$words' has no message"
		! ipn a link show bad0 2>/dev/null || fail "'$words' made bad0"
	done <<-END
		cipher clear id 0
		cipher clear id 4294967296
		cipher clear id -1
		cipher clear id x
		cipher clear id
		cipher clear id 7 id 8
		port 0
		port 65536
		cipher rot13
		sched nosuch
		cc nosuch
		sched abcdefghijklmnop
		reorder maybe
		hold 2s
		hold 50
		buffer 1
		buffer 1t
		learn perhaps
		nonsense 1
		rekey 0
		rekey 86401
		dscp 64
		dscp none
	END
}

# the alias loads the module if modprobe finds it; /lib/modules of the lab's
# guests is their own and writable
test_alias() {
	local dir keep=$TMP/modules

	dir=/lib/modules/$(uname -r)
	if [ "$(findmnt -n -o FSTYPE /lib/modules)" = tmpfs ]; then
		cp -- "$MPTUN_KO" "$dir/"
		mkdir "$keep"
		cp -- "$dir"/modules.* "$keep/"
		# all modules would take minutes where the processor is emulated
		depmod "$(uname -r)" "$dir/mptun.ko"
	fi
	modprobe -n -q mptun || skip "modprobe finds no mptun here"
	rmmod mptun
	add mp0
	[ -d /sys/module/mptun ] || fail "not loaded"
	ipn a link del mp0
	# loaded again with all messages, as before
	rmmod mptun
	[ ! -d "$keep" ] || {
		rm -- "$dir/mptun.ko" "$dir"/modules.*
		cp -- "$keep"/modules.* "$dir/"
	}
	module_load
}

# mptunctl needs no plugin of ip
test_without_plugin() {
	ctl a add mp0 port 4800
	eq kind "$(link_json mp0 .linkinfo.info_kind)" mptun
	IP_LIB_DIR=/nonexistent ip -n "$NSP-a" -d link show mp0
	ctl a del mp0
	! ipn a link show mp0 2>/dev/null || fail "mp0 is still there"
}

t "defaults are the documented ones" test_defaults
t "without options the missing id is named" test_bare
t "every option is kept and shown" test_options
t "ids are for administrators" test_ids
t "settings change, ids do not" test_change
t "down and up again" test_updown
t "renamed" test_rename
t "mtu is exact" test_mtu
t "a port is shared, an id is not" test_port
t "bad arguments are refused and change nothing" test_bad_words
t "loaded by its alias" test_alias
t "made and deleted by mptunctl alone" test_without_plugin
run_theme

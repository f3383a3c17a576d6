#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mptunctl from its command line to its output, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: cli.sh MPTUNCTL-FAKE [WRAPPER...]
#   the program under test is linked with test/fake.c; WRAPPER (for instance
#   valgrind with its options) is put before each call

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"

fresh()
{
	rm -f state
	ctl add mp0 id 7 peer-id 8 port 5000 cipher clear sched wrr cc fixed \
		reorder fixed hold 100ms buffer 1m learn on rekey 5s dscp 46 \
		park 10 auto-group off
	ctl path add mp0 wan1 remote 198.51.100.7 port 5001 local 192.0.2.1 \
		local-port 99 dev wwan0 weight 3 priority 2 backup on mtu 1400 \
		rate 20mbit cc newreno group 5 keepalive 30
	ctl path add mp0 wan2 remote fe80::1%lo off
	ctl add mp1
	ctl path add mp1 dsl remote 2001:db8::1
}

test_tunnel_settings()
{
	fresh
	check_equal "$(json '.[0] | [.ifname, .port, .id, .peer_id, .sched, .cc,
		.reorder, .hold, .buffer, .learn, .cipher, .rekey, .dscp]' show mp0)" \
		'["mp0",5000,7,8,"wrr","fixed","fixed",100000,1048576,true,"clear",5,46]'
	ctl set mp0 sched greedy reorder adaptive hold 0 learn off rekey 3600
	check_equal "$(json '.[0] | [.sched, .cc, .reorder, .hold, .learn,
		.rekey]' show mp0)" '["greedy","fixed","adaptive",0,false,3600]'
	check_equal "$(json '.[0].park' show mp0)" 10
	check_equal "$(json '.[0].auto_group' show mp0)" false
	ctl set mp0 follow off
	check_equal "$(json '.[0].follow' show mp0)" false
	has '  buffer 1m  follow off  ' show mp0
	ctl set mp0 follow on auto-group on
	check_equal "$(json '.[0].auto_group' show mp0)" true
	has ' dscp ef  park 10  auto-group on$' show mp0
	ctl set mp0 fwmark 0xca6c
	check_equal "$(json '.[0].fwmark' show mp0)" 51820
	has ' auto-group on  fwmark 51820$' show mp0
	ctl set mp0 fwmark off
	check_equal "$(json '.[0].fwmark' show mp0)" null
	ctl set mp0 dscp inherit park off auto-group off
	check_equal "$(json '.[0].park' show mp0)" null
	check_equal "$(json '.[0] | [.dscp]' show mp0)" '["inherit"]'
	has ' rekey 3600s  dscp inherit  park off$' show mp0
	check_equal "$(json '.[0] | [.cipher, .rekey, .dscp]' show mp1)" \
		'["chacha20-poly1305",120,0]'
	if grep -q 'dscp' <(ctl show mp1); then
		return 1
	fi
	ctl set mp0 allowed-ips 10.0.0.0/8,fd00::/8,192.0.2.7
	check_equal "$(json '.[0].allowed_ips | join(" ")' show mp0)" \
		'"10.0.0.0/8 fd00::/8 192.0.2.7/32"'
	has ' allowed-ips 10.0.0.0/8,fd00::/8,192.0.2.7/32$' show mp0
	ctl set mp0 allowed-ips any
	if grep -q 'allowed-ips' <(ctl show mp0); then
		return 1
	fi
	ctl set mp0 mtu 1300 frag on mss-clamp auto
	check_equal "$(json '.[0] | [.mtu, .frag, .mss_clamp]' show mp0)" \
		'[1300,"on","auto"]'
	has ' mtu 1300  frag on  mss-clamp auto$' show mp0
	ctl set mp0 mtu auto frag auto mss-clamp off
	check_equal "$(json '.[0] | [.mtu, .frag, .mss_clamp]' show mp0)" \
		'[null,"auto","off"]'
	ctl add mp2 cipher aes-gcm fwmark 7 follow off psmc-factor 300 \
		psmc-period 50ms
	check_equal "$(json '.[0] | [.fwmark, .follow, .psmc_factor,
		.psmc_period]' show mp2)" '[7,false,300,50000]'
	ctl add mp3 cipher auth-only
	check_equal "$(json 'map(.cipher)' show)" \
		'["clear","chacha20-poly1305","aes-gcm","auth-only"]'
}

test_path_settings()
{
	fresh
	check_equal "$(json '.[0] | [.name, .remote, .remote_port, .local,
		.local_port, .dev, .weight, .priority, .backup, .mtu, .rate,
		.cc, .enabled, .keepalive, .group]' path show mp0 wan1)" \
		'["wan1","198.51.100.7",5001,"192.0.2.1",99,"wwan0",3,2,true,1400,20000000,"newreno",null,30,5]'
	check_equal "$(json '.[0] | [.remote, .remote_scope, .enabled]' \
		path show mp0 wan2)" '["fe80::1",1,false]'
	ctl path set mp0 wan1 remote 2001:db8::7 local any dev none mtu auto \
		rate none cc default backup off on keepalive auto
	check_equal "$(json '.[0] | [.remote, .remote_port, .local, .dev, .mtu,
		.rate, .cc, .backup, .enabled, .weight, .keepalive]' \
		path show mp0 wan1)" \
		'["2001:db8::7",5001,"0.0.0.0","",null,null,"",false,true,3,null]'
	grep -qw 'pmtu 1400' <(ctl path show mp0 wan1)
	grep -qw 'pmtu-state complete' <(ctl path show mp0 wan1)
	check_equal "$(json '.[0] | [.pmtu, .pmtu_state]' path show mp0 wan1)" \
		'[1400,"complete"]'
	ctl path set mp0 wan1 keepalive off
	check_equal "$(json '.[0].keepalive' path show mp0 wan1)" '"off"'
	grep -q 'keepalive off' <(ctl path show mp0 wan1)
	check_equal "$(json '.[0].fwmark' path show mp0 wan1)" null
	ctl path set mp0 wan1 fwmark 52
	check_equal "$(json '.[0].fwmark' path show mp0 wan1)" 52
	grep -q 'fwmark 52' <(ctl path show mp0 wan1)
	ctl path set mp0 wan1 fwmark default
	ctl path set mp0 wan1 keepalive 65534s
	grep -q 'keepalive 65534s' <(ctl path show mp0 wan1)
	ctl path set mp0 wan1 spill 100ms
	grep -q 'spill 100ms' <(ctl path show mp0 wan1)
	check_equal "$(json '.[0].spill' path show mp0 wan1)" 100000
	ctl path set mp0 wan1 spill off
	check_equal "$(json '.[0].spill' path show mp0 wan1)" '"off"'
	ctl path set mp0 wan1 cap 1.5gb cap-action backup
	grep -q 'cap 1.5gb  cap-action backup' <(ctl path show mp0 wan1)
	check_equal "$(json '.[0] | [.cap, .cap_action, .used, .cap_state]' \
		path show mp0 wan1)" '[1500000000,"backup",4200000000,"near"]'
	ctl path set mp0 wan1 cap none used 10mib
	check_equal "$(json '.[0] | [.cap, .used]' path show mp0 wan1)" \
		'[null,10485760]'
}

test_class_settings()
{
	fresh
	ctl class add mp0 5 mark 0x10 mask 0xf0 dscp ef protocol udp port 53 \
		policy pin path wan1 strict on order off
	ctl class add mp0 6 protocol 6 policy duplicate paths all
	ctl class add mp1 5 dscp 0
	check_equal "$(json '.[0] | [.id, .mark, .mask, .dscp, .protocol,
		.port, .policy, .path, .strict, .order]' class show mp0 5)" \
		'[5,16,240,46,17,53,"pin","wan1",true,false]'
	check_equal "$(json 'map([.ifname, .id, .paths])' class show)" \
		'[["mp0",5,null],["mp0",6,"all"],["mp1",5,null]]'
	check_equal "$(json '.[0].stats | [.tx_packets, .tx_copies, .drops]' \
		class show mp1)" '[1002,1004,1005]'
	ctl class set mp0 6 protocol any mask any dscp any port any paths 3
	check_equal "$(json '.[1] | [.mask, .dscp, .protocol, .port, .paths]' \
		class show mp0)" '[null,null,null,null,3]'
	check_equal "$(ctl class show mp0 5 | head -n 4)" \
"mp0 class 5: pin to wan1, strict
    mark 16  mask 240  dscp ef  protocol udp  port 53  order off
                    1002 tx-packets  packets placed on paths, copies not included
                 1000000 tx-bytes    bytes of these packets, without outer headers"
	# Names, and numbers that have none
	ctl class set mp0 5 dscp af41 protocol icmp port any
	check_equal "$(json '.[0] | [.dscp, .protocol]' class show mp0 5)" \
		'[34,1]'
	has ' dscp af41  protocol icmp  ' class show mp0 5
	ctl class set mp0 5 dscp 47 protocol 99
	has ' dscp 47  protocol 99  ' class show mp0 5
	ctl set mp0 dscp cs1
	check_equal "$(json '.[0].dscp' show mp0)" 8
	has ' dscp cs1 ' show mp0
	# Capitals do not count.
	ctl class set mp0 5 dscp EF protocol UDP
	check_equal "$(json '.[0] | [.dscp, .protocol]' class show mp0 5)" \
		'[46,17]'
	ctl class set mp0 5 protocol IPv6-ICMP policy Duplicate
	check_equal "$(json '.[0] | [.policy, .protocol]' class show mp0 5)" \
		'["duplicate",58]'
	ctl class del mp0 5
	check_equal "$(json 'map(.id)' class show mp0)" '[6]'
}

test_lists()
{
	fresh
	check_equal "$(json 'map(.ifname)' show)" '["mp0","mp1"]'
	check_equal "$(json 'map(.paths | map(.name))' show)" \
		'[["wan1","wan2"],["dsl"]]'
	check_equal "$(json 'map(.name)' path show)" '["wan1","wan2","dsl"]'
	check_equal "$(json 'map(.name)' path show mp1)" '["dsl"]'
	check_equal "$(json 'map(.ifname)')" '["mp0","mp1"]'
	ctl path del mp0 wan1
	check_equal "$(json 'map(.name)' path show mp0)" '["wan2"]'
	ctl del mp0
	check_equal "$(json 'map(.ifname)' show)" '["mp1"]'
	rm -f state
	check_equal "$(ctl show)" ""
	check_equal "$(json . show)" "[]"
}

test_json_is_complete()
{
	fresh
	# Every value of the text is in the JSON, under the same name.
	ctl path show mp0 wan1 | sed -n -E 's/^ *[0-9]+ ([a-z-]+) .*/\1/p' |
		tr - _ | sort >people
	json '.[0].stats | keys[]' path show mp0 wan1 | tr -d '"' | sort >machine
	diff people machine
	[ -s people ]
	ctl stats mp0 | sed -n -E 's/^ +[0-9]* ([a-z][a-z-]+) +[a-z].*/\1/p' |
		tr - _ | sort -u >people
	json '.[0] | (.reordering, .drops, .port_drops, .paths[].stats) |
		keys[]' stats mp0 | tr -d '"' | sort -u >machine
	diff people machine
	[ -s people ]
	check_equal "$(json '.[0] | keys' stats mp0)" \
		'["drops","ifindex","ifname","paths","port_drops","reordering"]'
	check_equal "$(json '.[0].paths[0].stats.lost_packets' stats mp0)" 30
	check_equal "$(json '.[0].paths[0].loss' show mp0)" 0.25
	check_equal "$(json '.[0].paths[0].recent_loss' show mp0)" 1.25
	check_equal "$(MPTUN_FAKE_FIGURES=recent-packets=0,recent-lost=0 \
		json '.[0].paths[0].recent_loss' show mp0)" null
	check_equal "$(json '.[0].reordering.hold_histogram | length' \
		stats mp0)" 16
}

test_table()
{
	fresh
	ctl path set mp0 wan2 group 0
	ctl show mp0 >out
	# Settings that are not the default, of tunnel and paths
	check_equal "$(cat out)" \
"mp0: established, 1 of 2 paths up
    port 5000  id 7  peer-id 8  cipher clear  sched wrr  cc fixed  reorder fixed
    hold 100ms  buffer 1m  learn on  rekey 5s  dscp ef  park 10
    PATH  STATE   FOR  REMOTE             DEV       RTT   LOSS  SENT  RECEIVED
    wan1  up     3.2s  198.51.100.7:5001  wwan0  23.4ms  1.25%  976k      1005
    wan2  up     3.2s  fe80::1%lo         -      23.4ms  1.25%  976k      1005
    wan1:  local 192.0.2.1  local-port 99  weight 3  priority 2  backup on
        rate 20mbit  cc newreno  group 5  keepalive 30s
    wan2:  off"
	ctl show mp1 >out
	check_equal "$(head -n 2 out)" \
"mp1: established, no key, 1 of 2 paths up
    cipher chacha20-poly1305  key-fingerprint none"
	if grep -Eq '(^| )(peer-)?id ' out; then
		return 1
	fi
	ctl path set mp0 wan1 cap 5gb
	has '  cap 5gb  .*  used 4.2gb$' show mp0
}

test_details()
{
	fresh
	ctl show mp0 -d >out
	ctl --details show mp0 >option
	diff out option
	grep -q '^    hold-now 1.0.ms  sessions 3  session-age 1m05s ' out
	grep -q ' held-packets 1002  held-bytes 1003$' out
	# What does not fit is in another table.
	grep -Eq '^    PATH  STATE  WHY  ' out
	grep -Eq '^    wan1  up     answered  198\.51\.100\.7:5001 ' out
	grep -Eq '^    PATH +FOR +DEV +GROUP +SKEW +LOST +CWND +FLIGHT +PACING' out
	check_equal "$(awk '$1 == "wan1" && length > 40' out | wc -l)" 2
	check_equal "$(COLUMNS=200 ctl show mp0 -d | grep -c PATH)" 1
	has ' park 10  auto-group off$' show mp0 -d
}

# widest: length of the longest line
widest()
{
	awk '{ if (length > n) n = length } END { print n + 0 }'
}

test_width()
{
	local columns

	fresh
	ctl add long-tunnel-nam
	ctl path add long-tunnel-nam long-path-name- dev long-device-nam \
		remote 2001:db8:1111:2222:3333:4444:5555:6666
	ctl set long-tunnel-nam allowed-ips \
		2001:db8:1:2:3:4:5:6,2001:db8:1:2:3:4:5:7,2001:db8:1:2:3:4:5:8
	for columns in 60 80 100 300; do
		COLUMNS=$columns ctl show >out
		COLUMNS=$columns ctl show -d >details
		COLUMNS=$columns ctl path show mp0 >list
		[ "$(cat out details <(grep -v '^ *[0-9]' list) | widest)" \
			-le "$columns" ]
	done
	# Everything that there is, if there is room
	grep -q ' DEV .* GROUP .* SKEW .* LOSS .* LOST .* CWND .* FLIGHT .* PACING .* PMTU' out
	[ "$(COLUMNS='' ctl show | widest)" -gt 76 ]
	# What has no place in the table is among the settings.
	COLUMNS=50 ctl show mp0 >out
	grep -q '^    wan1:  remote 198.51.100.7  port 5001' out
	grep -q '  dev wwan0' out
	type script >/dev/null 2>&1 || ktap_skip "no program script"
	NO_COLOR=1 TERM=xterm script -qec "stty cols 100; MPTUN_FAKE=$work/state \
		'$prog' show mp0" /dev/null </dev/null | tr -d '\r' >out
	[ "$(widest <out)" -gt 80 ]
	[ "$(widest <out)" -le 100 ]
}

test_again()
{
	fresh
	ctl show mp0 every 20ms count 3 -j >out
	check_equal "$(wc -l <out)" 3
	check_equal "$(jq -c '[.[0].paths[] | .tx_rate, .rx_rate]' out |
		sort -u)" '[0,0,0,0]'
	ctl show every 10ms count 1 >out
	grep -q ' TX  *RX$' out
	if ctl show mp0 | grep -q ' TX '; then
		return 1
	fi
}

test_monitor_cap()
{
	fresh
	ctl path set mp1 dsl cap 5gb cap-action stop
	ctl monitor -j mp1 >out
	check_equal "$(jq -c 'select(.event == "path-cap") | [.ifname, .name,
		.cap, .used, .cap_state]' out)" \
		'["mp1","dsl",5000000000,4200000000,"near"]'
	ctl monitor mp1 >out
	grep -q 'mp1 path dsl cap near: used 4.2gb of 5gb (stop)$' out
}

test_monitor()
{
	fresh
	ctl monitor -j >out
	check_equal "$(jq -c '[.event, .ifname, .name, .old_state, .state]' out)" \
		'["listening",null,null,null,null]
["tunnel","mp0",null,null,"established"]
["tunnel","mp1",null,null,"established"]
["path","mp0","wan1","probing","up"]
["path-gone","mp0","wan1","probing","up"]
["path","mp0","wan2","probing","up"]
["path-gone","mp0","wan2","probing","up"]
["path","mp1","dsl","probing","up"]
["path-gone","mp1","dsl","probing","up"]
["lost",null,null,null,null]'
	# RFC 3339, in any time zone
	if jq -r .time out | grep -Eqv \
			'^[0-9]{4}-[0-9]{2}-[0-9]{2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{6}[+-][0-9]{2}:[0-9]{2}$'; then
		return 1
	fi
	check_equal "$(TZ=IST-5:30 ctl monitor -j | jq -r '.time[26:]' |
		sort -u)" +05:30
	ctl monitor mp1 >out
	check_equal "$(sed 's/^[^ ]* [^ ]* //' out)" \
		"listening
mp1 association established, 1 of 2 paths up, peer instance unknown
mp1 path dsl probing -> up (answered) remote 2001:db8::1 group 1044 rtt 23.4ms
mp1 path dsl gone
some changes were lost, the machine is too busy"
}

test_usage()
{
	fresh
	refused 1 'unknown command "shw", did you mean "show"?' shw
	refused 1 'unknown command "nonesuch", known are show, path, class, key, set, add, del, up, down, showconf, setconf, syncconf, server, check, monitor, stats, top, record, test, bugreport and help' nonesuch
	refused 1 'unknown command "-", known are show, path, class, key, set, add, del, up, down, showconf, setconf, syncconf, server, check, monitor, stats, top, record, test, bugreport and help' -
	refused 1 'unknown option "-x", known are -j, -d, -a, -n, -b, -force, -h and -V' show -x
	refused 1 'unknown option "-x", known are -i, -n, -j, -d, -a, -n, -b, -force, -h and -V' top -x
	refused 1 '"-n" needs a value (NETNS)' -n
	refused 1 'path needs a verb: add, set, del or show' path
	refused 1 'unknown verb "ads" after path, did you mean "add"?' path ads
	refused 1 'unknown verb "x" after path, known are add, set, del and show' path x
	refused 1 'key needs a verb: gen, set or show' key
	refused 1 'unknown verb "get" after key, did you mean "gen"?' key get
	refused 1 'the tunnel name and the path name are missing' path add mp0
	refused 1 'a path needs a remote address (remote ADDR|HOST)' path add mp0 x port 1
	refused 1 'no setting is given, see mptunctl path set --help' path set mp0 wan1
	refused 1 'no setting is given, see mptunctl set --help' set mp0
	refused 1 'set needs the name of a tunnel' set
	refused 1 'add needs the name of the new tunnel' add
	refused 1 'del needs the name of a tunnel' del mp0 mp1
	refused 1 'unexpected word "x"' stats mp0 x
	refused 1 'unexpected word "x"' monitor mp0 x
	refused 1 'unexpected word "x"' path show mp0 wan1 x
	refused 1 'unexpected word "port"' path del mp0 wan1 port 1
	refused 1 'count needs every TIME' show mp0 count 3
	refused 1 'every 1ms is out of range (10ms..3600s)' show every 1ms
	refused 1 'unknown keyword "loud", known are every, count' show mp0 loud
	refused 1 'unknown keyword "weigt", did you mean "weight"?' \
		path set mp0 wan1 weigt 3
	refused 1 'device name "0123456789abcdef" is longer than 15 characters' \
		show 0123456789abcdef
	refused 1 'unknown command "showw", did you mean "show"?' help showw
	refused 1 'unknown verb "ads" after path, did you mean "add"?' \
		help path ads
	refused 1 'unexpected word "x"' help show x
	refused 1 'remote: there is no device "nonesuch0"' \
		path add mp0 x remote fe80::1%nonesuch0
	refused 1 'hold 2s is out of range (0..1s)' set mp0 sched wrr hold 2s
	refused 1 'port 0 is out of range (1..65535)' add mp9 port 0
	refused 1 'mtu 1279 is out of range (1280..65535)' \
		path set mp0 wan1 mtu 1279
	refused 1 'rekey 0 is out of range (1s..86400s)' set mp0 rekey 0
	refused 1 'park 1001 is out of range (1..1000)' set mp0 park 1001
	refused 1 'dscp 64 is out of range (0..63)' set mp0 dscp 64
	refused 1 'allowed-ips "10.0.0.0/33" does not begin with an address prefix' \
		set mp0 allowed-ips fd00::/8,10.0.0.0/33
	refused 1 'rekey "5ms" is not a multiple of the smallest unit (whole seconds, or m, h or d)' set mp0 rekey 5ms
	refused 1 'rekey "1.5s" is not a multiple of the smallest unit (whole seconds, or m, h or d)' set mp0 rekey 1.5s
	refused 1 'keepalive 65535 is out of range (1s..65534s)' \
		path set mp0 wan1 keepalive 65535
	refused 1 'cipher must be clear, chacha20-poly1305, aes-gcm or auth-only, not "rot13"' \
		add mp9 cipher rot13
	refused 1 'the tunnel name and the class number are missing' class add mp0
	refused 1 'a class needs a mark, dscp, protocol or port, see mptunctl class add --help' class add mp0 3
	refused 1 'no setting is given, see mptunctl class set --help' class set mp0 3
	refused 1 'the number of a class 16 is out of range (0..15)' class add mp0 16 port 1
	refused 1 'the number of a class "ef" is not a whole number' class del mp0 ef
	refused 1 'the number of a class "x" is not a whole number' class show mp0 x
	refused 1 'dscp "af15" is neither a whole number nor a name that is known' class add mp0 3 dscp af15
	refused 1 'dscp 64 is out of range (0..63)' class add mp0 3 dscp 64
	refused 1 'protocol 256 is out of range (0..255)' class add mp0 3 protocol 256
	refused 1 'paths 0 is out of range (1..31)' class add mp0 3 paths 0
	refused 1 'policy must be aggregate, duplicate, pin or nearest, not "all"' \
		class add mp0 3 policy all
	refused 1 'unexpected word "port"' class del mp0 3 port 1
	refused 1 '"port" needs a value (N)' path add mp0 x remote 192.0.2.1 port
}

# checks TUNNEL CHECK: what check has against a tunnel, or one of its paths
checks()
{
	ctl check "$1" -j >out || :
	jq -c --arg check "$2" \
		'map(select(.check == $check and .level == "wrong")) | length' out
}

test_add()
{
	fresh
	export MPTUN_FAKE_ROOT=$work/root
	mkdir -p root/sys/module/mptun
	ctl --version | sed 's/.* //' >root/sys/module/mptun/version
	(umask 077 && ctl key gen >file)
	ctl add mp5 key file address 10.9.0.1/24,fd00:9::1/64 up sched wrr
	check_equal "$(json '.[0] | [.sched, .key_fingerprint != null]' \
		show mp5)" '["wrr",true]'
	check_equal "$(checks mp5 link)" 0
	ctl path add mp5 x remote 192.0.2.1 local 10.9.0.1
	check_equal "$(checks mp5 address)" 0
	ctl path set mp5 x remote 2001:db8::1 local fd00:9::1
	check_equal "$(checks mp5 address)" 0
	ctl path set mp5 x local fd00:9::2
	check_equal "$(checks mp5 address)" 1
	ctl del mp5
	ctl add mp5 key - <file
	check_equal "$(json '.[0].key_fingerprint != null' show mp5)" true
	check_equal "$(checks mp5 link)" 1
	ctl del mp5
	# What has begun is undone.
	failed 2 'mp5: Address 203.0.113.1/24 cannot be set: Address already in use' \
		add mp5 key file address 203.0.113.1/24 up
	# The key is read first, and nothing is sent if it cannot be.
	refused 1 'the key file cannot be read: No such file or directory' \
		add mp5 key nonesuch
	MPTUN_FAKE_FAMILY=none failed 2 \
		'the kernel has no mptun, load the module (modprobe mptun)' \
		add mp5 up
	failed 2 'mp5: a tunnel in clear mode has no key (key)' \
		add mp5 cipher clear id 5 key file
	refused 1 'address "10.9.0.1/33" does not begin with an address prefix' \
		add mp5 address 10.9.0.1/33
	refused 1 'unknown keyword "addres1", did you mean "address"?' \
		add mp5 addres1 10.9.0.1/24
	unset MPTUN_FAKE_ROOT
}

# failed STATUS SENTENCE WORD...: and no tunnel is left
failed()
{
	local rc=0

	ctl "${@:3}" >out 2>err || rc=$?
	check_equal "$(cat err)" "mptunctl: $2"
	check_equal "$rc" "$1"
	unset MPTUN_FAKE_FAMILY
	check_equal "$(json 'map(.ifname)' show)" '["mp0","mp1"]'
}

test_stats()
{
	fresh
	export MPTUN_FAKE_FIGURES=all=0,in-order=5,drop-stats.rx-short=2
	ctl stats mp1 >out
	check_equal "$(grep -Ev ' to ([0-9.]+.?s|more) ' out |
		sed -E 's/^( *[0-9]* [a-z-]*) .*/\1/')" \
"mp1 reordering
                     5 in-order
                       hold-histogram
mp1 drops
                     2 rx-short
mp1 port-drops
                     2 rx-short
mp1 path dsl
               1000000 tx-bytes
                  9970 acked-packets
                    30 lost-packets
                     5 spurious"
	check_equal "$(ctl stats mp1 -j | jq -c '.[0].drops | [.rx_short,
		.rx_kind]')" '[2,0]'
	ctl stats -a mp1 >out
	grep -q '^ *0 rx-kind ' out
	unset MPTUN_FAKE_FIGURES
}

# One grammar, in files as well
test_units()
{
	fresh
	ctl set mp0 rekey 2h buffer 16mb hold 0.01m
	check_equal "$(json '.[0] | [.rekey, .buffer, .hold]' show mp0)" \
		'[7200,16000000,600000]'
	ctl path set mp0 wan1 cap 1.5tb used 1g keepalive 5m rate 0.001tbit
	check_equal "$(json '.[0] | [.cap, .used, .keepalive, .rate]' \
		path show mp0 wan1)" \
		'[1500000000000,1073741824,300,1000000000]'
	ctl showconf mp0 | grep -v '^ID\|^PeerID\|^Cipher\|^Port' |
		sed 's/^Rekey = .*/Rekey = 10m/; s/^Cap = .*/Cap = 50g/' \
			>mp0.conf
	grep -q '^Cap = 50g$' mp0.conf
	ctl setconf ./mp0.conf
	check_equal "$(json '.[0].rekey' show mp0)" 600
	check_equal "$(json '.[0].cap' path show mp0 wan1)" 53687091200
}

# has PATTERN WORD...: whether a line of the output has it
has()
{
	local pattern=$1

	shift
	COLUMNS=300 ctl "$@" >out
	grep -q -- "$pattern" out
}

test_abbreviations()
{
	fresh
	check_equal "$(ctl s mp0)" "$(ctl show mp0)"
	check_equal "$(ctl list mp0)" "$(ctl show mp0)"
	check_equal "$(ctl p sh mp0 wan1)" "$(ctl path show mp0 wan1)"
	# The first of the list, which does the least harm
	check_equal "$(ctl p l mp0 wan1)" "$(ctl path show mp0 wan1)"
	check_equal "$(ctl st mp0)" "$(ctl stats mp0)"
	check_equal "$(ctl showc mp0)" "$(ctl showconf mp0)"
	ctl p se mp0 wan1 wei 9 prio 4 back off
	check_equal "$(json '.[0] | [.weight, .priority, .backup]' \
		path show mp0 wan1)" '[9,4,false]'
	ctl class add mp0 5 port 53
	# The word itself comes before longer ones.
	ctl class set mp0 5 policy duplicate paths 3
	check_equal "$(json '.[0].paths' class show mp0 5)" 3
	# One that fits several is none of them.
	refused 1 '"p" may stand for protocol, port, policy, path, paths, playout' \
		class set mp0 5 p 53
	refused 1 '"o" may stand for on, off' path set mp0 wan1 o
	ctl class delete mp0 5
	ctl pa del mp0 wan2
	check_equal "$(json 'map(.name)' p sh mp0)" '["wan1"]'
	refused 1 'unknown command "d", known are show, path, class, key, set, add, del, up, down, showconf, setconf, syncconf, server, check, monitor, stats, top, record, test, bugreport and help' d mp1
	ctl de mp1
	check_equal "$(json 'map(.ifname)' show)" '["mp0"]'
	# Not "every"
	ctl add e
	check_equal "$(json '.[0].ifname' show e)" '"e"'
	check_equal "$(ctl show e e 10ms c 1 -j | jq -c 'map(.ifname)')" '["e"]'
	check_equal "$(ctl show e 10ms c 1 -j | jq -c 'map(.ifname)')" \
		'["mp0","e"]'
	# Values are not abbreviated, and "complete" is not for people.
	refused 1 'reorder must be off, fixed, adaptive or psmc, not "fix"' \
		set mp0 reorder fix
	refused 1 'unknown command "comp", known are show, path, class, key, set, add, del, up, down, showconf, setconf, syncconf, server, check, monitor, stats, top, record, test, bugreport and help' comp
	ctl -json show mp0 >long
	ctl show mp0 -j >short
	diff long short
	ctl show mp0 --js >short
	diff long short
}

test_batch()
{
	fresh
	cat >lines <<-END
		# A comment, an empty line, and a command on two lines

		path set mp0 wan1 weight 7 # seven
		  path set mp0 "wan1" \\
			priority 5
		show mp0 -j
		add 'mp2'
	END
	check_equal "$(ctl -batch lines | jq -c '.[0].paths[0] |
		[.weight, .priority]')" '[7,5]'
	ctl show mp2 >out
	ctl del mp2
	check_equal "$(ctl -j -b - <lines | jq -c length)" 1
	ctl del mp2

	printf '%s\n' 'path set mp0 wan1 weight 3' '' '# x' \
		'path set mp0 wan1 prio 300' 'shwo' 'set mp7 learn on' \
		'path set mp0 wan1 weight 4' >lines
	refused_batch 1 'lines:4: priority 300 is out of range (0..255)'
	check_equal "$(json '.[0].weight' path show mp0 wan1)" 3
	refused_batch 1 'lines:4: priority 300 is out of range (0..255)
mptunctl: lines:5: unknown command "shwo", did you mean "show"?
mptunctl: lines:6: mp7: no such tunnel' -force
	check_equal "$(json '.[0].weight' path show mp0 wan1)" 4
	echo 'show "mp0' >lines
	refused_batch 1 'lines:1: a quote has no end'
	yes x | head -n 200 | tr '\n' ' ' >lines
	refused_batch 1 'lines:1: the line has too many words'
	echo 'show -n x' >lines
	refused_batch 1 'lines:1: -n, -b and -force belong on the command line, not in a file of commands'
	echo 'show -force' >lines
	refused_batch 1 'lines:1: -n, -b and -force belong on the command line, not in a file of commands'
	refused_batch 1 'lines:1: -n, -b and -force belong on the command line, not in a file of commands' \
		-force
	# Standard input holds the commands, not a key.
	printf '%s\n' 'key set mp1 -' "$(ctl key gen)" |
		refused 1 '-:1: the key cannot be read from standard input, which holds the commands' \
			-b -
	# An error in a configuration file names its line, too
	printf '[Interface]\nPrt = 1\n' >mp0.conf
	echo 'setconf ./mp0.conf' >lines
	refused_batch 1 'lines:1: ./mp0.conf:2: unknown key "Prt" in [Interface], did you mean Port?'
	refused 1 'nonesuch cannot be read: No such file or directory' \
		-b nonesuch
	refused 1 'with -batch FILE there is no command, not "show"' \
		-b lines show
	refused 1 '-force needs -batch FILE' -force show
}

# ended LINE...: SIGTERM ends a run of these commands, also with -force
ended()
{
	local pid rc=0 i

	printf '%s\n' "$@" >lines
	: >out
	MPTUN_FAKE=$work/state "${wrapper[@]}" "$prog" -force -batch lines \
		>out 2>err &
	pid=$!
	until grep -q '^mp1: ' out; do
		sleep 0.05
	done
	kill -TERM "$pid"
	for ((i = 0; i < 100; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL "$pid" 2>/dev/null || :
	wait "$pid" || rc=$?
	check_equal "$rc" 143
}

# interrupted LINE: a signal during a command ends the run as well
interrupted()
{
	local rc=0

	printf '%s\n' "$1" 'add mp8' >lines
	MPTUN_FAKE=$work/state "${wrapper[@]}" "$prog" -force -batch lines \
		>out 2>err || rc=$?
	check_equal "$rc" 143
	check_equal "$(json 'map(.ifname)' show)" '["mp0","mp1"]'
}

# What a command makes of signals ends with it.
test_batch_signals()
{
	local cmd pid rc=0

	fresh
	ctl showconf mp0 >mp0.conf
	printf '[Interface]\nCipher = clear\nID = 9\nPreUp = exit 1\n' \
		>mp7.conf
	for cmd in 'up ./mp7.conf' 'down mp7' 'setconf ./mp0.conf' \
		'syncconf ./mp0.conf' 'top -i 0.1 -n 1' \
		'record -t 0.05 -o file'; do
		echo "$cmd"
		ended "$cmd" 'key show mp1' 'show mp0 every 20ms'
	done
	sed -i "s|^PreUp.*|PreUp = trap '' TERM; kill -TERM \$PPID|" mp7.conf
	interrupted 'up ./mp7.conf'
	check_equal "$(cat err)" \
		'mptunctl: lines:1: interrupted by a signal'
	printf '%s\n' 'record -i 0.1 -o file' 'add mp8' >lines
	: >file
	MPTUN_FAKE=$work/state "${wrapper[@]}" "$prog" -force -batch lines &
	pid=$!
	until grep -q '"type":"sample"' file; do
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" || rc=$?
	check_equal "$rc" 143
	check_equal "$(tail -n 1 file | jq -c '[.type, .reason]')" \
		'["end","signal"]'
	check_equal "$(json 'map(.ifname)' show)" '["mp0","mp1"]'
}

# refused_batch STATUS SENTENCES [OPTION]
refused_batch()
{
	local rc=0

	ctl -batch lines "${@:3}" >out 2>err || rc=$?
	check_equal "$(cat err)" "mptunctl: $2"
	check_equal "$rc" "$1"
}

# In a namespace of users, so that no privileges are needed
test_netns()
{
	fresh
	refused 2 'there is no network namespace "nonesuch": No such file or directory' \
		-n nonesuch show
	refused 2 'there is no network namespace "/nonexistent/self/ns/mnt": No such file or directory' \
		-n /nonexistent/self/ns/mnt show
	unshare -Urn true 2>/dev/null || ktap_skip "no namespaces"
	# shellcheck disable=SC2016 # for the inner shell
	MPTUN_FAKE=$work/state unshare -Urn bash -ec '
		ip link set lo name here
		unshare -n sleep 60 &
		until [ "$(readlink /proc/self/ns/net)" != \
			"$(readlink "/proc/$!/ns/net")" ]; do sleep 0.1; done
		trap "kill $!" EXIT
		"$1" path set mp0 wan1 remote fe80::1%here
		"$1" -n "/proc/$!/ns/net" path set mp0 wan1 remote fe80::2%lo
		! "$1" -netns "/proc/$!/ns/net" \
			path set mp0 wan1 remote fe80::1%here 2>err
	' - "$prog"
	check_equal "$(cat err)" \
		'mptunctl: remote: there is no device "here"'
	check_equal "$(json '.[0].remote' path show mp0 wan1)" '"fe80::2"'
}

# at WORD...: the remote address of the path after a change
at()
{
	ctl path set mp0 wan1 "$@"
	json '.[0].remote' path show mp0 wan1
}

test_host_names()
{
	fresh
	ctl path add mp0 one remote four.test
	check_equal "$(json '.[0].remote' path show mp0 one)" '"192.0.2.7"'
	ctl path add mp0 two remote both.test
	check_equal "$(json '.[0].remote' path show mp0 two)" '"2001:db8::9"'
	ctl path add mp0 three remote both.test local 192.0.2.1
	check_equal "$(json '.[0].remote' path show mp0 three)" '"192.0.2.9"'
	ctl path add mp0 four local 2001:db8::1 remote Both-2.test.
	check_equal "$(json '.[0].remote' path show mp0 four)" '"2001:db8::9"'
	ctl path add mp0 five remote link.test
	check_equal "$(json '.[0] | [.remote, .remote_scope]' \
		path show mp0 five)" '["fe80::9",1]'
	# the family of the path, of local, or another one if it must be
	check_equal "$(at remote both.test)" '"192.0.2.9"'
	check_equal "$(at remote both.test local 2001:db8::1)" '"2001:db8::9"'
	check_equal "$(at remote both.test local any)" '"2001:db8::9"'
	check_equal "$(at remote four.test local any)" '"192.0.2.7"'
	check_equal "$(at remote six.test local any)" '"2001:db8::7"'
	refused 2 'cannot resolve none.test: Name or service not known' \
		path add mp0 x remote none.test
	refused 2 'cannot resolve again.test: Temporary failure in name resolution' \
		path set mp0 wan1 remote again.test
	refused 2 'cannot resolve four.test: it has no IPv6 address' \
		path add mp0 x remote four.test local 2001:db8::1
	refused 2 'cannot resolve six.test: it has no IPv4 address' \
		path set mp0 wan1 remote six.test local 192.0.2.1
	refused 2 'mp0 path nil: no such path' path set mp0 nil remote four.test
	# numbers in other forms are no names
	for word in 192.0.2 192.0.2.256 3221225985 0x7f.1 10.0x1 1.2.3.4. \
		four..test 'four test' "$(printf 'x-%.0s' {1..32})x"; do
		refused 1 "remote \"${word:0:71}\" is neither an IPv4 nor an IPv6 address nor a host name" \
			path add mp0 x remote "$word"
	done
	refused 1 'remote "four.test%lo" is neither an IPv4 nor an IPv6 address nor a host name' \
		path add mp0 x remote four.test%lo
	refused 1 'local "four.test" is neither an IPv4 nor an IPv6 address' \
		path add mp0 x remote 192.0.2.1 local four.test
}

test_kernel_errors()
{
	fresh
	refused 2 'mp7: no such tunnel' show mp7
	refused 2 'mp7: no such tunnel' stats mp7
	refused 2 'mp7: no such tunnel' monitor mp7
	refused 2 'mp7: no such tunnel' path show mp7
	refused 2 'mp7: no such tunnel' set mp7 learn on
	refused 2 'mp7: no such tunnel' del mp7
	refused 2 'mp0 path nil: no such path' path show mp0 nil
	refused 2 'mp0 path nil: no such path' path set mp0 nil off
	refused 2 'mp0 path nil: no such path' path del mp0 nil
	refused 2 'mp7: no such tunnel' class show mp7
	refused 2 'mp0 class 5: no such class' class show mp0 5
	refused 2 'mp0 class 5: no such class' class set mp0 5 order off
	refused 2 'mp0 class 5: no such class' class del mp0 5
	ctl class add mp0 5 port 53
	refused 2 'mp0 class 5: the id is in use' class add mp0 5 port 53
	MPTUN_FAKE_ERROR=12 refused 2 \
		'mp0 class 5 cannot be deleted: Cannot allocate memory' \
		class del mp0 5
	refused 2 'mp0 path wan1: the name is in use' path add mp0 wan1 remote 192.0.2.1
	refused 2 'mp0: no such congestion controller (cc)' set mp0 cc nonesuch
	refused 2 'mp0 cannot be created: File exists' add mp0 id 3
	# 12 is ENOMEM, 1 EPERM.
	MPTUN_FAKE_ERROR=12 refused 2 \
		'mp0 path wan1 cannot be deleted: Cannot allocate memory' \
		path del mp0 wan1
	MPTUN_FAKE_ERROR=1 refused 2 \
		'mp0 cannot be changed: Operation not permitted, CAP_NET_ADMIN is needed' \
		set mp0 learn off
	MPTUN_FAKE_ERROR=1 refused 2 \
		'mp0 cannot be deleted: Operation not permitted, CAP_NET_ADMIN is needed' \
		del mp0
	MPTUN_FAKE_ERROR=95 refused 2 \
		'Operation not supported, the module mptun may not be installed' add mp9
	MPTUN_FAKE_FAMILY=none refused 2 \
		'the kernel has no mptun, load the module (modprobe mptun)' show
}

test_interrupted_dump()
{
	fresh
	check_equal "$(MPTUN_FAKE_INTR=3 json 'map(.paths | length)' show)" \
		'[2,1]'
	MPTUN_FAKE_INTR=100 refused 2 \
		'the list kept changing while it was read' path show
}

# What is sent is tested with a kernel.
test_test()
{
	fresh
	refused 1 'the tunnel name is missing' test
	refused 1 'unknown option "-x", known are -t, -j, -d, -a, -n, -b, -force, -h and -V' test mp0 -x
	refused 1 'unknown keyword "wan2", known are -t' test mp0 wan1 wan2
	refused 1 '-t 0.5 is out of range (1s..3600s)' test mp0 wan1 -t 0.5
	refused 2 'packets cannot be sent through mp0: No such device' test mp0
}

test_help()
{
	local cmd

	rm -f state
	for cmd in show path class key set up down showconf setconf \
		   syncconf add del check monitor stats top record test bugreport help \
		   "path add" "path set" "path del" "path show" \
		   "class add" "class set" "class del" "class show" "key gen" \
		   "key set" "key show"; do
		# shellcheck disable=SC2086 # words
		ctl help $cmd >text
		# shellcheck disable=SC2086 # words
		ctl $cmd --help >option
		diff text option
		# shellcheck disable=SC2086 # words
		ctl $cmd help x >option
		diff text option
		grep -q "^Usage: mptunctl $cmd" text
	done
	ctl --help >option
	ctl help >text
	diff text option
	check_equal "$(ctl --version)" "mptunctl $(cat "$here/../../VERSION")"
	# Help needs neither state nor kernel.
	[ ! -e state ]
	# Range and default of each keyword, on one line or several.
	ctl set -h | tr -s ' \n' ' ' >text
	grep -q ' hold TIME [^()]*(0..1s; default 500ms) ' text
	grep -q ' buffer SIZE [^()]*(64k..256m; default 16m) ' text
	grep -q ' sched NAME [^()]*(auto, greedy, ecf, [^()]*; default auto) ' text
	ctl path add -h | tr -s ' \n' ' ' >text
	grep -q ' port N [^()]*(1..65535; default 4725) ' text
	grep -q ' mtu N|auto [^()]*(1280..65535; default auto) ' text
	check_equal "$(ctl path add -h | awk 'length > 80')" ""
}

test_colors()
{
	fresh
	if ctl show | grep -q $'\033'; then
		return 1
	fi
	type script >/dev/null 2>&1 || ktap_skip "no program script"
	export -f ctl
	TERM=xterm script -qec "MPTUN_FAKE=$work/state '$prog' show" \
		/dev/null </dev/null >out
	grep -q $'\033\[32mup' out
	NO_COLOR=1 TERM=xterm script -qec \
		"MPTUN_FAKE=$work/state '$prog' show" /dev/null </dev/null >out
	if grep -q $'\033' out; then
		return 1
	fi
}

test_full_disk()
{
	fresh
	[ -w /dev/full ] || ktap_skip "no /dev/full"
	local rc=0

	ctl show >/dev/full 2>err || rc=$?
	check_equal "$rc" 2
	check_equal "$(cat err)" "mptunctl: the output cannot be written"
}

ktap_test "cli: settings of a tunnel arrive" test_tunnel_settings
ktap_test "cli: settings of a path arrive" test_path_settings
ktap_test "cli: settings of a class arrive" test_class_settings
ktap_test "cli: lists, and deletion" test_lists
ktap_test "cli: JSON has everything that text has" test_json_is_complete
ktap_test "cli: table of paths" test_table
ktap_test "cli: details" test_details
ktap_test "cli: show fits the terminal" test_width
ktap_test "cli: show every TIME" test_again
ktap_test "cli: monitor" test_monitor
ktap_test "cli: monitor, caps" test_monitor_cap
ktap_test "cli: wrong arguments: one sentence, status 1, nothing sent" test_usage
ktap_test "cli: add with key, addresses and up" test_add
ktap_test "cli: stats leaves out what is zero" test_stats
ktap_test "cli: units" test_units
ktap_test "cli: abbreviations" test_abbreviations
ktap_test "cli: commands from a file, errors name the line" test_batch
ktap_test "cli: a signal ends commands from a file" test_batch_signals
ktap_test "cli: network namespaces" test_netns
ktap_test "cli: host names are looked up, addresses are not" test_host_names
ktap_test "cli: kernel errors: its sentence, status 2" test_kernel_errors
ktap_test "cli: interrupted dumps are read again" test_interrupted_dump
ktap_test "cli: test" test_test
ktap_test "cli: help" test_help
ktap_test "cli: colours on a terminal only" test_colors
ktap_test "cli: output that cannot be written" test_full_disk
ktap_run

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Configuration files: up and down, and what they do to the machine.
# Copyright (C) 2026 The mptun authors
# stages: tt vm-long
#
# The site is that of lib/conf.sh.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck source=selftests/net/lib/conf.sh
. "$NET_DIR/lib/conf.sh"

theme_setup() {
	site
}

# client [LINE...]: the file of a, with these lines in [Interface]
client() {
	{
		printf '%s\n' '[Interface]' 'KeyFile = site.key' \
			'Address = 10.7.0.2/24' 'Address = fd07::2/64' "$@"
		cat <<-END

			[Path one]
			Remote = 198.51.100.7
			Dev = wan1

			[Path two]
			Remote = 2001:db8::7
			Dev = wan2
		END
	} | conf mp0
}

# both: both paths carry data
both() {
	wait_state a mp0 one up
	wait_state a mp0 two up
}

test_up() {
	fresh
	client 'MTU = 1350' 'Routes = 203.0.113.0/24, 2001:db8::9/128'
	up
	both
	eq "address" "$(ipn a -o address show dev mp0 scope global |
		awk '{ print $4 }' | sort | xargs)" "10.7.0.2/24 fd07::2/64"
	eq "MTU" "$(tun_json a mp0 .mtu_now)" 1350
	on a ping -n -q -c 2 -W 1 10.7.0.1
	on a ping -n -q -c 2 -W 1 fd07::1
	[[ $(ipn a route get 203.0.113.9) == *" dev mp0 "* ]]
	[[ $(ipn a -6 route get 2001:db8::9) == *" dev mp0 "* ]]
	[[ $(ipn a route get 203.0.114.1) == *" dev wan1 "* ]]
	refused 5 "mp0 exists already" up
	down
	clean
	refused 2 "mp0 is not up" down
}

# queues: the queueing disciplines of mp0, of the machine's default (0) or not
queues() {
	on a tc -j qdisc show dev mp0 | jq -r \
		'map(.kind + if .handle == "0:" then " 0" else "" end) | sort |
		join(", ")'
}

# plain: how often check finds a plain FIFO
plain() {
	{ ctl a check mp0 -j || [ $? -eq 3 ]; } |
		jq 'map(select(.check == "queue")) | length'
}

# a machine whose default is a plain FIFO; what it has chosen stays
test_queues() {
	local was

	was=$(sysctl -n net.core.default_qdisc)
	fresh
	sysctl -qw net.core.default_qdisc=fq_codel
	client
	up
	eq "queues" "$(queues)" "fq_codel 0, fq_codel 0, mq 0"
	down
	sysctl -qw net.core.default_qdisc=pfifo_fast
	client
	up
	both
	[[ $(queues) != *pfifo_fast* ]] || fail "the queues are $(queues)"
	eq "queues" "$(queues | sed 's/ 0//g')" "fq_codel, fq_codel, mq"
	on a ping -n -q -c 2 -W 1 10.7.0.1
	eq "found" "$(plain)" 0
	# the default, and what somebody has chosen
	on a tc qdisc del dev mp0 root
	eq "found with the default" "$(plain)" 1
	on a tc qdisc replace dev mp0 root mq
	eq "found with a choice" "$(plain)" 0
	down
	sysctl -qw net.core.default_qdisc="$was"
	clean
}

# networks of Address have their routes before those of Routes
test_own_network() {
	fresh
	client 'Routes = 10.7.0.0/24, fd07::/64, 203.0.113.0/24'
	up
	both
	[[ $(ipn a route get 10.7.0.9) == *" dev mp0 "* ]]
	[[ $(ipn a -6 route get fd07::9) == *" dev mp0 "* ]]
	on a ping -n -q -c 1 -W 1 10.7.0.1
	on a ping -n -q -c 1 -W 1 fd07::1
	down
	clean
}

# all packets but its own go through the tunnel, of both versions of IP
test_default() {
	local to

	fresh
	client 'Routes = default'
	up
	both
	for to in 203.0.113.9 203.0.114.1 198.51.100.7; do
		[[ $(ipn a route get "$to") == *" dev mp0 "* ]] || fail "$to"
		[[ $(ipn a route get "$to" mark "$(tun_json a mp0 .fwmark)") == \
			*" dev wan1 "* ]] || fail "$to with mark"
	done
	[[ $(ipn a -6 route get 2001:db8::9) == *" dev mp0 "* ]]
	[[ $(ipn a route get "$(addr c lan)") == *" dev lan "* ]]
	on a ping -n -q -c 2 -W 1 203.0.113.9
	on a ping -n -q -c 2 -W 1 2001:db8::9
	# without a reload, if the uplinks come and go
	ipn a link set wan1 down
	wait_state a mp0 one noroute
	on a ping -n -q -c 2 -W 1 203.0.113.9
	ipn a link set wan1 up
	link_address wan1 A
	link_routes wan1 A
	ipn a route add default via 10.1.1.1 dev wan1 metric 1
	ipn a route add default via fd00:1:1::1 dev wan1 metric 1
	both
	down
	clean
}


# lines FILE REGEX...: the lines of a file, each of which matches
lines() {
	local file=$1 want n=0

	shift
	for want; do
		n=$((n + 1))
		sed -n "${n}p" "$file" | grep -Eqx -- "$want" ||
			fail "line $n is '$(sed -n "${n}p" "$file")', not '$want'"
	done
	eq "lines of $file" "$(wc -l <"$file")" "$n"
}

# each uplink has its own gateway, with reverse path filters as strict as can be
test_source_routing() {
	local dev

	fresh
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Address = 10.7.0.2/24
		Routes = default

		[Path one]
		Remote = 198.51.100.7
		Local = $(addr a wan1)
		Gateway = 10.1.1.1

		[Path two]
		Remote = 198.51.100.7
		Local = $(addr a wan2)
		Dev = wan2
		Gateway = 10.2.1.1

		[Path six]
		Remote = 2001:db8::7
		Dev = wan1
		Gateway = fd00:1:1::1
	END
	for dev in wan1 wan2; do
		ipn a route del default dev "$dev"
		ipn a -6 route del default dev "$dev"
		on a sysctl -qw net.ipv4.conf."$dev".rp_filter=1
	done
	not reaches a 198.51.100.7
	up
	both
	wait_state a mp0 six up
	on a ping -n -q -c 2 -W 1 203.0.113.9
	# other hosts of the uplink's network are not behind its gateway
	[[ $(ipn a route get 10.1.1.77 from "$(addr a wan1)") != *via* ]]
	# nor is what the machine has other routes to
	[[ $(ipn a route get "$(addr c lan)" from "$(addr a wan1)") == \
		*" dev lan "* ]] || fail "c is behind the gateway"
	down
	for dev in wan1 wan2; do
		on a sysctl -qw net.ipv4.conf."$dev".rp_filter=0
		ipn a route add default via "10.${LINK_N[$dev]}.1.1" \
			dev "$dev" metric "${LINK_N[$dev]}"
		ipn a route add default via "fd00:${LINK_N[$dev]}:1::1" \
			dev "$dev" metric "${LINK_N[$dev]}"
	done
	clean
}

# strays_count: begin to count packets from the address of wan2 on wan1
strays_count() {
	on r-wan1 "$(type -P -a nft | tail -n 1)" -f - <<-END
		table ip others {
			chain in {
				type filter hook prerouting priority 0
				ip saddr $(addr a wan2) counter
			}
		}
	END
}

# strays: how many there were
strays() {
	on r-wan1 nft -j list ruleset |
		jq '[.. | .counter?.packets? // empty] | add'
}

# no packet leaves by another uplink while the rest is being set up
# shellcheck disable=SC2016 # for the program
test_up_order() {
	local -x PATH=$TMP/bin:$PATH

	fresh
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Masquerade = tunnel

		[Path two]
		Remote = 198.51.100.7
		Local = $(addr a wan2)
		Gateway = 10.2.1.1
	END
	mkdir -p "$TMP/bin"
	printf '#!/bin/sh\nsleep 1; PATH=${PATH#*:}; exec nft "$@"\n' \
		>"$TMP/bin/nft"
	chmod +x "$TMP/bin/nft"
	strays_count
	up
	rm "$TMP/bin/nft"
	wait_state a mp0 two up
	eq "packets over wan1" "$(strays)" 0
	on r-wan1 nft delete table ip others
	down
	clean
}

# a strict filter drops what comes in for a path with Dev alone
test_filter() {
	local what="rp_filter of wan1 is 1 and drops what comes in for path one"

	fresh
	client 'Routes = default'
	on a sysctl -qw net.ipv4.conf.wan1.rp_filter=1
	up 2>"$TMP/err"
	grep -q "$what, set it to 2" "$TMP/err"
	wait_state a mp0 two up
	not wait_for 3 path_is a mp0 one up
	down
	on a sysctl -qw net.ipv4.conf.wan1.rp_filter=2
	up 2>"$TMP/err"
	[ ! -s "$TMP/err" ]
	both
	down
	on a sysctl -qw net.ipv4.conf.wan1.rp_filter=0
	clean
}

# Table: no rules but those of marks and gateways
test_table() {
	fresh
	client 'Routes = default, 203.0.113.0/24' 'Table = 77'
	up
	both
	[[ $(ipn a rule) != *77* ]]
	eq "routes" "$(ipn a route show table 77 | awk '{ print $1, $3 }' |
		sort | xargs)" "203.0.113.0/24 mp0 default mp0"
	eq "IPv6 routes" "$(ipn a -6 route show table 77 |
		awk '{ print $1, $3 }')" "default mp0"
	[[ $(ipn a route get 203.0.113.9) == *" dev wan1 "* ]]
	down
	clean
	client 'Table = off' 'FwMark = 99'
	up
	eq "mark" "$(tun_json a mp0 .fwmark)" 99
	down
	clean
	# a path with a mark of its own is not led into the tunnel
	client 'Routes = default' 'FwMark = 99'
	sed -i 's/^Dev = wan1/&\nFwMark = 7/' "$TMP/etc/mp0.conf"
	up
	both
	[[ $(ipn a route get 203.0.113.9 mark 99) == *" dev wan1 "* ]]
	[[ $(ipn a route get 203.0.113.9 mark 7) == *" dev wan1 "* ]]
	# and the rules of the user decide about it
	ipn a route add default via 10.2.1.1 dev wan2 table 101
	ipn a rule add pref 30000 fwmark 7 lookup 101
	[[ $(ipn a route get 203.0.113.9 mark 7) == *" dev wan2 "* ]] ||
		fail "the rule of the user"
	ipn a rule del fwmark 7 lookup 101
	ipn a route flush table 101
	# neither the tunnel nor its file is there, which say what the marks are
	ipn a link del mp0
	rm "$TMP/etc/mp0.conf"
	ctl a down mp0
	clean
}

# two tunnels with one mark and one uplink
test_two_tunnels() {
	fresh
	client 'Routes = default' 'FwMark = 99'
	sed -i 's/^Dev = wan1/&\nGateway = 10.1.1.1/' "$TMP/etc/mp0.conf"
	sed -e 's/= default/&\nPort = 4800/' -e 's/10.7/10.8/' -e 's/fd07/fd08/' \
		"$TMP/etc/mp0.conf" >"$TMP/etc/mp1.conf"
	up
	rules >"$TMP/rules"
	ctl a up "$TMP/etc/mp1.conf"
	ctl a down "$TMP/etc/mp1.conf"
	rules | diff "$TMP/rules" - || fail "down of mp1"
	sed -i '2i PostUp = exit 3' "$TMP/etc/mp1.conf"
	refused 2 "mp1.conf:2: the command has failed" \
		ctl a up "$TMP/etc/mp1.conf"
	rules | diff "$TMP/rules" - || fail "failed up of mp1"
	down
	clean
}

# two uplinks whose networks and gateways have one address, and
# one uplink with two gateways
test_twins() {
	fresh
	ipn a address add 192.168.8.100/24 dev wan1
	ipn a address add 192.168.8.101/24 dev wan2
	ipn a address add 10.1.9.2/24 dev wan1
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		[Path one]
		Remote = 198.51.100.7
		Local = 192.168.8.100
		Gateway = 192.168.8.1
		[Path two]
		Remote = 198.51.100.7
		Local = 192.168.8.101
		Gateway = 192.168.8.1
		[Path three]
		Remote = 198.51.100.7
		Dev = wan1
		Local = $(addr a wan1)
		Gateway = 10.1.1.1
		[Path four]
		Remote = 198.51.100.7
		Dev = wan1
		Local = 10.1.9.2
		Gateway = 10.1.9.1
	END
	up
	[[ $(ipn a route get 198.51.100.7 from 192.168.8.100) == \
		*"via 192.168.8.1 dev wan1 "* ]]
	[[ $(ipn a route get 198.51.100.7 from 192.168.8.101) == \
		*"via 192.168.8.1 dev wan2 "* ]] || fail "gateway of the other"
	[[ $(ipn a route get 198.51.100.7 from "$(addr a wan1)" oif wan1) == \
		*"via 10.1.1.1 dev wan1 "* ]]
	[[ $(ipn a route get 198.51.100.7 from 10.1.9.2 oif wan1) == \
		*"via 10.1.9.1 dev wan1 "* ]] || fail "gateway of the device"
	down
	ipn a address del 192.168.8.100/24 dev wan1
	ipn a address del 192.168.8.101/24 dev wan2
	ipn a address del 10.1.9.2/24 dev wan1
	clean
}

test_hooks() {
	fresh
	client "PreUp = echo pre-up %i \$(ip link show mp0 2>&1 | wc -l) >>$TMP/hooks" \
		"PostUp = echo post-up >>$TMP/hooks ; echo again >>$TMP/hooks" \
		"PostUp = mptunctl show %i | head -n 1 >>$TMP/hooks" \
		"PreDown = ip -br link show mp0 >>$TMP/hooks" \
		"PostDown = ip link show %i >>$TMP/hooks 2>&1 || :"
	rm -f "$TMP/hooks"
	up
	lines "$TMP/hooks" 'pre-up mp0 1' post-up again 'mp0: .* of 2 paths up'
	down
	lines "$TMP/hooks" 'pre-up mp0 1' post-up again 'mp0: .*' 'mp0 .*' \
		'Device "mp0" does not exist.'
	clean
}

# stand_in NAME: a program that notes how it is called
stand_in() {
	mkdir -p "$TMP/bin"
	cat >"$TMP/bin/$1" <<-END
		#!/bin/bash
		echo "$1 \$*" >>"$TMP/called"
		[ -t 0 ] || cat >>"$TMP/called"
	END
	chmod +x "$TMP/bin/$1"
}

test_dns() {
	local -x PATH=$TMP/bin:$PATH

	fresh
	client 'DNS = 10.7.0.1, fd07::1' 'DNS = corp.example.org, example.net'
	rm -rf "$TMP/called" "${TMP:?}/bin"
	type resolvconf resolvectl >/dev/null 2>&1 ||
		refused 2 "mp0.conf:5: DNS cannot be set, neither resolvconf nor resolvectl is installed" up
	stand_in resolvconf
	up
	down
	lines "$TMP/called" 'resolvconf -a (tun.)?mp0 -m 0 -x' \
		'nameserver 10.7.0.1' 'nameserver fd07::1' \
		'search corp.example.org example.net' \
		'resolvconf -d (tun.)?mp0 -f'
	rm -rf "$TMP/called" "${TMP:?}/bin"
	clean
	type resolvconf >/dev/null 2>&1 && return
	stand_in resolvectl
	up
	down
	lines "$TMP/called" 'resolvectl dns mp0 10.7.0.1 fd07::1' \
		'resolvectl domain mp0 ~. corp.example.org example.net'
	clean
}

# the firewall is left, and down says so; DNS is gone if the file has none
test_failed_down() {
	fresh
	client 'Routes = default' 'KillSwitch = on' 'DNS = 10.7.0.1'
	rm -rf "$TMP/called" "${TMP:?}/bin"
	stand_in resolvconf
	PATH=$TMP/bin:$PATH up
	dies nft 1
	sed -i '/^DNS/d' "$TMP/etc/mp0.conf"
	PATH=$TMP/bin:$PATH refused 2 \
		"the firewall cannot be removed, nft has failed" down
	grep -q '^resolvconf -d' "$TMP/called"
	eq "tables" "$(on a nft list tables)" "table inet mptun-mp0"
	# a PATH without the folders of the programs of root
	on a env PATH=/usr/bin:/bin "$(type -P mptunctl)" down \
		"$TMP/etc/mp0.conf"
	rm -rf "${TMP:?}/bin"
	clean
}

# c is behind a, and b does not know its network
test_masquerade() {
	fresh
	client 'Routes = default' 'Masquerade = tunnel' 'MssClamp = auto'
	up
	both
	on c ping -n -q -c 2 -W 1 203.0.113.9
	eq "table" "$(on a nft list tables)" "table inet mptun-mp0"
	down
	clean
	client 'Routes = default'
	up
	both
	not reaches c 203.0.113.9
	down
	# and at the other end, where c is behind the tunnel
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Address = 10.7.0.2/24
		Masquerade = uplink

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
	END
	up
	wait_state a mp0 one up
	ipn b route add "10.${LINK_N[lan]}.0.0/16" via 10.7.0.2 dev mp0
	ipn c route del default
	on b ping -n -q -c 2 -W 1 "$(remote a lan)"
	ipn c route add default via "$(addr a lan)"
	ipn b route del "10.${LINK_N[lan]}.0.0/16"
	down
	clean
}

# dropped: packets that the kill switch has dropped
dropped() {
	on a nft -j list ruleset | jq '[.. | .counter?.packets? // empty] | add'
}

# nothing leaves by the uplinks but the tunnel, also after it is gone
test_kill_switch() {
	local before

	fresh
	client 'Routes = default' 'KillSwitch = on'
	reaches a 203.0.113.9
	up
	both
	on a ping -n -q -c 2 -W 1 203.0.113.9
	on a ping -n -q -c 1 -W 1 "$(remote a lan)"
	not on a ping -n -q -c 1 -W 1 -I wan1 203.0.113.9
	not on a ping -n -q -c 1 -W 1 -I wan2 2001:db8::9
	ipn a link del mp0
	not reaches a 203.0.113.9
	before=$(dropped)
	not reaches c 203.0.113.9
	num "dropped of c" "$(dropped) > $before"
	on a nft list table inet mptun-mp0 | grep -q mld2-listener-report
	# a firewall of others is left alone
	on a nft add table inet others
	down
	eq "tables" "$(on a nft list tables)" "table inet others"
	on a nft delete table inet others
	wait_ping a 203.0.113.9
	clean
}

# each step fails once, and those before it are undone
test_failed_up() {
	local words text

	fresh
	while IFS='|' read -r words text; do
		client 'Routes = default' 'Masquerade = tunnel' \
			"PostDown = rm -f $TMP/made" "PreUp = touch $TMP/made" \
			"$words"
		refused 2 "mp0.conf:$text" up
		[ ! -e "$TMP/made" ]
		clean
	done <<-'END'
		PreUp = exit 3|9: the command has failed with status 3
		CC = nosuch|9: no congestion controller of this name (cc)
		Address = ::1|9: 
		Routes = 10.1.1.0/24|9: route to 10.1.1.0/24 cannot be set:
		PostUp = kill $$|9: the command has failed with status 143
	END
}

# another up creates the tunnel after this one has looked: that one stays
test_up_twice() {
	fresh
	client 'Routes = default' "PostDown = touch $TMP/undone" \
		"PreUp = rm $TMP/first 2>&1 || exit 0 ; mptunctl up $TMP/etc/mp0.conf"
	rm -f "$TMP/undone"
	touch "$TMP/first"
	refused 5 "mp0" up
	[ ! -e "$TMP/first" ]
	[ ! -e "$TMP/undone" ]
	both
	[[ $(ipn a route get 203.0.113.9) == *" dev mp0 "* ]]
	on a ping -n -q -c 2 -W 1 203.0.113.9
	down
	[ -e "$TMP/undone" ]
	clean
}

# dies NAME [STATUS]: a program that kills mptunctl, or only fails
# shellcheck disable=SC2016 # for the program
dies() {
	mkdir -p "$TMP/bin"
	printf '#!/bin/sh\n%s\n' "${2:+exit $2}" 'kill -KILL $PPID' \
		>"$TMP/bin/$1"
	chmod +x "$TMP/bin/$1"
}

# the programs that up calls fail, or up is killed while they run
# shellcheck disable=SC2016 # for the command
test_half_done() {
	local -x PATH=$TMP/bin:$PATH
	local what rc

	fresh
	rm -rf "${TMP:?}/bin"
	client 'Routes = default' 'Masquerade = tunnel' 'DNS = 10.7.0.1'
	dies resolvconf 1
	refused 2 "mp0.conf:7: DNS cannot be set, resolvconf has failed" up
	clean
	rm "$TMP/bin/resolvconf"
	dies nft 1
	refused 2 "mp0.conf:6: the firewall cannot be set, nft has failed" up
	rm "$TMP/bin/nft"
	clean
	for what in nft resolvconf hook; do
		client 'Routes = default' 'KillSwitch = on' 'DNS = 10.7.0.1'
		if [ "$what" = hook ]; then
			dies resolvconf 0
			sed -i '2i PostUp = kill -KILL $PPID' \
				"$TMP/etc/mp0.conf"
		else
			dies "$what"
		fi
		rc=0
		up || rc=$?
		eq "status, $what" "$rc" 137
		rm -rf "${TMP:?}/bin"
		[ -n "$(ipn a link show mp0)" ]
		refused 5 "mp0 exists already" up
		# as the tunnel was deleted by hand, and with it its file
		if [ "$what" = hook ]; then
			ipn a link del mp0
			rm "$TMP/etc/mp0.conf"
			ctl a down mp0
		else
			down
		fi
		clean
	done
	# rules alone are left, and up is next
	client 'Routes = default'
	up
	ipn a link del mp0
	up
	both
	down
	clean
}

# shellcheck disable=SC2016 # for the command
test_signal() {
	local -x PATH=$TMP/bin:$PATH

	fresh
	# the step itself succeeds
	client 'Masquerade = tunnel' 'PostUp = kill -TERM $PPID'
	refused 2 "interrupted by a signal" up
	clean
	# syncconf completes what it has begun
	client 'Masquerade = tunnel'
	up
	stand_in nft
	sed -i "2i trap '' TERM; kill -TERM \$PPID; PATH=\${PATH#*:}; exec nft \"\$@\"" \
		"$TMP/bin/nft"
	sync
	rm -rf "${TMP:?}/bin"
	down
	clean
	# the command gets it as well
	client 'Routes = default' 'Masquerade = tunnel' "PostUp = sleep 61.7"
	bg a mptunctl up "$TMP/etc/mp0.conf"
	wait_for 5 pgrep -xf "sleep 61.7"
	kill -TERM "$BG"
	! bg_wait "$BG" || fail "status 0"
	pkill -xf "sleep 61.7" || :
	grep -q "mp0.conf:7: the command has failed with status 143" \
		"$TMP/bg.$BG"
	clean
}

# wan2_again: it was down and has lost addresses and routes
wan2_again() {
	link_address wan2 A
	link_routes wan2 A
	ipn a route add default via 10.2.1.1 dev wan2 metric 2
	ipn a route replace default via fd00:2:1::1 dev wan2 metric 2
}

# uplinks of the file: "VERSION TABLE SELECTOR" of each rule, tables by number
uplinks() {
	ipn a "$@" rule show protocol 47 | sed -n 's/^472[45]:\t//p' | sort
}

# paths change places and gateways, and no rule is left
test_sync_uplinks() {
	local first

	fresh
	client
	sed -i -e 's/^Dev = wan1/&\nGateway = 10.1.1.1/' \
		-e 's/^Dev = wan2/&\nGateway = fd00:2:1::1/' "$TMP/etc/mp0.conf"
	up
	both
	first=$(uplinks)
	[[ $first == "from all oif wan1 lookup "* ]]
	[[ $(uplinks -6) == "from all oif wan2 lookup "* ]]
	sync
	eq "rules" "$(uplinks)" "$first"
	# another order of the paths is other tables
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key
		Masquerade = tunnel
		[Path two]
		Remote = 2001:db8::7
		Dev = wan2
		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
		Local = $(addr a wan1)
		Gateway = 10.1.1.1
	END
	sync
	eq "IPv6 rules" "$(uplinks -6)" ""
	eq "firewall" "$(on a nft list tables)" "table inet mptun-mp0"
	eq "rules" "$(uplinks | wc -l)" 2
	[[ $(uplinks) != *"$first"* ]]
	[[ $(ipn a route get 198.51.100.7 from "$(addr a wan1)") == \
		*" via 10.1.1.1 dev wan1 table "* ]]
	both
	# the same device and table, of the other version of IP
	sed -i -e '/^Local/d' -e 's/^Remote = 198.*/Remote = 2001:db8::7/' \
		-e 's/^Gateway.*/Gateway = fd00:1:1::1/' \
		-e 's/^\[Path one\]/[Path six]/' "$TMP/etc/mp0.conf"
	sync
	eq "rules" "$(uplinks)" ""
	eq "IPv6 rules" "$(uplinks -6 | wc -l)" 1
	sed -i -e '/^Masq/d' -e '/^Gateway/d' "$TMP/etc/mp0.conf"
	sync
	eq "rules" "$(rules)" ""
	eq "firewall" "$(on a nft list tables)" ""
	down
	clean
}

# one: the file with one path, whose packets need no rule
one() {
	conf mp0 <<-END
		[Interface]
		KeyFile = site.key

		[Path one]
		Remote = 198.51.100.7
		Dev = wan1
	END
}

# one_two: and with another one, which has a gateway
one_two() {
	one
	cat >>"$TMP/etc/mp0.conf" <<-END

		[Path two]
		Remote = 198.51.100.7
		Local = $(addr a wan2)
		Gateway = 10.2.1.1
	END
}

# a path has its rules and routes before it begins and until it ends, also if
# the kernel is slow
test_sync_order() {
	fresh
	one
	up
	wait_state a mp0 one up
	strays_count
	one_two
	LD_PRELOAD=$(helper slownetlink.so) sync
	wait_state a mp0 two up
	eq "packets of a new path over wan1" "$(strays)" 0
	one
	LD_PRELOAD=$(helper slownetlink.so) sync
	sleep 1
	eq "packets of an old path over wan1" "$(strays)" 0
	eq "rules" "$(rules)" ""
	on r-wan1 nft delete table ip others
	down
	clean
}

# a change is refused, so rules and routes are as they were
test_sync_uplinks_all() {
	fresh
	one_two
	sed -i 's/^Dev = wan1/&\nGateway = 10.1.1.1/' "$TMP/etc/mp0.conf"
	up
	wait_state a mp0 two up
	state >"$TMP/was"
	# another gateway, another device, and a third path with rules
	sed -i -e 's/^Gateway = 10.1.1.1/Gateway = 10.1.1.9/' \
		-e "s/^Local = .*/Dev = wan2/" "$TMP/etc/mp0.conf"
	cat >>"$TMP/etc/mp0.conf" <<-END

		[Path three]
		Remote = 2001:db8::7
		Dev = wan2
		Gateway = fd00:2:1::1

		[Class 2]
		Port = 54
		Protocol = icmp
	END
	refused 2 "mp0.conf:" sync
	state >"$TMP/is"
	diff "$TMP/was" "$TMP/is" || fail "rules or routes differ"
	wait_state a mp0 one up
	wait_state a mp0 two up
	sed -i '/^\[Class/,$d' "$TMP/etc/mp0.conf"
	sed -i 's/10.1.1.9/10.1.1.1/' "$TMP/etc/mp0.conf"
	sync
	wait_state a mp0 three up
	down
	clean
}

# what is missing does not keep the rest from working
test_missing_uplink() {
	fresh
	client
	sed -i '/^Dev = wan2/s/.*/Dev = wwan9\nGateway = fe80::1/' \
		"$TMP/etc/mp0.conf"
	up 2>"$TMP/err"
	grep -q "mp0.conf:13: path two has no route yet: its device does not exist" \
		"$TMP/err"
	wait_state a mp0 one up
	eq "path two" "$(path_state a mp0 two)" noroute
	on a ping -n -q -c 1 -W 1 10.7.0.1
	# it comes, in the place of wan2
	ipn a link set wan2 down
	ipn a link set wan2 name wwan9
	ipn a link set wwan9 up
	ipn a address add fd00:2:1::2/64 dev wwan9 nodad
	sed -i 's/fe80::1/fd00:2:1::1/' "$TMP/etc/mp0.conf"
	sync
	wait_state a mp0 two up
	ipn a link set wwan9 down
	ipn a link set wwan9 name wan2
	ipn a link set wan2 up
	down
	wan2_again
	clean
	# a name that cannot be looked up: nothing has begun
	client
	sed -i 's/^Remote = 198.*/Remote = nosuch.invalid/' "$TMP/etc/mp0.conf"
	refused 2 "mp0.conf:7: cannot resolve nosuch.invalid" up
	clean
}

# every key of the file of the unit tests, in the kernel
test_every_key() {
	local full

	full=$(dirname -- "${BASH_SOURCE[0]}")/../../tools/test/full.conf
	[ -e "$full" ] || skip "no sources"
	fresh
	stand_in resolvconf
	(umask 077 && sed -e 's/^Remote = vpn.*/Remote = 2001:db8::7/' \
		-e 's/192.168.1.1/10.1.1.1/' -e "s/192.168.1.2/$(addr a wan1)/" \
		"$full" | conf mp0)
	PATH=$TMP/bin:$PATH up
	ctl a showconf mp0 >"$TMP/shown"
	grep -q '^# The key has the fingerprint [0-9a-f]\{16\}\.$' "$TMP/shown"
	not grep -q "$(sed -n 's/^Key = //p' "$full")" "$TMP/shown"
	# it shows what the file says, unless that is the default
	sed -n '/^\[Interface\]/,/^Address/p; /^\[[pP]ath/,$p' \
		"$TMP/etc/mp0.conf" | tr '[:upper:]' '[:lower:]' |
		sed -E -e '/^(key|keygrace|address|gateway|used|mtu|frag|repair|playout|allowedips|mask|fwmark|mark|keepalive) =/d' \
			-e '/^$/d' -e '/^\[path eth/,$d' | sort >"$TMP/want"
	tr '[:upper:]' '[:lower:]' <"$TMP/shown" | sort >"$TMP/have"
	comm -23 "$TMP/want" "$TMP/have" >"$TMP/lacking"
	eq "lacking in showconf" "$(xargs <"$TMP/lacking")" ""
	PATH=$TMP/bin:$PATH down
	clean
}

# other users must not read the key
test_mode() {
	fresh
	client
	sed -i "s/^KeyFile.*/Key = $(sed s,/,'\\/',g "$TMP/etc/site.key")/" \
		"$TMP/etc/mp0.conf"
	chmod 644 "$TMP/etc/mp0.conf"
	up 2>"$TMP/err"
	grep -q "warning: other users may read .*mp0.conf (mode 0644), use chmod 600" \
		"$TMP/err"
	down 2>/dev/null
	chmod 600 "$TMP/etc/mp0.conf"
	up 2>"$TMP/err"
	both
	[ ! -s "$TMP/err" ]
	down
	clean
}

# under traffic, which notices nothing
test_sync() {
	local instance

	fresh
	client
	up
	both
	instance=$(tun_json a mp0 .instance)
	flow_start a b 10.7.0.1 1000 4
	client 'Hold = 100ms' 'Park = off' 'AllowedIPs = 10.0.0.0/8'
	sed -i -e 's/^\[Path two\]/[Path three]/' -e 's/^Dev = wan1/&\nPriority = 3/' \
		"$TMP/etc/mp0.conf"
	printf '[Class 3]\nDSCP = ef\nPolicy = duplicate\n' \
		>>"$TMP/etc/mp0.conf"
	sync
	wait_state a mp0 three up
	eq "settings" "$(ctl a show mp0 -j |
		jq -c '.[0] | [.hold, .park, .allowed_ips]')" \
		'[100000,null,["10.0.0.0/8"]]'
	eq "paths" "$(ctl a path show mp0 -j | jq -c 'map(
		select(.state != "draining").name) | sort')" '["one","three"]'
	eq "priority" "$(path_json a mp0 one .priority)" 3
	eq "classes" "$(ctl a class show mp0 -j | jq -c 'map(.id)')" '[0,3]'
	client
	sync
	eq "settings" "$(ctl a show mp0 -j |
		jq -c '.[0] | [.hold, .park, .allowed_ips]')" \
		'[500000,20,[]]'
	eq "priority" "$(path_json a mp0 one .priority)" 0
	eq "classes" "$(ctl a class show mp0 -j | jq -c 'map(.id)')" '[0]'
	wait_state a mp0 two up
	flow_end
	eq "lost" "$(flow .lost)" 0
	eq "instance" "$(tun_json a mp0 .instance)" "$instance"
	down
	clean
}

# the last change is refused, so the others are taken back
test_sync_all() {
	fresh
	client
	up
	both
	ctl a showconf mp0 >"$TMP/was"
	client 'Hold = 100ms' 'Port = 4800'
	refused 1 "mp0.conf:6: Port cannot change while mp0 exists" sync
	client 'Hold = 100ms'
	sed -i 's/^\[Path two\]/[Path three]/' "$TMP/etc/mp0.conf"
	cat >>"$TMP/etc/mp0.conf" <<-END

		[Class 1]
		Port = 53

		[Class 2]
		Port = 54
		Protocol = icmp
	END
	refused 2 "mp0.conf:" sync
	ctl a showconf mp0 >"$TMP/is"
	diff "$TMP/was" "$TMP/is"
	both
	# setconf as well, and what it shows is what it takes
	client 'Hold = 100ms'
	ctl a setconf mp0 "$TMP/etc/mp0.conf"
	both
	eq "hold" "$(tun_json a mp0 .hold)" 100000
	cp "$TMP/was" "$TMP/etc/mp0.conf"
	ctl a setconf mp0 "$TMP/etc/mp0.conf"
	ctl a showconf mp0 >"$TMP/is"
	diff "$TMP/was" "$TMP/is"
	both
	client
	down
	clean
}

# firewall: what nft has for mptun, without counters
firewall() {
	on a nft -s list ruleset
}

# the firewall is one of the changes
# shellcheck disable=SC2016 # for the program
test_sync_firewall_all() {
	local -x PATH=$TMP/bin:$PATH

	fresh
	rm -rf "${TMP:?}/bin"
	client 'KillSwitch = on'
	up
	both
	ctl a showconf mp0 >"$TMP/was"
	firewall >"$TMP/wall"
	# nft cannot set the new one
	client 'KillSwitch = on' 'Masquerade = tunnel' 'Hold = 100ms'
	mkdir -p "$TMP/bin"
	printf '#!/bin/sh\n%s\n' '[ "$1" != -f ] || exit 1' \
		'PATH=${PATH#*:} exec nft "$@"' >"$TMP/bin/nft"
	chmod +x "$TMP/bin/nft"
	refused 2 "mp0.conf:5: the firewall cannot be set, nft has failed" sync
	rm -rf "${TMP:?}/bin"
	ctl a showconf mp0 | diff "$TMP/was" -
	firewall | diff "$TMP/wall" -
	# what comes after it is refused
	printf '\n[Class 2]\nPort = 54\nProtocol = icmp\n' >>"$TMP/etc/mp0.conf"
	refused 2 "mp0.conf:" sync
	ctl a showconf mp0 | diff "$TMP/was" -
	firewall | diff "$TMP/wall" -
	client 'Masquerade = tunnel'
	sync
	not diff "$TMP/wall" <(firewall)
	both
	# as the tunnel was deleted by hand
	client 'KillSwitch = on'
	sync
	ipn a link del mp0
	sed -i 's/2001:db8::7/nosuch.invalid/' "$TMP/etc/mp0.conf"
	not up 2>"$TMP/err"
	grep -q 'warning: the kill switch of an earlier mp0 drops look-ups, "mptunctl down mp0" ends it' \
		"$TMP/err"
	down
	clean
}

# marks and default routes have rules, which stay
test_sync_marks() {
	local change

	fresh
	client 'Routes = default' 'FwMark = 99'
	sed -i 's/^Dev = wan1/&\nFwMark = 7/' "$TMP/etc/mp0.conf"
	cp "$TMP/etc/mp0.conf" "$TMP/was"
	up
	both
	sync
	for change in 's/= 99/= 98/' '/= 99/d' 's/= 7$/= 8/' '/^Routes/d' \
		's/= default/= 0.0.0.0\/0/'; do
		sed "$change" "$TMP/was" >"$TMP/etc/mp0.conf"
		refused 1 "cannot change while default routes lead into mp0" \
			sync
	done
	eq "mark" "$(tun_json a mp0 .fwmark)" 99
	sed '/= 7$/d' "$TMP/was" >"$TMP/etc/mp0.conf"
	sync
	both
	down
	clean
}

# as wg-quick(8) ends that was there before: it deletes what it takes for its rules
wg_ends() {
	local v

	for v in -4 -6; do
		ipn a "$v" rule add table main suppress_prefixlength 0 priority 32764
		while ipn a "$v" rule | grep -q "from all lookup main suppress_prefixlength 0"; do
			ipn a "$v" rule delete table main suppress_prefixlength 0
		done
	done
}

# rules that others have deleted, of default routes and of uplinks
test_rules_deleted() {
	fresh
	client 'Routes = default' 'FwMark = 99'
	sed -i 's/^Dev = wan1/&\nFwMark = 7\nGateway = 10.1.1.1/' "$TMP/etc/mp0.conf"
	up
	both
	rules >"$TMP/was"
	wg_ends
	not grep -q suppress <(rules)
	not ctl a check mp0 >"$TMP/said"
	grep -q '^wrong: mp0: another program has deleted rules of its routing' "$TMP/said"
	sync
	rules | diff "$TMP/was" -
	ctl a check mp0 | not grep -q 'rules of its routing'
	ipn a rule flush protocol 47
	ipn a -6 rule flush protocol 47
	eq "rules" "$(rules)" ""
	sync
	rules | diff "$TMP/was" -
	down
	clean
}

# named WORD...: mptunctl on a, which knows the name server.test
named() {
	echo "198.51.100.7 server.test" >"$TMP/hosts"
	# shellcheck disable=SC2016 # for the shell
	on a unshare -m sh -c 'mount --bind "$1" /etc/hosts && shift && exec mptunctl "$@"' \
		sh "$TMP/hosts" "$@"
}

# the mark of a path whose peer has a name
test_sync_marks_named() {
	fresh
	client 'Routes = default'
	sed -i 's/198.51.100.7/server.test/; s/^Dev = wan1/&\nFwMark = 7/' \
		"$TMP/etc/mp0.conf"
	named up "$TMP/etc/mp0.conf"
	both
	sed -i 's/= 7$/= 8/' "$TMP/etc/mp0.conf"
	not named syncconf "$TMP/etc/mp0.conf" 2>"$TMP/err"
	grep -q "mp0.conf:10: FwMark cannot change while default routes lead into mp0" \
		"$TMP/err"
	eq "mark" "$(path_json a mp0 one .fwmark)" 7
	both
	down
	clean
}

# a file of showconf has no firewall, so setconf leaves that alone
test_set_shown() {
	fresh
	client 'Masquerade = tunnel'
	up
	both
	mkdir -p "$TMP/etc/shown"
	ctl a showconf mp0 >"$TMP/etc/shown/mp0.conf"
	ctl a setconf "$TMP/etc/shown/mp0.conf"
	eq "tables" "$(on a nft list tables)" "table inet mptun-mp0"
	ctl a syncconf "$TMP/etc/shown/mp0.conf"
	eq "tables" "$(on a nft list tables)" ""
	down
	clean
}

# the files of the guide, with other names of devices and gateways
test_guide() {
	fresh
	ctl b down "$TMP/etc/b/mp0.conf"
	cp "$TMP/etc/site.key" "$TMP/etc/b/"
	guide block "Set up a server" 1 >"$TMP/etc/b/mp0.conf"
	ctl b up "$TMP/etc/b/mp0.conf"
	guide block "Set up a router" 1 | sed -e 's/ppp0/wan1/' \
		-e 's/wwan0/wan2/' -e 's/none/10.1.1.1/' \
		-e 's/192.168.8.1/10.2.1.1/' | conf mp0
	up
	wait_state a mp0 dsl up
	wait_state a mp0 lte up
	on c ping -n -q -c 2 -W 1 203.0.113.9
	on a ping -n -q -c 2 -W 1 fd07::1
	down
	clean
	ctl b down "$TMP/etc/b/mp0.conf"
	server
}

t "up and down: addresses, MTU, paths, routes" test_up
t "the queues are no plain FIFOs, unless chosen" test_queues
t "routes to the networks of Address" test_own_network
t "default route: everything but the tunnel's own packets" test_default
t "gateways: source routing with strict reverse path filters" test_source_routing
t "gateways: no packet before their rules" test_up_order
t "reverse path filter: up warns" test_filter
t "routes in a table, marks" test_table
t "tunnels with one mark" test_two_tunnels
t "gateways with one address, and of one device" test_twins
t "commands run in their places" test_hooks
t "resolvers are set and withdrawn" test_dns
t "failed down: what is left is said" test_failed_down
t "masquerading, at both ends" test_masquerade
t "kill switch" test_kill_switch
t "failed up: the line is named, nothing is left" test_failed_up
t "up at the same time as another: that one stays" test_up_twice
t "half of up: down finds what is there" test_half_done
t "a signal ends up, nothing is left" test_signal
t "uplinks and names that are missing" test_missing_uplink
t "every key, and showconf" test_every_key
t "the files of the guide" test_guide
t "warning if others may read the key" test_mode
t "syncconf: what differs, under traffic" test_sync
t "syncconf: gateways" test_sync_uplinks
t "syncconf: no packet of a path without its rules" test_sync_order
t "syncconf: rules and routes, all or none" test_sync_uplinks_all
t "syncconf: the firewall, all or none" test_sync_firewall_all
t "syncconf: marks and default routes" test_sync_marks
t "syncconf: the mark of a path with a name" test_sync_marks_named
t "rules that others delete" test_rules_deleted
t "setconf: a file of showconf" test_set_shown
t "syncconf and setconf: all or nothing" test_sync_all
run_theme

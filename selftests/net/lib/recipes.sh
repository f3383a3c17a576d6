# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The network of the recipes, and how a test types what their page says.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes after lib.sh.
#
#   ┌────┐     ┌──────┐ eth0 (20 Mbit/s, 10 ms)          ┌─────┐      ┌────────┐
#   │ pc ├─────┤ home ├──────────────────────────────────┤ net ├──────┤ server │
#   └────┘ lan │      │ wwan0 (10 Mbit/s, 20 ms) ┌─────┐ │     │ eth0 └────────┘
#              │      ├──────────────────────────┤ lte ├─┤     │
#              └──────┘                          └─────┘ └─────┘
#
# Devices and addresses are those of the page. net is the Internet: it has a
# host 192.0.2.80 and 2001:db8:80::80, knows no private address, and notes what
# comes in. lte is a modem with NAT. home and server have folders /etc.

# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck source=selftests/net/lib/etc.sh
. "$NET_DIR/lib/etc.sh"
TOOLS+=(mptund)

USER_GUIDE=$GUIDE
GUIDE=$TREE_DIR/Documentation/recipes.rst
WEB=192.0.2.80
WEB6=2001:db8:80::80

# world: the network, as a customer of both providers finds it
world() {
	hosts pc home server
	routers net lte
	own_etc home server
	join home eth0 net dsl
	join home wwan0 lte lan
	join lte wan net lte
	join home lan pc eth0
	join server eth0 net srv
	world_addresses
	on net tc -batch - <<-END
		qdisc add dev dsl root netem limit 200 rate 20mbit delay 10ms
		qdisc add dev lte root netem limit 200 rate 10mbit delay 20ms
	END
	on lte nft -f - <<-END
		table ip modem {
			chain in {
				type filter hook forward priority 0
				iifname wan ct state new drop
			}
			chain out {
				type nat hook postrouting priority 100
				oifname wan masquerade
			}
		}
	END
	world_notes
	units
}

# world_addresses: those of all hosts but the uplinks of home
world_addresses() {
	ip -n "$NSP-net" -batch - <<-END
		address add $WEB/32 dev lo
		address add $WEB6/128 dev lo nodad
		address add 203.0.113.1/24 dev dsl
		address add 2001:db8:20::1/64 dev dsl nodad
		address add 100.64.7.1/24 dev lte
		address add 198.51.100.1/24 dev srv
		address add 2001:db8:7::1/64 dev srv nodad
	END
	ip -n "$NSP-lte" -batch - <<-END
		address add 192.168.8.1/24 dev lan
		address add 100.64.7.2/24 dev wan
		route add default via 100.64.7.1
	END
	ip -n "$NSP-server" -batch - <<-END
		address add 198.51.100.7/24 dev eth0
		address add 2001:db8:7::7/64 dev eth0 nodad
		route add default via 198.51.100.1
		route add default via 2001:db8:7::1
	END
	ip -n "$NSP-home" -batch - <<-END
		address add 192.168.1.1/24 dev lan
		address add fd01::1/64 dev lan nodad
	END
	ip -n "$NSP-pc" -batch - <<-END
		address add 192.168.1.50/24 dev eth0
		address add fd01::50/64 dev eth0 nodad
		route add default via 192.168.1.1
		route add default via fd01::1
	END
}

# uplinks: those of home, as DHCP and a modem configure them
uplinks() {
	uplink_dsl
	ip -n "$NSP-home" -batch - <<-END
		address add 192.168.8.100/24 dev wwan0
		route add default via 192.168.8.1 dev wwan0 metric 300
	END
}

uplink_dsl() {
	ip -n "$NSP-home" -batch - <<-END
		address add 203.0.113.20/24 dev eth0
		route add default via 203.0.113.1 dev eth0 metric 100
	END
}

# world_notes: net notes "DEV . FROM . TO" of pings, and of packets of tunnels
# and of WireGuard
world_notes() {
	local name type

	{
		echo "table inet notes {"
		for name in ping ping6 outer outer6 wg; do
			type=ipv4_addr
			[[ $name != *6 ]] || type=ipv6_addr
			echo "set $name {"
			echo "type ifname . $type . $type; size 1000"
			echo "flags dynamic; }"
		done
		cat <<-END
			chain in {
			type filter hook prerouting priority -300
			icmp type echo-request update @ping \
				{ iifname . ip saddr . ip daddr }
			icmpv6 type echo-request update @ping6 \
				{ iifname . ip6 saddr . ip6 daddr }
			meta nfproto ipv4 udp dport 4725 update @outer \
				{ iifname . ip saddr . ip daddr }
			meta nfproto ipv6 udp dport 4725 update @outer6 \
				{ iifname . ip6 saddr . ip6 daddr }
			udp dport 51820-51822 update @wg \
				{ iifname . ip saddr . ip daddr }
			}
			}
		END
	} | on net nft -f -
}

# noted SET: what net has noted since forget(), one "DEV . FROM . TO" per line
noted() {
	on net nft -j list set inet notes "$1" | jq -r '.nftables[].set? |
		values | .elem[]? | (.elem?.val? // .) | .concat | join(" ")' |
		sort
}

# forget: net notes what comes from now on
forget() {
	local name

	for name in ping ping6 outer outer6 wg; do
		echo "flush set inet notes $name"
	done | on net nft -f -
}

# seen_as HOST WEB DEV FROM: pings of a host to the Internet are answered, and
# come to net from that device and address alone
seen_as() {
	local set=ping

	[[ $2 != *:* ]] || set=ping6
	forget
	on "$1" ping -n -q -c 3 -i 0.2 -W 1 "$2"
	eq "pings of $1" "$(noted "$set")" "$3 $4 $2"
}

# comes_by [6] "DEV FROM"...: since forget() packets of tunnels have come to net
# from all these devices and addresses, and from no others
comes_by() {
	local set=outer server=198.51.100.7

	[ "$1" != 6 ] || {
		set=outer6 server=2001:db8:7::7
		shift
	}
	eq "packets of tunnels" "$(noted "$set" | grep -v ^srv)" \
		"$(printf "%s $server\n" "$@" | sort)"
}

# silent DEV: an uplink of home, or the network behind it, loses everything
silent() {
	on net tc qdisc add dev "$1" clsact
	on net tc filter add dev "$1" egress matchall action drop
	on net tc filter add dev "$1" ingress matchall action drop
}

# audible DEV: the opposite
audible() {
	on net tc qdisc del dev "$1" clsact
}

# the tunnel at home, and its other end
TUN=mp0
PEER=10.7.0.1

# fails DEV PATH: silent(), and the path is down
fails() {
	silent "$1"
	on home ping -q -c 5 -i 0.2 -W 1 "$PEER" || :
	wait_for 10 path_is home "$TUN" "$2" down
}

# works DEV PATH: the opposite
works() {
	audible "$1"
	wait_state home "$TUN" "$2" up
}

# rises SERVER CLIENT TITLE: a tunnel by these two files of the page, with its
# own name, without a unit
rises() {
	writes server "$3" "$1"
	writes home "$3" "$2"
	on server sysctl -qw net.ipv4.ip_forward=1
	home server mptunctl up "$TUN"
	home home mptunctl up "$TUN"
}

# units: systemctl, for what the units of tunnels and of FRR start
units() {
	mkdir -p "$TMP/bin"
	cat >"$TMP/bin/systemctl" <<-'END'
		#!/bin/sh
		case "$*" in
		"enable --now mptun@"*)
			name=${3#mptun@}
			mptunctl up "$name" || exit
			! mptund -c "$name" || mptund "$name" &
			;;
		"restart frr")
			mkdir -p /run/frr
			mount -t tmpfs none /run/frr
			chown frr:frr /run/frr
			/usr/lib/frr/zebra -d
			! grep -q ^ospfd=yes /etc/frr/daemons ||
				/usr/lib/frr/ospfd -d
			vtysh -b
			;;
		*) exit 1 ;;
		esac
	END
	chmod +x "$TMP/bin/systemctl"
}

# types HOST TITLE N [SED...]: a host runs commands of the page, unchanged or
# changed by sed
types() {
	local host=$1 title=$2 n=$3

	shift 3
	runs "$host" "$(guide block "$title" "$n" | sed -e '' "$@")"
}

# runs HOST SCRIPT
runs() {
	echo "--- on $1: $2"
	PATH=$TMP/bin:$PATH home "$1" bash -e -c "$2" >>"$TMP/typed" 2>&1 || {
		cat "$TMP/typed"
		return 1
	}
}

# writes HOST TITLE N [SED...]: a host gets a file of the page, unchanged or
# changed by sed; the paragraph before the file names it
writes() {
	local host=$1 title=$2 n=$3 file text

	shift 3
	text=$(guide file "$title" "$n")
	file=${text%%$'\n'*}
	[[ $file == /etc/* ]] || fail "'$title' $n is no file"
	file=$TMP/etc.$host${file#/etc}
	mkdir -p "${file%/*}"
	(umask 077 && sed -e '' "$@" <<<"${text#*$'\n'}" >"$file")
}

# shared_key: both ends have a key
shared_key() {
	(umask 077 && mptunctl key gen >"$TMP/etc.home/mptun/site.key")
	cp -p "$TMP/etc.home/mptun/site.key" "$TMP/etc.server/mptun/"
}

# site: the network, with both uplinks and a key
site() {
	world
	uplinks
	shared_key
}

# starts HOST: as the user guide says
starts() {
	[ -e "$TMP/start" ] ||
		GUIDE=$USER_GUIDE guide block "Start it, now and at boot" 1 \
			>"$TMP/start"
	runs "$1" "$(<"$TMP/start")"
}

# both: both paths of home are up
both() {
	wait_state home mp0 dsl up
	wait_state home mp0 lte up
}

# sent PATH: the bytes that home has sent over it
sent() {
	path_json home "$TUN" "$1" .stats.tx_bytes
}

# unused PATH: it carries next to nothing of what home sends
unused() {
	local before

	before=$(sent "$1")
	flow_start home server "$PEER" 4000 2
	flow_end
	num "bytes over $1" "$(sent "$1") - $before < 20000"
	eq lost "$(flow .lost)" 0
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The recipes, as their page says.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
# lib/recipes.sh has the network. Each test makes it, types what the page says,
# and looks at which path carries what, from which address. Then something that
# the page asks for is missing, and it must not work.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/recipes.sh
. "$NET_DIR/lib/recipes.sh"

TOOLS+=(busybox vtysh)

# --- home router

# provider FIRST: a DHCP server that assigns this address
provider() {
	cat >"$TMP/udhcpd" <<-END
		start $1
		end $1
		interface dsl
		lease_file $TMP/leases
		pidfile $TMP/udhcpd.pid
		option subnet 255.255.255.0
		option router 203.0.113.1
	END
	: >"$TMP/leases"
	bg net busybox udhcpd -f "$TMP/udhcpd"
	PROVIDER=$BG
}

# dhcp: eth0 of home gets its address, and a default route
dhcp() {
	cat >"$TMP/lease" <<-'END'
		#!/bin/sh
		[ "$1" = bound ] || exit 0
		ip address flush dev "$interface" scope global
		ip address add "$ip/$mask" dev "$interface"
		ip route replace default via "$router" dev "$interface" \
			metric 100
	END
	chmod +x "$TMP/lease"
	on home busybox udhcpc -i eth0 -n -q -s "$TMP/lease"
}

test_home_router() {
	local title="Home router with DSL and LTE" got

	world
	uplinks
	ipn home address flush dev eth0 scope global
	provider 203.0.113.20
	dhcp
	shared_key
	writes server "$title" 1
	writes home "$title" 2
	starts server
	starts home
	both
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	seen_as pc "$WEB" srv 198.51.100.7
	seen_as home "$WEB" srv 198.51.100.7
	got=$(tcp pc net "$WEB" 3 -R)
	figure "download of the network behind" "$got" Mbit/s
	timely "rate" "$got > 22"
	# one line fails, and the other one as well
	fails dsl dsl
	seen_as pc "$WEB" srv 198.51.100.7
	works dsl dsl
	fails lte lte
	seen_as pc "$WEB" srv 198.51.100.7
	works lte lte
	# another address by DHCP
	bg_kill "$PROVIDER"
	provider 203.0.113.21
	dhcp
	forget
	wait_state home mp0 dsl up
	eq "packets of dsl" "$(noted outer | grep ^dsl)" \
		"dsl 203.0.113.21 198.51.100.7"
	fails lte lte
	seen_as pc "$WEB" srv 198.51.100.7
	audible lte
	# without Masquerade the server does not know who asks
	home home mptunctl down mp0
	sed -i '/^Masquerade/d' "$TMP/etc.home/mptun/mp0.conf"
	home home mptunctl up mp0
	both
	not reaches pc "$WEB"
}

# --- IPv4 and IPv6

test_dual_stack() {
	local title="IPv4 and IPv6"

	world
	uplinks
	ip -n "$NSP-home" -batch - <<-END
		address add 2001:db8:20::20/64 dev eth0 nodad
		route add default via 2001:db8:20::1 dev eth0 metric 100
	END
	shared_key
	writes server "$title" 1
	writes home "$title" 2
	starts server
	starts home
	both
	comes_by "lte 100.64.7.2"
	comes_by 6 "dsl 2001:db8:20::20"
	wait_sized home mp0 dsl
	wait_sized home mp0 lte
	wait_for 30 mtu_is 1408
	# both versions of IP over each path alone
	seen_as pc "$WEB" srv 198.51.100.7
	seen_as pc "$WEB6" srv 2001:db8:7::7
	fails dsl dsl
	wait_for 30 mtu_is 1428
	seen_as pc "$WEB" srv 198.51.100.7
	seen_as pc "$WEB6" srv 2001:db8:7::7
	works dsl dsl
	fails lte lte
	seen_as pc "$WEB" srv 198.51.100.7
	seen_as pc "$WEB6" srv 2001:db8:7::7
	works lte lte
	# without an address of IPv6 inside only IPv4 is led into the tunnel
	home home mptunctl down mp0
	sed -i 's/, fd07::2.*//' "$TMP/etc.home/mptun/mp0.conf"
	home home mptunctl up mp0
	both
	wait_ping pc "$WEB"
	not reaches pc "$WEB6"
}

mtu_is() {
	[ "$(tun_json home mp0 .mtu_now)" = "$1" ]
}

# --- source routing by hand

test_by_hand() {
	local title="Source routing by hand"

	site
	writes server "Home router with DSL and LTE" 1
	starts server
	types home "$title" 1
	types home "$title" 2
	both
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	seen_as home "$WEB" srv 198.51.100.7
	fails dsl dsl
	seen_as home "$WEB" srv 198.51.100.7
	works dsl dsl
	ipn home rule del lookup 102
	wait_state home mp0 lte noroute
	eq "reason" "$(path_json home mp0 lte .reason)" loop
	eq "the other path" "$(path_state home mp0 dsl)" up
}

# modems: two on one switch with eth0 and eth1 of home, in place of the uplinks
modems() {
	local n dev

	hosts switch
	routers m1 m2
	ipn switch link add br0 type bridge
	ipn switch link set br0 up
	ipn home link del eth0
	for n in 1 2; do
		dev=eth$((n - 1))
		join home "$dev" switch "home$n"
		join "m$n" lan switch "m$n"
		join "m$n" wan net "m$n"
		ipn switch link set "home$n" master br0
		ipn switch link set "m$n" master br0
		ipn home address add "192.168.5.$((9 + n))/24" dev "$dev"
		ipn "m$n" address add "192.168.5.$n/24" dev lan
		ipn "m$n" address add "100.64.$n.2/24" dev wan
		ipn "m$n" route add default via "100.64.$n.1"
		ipn net address add "100.64.$n.1/24" dev "m$n"
		on net tc -batch - <<-END
			qdisc add dev m$n root netem limit 200 rate 10mbit \
				delay 10ms
		END
		on "m$n" nft -f - <<-END
			table ip modem {
				chain out {
					type nat hook postrouting priority 100
					oifname wan masquerade
				}
			}
		END
	done
}

# arp_answers ADDRESS: how many devices answer a modem that asks for it
arp_answers() {
	bg m2 tcpdump -n -l -i lan arp
	sleep 0.5
	on m2 ip neighbour flush dev lan
	on m2 ping -n -q -c 1 -W 1 "$1" >/dev/null
	sleep 0.5
	bg_kill "$BG"
	grep -o "Reply $1 is-at [0-9a-f:]*" "$TMP/bg.$BG" | sort -u | wc -l
}

# came DEV: the bytes that have come in
came() {
	ipn home -j -s link show "$1" | jq '.[0].stats64.rx.bytes'
}

test_one_network() {
	local title="Two uplinks in one network" one two

	world
	modems
	eq "answers for eth1" "$(arp_answers 192.168.5.11)" 2
	shared_key
	writes server "Home router with DSL and LTE" 1
	starts server
	writes home "$title" 3
	starts home
	wait_state home mp0 one up
	wait_state home mp0 two up
	home home mptunctl check mp0 >"$TMP/said" || :
	grep -q "eth0 and eth1 are in one network" "$TMP/said"
	writes home "$title" 1
	types home "$title" 2
	eq "answers for eth1" "$(arp_answers 192.168.5.11)" 1
	eq "answers for eth0" "$(arp_answers 192.168.5.10)" 1
	home home mptunctl check mp0 >"$TMP/said" || :
	not grep -q "are in one network" "$TMP/said"
	comes_by "m1 100.64.1.2" "m2 100.64.2.2"
	seen_as pc "$WEB" srv 198.51.100.7
	one=$(came eth0) two=$(came eth1)
	figure "download over both" "$(tcp pc net "$WEB" 3 -R)" Mbit/s
	num "share of eth0" "$(came eth0) - $one > 2000000"
	num "share of eth1" "$(came eth1) - $two > 2000000"
}

# --- public addresses at home

# answers ADDRESS: pings from the Internet to an address are answered
answers() {
	on net ping -n -q -c 1 -W 1 -I "$WEB" "$1"
}

# a page of the web server at pc, asked for by the Internet
fetched() {
	on net curl -s -m 5 --interface "$WEB" "http://$1/hello" |
		grep -qx hello
}

test_public_address() {
	local title="A public address of the server at home"

	site
	writes server "$title" 1
	writes home "$title" 2
	starts server
	starts home
	both
	seen_as home "$WEB" srv 198.51.100.8
	seen_as pc "$WEB" srv 198.51.100.8
	answers 198.51.100.8
	on home ping -n -q -c 1 -W 1 10.7.0.1
	mkdir -p "$TMP/www"
	echo hello >"$TMP/www/hello"
	bg pc busybox httpd -f -p 80 -h "$TMP/www"
	wait_for 5 listens pc 80
	not fetched 198.51.100.8
	types home "$title" 3
	fetched 198.51.100.8
	# over either line
	fails dsl dsl
	fetched 198.51.100.8
	works dsl dsl
	fails lte lte
	fetched 198.51.100.8
	works lte lte
	# the server does not answer for it any more
	home server mptunctl down mp0
	eq "proxies" "$(ipn server neighbour show proxy)" ""
	sed -i '/^Post/d' "$TMP/etc.server/mptun/mp0.conf"
	home server mptunctl up mp0
	both
	ipn net neighbour flush dev srv
	not answers 198.51.100.8
}

# denied: packets that the server has dropped for their addresses
denied() {
	tun_json server mp0 .drops.rx_not_allowed
}

test_public_network() {
	local title="A network with public addresses"

	world
	uplinks
	ip -n "$NSP-net" -batch - <<-END
		route add 198.51.100.64/29 via 198.51.100.7
		route add 2001:db8:7:101::/64 via 2001:db8:7::7
	END
	ip -n "$NSP-pc" -batch - <<-END
		address flush dev eth0
		address add 198.51.100.66/29 dev eth0
		address add 2001:db8:7:101::66/64 dev eth0 nodad
		route replace default via 198.51.100.65
		route replace default via 2001:db8:7:101::1
	END
	shared_key
	writes server "$title" 1
	types home "$title" 2
	writes home "$title" 3
	starts server
	starts home
	both
	seen_as pc "$WEB" srv 198.51.100.66
	seen_as pc "$WEB6" srv 2001:db8:7:101::66
	seen_as home "$WEB" srv 198.51.100.65
	answers 198.51.100.66
	on net ping -n -q -c 1 -W 1 2001:db8:7:101::66
	fails dsl dsl
	answers 198.51.100.66
	works dsl dsl
	# an address of someone else
	ipn pc address add 198.51.100.99/32 dev eth0
	eq "denied" "$(denied)" 0
	not on pc ping -n -q -c 1 -W 1 -I 198.51.100.99 "$WEB"
	eq "denied" "$(denied)" 1
	sed -i '/^Routes/d' "$TMP/etc.server/mptun/mp0.conf"
	home server mptunctl down mp0
	home server mptunctl up mp0
	both
	not answers 198.51.100.66
}

# --- WireGuard

# home_router: the recipe that others begin with
home_router() {
	local title="Home router with DSL and LTE"

	site
	writes server "$title" 1
	writes home "$title" 2
	starts server
	starts home
	both
}

# wg_key FILE: a key; prints the public one
wg_key() {
	mkdir -p "$(dirname "$1")"
	(umask 077 && wg genkey >"$1")
	wg pubkey <"$1"
}

# vpn PUBLIC: the VPN server of a company at the Internet, for that client
vpn() {
	ipn net link add wg0 type wireguard
	on net wg set wg0 listen-port 51820 private-key "$TMP/vpn.key" \
		peer "$1" allowed-ips 10.9.0.2/32
	ip -n "$NSP-net" -batch - <<-END
		address add 10.20.0.1/16 dev wg0
		link set wg0 mtu 1340 up
		route add 10.9.0.2/32 dev wg0
	END
}

# leads HOST TO DEV [OPTION...]: the route of a host
leads() {
	local host=$1 to=$2 dev=$3

	shift 3
	[[ $(ipn "$host" route get "$to" "$@") == *" dev $dev "* ]] ||
		fail "$to does not lead to $dev"
}

test_wireguard_inside() {
	local title="WireGuard inside the tunnel" server

	home_router
	server=$(wg_key "$TMP/vpn.key")
	vpn "$(wg_key "$TMP/etc.home/wireguard/wg0.key")"
	writes home "$title" 1 -e "s,(key of the VPN server),$server,"
	types home "$title" 2
	forget
	wait_ping home 10.20.0.1
	eq "packets of WireGuard" "$(noted wg)" "srv 198.51.100.7 $WEB"
	seen_as home "$WEB" srv 198.51.100.7
	sized home 1340 10.20.0.1 2
	fails dsl dsl
	wait_ping home 10.20.0.1
	works dsl dsl
	# a default route, as wg-quick sets it, before the tunnel or after it
	on home wg set wg0 fwmark 51820 peer "$server" allowed-ips 0.0.0.0/0
	ipn home route add default dev wg0 table 51820
	ipn home rule add not fwmark 51820 table 51820 priority 32765
	ipn home rule add table main suppress_prefixlength 0 priority 32764
	leads home 203.0.114.1 mp0
	home home mptunctl down mp0
	sed -i "s,^Routes.*,Routes = $WEB/32," "$TMP/etc.home/mptun/mp0.conf"
	home home mptunctl up mp0
	both
	leads home 203.0.114.1 wg0
	leads home "$WEB" mp0 mark 51820
	wait_ping home 10.20.0.1
	ipn home rule del priority 32764
	ipn home rule del priority 32765
	ipn home rule add not fwmark 51820 table 51820
	ipn home rule add table main suppress_prefixlength 0
	leads home 203.0.114.1 wg0
	leads home "$WEB" mp0 mark 51820
	on home ping -n -q -c 3 -W 1 10.20.0.1
	both
}

# sized HOST SIZE TO COUNT: pings of that size, headers included, are answered
sized() {
	on "$1" ping -n -q -M "do" -s $(($2 - 28)) -c "$4" -i 0.2 -W 1 "$3"
}

test_inside_wireguard() {
	local title="The tunnel inside WireGuard" home server n

	site
	home=$(wg_key "$TMP/etc.home/wireguard/site.key")
	server=$(wg_key "$TMP/etc.server/wireguard/site.key")
	for n in 1 2; do
		writes home "$title" "$n" -e "s,(key of the server),$server,"
		writes server "$title" $((3 + n)) \
			-e "s,(key of the router),$home,"
	done
	writes home "$title" 3
	writes server "$title" 6
	types home "$title" 7
	types server "$title" 7
	starts server
	starts home
	both
	eq "packets of tunnels" "$(noted outer)" ""
	eq "packets of WireGuard" "$(noted wg | grep -v ^srv | xargs)" \
		"dsl 203.0.113.20 198.51.100.7 lte 100.64.7.2 198.51.100.7"
	wait_for 30 mtu_is 1368
	seen_as pc "$WEB" srv 198.51.100.7
	fails dsl dsl
	seen_as pc "$WEB" srv 198.51.100.7
	works dsl dsl
	fails lte lte
	seen_as pc "$WEB" srv 198.51.100.7
	works lte lte
	# behind the rules of the tunnel WireGuard is led into it
	ipn home rule del priority 101
	ipn home rule add fwmark 101 lookup 101 priority 30000
	forget
	on home ping -n -q -c 20 -i 0.2 -W 1 10.7.0.1 || :
	eq "uplinks" "$(noted wg | grep -v ^srv | cut -d ' ' -f 1)" lte
}

# --- namespaces

# only_tunnel CMD...: the namespace in which this runs a command has nothing but
# the tunnel
only_tunnel() {
	eq "devices" "$("$@" ip -br link show up |
		sed -n '/^lo /d; s/[@ ].*//p')" mp0
	"$@" ping -n -q -c 2 -W 1 10.7.0.1
	eq "sockets" "$("$@" ss -Hluan | wc -l)" 0
	eq "sockets of home" "$(on home ss -Hluan 'sport = :4725' | wc -l)" 2
	# without the tunnel there is nothing
	"$@" ip link set mp0 down
	not "$@" ping -n -q -c 1 -W 1 "$WEB"
}

# path_at FUNCTION PATH STATE: of the tunnel in a namespace
path_at() {
	[ "$("$1" mptunctl path show mp0 "$2" -j | jq -r '.[0].state')" = "$3" ]
}

in_office() {
	home home ip netns exec office "$@"
}

test_namespace() {
	local title="A namespace that has only the tunnel"

	site
	writes server "Home router with DSL and LTE" 1
	starts server
	types home "$title" 1
	wait_for 10 path_at in_office dsl up
	wait_for 10 path_at in_office lte up
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	forget
	types home "$title" 2
	eq "pings" "$(noted ping)" "srv 198.51.100.7 $WEB"
	silent dsl
	wait_for 10 path_at in_office dsl down
	types home "$title" 2
	only_tunnel in_office
}

in_container() {
	nsenter --target "$CONTAINER" --net -- "$@"
}

test_container() {
	local title="A container that has only the tunnel"

	site
	bg home unshare --net sleep 100000
	CONTAINER=$BG
	wait_for 5 is_sleep "$CONTAINER"
	cat >"$TMP/bin/podman" <<-END
		#!/bin/sh
		[ "\$1 \$4" = "inspect office" ] && echo $CONTAINER
	END
	chmod +x "$TMP/bin/podman"
	writes server "Home router with DSL and LTE" 1
	starts server
	types home "$title" 1
	wait_for 10 path_at in_container dsl up
	wait_for 10 path_at in_container lte up
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	forget
	in_container ping -n -q -c 2 -W 1 "$WEB"
	eq "pings" "$(noted ping)" "srv 198.51.100.7 $WEB"
	only_tunnel in_container
	# it ends, and the tunnel with it
	bg_kill "$CONTAINER"
	wait_for 10 no_sockets
}

is_sleep() {
	[ "$(cat "/proc/$1/comm")" = sleep ]
}

no_sockets() {
	[ -z "$(on home ss -Hluan 'sport = :4725')" ]
}

# --- from other software

# connects PORT: pc reaches that port of the Internet
connects() {
	on pc timeout 3 bash -c ": </dev/tcp/$WEB/$1"
}

test_mwan3() {
	local title="From wg-quick and mwan3"

	site
	writes server "Home router with DSL and LTE" 1
	writes home "$title" 1
	starts server
	starts home
	both
	unused lte
	seen_as pc "$WEB" srv 198.51.100.7
	bg net busybox httpd -f -p 25 -h "$TMP"
	bg net busybox httpd -f -p 80 -h "$TMP"
	wait_for 5 listens net 25
	wait_for 5 listens net 80
	connects 25
	# LTE takes everything but mail
	fails dsl dsl
	seen_as pc "$WEB" srv 198.51.100.7
	connects 80
	not connects 25
	# nothing leaves beside the tunnel
	fails lte lte
	audible dsl
	home home ip link set mp0 down
	not on home ping -n -q -c 1 -W 1 -I eth0 203.0.113.1
	not reaches pc "$WEB"
	home home mptunctl down mp0
	on home ping -n -q -c 1 -W 1 -I eth0 203.0.113.1
}

test_mlvpn() {
	local title="From MLVPN" TUN=mlvpn0 PEER=10.42.43.2

	site
	rises 2 1 "$title"
	wait_state home mlvpn0 dsl up
	wait_state home mlvpn0 airlink up
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	seen_as home "$WEB" srv 198.51.100.7
	leads home 203.0.114.1 eth0
	unused airlink
	fails dsl dsl
	seen_as home "$WEB" srv 198.51.100.7
	works dsl dsl
	# without Gateway the second line would need a default route of its own
	home home mptunctl down mlvpn0
	sed -i '/^Gateway/d' "$TMP/etc.home/mptun/mlvpn0.conf"
	home home mptunctl up mlvpn0
	wait_state home mlvpn0 dsl up
	not wait_for 3 path_is home mlvpn0 airlink up
}

test_glorytun() {
	local title="From glorytun" TUN=tun0 PEER=10.0.1.1

	site
	# a key file of glorytun has the other format
	home home sh -c 'od -An -tx1 -N32 /dev/urandom | tr -d " \n" \
		>/etc/mptun/site.key'
	cp "$TMP/etc.home/mptun/site.key" "$TMP/etc.server/mptun/"
	rises 2 1 "$title"
	wait_state home tun0 one up
	wait_state home tun0 two up
	eq "cipher" "$(tun_json home tun0 .cipher)" aes-gcm
	eq "sockets" "$(on server ss -Hluan 'sport = :5000' | wc -l)" 2
	on home ping -n -q -c 2 -W 1 10.0.1.1
	unused two
	# the rate is a limit
	num "rate" "$(tcp home server 10.0.1.1 3) < 10"
	fails dsl one
	on home ping -n -q -c 2 -W 1 10.0.1.1
	works dsl one
	# one end with the other cipher
	home home mptunctl down tun0
	sed -i '/^Cipher/d' "$TMP/etc.home/mptun/tun0.conf"
	home home mptunctl up tun0
	not wait_for 3 path_is home tun0 one up
}

test_openmptcprouter() {
	local title="From OpenMPTCProuter" TUN=tun0 PEER=10.255.255.1

	site
	rises 2 1 "$title"
	wait_state home tun0 wan1 up
	wait_state home tun0 wan2 up
	comes_by "dsl 203.0.113.20" "lte 100.64.7.2"
	not grep -q "proto 47" <<<"$(ipn home rule)"
	leads home "$WEB" eth0
	# what OpenMPTCProuter does with a VPN that works
	ipn home route add default dev tun0 metric 1
	seen_as home "$WEB" srv 198.51.100.7
	fails dsl wan1
	seen_as home "$WEB" srv 198.51.100.7
	works dsl wan1
}

# --- firewalls

test_firewall() {
	local title="Firewalls" port

	site
	writes server "Home router with DSL and LTE" 1
	writes home "Home router with DSL and LTE" 2
	writes home "$title" 2
	types home "$title" 3
	starts server
	starts home
	# the port is missing first
	writes server "$title" 1 -e '/4725/d'
	types server "$title" 3
	not wait_for 3 path_is home mp0 dsl up
	writes server "$title" 1
	types server "$title" 3
	both
	seen_as pc "$WEB" srv 198.51.100.7
	on server nft list table inet mptun-mp0 | grep -q masquerade
	for port in 22 80; do
		bg server busybox httpd -f -p "$port" -h "$TMP"
		wait_for 5 listens server "$port"
	done
	on net timeout 3 bash -c ": </dev/tcp/198.51.100.7/22"
	not on net timeout 3 bash -c ": </dev/tcp/198.51.100.7/80"
	# what is forwarded
	writes server "$title" 1 -e '/oifname/d'
	types server "$title" 3
	not reaches pc "$WEB"
	writes server "$title" 1
	types server "$title" 3
	reaches pc "$WEB"
	writes home "$title" 2 -e '/oifname/d'
	types home "$title" 3
	not reaches pc "$WEB"
	reaches home "$WEB"
}

# --- OSPF

# learned: home has the route to the network of the other site
learned() {
	[[ $(ipn home route show 192.168.2.0/24) == *" dev mp0 proto ospf "* ]]
}

# learns: within a minute
learns() {
	local n

	for n in {1..30}; do
		! learned || return 0
		sleep 2
	done
	fail "no route after $((n * 2)) s"
}

test_ospf() {
	local title="Two sites with OSPF" host

	site
	hosts pc2
	join server lan pc2 eth0
	ipn server address add 192.168.2.1/24 dev lan
	ipn pc2 address add 192.168.2.50/24 dev eth0
	ipn pc2 route add default via 192.168.2.1
	writes server "$title" 1
	writes home "$title" 2
	starts server
	starts home
	both
	writes server "$title" 3
	writes home "$title" 4
	for host in server home; do
		cp -a /etc/frr/daemons /etc/frr/vtysh.conf "$TMP/etc.$host/frr/"
		cp -a /etc/pam.d "$TMP/etc.$host/"
		chmod -R a+rX "$TMP/etc.$host/frr"
		types "$host" "$title" 5
	done
	learns
	on pc ping -n -q -c 3 -W 1 192.168.2.50
	on pc2 ping -n -q -c 3 -W 1 192.168.1.50
	# the other network comes and goes
	ipn server link set lan down
	wait_for 10 not learned
	ipn server link set lan up
	learns
	# one line is enough
	fails dsl dsl
	learned
	on pc ping -n -q -c 3 -W 1 192.168.2.50
	# without any the route is gone, before a neighbour is missed
	silent lte
	wait_for 5 not learned
	audible lte
	works dsl dsl
	learns
	on pc ping -n -q -c 3 -W 1 192.168.2.50
}

t "home router: DSL by DHCP, LTE behind NAT" test_home_router
t "IPv4 and IPv6 inside, one of each outside" test_dual_stack
t "source routing by hand" test_by_hand
t "two uplinks in one network" test_one_network
t "a public address of the server at home" test_public_address
t "a network with public addresses" test_public_network
t "WireGuard inside the tunnel" test_wireguard_inside
t "the tunnel inside WireGuard" test_inside_wireguard
t "a namespace that has only the tunnel" test_namespace
t "a container that has only the tunnel" test_container
t "from wg-quick and mwan3" test_mwan3
t "from MLVPN" test_mlvpn
t "from glorytun" test_glorytun
t "from OpenMPTCProuter" test_openmptcprouter
t "firewalls" test_firewall
t "two sites with OSPF" test_ospf
run_theme

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A site with configuration files, its server, and what a command leaves there.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes after lib.sh.
#
#             ┌───────┐ wan1 (20 Mbit/s, 5 ms)   ┌───────┐
#   ┌───┐ lan │       ├──────────────────────────┤       │ lo: 198.51.100.7,
#   │ c ├─────┤   a   │ wan2 (20 Mbit/s, 10 ms)  │   b   │ 203.0.113.9 and
#   └───┘     │       ├──────────────────────────┤       │ 2001:db8::7, ::9
#             └───────┘                          └───────┘
#
# a reaches .7 and ::7, the server, by a default route of each uplink; .9 and ::9
# stand for the Internet behind it.

# site: hosts, links and the server
site() {
	local n

	routers a b
	hosts c
	link a b wan1 20mbit 5ms
	link a b wan2 20mbit 10ms
	cable c a lan
	ip -n "$NSP-b" -batch - <<-END
		address add 198.51.100.7/32 dev lo
		address add 203.0.113.9/32 dev lo
		address add 2001:db8::7/128 dev lo nodad
		address add 2001:db8::9/128 dev lo nodad
	END
	for n in 1 2; do
		ip -n "$NSP-r-wan$n" -batch - <<-END
			route add default via $(addr b "wan$n")
			route add default via $(addr b "wan$n" 6)
		END
		site_default "wan$n"
	done
	ipn c route add default via "$(addr a lan)"
	keys
	server
}

# site_default LINK: the default routes of an uplink of a
site_default() {
	local n=${LINK_N[$1]}

	ip -n "$NSP-a" -batch - <<-END
		route replace default via 10.$n.1.1 dev $1 metric $n
		route replace default via fd00:$n:1::1 dev $1 metric $n
	END
}

# keys: the folder of the files, and a key in it
keys() {
	mkdir -p "$TMP/etc"
	(umask 077 && mptunctl key gen >"$TMP/etc/site.key")
	[ -e "$TMP/etc/site.key" ]
}

# conf NAME: a configuration file, from standard input
conf() {
	cat >"$TMP/etc/$1.conf"
}

# server: mp0 at b, which learns its paths
server() {
	conf server <<-END
		[Interface]
		KeyFile = site.key
		Address = 10.7.0.1/24, fd07::1/64
	END
	mkdir -p "$TMP/etc/b"
	sed 's,site,../site,' "$TMP/etc/server.conf" >"$TMP/etc/b/mp0.conf"
	ctl b up "$TMP/etc/b/mp0.conf"
}

up() {
	ctl a up "$TMP/etc/mp0.conf"
}

down() {
	ctl a down "$TMP/etc/mp0.conf"
}

sync() {
	ctl a syncconf "$TMP/etc/mp0.conf"
}

# rules: those that mptun has set
rules() {
	{ ipn a rule && ipn a -6 rule; } | grep -w "proto 47" || :
}

# state: what a command may leave on a
state() {
	ipn a -br link | sed 's/@.*//' | awk '{ print $1 }' | sort
	ipn a -o address show scope global | sed 's/^[0-9]*: //' | sort
	ipn a rule | sort
	ipn a -6 rule | sort
	ipn a route show table all type unicast | sort
	ipn a -6 route show table all type unicast | sort
	on a nft list ruleset
}

# clean: state of a is as before the test
clean() {
	state >"$TMP/after"
	diff "$TMP/before" "$TMP/after" || fail "something is left"
}

# fresh: nothing of an earlier test is left, which may have failed
fresh() {
	[ ! -e "$TMP/etc/mp0.conf" ] || down 2>/dev/null || :
	[ ! -e "/run/netns/$NSP-a" ] || ipn a link del mp0 2>/dev/null || :
	[ -e "$TMP/before" ] || state >"$TMP/before"
	clean
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server of many clients: its files.  Tunnels need a kernel:
# selftests/net/ctl_server.sh.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: server.sh MPTUNCTL-FAKE [WRAPPER...], see cli.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"

etc=$work/mptun
export MPTUN_FAKE_FOLDER=$etc MPTUN_FAKE_RUN=$work/run
idle='the server is not running, start it with "systemctl enable --now mptun-server" or "mptunctl server up"'
hex=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

umask 022

# nft is asked whether the server runs
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/nft
chmod +x bin/nft
export PATH=$work/bin:$PATH

# sv WORD...
sv()
{
	ctl server "$@"
}

# fresh [KEYWORD VALUE]...: a server without clients
fresh()
{
	local pool=(pool "10.9.0.0/24,fd09::/64")

	[[ " $* " != *" pool "* ]] || pool=()
	rm -rf "$etc" state run
	sv init endpoint vpn.example.org "${pool[@]}" "$@" >out
}

# add WORD...: clients, whose files are in $work/out
add()
{
	sv add-client "$@" >out 2>err
	check_equal "$(cat err)" "mptunctl: $idle"
}

# tree: files and their contents
tree()
{
	(cd "$etc" && find . -type f | sort | xargs cksum)
}

# denied SENTENCE WORD...: refused, and no file has changed
denied()
{
	local before

	before=$(tree)
	refused "${wanted:-1}" "$1" server "${@:2}"
	check_equal "$(tree)" "$before"
}

# names: those of the clients
names()
{
	sv list -j | jq -r '.[].name' | xargs
}

test_init()
{
	rm -rf "$etc" run
	for verb in list up down 'add-client a' 'remove a' 'export a'; do
		# shellcheck disable=SC2086 # words
		refused 1 "there is no $etc/server.conf, \"mptunctl server init\" makes one" \
			server $verb
	done
	refused 1 'server init needs "endpoint" and the address or host name of this server' \
		server init
	refused 1 'server init needs "endpoint" and the address or host name of this server' \
		server init port 5000
	refused 1 'port 0 is out of range (1..65535)' server init endpoint a port 0
	refused 1 'endpoint "a b" is neither an IPv4 nor an IPv6 address nor a host name' \
		server init endpoint 'a b'
	refused 1 'an IPv4 pool has 8 to 30 bits, unlike 10.0.0.1/32' \
		server init endpoint a pool 10.0.0.1
	refused 1 'dns takes addresses, not the prefix 192.0.2.0/24' \
		server init endpoint a dns 192.0.2.0/24
	refused 1 'dns takes addresses, not the prefix 192.0.2.1/32' \
		server init endpoint a dns 10.0.0.1,192.0.2.1/32
	refused 1 'Routes 10.0.0.1/8 has bits behind the prefix, an address alone is written without /8' \
		server init endpoint a routes 192.0.2.0/24,10.0.0.1/8
	refused 1 'routes has 10.0.0.0/8 twice' \
		server init endpoint a routes 10.0.0.0/8,192.0.2.0/24,10.0.0.0/8
	[ ! -e "$etc" ]
	sv init endpoint 2001:db8::1 >out
	check_equal "$(stat -c %a "$etc" "$etc/server.conf" | xargs)" "700 600"
	grep -q 'mptunctl server add-client home' out
	refused 1 "$etc/server.conf exists already, nothing is changed" \
		server init endpoint a
	check_equal "$(sed 's/,fd.*//' "$etc/server.conf")" \
		"# A server of multipath tunnels, see mptunctl-server(8).
[Server]
Endpoint = 2001:db8::1
Port = 4725
Pool = 10.47.0.0/16
Routes = default
Masquerade = on"
	grep -Eq ',fd[0-9a-f]{2}:[0-9a-f]{4}:[0-9a-f]{4}::/64$' "$etc/server.conf"
	cp "$etc/server.conf" first
	rm -rf "$etc"
	sv init endpoint 2001:db8::1 >out
	! cmp -s first "$etc/server.conf"
}

test_file()
{
	local n=0 line sentence

	fresh
	sv list >out
	while IFS='|' read -r line sentence; do
		printf '[Server]\nEndpoint = a\nPool = 10.9.0.0/24\n%b\n' \
			"$line" >"$etc/server.conf"
		denied "$etc/server.conf:$sentence" add-client a
		n=$((n + 1))
	done <<-'END'
		Prot = 1|4: unknown key "Prot" in [Server], known are Endpoint, Port, Pool, Routes, DNS and Masquerade
		Pool = fd00::/64|4: Pool is already in line 3
		Port = x|4: port "x" is not a whole number
		DNS = 10.0.0.0/8|4: dns takes addresses, not the prefix 10.0.0.0/8
		DNS = fd00::1, 192.0.2.1/32|4: dns takes addresses, not the prefix 192.0.2.1/32
		\nRoutes = 192.0.2.0/24, 10.0.0.1/8|5: Routes 10.0.0.1/8 has bits behind the prefix, an address alone is written without /8
		Routes = fd00::/8, fd00:0::/8|4: routes has fd00::/8 twice
		[Interface]|4: unknown section [Interface], the file of a server has [Server] only
	END
	check_equal "$n" 8
	# as many as a client takes, without those of the pool
	seq -s , -f 192.0.%g.0/24 64 | sed 's/^/[Server]\nEndpoint = a\nPool = 10.9.0.0\/24\nRoutes = /' \
		>"$etc/server.conf"
	denied "$etc/server.conf:4: there are more than 64 entries of Routes" add-client a
	sed -i 's,192.0.64.0/24,10.0.0.0/8,' "$etc/server.conf"
	add a
	grep -q '^Routes = .*,10.0.0.0/8$' "$etc/clients/a.conf"
	sv remove a
	printf 'Port = 1\n' >"$etc/server.conf"
	denied "$etc/server.conf:1: there is no section before this line, begin with [Server]" list
	printf '[Server]\nPool = 10.9.0.0/24\n' >"$etc/server.conf"
	denied "$etc/server.conf:1: [Server] lacks Endpoint" list
	printf '[Server]\nEndpoint = a\n' >"$etc/server.conf"
	denied "$etc/server.conf:1: [Server] lacks Pool" list
	: >"$etc/server.conf"
	denied "$etc/server.conf: there is no section [Server]" list
	printf '[Server]\nEndpoint = a\nPool = 10.0.0.0/31\n' >"$etc/server.conf"
	denied "$etc/server.conf:3: an IPv4 pool has 8 to 30 bits, unlike 10.0.0.0/31" list
	refused 1 "$etc/server.conf:1: [Server] is for a server of clients, see mptunctl-server(8)" \
		up server
}

# Both files, and that they are what the rest of the program takes.
test_files()
{
	fresh port 5000 routes 192.0.2.0/24,fd00::/8 dns 10.9.0.1,fd09::1
	add home
	check_equal "$(cat out)" "$etc/clients/home.conf"
	check_equal "$(stat -c %a "$etc/home.conf" "$etc/clients" \
		"$etc/clients/home.conf" | xargs)" "600 700 600"
	check_equal "$(sed 's/^Key = .\{44\}$/KEY/' "$etc/clients/home.conf")" \
		"# Keep this file secret: it is the identity of client home.
[Interface]
KEY
Address = 10.9.0.2/32, fd09::2/128
Routes = 192.0.2.0/24,fd00::/8,10.9.0.0/24
DNS = 10.9.0.1,fd09::1
Masquerade = tunnel
MssClamp = auto
Uplinks = auto

[Path *]
Remote = vpn.example.org
Port = 5000"
	check_equal "$(sed 's/^Key = .\{44\}$/KEY/' "$etc/home.conf")" \
		"# The tunnel of the client home, see mptunctl-server(8).
[Interface]
KEY
Port = 5000
Address = 10.9.0.1/32, fd09::1/128
Routes = 10.9.0.2/32, fd09::2/128
AllowedIPs = 10.9.0.2/32, fd09::2/128
MssClamp = auto"
	check_equal "$(grep ^Key "$etc/home.conf")" \
		"$(grep ^Key "$etc/clients/home.conf")"
	check_equal "$(sv export home)" "$(cat "$etc/clients/home.conf")"
	check_equal "$(find "$etc" -name '.*' -type f)" ""
	# A server's end is changed like any other tunnel.
	ctl add home port 5000
	ctl syncconf home
	check_equal "$(json '.[0].allowed_ips' show home)" \
		'["10.9.0.2/32","fd09::2/128"]'
	ctl del home
	# with a list of routes the pool needs one, too
	fresh pool 10.9.7.7/24,fd09::/64 routes 2001:db8::/32
	add home
	grep -qx 'Routes = 2001:db8::/32,10.9.7.0/24,fd09::/64' \
		"$etc/clients/home.conf"
}

test_names()
{
	fresh
	add home
	: >"$etc/other.conf"
	for name in '' 0123456789abcdef 'a b' a/b a:b ..; do
		denied "the name of a client has 1 to 15 letters, digits, \"_\", \"-\" and \".\", not \"$name\"" \
			add-client good "$name"
	done
	denied 'no client can be called "server", the file of the server is' \
		add-client server
	for name in all default; do
		denied "no device can be called \"$name\", a name that sysctl keeps" \
			add-client good "$name"
		printf '[Interface]\nCipher = clear\nID = 7\n' >"$etc/$name.conf"
		refused 1 "no device can be called \"$name\", a name that sysctl keeps" \
			up "$name"
		refused 1 "no device can be called \"$name\", a name that sysctl keeps" \
			add "$name"
		cp "$etc/clients/home.conf" "$etc/clients/$name.conf"
		sv list -j >out
		rm "$etc/$name.conf" "$etc/clients/$name.conf"
	done
	denied 'there is a client home already' add-client good home
	denied "$etc/other.conf exists already, so no client can be called other" \
		add-client other
	denied 'this machine has a device lo, so no client can be called that' \
		add-client lo
	denied 'b is given twice' add-client a b c b
	denied 'server add-client needs names of clients, or - for standard input' \
		add-client
	denied 'unknown option "--nonesuch", known are -address, -qr, -j, -d, -a, -n, -b, -force, -h and -V' \
		add-client --nonesuch
	denied 'there is no client nosuch' remove home nosuch
	denied 'home is given twice' remove home home
	denied 'server remove needs names of clients' remove
	denied 'there is no client nosuch' export nosuch
	denied 'there is no client ../server' export ../server
	denied 'server export needs the name of one client' export
	denied 'server export needs the name of one client' export home home
	denied 'unexpected word "home"' list home
	check_equal "$(names)" home
}

test_input()
{
	fresh
	printf 'a  b # c\n\n#d\n e\r\nf,g\n' >in
	add - <in
	check_equal "$(names)" "a b e f g"
	printf 'h\ni\n\nh\n' >in
	denied 'standard input:4: h is given twice' add-client - <in
	printf 'h\nx/y\n' >in
	denied 'standard input:2: the name of a client has 1 to 15 letters, digits, "_", "-" and ".", not "x/y"' \
		add-client - <in
	denied 'there is no name on standard input' add-client - </dev/null
	printf 'server add-client -\n' >in
	rc=0
	ctl -batch - <in >out 2>err || rc=$?
	check_equal "$rc $(sed 's/.*: //' err)" \
		'1 the names cannot be read from standard input, which holds the commands'
}

test_addresses()
{
	fresh
	add a b
	add c -address 10.9.0.77
	add d --address fd09::77,10.9.0.78
	check_equal "$(sv list -j | jq -r '.[].addresses | join(" ")')" \
		"10.9.0.2 fd09::2
10.9.0.3 fd09::3
10.9.0.77 fd09::4
10.9.0.78 fd09::77"
	denied '10.9.0.3 is an address of client b' add-client e -address 10.9.0.3
	denied 'fd09::77 is an address of client d' add-client e -address fd09::77
	denied "10.9.0.1 is no address for clients, see Pool in $etc/server.conf" \
		add-client e -address 10.9.0.1
	denied "10.10.0.1 is no address for clients, see Pool in $etc/server.conf" \
		add-client e -address 10.10.0.1
	denied 'a client has addresses, not the prefix 10.9.0.0/24' \
		add-client e -address 10.9.0.0/24
	denied '"-address" needs a value (ADDR[,ADDR])' add-client e -address
	denied '-address is for one client, not for 2' \
		add-client e f -address 10.9.0.9
	# those of a removed client are the next ones
	sv remove b
	add e
	check_equal "$(sv list -j | jq -r '.[3].addresses | join(" ")')" \
		"10.9.0.3 fd09::3"
	# one version of IP
	sed -i 's/,fd09.*//' "$etc/server.conf"
	add f
	check_equal "$(sv list -j | jq -c '.[4].addresses')" '["10.9.0.4"]'
	denied "fd09::9 is no address for clients, see Pool in $etc/server.conf" \
		add-client g -address fd09::9
}

# Addresses of tunnels that are no client's, and of files that were deleted
test_taken()
{
	fresh
	add a
	rm "$etc/clients/a.conf"
	printf '[Interface]\nAddress = 10.9.0.3/24\n' >"$etc/own.conf"
	printf '[Interface]\nRoutes = 10.9.0.4/31, 192.0.2.0/24\nAllowedIPs = 0.0.0.0/0, ::/0, fd09::6\n' \
		>"$etc/other.conf"
	add b
	check_equal "$(sv list -j | jq -r '.[].addresses | join(" ")')" \
		"10.9.0.7 fd09::7"
	denied "10.9.0.2 is an address of tunnel a, see $etc/a.conf" \
		add-client c -address 10.9.0.2
	denied "10.9.0.5 is an address of tunnel other, see $etc/other.conf" \
		add-client c -address 10.9.0.5
	denied "fd09::7 is an address of client b" \
		add-client c -address fd09::7
	rm "$etc/own.conf"
	add c
	check_equal "$(sv list -j | jq -r '.[1].addresses | join(" ")')" \
		"10.9.0.3 fd09::3"
	# one that is not known could be given a second time
	printf '[Interface]\nAddress = x\n' >"$etc/own.conf"
	denied "$etc/own.conf:2: Address \"x\" is no address prefix" \
		add-client d
}

# Another pool than before: its first address, and the server's old one
test_pool()
{
	fresh
	add a
	add b -address 10.9.0.9
	sed -i 's,10.9.0.0/24,10.9.0.8/29,' "$etc/server.conf"
	denied "10.9.0.9 is the first address of Pool in $etc/server.conf, which the server gets, but tunnel b leads to it" \
		add-client c
	mv "$etc/clients/b.conf" b.conf
	denied "10.9.0.9 is the first address of Pool in $etc/server.conf, which the server gets, but tunnel b leads to it" \
		add-client c
	mv b.conf "$etc/clients/b.conf"
	sv remove b
	sed -i 's,10.9.0.8/29,10.8.0.0/15,' "$etc/server.conf"
	denied "10.9.0.1 is an address of tunnel a, see $etc/a.conf" \
		add-client c -address 10.9.0.1
	add c
	check_equal "$(sv list -j | jq -r '.[].addresses | join(" ")')" \
		"10.9.0.2 fd09::2
10.8.0.3 fd09::3"
}

# with_nft: it does not fail, and its scripts get into $work/rules
with_nft()
{
	rm -rf with
	mkdir with
	cat >with/nft <<-END
		#!/bin/sh
		[ "\$1" != -f ] || cat >$work/rules
	END
	chmod +x with/nft
	export PATH=$work/with:$PATH
}

# Clients of another pool have no addresses of the one of today.
test_masquerade()
{
	fresh
	with_nft
	sv up
	check_equal "$(grep masquerade rules)" \
		"ip saddr { 10.9.0.0/24 } ip daddr != { 10.9.0.0/24 } masquerade
ip6 saddr { fd09::/64 } ip6 daddr != { fd09::/64 } masquerade"
	sv add-client a b >out
	sed -i 's,10.9.0.0/24,10.9.0.3/30,' "$etc/server.conf"
	sed -i 's/10.9.0.3/10.9.0.5/' "$etc/b.conf" "$etc/clients/b.conf"
	sv up
	check_equal "$(grep 'ip saddr' rules)" \
		"ip saddr { 10.9.0.0/30, 10.9.0.5/32 } ip daddr != { 10.9.0.0/30, 10.9.0.5/32 } masquerade"
	# a client's file that is wrong is no reason
	sed -i 's/^Address.*/Address = x/' "$etc/clients/b.conf"
	sv up 2>err
	check_equal "$(cat err)" ""
	sed -i 's/^Address.*/Address = 10.9.0.5, fd09::3/' "$etc/clients/b.conf"
	# nor is it one to wait for "up"
	sed -i 's,10.9.0.3/30,10.8.0.0/24,' "$etc/server.conf"
	sv add-client c >out
	check_equal "$(grep -o 'ip saddr [^}]*' rules)" \
		"ip saddr { 10.8.0.0/24, 10.9.0.2/32, 10.9.0.5/32 "
	sv down
}

test_exhausted()
{
	rm -rf "$etc" state run
	sv init endpoint a pool 10.9.0.0/29 >out
	add a b c d
	denied "the pool has too few free addresses for 2 more clients, see Pool in $etc/server.conf" \
		add-client e f
	add e
	denied "the pool has too few free addresses for 1 more client, see Pool in $etc/server.conf" \
		add-client f
	sv remove a b
	add f g
	check_equal "$(names)" "c d e f g"
}

# Whatever a crash leaves: the client is there as a whole, or not at all.
test_crash()
{
	local new=$etc/.x.new clients=$etc/clients

	fresh
	add x home
	mkdir saved
	cp -p "$etc/x.conf" saved/end
	cp -p "$clients/x.conf" saved/own
	sv remove x
	# add: the first file is written, both are, the first has its name
	cp saved/end "$new"
	add a
	check_equal "$(names)" "a home"
	[ ! -e "$new" ]
	cp saved/end "$new"
	cp saved/own "$clients/.x.new"
	add b
	check_equal "$(names)" "a b home"
	[ ! -e "$new" ]
	[ ! -e "$clients/.x.new" ]
	[ ! -e "$etc/x.conf" ]
	cp saved/end "$etc/x.conf"
	cp saved/own "$clients/.x.new"
	add c
	check_equal "$(names)" "a b c home x"
	check_equal "$(sv export x)" "$(cat saved/own)"
	# remove: the own file has the name of an old one
	mv "$clients/x.conf" "$clients/.x.old"
	check_equal "$(names)" "a b c home"
	add d
	[ ! -e "$etc/x.conf" ]
	[ ! -e "$clients/.x.old" ]
	# hidden files without a tunnel, or with one that was made by hand since
	cp saved/own "$clients/.x.new"
	add e
	check_equal "$(names)" "a b c d e home"
	[ ! -e "$clients/.x.new" ]
	for file in .x.old .x.new; do
		cp saved/own "$clients/$file"
		sed "s/^Key.*/$(grep ^Key "$etc/home.conf" | sed 's,/,\\/,g')/" \
			saved/end >"$etc/x.conf"
		sv remove e
		[ -e "$etc/x.conf" ]
		[ ! -e "$clients/$file" ]
		check_equal "$(names)" "a b c d home"
		rm "$etc/x.conf"
		add e
	done
	# init
	rm -rf "$etc"
	mkdir "$etc"
	echo half >"$etc/.server.new"
	fresh
	check_equal "$(ls -A "$etc")" server.conf
}

# Killed somewhere on the way: each client has both files, with the same key.
test_killed()
{
	local n name

	fresh
	sed -i 's,10.9.0.0/24,10.9.0.0/16,' "$etc/server.conf"
	for n in 1 2 3 4 5 6 7 8; do
		seq -f "k$n-%03g" 300 >in
		MPTUN_FAKE=$work/state timeout -s KILL "0.$((n * 4 + 2))" \
			"${wrapper[@]}" "$prog" server add-client - <in \
			>out 2>err || :
		add "after$n"
		check_equal "$(cd "$etc" && find . -maxdepth 1 -name '*.conf' |
			grep -v server.conf | sort)" \
			"$(cd "$etc/clients" && find . -name '*.conf' | sort)"
		check_equal "$(find "$etc" -name '.*' -type f)" ""
	done
	for name in $(names); do
		check_equal "$(grep ^Key "$etc/$name.conf")" \
			"$(grep ^Key "$etc/clients/$name.conf")"
	done
	check_equal "$(sv list -j | jq -r '.[].addresses[]' | sort | uniq -d)" ""
}

# A signal in the middle comes too late, or ends it before the first client.
test_signal()
{
	local n

	for n in 1 2 3 8; do
		fresh
		add home
		rc=0
		MPTUN_FAKE_SIGNAL=$n sv add-client a b c d >out 2>err || rc=$?
		check_equal "$rc $(cat err)" "0 mptunctl: $idle"
		check_equal "$(names)" "a b c d home"
		check_equal "$(cat out)" "$(printf "$etc/clients/%s.conf\n" a b c d)"
		check_equal "$(find "$etc" -name '.*' -type f)" ""
		rc=0
		MPTUN_FAKE_SIGNAL=1 sv remove a b c >out 2>err || rc=$?
		check_equal "$rc $(cat err)" \
			"2 mptunctl: interrupted by a signal before client b was removed"
		check_equal "$(names)" "b c d home"
		check_equal "$(find "$etc" -name '*a.conf' -o -name '.*')" ""
	done
	# while keys are drawn and files are written
	seq -f "k%03g" 300 >in
	for n in 1 2 3 4 5 6; do
		fresh pool 10.9.0.0/16
		rc=0
		MPTUN_FAKE=$work/state timeout -s INT "0.$((n * 5))" \
			"${wrapper[@]}" "$prog" server add-client - <in \
			>out 2>err || rc=$?
		case $(names | wc -w) in
		0)
			check_equal "$(cat out)" ""
			check_equal "$(grep -v ': interrupted by a signal, no client is added$' err)" ""
			;;
		300) check_equal "$(wc -l <out)" 300 ;;
		*) check_equal "$(names | wc -w)" "0 or 300" ;;
		esac
		check_equal "$(find "$etc" -name '.*' -type f)" ""
	done
}

# Between two tunnels, too: what is not there is no success.
test_signal_up()
{
	fresh masquerade off
	add a b
	with_nft
	# shellcheck disable=SC2016 # expanded over there
	printf 'trap "" INT\nkill -INT $PPID\n' >>with/nft
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc $(cat err)" \
		'2 mptunctl: interrupted by a signal, "mptunctl server up" creates the tunnels that are missing'
	check_equal "$(json length show)" 0
}

# With some tunnels the status is 4, without any it is 2, and nothing is left.
test_up_fails()
{
	local rc

	fresh
	with_nft
	add a b
	echo x >>"$etc/b.conf"
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc $(cat err)" \
		"4 mptunctl: $etc/b.conf:9: a line has to be [SECTION] or KEY = VALUE"
	check_equal "$(json 'map(.ifname)' show)" '["a"]'
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc" 4
	sed -i '$d' "$etc/b.conf"
	sv add-client c >out 2>err
	check_equal "$(cat err)" ""
	sv down
	for rc in a b c; do
		echo x >>"$etc/$rc.conf"
	done
	rm -f rules
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc $(wc -l <err)" "2 3"
	check_equal "$(tail -n 1 rules)" "delete table inet mptun-server"
	check_equal "$(ls run)" ""
	# without nft there is no masquerading
	rm with/nft
	sed -i '$d' "$etc/a.conf"
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc $(head -n 1 err)" \
		"4 mptunctl: the firewall cannot be set, nft has failed"
	sv down
	fresh
	rc=0
	sv up >out 2>err || rc=$?
	check_equal "$rc $(cat err)" \
		"2 mptunctl: the firewall cannot be set, nft has failed"
}

# A mistake in the file of the server keeps nothing from being ended.
test_end_wrong()
{
	local n

	fresh
	with_nft
	add a b c
	sv up
	echo x >>"$etc/server.conf"
	n=$(wc -l <"$etc/server.conf")
	denied "$etc/server.conf:$n: a line has to be [SECTION] or KEY = VALUE" up
	sv remove a >out 2>err
	check_equal "$(cat err)" \
		"mptunctl: warning: $etc/server.conf:$n: a line has to be [SECTION] or KEY = VALUE"
	check_equal "$(json 'map(.ifname)' show)" '["b","c"]'
	check_equal "$(find "$etc" -name '*a.conf')" ""
	rm "$etc/server.conf"
	denied "there is no $etc/server.conf, \"mptunctl server init\" makes one" list
	sv remove b >out 2>err
	check_equal "$(cat err)" \
		"mptunctl: warning: there is no $etc/server.conf any more"
	check_equal "$(json 'map(.ifname)' show)" '["c"]'
	mkdir "$etc/server.conf"
	rm -f rules
	sv down >out 2>err
	check_equal "$(cat err)" "mptunctl: $etc/server.conf is no file"
	check_equal "$(json length show)" 0
	check_equal "$(tail -n 1 rules)" "delete table inet mptun-server"
	check_equal "$(ls run)" ""
}

# A device of another kind is no tunnel.
test_device()
{
	local rc=0

	fresh masquerade off
	add a b
	mkdir -p root
	echo 'link 7 a up' >root/net
	export MPTUN_FAKE_ROOT=$work/root
	sv add-client c >out 2>err
	check_equal "$(cat err)" "mptunctl: $idle"
	sv up >out 2>err || rc=$?
	check_equal "$rc $(cat err)" \
		"4 mptunctl: client a has no tunnel, as another device has its name"
	check_equal "$(json 'map(.ifname)' show)" '["b","c"]'
	check_equal "$(sv list -j | jq -c 'map(.name + " " + .state)' | grep -o 'a [a-z]*')" \
		"a down"
	sv down
	check_equal "$(json length show)" 0
}

# A server without masquerading needs no nft to be one that runs.
test_running()
{
	fresh masquerade off
	sv up
	sv add-client a >out 2>err
	check_equal "$(cat err)" ""
	check_equal "$(json 'map(.ifname)' show)" '["a"]'
	ctl del a
	sv add-client b >out 2>err
	check_equal "$(cat err)" ""
	sv down
	add c
	check_equal "$(json length show)" 0
}

# A command of a file lists clients, while others wait for the change to end.
test_hooks()
{
	local what

	fresh
	add a b
	with_nft
	for what in PreUp PostUp PreDown PostDown; do
		sed -i "2a $what = '$prog' server list >>'$work/said'; '$prog' complete server export '' >>'$work/said'" \
			"$etc/a.conf"
	done
	sed -i "2a PreUp = '$prog' server remove b 2>>'$work/no' || true" "$etc/a.conf"
	rm -f said no
	export MPTUN_FAKE=$work/state
	timeout 60 "${wrapper[@]}" "$prog" server up
	check_equal "$(grep -c '^a  ' said) $(grep -c '^a$' said)" "2 2"
	check_equal "$(cat no)" \
		"mptunctl: a command in the file of a client can list and export clients, but not change them"
	timeout 60 "${wrapper[@]}" "$prog" server remove a
	check_equal "$(grep -c '^a  ' said) $(grep -c '^a$' said)" "4 4"
	check_equal "$(grep -c '^b  ' said) $(grep -c '^b$' said)" "4 4"
	check_equal "$(names)" b
	# the number of one that has ended, which another program has by now
	MPTUN_SERVER_HOLDER=1 "${wrapper[@]}" "$prog" server remove b
	check_equal "$(names)" ""
}

# Two at the same time: one waits for the other.
test_at_once()
{
	local name one other

	fresh
	MPTUN_FAKE=$work/state1 "${wrapper[@]}" "$prog" server add-client a b c \
		>one 2>&1 &
	one=$!
	MPTUN_FAKE=$work/state2 "${wrapper[@]}" "$prog" server add-client d e f \
		>other 2>&1 &
	other=$!
	wait "$one"
	wait "$other"
	check_equal "$(names)" "a b c d e f"
	check_equal "$(sv list -j | jq -r '.[].addresses[]' | sort -u | wc -l)" 12
	check_equal "$(cat "$etc"/?.conf | grep ^Key | sort -u | wc -l)" 6
	for name in a b c d e f; do
		check_equal "$(grep ^Key "$etc/$name.conf")" \
			"$(grep ^Key "$etc/clients/$name.conf")"
		check_equal "$(sed -n 's/^Address = //p' "$etc/clients/$name.conf")" \
			"$(sed -n 's/^AllowedIPs = //p' "$etc/$name.conf")"
	done
	check_equal "$(find "$etc" -name '.*' -type f)" ""
	# the same name twice
	"${wrapper[@]}" "$prog" server add-client x >one 2>&1 &
	one=$!
	"${wrapper[@]}" "$prog" server add-client x >other 2>&1 &
	other=$!
	rc=0
	wait "$one" || rc=$((rc + 1))
	wait "$other" || rc=$((rc + 1))
	check_equal "$rc $(cat one other | grep -c 'there is a client x already')" \
		"1 1"
}

# The last name cannot be written, so none is.
test_all_or_none()
{
	fresh
	add home
	mkdir "$etc/.c.new"
	cp -r "$etc" before
	rc=0
	sv add-client a b c d >out 2>err || rc=$?
	check_equal "$rc $(cat err out)" \
		"2 mptunctl: .c.new cannot be written: File exists"
	check_equal "$(names)" home
	check_equal "$(cd "$etc" && find . | sort)" "$(cd before && find . | sort)"
}

test_list()
{
	fresh
	check_equal "$(sv list)" ""
	check_equal "$(sv list -j)" "[]"
	add home c10 c9 abcdefghijklmno
	check_equal "$(names)" "abcdefghijklmno c9 c10 home"
	check_equal "$(sv list)" \
"NAME             ADDRESS   STATE       SEEN  RECEIVED      SENT
abcdefghijklmno  10.9.0.5  down       never         0         0
c9               10.9.0.4  down       never         0         0
c10              10.9.0.3  down       never         0         0
home             10.9.0.2  down       never         0         0"
	check_equal "$(sv list -d | sed -n 3p)" "                 fd09::5"
	check_equal "$(sv list -j | jq -c '.[3] | del(.file)')" \
		'{"name":"home","addresses":["10.9.0.2","fd09::2"],"state":"down","seen":null,"rx_bytes":0,"tx_bytes":0}'
	check_equal "$(sv list -j | jq -r '.[3].file')" \
		"$etc/clients/home.conf"
	# what the operator breaks is reported with its line
	sed -i 's/^Address.*/Address = x/' "$etc/clients/c9.conf"
	rc=0
	sv list >out 2>err || rc=$?
	check_equal "$rc $(cat err)" "1 mptunctl: $etc/clients/c9.conf:4: Address \"x\" is no address prefix"
	check_equal "$(awk '{ print $1, $2 }' out | xargs)" \
		"NAME ADDRESS abcdefghijklmno 10.9.0.5 c9 - c10 10.9.0.3 home 10.9.0.2"
}

# A file that is wrong concerns its client alone.
test_wrong_file()
{
	fresh
	add a b c
	sed -i 's/^Address.*/Address = x/' "$etc/clients/b.conf"
	sv up >out 2>err || :
	[ "$(grep -c 'clients/b.conf' err)" -eq 0 ]
	check_equal "$(json 'map(.ifname) | sort | join(" ")' show)" '"a b c"'
	denied "$etc/clients/b.conf:4: Address \"x\" is no address prefix" \
		add-client d
	sv remove c >out 2>err || :
	[ ! -e "$etc/c.conf" ]
	sv down >out 2>err || :
	[ "$(grep -c 'clients/b.conf' err)" -eq 0 ]
	sv remove b
	check_equal "$(names)" a
}

# An address with the length of its network is taken all the same.
test_length()
{
	fresh
	add a
	sed -i 's,^Address.*,Address = 10.9.0.2/24\, fd09::2/64,' \
		"$etc/clients/a.conf"
	add b
	check_equal "$(sv list -j | jq -c '.[1].addresses')" \
		'["10.9.0.3","fd09::3"]'
	denied '10.9.0.2 is an address of client a' \
		add-client c -address 10.9.0.2
}

test_qr()
{
	fresh
	add home -qr
	check_equal "$(head -n 1 out)" "$etc/clients/home.conf"
	[ "$(wc -l <out)" -gt 30 ]
	sv export home --qr >qr
	check_equal "$(tail -n +2 out | cksum)" "$(cksum <qr)"
	type qrencode >/dev/null 2>&1 || ktap_skip "no qrencode"
	dots <qr >drawn
	qrencode -8 -l L -m 4 -t ASCII <"$etc/clients/home.conf" >wanted
	head -n "$(wc -l <wanted)" drawn | cmp - wanted
}

# What cannot be printed is said before anything is written.
test_no_qr()
{
	fresh routes "$(seq -s , -f 2001:db8:1234:1234:1234:1234:1234:%g/128 1001 1062)" dns 10.9.0.1
	add home
	wanted=2 denied "a file of $(stat -c %s "$etc/clients/home.conf") characters is too long for a QR code, which has at most 2953" \
		add-client work -qr
	[ -x "$prog-no-qr" ] || ktap_skip "no program without QR codes"
	prog=$prog-no-qr
	fresh
	add home
	wanted=2 denied 'this mptunctl is built without QR codes' add-client a -qr
	refused 2 'this mptunctl is built without QR codes' \
		server export home -qr
}

# dots: a QR code as qrencode prints it in ASCII
dots()
{
	python3 -c 'import re, sys
rows = {" ": "  ", "\u2584": " #", "\u2580": "# ", "\u2588": "##"}
for line in open(0, encoding="utf-8"):
    line = re.sub("\033\\[[0-9;]*m", "", line.rstrip("\n"))
    for half in (0, 1):
        print("".join(2 * rows[char][half] for char in line))'
}

# Files of a thousand clients, in a call
test_many()
{
	local begin=${EPOCHREALTIME/[.,]/}

	rm -rf "$etc" state run
	sv init endpoint vpn.example.org >out
	seq -f client%04g 1000 >in
	add - <in
	check_equal "$(wc -l <out)" 1000
	begin=$((${EPOCHREALTIME/[.,]/} - begin))
	echo "1000 clients took $((begin / 1000)) ms"
	[ "$begin" -lt 60000000 ]
	check_equal "$(names | wc -w)" 1000
	check_equal "$(cat "$etc"/client*.conf | grep ^Key | sort -u | wc -l)" 1000
	check_equal "$(sv list -j | jq -r '.[].addresses[]' | sort -u | wc -l)" 2000
	check_equal "$(sv list -j | jq -r '.[999].addresses[0]')" 10.47.3.233
	check_equal "$(find "$etc" -name '.*' -type f)" ""
	[ "$(sv list | wc -L)" -le 80 ]
}

# Each copy of the key in memory is wiped, unless a QR code is drawn.
test_wiped()
{
	local verb

	[ "${#wrapper[@]}" -eq 0 ] || ktap_skip "not under a wrapper, whose memory would be searched"
	fresh
	umask 077
	rm -f out
	export MPTUN_FAKE_SECRET
	MPTUN_FAKE_SECRET=$(rev <<<"$hex")
	for verb in 'add-client home' 'export home' list 'remove home'; do
		rc=0
		# shellcheck disable=SC2086 # words
		sv $verb >out 2>err || rc=$?
		check_equal "$rc $(grep -v "$idle" err)" "0 "
	done
	unset MPTUN_FAKE_SECRET
}

ktap_test "server: init" test_init
ktap_test "server: its file" test_file
ktap_test "server: files of a client" test_files
ktap_test "server: names, and wrong arguments" test_names
ktap_test "server: names from standard input" test_input
ktap_test "server: addresses" test_addresses
ktap_test "server: addresses of other tunnels" test_taken
ktap_test "server: another pool" test_pool
ktap_test "server: masquerading" test_masquerade
ktap_test "server: no address is left" test_exhausted
ktap_test "server: after a crash" test_crash
ktap_test "server: killed on the way" test_killed
ktap_test "server: a signal in the middle" test_signal
ktap_test "server: a signal between two tunnels" test_signal_up
ktap_test "server: some tunnels fail, or all" test_up_fails
ktap_test "server: down and remove, whatever its file says" test_end_wrong
ktap_test "server: a device of another kind" test_device
ktap_test "server: running without nft" test_running
ktap_test "server: commands of files" test_hooks
ktap_test "server: two at the same time" test_at_once
ktap_test "server: all clients or none" test_all_or_none
ktap_test "server: list" test_list
ktap_test "server: a wrong file of a client" test_wrong_file
ktap_test "server: addresses with a length" test_length
ktap_test "server: QR codes" test_qr
ktap_test "server: no QR code" test_no_qr
ktap_test "server: 1000 clients" test_many
ktap_test "server: keys are wiped" test_wiped
ktap_run

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server of many clients, as the user guide sets it up.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (20 Mbit/s, 5 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (20 Mbit/s, 10 ms)  │   b   │ net ┌───┐
#   │       ├──────────────────────────┤       ├─────┤ i │
#   └───────┘                          │       │     └───┘
#   ┌───────┐ wan3 (20 Mbit/s, 5 ms)   │       │ lo: 198.51.100.7,
#   │   c   ├──────────────────────────┤       │ 2001:db8::7
#   └───────┘                          └───────┘
#
# b is the server, a and c are clients; i stands for the Internet and has no route
# to the addresses of clients. Each host has a folder /etc of its own.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck source=selftests/net/lib/etc.sh
. "$NET_DIR/lib/etc.sh"

TOOLS+=(mptund)

SETUP="Set up a server of many clients"
MANY=$(quick 30 1000)

theme_setup() {
	hosts a b c i
	link a b wan1 20mbit 5ms
	link a b wan2 20mbit 10ms
	link c b wan3 20mbit 5ms
	cable b i net
	ip -n "$NSP-b" -batch - <<-END
		address add 198.51.100.7/32 dev lo
		address add 2001:db8::7/128 dev lo nodad
	END
	uplink a wan1
	uplink a wan2
	uplink c wan3
	own_etc a b c
}

# uplink HOST LINK: a default route over a link, at whose other end is the server
uplink() {
	local n=${LINK_N[$2]}

	ipn "$1" route add default via "10.$n.1.1" dev "$2" metric "$n"
	ipn "$1" route add default via "fd00:$n:1::1" dev "$2" metric "$n"
	ipn "r-$2" route add 198.51.100.7 via "$(addr b "$2")"
	ipn "r-$2" route add 2001:db8::7 via "$(addr b "$2" 6)"
}

# sv WORD...: mptunctl server at the server
sv() {
	home b mptunctl server "$@"
}

# guided HOST TITLE N: commands of the guide on a host, where the address of the
# server takes the place of its name, and what the units run that of systemctl
guided() {
	local host=$1 script

	script=$(guide block "$2" "$3" | sed \
		-e 's/vpn\.example\.org/198.51.100.7/' \
		-e 's/^systemctl enable --now mptun-server/mptunctl server up/' \
		-e 's/^systemctl enable --now mptun@/mptunctl up /' \
		-e "s,^scp -p \(.*\) root@router:/etc,cp -p \1 $TMP/etc.a,")
	echo "--- on $host: $script"
	home "$host" bash -e -c "$script"
}

# copy NAME HOST: the file of a client, to the client
copy() {
	cp -p "$TMP/etc.b/mptun/clients/$1.conf" "$TMP/etc.$2/mptun/"
}

# agent HOST NAME: what mptun@NAME.service starts besides
agent() {
	bg "$1" nsenter --mount="/proc/${ETC_PID[$1]}/ns/mnt" -- mptund "$2"
}

# own NAME: set V4 and V6 to the addresses of a client
own() {
	local list

	list=$(sv list -j | jq -r ".[] | select(.name == \"$1\").addresses[]")
	{ read -r V4 && read -r V6; } <<<"$list"
}

# start: the server and both clients with their agents; what a test has started
# ends with it
start() {
	sv up
	home a mptunctl up home
	agent a home
	home c mptunctl up office
	agent c office
	wait_state a home wan1 up
	wait_state a home wan2 up
	wait_state c office wan3 up
}

test_init() {
	local said

	refused 1 "there is no /etc/mptun/server.conf" sv list
	refused 1 "server init needs \"endpoint\"" sv init
	said=$(guided b "$SETUP" 1)
	[[ $said == *"systemctl enable --now mptun-server"* ]]
	eq mode "$(stat -c %a "$TMP/etc.b/mptun/server.conf")" 600
	refused 1 "/etc/mptun/server.conf exists already" \
		sv init endpoint 192.0.2.1
	said=$(sv up 2>&1)
	[[ $said == *"forwards no IPv4 packets"*"forwards no IPv6 packets"* ]]
	sv down
	guided b "$SETUP" 2
	eq "clients" "$(sv list -j)" "[]"
}

# as the guide says: add, copy, start; over both uplinks, to the Internet
test_clients() {
	local file out

	guided b "Add a client" 1 >"$TMP/out"
	file=$(tail -n 1 "$TMP/out")
	eq file "$file" /etc/mptun/clients/home.conf
	eq mode "$(stat -c %a "$TMP/etc.b${file#/etc}")" 600
	guided b "Add a client" 2
	guided a "Add a client" 3
	sv add-client office
	copy office c
	home c mptunctl up office
	agent a home
	agent c office
	wait_state a home wan1 up
	wait_state a home wan2 up
	wait_state c office wan3 up
	on a ping -n -q -c 2 -W 1 10.47.0.1
	own home
	eq "address of the client" "$V4" 10.47.0.2
	eq "addresses of the client" "$(ipn a -o address show dev home \
		scope global | awk '{ print $4 }' | xargs)" "$V4/32 $V6/128"
	on a ping -n -q -c 2 -W 1 "${V6%::2}::1"
	# i would not know how to answer the client itself
	on a ping -n -q -c 2 -W 1 "$(addr i net)"
	# from client to client
	own office
	on a ping -n -q -c 2 -W 1 "$V4"
	out=$(tcp a b 10.47.0.1 2)
	figure "home over two uplinks" "$out" Mbit/s
	timely "rate" "$out > 1.4 * 20 * $LAB_SCALE / 100"
	eq "sockets" "$(on b ss -Hluan 'sport = :4725' | wc -l)" 2
}

# denied NAME: packets that this tunnel of the server has dropped
denied() {
	tun_json b "$1" .drops.rx_not_allowed
}

# answers HOST FROM TO: how many of five pings from an address are answered
answers() {
	{ on "$1" ping -n -q -c 5 -i 0.02 -W 1 -I "$2" "$3" || :; } |
		sed -n 's/.* \([0-9]*\) received.*/\1/p'
}

# a client uses the addresses of another, with its own key or a stolen one
test_address() {
	local before others

	start
	own office
	# a client that hides what it sends behind its address could do no wrong
	on a nft delete table inet mptun-home
	ipn a address add "$V4/32" dev home
	ipn a address add "$V6/128" dev home nodad
	before=$(denied home)
	others=$(denied office)
	eq "from another's address" "$(answers a "$V4" 10.47.0.1)" 0
	eq "from another's address, IPv6" \
		"$(answers a "$V6" "${V6%::3}::1")" 0
	eq "dropped" $(($(denied home) - before)) 10
	eq "dropped of the other" "$(denied office)" "$others"
	ipn a address del "$V4/32" dev home
	ipn a address del "$V6/128" dev home
	on c ping -n -q -c 2 -W 1 10.47.0.1
	# the keys differ
	eq keys "$(grep -h ^Key "$TMP/etc.b/mptun/home.conf" \
		"$TMP/etc.b/mptun/office.conf" | sort -u | wc -l)" 2
}

# a third client is added, and removed, under traffic of the first
test_live() {
	start
	plain_queue home a
	flow_start a b 10.47.0.1 4000 4
	sv add-client third
	sleep 1
	eq "state of the third" "$(state_of third)" waiting
	sv remove third
	! ctl b show third 2>/dev/null || fail "the tunnel is still there"
	flow_end
	eq duplicates "$(flow .duplicates)" 0
	timely lost "$(flow .lost) == 0"
}

# state_of NAME: its state in the list
state_of() {
	sv list -j | jq -r ".[] | select(.name == \"$1\").state"
}

test_list() {
	start
	flow_start a b 10.47.0.1 4000 1
	flow_end
	sv list >"$TMP/list"
	cat "$TMP/list"
	num "columns" "$(wc -L <"$TMP/list") <= 80"
	eq "home" "$(awk '$1 == "home" { print $2, $3, $4 }' "$TMP/list")" \
		"10.47.0.2 up now"
	eq "list" "$(sv list -j | jq -r '.[] | "\(.name) \(.state) \(.seen)"' |
		xargs)" "home up 0 office up 0"
	num "received" "$(sv list -j | jq '.[0].rx_bytes') > 100000"
	sv list -d | grep -q "::2$"
	sv export home | cmp - "$TMP/etc.b/mptun/clients/home.conf"
	[ "$(sv export home -qr | wc -l)" -gt 20 ]
	# without the agent the server notices that the client is gone
	home c mptunctl down office
	wait_for 60 seen_before office || fail "office is seen: $(sv list)"
}

seen_before() {
	[ "$(state_of "$1")" != up ]
}

test_remove() {
	start
	guided b "List and remove clients" 2
	eq "clients" "$(sv list -j | jq -r '.[].name' | xargs)" home
	[ ! -e "$TMP/etc.b/mptun/office.conf" ]
	[ ! -e "$TMP/etc.b/mptun/clients/office.conf" ]
	refused 1 "there is no client office" sv remove home office
	on a ping -n -q -c 2 -W 1 10.47.0.1
	# its addresses are the next ones
	sv add-client next
	own next
	eq "address" "$V4" 10.47.0.3
	# another device that has its name meanwhile is left alone
	ipn b link del next
	ipn b link add next type dummy
	eq "state" "$(state_of next)" down
	sv remove next
	ipn b link del next
}

# another pool for new clients: the older ones keep addresses and masquerading
test_pool() {
	local file=$TMP/etc.b/mptun/server.conf i

	sed -i.old 's,^Pool.*,Pool = 10.48.0.0/16\, fd48::/64,' "$file"
	sv up
	sv add-client fresh
	copy fresh c
	home a mptunctl up home
	agent a home
	home c mptunctl up fresh
	agent c fresh
	wait_state a home wan1 up
	wait_state c fresh wan3 up
	i=$(addr i net)
	on a ping -n -q -c 2 -W 1 "$i"
	on c ping -n -q -c 2 -W 1 "$i"
	own fresh
	eq "address" "$V4" 10.48.0.2
	on a ping -n -q -c 2 -W 1 "$V4"
	on a ping -n -q -c 2 -W 1 "$V6"
	sv remove fresh
	mv "$file.old" "$file"
}

# tunnels that cannot be created, and commands that ask about clients
test_up() {
	local said="client home has no tunnel, as another device has its name"

	ipn b link add home type dummy
	refused 2 "$said" sv up
	eq "firewall" "$(on b nft list ruleset)" ""
	sv add-client second 2>"$TMP/note"
	grep -q "the server is not running" "$TMP/note"
	refused 4 "$said" sv up
	eq "states" "$(sv list -j | jq -r '.[].state' | xargs)" "down waiting"
	ipn b link del home
	sed -i '/Key/a PostUp = mptunctl server list -j >/etc/said' \
		"$TMP/etc.b/mptun/home.conf"
	sv up
	eq "clients, says a command" \
		"$(jq -r '.[].name' "$TMP/etc.b/said" | xargs)" "home second"
	sed -i '/PostUp/d' "$TMP/etc.b/mptun/home.conf"
	sv remove second
}

# what a boot does, with many clients
test_restart() {
	local -a names

	sv up
	home a mptunctl up home
	agent a home
	seq -f r%04g "$MANY" | sv add-client - >"$TMP/files"
	eq "files" "$(wc -l <"$TMP/files")" "$MANY"
	eq "tunnels" "$(ctl b show -j | jq length)" $((MANY + 1))
	sv down
	eq "tunnels" "$(ctl b show -j | jq length)" 0
	eq "firewall" "$(on b nft list ruleset)" ""
	eq "routes" "$(ipn b route show 10.47.0.0/16)" ""
	sv up
	eq "tunnels" "$(ctl b show -j | jq length)" $((MANY + 1))
	on b nft list table inet mptun-server | grep -q masquerade
	wait_for 30 reaches a 10.47.0.1
	mapfile -t names < <(seq -f r%04g "$MANY")
	sv remove "${names[@]}"
	eq "clients" "$(sv list -j | jq -r '.[].name' | xargs)" home
}

test_wrong() {
	local files

	sv up
	files=$(cd "$TMP/etc.b/mptun" && find . | sort)
	refused 1 "there is a client home already" sv add-client new home
	refused 1 "this machine has a device net" sv add-client net
	refused 1 "not \"a b\"" sv add-client 'a b'
	refused 1 "is no address for clients" sv add-client new -address 10.47.0.1
	refused 1 "is an address of client home" \
		sv add-client new -address 10.47.0.2
	refused 1 "unknown option" sv add-client new -nonesuch
	refused 1 "there is no client nosuch" sv export nosuch
	eq files "$(cd "$TMP/etc.b/mptun" && find . | sort)" "$files"
	eq tunnels "$(ctl b show -j | jq length)" 1
}

t "set up a server" test_init
t "two clients, as the guide says" test_clients
t "one client cannot use the address of another" test_address
t "clients come and go under traffic" test_live
t "list and export" test_list
t "remove" test_remove
t "another pool" test_pool
t "some tunnels, or none" test_up
t "the server restarts with many clients" test_restart
t "wrong input" test_wrong
run_theme

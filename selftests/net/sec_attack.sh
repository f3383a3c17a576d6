#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Attacks on encrypted tunnels: by an attacker on the way, and by a peer with
# the key.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long debug-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐  lab   ┌───┐
#   │       ├───────────( eve )────────┤       ├────────┤ p │ peer/attack.py
#   │   a   │ wan2 (8 Mbit/s, 20 ms)   │   b   │ cable  └───┘
#   │       ├───────────( eve )────────┤       │
#   └───────┘                          └───────┘
#
# Eve (helpers/wiretap.py) records all packets at the routers of both links,
# from the first one of the theme to the last.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"
# shellcheck source=selftests/net/lib/eve.sh
. "$NET_DIR/lib/eve.sh"

# these tests are about keys
CIPHER=chacha20-poly1305
# no rekey by age, unless a test sets another one
REKEY=3600

theme_setup() {
	pair_hosts
	tap theme
	tunnel a b mp0
	rekey "$REKEY"
	paths a b mp0 wan1 wan2
	wait_ping a "$(inner a mp0)"
	past
}

# past: make a history for the recording: associations of several instances of
# each end, initiated by either, and their sessions
past() {
	local host

	for host in a b a b; do
		rekey 1
		on a ping -n -q -i 0.5 -c 5 "$(inner a mp0)" >/dev/null
		rekey "$REKEY"
		restart "$host"
		back_within 2000 a "in the past"
	done
	restart a b
	back_within 2000 a "in the past"
}

# --- tests: a peer that knows the key

# test_peer CIPHER STEP [ARGUMENT...]: the end at b has a path to p, which
# initiates, responds and attacks; attacks that change each byte change each
# STEPth one
test_peer() {
	local CIPHER=$1 step=$2 n out rc=0

	shift 2
	n=$((++TUNNELS))
	TUN_N[mp1]=$n
	TUN_A[mp1]=b
	tunnel_end b mp1
	path b mp1 lab
	out=$TMP/attacks
	on p python3 "$TESTS_DIR/peer/attack.py" --dev mp1 --netns "$NSP-b" \
		--key "$(tunnel_key "$n")" --remote "$(addr b lab)" \
		--local "$(addr p lab)" --cipher "$CIPHER" \
		--step "$step" "$@" >"$out" 2>&1 || rc=$?
	cat "$out"
	# the notes about failed attacks
	awk '/^#/ { notes = notes $0 "\n"; next }
		/^not ok/ { printf "%s%s\n", notes, $0 }
		{ notes = "" }' "$out" >&3
	figure "attacks with $CIPHER" "$(grep -c ^ok "$out")" withstood
	! grep -q SKIP "$out" || fail "an attack was skipped"
	grep -q "^1\.\.$(grep -cE '^(not )?ok' "$out")$" "$out" ||
		fail "the attacks did not end"
	eq "status of the attacks" "$rc" 0
}

# --- tests: handshakes of the past

test_old_established() {
	local before

	before=$(present)
	flow_start "$1" "$2" "$(inner "$1" mp0)" 1000 6
	eve theme --type init --times 2
	eve theme --type init --source-port 4000
	eve theme --type init --type response --type cookie
	flow_end
	lossless
	eq "the present" "$(present)" "$before"
}

# one end is down, the other one sends INITs without an answer
test_old_down() {
	local down=$1 up=$2 a b dropped

	ipn "$down" link set mp0 down
	a=$(associations a) b=$(associations b)
	sleep 1
	dropped=$(drops "$down")
	eve theme --type init --type response --type cookie --times 3
	eve theme --type init --to "$(addr "$down" wan1)" \
		--to "$(addr "$down" wan2)"
	num "dropped by who is down" "$(drops "$down") >= $dropped + $SENT"
	sleep 1
	eq "associations of a" "$(associations a)" "$a"
	eq "associations of b" "$(associations b)" "$b"
	ipn "$down" link set mp0 up
	back_within 1500 "$up" "$down was down"
	eq "associations of a" "$(associations a)" $((a + 1))
	eq "associations of b" "$(associations b)" $((b + 1))
}

# no path leads to the other end: both send INITs, and get only recorded packets
test_old_opening() {
	local before

	before="$(associations a) $(associations b)"
	deaf
	wait_state a mp0 wan1 down
	wait_state b mp0 wan2 down
	sleep 1
	eve theme --type init --type response --type cookie --times 3
	eve theme --type init --source-port 4000
	sleep 1
	eq associations "$(associations a) $(associations b)" "$before"
	hearing
	back_within 3000 a "the ends did not hear each other"
	eq associations "$(associations a) $(associations b)" "$before"
}

# deaf: routers forward nothing between the ends; Eve is on the routers
deaf() {
	on r-wan1 sysctl -qw net.ipv4.ip_forward=0
	on r-wan2 sysctl -qw net.ipv4.ip_forward=0
}

hearing() {
	on r-wan1 sysctl -qw net.ipv4.ip_forward=1
	on r-wan2 sysctl -qw net.ipv4.ip_forward=1
}

# an end restarts while the recording is replayed in a loop
test_old_restart() {
	local host other=$2 a

	a=$(associations "$other")
	eve_start theme --type init
	for host in $1; do
		restart "$host"
	done
	back_within 1500 "$other" "$1 restarted"
	eve_end
	[ "$1" = "a b" ] ||
		eq associations "$(associations "$other")" $((a + 1))
}

# sessions change while the recording is replayed in a loop
test_old_rekey() {
	local a b sa sb

	a=$(associations a) b=$(associations b)
	sa=$(sessions a) sb=$(sessions b)
	eve_start theme --type init --type response --type cookie
	rekey 1
	flow_start "$1" "$2" "$(inner "$1" mp0)" 1000 6
	flow_end
	rekey "$REKEY"
	eve_end
	lossless
	eq "associations of a" "$(associations a)" "$a"
	eq "associations of b" "$(associations b)" "$b"
	num "sessions of a" "$(sessions a) >= $sa + 4"
	num "sessions of b" "$(sessions b) >= $sb + 4"
}

restart_client() {
	ipn a link del mp4
	tunnel_end a mp4
	path a mp4 wan1
	path a mp4 wan2
}

# an end without paths of its own must recognize a new client by its INIT, and
# keeps few pending sessions
test_old_server() {
	local i back

	link_set wan1 8mbit 40ms
	link_set wan2 8mbit 40ms
	tunnel a b mp4
	tap server
	for i in 1 2 3 4; do
		restart_client
		ctl a set mp4 rekey 1
		wait_ping a "$(inner a mp4)"
		on a ping -n -q -i 0.5 -c 6 "$(inner a mp4)" >/dev/null
	done
	untap
	eve_start server --type init --to "$(addr b wan1)" \
		--to "$(addr b wan2)" --pause 80
	for i in 1 2 3; do
		restart_client
		back=$(ping_passes a "$(inner a mp4)")
		figure "client restarted, until a ping passes" "$back" ms
		timely "time" "$back <= 1000"
		sleep 1
	done
	eve_end
	link_set wan1 8mbit 5ms
	link_set wan2 8mbit 20ms
}

# after two minutes the cookies in them have expired, too
test_old_expired() {
	local before

	sleep 121
	before=$(answered response)
	eve theme --type init --times 2
	wait_ping a "$(inner a mp0)"
	eq "RESPONSEs" "$(answered response)" "$before"
	restart "$1"
	back_within 1000 a "$1 restarted"
	before=$(answered response)
	eve theme --type init --from "$(addr "$1" wan1)" \
		--from "$(addr "$1" wan2)"
	wait_ping a "$(inner a mp0)"
	eq "RESPONSEs after a restart" "$(answered response)" "$before"
}

# --- tests: packets

# recent HOST: a recording of an association from its beginning, with traffic
recent() {
	tap recent
	restart "$1"
	back_within 1500 a "$1 restarted"
	flow_start a b "$(inner a mp0)" 500 1
	flow_end
	flow_start b a "$(inner b mp0)" 500 1
	flow_end
	untap
}

# an end gets its own packets back
test_reflected() {
	local before

	recent "$1"
	before=$(present)
	all_dropped rx_reflected recent --reflect --type init \
		--from "$(addr "$1" wan1)" --from "$(addr "$1" wan2)"
	all_dropped rx_unknown recent --reflect --type response --type cookie
	all_dropped rx_unknown recent --reflect --type packet --pause 20
	# with the index of the receiver
	all_dropped rx_auth recent --reflect --type packet --aim --pause 20
	eq "the present" "$(present)" "$before"
}

# an end gets all received packets again, beside new traffic
test_replayed() {
	local before

	recent "$1"
	before=$(present)
	flow_start "$1" "$2" "$(inner "$1" mp0)" 500 4
	# packets that were early for their path may count now, once
	eve recent --type packet --pause 20
	all_dropped rx_replay,rx_unknown recent --type packet --pause 20
	flow_end
	lossless
	eq "the present" "$(present)" "$before"
}

# packets from before a restart belong to no session, and are refused with the
# new index, too
test_before_restart() {
	local before wan

	recent a
	restart "$1"
	back_within 1500 a "$1 restarted"
	before=$(present)
	all_dropped rx_unknown recent --type packet --pause 20
	tap after
	# a path at rest is probed every few seconds
	flow_start a b "$(inner a mp0)" 20 8
	flow_end
	untap
	for wan in wan1 wan2; do
		cp -- "$TMP/recent.$wan" "$TMP/both.$wan"
		tail -c +25 "$TMP/after.$wan" >>"$TMP/both.$wan"
	done
	# the recording includes the new session
	all_dropped rx_auth,rx_replay both --type packet --aim --pause 20
	eq "the present" "$(present)" "$before"
}

# --- tests: sessions and numbers

# paths are deleted and added, at either end, during one session
test_path_numbers() {
	local before host i

	before=$(present)
	tap paths
	flow_start a b "$(inner a mp0)" 500 8
	for i in 1 2 3; do
		for host in a b; do
			ctl "$host" path del mp0 wan2
			wait_for 5 not path_state "$host" mp0 wan2
			path "$host" mp0 wan2
			wait_state a mp0 wan2 up
			wait_state b mp0 wan2 up
		done
	done
	flow_end
	untap
	timely lost "$(flow .lost) == 0"
	eq duplicates "$(flow .duplicates)" 0
	unique "$TMP/paths.wan1" "$TMP/paths.wan2" >"$TMP/unique"
	cat "$TMP/unique"
	# of one session
	eq indices "$(jq .indices "$TMP/unique")" 2
	num "path ids" "$(jq .most_paths "$TMP/unique") >= 7"
	eq "the present" "$(present)" "$before"
}

# the same for all packets of this theme; a repeated number is detected
test_numbers() {
	local byte

	tap last
	reaches a "$(inner a mp0)"
	untap
	for byte in x y; do
		{
			head -c -1 "$TMP/last.wan1"
			printf %s "$byte"
		} >"$TMP/last.$byte"
	done
	! unique "$TMP/last.x" "$TMP/last.y" ||
		fail "a repeated number is not detected"
	unique "$TMP/theme.wan1" "$TMP/theme.wan2" >"$TMP/unique"
	figure "packets with a number of their own" \
		"$(jq .packets "$TMP/unique")" packets
	num sessions "$(jq .indices "$TMP/unique") >= 20"
}

# both ends come up at the same moment
test_simultaneous() {
	local i a b

	for i in $(seq "$(quick 4 30 2)"); do
		a=$(associations a) b=$(associations b)
		ipn a link set mp0 down
		ipn b link set mp0 down
		sleep "0.$i"
		ipn a link set mp0 up &
		ipn b link set mp0 up
		wait "$!"
		back_within 1000 a "both opened, $i"
		sleep 0.5
		reaches b "$(inner b mp0)"
		eq "associations of a" "$(associations a)" $((a + 1))
		eq "associations of b" "$(associations b)" $((b + 1))
	done
}

# sessions change every second, and paths differ by one second
test_rekey_slow() {
	local from=$1 to=$2 a b sa sb lost

	ctl a set mp0 sched wrr hold 1s
	ctl b set mp0 sched wrr hold 1s
	link_set wan2 8mbit 1000ms
	sleep 3
	all_up
	a=$(associations a) b=$(associations b)
	sa=$(sessions a) sb=$(sessions b)
	lost=$(dropped_for_keys)
	rekey 1
	# of less than the base size, which a path has that comes up again
	flow_start "$from" "$to" "$(inner "$from" mp0)" 1000 10 1200
	flow_end
	rekey "$REKEY"
	lossless
	timely "the slow path was used" "$(flow .age_max_ms) >= 900"
	eq "associations of a" "$(associations a)" "$a"
	eq "associations of b" "$(associations b)" "$b"
	num "sessions of a" "$(sessions a) >= $sa + 7"
	num "sessions of b" "$(sessions b) >= $sb + 7"
	eq "dropped for their keys" "$(dropped_for_keys)" "$lost"
	link_set wan2 8mbit 20ms
	ctl a set mp0 sched greedy hold 200ms
	ctl b set mp0 sched greedy hold 200ms
	sleep 3
	all_up
}

# numbered HOST: the packets it has sent on the only path of mp6
numbered() {
	path_json "$1" mp6 fast ".stats | .tx_packets + .tx_control"
}

# a rekey after a number of packets, whatever the age: no packet is lost
test_rekey_packets() {
	local limit=$((1 << 24)) near=100000 a b

	cable a b fast
	tunnel a b mp6 cc none rekey 86400
	paths a b mp6 fast
	wait_ping a "$(inner a mp6)"
	sleep 3
	a=$(tun_json a mp6 .sessions) b=$(tun_json b mp6 .sessions)
	small $((limit - near - $(numbered a)))
	num "numbered" "$(numbered a) > $limit - 2 * $near"
	num "numbered" "$(numbered a) < $limit"
	eq "sessions of a" "$(tun_json a mp6 .sessions)" "$a"
	small $((limit + near - $(numbered a)))
	num "numbered" "$(numbered a) > $limit"
	eq "sessions of a" "$(tun_json a mp6 .sessions)" $((a + 1))
	eq "sessions of b" "$(tun_json b mp6 .sessions)" $((b + 1))
	eq "dropped for their keys" "$(drop a tx_no_session mp6) $(drop b \
		rx_auth,rx_no_association mp6)" "0 0"
}

# small N: N small packets from a, 200000 per second
small() {
	on a "$(helper flood)" -c "$1" -t 100000 -p 200000 short \
		"$(inner a mp6)" 9
}

# --- tests: keys

# another key, or another cipher, at one end: no association
test_wrong_key() {
	local before host

	tunnel a b mp2
	ctl a set mp2 key "$(tunnel_key other)" key-grace 0
	for host in a b; do
		path "$host" mp2 wan1
		before=$(drop "$host" rx_unknown mp2)
		printf -v "before_$host" %s "$before"
	done
	never_for 3 reaches a "$(inner a mp2)"
	for host in a b; do
		before=before_$host
		eq associations "$(tun_json "$host" mp2 .associations)" 0
		num "INITs dropped by $host" \
			"$(drop "$host" rx_unknown mp2) > ${!before}"
	done
	ctl a set mp2 key "$(tunnel_key "${TUN_N[mp2]}")" key-grace 0
	wait_ping a "$(inner a mp2)"
}

test_wrong_cipher() {
	local host

	tunnel a b mp3
	ipn a link del mp3
	CIPHER=aes-gcm tunnel_end a mp3
	path a mp3 wan1
	path b mp3 wan1
	never_for 3 reaches a "$(inner a mp3)"
	for host in a b; do
		eq associations "$(tun_json "$host" mp3 .associations)" 0
		num "INITs dropped by $host" \
			"$(drop "$host" rx_handshake mp3) > 0"
	done
}

# key HOST NAME GRACE
key() {
	ctl "$1" set mp0 key "$(tunnel_key "$2")" key-grace "$3"
}

fingerprint() {
	tun_json "$1" mp0 .key_fingerprint
}

# a key is replaced under traffic, first at one end, then at the other one
test_key_change() {
	local first=$1 second=$2 name=$3 a b sa sb

	a=$(associations a) b=$(associations b)
	sa=$(sessions a) sb=$(sessions b)
	flow_start a b "$(inner a mp0)" 1000 7
	sleep 1
	key "$first" "$name" 30
	sleep "$4"
	key "$second" "$name" 30
	flow_end
	lossless
	eq fingerprint "$(fingerprint a)" "$(fingerprint b)"
	eq "associations of a" "$(associations a)" "$a"
	eq "associations of b" "$(associations b)" "$b"
	num "sessions of a" "$(sessions a) > $sa"
	num "sessions of b" "$(sessions b) > $sb"
}

# packets and handshakes of an old key are refused after its grace period
test_old_key() {
	local before host a

	key a first 0
	key b first 0
	wait_ping a "$(inner a mp0)"
	tap old
	restart_with first a
	restart_with first b
	back_within 1500 a "with the first key"
	untap
	flow_start a b "$(inner a mp0)" 1000 5
	key a second 2
	key b second 2
	flow_end
	lossless
	before=$(present)
	all_dropped rx_unknown old --type init
	all_dropped rx_unknown,rx_handshake old --type response --type cookie
	all_dropped rx_unknown old --type packet --pause 20
	eq "the present" "$(present)" "$before"
	# an end that alone returns to the old key gets no association after the
	# grace period
	a=$(associations a)
	key "$1" first 2
	sleep 3
	never_for 2 reaches a "$(inner a mp0)"
	key "$1" second 0
	back_within 2500 a "with the second key"
}

restart_with() {
	restart "$2"
	key "$2" "$1" 0
}

t "attacks of a peer, chacha20-poly1305" \
	test_peer chacha20-poly1305 "$(quick 1 1 5)"
t_full "attacks of a peer on packets, aes-gcm" \
	test_peer aes-gcm "$(quick 5 1)" --packets
t_full "attacks of a peer on packets, auth-only" \
	test_peer auth-only "$(quick 5 1)" --packets
t "old INITs in an association, forward" test_old_established a b
t_full "old INITs in an association, reverse" test_old_established b a
t "old INITs while one end is down" test_old_down b a
t_full "old INITs while the other end is down" test_old_down a b
t "old INITs while both ends initiate" test_old_opening
t "old INITs while one end restarts" test_old_restart a b
t_full "old INITs while the other end restarts" test_old_restart b a
t_full "old INITs while both ends restart" test_old_restart "a b" a
t "old INITs while sessions change, forward" test_old_rekey a b
t_full "old INITs while sessions change, reverse" test_old_rekey b a
t "old INITs at a server, whose client restarts" test_old_server
! virtual_time || t "old INITs two minutes later" test_old_expired a
! virtual_time || t_full "old INITs two minutes later, other end" test_old_expired b
t "reflected packets" test_reflected a
t_full "reflected packets, other end" test_reflected b
t "replayed packets" test_replayed a b
t_full "replayed packets, other end" test_replayed b a
t "packets from before a restart" test_before_restart a
t_full "packets from before the restart of the other end" test_before_restart b
t "no repeated packet number, paths come and go" test_path_numbers
t "both ends initiate at the same moment" test_simultaneous
t "keys change every second, paths differ by 1 s, forward" \
	test_rekey_slow a b
t_full "keys change every second, paths differ by 1 s, reverse" \
	test_rekey_slow b a
[ -z "$FULL" ] || ! virtual_time ||
	t "keys change after a number of packets" test_rekey_packets
t "a wrong key at one end" test_wrong_key
t "another cipher at one end" test_wrong_cipher
t "the key is replaced under traffic" test_key_change a b third 2
t "the key is replaced under traffic, other end first" \
	test_key_change b a fourth 2
t "the key is replaced under traffic, at once" test_key_change a b fifth 0
t "the old key is refused" test_old_key a
t_full "the old key is refused, other end" test_old_key b
t "no repeated packet number in all of the above" test_numbers
run_theme

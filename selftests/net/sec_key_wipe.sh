#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Expired keys are wiped from the kernel's memory.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long debug-long
#
#   ┌───┐  lab   ┌───┐
#   │ b ├────────┤ p │ peer/tell.py, which knows what b computes
#   └───┘ cable  └───┘
#
# peer/tell.py does handshakes with the tunnel at b, writes all secrets down
# with inverted bits, and exits. helpers/memscan searches all memory for them
# and for parts of them: freed objects keep most of their contents, and kasan
# delays their reuse. Free pages of programs are zeroed first, so whatever is
# found was left by the kernel.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on
CIPHER=chacha20-poly1305
MEMSCAN=/sys/kernel/debug/mptun_memscan
# the runner builds it beside the module
MPTUN_KO=${MPTUN_KO:-}
MEMSCAN_KO=${MPTUN_KO%/*}/mptun_memscan.ko

theme_setup() {
	[ -e "$MEMSCAN_KO" ] || return 0
	insmod "$MEMSCAN_KO"
	# the log then names the objects in which something is found
	echo dump >"$MEMSCAN"
	hosts b p
	cable b p lab
}

# --- what memscan searches for

# scrub: remove the secrets of programs from free pages
scrub() {
	echo scrub >"$MEMSCAN"
}

# load: search for the secrets that tell.py wrote down
load() {
	echo forget >"$MEMSCAN"
	cat "$TMP/secrets" >"$MEMSCAN"
	rm "$TMP/secrets"
	scrub
}

# tell_key NAME: the secrets that derive from a key
tell_key() {
	python3 "$TESTS_DIR/peer/tell.py" --key "$(tunnel_key "$1")" \
		"$TMP/secrets"
	load
}

# meet WAY: a handshake of tell.py with the tunnel, in one of its ways
meet() {
	local cipher=$CIPHER

	[ "$1" != mismatch ] || cipher=aes-gcm
	on p python3 "$TESTS_DIR/peer/tell.py" --how "$1" --cipher "$cipher" \
		--key "$(tunnel_key "${TUN_N[mp1]}")" \
		--remote "$(addr b lab)" --local "$(addr p lab)" \
		"$TMP/secrets"
	load
}

# look: search for all of them
look() {
	cat "$MEMSCAN" >"$TMP/found"
	cat "$TMP/found"
}

# here NAME...: all of these have been found
here() {
	local name

	for name; do
		awk -v name="$name" '$1 ~ "^" name "([.]|$)" {
				n++; bad += $3 + $5 < 4
			}
			END { exit !n || bad }' "$TMP/found" ||
			fail "the kernel does not have $name, or not whole"
	done
}

# gone NAME...: none of these has been found, nor a part of it
gone() {
	local name

	for name; do
		awk -v name="$name" '$1 ~ "^" name "([.]|$)" {
				n++; bad += $3 + $5 + $7
			}
			END { exit !n || bad }' "$TMP/found" ||
			fail "$name has not been wiped"
	done
}

# --- the tunnel

# begin [path]: a tunnel that waits for p, or initiates
begin() {
	TUN_N[mp1]=$((++TUNNELS))
	TUN_A[mp1]=b
	tunnel_end b mp1
	[ -z "${1:-}" ] || path b mp1 lab
}

# end: delete it while packets are sent to it
end() {
	bg b ping -n -q -f "$(inner b mp1)"
	sleep 0.5
	ipn b link del mp1
	bg_kill "$BG"
	# until the last RCU reader has left
	sleep 0.5
}

# --- tests

# the search itself works: it finds a secret in the queue of a socket
test_found() {
	tell_key control
	look
	gone shared key
	bg b python3 -c '
import sys
sys.path.append(sys.argv[1])
import session, socket, time
with open(sys.argv[2]) as file:
    key = session.read_key(file.read())
pair = socket.socketpair()
pair[0].send(key)
print("sent", flush=True)
time.sleep(1000)' "$TESTS_DIR/peer" "$(tunnel_key control)"
	wait_for 20 grep -q sent "$TMP/bg.$BG"
	look
	here shared
	gone key
	bg_kill "$BG"
	scrub
	look
	# freed, except for two words unchanged
	! (gone shared) || fail "the freed secret is not found"
}

# the key itself is not kept, not even right after it was set
test_set() {
	begin
	tell_key new
	ctl b set mp1 key "$(tunnel_key new)"
	look
	gone shared
	here key
	ipn b link del mp1
	sleep 0.5
	look
	gone shared key
}

# a key that mptunctl refuses does not reach the kernel
test_unsent() {
	local long=$TMP/long

	begin
	tell_key unsent
	refused 1 "key-grace" ctl b set mp1 key "$(tunnel_key unsent)" \
		key-grace 2d
	refused 1 "rekey" ctl b set mp1 key "$(tunnel_key unsent)" rekey 0
	(umask 077 && cat "$(tunnel_key unsent)" "$(tunnel_key unsent)" >"$long")
	refused 1 "key" ctl b set mp1 key "$long"
	look
	gone shared key
}

# test_bad WAY ERROR
test_bad() {
	begin
	if [ "$1" = whole ]; then
		TUN_N[mp2]=$((++TUNNELS))
		TUN_A[mp2]=b
		tunnel_end b mp2
		ctl b set mp2 key "$(tunnel_key "bad $1")"
	fi
	tell_key "bad $1"
	eq "error" "$(on b python3 "$TESTS_DIR/helpers/badkey.py" mp1 \
		"$(tunnel_key "bad $1")" "$1")" "$2"
	scrub
	look
	gone shared
	[ "$1" = whole ] || gone key
}

# a replaced key is wiped at once, or after its grace period
test_replaced() {
	begin
	meet open
	look
	here key session
	ctl b set mp1 key "$(tunnel_key other)" key-grace "$1"
	if [ "$1" -gt 0 ]; then
		look
		gone shared
		here key session
		sleep $(($1 + 1))
	fi
	sleep 0.5
	look
	gone shared key session handshake
}

# test_session CIPHER WAY: after a handshake only the needed keys are kept
test_session() {
	local CIPHER=$1 opens=

	[ "$2" != answer ] || opens=path
	begin "$opens"
	meet "$2"
	look
	here key session
	gone shared handshake
	end
	look
	gone shared handshake key session
}

# sessions replace each other
test_renewed() {
	local CIPHER=$1 met

	begin
	met=$(now_ms)
	meet renew
	look
	here session
	gone shared handshake
	# SESSION_LINGER_NS; a slow machine may search for longer
	if virtual_time || [ $(($(now_ms) - met)) -lt 10000 ]; then
		here before
	else
		note "the search took as long as the previous session is kept"
	fi
	sleep 11
	look
	here session key
	gone before shared handshake
	# another instance
	meet open
	look
	here session key
	gone handshake
	ipn b link set mp1 down
	sleep 0.5
	look
	here key
	gone session handshake
}

# an unused session expires
test_left() {
	begin
	ctl b set mp1 rekey 1
	meet leave
	look
	here session
	gone handshake
	# SESSION_LIFE_NS
	sleep 31
	look
	here key
	gone session handshake
}

# the keys of an attempt are kept until it ends
test_attempt() {
	begin path
	meet listen
	look
	here key
	ctl b path del mp1 lab
	ipn b link set mp1 down
	sleep 0.5
	look
	here key
	gone handshake
}

# a refused handshake
test_refused() {
	begin
	meet mismatch
	look
	here key
	gone shared handshake
}

test_not_here() {
	skip "this lab has no memscan for this kernel"
}

[ -e "$MEMSCAN_KO" ] || {
	NO_OBJECTS=1
	t "secrets in memory" test_not_here
	run_theme
}

t "the search finds what is there" test_found
t "the key itself is not kept" test_set
t "a key that mptunctl refuses is not kept" test_unsent
t_full "the key of another tunnel is wiped" test_bad whole 17
t_full "a key for an unknown tunnel is wiped" test_bad nobody 19
t_full "the first of two keys in a message is wiped" test_bad twice 0
t "a replaced key is wiped" test_replaced 0
t "a key is wiped after its grace period" test_replaced 3
for cipher in chacha20-poly1305 $(quick "" aes-gcm); do
	t "keys kept after a handshake, $cipher" test_session "$cipher" open
	t "keys kept after a handshake by the initiator, $cipher" \
		test_session "$cipher" answer
	t "the previous session is wiped, $cipher" test_renewed "$cipher"
done
t_full "an unused session is wiped" test_left
t_full "an abandoned attempt is wiped" test_attempt
t "keys kept after a refused handshake" test_refused
run_theme

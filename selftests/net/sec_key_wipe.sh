#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nothing of a key is left in the kernel's memory when its time is over.
# Copyright (C) 2026 The mptun authors
# stages: tt kasan
#
#   ┌───┐  lab   ┌───┐
#   │ b ├────────┤ p │ peer/tell.py, which knows what b computes
#   └───┘ cable  └───┘
#
# peer/tell.py meets the tunnel at b, writes down all secrets, their bits
# inverted, and is gone. helpers/memscan looks for them in all of the memory,
# for parts of them as well: objects are freed with most of their contents, and
# under kasan nobody has them for long. What programs left in free pages is
# filled with zeros before, so what is found was left by the kernel.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on
CIPHER=chacha20-poly1305
MEMSCAN=/sys/kernel/debug/mptun_memscan
# beside the module, as the runner builds it
MPTUN_KO=${MPTUN_KO:-}
MEMSCAN_KO=${MPTUN_KO%/*}/mptun_memscan.ko

theme_setup() {
	[ -e "$MEMSCAN_KO" ] || return 0
	insmod "$MEMSCAN_KO"
	# the log then says in which objects something is found
	echo tell >"$MEMSCAN"
	hosts b p
	cable b p lab
}

# --- what is looked for

# scrub: no secret that a program had is in a free page
scrub() {
	echo scrub >"$MEMSCAN"
}

# told: from now on what tell.py told is looked for
told() {
	echo forget >"$MEMSCAN"
	cat "$TMP/secrets" >"$MEMSCAN"
	rm "$TMP/secrets"
	scrub
}

# tell_key NAME: what follows from a key
tell_key() {
	python3 "$TESTS_DIR/peer/tell.py" --key "$(tunnel_key "$1")" \
		"$TMP/secrets"
	told
}

# meet WAY: tell.py and the tunnel have met, in one of its ways
meet() {
	local cipher=$CIPHER

	[ "$1" != mismatch ] || cipher=aes-gcm
	on p python3 "$TESTS_DIR/peer/tell.py" --how "$1" --cipher "$cipher" \
		--key "$(tunnel_key "${TUN_N[mp1]}")" \
		--remote "$(addr b lab)" --local "$(addr p lab)" \
		"$TMP/secrets"
	told
}

# look: where is what now?
look() {
	cat "$MEMSCAN" >"$TMP/found"
	cat "$TMP/found"
}

# here NAME...: each of these has been found in the kernel
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

# gone NAME...: each of these has not, nor any part of it
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

# begin [path]: a tunnel that waits for p, or opens
begin() {
	TUN_N[mp1]=$((++TUNNELS))
	TUN_A[mp1]=b
	tunnel_end b mp1
	[ -z "${1:-}" ] || path b mp1 lab
}

# end: it is deleted while packets are sent to it
end() {
	bg b ping -n -q -f "$(inner b mp1)"
	sleep 0.5
	ipn b link del mp1
	bg_kill "$BG"
	# the last reader leaves
	sleep 0.5
}

# --- tests

# It proves something only if it finds something: in the queue of a socket
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
	# freed, but for two words as it was
	! (gone shared) || fail "what was freed is not found"
}

# the key itself is nowhere, neither soon after it was set
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

# what mptunctl refuses the kernel does not see
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

# a key is replaced: at once, or when its grace is over
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

# test_session CIPHER WAY: what a handshake leaves is what is needed
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

# sessions that follow each other
test_renewed() {
	local CIPHER=$1

	begin
	meet renew
	look
	here before session
	gone shared handshake
	# SESSION_LINGER_NS
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

# nobody uses the session, which ends by itself
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

# an attempt is kept as long as it is one
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

# the handshake is refused
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

t "what is there is found" test_found
t "the key itself is not kept" test_set
t "a key that mptunctl refuses is nowhere" test_unsent
t "the key of another tunnel is wiped" test_bad whole 17
t "a key for no tunnel is wiped" test_bad nobody 19
t "a key before another one is wiped" test_bad twice 0
t "a key that is replaced is wiped" test_replaced 0
t "a key whose grace is over is wiped" test_replaced 3
for cipher in chacha20-poly1305 aes-gcm; do
	t "what a handshake leaves, $cipher" test_session "$cipher" open
	t "what a handshake leaves to who began, $cipher" \
		test_session "$cipher" answer
	t "the session before is wiped, $cipher" test_renewed "$cipher"
done
t "a session that is not used is wiped" test_left
t "an attempt that is given up is wiped" test_attempt
t "what a refused handshake leaves" test_refused
run_theme

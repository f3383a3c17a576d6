#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Netlink requests that no tool makes: ranges, types, privileges, dumps.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   └───────┘                           └───────┘
#
# helpers/nltest.py builds the requests from the specification.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1
}

raw() {
	on a python3 "$TESTS_DIR/helpers/nltest.py" "$@"
}

# test_raw: the tunnel still works after all of it
test_raw() {
	raw "$@" || fail "see above"
	wait_ping a "$(inner a mp0)"
}

# an unprivileged user reads, but changes nothing
test_unprivileged() {
	chmod 755 "$TMP"
	cp -- "$TESTS_DIR/helpers/nltest.py" "$TMP/"
	sed -i "s|^TOP = .*|TOP = \"$TMP\"|" "$TMP/nltest.py"
	install -D -m 644 "$TREE_DIR/Documentation/netlink/specs/mptun.yaml" \
		"$TMP/Documentation/netlink/specs/mptun.yaml"
	chmod -R a+rX "$TMP/Documentation" "$TMP/nltest.py"
	on a setpriv --reuid 65534 --regid 65534 --clear-groups \
		/usr/bin/env -i PATH=/usr/bin:/bin python3 "$TMP/nltest.py" \
		unprivileged mp0
}

# root of a user namespace has its powers there only
test_userns() {
	unshare -Urn true 2>/dev/null || skip "no user namespaces"
	on a unshare -Ur mptunctl show mp0
	refused 2 "" on a unshare -Ur mptunctl set mp0 hold 5ms
	refused 2 "" on a unshare -Ur mptunctl path del mp0 wan1
	unshare -Urn bash -ec 'ip link add mp0 type mptun
		mptunctl path add mp0 x remote 127.0.0.1 port 4799
		mptunctl set mp0 hold 5ms'
}

# dumps in many parts, with paths, and while tunnels are deleted
test_dump() {
	local i n

	n=$(quick 150 500)
	hosts many
	for i in $(seq 1 "$n"); do
		echo "link add t$i type mptun"
	done | ip -n "$NSP-many" -batch -
	for i in $(seq 1 32); do
		ctl many path add t5 "p$i" remote "10.9.0.$i"
	done
	for i in $(seq 1 20 "$n"); do
		ctl many path add "t$i" own remote 10.9.0.1
	done
	on many python3 "$TESTS_DIR/helpers/nltest.py" dump "$n" \
		$((32 + (n + 19) / 20))
	eq "tunnels shown" "$(ctl many show -j | jq length)" "$n"
	on many python3 "$TESTS_DIR/helpers/nltest.py" dump-change \
		$((n / 2)) "$n" t
	eq "tunnels left" "$(ctl many show -j | jq length)" $((n / 2))
}

t "every attribute out of range and of wrong length" \
	test_raw attributes mp0
t "unknown attributes and those that only the kernel sets" \
	test_raw foreign mp0
t "missing, contradicting and meaningless attributes" test_raw missing mp0
t "broken messages" test_raw frames mp0
t "every link attribute out of range and of wrong length" test_raw link
t "an unprivileged user reads only" test_unprivileged
t "root of another user namespace" test_userns
t "long dumps" test_dump
run_theme

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The plugin in the ip command of this machine, without the module.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: iproute2.sh FOLDER-OF-THE-PLUGIN

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
IP_LIB_DIR=$(realpath "$1")
export IP_LIB_DIR PATH=$PATH:/usr/sbin:/sbin

test_help()
{
	type ip >/dev/null 2>&1 || ktap_skip "no ip command"
	ip link help mptun 2>&1 | grep -q '^  peer-id N  '
	# Without the plugin there is no such help.
	if IP_LIB_DIR=/nonexistent ip link help mptun 2>&1 | grep -q peer-id; then
		return 1
	fi
}

# as for the kinds of link that ip has built in: on standard error
test_type_help()
{
	local out rc=0

	type ip >/dev/null 2>&1 || ktap_skip "no ip command"
	out=$(ip link add mp9 type mptun help 2>&1 >/dev/null) || rc=$?
	[ "$rc" -ne 0 ]
	check_equal "$out" "$(ip link help mptun 2>/dev/null)"
	grep -q '^  peer-id N  ' <<<"$out"
	out=$(ip link add mp9 type mptun hold 1s help 2>&1) && return 1
	grep -q '^  peer-id N  ' <<<"$out"
}

test_refused()
{
	local out rc=0

	type ip >/dev/null 2>&1 || ktap_skip "no ip command"
	out=$(ip link add mp9 type mptun port 0 2>&1) || rc=$?
	[ "$rc" -ne 0 ]
	check_equal "$out" "mptun: port 0 is out of range (1..65535)"
	out=$(ip link add mp9 type mptun hold 2s 2>&1) && return 1
	check_equal "$out" "mptun: hold 2s is out of range (0..1s)"
}

test_key()
{
	local key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= out rc=0

	type ip >/dev/null 2>&1 || ktap_skip "no ip command"
	out=$(ip link add mp9 type mptun cipher "$key" 2>&1) || rc=$?
	[ "$rc" -ne 0 ]
	check_equal "$out" "mptun: an argument looks like a key; other users can see the command line, so give the key in a file, or with - on standard input"
}

ktap_test "iproute2: ip link help mptun" test_help
ktap_test "iproute2: ip link add DEV type mptun help" test_type_help
ktap_test "iproute2: wrong arguments are refused before the kernel is asked" test_refused
ktap_test "iproute2: keys are refused and not repeated" test_key
ktap_run

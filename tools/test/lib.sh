# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Test results in KTAP, for the scripts of this folder.
#
# Copyright (C) 2026 The mptun authors
#
# A test is a function; it fails if a command in it fails (set -e).

ktap_tests=()

# ktap_test NAME FUNCTION
ktap_test()
{
	ktap_tests+=("$1" "$2")
}

ktap_run()
{
	local i count=$((${#ktap_tests[@]} / 2)) status=0 rc log

	# Readable while the test runs.
	log=$(mktemp -p "${MPTUN_RESULTS:-${TMPDIR:-/tmp}}" ktap.XXXXXX)
	echo "KTAP version 1"
	echo "1..$count"
	for ((i = 0; i < count; i++)); do
		(
			set -e
			"${ktap_tests[i * 2 + 1]}"
		) >"$log" 2>&1
		rc=$?
		if [ "$rc" -eq 4 ]; then
			echo "ok $((i + 1)) ${ktap_tests[i * 2]} # SKIP $(tail -n 1 "$log")"
		elif [ "$rc" -eq 0 ]; then
			echo "ok $((i + 1)) ${ktap_tests[i * 2]}"
		else
			sed 's/^/# /' "$log"
			echo "not ok $((i + 1)) ${ktap_tests[i * 2]}"
			status=1
		fi
	done
	rm -f "$log"
	return "$status"
}

# ktap_skip REASON: cannot be tested on this machine
ktap_skip()
{
	echo "$1"
	exit 4
}

# check_equal GOT WANT
check_equal()
{
	[ "$1" = "$2" ] && return
	echo "got:  $1"
	echo "want: $2"
	return 1
}

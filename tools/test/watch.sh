#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mptunctl top, against a kernel in a box.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: watch.sh MPTUNCTL-FAKE [WRAPPER...]
#   as cli.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"
export LC_ALL=C COLUMNS=80

fresh()
{
	rm -f state
	ctl add mp0 cipher clear id 7
	ctl path add mp0 wan1 remote 198.51.100.7
	ctl path add mp0 wan2 remote 198.51.100.7
	ctl add mp1
	ctl path add mp1 dsl remote 2001:db8::1
}

# row FILE PATH: columns of the last row of a path, joined by blanks
row()
{
	awk -v path="$2" '$1 == path { $1 = $1; last = $0 }
		END { print last }' "$1"
}

test_top()
{
	local up

	fresh
	MPTUN_FAKE_GROW=125000 ctl top mp0 -i 0.2 -n 3 >out
	check_equal "$(grep -c '^....-..-.. ..:..:..$' out)" 3
	check_equal "$(grep -c '^mp0: established, 1 of 2 paths up, clear, peer 198.51.100.7$' out)" 3
	check_equal "$(grep -Ec '^ PATH STATE +UP +DOWN +CWND FLIGHT +RTT +MIN +LOSS +TREND$' out)" 3
	# 125000 bytes in about 0.2 s, or more on a busy machine
	up=$(row out wan1 | sed -E 's/^wan1 up ([0-9.]+)mbit .*/\1/')
	awk "BEGIN { exit !($up > 0.5 && $up < 8) }"
	row out wan1 | grep -Eq ' [#=-]+ 0bit .* 23\.4ms 1\.02ms - .*[.:=+*%#-]$'
	row out wan2 | grep -Eq '^wan2 up 0bit 0bit .* 23\.4ms 1\.02ms -$'
	grep -q "^ up ${up}mbit *down 0bit *full bar " out
	if grep -q 'mp1\|dsl' out; then
		return 1
	fi
	check_equal "$(LC_ALL=C grep -c $'[^\t -~]' out)" 0
	check_equal "$(awk 'length > 80' out)" ""
}

test_top_widths()
{
	local width

	fresh
	for width in 1 20 60 79 100 200 1000; do
		COLUMNS=$width MPTUN_FAKE_GROW=9999 ctl top -i 0.1 -n 1 >out
		check_equal "$(sed 1d out | awk "length > $width")" ""
	done
	LC_ALL=C.UTF-8 MPTUN_FAKE_GROW=100000 ctl top mp0 -i 0.1 -n 1 >out
	row out wan1 | grep -q '[▏▎▍▌▋▊▉█]'
	row out wan1 | grep -q '[▁▂▃▄▅▆▇█]$'
	ctl path add mp0 wan3 remote 192.0.2.9
	ctl top mp0 -i 0.1 -n 1 >out
	grep -q ', clear, peer 198.51.100.7 +1$' out
}

test_top_gone()
{
	fresh
	MPTUN_FAKE_GONE=3 ctl top mp0 mp1 -i 0.1 -n 2 >out
	check_equal "$(grep -c '^mp1: ' out)" 1
	check_equal "$(grep -c '^there is no tunnel "mp1" now$' out)" 1
	rm -f state
	check_equal "$(ctl top -i 0.1 -n 1 | sed 1d)" "no tunnels"
}

test_refused()
{
	fresh
	refused 1 'unknown option "-x", known are -i, -n, -j, -h and -V' top -x
	refused 1 'unknown option "-i", known are -j, -h and -V' -i 1 top
	refused 1 '"-n" needs a value (N)' top mp0 -n
	refused 1 '-n 0 is out of range (1..4294967295)' top -n 0
	refused 1 '-i 0.05 is out of range (100ms..3600s)' top -i 0.05
	refused 1 '-i "soon" is not a number (seconds, or us, ms or s)' top -i soon
	refused 1 'device name "a/b" contains a character that no name may have' \
		top a/b
	refused 2 'there is no tunnel "mp7"' top mp0 mp7 -n 1
}

ktap_test "watch: top as text" test_top
ktap_test "watch: top fits every width" test_top_widths
ktap_test "watch: top without tunnels, and with one that goes" test_top_gone
ktap_test "watch: refused: one sentence and a status" test_refused
ktap_run

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The manual pages are well formed and know every command and keyword.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: man.sh MPTUNCTL

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
man=$here/../man
prog=$(realpath "$1")

# words COMMAND...: keywords and options in the help of a command
words()
{
	"$prog" help "$@" | sed -n '/^\(Keywords\|Options\):/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

# plain PAGE: the page as text
plain()
{
	groff -man -Tascii -P-cbou "$man/$1"
}

test_lint()
{
	type mandoc >/dev/null 2>&1 || ktap_skip "no mandoc"
	mandoc -T lint -W all "$man"/*.[158]
}

test_groff()
{
	local page out

	for page in "$man"/*.[158]; do
		out=$(groff -man -ww -rCHECKSTYLE=3 -Tutf8 -z "$page" 2>&1)
		check_equal "$out" ""
	done
}

test_keywords()
{
	local word

	# As the head of a paragraph: "word VALUE", or "on|off".
	plain mptunctl.8 >"$log"
	for word in $(words path add) $(words class add) $(words key set) $(words set) \
		    $(words show) $(words top) $(words record) $(words test); do
		grep -Eq "^ {7}([a-z]+\|)?$word([ |]|\$)" "$log" || {
			echo "mptunctl.8 lacks $word"
			return 1
		}
	done
	plain mptunctl-server.8 >"$log"
	for word in $(words server init) $(words server add-client) \
		    $(words server export); do
		grep -Eq "^ {7}$word( |\$)" "$log" || {
			echo "mptunctl-server.8 lacks $word"
			return 1
		}
	done
	# What ip-link does itself is in the other page.
	for word in $(words add); do
		case $word in
		key|address|up) plain mptunctl.8 ;;
		*) plain ip-link-mptun.8 ;;
		esac >"$log"
		grep -Eq "^ {7}$word( |\$)" "$log" || {
			echo "the manual page lacks $word of add"
			return 1
		}
	done
}

# Those of a file that has all but three, see test_conf.c
test_keys()
{
	local word

	plain mptun.conf.5 >"$log"
	for word in ID PeerID KeyFile \
		    $(sed -n 's/^\([A-Za-z]*\) = .*/\1/p' "$here/full.conf"); do
		grep -Eq "^ {7}$word = " "$log" || {
			echo "mptun.conf.5 lacks $word"
			return 1
		}
	done
}

test_plot()
{
	local word

	plain mptun-plot.1 >"$log"
	for word in $("$here/../mptun-plot" --help |
		sed -n 's/^  \(-[a-z]\) .*/\1/p'); do
		grep -Eq "^ {7}${word}[, ]" "$log" || {
			echo "mptun-plot.1 lacks $word"
			return 1
		}
	done
	[ -n "$word" ]
}

# The names of checks, which JSON has
test_checks()
{
	local word

	sed -n '/^.SS check$/,/^.SS monitor$/p' "$man/mptunctl.8" |
		sed 's/\\-/-/g' >"$log"
	for word in $(cat "$here"/../doctor/*.c "$here/../cmd/check.c" |
		tr -d '\n' | grep -o 'DOCTOR_[A-Z]*,[[:space:]]*"[a-z-]*"' |
		sed 's/.*"\(.*\)"/\1/' | sort -u); do
		grep '^\.BR\? ' "$log" | tr ' ' '\n' | grep -qx -- "$word" || {
			echo "mptunctl.8 lacks the check $word"
			return 1
		}
	done
	[ -n "$word" ]
}

test_commands()
{
	local word

	plain mptunctl.8 >"$log"
	for word in $("$prog" complete '') ; do
		grep -q "mptunctl $word" <(tr -d '[]' <"$log") || {
			echo "mptunctl.8 lacks $word"
			return 1
		}
	done
	plain mptunctl-server.8 >"$log"
	for word in $("$prog" complete server '') ; do
		grep -q "mptunctl server $word" "$log" || {
			echo "mptunctl-server.8 lacks $word"
			return 1
		}
	done
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
ktap_test "man: mandoc finds no fault" test_lint
ktap_test "man: groff finds no fault" test_groff
ktap_test "man: every keyword is explained" test_keywords
ktap_test "man: every key of a configuration file is explained" test_keys
ktap_test "man: every command is named" test_commands
ktap_test "man: every check is explained" test_checks
ktap_test "man: every option of mptun-plot is explained" test_plot
ktap_run

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The program under test, with a folder to work in.
#
# Copyright (C) 2026 The mptun authors
#
# Sourced with the arguments of the script: MPTUNCTL-FAKE [WRAPPER...].

prog=$(realpath "$1")
shift
wrapper=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export NO_COLOR=

ctl()
{
	MPTUN_FAKE=$work/state "${wrapper[@]}" "$prog" "$@"
}

# refused STATUS SENTENCE WORD...: one sentence, on standard error alone
refused()
{
	local want=$1 sentence=$2 before after rc=0

	shift 2
	before=$(cksum state 2>/dev/null || echo none)
	ctl "$@" >out 2>err || rc=$?
	after=$(cksum state 2>/dev/null || echo none)
	check_equal "$(cat err)" "mptunctl: $sentence"
	check_equal "$rc" "$want"
	check_equal "$(cat out)" ""
	check_equal "$after" "$before"
}

# json FILTER WORD...: apply a filter of jq to the output
json()
{
	local filter=$1

	shift
	ctl "$@" -j | jq -c "$filter"
}

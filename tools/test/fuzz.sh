#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run each fuzz target for a number of inputs, with a fixed seed.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: fuzz.sh FOLDER-OF-TARGETS RUNS

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
targets=$1
runs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME: inputs that break the target are kept beside it
run()
{
	[ -x "$targets/fuzz_$1" ] || ktap_skip "no clang with libFuzzer"
	mkdir -p "$work/$1"
	"$targets/fuzz_$1" -runs="$runs" -seed=1 -max_len=512 \
		-artifact_prefix="$targets/$1-" "$work/$1" \
		"$here/../fuzz/seeds/$1" >"$work/log" 2>&1 ||
		{ tail -n 40 "$work/log"; return 1; }
	grep -q "^Done $runs runs" "$work/log"
}

fuzz_parse()
{
	run parse
}

fuzz_secret()
{
	run secret
}

fuzz_record()
{
	run record
}

fuzz_mask()
{
	run mask
}

fuzz_conf()
{
	run conf
}

fuzz_summary()
{
	run summary
}

ktap_test "fuzz: words of a command line, $runs inputs" fuzz_parse
ktap_test "fuzz: contents of a key file, $runs inputs" fuzz_secret
ktap_test "fuzz: attributes from the kernel, $runs inputs" fuzz_record
ktap_test "fuzz: lines with secrets, $runs inputs" fuzz_mask
ktap_test "fuzz: configuration files, $runs inputs" fuzz_conf
ktap_test "fuzz: summaries of the other end, $runs inputs" fuzz_summary
ktap_run

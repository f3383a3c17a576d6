#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzes the pure cores in user space: libFuzzer, ASAN, UBSAN. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/fuzz/wire/run.sh [--build] [TARGET...]
#
#	--build		build them, run none; beside those that run
#	FUZZ_SECONDS	how long each target runs; without it all of them
#			together run for 20 s
#
# TARGET.c is what is fuzzed. What it begins with comes from the peer in Python
# (seeds.py); what it found worth keeping stays in build/fuzz/corpus, and is
# where the next run begins. An input that fails is kept in build/fuzz/crashes:
# build/fuzz/TARGET FILE runs it once more.

set -uo pipefail
LAB_NAME=fuzz-wire
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../kernels/lab/common.sh"

here=$MPTUN_TOP/selftests/fuzz/wire
out=$MPTUN_BUILD/fuzz
only_build=
if [ "${1:-}" = --build ]; then
	only_build=1
	out=$MPTUN_BUILD/fuzz-build
	shift
fi
TARGETS=(packet hello reorder replay ranges code)
# Cores that the targets are made of; the others have no bytes of a peer in them
CORES=(base/pool base/ring reorder/reorder reorder/window reorder/gap reorder/psmc
	reorder/assemble reorder/loss_proof reorder/owd reorder/ack_ranges reorder/replay
	wire/parse recovery/rtt recovery/rate_sample recovery/sent recovery/loss
	recovery/rtx sched/policy crypto/noise crypto/handshake code/decoder
	code/encoder code/equations code/field code/memory code/symbol)
SANITIZE=fuzzer-no-link,address,undefined
FLAGS=(-std=gnu11 -g -O1 -fno-omit-frame-pointer -Wall -Werror
	-fsanitize="$SANITIZE"
	-fno-sanitize-recover=undefined
	-include "$here/shim.h" -iquote "$here" -iquote "$MPTUN_TOP/kmod"
	-I"$out/include" -I"$MPTUN_TOP/uapi")

# headers: an empty file for each header of the kernel that a program does not
# have
headers() {
	local name

	sed -n 's/^#include <\(.*\)>.*/\1/p' "$MPTUN_TOP"/kmod/{*,*/*}.[ch] |
		sort -u | while read -r name; do
		[ ! -e "/usr/include/$name" ] || continue
		[ ! -e "$MPTUN_TOP/uapi/$name" ] || continue
		mkdir -p "$out/include/${name%/*}"
		: >"$out/include/$name"
	done
}

# build TARGET...
build() {
	local name
	local -a objects=("$out/shim.o")

	rm -rf "$out/include"
	mkdir -p "$out/include"
	headers
	clang "${FLAGS[@]}" -c -o "$out/shim.o" "$here/shim.c" || return
	for name in "${CORES[@]}"; do
		objects+=("$out/${name/\//-}.core.o")
		clang "${FLAGS[@]}" -c -o "$out/${name/\//-}.core.o" \
			"$MPTUN_TOP/kmod/$name.c" || return
	done
	for name; do
		clang "${FLAGS[@]}" -fsanitize=fuzzer -o "$out/$name" \
			"$here/$name.c" "${objects[@]}" || return
	done
}

# stat LOG NAME: a figure that libFuzzer prints at its end
stat() {
	sed -n "s/^stat::$2: *//p" "$1" | tail -n 1
}

# fuzz TARGET SECONDS: run it; its findings go to standard output
fuzz() {
	local target=$1 seconds=$2 log=$out/$1.log
	local corpus=$out/corpus/$1

	mkdir -p "$corpus" "$out/crashes"
	"$out/$target" -max_total_time="$seconds" -timeout=20 \
		-rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
		-artifact_prefix="$out/crashes/$target-" \
		"$corpus" "$out/seeds/$target" >"$log" 2>&1 </dev/null
}

[ $# -gt 0 ] || set -- "${TARGETS[@]}"
seconds=${FUZZ_SECONDS:-$((20 / $#))}
"$MPTUN_TOP/selftests/tools/deps.sh" style peer || exit 1
mkdir -p "$out"
build "$@" >&2 || lab_die "the fuzzers do not build"
[ -z "$only_build" ] || exit 0
rm -rf "$out/seeds"
python3 "$here/seeds.py" "$out/seeds" >&2 || lab_die "no seeds"

echo "KTAP version 1"
echo "1..$#"
n=0
failed=0
for target; do
	n=$((n + 1))
	rc=0
	lab_say "$target, $seconds s"
	fuzz "$target" "$seconds" || rc=$?
	log=$out/$target.log
	runs=$(stat "$log" number_of_executed_units)
	findings=0
	if [ "$rc" -ne 0 ] || [ "${runs:-0}" -eq 0 ]; then
		findings=1
		failed=1
		grep -aE "ERROR|FAILED|WARNING|runtime error|^ *#[0-9]+ .*$(
			)$MPTUN_TOP/(kmod|selftests)|Test unit written" "$log" |
			sed "s|$MPTUN_TOP/||g; s/^/# /" | head -n 20
		printf 'not '
	fi
	echo "ok $n $target"
	echo "# $target: ${runs:-0} inputs, $findings findings"
done
exit "$failed"

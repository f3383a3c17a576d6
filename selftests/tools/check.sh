#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs all checks and tests, in stages, and counts what passed.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/check.sh [--long] [-j PLACES] [-l] [STAGE...]
#	--long		the stages that take hours, instead of the others; fuzzers
#			run for FUZZ_SECONDS (600) each
#	-j PLACES	how many stages run at once (default: one more than
#			processors, as tests wait for a third of their time)
#	-l		list the stages
#
# A stage's words are in build/check/STAGE.log, its results in STAGE.ktap. All
# stages run, whatever fails. The last line is "N passed, N failed, N skipped";
# the status is 0 if nothing failed and every skipped test is named in
# selftests/tools/expected-skips (one "STAGE: TEST" per line).

set -uo pipefail
LAB_NAME=check
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"
# shellcheck source=selftests/tools/check/stages.sh
. "$MPTUN_TOP/selftests/tools/check/stages.sh"

places=$(($(nproc) + 1))
while [ $# -gt 0 ]; do
	case $1 in
	--long)
		STAGES=$STAGES_LONG
		export FUZZ_SECONDS=${FUZZ_SECONDS:-600}
		;;
	-j)
		places=${2:?}
		shift
		;;
	-l)
		awk '{ print $2 }' <<<"$STAGES"
		exit
		;;
	-*)
		sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done

dir=$MPTUN_BUILD/check
declare -A weight=() pid_stage=() started=() passed=() failed=() skipped=() \
	unforeseen=() took=()
declare -a order=()
free=$places

# choose STAGE...: fill order and weight
choose() {
	local w name
	local -A wanted=()

	for name; do
		awk '{ print $2 }' <<<"$STAGES" | grep -qxF -- "$name" || {
			lab_say "no stage '$name' (see -l)"
			exit 2
		}
		wanted[$name]=1
	done
	while read -r w name; do
		[ $# -eq 0 ] || [ -n "${wanted[$name]:-}" ] || continue
		order+=("$name")
		[ "$w" -lt "$places" ] || w=$places
		weight[$name]=$w
	done <<<"$STAGES"
}

# cpu_seconds STAGE: user and system, the children's too
cpu_seconds() {
	tr 'ms' '  ' <"$dir/$1.times" 2>/dev/null |
		awk '{ sum += ($1 + $3) * 60 + $2 + $4 }
			END { printf "%d\n", sum }'
}

# run STAGE: in a shell of its own, in the background
run() {
	local stage=$1

	rm -f "$dir/$stage".{log,ktap,status,count,times}
	(
		rc=0
		"stage_${stage//[-.]/_}" >"$dir/$stage.ktap" \
			2>"$dir/$stage.log" </dev/null || rc=$?
		times >"$dir/$stage.times"
		echo "$rc" >"$dir/$stage.status"
	) &
	pid_stage[$!]=$stage
	started[$stage]=$SECONDS
	free=$((free - weight[$stage]))
	echo "-- $stage"
}

# unexpected STAGE: skipped tests of the stage that expected-skips does not name
unexpected() {
	sed -n 's/^skipped: //p' "$dir/$1.count" | while read -r test; do
		grep -sqxF -- "$1: $test" "$MPTUN_TOP/selftests/tools/expected-skips" ||
			echo "$test"
	done
}

# finish PID: count what the stage did
finish() {
	local stage=${pid_stage[$1]} rc counts p f s odd

	unset "pid_stage[$1]"
	free=$((free + weight[$stage]))
	rc=$(cat "$dir/$stage.status" 2>/dev/null || echo 255)
	"$MPTUN_TOP/selftests/tools/ktap.py" -c "$dir/$stage.counts" \
		"$dir/$stage.ktap" >"$dir/$stage.count"
	read -r p f s <"$dir/$stage.counts"
	rm -f "$dir/$stage.counts"
	# a status that no failed test explains is a failure of its own, and
	# so is what the lab reports on top of the tests
	if { [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; } ||
		{ [ "$rc" -ge "$LAB_KLOG" ] && [ "$rc" -le "$LAB_TIMEOUT" ]; }; then
		echo "failed: the stage's status is $rc" >>"$dir/$stage.count"
		f=$((f + 1))
	fi
	odd=$(unexpected "$stage")
	if [ -n "$odd" ]; then
		counts=$(wc -l <<<"$odd")
		s=$((s - counts))
		f=$((f + counts))
	fi
	passed[$stage]=$p failed[$stage]=$f skipped[$stage]=$s
	took[$stage]=$((SECONDS - started[$stage]))
	unforeseen[$stage]=$odd
	echo "== $stage: $p passed, $f failed, $s skipped" \
		"(${took[$stage]} s)"
	complain "$stage"
}

# complain STAGE: what failed in it, why, and where more is to be read
complain() {
	local odd=${unforeseen[$1]}

	[ "${failed[$1]}" -gt 0 ] || return 0
	grep '^failed: ' "$dir/$1.count" | head -n 20 | sed 's/^/     /'
	[ -z "$odd" ] ||
		printf '     skipped, but not expected: %s\n' "${odd//$'\n'/, }"
	grep -a '^ *# FAILED: ' "$dir/$1.ktap" | head -n 20 | sed 's/^ *#/     |/'
	grep -aE '^    !|error|FAILED' "$dir/$1.log" | tail -n 8 |
		sed 's/^/     | /'
	echo "     see ${dir#"$PWD"/}/$1.log and .ktap"
}

# progress: one line now and then on what runs
progress() {
	local pid line

	for pid in "${!pid_stage[@]}"; do
		line="${pid_stage[$pid]} $((SECONDS - started[${pid_stage[$pid]}])) s"
		line+=": $(tail -qn1 "$dir/${pid_stage[$pid]}".{log,ktap} \
			2>/dev/null | tail -n1 | cut -c1-60)"
		echo "   ... $line"
	done
}

# reap: wait for any stage to end, finish it
reap() {
	local pid rang=$SECONDS

	while :; do
		for pid in "${!pid_stage[@]}"; do
			if ! kill -0 "$pid" 2>/dev/null; then
				wait "$pid"
				finish "$pid"
				return
			fi
		done
		sleep 1
		if [ $((SECONDS - rang)) -ge 60 ]; then
			progress
			rang=$SECONDS
		fi
	done
}

summary() {
	local stage p=0 f=0 s=0

	echo
	printf '%-16s %8s %8s %8s %8s %8s\n' \
		stage passed failed skipped seconds "CPU s"
	for stage in "${order[@]}"; do
		printf '%-16s %8d %8d %8d %8d %8s\n' "$stage" \
			"${passed[$stage]}" "${failed[$stage]}" \
			"${skipped[$stage]}" "${took[$stage]}" \
			"$(cpu_seconds "$stage")"
		p=$((p + passed[$stage]))
		f=$((f + failed[$stage]))
		s=$((s + skipped[$stage]))
	done
	echo "all of it took $SECONDS s"
	# last, where a log that was cut still has it
	for stage in "${order[@]}"; do
		[ "${failed[$stage]}" -eq 0 ] || echo "== $stage failed"
		complain "$stage"
	done
	echo "$p passed, $f failed, $s skipped"
	[ "$f" -eq 0 ]
}

choose "$@"
# shellcheck disable=SC2046 # pids are words
trap 'kill $(jobs -p) 2>/dev/null' EXIT
trap 'exit 130' INT TERM
mkdir -p "$dir"
for stage in "${order[@]}"; do
	while [ "$free" -lt "${weight[$stage]}" ]; do
		reap
	done
	run "$stage"
done
while [ "${#pid_stage[@]}" -gt 0 ]; do
	reap
done
summary

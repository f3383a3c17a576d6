# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the namespace tests share: running tests, KTAP, waiting. See also lib/.
# Copyright (C) 2026 The mptun authors
#
# Sourced by a theme (selftests/net/THEME.sh), which then defines functions,
# names them with `t "what is expected" function [argument...]` and ends with
# `run_theme`. Every test is a subshell with `set -e`: the first command that
# fails fails the test, and what it printed is shown as diagnostics. What a test
# makes (namespaces, background programs) goes with it; what theme_setup() makes
# stays until the theme ends.
#
# Environment: see selftests/tools/run.sh.

set -uo pipefail

# NET_DIR is this folder. TREE_DIR is the source tree; a copy of this folder in
# a kernel tree has the parts it needs in tree/ (tools/kselftest.sh).
NET_DIR=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
TREE_DIR=$NET_DIR/tree
[ -d "$TREE_DIR" ] || TREE_DIR=$(cd -- "$NET_DIR/../.." && pwd -P)
# shellcheck disable=SC2034 # for the themes
TESTS_DIR=$TREE_DIR/selftests
# shellcheck source=selftests/net/lib/judge.sh
. "$NET_DIR/lib/judge.sh"
# shellcheck source=selftests/net/lib/kernel.sh
. "$NET_DIR/lib/kernel.sh"
# shellcheck source=selftests/net/lib/net.sh
. "$NET_DIR/lib/net.sh"
# shellcheck source=selftests/net/lib/tunnel.sh
. "$NET_DIR/lib/tunnel.sh"
# shellcheck source=selftests/net/lib/measure.sh
. "$NET_DIR/lib/measure.sh"

LAB=${MPTUN_LAB:-host}
FULL=${MPTUN_FULL:-}
THEME=$(basename -- "$0" .sh)
NSP=mp$$
RESULTS=${MPTUN_RESULTS:-}
[ ! -f "${IP_LIB_DIR:-}/ip/link_mptun.so" ] || export IP_LIB_DIR=$IP_LIB_DIR/ip

# --- the kind of machine

# LAB_SCALE scales the rates of all links, in percent, as an emulated processor
# cannot carry the full rates; it never changes a limit. SLOW multiplies the
# time that a condition may take to come true.
case $LAB in
vm-*)		LAB_SCALE=${LAB_SCALE:-50} SLOW=5 ;;
uml-debug)	LAB_SCALE=${LAB_SCALE:-50} SLOW=5 ;;
*)		LAB_SCALE=${LAB_SCALE:-100} SLOW=2 ;;
esac

# In virtual time two runs are the same.
[ "$LAB" != uml-tt ] || RANDOM=1

# virtual_time: whether the clock of this kernel stands still while programs run
virtual_time() {
	[ "$LAB" = uml-tt ]
}

# What is preloaded into ping, which spins otherwise
CALM=
! virtual_time || CALM=$(helper calm.so)

# What runs a program in a namespace
ENTER=$(helper enter)

# quick A B [C]: print B with MPTUN_FULL=1, otherwise A; or C, if given, in real
# time, where measurements do not count
quick() {
	if [ -n "$FULL" ] && [ "$FULL" != 0 ]; then
		echo "$2"
	elif virtual_time; then
		echo "$1"
	else
		echo "${3-$1}"
	fi
}

# --- KTAP

declare -a T_NAME=() T_CMD=()

# t NAME FUNCTION [ARG...]: plan a test
t() {
	local name=$1

	shift
	T_NAME+=("$name")
	T_CMD+=("$(printf '%q ' "$@")")
}

# t_full NAME FUNCTION [ARG...]: plan a test that only MPTUN_FULL=1 runs
t_full() {
	[ -z "$FULL" ] || t "$@"
}

# note TEXT...: a line of diagnostics, shown for passed tests, too
note() {
	printf '# %s\n' "$*" >&3
}

# figure NAME VALUE UNIT: a measured number, shown and kept in figures.tsv
figure() {
	note "$1: $2 $3"
	[ -z "$RESULTS" ] || printf '%s\t%s\t%s\t%s\t%s\n' "$LAB" "$THEME" \
		"$1" "$2" "$3" >>"$RESULTS/figures.tsv"
}

# fail TEXT...: end the test as failed
fail() {
	printf 'FAILED: %s\n' "$*"
	exit 1
}

# skip TEXT...: end the test as skipped
skip() {
	printf '%s\n' "$*" >"$TMP/skip"
	exit 4
}

# eq WHAT GOT WANTED
eq() {
	[ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

# num WHAT EXPRESSION...: fail unless the expression (awk) is true
num() {
	local what=$1

	shift
	awk "BEGIN { exit !($*) }" || fail "$what: $* is not true"
}

# timely WHAT EXPRESSION...: the same for what a busy machine can spoil: it
# counts in virtual time; in real time it is only a note
timely() {
	local what=$1

	shift
	if virtual_time; then
		num "$what" "$@"
	else
		awk "BEGIN { exit !($*) }" ||
			note "$what: $* is not true, in real time"
	fi
}

# calc EXPRESSION...: its value, at most two decimals
calc() {
	awk "BEGIN { printf \"%.2f\", ($*) }" | sed 's/\.\?0*$//'
}

# first FILTER: a value of the first object of the JSON array on standard input
first() {
	pick "$(cat)" "$1"
	echo "$VALUE"
}

# pick JSON FILTER: set VALUE to a value of the first object of a JSON array. jq
# knows every filter, but takes a quarter of a second to start under emulation,
# so plain filters (.key.key), which tests poll, need no program.
pick() {
	local rest=${1#"[{"} key before

	if [[ $2 == *[!a-z0-9_.]* || $1 != "[{\""* || $1 == *\\* ]]; then
		VALUE=$(jq -r ".[0] | $2" <<<"$1")
		return
	fi
	for key in ${2//./ }; do
		VALUE=null
		rest=${rest#\{}
		before=
		# the key is of this object if what opens before it also closes
		until [[ -n $before && $before != *[][{}]* ]]; do
			[[ $before != *[]\}]* && $rest == *"\"$key\":"* ]] ||
				return 0
			before+="${rest%%"\"$key\":"*},"
			rest=${rest#*"\"$key\":"}
			while [[ $before =~ [[{][^][{}]*[]}] ]]; do
				before=${before/"${BASH_REMATCH[0]}"}
			done
		done
	done
	case $rest in
	[[\{]*) VALUE=$(jq -r ".[0] | $2" <<<"$1") ;;
	\"*)
		VALUE=${rest#\"}
		VALUE=${VALUE%%\"*}
		;;
	*) VALUE=${rest%%[],\}]*} ;;
	esac
}

# refused STATUS TEXT CMD...: the command fails with that status and exactly one
# line on standard error, which contains TEXT (a fixed string)
refused() {
	local status=$1 text=$2 rc=0 err

	shift 2
	err=$("$@" 2>&1 >/dev/null) || rc=$?
	eq "status of '${*:$#-3}'" "$rc" "$status"
	[[ $err == *"$text"* ]] || fail "'$*' says '$err', not '$text'"
	eq "lines of '$err'" "$(grep -c . <<<"$err")" 1
}

# where_failed: for the ERR trap
where_failed() {
	printf 'FAILED: %s:%s: %s\n' "$(basename -- "${BASH_SOURCE[1]}")" \
		"$1" "$2"
}

# run_one NUMBER: run a test in its own subshell. Never call it in a condition
# (if, ||, &&): bash would ignore `set -e` in all of it.
run_one() {
	local n=$1 rc begin log=$TMP/log.$1

	: >"$TMP/ns.$n"
	: >"$TMP/pid.$n"
	rm -f "$TMP/skip"
	begin=$(now_ms)
	TEST=$((n + 1))
	(
		set -eE
		NS_LIST=$TMP/ns.$n
		PID_LIST=$TMP/pid.$n
		trap 'where_failed "$LINENO" "$BASH_COMMAND"' ERR
		trap 'test_end $?' EXIT
		eval "${T_CMD[n]}"
	) >"$log" 2>&1
	rc=$?
	case $rc in
	0) printf 'ok %d - %s\n' $((n + 1)) "${T_NAME[n]}" >&3 ;;
	4) printf 'ok %d - %s # SKIP %s\n' $((n + 1)) "${T_NAME[n]}" \
		"$(cat "$TMP/skip")" >&3 ;;
	*)
		tail -n 60 "$log" | sed 's/^/# /' >&3
		printf 'not ok %d - %s\n' $((n + 1)) "${T_NAME[n]}" >&3
		;;
	esac
	[ -z "$RESULTS" ] || {
		cp -- "$log" "$RESULTS/$THEME.$TEST.log"
		printf '%s\t%s\t%s\t%s\t%s\n' "$LAB" "$THEME" "$TEST" "$rc" \
			"$(($(now_ms) - begin))" >>"$RESULTS/times.tsv"
	}
	[ "$rc" -eq 0 ] || [ "$rc" -eq 4 ] || FAILED=1
}

# test_end STATUS: tidy up what one test made; show the state if it failed
test_end() {
	trap - ERR
	set +eE
	if [ "$1" -ne 0 ] && [ "$1" -ne 4 ]; then
		show_state
		heal
	fi
	reap
	drop_namespaces
	drop_tunnels
	exit "$1"
}

# show_state: the state of all tunnels, for the reader of a failed test
show_state() {
	local ns

	sort -u "$TMP"/ns.* | while read -r ns; do
		[ -e "/run/netns/$ns" ] || continue
		ip -n "$ns" -br link show type mptun 2>/dev/null | grep -q . ||
			continue
		echo "--- $ns"
		ip -n "$ns" -s -d link show type mptun
		at "$ns" tc -s qdisc show
		at "$ns" mptunctl show
		at "$ns" mptunctl stats
	done >"$TMP/state" 2>&1
	[ -z "$RESULTS" ] || cp -- "$TMP/state" \
		"$RESULTS/$THEME.$TEST.state"
	log_lines | tail -n 20
}

# TOOLS: the programs that themes call (tools/deps.sh tests)
TOOLS=(ip tc ethtool iperf3 jq ping nft python3 gcc nsenter ss wg tcpdump
	mptunctl)

# lacking: what this machine lacks for the tests
lacking() {
	local tool

	[ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
	for tool in "${TOOLS[@]}"; do
		command -v "$tool" >/dev/null || { echo "needs $tool"; return; }
	done
}

# run_theme: run all planned tests; the status is that of the theme. The last
# line of every theme is the audit of the kernel log.
run_theme() {
	local n begin=$SECONDS lack

	FAILED=0

	exec 3>&1
	echo "KTAP version 1"
	lack=$(lacking)
	if [ -n "$lack" ]; then
		echo "1..0 # SKIP $lack"
		exit 4
	fi
	echo "1..$((${#T_NAME[@]} + 1))"
	theme_begin
	for n in "${!T_NAME[@]}"; do
		run_one "$n"
	done
	n=${#T_NAME[@]}
	reap
	drop_namespaces
	exec >&3 2>&1
	if audit >"$TMP/audit"; then
		echo "ok $((n + 1)) - kernel log: no warning, created = destroyed"
	else
		sed 's/^/# /' "$TMP/audit"
		echo "not ok $((n + 1)) - kernel log: no warning," \
			"created = destroyed"
		FAILED=1
	fi
	note "$THEME took $((SECONDS - begin)) s on $LAB"
	exit "$FAILED"
}

# theme_begin: scratch folder, kernel log, module, and the theme's own set-up.
# Never call it in a condition, as with run_one.
theme_begin() {
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/mptun-$THEME.XXXXXX") || return
	NS_LIST=$TMP/ns.theme
	PID_LIST=$TMP/pid.theme
	: >"$NS_LIST"
	: >"$PID_LIST"
	trap theme_end EXIT
	trap 'exit 130' INT TERM
	exec >"$TMP/setup" 2>&1
	trap 'bail_out "$LINENO" "$BASH_COMMAND"' ERR
	set -eE
	log_begin
	[ -n "${NO_OBJECTS:-}" ] || module_load
	! declare -F theme_setup >/dev/null || theme_setup
	set +eE
	trap - ERR
	theme_tunnels >"$TMP/tunnels"
}

# bail_out LINE COMMAND: the theme could not be set up
bail_out() {
	where_failed "$@"
	sed 's/^/# /' "$TMP/setup" >&3
	echo "Bail out! the theme could not be set up" >&3
	exit 1
}

theme_end() {
	local rc=$?

	reap
	drop_namespaces
	[ -z "${LOG_PID:-}" ] || kill "$LOG_PID" 2>/dev/null
	rm -rf "$TMP"
	exit "$rc"
}

# --- waiting and background programs

# now_ms: milliseconds since some time
now_ms() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# nap SECONDS: sleep, without a process for it
exec {NAP_FD}<> <(:)
nap() {
	read -rt "$1" -u "$NAP_FD" || :
}

# wait_for SECONDS CMD...: poll until CMD succeeds, less often the longer that
# takes, but four times a second; slow kernels get longer
wait_for() {
	local begin=${EPOCHREALTIME/[.,]/} waited pause
	local most=$(($1 * SLOW * 1000000))

	shift
	while ! "$@" >/dev/null 2>&1; do
		waited=$((${EPOCHREALTIME/[.,]/} - begin))
		[ "$waited" -lt "$most" ] || {
			echo "timeout waiting for: $*"
			return 1
		}
		pause=$((waited < 1000000 ? 50000 :
			waited < 5000000 ? waited / 20 : 250000))
		[ "$pause" -lt $((most - waited)) ] || pause=$((most - waited))
		nap "$((pause / 1000000)).$(printf %06d $((pause % 1000000)))"
	done
}

# never_for SECONDS CMD...: fails as soon as CMD succeeds
never_for() {
	local end=$(($(now_ms) + $1 * 1000))

	shift
	while [ "$(now_ms)" -lt "$end" ]; do
		! "$@" >/dev/null 2>&1 || { echo "it happened: $*"; return 1; }
		nap 0.05
	done
}

# not CMD...: negation that `wait_for` can call
not() {
	! "$@"
}

# bg HOST CMD...: run in the background on a host; sets BG to its pid
bg() {
	local file fd where=/run/netns/$NSP-$1

	shift
	file=$(mktemp "$TMP/bg.XXXXXX")
	[ "$1" != ping ] || local -x LD_PRELOAD=$CALM
	# opened here, because the child may be slower than mv
	exec {fd}>"$file"
	"$ENTER" "$where" "$@" >&"$fd" 2>&1 {fd}>&- &
	BG=$!
	exec {fd}>&-
	echo "$BG" >>"$PID_LIST"
	mv -- "$file" "$TMP/bg.$BG"
}

# bg_wait PID: wait for it and set BG_OUT to its output. Not inside $(...).
bg_wait() {
	local rc=0

	wait "$1" || rc=$?
	BG_OUT=$(cat "$TMP/bg.$1")
	return "$rc"
}

# bg_kill PID: end it
bg_kill() {
	kill "$1" 2>/dev/null || :
	wait "$1" 2>/dev/null || :
}

# reap: end what this test (or theme) left in the background
reap() {
	local pid

	[ -s "$PID_LIST" ] || return 0
	while read -r pid; do
		kill "$pid" 2>/dev/null || continue
		wait "$pid" 2>/dev/null || :
	done <"$PID_LIST"
	: >"$PID_LIST"
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the scripts of the lab share: places, messages, locks, private apt.
# Copyright (C) 2026 The mptun authors
#
# Sourced, never run. Sets MPTUN_TOP (the source tree), MPTUN_CACHE (kernels
# and other things that take long to make) and MPTUN_BUILD (all that is
# generated from this source tree).

MPTUN_TOP=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P)
MPTUN_CACHE=${MPTUN_CACHE:-${HOME:-/root}/.cache/mptun}
MPTUN_BUILD=${MPTUN_BUILD:-$MPTUN_TOP/build}

# Exit statuses of the runners that no test script may use itself.
# shellcheck disable=SC2034 # used by those who source this file
readonly LAB_KLOG=120 LAB_PANIC=121 LAB_NOMARKER=122 LAB_BROKEN=123 \
	LAB_TIMEOUT=124

# lab_say TEXT...: a line of progress on standard error
lab_say() {
	printf '%s: %s\n' "${LAB_NAME:-lab}" "$*" >&2
}

# lab_die TEXT...: the lab itself (not the test) failed
lab_die() {
	lab_say "error: $*"
	exit "$LAB_BROKEN"
}

# lab_sleep SECONDS: in a background shell, a sleep that dies with the shell
lab_sleep() {
	local pid

	sleep "$1" >/dev/null 2>&1 &
	pid=$!
	# shellcheck disable=SC2064 # this very pid
	trap "kill $pid 2>/dev/null; exit 143" TERM
	wait "$pid"
}

# lab_lock NAME: hold NAME until this shell ends; say so when it must wait
lab_lock() {
	local fd file=$MPTUN_CACHE/locks/$1

	mkdir -p "$MPTUN_CACHE/locks"
	exec {fd}>"$file"
	if ! flock -n "$fd"; then
		lab_say "waiting for another run that holds '$1'"
		flock "$fd"
	fi
}

# lab_long WHAT LOG CMD...: run a long command, its output to LOG, with a line
# of progress every 20 s; on failure show the end of LOG
lab_long() {
	local what=$1 log=$2 start=$SECONDS pid ticker rc=0

	shift 2
	mkdir -p "$(dirname -- "$log")"
	lab_say "$what ..."
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	(
		while lab_sleep 20 && kill -0 "$pid" 2>/dev/null; do
			lab_say "$what: $((SECONDS - start)) s," \
				"$(wc -l <"$log") lines," \
				"$(tail -n1 "$log" | tr -d '\r' | cut -c1-60)"
		done
	) &
	ticker=$!
	wait "$pid" || rc=$?
	kill "$ticker" 2>/dev/null || :
	wait "$ticker" 2>/dev/null || :
	if [ "$rc" -ne 0 ]; then
		lab_say "$what: failed ($rc) after $((SECONDS - start)) s," \
			"log: $log"
		tail -n 30 "$log" >&2
	else
		lab_say "$what: done in $((SECONDS - start)) s"
	fi
	return "$rc"
}

# lab_retry N CMD...: try a command that depends on the network N times
lab_retry() {
	local i n=$1

	shift
	for ((i = 1; i <= n; i++)); do
		"$@" && return 0
		[ "$i" -eq "$n" ] || sleep $((i * 5))
	done
	return 1
}

# lab_debian_uri: the machine's own Debian mirror, from its apt sources
lab_debian_uri() {
	local f codename

	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -e "$f" ] || continue
		awk -v c="$codename" '
			function flush() { if (ok && uri) print uri
				ok = 0; uri = "" }
			/^[ \t]*$/ { flush() }
			tolower($1) == "uris:" { uri = $2 }
			tolower($1) == "suites:" {
				for (i = 2; i <= NF; i++) if ($i == c) ok = 1 }
			END { flush() }' "$f"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$f" ] || continue
		awk -v c="$codename" '$1 == "deb" {
			sub(/\[[^]]*\]/, ""); if ($3 == c) print $2 }' "$f"
	done
}

# lab_apt_init SUITE [ARCHITECTURE]: an apt world of its own with just that suite
# (the system's sources are not touched); prints its folder
lab_apt_init() {
	local suite=$1 arch=${2:-} dir=$MPTUN_CACHE/apt/$1${2:+-$2} uri

	uri=$(lab_debian_uri | sed -n 1p)
	[ -n "$uri" ] || lab_die "no Debian mirror in this machine's apt sources"
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	printf 'deb [signed-by=%s] %s %s main\n' \
		/usr/share/keyrings/debian-archive-keyring.gpg \
		"$uri" "$suite" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
	END
	[ -z "$arch" ] ||
		printf 'APT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' \
			"$arch" "$arch" >>"$dir/apt.conf"
	echo "$dir"
}

# lab_apt DIR TOOL ARGS...: apt-get or apt-cache in that world
lab_apt() {
	local dir=$1 tool=$2

	shift 2
	APT_CONFIG=$dir/apt.conf "$tool" "$@"
}

# lab_fresh FILE DAYS: whether FILE exists and is younger than DAYS days
lab_fresh() {
	[ -s "$1" ] && [ -n "$(find "$1" -mtime "-$2" 2>/dev/null)" ]
}

# lab_root CMD...: run as root, by sudo if need be
lab_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The agent of the site of lib/conf.sh: its file, its uplinks, what it says.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lib/conf.sh and lib/guide.sh.
#
# shellcheck disable=SC2119,SC2120 # some themes give arguments, others do not

# client [LINE...]: the file of a, with these lines in [Interface]; $UPLINKS are
# its uplinks, $REMOTE is the server
client() {
	{
		printf '%s\n' '[Interface]' 'KeyFile = site.key' \
			'Address = 10.7.0.2/24' "Uplinks = ${UPLINKS:-auto}" \
			"$@"
		cat <<-END

			[Path *]
			Remote = ${REMOTE:-198.51.100.7}
		END
	} | conf mp0
}

# agent [VARIABLE=VALUE...] [CMD...]: the agent of mp0 at a, run by CMD, whose
# machine searches a domain; sets AGENT to its pid
agent() {
	bg a env STATE_DIRECTORY="$TMP/var" LOCALDOMAIN=inside.test "$@" \
		mptund "$TMP/etc/mp0.conf"
	AGENT=$BG
	wait_for 5 said "is there, its uplinks are looked after" ||
		fail "no agent: $(cat "$TMP/bg.$AGENT")"
}

# said REGEX: the agent has said so
said() {
	grep -q -- "$1" "$TMP/bg.$AGENT"
}

agent_end() {
	bg_kill "$AGENT"
	cat "$TMP/bg.$AGENT"
}

# what test_never makes
NO_UPLINKS=(dum0 red ipip9 br0)

drop_links() {
	local dev

	for dev in "${NO_UPLINKS[@]}"; do
		ipn a link del "$dev" 2>/dev/null || :
	done
}

# uplink_up WAN: its device is up, with addresses and routes, which go with it
uplink_up() {
	ipn a link set "$1" up
	link_address "$1" A
	link_routes "$1" A
	site_default "$1"
}

# status OPTION...: that of the answer of an agent at a
status() {
	on a curl -sS --path-as-is --max-time 5 -o /dev/null -w '%{http_code}' "$@"
}

# ready: both uplinks are there, and nothing of an earlier test, which may have
# failed
ready() {
	drop_links
	uplink_up wan1
	uplink_up wan2
	ipn b address replace 198.51.100.7/32 dev lo
	ipn b address del 198.51.100.8/32 dev lo 2>/dev/null || :
	rm -rf "${TMP:?}/var"
	ipn b link show mp0 >/dev/null 2>&1 || server
	ipn d link del mp0 2>/dev/null || :
	fresh
}

# begin [LINE...]: tunnel and agent, with both uplinks
begin() {
	ready
	client "$@"
	up
	agent
	both
}

both() {
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
}

# end: the agent first, then the tunnel: nothing is left
end() {
	agent_end
	down
	clean
}

# names: names of the paths of a tunnel of a that are not deleted
names() {
	ctl a path show "${1:-mp0}" -j |
		jq -r 'map(select(.state != "draining").name) | sort | join(" ")'
}

names_are() {
	[ "$(names)" = "$*" ]
}

# soon WHAT PATH: the path is up within 2 s
soon() {
	local begin

	begin=$(now_ms)
	wait_for 10 path_is a mp0 "$2" up || {
		cat "$TMP/bg.$AGENT"
		ctl a path show mp0
		rules
		ipn a route show table all
		fail "$1: path $2 is not up"
	}
	begin=$(($(now_ms) - begin))
	figure "$1, until path $2 is up" "$begin" ms
	timely "$1" "$begin <= 2000"
}

# no_default LINK: it is no uplink any more
no_default() {
	ipn a route del default dev "$1"
	ipn a -6 route del default dev "$1"
}

# something: something happens that makes the agent look at the machine
something() {
	ipn a link add dum0 type dummy
	ipn a link del dum0
	sleep 1
}

# names_server: a resolver at b, which knows what is in $TMP/names
names_server() {
	known "$@"
	bg b "$TESTS_DIR/helpers/dns.py" 203.0.113.9 "$TMP/names"
	# shellcheck disable=SC2034 # for the themes
	DNS=$BG
	wait_for 5 flow_listens b 53
}

# known ADDRESS...: those of the server
known() {
	[ $# -eq 0 ] || printf 'vpn.test %s\n' "$@" >"$TMP/names"
	[ $# -gt 0 ] || : >"$TMP/names"
}

# peer_is PATH ADDRESS: the path is up, with this peer
peer_is() {
	path_is a mp0 "$1" up && [ "$(path_json a mp0 "$1" .remote)" = "$2" ]
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Traffic of a case by real programs, and samples taken meanwhile.
# Copyright (C) 2026 The mptun authors
#
# Sourced by sim/guest.sh. What runs is NAME PLACE FROM TO PORT [ARGUMENT...];
# all servers are there before the clock of the case starts (go), then each
# client at its time (launch).

declare -a JOBS=() SAMPLERS=()

# keep FILE HOST CMD...: run it in the background, its output to the results
keep() {
	local file=$RESULTS/$1 host=$2

	shift 2
	"$ENTER" "/run/netns/$NSP-$host" "$@" >"$file" 2>"$file.err" &
	BG=$!
	echo "$BG" >>"$PID_LIST"
}

# wrap PLACE: what the programs are started by
wrap() {
	echo "${C_WRAP[$1]:-}"
}

# shellcheck disable=SC2046 # words, or none
iperf_serve() {
	iperf_ready
	keep "$1.server" "$4" $(wrap "$2") "${IPERF[@]}" -s -1 -J -i 0.5 -p "$5"
	wait_for 10 listens "$4" "$5"
}

# iperf_client ... ARGUMENT...: the receiver's own report comes with the
# sender's
# shellcheck disable=SC2046
iperf_client() {
	local name=$1 place=$2 from=$3 to=$4 port=$5

	shift 5
	iperf_ready
	on "$from" timeout 3600 $(wrap "$place") "${IPERF[@]}" \
		-c "$(place_addr "$place" "$to")" -p "$port" --cport $((port + 10000)) \
		--connect-timeout 5000 -J --get-server-output "$@" \
		>"$RESULTS/$name.json" ||
		fail "$name: $(jq -r .error "$RESULTS/$name.json")"
}

# flow_serve ... IDLE: it ends after IDLE seconds without a packet
flow_serve() {
	keep "$1.recv" "$4" "$(helper udpflow)" recv "$5" "$6"
	wait_for 10 flow_listens "$4" "$5"
}

# flow_client ... KBIT BYTES SECONDS DSCP
flow_client() {
	on "$3" "$(helper udpflow)" fill "$(place_addr "$2" "$4")" "$5" "$6" \
		"$7" "$8" "$9" >"$RESULTS/$1.send"
	wait_for 60 test -s "$RESULTS/$1.recv"
}

# ping_client ... INTERVAL SECONDS
ping_client() {
	on "$3" ping -n -i "$6" -c "$(calc "int($7 / $6)")" -W 2 \
		"$(place_addr "$2" "$4")" >"$RESULTS/$1.ping" || :
}

# http_serve ... BYTES: nginx with one file of that size
http_serve() {
	local dir=$TMP/http-$1

	mkdir -p "$dir/root"
	truncate -s "$6" "$dir/root/file"
	cat >"$dir/conf" <<-END
		daemon off; pid $dir/pid; error_log $dir/error; user root;
		events { }
		http {
			access_log off; sendfile on;
			client_body_temp_path $dir; proxy_temp_path $dir;
			fastcgi_temp_path $dir; uwsgi_temp_path $dir;
			scgi_temp_path $dir;
			server { listen $5; root $dir/root; }
		}
	END
	keep "$1.server" "$4" nginx -c "$dir/conf"
	wait_for 10 listens "$4" "$5"
}

http_client() {
	on "$3" curl -sS -o /dev/null -w '%{json}' \
		"http://$(place_addr "$2" "$4"):$5/file" >"$RESULTS/$1.curl"
}

# quic_serve ... BYTES CC
quic_serve() {
	keep "$1.server" "$4" "$MPTUN_SIM_PYTHON" "$TESTS_DIR/sim/guest/quic.py" \
		serve "$(place_addr "$2" "$4")" "$5" "$7"
	wait_for 10 flow_listens "$4" "$5"
}

# quic_client ... BYTES CC [OMIT SECONDS]
quic_client() {
	on "$3" timeout 3600 "$MPTUN_SIM_PYTHON" "$TESTS_DIR/sim/guest/quic.py" \
		get "$(place_addr "$2" "$4")" "$5" "$6" "${@:8}" \
		>"$RESULTS/$1.quic"
}

# go MS HOST... -- TUNNEL...: the clock of the case starts: from now on all
# hosts are sampled every MS milliseconds
go() {
	local every=$1 host
	local -a at=()

	shift
	while [ "$1" != -- ]; do
		at+=("$1")
		shift
	done
	shift
	for host in "${at[@]}"; do
		keep "links-$host.samples" "$host" python3 \
			"$TESTS_DIR/sim/guest/links.py" "$every"
		SAMPLERS+=("$BG")
		[ $# -gt 0 ] || continue
		keep "tunnels-$host.samples" "$host" mptunctl show -j \
			every "${every}ms"
		SAMPLERS+=("$BG")
	done
}

# launch SECONDS CMD...: run it that long after the clock of the case started
launch() {
	(
		sleep "$1"
		"${@:2}"
	) &
	JOBS+=("$!")
}

# busy_path DEV HOST PATH...: BUSY is the path that carries most within 0.3 s
# shellcheck disable=SC2034 # for the script of the case
busy_path() {
	local dev=$1 host=$2 path n most=-1
	local -A sent=()

	shift 2
	for path; do
		sent[$path]=$(path_json "$host" "$dev" "$path" .stats.tx_packets)
	done
	sleep 0.3
	for path; do
		n=$(path_json "$host" "$dev" "$path" .stats.tx_packets)
		n=$((n - sent[$path]))
		[ "$n" -le "$most" ] || most=$n BUSY=$path
	done
}

# finish: wait for all of it
finish() {
	local job

	for job in "${JOBS[@]}"; do
		wait "$job"
	done
	for job in "${SAMPLERS[@]}"; do
		bg_kill "$job"
	done
}

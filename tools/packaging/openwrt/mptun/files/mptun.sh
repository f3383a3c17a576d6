#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Protocol "mptun" of netifd: a tunnel from /etc/config/network.
#
# Copyright (C) 2026 The mptun authors
#
# Writes a configuration file as mptun.conf(5) has it and gives it to mptunctl;
# addresses and routes are netifd's. A section mptun_INTERFACE is a path.

MPTUN_RUN=${MPTUN_RUN:-/var/run/mptun}

# shellcheck disable=SC1091 # files of OpenWrt
[ -n "$INCLUDE_ONLY" ] || {
	. /lib/functions.sh
	. /lib/functions/network.sh
	. ../netifd-proto.sh
	init_proto "$@"
}

# shellcheck disable=SC2034 # for netifd
proto_mptun_init_config() {
	local option

	available=1
	no_device=1
	no_proto_task=1
	renew_handler=1
	lasterror=1
	# A change of one of them sets the interface up again.
	for option in key key_file cipher port sched cc reorder hold learn \
		follow frag fwmark dscp mtu mss_clamp; do
		proto_config_add_string "$option"
	done
	proto_config_add_array "addresses:list(string)"
	proto_config_add_array "routes:list(string)"
}

# mptun_lines SECTION OPTION=KEY...: a line for each option that is set
mptun_lines() {
	local section=$1 pair value

	shift
	for pair; do
		config_get value "$section" "${pair%%=*}"
		case $value in
		"") continue ;;
		# Either would make another line of it, or none.
		*"#"* | *"
"*)
			mptun_error="option ${pair%%=*} of $section has a character that is not allowed"
			return 1
			;;
		esac
		# Names of files are relative to the folder of this one.
		case $pair:$value in key_file=*:[!/]*) value=/etc/mptun/$value ;; esac
		echo "${pair#*=} = $value"
	done
}

# mptun_name SECTION: the name of its path; UCI makes one for a section without
mptun_name() {
	local n=1

	name=$(echo "$1" | cut -c1-15)
	while [ "${mptun_names%" $name "*}" != "$mptun_names" ]; do
		n=$((n + 1))
		name=$(echo "$1" | cut -c1-$((15 - ${#n})))$n
	done
	mptun_names="$mptun_names $name "
}

# mptun_path SECTION: the section of a path; none while its network is down
mptun_path() {
	local section=$1 name disabled network remote device='' \
		gateway='' gateway6=''
	local own="device=Dev gateway=Gateway"

	# After a mistake no more is said.
	[ -z "$mptun_error" ] || return 0
	# That of a path that is down is taken, too.
	mptun_name "$section"
	config_get_bool disabled "$section" disabled 0
	[ "$disabled" -eq 0 ] || return 0
	config_get network "$section" network
	config_get remote "$section" remote
	if [ -n "$network" ]; then
		network_get_device device "$network" || return 0
		network_get_gateway gateway "$network" 1 || :
		network_get_gateway6 gateway6 "$network" 1 || :
		case $remote in *:*) gateway=$gateway6 ;; esac
		own=
	fi
	echo
	echo "[Path $name]"
	[ -z "$device" ] || echo "Dev = $device"
	[ -z "$gateway" ] || echo "Gateway = $gateway"
	# shellcheck disable=SC2086 # a list
	mptun_lines "$section" $own remote=Remote remote_port=Port local=Local \
		local_port=LocalPort priority=Priority weight=Weight \
		spill=Spill backup=Backup cap=Cap cap_action=CapAction \
		rate=Rate rate_down=RateDown keepalive=Keepalive mtu=MTU cc=CC
}

# mptun_conf INTERFACE: the file
mptun_conf() {
	echo "# Made of /etc/config/network."
	echo "[Interface]"
	mptun_lines "$1" key=Key key_file=KeyFile cipher=Cipher port=Port \
		sched=Sched cc=CC reorder=Reorder hold=Hold learn=Learn \
		follow=Follow frag=Frag fwmark=FwMark dscp=DSCP mtu=MTU \
		mss_clamp=MssClamp || return
	config_foreach mptun_path "mptun_$1"
}

# mptun_add WHAT PREFIX...: addresses or routes; "default" is that of both versions
mptun_add() {
	local what=$1 item

	shift
	for item; do
		case $item in
		default) mptun_add "$what" 0.0.0.0/0 && item=::/0 ;;
		*/*) ;;
		*:*) item=$item/128 ;;
		*) item=$item/32 ;;
		esac
		case $item in
		*:*) "proto_add_ipv6_$what" "${item%/*}" "${item#*/}" ;;
		*) "proto_add_ipv4_$what" "${item%/*}" "${item#*/}" ;;
		esac
	done
}

proto_mptun_setup() {
	local interface=$1 file=$MPTUN_RUN/$1.conf change='' there='' addresses routes
	local mptun_error='' mptun_names='' out='' status=0 kind='SETUP'
	local sent=$MPTUN_RUN/$1.sent

	# A tunnel that is there keeps its traffic.
	[ ! -e "${MPTUN_NET:-/sys/class/net}/$interface" ] || change=1
	[ -z "$change" ] || [ ! -e "$file" ] || there=1
	config_load network
	# The key is in there.
	(umask 077 && mkdir -p "$MPTUN_RUN" && : >"$file.new") || return
	mptun_conf "$interface" >"$file.new"
	if [ -n "$mptun_error" ]; then
		status=1 kind='CONFIG' out=$mptun_error
	elif [ -n "$change" ]; then
		# The file is that of the tunnel, so it changes with it.
		out=$(mptunctl syncconf "$interface" "$file.new" 2>&1) || status=$?
		[ "$status" -ne 0 ] || mv "$file.new" "$file"
	else
		mv "$file.new" "$file"
		out=$(mptunctl up "$file" 2>&1) || status=$?
	fi
	rm -f "$file.new"
	[ -z "$out" ] || logger -t mptun "$interface: $out"
	[ "$status" -eq 0 ] || proto_notify_error "$interface" "$kind" "$out"
	# A change that fails leaves the tunnel as it was.
	if [ "$status" -ne 0 ] && [ -z "$there" ]; then
		# 1 is a mistake in the settings; others, such as a name that
		# cannot be looked up yet, may pass.
		if [ "$status" -eq 1 ]; then
			proto_block_restart "$interface"
		else
			sleep "${MPTUN_PAUSE:-5}"
			proto_setup_failed "$interface"
		fi
		return 1
	fi

	# Those of the tunnel as it is.
	if [ "$status" -ne 0 ] && [ -e "$sent" ]; then
		{ read -r addresses; read -r routes; } <"$sent"
	else
		config_get addresses "$interface" addresses
		config_get routes "$interface" routes
		printf '%s\n' "$addresses" "$routes" >"$sent"
	fi
	proto_init_update "$interface" 1
	# shellcheck disable=SC2086 # lists
	mptun_add address $addresses
	# shellcheck disable=SC2086
	mptun_add route $routes
	proto_send_update "$interface"
}

proto_mptun_renew() { proto_mptun_setup "$1"; }

proto_mptun_teardown() {
	local interface=$1 file=$MPTUN_RUN/$1.conf

	mptunctl down "$file" 2>&1 | logger -t mptun
	rm -f "$file" "$file.new" "$MPTUN_RUN/$1.sent"
}

[ -n "$INCLUDE_ONLY" ] || add_protocol mptun

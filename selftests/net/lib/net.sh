# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Hosts and the links between them, out of network namespaces.
# Copyright (C) 2026 The mptun authors
#
# Sourced by lib.sh.

declare -A LINK_N=() LINK_A=() LINK_B=() LINK_NETEM_A=() LINK_NETEM_B=()
LINKS=0

# ns HOST: the namespace of a host
ns() {
	echo "$NSP-$1"
}

# at NAMESPACE CMD...: run in a namespace given by its full name
at() {
	local where=$1

	shift
	"$ENTER" "/run/netns/$where" "$@"
}

# on HOST CMD...: run on a host
on() {
	local host=$1

	shift
	[ "$1" != ping ] || local -x LD_PRELOAD=$CALM
	"$ENTER" "/run/netns/$NSP-$host" "$@"
}

# ipn HOST ARGUMENT...: ip on a host, without another process
ipn() {
	local host=$1

	shift
	ip -n "$NSP-$host" "$@"
}

# hosts NAME...: network namespaces that act as hosts. Addresses skip duplicate
# detection, and there are no routes by router advertisements. An orphaned TCP
# connection gives up early, as it would pin the namespace and its tunnels for
# minutes. TCP caches nothing about destinations, so that a measurement does not
# depend on the one before.
hosts() {
	local host name

	for host; do
		name=$NSP-$host
		ip netns add "$name"
		echo "$name" >>"$NS_LIST"
		at "$name" sysctl -qw \
			net.ipv6.conf.all.accept_dad=0 \
			net.ipv6.conf.default.accept_dad=0 \
			net.ipv6.conf.default.accept_ra=0 \
			net.ipv6.conf.default.router_solicitations=0 \
			net.ipv4.conf.all.rp_filter=0 \
			net.ipv4.conf.default.rp_filter=0 \
			net.ipv4.tcp_orphan_retries=1 \
			net.ipv4.tcp_no_metrics_save=1 \
			net.ipv4.ping_group_range="0 65535"
		ip -n "$name" link set lo up
	done
}

# routers NAME...: hosts that forward
routers() {
	local host

	hosts "$@"
	for host; do
		on "$host" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 \
			net.ipv6.conf.default.forwarding=1
	done
}

# drop_namespaces: delete those of this test, or of the theme
drop_namespaces() {
	local name pid

	[ -s "$NS_LIST" ] || return 0
	while read -r name; do
		[ -e "/run/netns/$name" ] || continue
		for pid in $(ip netns pids "$name" 2>/dev/null); do
			kill -KILL "$pid" 2>/dev/null || :
		done
		ip netns del "$name"
	done <"$NS_LIST"
	: >"$NS_LIST"
}

# kbit RATE: a rate in the format of tc, scaled, as a number of kbit/s
kbit() {
	local n=${1%%[a-z]*} unit=${1##*[0-9.]}

	case $unit in
	gbit) n="$n * 1000000" ;;
	mbit) n="$n * 1000" ;;
	kbit) ;;
	*) fail "rate $1 has no unit" ;;
	esac
	awk -v s="$LAB_SCALE" "BEGIN { printf \"%d\", $n * s / 100 }"
}

# ms TIME: a time with the unit ms or us, as a number of ms with decimals
ms() {
	case $1 in
	*us) awk "BEGIN { print ${1%us} / 1000 }" ;;
	*ms) echo "${1%ms}" ;;
	*) fail "time $1 has no unit" ;;
	esac
}

# netem_loss P[/C]|P*N|P:R:H:K: the loss of netem() as arguments for tc
netem_loss() {
	local share=${1%%[/*]*}

	share=${share%\%}
	case $1 in
	*:*) echo "loss gemodel ${1//:/ }" ;;
	*'*'*)
		awk "BEGIN { back = 100 / ${1##*\*}
			printf \"loss gemodel %g%% %g%%\",
				$share * back / (100 - $share), back }"
		;;
	*/*) echo "loss random $share% ${1##*/}" ;;
	*) echo "loss random $share%" ;;
	esac
}

# netem RATE DELAY [OPTION...]: arguments for tc; the options are
#
#	loss P[/C]|P*N	share P; correlation C, or bursts of N packets in the
#			mean (Gilbert model)
#	loss P:R:H:K	Gilbert-Elliott model, see "gemodel" of tc-netem(8)
#	jitter T[/normal]	uniform up to T, or normal with that deviation
#	queue T|Np	drop-tail queue of T (default 100 ms, at least 20
#			full-size packets at the rate), or of N packets
#	slot T		packets are delivered together, once in that time
#
# The limit of netem includes the packets in its delay line, so it is what the
# delay holds plus the queue. A link of rate "none" only delays and loses.
netem() {
	local rate=none delay loss='' jitter='' queue=100 packets='' limit slot=''
	local varies=0

	[ "$1" = none ] || rate=$(kbit "$1")
	delay=$(ms "$2")
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		loss) loss=$(netem_loss "$2") ;;
		jitter)
			varies=$(ms "${2%/normal}")
			jitter=${varies}ms
			[[ $2 != */normal ]] || jitter+=' distribution normal'
			;;
		slot) slot="slot $(ms "$2")ms" ;;
		queue)
			if [[ $2 == *p ]]; then
				packets=${2%p}
			else
				queue=$(ms "$2")
			fi
			;;
		*) fail "netem: $1?" ;;
		esac
		shift 2
	done
	if [ "$rate" = none ]; then
		echo "limit ${packets:-10000} delay ${delay}ms $jitter $loss $slot"
		return
	fi
	limit=$(awk -v fixed="$packets" "BEGIN { per = $rate / 8 / 1514
		q = per * $queue; if (q < 20) q = 20
		if (fixed != \"\") q = fixed
		printf \"%d\", per * ($delay + $varies) + q }")
	echo "limit $limit delay ${delay}ms $jitter rate ${rate}kbit $loss $slot"
}

# link A B NAME RATE DELAY [OPTION...]: two hosts, joined through a router of its
# own as by a modem; the options are those of netem:
#
#	A [NAME]----[a] router [b]----[NAME] B
#
# RATE holds in both directions, or is given as AtoB/BtoA; DELAY is one-way.
# Rate, delay and queue are in the router (netem), so that the hosts see no back
# pressure; all offloads are off, so that the link carries packets of at most
# 1500 bytes. Addresses: 10.N.1.2 and fd00:N:1::2 at A, 10.N.2.2 and fd00:N:2::2
# at B.
link() {
	local a=$1 b=$2 name=$3 ab=${4%%/*} ba=${4##*/} n r

	shift 4
	n=$((++LINKS))
	r=r-$name
	LINK_N[$name]=$n
	LINK_A[$name]=$a
	LINK_B[$name]=$b
	LINK_NETEM_B[$name]=$(netem "$ab" "$@")
	LINK_NETEM_A[$name]=${LINK_NETEM_B[$name]}
	[ "$ab" = "$ba" ] || LINK_NETEM_A[$name]=$(netem "$ba" "$@")
	routers "$r"
	join "$a" "$name" "$r" a
	join "$b" "$name" "$r" b
	ip -n "$NSP-$r" -batch - <<-END
		address add 10.$n.1.1/24 dev a
		address add 10.$n.2.1/24 dev b
		address add fd00:$n:1::1/64 dev a nodad
		address add fd00:$n:2::1/64 dev b nodad
	END
	link_address "$name"
	link_routes "$name"
	link_netem "$name"
}

# link_netem NAME: give a link its rate and delay, which has none
link_netem() {
	on "r-$1" tc -batch - <<-END
		qdisc add dev a root netem ${LINK_NETEM_A[$1]}
		qdisc add dev b root netem ${LINK_NETEM_B[$1]}
	END
}

# link_shape NAME RATE T: a link of rate "none" has that rate and a queue of T
# behind its delay, so jitter changes the order of packets
link_shape() {
	local tbf

	tbf="tbf burst 6000 rate $(kbit "$2")kbit latency $(ms "$3")ms"
	on "r-$1" tc -batch - <<-END
		qdisc replace dev a root handle 1: netem ${LINK_NETEM_A[$1]}
		qdisc replace dev b root handle 1: netem ${LINK_NETEM_B[$1]}
		qdisc add dev a parent 1: $tbf
		qdisc add dev b parent 1: $tbf
	END
}

# hardware_address HOST DEV
hardware_address() {
	ipn "$1" -j link show "$2" | jq -r '.[0].address'
}

# neighbours NAME: no requests for hardware addresses on a link. A modem answers
# them at once; here they would take the link's latency.
neighbours() {
	local n=${LINK_N[$1]} r=r-$1 at=1 side host of_host of_router net

	for side in a b; do
		[ "$side" = a ] && host=${LINK_A[$1]} || host=${LINK_B[$1]}
		of_host=$(hardware_address "$host" "$1")
		of_router=$(hardware_address "$r" "$side")
		for net in "10.$n.$at." "fd00:$n:$at::"; do
			ipn "$host" neighbour replace "${net}1" \
				lladdr "$of_router" dev "$1" nud permanent
			ipn "$r" neighbour replace "${net}2" \
				lladdr "$of_host" dev "$side" nud permanent
		done
		at=2
	done
}

# link_police NAME RATE BYTES: a token bucket in both directions of a link, which
# has no queue: what exceeds it is lost
link_police() {
	local dev

	for dev in a b; do
		on "r-$1" tc qdisc add dev "$dev" clsact
		on "r-$1" tc filter add dev "$dev" egress matchall action \
			police rate "$(kbit "$2")kbit" burst "$3" \
			conform-exceed drop
	done
}

# cable A B NAME [whole]: join two hosts directly, limited by processor time
# only. With "whole" the offloads stay on, so that packets of 64 KiB pass.
# Addresses are those of a link, on one network.
cable() {
	local a=$1 b=$2 name=$3 n

	n=$((++LINKS))
	LINK_N[$name]=$n
	LINK_A[$name]=$a
	LINK_B[$name]=$b
	if [ "${4:-}" = whole ]; then
		ip link add "$name" netns "$NSP-$a" type veth \
			peer name "$name" netns "$NSP-$b"
		ipn "$a" link set dev "$name" up
		ipn "$b" link set dev "$name" up
	else
		join "$a" "$name" "$b" "$name"
	fi
	ipn "$a" address add "10.$n.1.2/16" dev "$name"
	ipn "$b" address add "10.$n.2.2/16" dev "$name"
}

# join HOST1 DEV1 HOST2 DEV2: a cable between two hosts: up, offloads off
join() {
	ip link add "$2" netns "$NSP-$1" type veth peer name "$4" \
		netns "$NSP-$3"
	no_offloads "$1" "$2"
	no_offloads "$3" "$4"
	raise "$1" "$2"
	raise "$3" "$4"
}

# raise HOST DEV: set it up, with neighbour probes each 50 ms: on a link that
# loses everything probes are lost, too, and after it heals the default of 1 s
# would add to the outage. Probing lasts three seconds as usual, as an answer
# may take one.
raise() {
	local often='retrans 50 mcast_probes 60 ucast_probes 60'

	ipn "$1" -batch - <<-END
		ntable change name arp_cache dev $2 $often
		ntable change name ndisc_cache dev $2 $often
		link set dev $2 up
	END
}

# no_offloads HOST DEV: the device takes and delivers single packets
no_offloads() {
	on "$1" ethtool -K "$2" tso off gso off gro off \
		tx-udp-segmentation off tx-gso-list off >/dev/null 2>&1 ||
		on "$1" ethtool -K "$2" tso off gso off gro off >/dev/null
}

# link_address NAME [A|B]: set the addresses of the ends of a link
link_address() {
	local name=$1 n=${LINK_N[$1]}

	[ "${2:-A}" != A ] || ip -n "$NSP-${LINK_A[$name]}" -batch - <<-END
		address replace 10.$n.1.2/24 dev $name
		address replace fd00:$n:1::2/64 dev $name nodad
	END
	[ "${2:-B}" != B ] || ip -n "$NSP-${LINK_B[$name]}" -batch - <<-END
		address replace 10.$n.2.2/24 dev $name
		address replace fd00:$n:2::2/64 dev $name nodad
	END
}

# link_routes NAME [A|B]: set the routes of the ends of a link to each other
link_routes() {
	local name=$1 n=${LINK_N[$1]}

	[ "${2:-A}" != A ] || ip -n "$NSP-${LINK_A[$name]}" -batch - <<-END
		route replace 10.$n.2.0/24 via 10.$n.1.1 dev $name
		route replace fd00:$n:2::/64 via fd00:$n:1::1 dev $name
	END
	[ "${2:-B}" != B ] || ip -n "$NSP-${LINK_B[$name]}" -batch - <<-END
		route replace 10.$n.1.0/24 via 10.$n.2.1 dev $name
		route replace fd00:$n:1::/64 via fd00:$n:2::1 dev $name
	END
}

# link_set NAME RATE DELAY ...: change a link, under traffic
link_set() {
	local name=$1 ab=${2%%/*} ba=${2##*/}

	shift 2
	LINK_NETEM_B[$name]=$(netem "$ab" "$@")
	LINK_NETEM_A[$name]=${LINK_NETEM_B[$name]}
	[ "$ab" = "$ba" ] || LINK_NETEM_A[$name]=$(netem "$ba" "$@")
	link_heal "$name"
}

# link_heal NAME: undo link_blackhole
link_heal() {
	on "r-$1" tc -batch - <<-END
		qdisc change dev a root netem ${LINK_NETEM_A[$1]}
		qdisc change dev b root netem ${LINK_NETEM_B[$1]}
	END
}

# heal: restore all links, for the test after a failed one
heal() {
	local name

	for name in "${!LINK_N[@]}"; do
		[ ! -e "/run/netns/$NSP-r-$name" ] || link_heal "$name"
	done
}

# link_blackhole NAME [a|b]: lose everything silently, in both directions or
# only towards A (a) or B (b); packets in flight still arrive
# shellcheck disable=SC2086 # lists of words
link_blackhole() {
	[ "${2:-a}" != a ] || on "r-$1" tc qdisc change dev a root netem \
		${LINK_NETEM_A[$1]} loss random 100%
	[ "${2:-b}" != b ] || on "r-$1" tc qdisc change dev b root netem \
		${LINK_NETEM_B[$1]} loss random 100%
}

# link_stall NAME SECONDS [loses]: a link stands still for that time, and then
# delivers what its queue holds, or loses it
# shellcheck disable=SC2086 # lists of words
link_stall() {
	local side n=${LINK_N[$1]}

	on "r-$1" tc qdisc change dev a root netem ${LINK_NETEM_A[$1]} \
		slot 60000ms
	on "r-$1" tc qdisc change dev b root netem ${LINK_NETEM_B[$1]} \
		slot 60000ms
	sleep "$2"
	if [ -n "${3:-}" ]; then
		on "r-$1" tc qdisc del dev a root
		on "r-$1" tc qdisc del dev b root
		link_netem "$1"
		return
	fi
	on "r-$1" tc qdisc change dev a root netem ${LINK_NETEM_A[$1]} slot 0ms
	on "r-$1" tc qdisc change dev b root netem ${LINK_NETEM_B[$1]} slot 0ms
	# netem looks again when the next packet comes
	for side in 1 2; do
		on "r-$1" ping -n -q -c 1 -W 0.01 "10.$n.$side.2" >/dev/null ||
			:
	done
}

# addr HOST LINK [6]: the address of a host on a link
addr() {
	local side=2 n=${LINK_N[$2]}

	[ "${LINK_A[$2]}" != "$1" ] || side=1
	if [ "${3:-4}" = 6 ]; then
		echo "fd00:$n:$side::2"
	else
		echo "10.$n.$side.2"
	fi
}

# remote HOST LINK [6]: the address of the other end
remote() {
	if [ "${LINK_A[$2]}" = "$1" ]; then
		addr "${LINK_B[$2]}" "$2" "${3:-4}"
	else
		addr "${LINK_A[$2]}" "$2" "${3:-4}"
	fi
}

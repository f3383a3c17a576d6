#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# First process of a guest of smoke.sh: one end of a tunnel over two cables. The
# end called a tests, b serves a file.
# Copyright (C) 2026 The mptun authors

N=0

# check NAME COMMAND...: a test that passes if the command succeeds
check() {
	local name=$1

	shift
	N=$((N + 1))
	if "$@"; then
		echo "ok $N $name"
	else
		echo "not ok $N $name"
		mptunctl show | sed 's/^/# /'
		mptunctl stats | grep -v ' 0 ' | sed 's/^/# /'
	fi
}

# within SECONDS COMMAND...: wait until it succeeds
within() {
	local left=$1

	shift
	while [ "$left" -gt 0 ]; do
		! "$@" 2>/dev/null || return 0
		sleep 1
		left=$((left - 1))
	done
	return 1
}

# card N: the device of a cable, by the address of its card
card() {
	grep -l ":$1.$" /sys/class/net/*/address | cut -d/ -f5
}

# reached TOOL ADDRESS: the other end of the tunnel answers
reached() {
	"$1" -c 1 -W 1 "$2" >/dev/null
}

cabled() {
	reached ping 10.1.1.2 && reached ping 10.1.2.2
}

file() {
	seq 300000
}

# carried PATH: bytes of packets that arrived on it
carried() {
	mptunctl path show mp0 "$1" -j |
		sed -n 's/.*"rx_bytes": *\([0-9]*\).*/\1/p' | sed -n 1p
}

up() {
	mptunctl path show mp0 "$1" -j | grep -q '"state": *"up"'
}

not_up() {
	! up "$1"
}

both_carry() {
	[ "$(carried one)" -gt 100000 ] && [ "$(carried two)" -gt 100000 ]
}

fetch() {
	[ "$(wget -q -O - http://10.7.0.2/file | sha256sum)" = "$(
		file | sha256sum)" ]
}

# the second cable is cut during the transfer
fetch_cut() {
	local rc=0

	(sleep 1 && ip link set "$(card 2)" down) &
	fetch || rc=1
	wait $!
	return "$rc"
}

end_a() {
	echo "KTAP version 1"
	check "both cables work" within 10 cabled
	check "the tunnel comes up" within 60 reached ping 10.7.0.2
	check "the second path comes up" within 30 up two
	check "IPv6 inside" within 10 reached ping6 fd07::2
	check "a file" fetch
	check "both paths carry it" both_carry
	check "a file while a cable is cut" fetch_cut
	check "its path is not up" within 10 not_up two
	ip link set "$(card 2)" up
	check "the path comes back" within 90 up two
	check "a file after that" fetch
	ip link del mp0
	check "no word of the kernel" silent
	echo "1..$N"
}

silent() {
	! dmesg | grep -E 'BUG:|WARNING:|Oops|mptun.*(error|fail)'
}

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2>/dev/null
own=1 other=2
[ "$(cat /side)" = a ] || own=2 other=1
ip link set lo up
for n in 1 2; do
	ip addr add "10.1.$n.$own/24" dev "$(card $n)"
	ip link set "$(card $n)" up
done
[ ! -e /mptun_filler.ko ] || insmod /mptun_filler.ko
insmod /mptun.ko
ip link add mp0 type mptun
mptunctl set mp0 key /key
ip addr add "10.7.0.$own/24" dev mp0
ip addr add "fd07::$own/64" dev mp0
ip link set mp0 up
if [ "$own" = 1 ]; then
	mptunctl path add mp0 one remote "10.1.1.$other" dev "$(card 1)"
	mptunctl path add mp0 two remote "10.1.2.$other" dev "$(card 2)"
	end_a
	poweroff -f
fi
file >/www/file
httpd -h /www
while :; do
	sleep 60
done

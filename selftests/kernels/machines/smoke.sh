#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A tunnel between kernels for two machines: a flow, and the failure of a path.
# KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/machines/smoke.sh MACHINE [PEER]
#
# Machines: s390x (big endian), armhf (32 bit), arm64; the peer is arm64 (64 bit,
# little endian) if there is no other. QEMU emulates both, joined by two cables.
# In each guest there are the module, busybox and mptunctl, both static, and
# smoke-guest.sh, its first process.

set -euo pipefail
LAB_NAME=smoke-${1:-}
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"

here=$MPTUN_TOP/selftests/kernels/machines

# userland MACHINE: the folder of Debian's packages for it, unpacked
userland() {
	local dir=$MPTUN_CACHE/machines/userland-$1 apt codename

	(
		lab_lock "userland-$1"
		[ ! -e "$dir/.complete" ] || exit 0
		rm -rf "$dir"
		mkdir -p "$dir/deb"
		# shellcheck source=/dev/null
		codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
		apt=$(lab_apt_init "$codename" "$1")
		lab_retry 4 lab_apt "$apt" apt-get -qq update
		cd "$dir/deb"
		lab_retry 4 lab_apt "$apt" apt-get -qq download busybox-static \
			libnl-3-dev libnl-genl-3-dev libjansson-dev
		for deb in *.deb; do
			dpkg-deb -x "$deb" "$dir"
		done
		touch "$dir/.complete"
	) >&2 || lab_die "no packages for $1"
	echo "$dir"
}

# tool MACHINE USERLAND FILE: mptunctl for it
tool() {
	local out=$MPTUN_BUILD/machines/$1/tools triplet=${MACHINE_CROSS%-} lib

	lib=$2/usr/lib/$triplet
	PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$2 \
		make -s -C "$MPTUN_TOP/tools" O="$out" QR=no "CC=${MACHINE_CROSS}gcc" \
		"PKG_CONFIG=pkg-config --static" \
		"LDFLAGS=-static -L$lib -L$2/lib/$triplet" "$out/mptunctl" \
		>"$out.log" 2>&1 || {
			tail -n 20 "$out.log" >&2
			lab_die "mptunctl does not build for $1"
		}
	"${MACHINE_CROSS}strip" -o "$3" "$out/mptunctl"
}

# module MACHINE FOLDER: build a module of ours for it, into ROOT
module() {
	local out=$MPTUN_BUILD/machines/$1/${2##*/}

	LAB_QUIET=1 MPTUN_MODULE=$MPTUN_TOP/$2 \
		"$MPTUN_TOP/selftests/tools/build-module.sh" "$TREE" "$out" \
		"${MACHINE_MAKE[@]}" >&2 ||
		lab_die "$2 does not build for $1"
	cp -t "$ROOT" "$out"/mptun*.ko
}

# prepare MACHINE SIDE: the guest's files; sets TREE and ROOT
prepare() {
	local out=$MPTUN_BUILD/machines/$1/smoke-$2 user prog

	machine "$1"
	"$MPTUN_TOP/selftests/tools/deps.sh" machines-long
	TREE=$("$here/build.sh" --image "$1")
	user=$(userland "$1")
	ROOT=$out/root
	rm -rf "$ROOT"
	mkdir -p "$ROOT"/{bin,proc,sys,dev,tmp,www}
	module "$1" kmod
	[ "$1" != s390x ] || module "$1" selftests/helpers/filler
	cp "$user/bin/busybox" "$ROOT/bin/"
	for prog in cat cut dmesg grep httpd insmod ip mount ping ping6 \
		poweroff sed seq sh sha256sum sleep wget; do
		ln -s busybox "$ROOT/bin/$prog"
	done
	tool "$1" "$user" "$ROOT/bin/mptunctl"
	cp "$here/smoke-guest.sh" "$ROOT/init"
	echo "$2" >"$ROOT/side"
	(umask 077 && echo "$key" >"$ROOT/key")
}

# cable N SIDE: its end, a network card
cable() {
	local own=1 other=b

	[ "$2" = a ] || own=2 other=a
	echo "dgram,local.type=unix,local.path=$sock/$1$2,$(
		)remote.type=unix,remote.path=$sock/$1$other,$(
		)52:54:00:00:00:$1$own"
}

# boot SIDE: run the guest that was prepared last
boot() {
	machine_boot "$TREE" "$ROOT" "$(cable 1 "$1")" "$(cable 2 "$1")" \
		</dev/null >"$log-$1" 2>&1
}

[ $# -ge 1 ] || lab_die "usage: selftests/kernels/machines/smoke.sh MACHINE [PEER]"
log=$MPTUN_BUILD/machines/$1/smoke.log
sock=$(mktemp -d)
key=$(head -c 32 /dev/urandom | base64)
mkdir -p "$MPTUN_BUILD/machines/$1"
peer=
# timeout(1) passes the signal on to QEMU
trap '[ -z "$peer" ] || pkill -P "$peer"; rm -rf "$sock"' EXIT
prepare "${2:-arm64}" b
boot b &
peer=$!
prepare "$1" a
rc=0
boot a || rc=$?
# the kernel's own unit tests come first, and there are none
words=$(sed 's/\r$//; 1,/Run .init as/d' "$log-a" |
	grep -E '^ *(KTAP version|1\.\.|ok |not ok |#)') || :
echo "$words"
grep -q '^1\.\.' <<<"$words" || {
	tail -n 40 "$log-a" >&2
	echo "Bail out! no results ($rc)"
	exit 1
}
! grep -HE '^ *not ok |BUG:|WARNING:|Oops' "$log-a" "$log-b" >&2

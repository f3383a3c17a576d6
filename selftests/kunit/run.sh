#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the suites of the pure cores in user space, on other machines. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kunit/run.sh [MACHINE...]
#
# Machines: s390x (64 bit, big endian), armhf (32 bit), both by qemu-user, i386
# (32 bit, with members of 64 bit at multiples of four), and native. Programs and
# logs end in build/kunit/MACHINE. UBSAN stops a program at misaligned accesses,
# shifts too far, and indices out of bounds.

set -uo pipefail
LAB_NAME=kunit-user
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

here=$MPTUN_TOP/selftests/kunit
kmod=$MPTUN_TOP/kmod
# Suites that need more of a kernel than the shims have: the checksums and the
# segments of packets, threads, namespaces, and ciphers. The code of the handshake is there,
# as cookies use it; its suite compares what the ciphers make of it.
LEFT_OUT='base/(ecn|parallel)|core/lookup|crypto/(aead|chacha|cipher)|tx/(run|segment)'
LEFT_OUT_TESTS='crypto/handshake'
# s390x, emulated, takes about 100 s
SECONDS_MOST=600
CHECKS=alignment,bounds,shift,bool,enum,null
COMMON=(-std=gnu11 -O1 -Wall -Wno-format-truncation -Werror
	-fno-strict-aliasing -fwrapv -fsanitize="$CHECKS"
	-fsanitize-undefined-trap-on-error -include "$here/kunit.h"
	-iquote "$kmod" -I"$MPTUN_TOP/uapi")

# sources: the cores and the suites, without the ending
sources() {
	{
		sed -n 's/^mptun-cores .*= //p' "$kmod/cores.mk"
		sed -n 's/^mptun_kunit-y .*= //p; s/^mptun-tested .*= //p' \
			"$kmod/test/objs.mk"
	} | tr ' ' '\n' | sed -n 's/\.o$//p' | grep -vxE \
		"test/main|(test/)?($LEFT_OUT)(_test)?|test/$LEFT_OUT_TESTS"_test
}

# headers: an empty file for each header of the kernel that a program does not
# have
headers() {
	local name

	sed -n 's/^#include <\(.*\)>.*/\1/p' "$kmod"/{,*/,*/*/}*.[ch] |
		sort -u | while read -r name; do
		! "$CC" -E -include "$name" -x c /dev/null >/dev/null 2>&1 ||
			continue
		[ ! -e "$MPTUN_TOP/uapi/$name" ] || continue
		mkdir -p "$OUT/include/${name%/*}"
		: >"$OUT/include/$name"
	done
}

# compile SOURCE: one object; OUT/failed says that one was refused
compile() {
	local object

	object=$OUT/$(tr / - <<<"${1#"$MPTUN_TOP/"}").o
	"$CC" "${FLAGS[@]}" -I"$OUT/include" -c -o "$object" "$1" ||
		touch "$OUT/failed"
}

# no_divisions: no object divides 64 bits by an operator, which a 32-bit kernel
# does not link; the shims may
no_divisions() {
	local found

	found=$(nm -A --undefined-only "$OUT"/*.o |
		grep -E '__(u?(div|mod|divmod)di[34]|aeabi_u?ldivmod)$' |
		grep -vE '/(selftests-[^/]*)\.o:')
	[ -z "$found" ] && return
	lab_say "division of 64 bits without div_u64() and the like:"
	echo "$found"
	return 1
}

# build: the program of all suites, OUT/suites
build() {
	local file
	local -a files

	rm -rf "$OUT"
	mkdir -p "$OUT/include"
	headers
	mapfile -t files < <(sources | sed "s,.*,$kmod/&.c,")
	files+=("$here/kunit.c" "$MPTUN_TOP/selftests/fuzz/wire/shim.c")
	for file in "${files[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
			wait -n
		done
		compile "$file" &
	done
	wait
	[ ! -e "$OUT/failed" ] || return 1
	no_divisions || return
	"$CC" -static -o "$OUT/suites" "$OUT"/*.o
}

# machine NAME: how to build for it, and how to run that
machine() {
	OUT=$MPTUN_BUILD/kunit/$1
	FLAGS=("${COMMON[@]}")
	case $1 in
	s390x) CC=s390x-linux-gnu-gcc RUN=qemu-s390x ;;
	armhf) CC=arm-linux-gnueabihf-gcc RUN=qemu-arm ;;
	i386)
		CC=i686-linux-gnu-gcc RUN=''
		# gcc expects more of a u64 than its structures give it, and
		# has code of its own for some divisions, unless for size
		FLAGS+=(-fno-sanitize=alignment -Os)
		;;
	native) CC=gcc RUN='' ;;
	*) lab_die "no machine '$1' (see the top of this script)" ;;
	esac
}

[ $# -gt 0 ] || set -- s390x armhf i386
ulimit -c 0
"$MPTUN_TOP/selftests/tools/deps.sh" machines || exit 1
echo "KTAP version 1"
echo "1..$#"
n=0
failed=0
for name; do
	n=$((n + 1))
	rc=0
	machine "$name"
	lab_say "$name"
	if build >&2; then
		# A case that does not end fills no disk: 1024 bytes each.
		# shellcheck disable=SC2086 # none for this machine
		(ulimit -f 65536 && exec timeout "$SECONDS_MOST" \
			$RUN "$OUT/suites") >"$OUT/ktap" || rc=$?
		sed 's/^/    /' "$OUT/ktap"
	else
		rc=1
	fi
	[ "$rc" -eq 0 ] || { failed=1; printf 'not '; }
	echo "ok $n $name"
	[ "$rc" -lt 2 ] || echo "# $name: ended with $rc"
done
exit "$failed"

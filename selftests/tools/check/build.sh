#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the module for stock kernels and for kernels of our own, by gcc and
# clang, without a warning; its unit tests and fuzzers. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/check/build.sh [KERNEL...]
#
# Kernels: stock ones, which are for gcc (default: all, and kernels of our own,
# unit tests and fuzzers).

set -uo pipefail
LAB_NAME=build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../kernels/lab/common.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"

n=0
failed=0

# result NAME OUTPUT: a test that passes when OUTPUT is empty
result() {
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		head -n 60 <<<"$2" | sed 's/^/# /'
		echo "not ok $n $1"
		failed=1
	fi
}

# warnings LOG: what a compiler, sparse or modpost complained about. Stock
# headers come without a vmlinux and are used with a compiler of their release; a
# tree of the lab may be older than this machine's pahole
warnings() {
	grep -iE 'warning|error:|note:|not available|undefined!' "$1" |
		grep -v -e 'the compiler differs from the one used' \
			-e 'pahole version differs from the one used' |
		sort -u
}

# build KERNEL: for a stock kernel, in the folder of its virtual machine and with
# the same flags, so that this one need not build it again
build() {
	local kernel=$1 out=$MPTUN_BUILD/modules/vm-$1 root='' ver words

	lab_say "$kernel"
	[ "$kernel" != newest ] || root=$(vm_chroot)
	ver=$(vm_version "$kernel")
	MODULE_AFRESH=1 CHROOT=$root "$MPTUN_TOP/selftests/tools/build-module.sh" \
		"$(vm_kdir "$kernel" "$ver")" "$out" W=1 C=2 \
		CF=-D__CHECK_ENDIAN__ >"$out.log" 2>&1 ||
		echo "error: the build failed" >>"$out.log"
	words=$(warnings "$out.log")
	[ -f "$out/mptun.ko" ] || words+=$'\nno mptun.ko'
	result "$kernel ($ver)" "$words"
	result "$kernel: names of symbols" "$(symbols "$out/mptun.ko" 2>&1)"
}

# ipv6_symbols: what only a kernel with IPv6 exports
ipv6_symbols() {
	local src

	src=$("$MPTUN_TOP/selftests/tools/linux-source.sh")
	sed -nE 's/^EXPORT_(IPV6_MOD|SYMBOL)(_GPL)?\((\w+)\);/\3/p' \
		"$src"/net/ipv6/{addrconf,af_inet6,ip6_output,ip6_udp_tunnel,route}.c
	printf '%s\n' dst_cache_{g,s}et_ip6 udp_sock_create6
}

# build_machine NAME WHAT: for a kernel of our own, of which there is only what
# compiling needs: symbols are not looked up
build_machine() {
	local out=$MPTUN_BUILD/check/modules/$1 tree words
	local -a flags=()

	lab_say "$2"
	machine "$1"
	tree=$("$MPTUN_TOP/selftests/kernels/machines/build.sh" "$1") || {
		result "$2" "no kernel"
		return
	}
	grep -q '^CONFIG_64BIT=y' "$tree/.config" ||
		flags=("KCFLAGS=-include $here/whole.h")
	rm -rf "$out"
	"$MPTUN_TOP/selftests/tools/build-module.sh" "$tree" "$out" \
		"${MACHINE_MAKE[@]}" "${flags[@]}" W=1 KBUILD_MODPOST_WARN=1 \
		>"$out.log" 2>&1 ||
		echo "error: the build failed" >>"$out.log"
	words=$(warnings "$out.log" | grep -v -e 'undefined!' \
		-e 'Module.symvers' -e 'unresolved symbol' \
		-e KBUILD_MODPOST_WARN)
	if [ ! -f "$out/mptun.ko" ]; then
		words+=$'\nno mptun.ko'
	elif grep -qx '# CONFIG_IPV6 is not set' "$tree/.config"; then
		words+=$(nm -u "$out/mptun.ko" | sed 's/^ *U //' |
			grep -xFf <(ipv6_symbols) | sed 's/^/undefined: /')
		words+=$(grep -rlE --include='.*.cmd' '/net/ip6_(fib|route)\.h' \
			"$out" | sed 's/$/: headers of IPv6 routes/')
	fi
	words+=$(nm -u "$out/mptun.ko" | grep -E '__u?(div|mod)[dt]i')
	[[ $1 != *-clang ]] ||
		readelf -p .comment "$out/mptun.ko" | grep -q 'clang version' ||
		words+=$'\nnot by clang'
	result "$2" "$words"
}

# symbols FILE: those that do not carry our name: not "mptun_" (with leading
# underscores or a compiler's prefix), nor made by a macro, the build, or from
# an inline function of a header
symbols() {
	nm "$1" | awk '$2 ~ /^[tTdDbBrR]$/ { print $3 }' |
		grep -vE '^(__pfx_|__cfi_)?_*mptun_' |
		grep -vE '^(__pfx_)?(init_module|cleanup_module)$' |
		grep -vE '^_?_[a-z_]+\.[0-9]+$|^(descriptor|CSWTCH)\.[0-9]+$' |
		grep -vE '^(__this_module|____versions|__UNIQUE_ID_.*)$' |
		grep -vE '^__(start|stop)_|^_note_|^orc_header$|^\.L|^__(mod|ksymtab|kstrtab)_' |
		grep -vE '^(__)?TRACE_SYSTEM_MPTUN_|^symbols\.[0-9]+$' |
		grep -vE '^(__pfx_)?nla_put_' |
		grep -vE '^(__pfx_)?_*(trace|event|perf_trace|print_fmt|str|bpf_trace|traceiter|tracepoint|tpstrtab|probestub|data_offsets|SCK|SCT)_+(event_|raw_)*(.*_)?mptun_'
}

here=$MPTUN_TOP/selftests/tools/check
"$MPTUN_TOP/selftests/tools/deps.sh" build style || exit 1
[ -f "$MPTUN_TOP/kmod/Kbuild" ] || {
	echo "there is no kmod/Kbuild" >&2
	exit 1
}
machines=
long=
[ $# -gt 0 ] || {
	# shellcheck disable=SC2086 # a list of words
	set -- $VM_KERNELS
	long=1
	# small: 32 bit, without IPv6
	machines="small small-clang s390x rt kcsan-clang armhf arm64 riscv64 armhf-clang"
	machines+=" arm64-clang riscv64-clang"
}
mkdir -p "$MPTUN_BUILD/check/modules" "$MPTUN_BUILD/modules"
echo "KTAP version 1"
for kernel; do
	if "$MPTUN_TOP/selftests/kernels/vm/build.sh" --headers "$kernel"; then
		build "$kernel"
	else
		result "$kernel: headers" "not there"
	fi
done
for name in $machines; do
	build_machine "$name" "kernel of our own for $name"
done
# The unit tests need a kernel that has KUnit, and that one a newer sparse than
# this machine's: the newest release's, run by its own loader
if [ -n "$long" ]; then
	lab_say "unit tests"
	out=$MPTUN_BUILD/check/modules/kunit
	tree=$("$MPTUN_TOP/selftests/kernels/uml/build.sh" --path tt)
	root=$(vm_chroot)
	"$MPTUN_TOP/selftests/kernels/vm/build.sh" --headers newest
	rm -rf "$out"
	"$MPTUN_TOP/selftests/tools/build-module.sh" "$tree" "$out" W=1 C=2 \
		CF=-D__CHECK_ENDIAN__ CONFIG_MPTUN_KUNIT_TEST=m \
		CHECK="$root/lib64/ld-linux-x86-64.so.2 --library-path $(
			)$root/usr/lib/x86_64-linux-gnu $root/usr/bin/sparse" \
		>"$out.log" 2>&1 ||
		echo "error: the build failed" >>"$out.log"
	words=$(warnings "$out.log")
	[ -f "$out/mptun_kunit.ko" ] || words+=$'\nno mptun_kunit.ko'
	result "unit tests with gcc" "$words"
	# Both built in end in one image, which has each symbol once
	lab_say "mptun and its unit tests, built in"
	out=$MPTUN_BUILD/check/modules/builtin
	rm -rf "$out"
	mkdir -p "$out"
	cp -a "$MPTUN_TOP/kmod" "$MPTUN_TOP/uapi" "$out/"
	make -C "$tree" ARCH=um "M=$out/kmod" "-j$(nproc)" CONFIG_MPTUN=y \
		CONFIG_MPTUN_KUNIT_TEST=y KBUILD_BUILTIN=1 . >"$out.log" 2>&1 ||
		echo "error: the build failed" >>"$out.log"
	ld -r --whole-archive -o "$out/all.o" "$out/kmod/built-in.a" \
		>>"$out.log" 2>&1 ||
		echo "error: the objects do not link" >>"$out.log"
	nm -u "$out/all.o" | sed -n 's/^ *U \(mptun_.*\)/error: no \1/p' >>"$out.log"
	result "unit tests with gcc, built in" "$(warnings "$out.log")"
	# What fuzzers take of the module is a list of its own, in which a new
	# file of a core can be missing
	lab_say "fuzzers"
	out=$MPTUN_BUILD/check/modules/fuzz
	"$MPTUN_TOP/selftests/fuzz/wire/run.sh" --build >"$out.log" 2>&1 ||
		echo "error: the build failed" >>"$out.log"
	result "fuzzers of the wire with clang" "$(warnings "$out.log")"
fi
echo "1..$n"
exit "$failed"

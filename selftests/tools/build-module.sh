#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the modules out of the source tree, for one kernel.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/build-module.sh KDIR OUT [MAKE ARGUMENT...]
#
# kmod/ (or the folder MPTUN_MODULE) and uapi/ are copied to OUT (with their
# times, so that a second build is short) and built there against KDIR, a
# kernel's build folder: one clean source tree serves any number of kernels.
# The .ko files end in OUT itself.
# CHROOT=DIR builds with the compiler and headers of the system in that folder
# (KDIR is a folder in there, OUT is not).
# MODULE_AFRESH=1 compiles what was compiled before, too.
# LAB_QUIET=1 shows the compiler's words only when it fails or warns.

set -euo pipefail
LAB_NAME=build-module
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

[ $# -ge 2 ] || {
	sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2
	exit 2
}
kdir=$1
out=$2
shift 2
root=${CHROOT:-}
out=$(realpath -m -- "$out")
[ -d "$root$kdir" ] ||
	lab_die "there is no $root$kdir: headers of that kernel are needed" \
	"(\"make deps\" installs those of Debian's current kernel)"
command -v rsync >/dev/null || lab_die "there is no rsync, \"make deps\" installs it"
module=${MPTUN_MODULE:-$MPTUN_TOP/kmod}
module=${module%/}

# The lock keeps two builds out of one folder
lab_lock "module-$(printf %s "$out" | sha256sum | cut -c1-8)"
[ -z "${MODULE_AFRESH:-}" ] || rm -rf "$out/src"
mkdir -p "$out/src"
rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' \
	--exclude='*.mod.c' --exclude='.*.cmd' --exclude='*.order' \
	--exclude='Module.symvers' --exclude='.tmp*' \
	"$module" "$MPTUN_TOP/uapi" "$out/src/"

arch=()
if grep -qs '^CONFIG_UML=y' "$root$kdir/.config" \
	"$root$kdir/include/config/auto.conf"; then
	# No dynamic debug there, and the tests follow the life of objects
	flags=-DDEBUG
	# as the kernel's own objects (uml/tree.sh), whose frames are larger so
	! grep -qs '^CONFIG_KASAN=y' "$root$kdir/.config" ||
		flags+=" -O1 -Wframe-larger-than=2048"
	arch=(ARCH=um "KCFLAGS=$flags")
fi
cmd=(make -C "$kdir" "${arch[@]}" "M=$out/src/${module##*/}" "-j$(nproc)"
	"$@" modules)
# in a mount namespace that ends with the build; objtool reads /proc
# shellcheck disable=SC2016 # for the inner shell
[ -z "$root" ] || cmd=(lab_root unshare --mount --propagation private sh -ec '
	root=$1 out=$2
	shift 2
	mount -t proc proc "$root/proc"
	mkdir -p "$root$out"
	mount --bind "$out" "$root$out"
	exec chroot "$root" "$@"' sh "$root" "$out" "${cmd[@]}")
log=$out/build.log
rc=0
if [ -n "${LAB_QUIET:-}" ]; then
	"${cmd[@]}" >"$log" 2>&1 </dev/null || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 60 "$log" >&2
	else
		grep -E 'warning:|WARNING:' "$log" >&2 || :
	fi
else
	"${cmd[@]}" 2>&1 </dev/null | tee "$log" || rc=$?
fi
[ "$rc" -eq 0 ] || {
	lab_say "failed for $kdir, log: $log"
	exit "$rc"
}
# Others may be about to read them: each file is whole at any time.
built=()
# the names in modules.order: with or without a path, .o or .ko
while read -r object; do
	object=${object##*/}
	object=${object%.*}.ko
	cp -- "$out/src/${module##*/}/$object" "$out/$object.new"
	mv -- "$out/$object.new" "$out/$object"
	built+=("$out/$object")
done <"$out/src/${module##*/}/modules.order"
for object in "$out"/*.ko; do
	[[ " ${built[*]} " == *" $object "* ]] || rm -- "$object"
done

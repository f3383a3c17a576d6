#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Proves that the runners never take a failure for a pass.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/uml/selftest.sh [FLAVOUR|KERNEL...]
#	(default: smp debug tt)

set -uo pipefail
LAB_NAME="lab-selftest"
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"

[ $# -gt 0 ] || set -- smp debug tt
work=$MPTUN_BUILD/uml-selftest
n=0
failed=0
mkdir -p "$work"

# t NAME STATUS TEXT COMMAND...: in this flavour, COMMAND must give STATUS, and
# TEXT must be in what the runner prints
t() {
	local name=$1 want=$2 text=$3 rc=0
	local -a opts=()

	shift 3
	while [[ $1 == -* ]]; do
		opts+=("$1" "$2")
		shift 2
	done
	n=$((n + 1))
	MPTUN_RESULTS=$work/results "$runner" "$flavour" --bare \
		"${opts[@]}" -- "$@" >"$work/out" 2>&1 || rc=$?
	if [ "$rc" -eq "$want" ] && [[ $(<"$work/out") == *"$text"* ]]; then
		echo "ok $n $flavour: $name: $want"
	else
		sed 's/^/# /' "$work/out" | tail -n 30
		echo "not ok $n $flavour: $name: $want was due, not $rc"
		failed=1
	fi
}

# deed WORD: the misbehaving module does it
deed() {
	printf 'insmod %q && echo %s >/sys/kernel/debug/mptun_crash && sleep 1' \
		"$work/$flavour/mptun_crash.ko" "$1"
}

# same_twice: virtual time does not depend on the machine
same_twice() {
	local i

	n=$((n + 1))
	for i in 1 2; do
		# shellcheck disable=SC2016 # for the guest's shell
		"$runner" "$flavour" --bare -- \
			bash -c 'a=$(date +%s%N); sleep 1000; b=$(date +%s%N)
				echo $(((b - a) / 10000000))' \
			>"$work/time.$i" 2>&1
	done
	if grep -qx '10000[0-2]' "$work/time.1" &&
		cmp -s "$work/time.1" "$work/time.2"; then
		echo "ok $n $flavour: 1000 s pass alike in two runs"
	else
		sed 's/^/# /' "$work"/time.[12]
		echo "not ok $n $flavour: 1000 s pass alike in two runs"
		failed=1
	fi
}

# In the guest: yields while no time passes and then lets many timers of high
# resolution expire; the kernel log's stamps must not fall (uml/patches)
# shellcheck disable=SC2016 # for the guest's shell
clock='python3 -c "import os; [os.sched_yield() for i in range(1000)]"
	for i in 1 2 3 4; do
		echo "stamp $i" >/dev/kmsg
		for j in 1 2 3 4 5 6 7 8 9; do sleep 0.001; done
	done
	dmesg | sed -n "s/^\[ *\([0-9.]*\)\] stamp.*/\1/p" >/tmp/stamps
	cat /tmp/stamps; [ -s /tmp/stamps ] && sort -cn /tmp/stamps'

# prepare: set runner, and tree to build against (in CHROOT, for newest)
prepare() {
	unset CHROOT
	case " $VM_KERNELS " in
	*" $flavour "*)
		runner=$MPTUN_TOP/selftests/kernels/vm/run.sh
		"$MPTUN_TOP/selftests/kernels/vm/build.sh" "$flavour" || return
		tree=$(vm_kdir "$flavour" "$(vm_version "$flavour")")
		[ "$flavour" != newest ] || CHROOT=$(vm_chroot)
		export CHROOT
		;;
	*)
		runner=$uml
		tree=$("$MPTUN_TOP/selftests/kernels/uml/build.sh" --path "$flavour")
		;;
	esac
}

uml=$MPTUN_TOP/selftests/kernels/uml/run.sh
echo "KTAP version 1"
for flavour; do
	prepare || lab_die "no kernel"
	MPTUN_MODULE=$MPTUN_TOP/selftests/kernels/uml/crash LAB_QUIET=1 \
		"$MPTUN_TOP/selftests/tools/build-module.sh" "$tree" \
		"$work/$flavour" || lab_die "no module"
	oops=121
	[ "$runner" = "$uml" ] || oops=120
	t "success" 0 "" true
	t "failure" 3 "status is 3" bash -c "exit 3"
	t "warning" 120 "asked to warn" bash -c "$(deed warn)"
	t "panic" 121 "asked to panic" bash -c "$(deed panic)"
	t "null pointer" "$oops" "" bash -c "$(deed null)"
	t "no end marker" 122 "without its end marker" busybox poweroff -f
	case $flavour in
	tt) ;;
	*) t "time-out" 124 "no end after 3 s" -t 3 sleep 1000 ;;
	esac
	case $flavour in
	debug)
		t "out of bounds" 120 "KASAN: slab-out-of-bounds" \
			bash -c "$(deed oob)"
		t "leak" 120 "unreferenced object" bash -c "$(deed leak)"
		t "lock order" 120 "possible circular locking" \
			bash -c "$(deed abba)"
		t "sleep under lock" 120 "scheduling while atomic" \
			bash -c "$(deed sleep)"
		;;
	tt)
		same_twice
		t "the scheduler's clock never falls" 0 "" bash -c "$clock"
		;;
	esac
done
echo "1..$n"
exit "$failed"

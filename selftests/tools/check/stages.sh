# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The stages of check.sh: each prints KTAP and ends with a status.
# Copyright (C) 2026 The mptun authors
#
# Sourced by check.sh. stage_NAME runs one; "-" in the name becomes "_". Words
# that are not KTAP go to standard error, which is the stage's log.

# In the order in which they start, each when there is room for it and all before it
# have started. "WEIGHT NAME": how many of the places a stage takes, at most all.
# What measures times does so in virtual time (tt), whatever else runs. Each kernel
# is built before the stages that wait for it. First comes the longest of these, as
# all others fit beside it, and last those that fill the gaps.
# shellcheck disable=SC2034 # for check.sh
STAGES="9 deps
2 kernel-tt
1 tools
1 ns-uml-tt
2 kernel-debug
1 build
1 ns-uml-debug
1 sim
1 ns-vm-6.1
1 kunit
1 kunit-user
1 fuzz-debug
1 lab
1 demo
1 style
1 peer
1 fuzz-wire
1 spec"

# Those of check.sh --long, which take hours
# shellcheck disable=SC2034
STAGES_LONG="9 deps
2 kernel-tt
2 kernel-debug
1 fuzz-debug
1 fuzz-wire
1 tools-long
1 style-long
1 build-long
1 kunit-user-long
1 kunit-machines
1 smoke-machines
9 ns-vm-kcsan
1 dkms
1 packages-long
1 clone
2 fresh
1 page
1 ns-vm-long
1 ns-debug-long
1 tt-long
1 sim-long
1 soak-long"

# one NAME COMMAND...: a stage that is a single test
one() {
	local name=$1

	shift
	echo "KTAP version 1"
	echo "1..1"
	if "$@" >&2; then
		echo "ok 1 $name"
	else
		echo "not ok 1 $name"
		return 1
	fi
}

# need FILE...: a stage whose files are not in the tree has failed
need() {
	local file

	for file; do
		[ -e "$MPTUN_TOP/$file" ] && continue
		printf 'KTAP version 1\n1..1\nnot ok 1 %s is there\n' "$file"
		return 1
	done
}

# results NAME: a folder of its own for what a guest leaves
results() {
	MPTUN_RESULTS=$MPTUN_BUILD/check/results/$1
	export MPTUN_RESULTS
	rm -rf "$MPTUN_RESULTS"
	mkdir -p "$MPTUN_RESULTS"
}

stage_deps() {
	one "packages" "$MPTUN_TOP/selftests/tools/deps.sh" \
		build tests uml vm machines style sim plot clients
}

# A stage that needs one earlier waits for its lock
stage_kernel_tt() {
	one "kernel tt" "$MPTUN_TOP/selftests/kernels/uml/build.sh" tt
}

stage_kernel_debug() {
	one "kernel debug" "$MPTUN_TOP/selftests/kernels/uml/build.sh" debug
}

stage_style() {
	"$MPTUN_TOP/selftests/tools/check/style.sh"
}

stage_style_long() {
	"$MPTUN_TOP/selftests/tools/check/style.sh" --long
}

stage_spec() {
	need tools/spec/regen.sh || return
	one "generated code is that of the spec" \
		"$MPTUN_TOP/tools/spec/regen.sh" --check
}

# The oldest; User-Mode Linux is the newest, and what lies between has the
# interfaces of one of them
stage_build() {
	need kmod/Kbuild || return
	"$MPTUN_TOP/selftests/tools/check/build.sh" 6.1
}

stage_tools() {
	need tools/Makefile || return
	"$MPTUN_TOP/selftests/tools/deps.sh" build plot clients >&2 || return
	make -s -C "$MPTUN_TOP/tools" O="$MPTUN_BUILD/check/tools" WERROR=1 \
		>&2 || return
	make -s -C "$MPTUN_TOP/tools" O="$MPTUN_BUILD/check/tools" WERROR=1 \
		FUZZ_RUNS="${1:-10000}" check
}

# The fuzzers begin with the same seed: the same inputs, and then more of them
stage_tools_long() {
	stage_tools 1000000
}

stage_lab() {
	"$MPTUN_TOP/selftests/kernels/lab/ktap-test.sh" || return
	"$MPTUN_TOP/selftests/kernels/uml/selftest.sh" tt debug
}

stage_kunit() {
	need kmod/Kbuild kmod/test || return
	results kunit
	"$MPTUN_TOP/selftests/kernels/uml/run.sh" debug -t 900 \
		"$MPTUN_TOP/selftests/kernels/lab/kunit.sh"
}

# machines SCRIPT NAME...: a script of kernels/machines for each machine
machines() {
	local script=$1 name n=0 rc=0

	shift
	echo "KTAP version 1"
	echo "1..$#"
	for name; do
		n=$((n + 1))
		if "$MPTUN_TOP/selftests/kernels/machines/$script" "$name" |
			sed 's/^/    /'; then
			echo "ok $n $name"
		else
			echo "not ok $n $name"
			rc=1
		fi
	done
	return "$rc"
}

# In kernels of our own for other machines; the first is User-Mode Linux of 32
# bit, without IPv6, SMP and AES
stage_kunit_machines() {
	need kmod/Kbuild kmod/test || return
	machines kunit.sh um32 s390x armhf arm64 riscv64
}

# A tunnel between kernels of our own: big endian, and 32 bit, each with one of
# 64 bit and little endian
stage_smoke_machines() {
	need kmod/Kbuild tools/Makefile || return
	machines smoke.sh s390x armhf
}

# The suites of pure cores as programs: big endian, and 32 bit
stage_kunit_user() {
	need selftests/kunit/run.sh kmod/test || return
	"$MPTUN_TOP/selftests/kunit/run.sh" s390x i386
}

stage_kunit_user_long() {
	"$MPTUN_TOP/selftests/kunit/run.sh" armhf
}

stage_peer() {
	need selftests/peer/selftest.py || return
	"$MPTUN_TOP/selftests/tools/deps.sh" peer >&2 || return
	"$MPTUN_TOP/selftests/peer/selftest.py"
}

# One guest at a time, as other stages run beside it
stage_sim() {
	local rc=0

	need selftests/sim/run.py || return
	"$MPTUN_TOP/selftests/sim/selftest.py" || rc=$?
	"$MPTUN_TOP/selftests/sim/repeat.sh" || rc=$?
	"$MPTUN_TOP/selftests/sim/run.py" -j 1 --quick --ktap || rc=$?
	return "$rc"
}

# All scenarios, each with all points of its sweeps
stage_sim_long() {
	"$MPTUN_TOP/selftests/sim/run.py" -j 1 --ktap
}

# The namespace tests. What they measure counts in virtual time only, which
# repeats exactly and does not depend on the machine; the emulated links are
# measured there, as are attacks, whose other side is Python. Debug kernels and
# emulated processors are slow: each of them gets the themes in which it shows
# something that others do not. The head of a theme names its stages.

# themes_of STAGE: the themes that name it
themes_of() {
	"$MPTUN_TOP/selftests/tools/themes.sh" "$1"
}

# ns RUNNER KERNEL SECONDS THEME...: namespace tests in that kernel
ns() {
	themes "ns-$1-$2" "$@"
}

# themes STAGE RUNNER KERNEL SECONDS THEME...: the same for any stage
themes() {
	local stage=$1 runner=$2 kernel=$3 seconds=$4

	shift 4
	need selftests/tools/run.sh kmod/Kbuild tools/Makefile || return
	results "$stage"
	"$MPTUN_TOP/selftests/kernels/$runner/run.sh" "$kernel" -t "$seconds" -m 2G \
		"$MPTUN_TOP/selftests/tools/run.sh" "$@"
}

# At last without IPv6, which only the command line of the kernel can switch off
# shellcheck disable=SC2046 # a list of words
stage_ns_uml_tt() {
	local rc=0

	MPTUN_SEED=1 ns uml tt 4200 $(themes_of tt) || rc=$?
	MPTUN_SEED=1 MPTUN_UML_ARGS=ipv6.disable=1 \
		"$MPTUN_TOP/selftests/kernels/uml/run.sh" tt -t 300 --no-build \
		"$MPTUN_TOP/selftests/kernels/lab/no-ipv6.sh" || rc=$?
	return "$rc"
}

# A file arrives whole over three links of which one dies and returns; how fast
# they are counts in virtual time (scenario home). The kernel is one that another
# stage builds for.
stage_demo() {
	one "the demonstration runs to its end" \
		"$MPTUN_TOP/selftests/demo/demo.sh" --shared 6.1
}

# shellcheck disable=SC2046
stage_ns_vm_6_1() { ns vm 6.1 1800 $(themes_of vm-6.1); }
# Looking for leaks takes more than half of the time, so it is for the themes that
# give back most memory, and those that fail to get some; --long does it in all
# shellcheck disable=SC2046
stage_ns_uml_debug() {
	local rc=0

	MPTUN_LEAKS=0 ns uml debug 3600 $(themes_of debug) || rc=$?
	themes ns-uml-leaks uml debug 3600 $(themes_of leaks) || rc=$?
	return "$rc"
}

# Fuzzers run for 20 s, or for FUZZ_SECONDS; those of the module under the debug
# kernel
stage_fuzz_wire() {
	need selftests/fuzz/wire/run.sh kmod/cores.mk || return
	"$MPTUN_TOP/selftests/fuzz/wire/run.sh"
}

# shellcheck disable=SC2046
stage_fuzz_debug() {
	# short runs repeat a seed, so that a change is judged by the same messages;
	# those of check --long have new ones
	[ -n "${FUZZ_SECONDS:-}" ] || local -x FUZZ_SEED=${FUZZ_SEED:-42}
	themes fuzz-debug uml debug $((1500 + 3 * ${FUZZ_SECONDS:-20})) \
		$(themes_of fuzz-debug)
}

stage_build_long() {
	"$MPTUN_TOP/selftests/tools/check/build.sh"
}

# shellcheck disable=SC2046
stage_ns_vm_long() {
	local kernel rc=0

	for kernel in 6.1 6.12; do
		themes "ns-vm-$kernel" vm "$kernel" 7200 \
			$(themes_of vm-long) || rc=$?
	done
	return "$rc"
}

# Data races, in a kernel of our own. Nothing runs beside it, as its processors
# run at the same time (vm/run.sh).
# shellcheck disable=SC2046
stage_ns_vm_kcsan() { ns vm kcsan 7200 $(themes_of kcsan); }

# Themes that other themes under debug nearly cover, and leaks of the others
# shellcheck disable=SC2046
stage_ns_debug_long() {
	themes ns-debug-long uml debug 10800 $(themes_of debug-long) \
		$(themes_of debug)
}

# shellcheck disable=SC2046
stage_tt_long() {
	MPTUN_SEED=1 MPTUN_FULL=1 themes tt-long uml tt 7200 \
		$(themes_of tt-long)
}

# shellcheck disable=SC2046
stage_soak_long() {
	local rc=0

	MPTUN_SEED=1 MPTUN_FULL=1 themes soak-tt uml tt 7200 \
		$(themes_of soak-long) || rc=$?
	MPTUN_FULL=1 themes soak-debug uml debug 14400 \
		$(themes_of soak-long) || rc=$?
	return "$rc"
}

# The packages, also for other architectures, and a repository of them
stage_packages_long() {
	need selftests/tools/packages.sh || return
	"$MPTUN_TOP/selftests/tools/packages.sh" --long
}

# A virtual machine that is saved and restored
stage_clone() {
	need selftests/kernels/vm/clone.sh kmod/Kbuild tools/Makefile || return
	"$MPTUN_TOP/selftests/kernels/vm/clone.sh"
}

# Two machines of distributions with the packages, emulated, side by side
stage_fresh() {
	need selftests/fresh/run.py tools/packaging/deb.sh || return
	"$MPTUN_TOP/selftests/fresh/run.py"
}

# The status page in a browser, which takes long to install
stage_page() {
	need selftests/page/run.py tools/status/index.html || return
	"$MPTUN_TOP/selftests/tools/deps.sh" page >&2 || return
	"$MPTUN_TOP/selftests/page/run.py"
}

stage_dkms() {
	need selftests/tools/dkms.sh || return
	results dkms
	"$MPTUN_TOP/selftests/tools/dkms.sh"
}

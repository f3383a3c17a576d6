# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The contract of uml/run.sh and vm/run.sh: options, environment, verdict.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh. The runner that sources it defines
#	lab_prepare	make the kernel ready, set LAB_KDIR (its build tree),
#			LAB_RELEASE (its version), LAB_MODDIR (its modules)
#	lab_boot	boot it, run lab/guest.sh $RUN in it; script output to
#			standard output, kernel log to $RUN/console
# and calls lab_run "$@".

# shellcheck source=selftests/net/lib/judge.sh
. "$MPTUN_TOP/selftests/net/lib/judge.sh"

lab_usage() {
	cat >&2 <<-END
		usage: $LAB_USAGE [OPTION...] [--] SCRIPT [ARG...]
		  -m MEM      memory of the guest (default $LAB_MEM)
		  -c CPUS     processors of the guest (default $LAB_CPUS)
		  -t SECONDS  kill the guest after that long (default $LAB_TIME)
		  --no-build  use the module and tools as they were built last
		  --bare      a guest without them
	END
	[ "$LAB_KIND" != vm ] || cat >&2 <<-END
		  --kvm       with hardware's help, --tcg without (default: what works)
		  --alone     nothing else runs here: emulated processors in parallel
	END
	exit "$LAB_BROKEN"
}

# lab_options ARG...: sets LAB_MEM, LAB_CPUS, LAB_TIME, LAB_COMMAND
# shellcheck disable=SC2034 # LAB_ACCEL and LAB_THREADS are for vm/run.sh
lab_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		-m) LAB_MEM=${2:?}; shift ;;
		-c) LAB_CPUS=${2:?}; shift ;;
		-t) LAB_TIME=${2:?}; shift ;;
		--no-build) LAB_NO_BUILD=1 ;;
		--bare) LAB_BARE=1 ;;
		--kvm) LAB_ACCEL=kvm ;;
		--tcg) LAB_ACCEL=tcg ;;
		--alone) LAB_THREADS=multi ;;
		--) shift; break ;;
		-*) lab_usage ;;
		*) break ;;
		esac
		shift
	done
	[ $# -gt 0 ] || lab_usage
	LAB_COMMAND=("$@")
	if [ -f "$1" ] && [ -x "$1" ]; then
		LAB_COMMAND[0]=$(realpath -- "$1")
	elif [[ $1 == */* ]]; then
		lab_die "no such script: $1"
	fi
}

# lab_wants_units: whether the script that will run loads the unit tests, and the
# kernel can; they are a third of what a build compiles
lab_wants_units() {
	grep -qs MPTUN_KUNIT_KO "${LAB_COMMAND[0]}" &&
		grep -qs '^CONFIG_KUNIT=' "${CHROOT:-}$LAB_KDIR/.config"
}

# lab_build_product: the module and tools for this kernel, as far as the source
# tree has them; sets LAB_MODULES (folder of the .ko files)
lab_build_product() {
	local top=$MPTUN_TOP
	local -a args=() units=()
	local rc=0 helper=slept

	LAB_MODULES=$MPTUN_BUILD/modules/$MPTUN_LAB
	[ -z "${LAB_NO_BUILD:-}${LAB_BARE:-}" ] || return 0
	if [ -f "$top/kmod/Kbuild" ]; then
		# as the check of builds does, which builds into the same folder
		[ "$LAB_KIND" = uml ] || args=(W=1)
		! lab_wants_units || units=(CONFIG_MPTUN_KUNIT_TEST=m)
		export LAB_QUIET=1
		"$top/selftests/tools/build-module.sh" "$LAB_KDIR" "$LAB_MODULES" \
			"${args[@]}" "${units[@]}" || rc=$?
		# unit tests that do not build are no reason not to try the rest
		if [ "$rc" -ne 0 ] && [ ${#units[@]} -gt 0 ]; then
			rc=0
			"$top/selftests/tools/build-module.sh" "$LAB_KDIR" \
				"$LAB_MODULES" "${args[@]}" || rc=$?
			[ "$rc" -ne 0 ] || lab_say "without the unit tests," \
				"as they do not build (see above)"
		fi
		[ "$rc" -eq 0 ] ||
			lab_die "the module does not build for $MPTUN_LAB"
	fi
	# no variable names it, as the environment changes the outcome of a seed
	[ "$LAB_KIND" != uml ] || helper=memscan
	MPTUN_MODULE=$top/selftests/helpers/$helper \
		"$top/selftests/tools/build-module.sh" "$LAB_KDIR" \
		"$LAB_MODULES-$helper" ||
		lab_die "$helper does not build for $MPTUN_LAB"
	if [ -f "$top/tools/Makefile" ]; then
		(
			lab_lock "tools-$(lab_id "$top")"
			make -s -C "$top/tools" O="$MPTUN_BUILD/tools" &&
				make -s -C "$top/selftests/helpers" \
					O="$MPTUN_BUILD/selftests"
		) >&2 || lab_die "the tools do not build"
	fi
}

# lab_id PATH: a short name for a path
lab_id() {
	printf %s "$1" | sha256sum | cut -c1-8
}

# lab_index DIR: depmod's files for the tree below DIR; it needs seconds for a
# stock kernel's 4000 modules, so its work is kept for modules that look alike
lab_index() {
	local dir=$1/lib/modules/$LAB_RELEASE hash index

	hash=$( (
		/sbin/modinfo -F alias "$dir/updates/mptun.ko"
		/sbin/modinfo -F depends "$dir/updates/mptun.ko"
	) | sha256sum | cut -c1-12)
	index=$MPTUN_CACHE/index/$MPTUN_LAB-$LAB_RELEASE-$hash
	if [ ! -d "$index" ]; then
		/sbin/depmod -b "$1" "$LAB_RELEASE"
		rm -rf "$index.$$"
		mkdir -p "$index.$$"
		cp -t "$index.$$" -- "$dir"/modules.*
		mv -T "$index.$$" "$index" 2>/dev/null || rm -rf "$index.$$"
	fi
	cp -t "$dir" -- "$index"/modules.*
}

# lab_modules: what will be /lib/modules in the guest: the kernel's own modules
# with ours beside them, so that modprobe and the kernel find it by its names
lab_modules() {
	local dir=$RUN/root/lib/modules/$LAB_RELEASE

	[ -f "$RUN/mptun.ko" ] || return 0
	mkdir -p "$dir/updates"
	cp -t "$dir/updates" -- "$RUN/mptun.ko"
	[ "$LAB_KIND" != vm ] || ln -s "$LAB_MODDIR/kernel" "$dir/"
	cp -t "$dir" -- "$LAB_MODDIR"/modules.{builtin,builtin.modinfo,order}
	lab_index "$RUN/root"
}

# lab_env: the environment and command for guest.sh
lab_env() {
	local var file

	for file in "$LAB_MODULES"/mptun{,_kunit}.ko \
		"$LAB_MODULES-memscan/mptun_memscan.ko" \
		"$LAB_MODULES-slept/mptun_slept.ko"; do
		[ -n "${LAB_BARE:-}" ] || [ ! -f "$file" ] ||
			cp -t "$RUN" -- "$file"
	done
	unset MPTUN_KO MPTUN_KUNIT_KO
	[ ! -f "$RUN/mptun.ko" ] || export MPTUN_KO=$RUN/mptun.ko
	[ ! -f "$RUN/mptun_kunit.ko" ] ||
		export MPTUN_KUNIT_KO=$RUN/mptun_kunit.ko
	export MPTUN_TOP MPTUN_BUILD MPTUN_CACHE MPTUN_RESULTS MPTUN_LAB
	lab_modules
	# copies, as others may build while this guest runs
	mkdir -p "$RUN/tools"
	for file in "$MPTUN_BUILD"/tools/mptun{ctl,d} \
		"$MPTUN_BUILD/tools/ip/link_mptun.so"; do
		[ -n "${LAB_BARE:-}" ] || [ ! -f "$file" ] || cp -t "$RUN/tools" -- "$file"
	done
	export IP_LIB_DIR=$RUN/tools
	export PATH=$RUN/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
	for var in $(compgen -e | grep -E '^(MPTUN|KTAP|FUZZ)_') \
		PATH IP_LIB_DIR HOME LANG LC_ALL; do
		[ -z "${!var+x}" ] || printf 'export %s=%q\n' "$var" "${!var}"
	done
	printf '%s=%q\n' LAB_KIND "$LAB_KIND" LAB_NONCE "$LAB_NONCE" \
		LAB_CWD "$PWD" LAB_RELEASE "$LAB_RELEASE" \
		LAB_MODDIR "$LAB_MODDIR"
	printf 'LAB_COMMAND=('
	printf ' %q' "${LAB_COMMAND[@]}"
	echo ')'
}

# lab_excerpt HITS: what a reader of the run's output needs to see
lab_excerpt() {
	local line noise='^$'

	line=$(printf '%s\n' "$1" | head -n1)
	if [ -n "$line" ]; then
		printf '%s\n' "$1" | grep -v 'Call Trace:' | head -n 12 |
			sed 's/^/    ! /' >&2
		# with frame pointers, "?" marks what is not part of the trace
		if grep -qa '^\[[^]]*\]  \[<[0-9a-f]*>\] [a-z]' "$RUN/console"; then
			noise='>\] ? '
		fi
		tr -d '\r' <"$RUN/console" | grep -av -- "$noise" |
			grep -aF -B3 -A40 -- "$line" | head -n 40 |
			sed 's/^/    /' >&2
	else
		lab_say "the last lines of the kernel log:"
		tail -n 15 "$RUN/console" | sed 's/^/    /' >&2
	fi
}

# lab_verdict BOOTSTATUS: what the run is worth; returns the final status
lab_verdict() {
	local boot=$1 nonce='' rc='' hits

	hits=$(lab_klog_judge "$RUN/console" "$MPTUN_RESULTS/dmesg") || :
	[ ! -f "$RUN/end" ] || read -r nonce rc <"$RUN/end" || :
	cp -- "$RUN/console" "$MPTUN_RESULTS/console" 2>/dev/null || :
	if [ "$boot" -eq "$LAB_TIMEOUT" ]; then
		lab_say "FAILED: no end after $LAB_TIME s, killed"
	elif grep -qa 'Kernel panic' "$RUN/console"; then
		lab_say "FAILED: the kernel panicked"
		boot=$LAB_PANIC
	elif [ "$nonce" != "$LAB_NONCE" ] || [[ ! $rc =~ ^[0-9]+$ ]]; then
		lab_say "FAILED: the guest ended without its end marker"
		boot=$LAB_NOMARKER
	elif [ -n "$hits" ]; then
		lab_say "FAILED: the kernel log holds a report" \
			"(the script's status was $rc)"
		boot=$LAB_KLOG
	else
		[ "$rc" -eq 0 ] || lab_say "FAILED: the script's status is $rc"
		return "$rc"
	fi
	lab_excerpt "$hits"
	return "$boot"
}

# lab_run ARG...: all of it
lab_run() {
	local rc=0 own_results=

	lab_options "$@"
	mkdir -p "$MPTUN_BUILD/run"
	find "$MPTUN_BUILD/run" -mindepth 1 -maxdepth 1 -mmin +10080 \
		-exec rm -rf {} + 2>/dev/null || :
	"$MPTUN_TOP/selftests/tools/deps.sh" build tests "$LAB_KIND" ||
		lab_die "the machine lacks packages"
	lab_prepare
	lab_build_product
	RUN=$(mktemp -d "$MPTUN_BUILD/run/$MPTUN_LAB.XXXXXX")
	LAB_NONCE=$RANDOM$RANDOM$RANDOM
	if [ -n "${MPTUN_RESULTS:-}" ]; then
		mkdir -p "$MPTUN_RESULTS"
		MPTUN_RESULTS=$(realpath -- "$MPTUN_RESULTS")
	else
		MPTUN_RESULTS=$RUN/results
		own_results=1
		mkdir -p "$MPTUN_RESULTS"
	fi
	rm -f "$MPTUN_RESULTS/dmesg" "$MPTUN_RESULTS/console"
	lab_env >"$RUN/env"
	: >"$RUN/console"
	lab_boot || rc=$?
	lab_verdict "$rc" && rc=0 || rc=$?
	rm -rf "$RUN/root" "$RUN/tools" "$RUN"/*.ko
	if [ "$rc" -eq 0 ] && [ -z "$own_results" ]; then
		rm -rf "$RUN"
	elif [ "$rc" -ge "$LAB_KLOG" ] || [ "$rc" -ne 0 ]; then
		lab_say "results and kernel log are in $MPTUN_RESULTS"
	fi
	exit "$rc"
}

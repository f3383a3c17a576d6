#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a User-Mode Linux flavour and runs a script in it.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/uml/run.sh FLAVOUR [-m MEM] [-c CPUS] [-t SECONDS]
#		[--no-build] [--] SCRIPT [ARG...]
#
# The guest's root is the host's file system. The status is the script's, or
# 120 to 124 when the lab says no (see Documentation/testing.rst).
#
#	MPTUN_UML_ARGS	further arguments of the kernel, such as ipv6.disable=1
#	MPTUN_LEAKS=0	debug does not look for memory leaks, which takes more than
#			half of its time

set -euo pipefail
LAB_NAME=uml-${1:-?}
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/lab/runner.sh
. "$MPTUN_TOP/selftests/kernels/lab/runner.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"

LAB_USAGE="selftests/kernels/uml/run.sh {${UML_FLAVOURS// /|}}"
LAB_KIND=uml
LAB_MEM=1G
LAB_CPUS=2
LAB_TIME=600

lab_prepare() {
	LAB_KDIR=$("$MPTUN_TOP/selftests/kernels/uml/build.sh" --path "$FLAVOUR") ||
		lab_die "no kernel"
	LAB_RELEASE=$(cat "$LAB_KDIR/include/config/kernel.release")
	LAB_MODDIR=$LAB_KDIR
}

# pick_core: hold a core for a pinned guest, a free one if there is one
pick_core() {
	local core fd
	local -a cores

	mapfile -t cores < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
		awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }')
	mkdir -p "$MPTUN_CACHE/locks"
	for core in "${cores[@]}"; do
		exec {fd}>"$MPTUN_CACHE/locks/core-$core"
		if flock -n "$fd"; then
			CORE=$core
			return
		fi
		exec {fd}>&-
	done
	CORE=${cores[RANDOM % ${#cores[@]}]}
}

# The programs of the system, whatever else the caller has before them
SEEDED_PATH=/usr/sbin:/usr/bin:/sbin:/bin

# seeded: nothing of the host's randomness or time of day gets into the guest,
# nor where it keeps its files: names end in command lines, environments and the
# kernel's random pool, and their lengths decide where a program puts things. The
# tree is seen as /mnt, the guest's folder under a fixed name in it.
seeded() {
	local src=$MPTUN_TOP/selftests/kernels/uml/seed.c lib=$MPTUN_BUILD/uml/seed.so

	mkdir -p "$MPTUN_BUILD/uml/seeded"
	(
		lab_lock "seed-$(lab_id "$MPTUN_BUILD")"
		[ -e "$lib" ] && [ ! "$src" -nt "$lib" ] && exit
		gcc -std=gnu11 -O2 -Wall -Wextra -shared -fPIC \
			-o "$lib" "$src" >&2
	) || lab_die "seed.c does not build"
	TOP=/mnt
	FIXED=${MPTUN_BUILD/#"$MPTUN_TOP"/"$TOP"}/uml/seeded
	sed -i "s|$RUN|$FIXED|g; s,$MPTUN_TOP\([^[:alnum:]._-]\|\$\),$TOP\1,g
		s|^\(export PATH=$FIXED/tools\):.*|\1:$SEEDED_PATH|" "$RUN/env"
	# 2026-01-01
	extra+=(time-travel-start=1767225600000000000)
	# shellcheck disable=SC2016 # for the inner shell
	preload=(unshare -m --propagation private sh -c
		'mount --bind "$1" "$2" && mount --rbind "$3" "$4" && lib=$5 &&
			shift 5 && exec env "LD_PRELOAD=$lib" "$@"'
		sh "$RUN" "$MPTUN_BUILD/uml/seeded" "$MPTUN_TOP" "$TOP" "$lib")
}

# mconsole COMMAND...: ask the guest's kernel for a word on a hang; it answers
# in its log
mconsole() {
	python3 - "$RUN" "$@" <<-'END'
		import glob, socket, struct, sys, time
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1] + "/ask")
		for word in sys.argv[2:]:
		    cmd = word.encode()
		    msg = struct.pack("<III512s", 0xcafebabe, 2, len(cmd), cmd)
		    s.sendto(msg, glob.glob(sys.argv[1] + "/*/mconsole")[0])
		    time.sleep(0.5)
	END
}

# A session of its own, so that nothing of the guest survives its end
lab_boot() {
	local guest filter out timer rc=0 TOP=$MPTUN_TOP FIXED=$RUN
	local -a pin=() extra=() preload=()

	case $FLAVOUR in
	tt)
		pick_core
		pin=(taskset -c "$CORE")
		extra=(time-travel=inf-cpu)
		[ -z "${MPTUN_SEED:-}" ] || seeded
		;;
	*)
		extra=("ncpus=$LAB_CPUS")
		[ "$LAB_CPUS" -ne 1 ] || { pick_core; pin=(taskset -c "$CORE"); }
		;;
	esac
	# without slab_debug, allocations come from per-CPU arrays whose stale
	# entries look to kmemleak like references; and a page becomes an object
	# with what was in it, the registers on the stack of a process that is
	# gone for one, which would be taken for what the object's owner left
	[ "$FLAVOUR" != debug ] || [ "${MPTUN_LEAKS:-1}" = 0 ] ||
		extra+=(kmemleak=on slab_debug=F init_on_alloc=1)
	# beside eight busy processes a softirq has taken 1.9 s here, and once RCU
	# waited 26 s; it reports a stall after 21 s
	[ "$FLAVOUR" != debug ] ||
		extra+=(rcupdate.rcu_cpu_stall_timeout=60)
	# shellcheck disable=SC2206 # a list of words
	extra+=(${MPTUN_UML_ARGS:-})
	printf '#!/bin/bash\nexec /bin/bash %q %q\n' \
		"$TOP/selftests/kernels/lab/guest.sh" "$FIXED" >"$RUN/init"
	chmod +x "$RUN/init"
	exec {out}> >(exec sed -u 's/\r$//')
	filter=$!
	# shellcheck disable=SC2261 # two streams, two places
	HOME=$RUN setsid "${pin[@]}" "${preload[@]}" \
		"$LAB_KDIR/linux.stripped" seccomp=on "mem=$LAB_MEM" \
		"${extra[@]}" rootfstype=hostfs rw "init=$FIXED/init" \
		console=tty1 con=null con0=null,fd:1 con1=null,fd:2 panic=-1 \
		"uml_dir=$FIXED/" \
		</dev/null 2>"$RUN/console" >&"$out" &
	guest=$!
	exec {out}>&-
	trap 'exit 130' INT TERM
	(
		lab_sleep "$LAB_TIME"
		touch "$RUN/timeout"
		[ ! -f "$RUN/end" ] || sleep 10
		mconsole "sysrq w" "sysrq t" || :
		kill -KILL -- "-$guest"
	) </dev/null >/dev/null 2>&1 &
	timer=$!
	trap 'kill "$timer"; kill -KILL -- "-$guest" 2>/dev/null' EXIT
	# without bash's word on how the guest ended
	{ wait "$guest" || rc=$?; } 2>/dev/null
	kill "$timer" 2>/dev/null || :
	kill -KILL -- "-$guest" 2>/dev/null || :
	wait "$filter" || :
	trap - EXIT
	[ ! -e "$RUN/timeout" ] || return "$LAB_TIMEOUT"
	return "$rc"
}

FLAVOUR=${1:-}
[[ -n $FLAVOUR && " $UML_FLAVOURS " == *" $FLAVOUR "* ]] || lab_usage
shift
MPTUN_LAB=uml-$FLAVOUR
lab_run "$@"

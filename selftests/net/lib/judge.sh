# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Judges a kernel log: the lines that mean that something went wrong.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh.

# lab_klog_patterns: one extended regular expression per line. Broad on
# purpose: a false alarm costs a look, a missed report costs trust.
lab_klog_patterns() {
	cat <<-'END'
		WARNING:
		BUG:
		\bBUG at
		kernel BUG
		Oops
		Kernel panic
		general protection fault
		[Uu]nable to handle kernel
		KASAN:
		UBSAN:
		KCSAN:
		KFENCE:
		kmemleak: [0-9]+ new suspected
		mptun-lab: unreferenced object
		suspicious RCU usage
		INFO: possible
		possible (recursive|circular|irq lock|deadlock|unsafe)
		[Ii]nconsistent lock state
		Invalid wait context
		turning off the locking correctness validator
		using smp_processor_id\(\) in preemptible
		bad unlock balance
		bad contention detected
		held lock freed
		lock held when returning
		nested lock was not taken
		blocked for more than
		rcu.*(stall|Stall)
		soft lockup
		hard LOCKUP
		scheduling while atomic
		sleeping function called
		voluntary context switch within RCU
		refcount_t:
		unregister_netdevice: waiting
		ref_tracker:
		leaked reference
		ODEBUG:
		list_(add|del) corruption
		page allocation failure
		SLUB.*(corrupt|Poison|redzone)
		Objects remaining in
		object already free
		Out of memory
		asks to queue packet
		NETDEV WATCHDOG
		Dead loop on virtual device
		recursion limit reached
		kernel stack overflow
		segfault at
		Call Trace:
	END
}

# lab_klog_harmless: lines that look like those, but report no fault. The
# tracker of references prints one if it had no memory itself; the other is a
# setting of the debug guest.
lab_klog_harmless() {
	echo "ref_tracker: memory allocation failure, unreliable"
	echo "rcu_cpu_stall_timeout"
}

# lab_klog_judge FILE...: print these lines of kernel logs; false if there is
# any. Data races that the module has no part in are the kernel's own.
lab_klog_judge() {
	local pattern hits

	pattern=$(lab_klog_patterns | paste -sd'|')
	hits=$(cat -- "$@" 2>/dev/null | tr -d '\r' | grep -aE "$pattern" |
		grep -avE "$(lab_klog_harmless)" |
		awk '(!/KCSAN: data-race/ || /mptun/) && !seen[$0]++' |
		head -n 20) || :
	[ -n "$hits" ] || return 0
	printf '%s\n' "$hits"
	return 1
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests ktap.py: what counts as passed, failed, skipped.
# Copyright (C) 2026 The mptun authors

set -uo pipefail
ktap=$(dirname -- "${BASH_SOURCE[0]}")/../../tools/ktap.py
n=0
failed=0

# t NAME WANT: the stream on standard input gives the line WANT and a status
# that fits it
t() {
	local got rc=0 want_rc=0

	n=$((n + 1))
	got=$(python3 "$ktap" - | tail -n1; exit "${PIPESTATUS[0]}") || rc=$?
	[[ $2 == *" 0 failed"* ]] || want_rc=1
	if [ "$got" = "$2" ] && [ "$rc" -eq "$want_rc" ]; then
		echo "ok $n $1"
	else
		echo "# got '$got', status $rc"
		echo "not ok $n $1"
		failed=1
	fi
}

echo "KTAP version 1"
echo "1..17"
t "flat" "2 passed, 0 failed, 0 skipped" <<-'END'
	TAP version 13
	1..2
	ok 1 - one
	ok 2 - two
END
t "a failure and a skip" "1 passed, 1 failed, 1 skipped" <<-'END'
	KTAP version 1
	1..3
	ok 1 one
	not ok 2 two
	ok 3 three # SKIP no such device
END
t "plan at the end" "1 passed, 0 failed, 0 skipped" <<-'END'
	KTAP version 1
	ok 1 one
	1..1
END
t "nothing at all" "0 passed, 1 failed, 0 skipped" </dev/null
t "words but no test" "0 passed, 1 failed, 0 skipped" <<-'END'
	all is well
END
t "an empty plan" "0 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..0
END
t "all skipped" "0 passed, 0 failed, 1 skipped" <<-'END'
	KTAP version 1
	1..0 # SKIP needs root
END
t "too few" "1 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..2
	ok 1 one
END
t "too many" "2 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..1
	ok 1 one
	ok 2 two
END
t "no plan" "1 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	ok 1 one
END
t "a number left out" "2 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..3
	ok 1 one
	ok 3 three
END
t "bail out" "1 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..1
	ok 1 one
	Bail out! the machine is on fire
END
t "nested, KUnit in a kernel log" "4 passed, 1 failed, 0 skipped" <<-'END'
	[    1.020000] KTAP version 1
	[    1.020000] 1..2
	[    1.020000]     KTAP version 1
	[    1.020000]     # Subtest: alpha
	[    1.020000]     1..2
	[    1.020000]     ok 1 one
	[    1.020000]         KTAP version 1
	[    1.020000]         # Subtest: parameters
	[    1.020000]         ok 1 p=1
	[    1.030000] something else happened
	[    1.020000]         ok 2 p=2
	[    1.020000]     ok 2 parameters
	[    1.020000] # alpha: pass:2 fail:0 skip:0 total:2
	[    1.020000] ok 1 alpha
	[    1.020000]     KTAP version 1
	[    1.020000]     # Subtest: beta
	[    1.020000]     1..2
	[    1.020000]     ok 1 one
	[    1.020000]     not ok 2 two
	[    1.020000] not ok 2 beta
END
t "a nested stream cut short" "1 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..1
	    KTAP version 1
	    1..2
	    ok 1 one
	ok 1 outer
END
t "a parent that fails by itself" "1 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..1
	    KTAP version 1
	    1..1
	    ok 1 one
	not ok 1 outer
END
t "the end came inside" "1 passed, 3 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..2
	    KTAP version 1
	    1..2
	    ok 1 one
END
t "two streams, the first one short" "2 passed, 1 failed, 0 skipped" <<-'END'
	KTAP version 1
	1..2
	ok 1 one
	KTAP version 1
	1..1
	ok 1 one
END
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Lists the themes of the namespace tests, from what their heads say.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/themes.sh [STAGE...]
#        selftests/tools/themes.sh --check STAGE...
#
# Prints all themes, or those whose line "# stages: STAGE..." names one of the
# stages, in the order in which they run. --check prints instead what is wrong
# with these lines: none, a stage that is not one of STAGE..., or one of
# STAGE... that no theme names.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../net"

# The lab's links first, then the control plane: if they fail, whatever follows
# can fail too. Within a subject the order is that of the names.
SUBJECTS=(lab ctl path data sched sec)

# stages_of FILE: what its head says
stages_of() {
	sed -n '1,/^[^#]/s/^# stages: //p' "$1"
}

# names_any STAGES WANTED...: whether one of WANTED is among STAGES
names_any() {
	local have=" $1 " want

	shift
	for want; do
		[[ $have != *" $want "* ]] || return 0
	done
	return 1
}

check=
all=
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
for subject in "${SUBJECTS[@]}"; do
	for file in "${subject}"_*.sh; do
		stages=$(stages_of "$file")
		if [ -z "$check" ]; then
			[ $# -eq 0 ] || names_any "$stages" "$@" || continue
			echo "${file%.sh}"
			continue
		fi
		all+=" $stages"
		[ -n "$stages" ] || echo "$file: the head names no stage"
		for stage in $stages; do
			names_any "$*" "$stage" ||
				echo "$file: there is no stage '$stage'"
		done
	done
done
[ -n "$check" ] || exit 0
for stage; do
	names_any "$all" "$stage" || echo "no theme names the stage '$stage'"
done
for file in *.sh; do
	[ "$file" = lib.sh ] || names_any "${SUBJECTS[*]}" "${file%%_*}" ||
		echo "$file: the name begins with no subject (${SUBJECTS[*]})"
done

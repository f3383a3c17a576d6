#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks of style, spelling, words and includes. KTAP.
# Copyright (C) 2026 The mptun authors
#
# shellcheck disable=SC2317 # the functions are called by way of t
#
# usage: selftests/tools/check/style.sh [--long]
#
#	--long		shellcheck, and checkpatch reads the unit tests as well: they
#			take as long as all the rest

set -uo pipefail
LAB_NAME=style
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../kernels/lab/common.sh"
cd "$MPTUN_TOP" || exit 1
long=
[ "${1:-}" != --long ] || long=1

selftests/tools/deps.sh style || exit 1
linux=$(selftests/tools/linux-source.sh) || exit 1
work=$MPTUN_BUILD/check/style
n=0
failed=0
mkdir -p "$work"

# all files of the tree, except those that git ignores
if ! git ls-files -co --exclude-standard >"$work/all" 2>/dev/null; then
	find . -path ./build -prune -o -type f -print | sed 's,^\./,,' \
		>"$work/all"
fi
mapfile -t files < <(while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done <"$work/all" | sort -u)

# pick REGEX: the files whose name matches
pick() {
	printf '%s\n' "${files[@]}" | grep -E "$1"
}

# t NAME COMMAND...: a test that passes if COMMAND succeeds and prints nothing
t() {
	local name=$1 rc=0 out

	shift
	n=$((n + 1))
	out=$("$@" 2>&1) || rc=$?
	if [ "$rc" -eq 0 ] && [ -z "$out" ]; then
		echo "ok $n $name"
	else
		head -n 200 <<<"$out" | sed 's/^/# /'
		echo "not ok $n $name"
		failed=1
	fi
}

# none REGEX FILE...: fail if a line matches
none() {
	local regex=$1

	shift
	[ $# -gt 0 ] || return 0
	! grep -nE -- "$regex" "$@"
}

# patch_style TYPES FILE...: checkpatch, without the named types
patch_style() {
	local types=$1

	shift
	[ $# -gt 0 ] || return 0
	printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 16 \
		perl "$linux/scripts/checkpatch.pl" --root="$linux" --strict \
		--quiet --show-types --max-line-length=80 --terse \
		--no-summary ${types:+--ignore="$types"} -f
}

# the generator of the kernel ignores line lengths and blank lines; the macros of
# tracepoints have a layout of their own
checkpatch() {
	local rc=0 trace=kmod/base/trace.h file code=()

	for file in "${written[@]}"; do
		[ "$file" = "$trace" ] ||
			[[ -z $long && $file == kmod/test/* ]] ||
			code+=("$file")
	done
	patch_style "" "${code[@]}" || rc=1
	patch_style COMPLEX_MACRO,MACRO_ARG_UNUSED,TRAILING_SEMICOLON,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE \
		"$trace" || rc=1
	patch_style LONG_LINE,LONG_LINE_COMMENT,LINE_SPACING \
		"${generated[@]}" || rc=1
	return "$rc"
}

kernel_doc() {
	python3 "$linux/scripts/kernel-doc" -none -Wall "${kernel[@]}"
}

scripts() {
	local file

	for file in "${files[@]}"; do
		case $file in
		*.sh) echo "$file" ;;
		*.*) ;;
		*) head -c 20 "$file" | grep -qaE '^#! ?/bin/(ba)?sh' &&
			echo "$file" ;;
		esac
	done
}

spdx() {
	local file rc=0

	for file in $(pick '\.(c|h|sh|py|rst|yaml|mk|tc)$|Makefile|Kbuild|Kconfig'); do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' && continue
		echo "$file: no SPDX line on top"
		rc=1
	done
	return "$rc"
}

# every file that a page of the documentation names exists
files_named() {
	local rc=0 page line file

	while IFS=: read -r page line file; do
		[ -e "$file" ] && continue
		echo "$page:$line: $file does not exist"
		rc=1
	done < <(grep -HnoE '\b(kmod|selftests|tools)/[a-z0-9_/.-]+\.(c|h|sh|py|yaml|mk)\b' \
		"$@")
	return "$rc"
}

# every theme names stages that exist
theme_stages() {
	local stages

	mapfile -t stages < <(grep -o 'themes_of [a-z][a-z0-9.-]*' \
		selftests/tools/check/stages.sh | cut -d' ' -f2 | sort -u)
	selftests/tools/themes.sh --check "${stages[@]}"
}

# The checks that are programs of their own find what they are made for
checks_checked() {
	local check out rc=0

	for check in depth includes plain small; do
		out=$("selftests/tools/check/$check.py" --selftest) || {
			rc=1
			echo "$out"
		}
	done
	return "$rc"
}

lengths() {
	local file lines most rc=0

	for file in "${kernel[@]}"; do
		lines=$(wc -l <"$file")
		# tables and cases of a test may be a little longer
		most=600
		[[ $file != */test/* ]] || most=650
		[ "$lines" -gt "$most" ] || continue
		echo "$file: $lines lines, $most are the limit"
		rc=1
	done
	return "$rc"
}

# Pages build without a warning: tables, links, pages that nothing leads to
documentation() {
	LC_ALL=C.UTF-8 sphinx-build -q -E -n -W --keep-going -b html \
		-d "$work/doctrees" Documentation "$work/html"
}

mapfile -t kernel < <(pick '^(kmod|uapi)/.*\.[ch]$')
mapfile -t generated < <(printf '%s\n' "${kernel[@]}" |
	grep -E -e '-gen\.[ch]$|^uapi/linux/mptun\.h$')
mapfile -t written < <(printf '%s\n' "${kernel[@]}" "${generated[@]}" |
	sort | uniq -u)
mapfile -t sources < <(pick '^kmod/.*\.c$')
mapfile -t shells < <(scripts)
mapfile -t yamls < <(pick '\.ya?ml$')
mapfile -t texts < <(pick '.' | grep -vE '\.(png|svg|gz|xz|pcap|bin)$')

# checkpatch leaves these in its working folder
trap 'rm -f .checkpatch-camelcase.*' EXIT
echo "KTAP version 1"
t "checkpatch --strict" checkpatch
t "kernel-doc" kernel_doc
[ -z "$long" ] || t "shellcheck" shellcheck -x "${shells[@]}"
t "codespell" codespell -q 3 -I selftests/tools/check/words "${texts[@]}"
t "yamllint" yamllint -s -c selftests/tools/check/yamllint.yaml "${yamls[@]}"
t "description for syzkaller" python3 selftests/fuzz/syzlang.py --check
t "documentation" documentation
mapfile -t pages < <(pick '\.(rst|md)$')
t "files that pages name" files_named "${pages[@]}"
t "stages of the themes" theme_stages
t "includes go down" selftests/tools/check/includes.py
t "small functions" selftests/tools/check/small.py
t "depth of calls" selftests/tools/check/depth.py
t "plain English" selftests/tools/check/plain.py
t "the checks find what they are made for" checks_checked
t "SPDX lines" spdx
t "lengths of files" lengths
t "no module parameters" none '\bmodule_param' "${kernel[@]}"
t "no version switches" none '\b(LINUX_VERSION_CODE|KERNEL_VERSION)\b' \
	"${kernel[@]}"
t "no inline in .c" none '\binline\b' "${sources[@]}"
t "nothing left to do" none '\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b' "${texts[@]}"
t "no mirror named" none '(deb|security|ftp[.a-z]*|snapshot)\.[d]ebian\.org' \
	"${texts[@]}"
echo "1..$n"
exit "$failed"

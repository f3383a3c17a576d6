#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Folders of the source have a rank and include only from lower ranks.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: layout.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
cd "$here/.." || exit 1

# upward FOLDER RANK...: includes of FOLDER from the ranks above it
upward()
{
	local folder=$1 ranks

	shift
	ranks=$(IFS='|' && echo "$*")
	! grep -nE "^#include \"($ranks)/" "$folder"/*.[ch]
}

test_ranks()
{
	upward lib conf host doctor server live cmd agent test iproute2
	upward conf host doctor server live cmd agent test iproute2
	upward host doctor server live cmd agent test iproute2
	upward doctor server live cmd agent test iproute2
	upward server host doctor live cmd agent test iproute2
	upward live conf host doctor server cmd agent test iproute2
	upward cmd agent test iproute2
	upward agent doctor server live cmd test iproute2
	upward iproute2 conf host doctor server live cmd agent test
}

test_length()
{
	local file long=0

	for file in *.c {lib,conf,host,doctor,server,live,cmd,agent,iproute2,test,fuzz}/*.[ch]; do
		case $file in
		*-gen.c) continue ;;
		esac
		[ "$(wc -l <"$file")" -le 600 ] || {
			echo "$file has more than 600 lines"
			long=1
		}
	done
	return "$long"
}

ktap_test "layout: includes go down only" test_ranks
ktap_test "layout: no file of more than 600 lines" test_length
ktap_run

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Files and commands of the user guide.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes that try them.

GUIDE=$TREE_DIR/Documentation/user-guide.rst

# guide block|file|table TITLE N: a literal block, also behind a line that has
# the name of its file, or the rows of a table (columns separated by tabs), of a
# section of $GUIDE, or of the page about WireGuard
guide() {
	local page=$TREE_DIR/Documentation/wireguard.rst

	grep -qxF -- "$2" "$page" || page=$GUIDE
	python3 "$TESTS_DIR/helpers/guide.py" "$1" "$page" "$2" "$3"
}

# recipe HOST TITLE N [SED...]: run commands of the guide on a host, unchanged
# or changed by sed, in the folder of the host
recipe() {
	local host=$1 title=$2 n=$3 script

	shift 3
	script=$(guide block "$title" "$n" | sed -e '' "$@")
	echo "--- on $host: $script"
	mkdir -p "$TMP/home.$host"
	(cd "$TMP/home.$host" && on "$host" bash -e -c "$script")
}

# carry FROM TO FILE...: copy files from the folder of a host to that of another
carry() {
	local from=$1 to=$2

	shift 2
	mkdir -p "$TMP/home.$to"
	(cd "$TMP/home.$from" && cp -p -- "$@" "$TMP/home.$to/")
}

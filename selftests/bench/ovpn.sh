#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints the path of ovpn-cli, the kernel's own tool to set up ovpn devices.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/bench/ovpn.sh
#
# OpenVPN of Debian 12 does not support the driver in the kernel, so the tool of
# the kernel's selftests is built, with the headers of that kernel, and cached.

set -euo pipefail
LAB_NAME=ovpn-cli
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

src=$("$MPTUN_TOP/selftests/tools/linux-source.sh")
out=$MPTUN_CACHE/ovpn-cli/${src##*/}
lab_lock ovpn-cli
if [ ! -x "$out/ovpn-cli" ]; then
	rm -rf "$out"
	mkdir -p "$out"
	lab_long "kernel headers" "$out/headers.log" make -s -C "$src" \
		O="$out/headers" ARCH=x86 headers_install
	# shellcheck disable=SC2046 # a list of words
	gcc -O2 -w -I"$out/headers/usr/include" \
		-I"$src/tools/testing/selftests" \
		$(pkg-config --cflags libnl-genl-3.0) -o "$out/ovpn-cli.new" \
		"$src/tools/testing/selftests/net/ovpn/ovpn-cli.c" \
		$(pkg-config --libs libnl-genl-3.0) -lmbedtls -lmbedcrypto >&2 ||
		lab_die "ovpn-cli does not build"
	rm -rf "$out/headers"
	mv "$out/ovpn-cli.new" "$out/ovpn-cli"
fi
echo "$out/ovpn-cli"

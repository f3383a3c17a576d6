#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs the Debian packages that a part of the project needs.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/deps.sh GROUP...
#
# Groups: python (for scripts that call this one for the rest), build (module
# and tools), tests (what the scripts in a guest call), peer (the peer in
# Python), uml, vm, newest (kernels to run them in, and for uml what only themes
# in it call), machines, machines-long (compilers for others, emulators), style
# (checkers), deb (DKMS and Debian packages), cross-ARCHITECTURE (a compiler for
# another one, as in cross-arm64, and libraries, which sysroot.sh unpacks into the
# cache), packages (what checks them), clients (what the tools are made for: shells,
# tshark, what OpenWrt runs scripts with), page (the browser for the status page),
# fresh (machines of other releases), sim (scenarios), bench, profile, coverage,
# plot, demo.
# Returns at once if all packages are installed.

set -euo pipefail
LAB_NAME=deps
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

# packages GROUP: its packages
packages() {
	local triplet

	case $1 in
	python)
		echo python3
		;;
	build)
		echo gcc make bc bison flex rsync xz-utils zstd kmod pkg-config \
			libelf-dev libc6-dev libnl-3-dev libnl-genl-3-dev \
			libjansson-dev libc-ares-dev libqrencode-dev \
			libmicrohttpd-dev libmnl-dev linux-headers-amd64 \
			python3-yaml python3-jsonschema
		;;
	tests)
		echo iproute2 iperf3 iputils-ping ethtool tcpdump nftables \
			procps psmisc curl jq python3 nginx-light libjson-perl \
			gcc libc6-dev util-linux python3-cryptography \
			wireguard-tools python3-prometheus-client \
			libjs-chart.js
		;;
	peer)
		echo python3 python3-cryptography
		;;
	uml)
		echo gcc make patch bc bison flex rsync xz-utils busybox-static \
			python3 libelf-dev debian-archive-keyring frr
		;;
	vm)
		echo qemu-system-x86 busybox-static kmod xz-utils zstd rsync \
			python3 linux-headers-amd64 linux-headers-6.12-amd64
		;;
	newest)
		echo debootstrap debian-archive-keyring rsync patchelf
		;;
	style)
		echo sparse clang libclang-rt-dev lld shellcheck codespell \
			yamllint perl mandoc python3-sphinx qrencode
		;;
	machines)
		echo qemu-user gcc gcc-s390x-linux-gnu \
			libc6-dev-s390x-cross gcc-arm-linux-gnueabihf \
			libc6-dev-armhf-cross gcc-i686-linux-gnu \
			libc6-dev-i386-cross
		;;
	machines-long)
		echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
			gcc-riscv64-linux-gnu libc6-dev-riscv64-cross \
			qemu-system-arm qemu-system-misc busybox-static \
			pkg-config debian-archive-keyring
		;;
	deb)
		echo ccache dkms dh-dkms debhelper dpkg-dev fakeroot \
			apt-utils gpg gpg-agent
		;;
	cross-*)
		triplet=$(dpkg-architecture -A "${1#*-}" -q DEB_TARGET_GNU_TYPE \
			2>/dev/null | tr _ -) ||
			lab_die "Debian has no architecture '${1#*-}'"
		foreign "$1" || return 0
		echo debian-archive-keyring "binutils-$triplet" "gcc-$triplet" \
			"libc6-dev-${1#*-}-cross"
		;;
	packages)
		echo lintian rpm ansible-core ansible-lint qemu-user
		;;
	sim)
		echo python3-yaml python3-jsonschema python3-venv \
			mptcpize wireguard-tools
		;;
	bench)
		echo gcc make rsync pkg-config libc6-dev \
			libnl-genl-3-dev libmbedtls-dev wireguard-tools
		;;
	clients)
		echo zsh fish tshark python3-cryptography busybox-static duktape \
			jq
		;;
	page)
		echo chromium-headless-shell fonts-dejavu-core libjs-chart.js \
			python3
		;;
	fresh)
		echo mmdebstrap debian-archive-keyring e2fsprogs \
			qemu-system-x86 python3
		;;
	coverage)
		echo gcovr
		;;
	profile)
		echo linux-perf binutils util-linux
		;;
	plot)
		echo python3-matplotlib
		;;
	demo)
		packages build
		packages tests
		packages vm
		;;
	*)
		lab_die "no group '$1' (see the top of this script)"
		;;
	esac
}

# foreign GROUP: whether it is for another architecture than this machine's
foreign() {
	[[ $1 == cross-* ]] &&
		[ "$1" != "cross-$(dpkg --print-architecture)" ]
}

# missing PACKAGE...: those that are not installed
missing() {
	local pkg
	local -A have=()

	while read -r pkg; do
		have[$pkg]=1
	done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" \
		2>/dev/null | sed -n 's/^ii *//p')
	for pkg; do
		[ -n "${have[$pkg]:-}" ] || echo "$pkg"
	done
}

# install PACKAGE...: install them without starting their services
install() {
	local policy=/usr/sbin/policy-rc.d rc=0

	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' | lab_root tee "$policy" >/dev/null
		lab_root chmod +x "$policy"
		trap 'lab_root rm -f /usr/sbin/policy-rc.d' EXIT
	fi
	lab_long "install $*" "$MPTUN_CACHE/deps.log" \
		lab_retry 4 install_once "$@" || rc=$?
	return "$rc"
}

# Stale lists are the usual reason for a failure: fetch them, try again
install_once() {
	local -a get=(env DEBIAN_FRONTEND=noninteractive apt-get
		-o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)

	lab_root "${get[@]}" -yq --no-install-recommends install "$@" &&
		return
	lab_root "${get[@]}" -q update || :
	return 1
}

# Not every release has every package; the lists may just be old, too
available() {
	local pkg

	for pkg; do
		apt-cache show "$pkg" >/dev/null 2>&1 || return 1
	done
}

[ $# -gt 0 ] || lab_die "usage: selftests/tools/deps.sh GROUP..."
# dpkg-architecture knows the names of compilers
[[ " $*" != *' cross-'* ]] || command -v dpkg-architecture >/dev/null || "$0" deb
wanted=$(for group; do packages "$group"; done)
# shellcheck disable=SC2046,SC2086 # a list of words
wanted=$(missing $(printf '%s\n' $wanted | sort -u))
[ -z "$wanted" ] || (
	lab_lock deps
	# shellcheck disable=SC2086 # a list of words
	wanted=$(missing $wanted)
	[ -n "$wanted" ] || exit 0
	# shellcheck disable=SC2086
	available $wanted || lab_retry 4 lab_root apt-get -qq update || :
	# shellcheck disable=SC2086
	install $wanted || lab_die "not all packages could be installed"
)
for group; do
	! foreign "$group" ||
		"$MPTUN_TOP/selftests/tools/sysroot.sh" "${group#cross-}" >/dev/null
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Debian packages, installed and used on a stock Debian kernel.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/dkms.sh [KERNEL]
#
# On a host: builds the packages and runs itself in a virtual machine with
# KERNEL (6.1 or 6.12, default 6.1), whose changes are discarded.
# In there: installs the packages, so that DKMS builds the module; loads it by
# making a tunnel; sends pings through one; removes everything.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tools/test/lib.sh
. "$top/tools/test/lib.sh"
version=$(cat "$top/VERSION")
debs=${MPTUN_BUILD:-$top/build}/deb

# ccache, enabled by a switch of Debian's headers
export CCACHE_DIR=$debs/ccache CCACHE_SLOPPINESS=file_stat_matches
export DEBIAN_KERNEL_USE_CCACHE=1

# compile RELEASE: an emulated compiler takes twenty minutes, so the same build
# runs here first and fills ccache. The names of folders are part of its keys:
# hence the folder of DKMS, on a private file system.
compile()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m --propagation private bash -ec '
		mount -t tmpfs tmpfs /var/lib/dkms
		mkdir -p "/var/lib/dkms/mptun/$1"
		cd "/var/lib/dkms/mptun/$1"
		dpkg-deb -x "$2" .
		mv "usr/src/mptun-$1" build
		make -C build -j"$(nproc)" "KDIR=/lib/modules/$3/build" modules
	' bash "$version" "$debs/mptun-dkms_${version}_all.deb" "$1" \
		>"$debs/compile.log" 2>&1
}

# on the host
if [[ ${MPTUN_LAB:-} != vm-* ]]; then
	LAB_NAME=dkms
	# shellcheck source=selftests/kernels/lab/common.sh
	. "$top/selftests/kernels/lab/common.sh"
	# shellcheck source=selftests/kernels/vm/kernel.sh
	. "$top/selftests/kernels/vm/kernel.sh"
	kernel=${1:-6.1}
	"$top/selftests/tools/deps.sh" build deb >&2 || exit
	"$top/tools/packaging/deb.sh" "$debs" >&2 || exit
	"$top/selftests/kernels/vm/build.sh" "$kernel" >&2 || exit
	if ! compile "$(vm_version "$kernel")"; then
		tail -n 20 "$debs/compile.log" >&2
		exit 1
	fi
	exec "$top/selftests/kernels/vm/run.sh" "$kernel" --bare -m 2G -t 3000 \
		"${BASH_SOURCE[0]}"
fi

# The files of the lab must not hide those of the packages.
unset IP_LIB_DIR MPTUN_KO
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive
# Software emulation is slow at wide vector instructions, and the compiler
# takes nearly all of the time: a third of it is saved without them.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-ERMS,-FSRM
release=$(uname -r)
ko=/lib/modules/$release/updates/dkms/mptun.ko
ends=()

# on SIDE COMMAND...
on()
{
	ip netns exec "$@"
}

cleanup()
{
	local ns

	for ns in "${ends[@]}"; do
		ip netns del "$ns" 2>/dev/null
	done
}
trap cleanup EXIT

test_install()
{
	[ ! -e "$ko" ]
	[ ! -e /usr/sbin/mptunctl ]
	# Neither takes part in this, and both take long.
	rm -f /var/lib/man-db/auto-update
	[ -e "/lib/modules/$release/build" ] ||
		ln -s "/usr/src/linux-headers-$release" \
			"/lib/modules/$release/build"
	dpkg -i "$debs/mptun-tools_${version}_$(dpkg --print-architecture).deb" \
		"$debs/mptun-dkms_${version}_all.deb"
}

test_built()
{
	dkms status | tee /dev/stderr |
		grep -q "^mptun/$version, $release, .*: installed"
	[ -e "$ko" ] || [ -e "$ko.xz" ] || [ -e "$ko.zst" ]
	check_equal "$(modinfo -F version mptun)" "$version"
	modinfo -F vermagic mptun | grep -q "^$release "
	modinfo -F filename mptun | grep -q /updates/dkms/
}

test_files()
{
	check_equal "$(mptunctl --version)" "mptunctl $version"
	check_equal "$(command -v mptunctl)" /usr/sbin/mptunctl
	[ -e /usr/share/man/man8/mptunctl.8.gz ]
	[ -e /usr/share/man/man8/ip-link-mptun.8.gz ]
	[ -e /usr/share/man/man1/mptun-plot.1.gz ]
	[ -x /usr/bin/mptun-plot ]
	[ -e /usr/share/bash-completion/completions/mptunctl ]
	[ -e /usr/share/zsh/vendor-completions/_mptunctl ]
	[ -e /usr/share/fish/vendor_completions.d/mptunctl.fish ]
	[ -e /usr/share/mptun/wireshark/mptun.lua ]
	ip link help mptun 2>&1 | grep -q peer-id
}

# The link type loads the module.
test_autoload()
{
	if grep -q '^mptun ' /proc/modules; then
		return 1
	fi
	ip link add mp0 type mptun cipher clear id 7 hold 100ms
	grep -q '^mptun ' /proc/modules
	# ids are shown by mptunctl only
	check_equal "$(ip -j -d link show mp0 |
		jq -c '.[0].linkinfo | [.info_kind, .info_data.id,
			.info_data.hold]')" '["mptun",null,100000]'
	check_equal "$(mptunctl show mp0 -j | jq -c '.[0] | [.id, .hold]')" \
		'[7,100000]'
	ip link del mp0
}

# Two ends, two paths; each end is a namespace.
test_traffic()
{
	local i

	ip netns add dk-a
	ip netns add dk-b
	for i in 1 2; do
		ip link add "w$i" netns dk-a type veth peer name "w$i" \
			netns dk-b
		on dk-a ip addr add "10.0.$i.1/24" dev "w$i"
		on dk-b ip addr add "10.0.$i.2/24" dev "w$i"
		on dk-a ip link set "w$i" up
		on dk-b ip link set "w$i" up
	done
	on dk-a ip link add mp0 type mptun cipher clear id 7 peer-id 8
	on dk-b mptunctl add mp0 cipher clear id 8 peer-id 7
	for i in 1 2; do
		on dk-a mptunctl path add mp0 "w$i" remote "10.0.$i.2" \
			dev "w$i"
		on dk-b mptunctl path add mp0 "w$i" remote "10.0.$i.1" \
			dev "w$i"
	done
	on dk-a ip addr add 10.9.0.1/24 dev mp0
	on dk-b ip addr add 10.9.0.2/24 dev mp0
	on dk-a ip link set mp0 up
	on dk-b ip link set mp0 up
	for ((i = 0; i < 100; i++)); do
		[ "$(on dk-a mptunctl show mp0 -j |
			jq '.[0].paths_up')" != 2 ] || break
		sleep 0.1
	done
	on dk-a mptunctl show
	on dk-a ping -c 20 -i 0.05 -W 5 10.9.0.2
	on dk-a mptunctl show mp0 -j |
		jq -e '.[0] | .paths_up == 2 and .state == "established"'
	ip netns del dk-a
	ip netns del dk-b
}

test_remove()
{
	modprobe -r mptun
	dpkg -P mptun-dkms mptun-tools
	[ ! -e "$ko" ]
	[ ! -e "$ko.xz" ]
	[ ! -e "$ko.zst" ]
	[ ! -e "/usr/src/mptun-$version" ]
	[ ! -e "/var/lib/dkms/mptun" ]
	[ ! -e /usr/sbin/mptunctl ]
	if ip link help mptun 2>&1 | grep -q peer-id; then
		return 1
	fi
	if modinfo mptun 2>/dev/null; then
		return 1
	fi
}

# From the source tree, without packages.
test_make()
{
	[ -n "${MPTUN_FULL:-}" ] ||
		ktap_skip "builds once more, only with MPTUN_FULL=1"
	"$top/tools/packaging/dkms.sh" install
	modprobe mptun
	modprobe -r mptun
	"$top/tools/packaging/dkms.sh" remove
	[ ! -e "$ko" ]
	[ ! -e "/usr/src/mptun-$version" ]
	if dkms status | grep -q mptun; then
		return 1
	fi
}

ends=(dk-a dk-b)
ktap_test "dkms: the packages install" test_install
ktap_test "dkms: the module was built for this kernel" test_built
ktap_test "dkms: tool, plugin, manual and completion are in place" test_files
ktap_test "dkms: making a tunnel loads the module" test_autoload
ktap_test "dkms: two paths carry traffic" test_traffic
ktap_test "dkms: nothing is left after removal" test_remove
ktap_test "dkms: make dkms-install and dkms-remove" test_make
ktap_run

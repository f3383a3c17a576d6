#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The packages build and are in order, and so is the repository made of them.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/packages.sh [--long]
#
#	--long		also the module, and those for other architectures

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tools/test/lib.sh
. "$top/tools/test/lib.sh"
debs=${MPTUN_BUILD:-$top/build}/deb
version=$(cat "$top/VERSION")
# Their maintainer, as lintian wants one.
export DEBFULLNAME="A Builder" DEBEMAIL=builder@example.org
# The module is compiled only if it has changed.
export CCACHE_DIR=$debs/ccache CCACHE_SLOPPINESS=file_stat_matches
export DEBIAN_KERNEL_USE_CCACHE=1

work=$(mktemp -d)
export GNUPGHOME=$work/gnupg
trap 'gpgconf --kill all 2>/dev/null; rm -rf "$work"' EXIT

# shellcheck source=selftests/tools/foreign.sh
. "$top/selftests/tools/foreign.sh"
long=()
[ "${1:-}" != --long ] || long=("${foreign[@]}")
"$top/selftests/tools/deps.sh" build deb packages "${long[@]/#/cross-}" >&2 || exit

test_build()
{
	"$top/tools/packaging/deb.sh" "$debs"
}

# For the newest kernel of this release, from the sources that DKMS gets.
test_modules()
{
	local kernel deb part dir=$work/modules

	kernel=$(dpkg-query -W -f '${Depends}' "linux-headers-$native" |
		sed 's/^linux-headers-\([^ ,]*\).*/\1/')
	deb=$debs/mptun-modules-${kernel}_${version}_$native.deb
	"$top/tools/packaging/modules.sh" "$debs" "$kernel"
	check_equal "$(dpkg-deb -f "$deb" Depends)" \
		"linux-image-$kernel | linux-image-$kernel-unsigned"
	dpkg-deb --ctrl-tarfile "$deb" | tar -xOf - ./postinst |
		grep -q "depmod .*$kernel"
	dpkg-deb -x "$deb" "$dir"
	modinfo -F vermagic "$dir/lib/modules/$kernel/updates/mptun.ko" |
		grep -q "^$kernel "
	check_equal "$(modinfo -F version "$dir/lib/modules/$kernel/updates/mptun.ko")" \
		"$version"
	if grep -aF "$debs" "$dir/lib/modules/$kernel/updates/mptun.ko"; then
		return 1
	fi
	"$top/tools/packaging/source.sh" "$work/source"
	dpkg-deb -x "$debs/mptun-dkms_${version}_all.deb" "$dir"
	for part in Makefile kmod uapi; do
		diff -r "$work/source/$part" "$dir/usr/src/mptun-$version/$part"
	done
	if "$top/tools/packaging/modules.sh" "$debs" 6.0-none 2>"$work/error"; then
		return 1
	fi
	check_equal "$(cat "$work/error")" "modules.sh: there are no headers of a\
 kernel '6.0-none': the package linux-headers-6.0-none has them"
	[ -s "$deb" ]
}

# It is for this machine's architecture alone, and KERNELS= leaves it out.
test_kernels()
{
	local command='modules\.sh "[^"]*" *'

	make -n -C "$top" deb | grep -qx ".*$command"
	make -n -C "$top" deb KERNELS="a b" | grep -qx ".*${command}a b"
	make -n -C "$top" deb ARCH="${foreign[0]} $native" | grep -qx ".*$command"
	if make -n -C "$top" deb KERNELS= | grep "$command" ||
		make -n -C "$top" deb ARCH="${foreign[0]}" | grep "$command"; then
		return 1
	fi
}

test_lintian()
{
	local tags

	tags=$(lintian --allow-root -I --tag-display-limit 0 "$debs"/*.changes)
	check_equal "$tags" ""
}

# repo [DIR]: make the repository
repo()
{
	URL="file://$work/apt" "$top/tools/packaging/apt-repo.sh" \
		"${1:-$work/apt}" "${key:-builder@example.org}" "$debs"
}

# get ARCHITECTURE COMMAND...: apt-get of such a machine, which knows this repository
# alone
get()
{
	local arch=$1

	shift
	apt-get -o Dir="$work/root" -o Dir::Etc=etc -o Dir::Bin::methods="$methods" \
		-o Dir::State::status="$work/root/status" -o "APT::Architecture=$arch" \
		-o "APT::Architectures=$arch" -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

# shellcheck disable=SC2046 # lists of words
test_repo()
{
	local methods=/usr/lib/apt/methods deb each

	mkdir -m 700 "$GNUPGHOME"
	gpg --batch --passphrase '' --quick-gen-key builder@example.org
	repo
	mkdir -p "$work"/root/{etc/sources.list.d,etc/apt.conf.d,etc/preferences.d}
	mkdir -p "$work"/root/var/{lib/apt/lists/partial,cache/apt/archives/partial}
	: >"$work/root/status"
	# As the file says, with the keyring in a place of ours.
	sed "s|/usr/share/keyrings|$work/apt|" "$work/apt/mptun.sources" \
		>"$work/root/etc/sources.list.d/mptun.sources"
	check_equal "$(sed -n 's/^Architectures: //p' "$work/apt/dists/stable/Release")" \
		"$(printf '%s\n' "$native" $(built) | sort | xargs)"
	cd "$work"
	for each in "$native" $(built); do
		get "$each" -o APT::Update::Error-Mode=any update
		get "$each" download mptun-tools mptun-dkms
		for deb in mptun-tools_"${version}_$each".deb \
			mptun-dkms_"$version"_all.deb; do
			cmp "$deb" "$debs/$deb"
			rm "$deb"
		done
	done
	get "$native" source --download-only mptun
	cmp "mptun_$version.dsc" "$debs/mptun_$version.dsc"

	# Again, over what is there; then one that somebody has changed.
	repo
	get "$native" -o APT::Update::Error-Mode=any update
	sed -i 's/^Origin: mptun/Origin: other/' "$work"/apt/dists/stable/InRelease
	if get "$native" -o APT::Update::Error-Mode=any update; then
		return 1
	fi
}

test_refused()
{
	local key=nobody@example.org

	if repo "$work/none" 2>"$work/error"; then
		return 1
	fi
	check_equal "$(cat "$work/error")" "apt-repo.sh: gpg has no secret key\
 'nobody@example.org', \"gpg --list-secret-keys\" lists them"
	[ ! -e "$work/none" ]
	if make -s -C "$top" apt-repo KEY= BUILD="$work/none" 2>"$work/error"; then
		return 1
	fi
	grep -qF "the key that signs is missing" "$work/error"
	[ ! -e "$work/none" ]
	mkdir "$work/empty"
	if debs=$work/empty key='' repo "$work/none" 2>"$work/error"; then
		return 1
	fi
	grep -qF "no packages in $work/empty, \"make deb\" builds them" "$work/error"
	[ ! -e "$work/none" ]
}

# All that is in the package of Debian is in the list of files, which is of this
# version.
test_rpm()
{
	local spec=$top/tools/packaging/rpm/mptun.spec file

	rpmspec -P "$spec" >"$work/spec"
	check_equal "$(rpmspec -q --qf '%{name} %{version}\n' "$spec" | sort | xargs)" \
		"mptun $version mptun-dkms $version mptun-tools $version"
	dpkg-deb -c "$(package "$native")" | awk '{ print $6 }' |
		grep -vE '/$|/doc/|/lintian/|/share/mptun/' >"$work/files"
	[ "$(wc -l <"$work/files")" -gt 12 ]
	sed -n '/^%files tools/,$p' "$spec" >"$work/listed"
	while read -r file; do
		file=${file##*/}
		grep -qF "/${file%.gz}" "$work/listed" || echo "no $file"
	done <"$work/files" >"$work/unlisted"
	check_equal "$(cat "$work/unlisted")" ""
}

test_arch()
{
	local srcdir=$work/arch pkgdir=$work/arch/pkg

	mkdir -p "$pkgdir"
	ln -s "$top" "$srcdir/mptun-$version"
	# shellcheck source=tools/packaging/arch/PKGBUILD
	. "$top/tools/packaging/arch/PKGBUILD"
	# shellcheck disable=SC2154 # of PKGBUILD
	check_equal "$pkgver" "$version"
	package_mptun-dkms
	[ -e "$pkgdir/usr/src/mptun-$version/kmod/main.c" ]
	grep -q "PACKAGE_VERSION=\"$version\"" \
		"$pkgdir/usr/src/mptun-$version/dkms.conf"
}

# The role writes its files; what it installs and starts is not for this machine.
test_ansible()
{
	export ANSIBLE_ROLES_PATH=$top/tools/packaging/ansible/roles \
		ANSIBLE_HOME=$work/ansible ANSIBLE_LOCAL_TEMP=$work/ansible
	(cd "$ANSIBLE_ROLES_PATH/.." && ansible-lint --offline -q roles/mptun)
	cat >"$work/play.yml" <<-END
		- hosts: localhost
		  connection: local
		  gather_facts: false
		  roles:
		    - role: mptun
		  vars:
		    mptun_folder: $work/etc
		    mptun_files: {site.key: "secret\n"}
		    mptun_tunnels:
		      mp0: |
		        [Interface]
		        KeyFile = site.key
		      mp1: "[Interface]\n"
		  handlers:
		    - name: Reload changed tunnels
		      ansible.builtin.shell: echo {{ item }} >>$work/reloaded
		      loop: "{{ mptun_written.results | selectattr('changed')
		               | map(attribute='item.key') }}"
	END
	ansible-playbook -i localhost, --tags mptun_files "$work/play.yml"
	check_equal "$(stat -c '%a %n' "$work/etc" "$work"/etc/* |
		sed "s|$work/||")" "700 etc
600 etc/mp0.conf
600 etc/mp1.conf
600 etc/site.key"
	check_equal "$(cat "$work"/etc/*)" "[Interface]
KeyFile = site.key
[Interface]
secret"
	check_equal "$(xargs <"$work/reloaded")" "mp0 mp1"
	# Only what has changed.
	: >"$work/reloaded"
	echo >>"$work/etc/mp1.conf"
	ansible-playbook -i localhost, --tags mptun_files "$work/play.yml"
	check_equal "$(cat "$work/reloaded")" mp1
}

# Building installs nothing on the machine, and "make deps" what it takes.
test_deps()
{
	local out=$work/make each

	for each in all module tools deb; do
		make -C "$top" -n BUILD="$work/none" "$each" >"$out"
		if grep -E 'deps\.sh|apt-get' "$out"; then
			return 1
		fi
	done
	if grep -E 'deps\.sh|apt-get' "$top"/tools/packaging/{deb,deb-common,modules,dkms,source}.sh \
		"$top/selftests/tools/build-module.sh" "$top/tools/Makefile"; then
		return 1
	fi
	make -C "$top" -n deps | grep -qx 'selftests/tools/deps.sh build deb'
	if make -C "$top" module KDIR="$work/none" BUILD="$work/none" 2>"$out"; then
		return 1
	fi
	grep -q "there is no $work/none: headers of that kernel are needed" "$out"
}

ktap_test "packages: they build" test_build
ktap_test "packages: make deb builds the module for kernels" test_kernels
if [ ${#long[@]} -gt 0 ]; then
	ktap_test "packages: the module for a kernel of Debian" test_modules
	ktap_test "packages: they build for other architectures" \
		test_foreign_build
	ktap_test "packages: all programs are of their architecture" \
		test_foreign_elf
	ktap_test "packages: dependencies for other architectures" \
		test_foreign_depends
	ktap_test "packages: programs for other architectures run" \
		test_foreign_run
	ktap_test "packages: what cannot be built is refused" \
		test_foreign_refused
fi
ktap_test "packages: lintian finds nothing" test_lintian
ktap_test "packages: apt installs from the signed repository" test_repo
ktap_test "packages: a repository without a key is refused" test_refused
ktap_test "packages: only make deps installs" test_deps
ktap_test "packages: the spec for rpm" test_rpm
ktap_test "packages: the PKGBUILD for Arch Linux" test_arch
ktap_test "packages: the role for Ansible" test_ansible
ktap_run

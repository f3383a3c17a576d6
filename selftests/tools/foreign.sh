# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tests of the packages for other architectures than that of this machine.
# Copyright (C) 2026 The mptun authors
#
# Sourced by packages.sh, never run: uses its folders and version.

# shellcheck disable=SC2154 # of packages.sh
native=$(dpkg --print-architecture)
foreign=()
for each in amd64 arm64 armhf; do
	[ "$each" = "$native" ] || foreign+=("$each")
done

# package ARCHITECTURE: that with the tools
package()
{
	echo "$debs/mptun-tools_${version}_$1.deb"
}

# built: the other architectures for which there are packages
built()
{
	local each

	for each in "${foreign[@]}"; do
		[ ! -e "$(package "$each")" ] || echo "$each"
	done
}

# libraries PACKAGE: the packages of libraries that it depends on
libraries()
{
	dpkg-deb -f "$1" Depends | tr ',|' '\n' | sed 's/(.*//' | xargs -n 1 |
		sort
}

# unpacked ARCHITECTURE: a folder with the package and all that it depends on,
# and with "ip"; made once
unpacked()
{
	local root=$work/root-$1 from

	if [ ! -e "$root" ]; then
		# shellcheck disable=SC2046 # a list of words
		from=$("$top/selftests/tools/sysroot.sh" "$1" iproute2 \
			$(libraries "$(package "$1")")) || return
		cp -a "$from" "$root"
		dpkg-deb -x "$(package "$1")" "$root"
	fi
	echo "$root"
}

# machine FILE: what it is for
machine()
{
	LC_ALL=C readelf -h "$1" | grep -E '^ *(Class|Data|Machine|Flags):'
}

# programs FOLDER: its files in ELF
programs()
{
	find "$1" -type f -print | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
	done
}

# of ARCHITECTURE KEY: a value of dpkg-architecture
of()
{
	dpkg-architecture -a "$1" -q "DEB_HOST_$2" 2>/dev/null
}

# Built one after the other by one command; what there is for this machine stays.
test_foreign_build()
{
	local each file

	(cd "$debs" && sha256sum mptun*_{all,"$native"}.* mptun*.dsc) >"$work/before"
	make -s -C "$top" BUILD="${debs%/deb}" deb ARCH="${foreign[*]}"
	(cd "$debs" && sha256sum --quiet -c "$work/before")
	for each in "${foreign[@]}"; do
		for file in "$(package "$each")" \
			"$debs/mptun_${version}_$each."{changes,buildinfo}; do
			[ -s "$file" ]
		done
		check_equal "$(dpkg-deb -f "$(package "$each")" Architecture)" \
			"$each"
	done
	# In the environment DEB_HOST_ARCH counts, and ARCH does not.
	DEB_HOST_ARCH=${foreign[0]} make -n -C "$top" deb |
		grep -qE "deb\.sh \".*\" ${foreign[0]}\$"
	ARCH=${foreign[0]} make -n -C "$top" deb | grep -qE 'deb\.sh "[^"]*" *$'
}

# Each program is for the architecture of its libc, and none is missing.
test_foreign_elf()
{
	local each dir want file

	for each in "${foreign[@]}"; do
		dir=$work/elf-$each
		want=$(machine "$(unpacked "$each")/lib/$(of "$each" MULTIARCH)/libc.so.6")
		dpkg-deb -x "$(package "$each")" "$dir"
		check_equal "$(programs "$dir" | sed "s|^$dir/||" | sort)" \
			"usr/lib/$(of "$each" MULTIARCH)/ip/link_mptun.so
usr/sbin/mptunctl
usr/sbin/mptund"
		while read -r file; do
			echo "$file"
			check_equal "$(machine "$file" | sed 's/, dynamic.*//')" "$want"
		done < <(programs "$dir")
		# no word of this machine's folders
		if grep -rlaF -e "$(of "$native" MULTIARCH)" -e "$HOME/.cache" \
			-e "$debs" "$dir"; then
			return 1
		fi
	done
}

# The libraries are those of this machine's package, and Debian has them.
test_foreign_depends()
{
	local each

	for each in "${foreign[@]}"; do
		check_equal "$(libraries "$(package "$each")")" \
			"$(libraries "$(package "$native")")"
		dpkg-deb -f "$(package "$each")" Depends | grep -q 'libc6 (>= '
		unpacked "$each"
	done
}

# emulated ARCHITECTURE PROGRAM [ARGUMENT...]: run a program of the unpacked folder
emulated()
{
	local root cpu

	root=$(unpacked "$1")
	cpu=$(of "$1" GNU_CPU)
	"qemu-$cpu" -L "$root" "$root/$2" "${@:3}"
}

# They say what those of this machine say, and ip finds the plugin.
test_foreign_run()
{
	local each here=$work/native
	local conf=$work/site.conf

	dpkg-deb -x "$(package "$native")" "$here"
	printf '[Interface]\nKeyFile = site.key\nHold = yellow\n' >"$conf"
	for each in "${foreign[@]}"; do
		check_equal "$(emulated "$each" usr/sbin/mptunctl --version)" \
			"mptunctl $version"
		check_equal "$(emulated "$each" usr/sbin/mptund -V)" \
			"mptund $version"
		check_equal "$(emulated "$each" usr/sbin/mptunctl help path add)" \
			"$("$here/usr/sbin/mptunctl" help path add)"
		check_equal "$(emulated "$each" usr/sbin/mptunctl check "$conf" 2>&1)" \
			"$("$here/usr/sbin/mptunctl" check "$conf" 2>&1)"
		emulated "$each" sbin/ip link help mptun 2>&1 | grep -q peer-id
	done
}

# One sentence each, and what there is stays.
test_foreign_refused()
{
	local error=$work/error

	(cd "$debs" && sha256sum mptun*) >"$work/before"
	if "$top/tools/packaging/deb.sh" "$debs" m68000 2>"$error"; then
		return 1
	fi
	check_equal "$(cat "$error")" "deb.sh: Debian has no architecture 'm68000'"
	if MPTUN_CACHE=$work/none "$top/tools/packaging/deb.sh" "$debs" "$native" \
		"${foreign[0]}" 2>"$error"; then
		return 1
	fi
	check_equal "$(cat "$error")" "deb.sh: there are no libraries for\
 ${foreign[0]}, \"make deps ARCH=${foreign[0]}\" gets them"
	make -n -C "$top" deps ARCH="${foreign[*]}" |
		grep -qx "selftests/tools/deps.sh build deb cross-${foreign[0]}\
 cross-${foreign[1]}"
	(cd "$debs" && sha256sum --quiet -c "$work/before")
}

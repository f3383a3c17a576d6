#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Configuration files from the command line to the kernel, against a simulated
# kernel.  Routes and the like need a kernel: selftests/net/ctl_conf.sh.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: conf.sh MPTUNCTL-FAKE [WRAPPER...], see cli.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"

base64=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
hex=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

umask 077

# conf NAME: a file from standard input
conf()
{
	cat >"$1.conf"
}

# The simulated kernel reports no group that was not set.
fresh()
{
	rm -rf state ./*.conf
	ctl add mp0 port 5000
	ctl path add mp0 dsl remote 192.0.2.1 weight 3 backup on group 0
	ctl path add mp0 lte remote 2001:db8::1 dev wwan0 group 0
	ctl class add mp0 3 dscp ef policy duplicate
	conf mp0 <<-END
		[Interface]
		Port = 5000
		[Path dsl]
		Remote = 192.0.2.1
		Weight = 3
		Backup = on
		Group = 0
		[Path lte]
		Remote = 2001:db8::1
		Dev = wwan0
		Group = 0
		[Class 3]
		DSCP = ef
		Policy = duplicate
	END
}

# expected: what showconf prints
expected()
{
	sed -e '/^Group/d' -e 's/^\[\(Path\|Class\)/\n&/' mp0.conf
}

# unchanged WORD...: succeeds, and sends no change to the kernel
unchanged()
{
	local before

	before=$(cksum state)
	ctl "$@"
	check_equal "$(cksum state)" "$before"
}

test_names()
{
	rm -f state
	refused 1 'up needs the name of a tunnel or of its file' up
	refused 1 'down needs the name of a tunnel or of its file' down a b
	refused 1 'showconf needs the name of a tunnel' showconf
	refused 1 'syncconf needs the name of a tunnel, its file, or both' syncconf
	refused 1 'setconf needs the name of a tunnel, its file, or both' \
		setconf a b c
	refused 1 '/etc/mptun/nosuch0.conf cannot be read: No such file or directory' \
		up nosuch0
	refused 1 'nosuch.conf cannot be read: No such file or directory' \
		up nosuch.conf
	refused 1 'the file has to be called NAME.conf, after the tunnel' \
		up ./nosuch
	refused 1 'the file has to be called NAME.conf, after the tunnel' \
		up ./.conf
	for name in 0123456789abcdef 'a b' 'a:b' -a 'a*' ..; do
		refused 1 "the name of a tunnel with a file has 1 to 15 letters, digits, \"_\", \"-\" and \".\", not \"$name\"" \
			up "./$name.conf"
	done
	mkdir folder.conf
	refused 1 'folder.conf is no file' up folder.conf
	truncate -s 1048577 large.conf
	refused 1 'large.conf is too large' up large.conf
}

test_lines()
{
	fresh
	sed 's/^Weight.*/Weightx = 3/' mp0.conf | conf wrong
	refused 1 'wrong.conf:5: unknown key "Weightx" in [Path NAME], did you mean Weight?' \
		syncconf mp0 wrong.conf
	refused 1 './wrong.conf:5: unknown key "Weightx" in [Path NAME], did you mean Weight?' \
		up ./wrong.conf
	refused 1 'mp0.conf:1: the tunnel needs Key or KeyFile, or Cipher = clear' \
		up mp0.conf
	: >empty.conf
	refused 1 'empty.conf: there is no section [Interface]' up empty.conf
	sed -i '1a KeyFile = nosuch.key' mp0.conf
	refused 1 'mp0.conf:2: the key file cannot be read: No such file or directory' \
		up mp0.conf
	mkdir -p sub
	echo short >sub/bad.key
	printf '[Interface]\nKeyFile = bad.key\n' >sub/mp0.conf
	refused 1 'sub/mp0.conf:2: the key file is too short for a key (44 characters of base64, or 64 hexadecimal digits)' \
		up sub/mp0.conf
	fresh
	printf '[Path new]\nRemote = again.test\n' | cat mp0.conf - | conf wrong
	refused 2 'wrong.conf:16: cannot resolve again.test: Temporary failure in name resolution' \
		syncconf mp0 wrong.conf
	sed -i 's/^Remote = 192.*/Remote = fe80::1%nosuch0/' mp0.conf
	refused 1 'mp0.conf:3: remote: there is no device "nosuch0"' \
		syncconf mp0.conf
}

test_same()
{
	fresh
	unchanged syncconf mp0.conf
	ctl showconf mp0 >shown
	check_equal "$(cat shown)" "$(expected)"
	# what it shows is what it takes
	cp shown other.conf
	unchanged syncconf mp0 other.conf
	# and so are files that say the same in other words
	sed -e 's/^Weight/wEIGHT/' -e 's/= ef/= 46/' -e 's/^Dev.*/&\nMTU=auto/' \
		-e '1a Hold = 0.5s\nPark = 20\nFwMark = off\nAllowedIPs=any' \
		mp0.conf | conf other
	unchanged syncconf mp0 other.conf
	refused 2 'mp7: no such tunnel' showconf mp7
	refused 2 'mp7: no such tunnel' syncconf mp7 other.conf
}

test_differences()
{
	fresh
	sed -e 's/^Weight = 3/Weight = 4\nEnabled = off/' -e '/^Backup/d' \
		-e 's/Path lte/Path sat/' -e 's/Class 3/Class 4/' \
		-e '1a Hold = 100ms\nAllowedIPs = 10.0.0.0/8\nAllowedIPs = ::/0' \
		-e 's/2001:db8::1/six.test/' mp0.conf | conf new
	ctl syncconf mp0 new.conf
	check_equal "$(json '.[0] | [.hold, .allowed_ips]' show mp0)" \
		'[100000,["10.0.0.0/8","::/0"]]'
	check_equal "$(json 'map([.name, .remote, .weight, .backup, .enabled])' \
		path show mp0)" \
		'[["dsl","192.0.2.1",4,false,false],["sat","2001:db8::7",null,null,null]]'
	check_equal "$(json 'map(.id)' class show mp0)" '[4]'
	unchanged syncconf mp0 new.conf
	ctl syncconf mp0.conf
	ctl showconf mp0 >shown
	check_equal "$(cat shown)" "$(expected)"
	ctl setconf mp0 new.conf
	check_equal "$(json 'map([.name, .weight])' path show mp0)" \
		'[["dsl",4],["sat",null]]'
	sed -i 's/5000/5001/' new.conf
	refused 1 'new.conf:5: Port cannot change while mp0 exists, see mptunctl down and up' \
		syncconf mp0 new.conf
	refused 1 'new.conf:5: Port cannot change while mp0 exists, see mptunctl down and up' \
		setconf mp0 new.conf
}

# what is there is no mistake, and does not pass
test_up_there()
{
	rm -f state ./*.conf
	ctl add mp0
	printf '[Interface]\nCipher = clear\nID = 9\nPreUp = touch ran\n' | conf mp0
	refused 5 'mp0 exists already, see mptunctl down and syncconf' up ./mp0.conf
	[ ! -e ran ]
}

# the agent adds spares and deletes them, the commands change their settings
test_spare()
{
	fresh
	conf mp7 <<-END
		[Interface]
		Cipher = clear
		ID = 9
		MinPaths = 1
		[Path a]
		Remote = 192.0.2.1
		Group = 0
		[Path b]
		Remote = 192.0.2.2
		Group = 0
		Spare = on
	END
	ctl up ./mp7.conf
	check_equal "$(json 'map(.name)' path show mp7)" '["a"]'
	unchanged syncconf mp7 mp7.conf
	ctl setconf mp7 mp7.conf
	check_equal "$(json 'map(.name)' path show mp7)" '["a"]'
	ctl path add mp7 b remote 192.0.2.2 weight 7 group 0
	sed -i 's/^Spare.*/&\nWeight = 3/' mp7.conf
	for command in syncconf setconf; do
		ctl "$command" mp7 mp7.conf
		check_equal "$(json 'map([.name, .weight])' path show mp7)" \
			'[["a",null],["b",3]]'
	done
	# one that is no spare any more is there, and then not in the file
	sed -i -e '/^Spare/d' -e '/^MinPaths/d' mp7.conf
	ctl syncconf mp7 mp7.conf
	check_equal "$(json 'map(.name)' path show mp7)" '["a","b"]'
	sed -i '/^\[Path b/,$d' mp7.conf
	ctl syncconf mp7 mp7.conf
	check_equal "$(json 'map(.name)' path show mp7)" '["a"]'
	sed 's/^Weight.*/&\nSpare = on/' mp0.conf | conf wrong
	refused 1 'wrong.conf:6: Spare needs MinPaths or MinRate in [Interface], below which path dsl joins' \
		syncconf mp0 wrong.conf
}

# the simulated kernel refuses one change, those before it are taken back
test_all_or_nothing()
{
	local rc=0

	fresh
	ctl showconf mp0 >before
	sed -e '1a Hold = 100ms' -e 's/Path lte/Path sat/' mp0.conf | conf new
	printf '[Path none]\nRemote = fe80::1%%nosuch0\n' >>new.conf
	ctl syncconf mp0 new.conf 2>err || rc=$?
	check_equal "$rc" 1
	check_equal "$(cat err)" \
		'mptunctl: new.conf:16: remote: there is no device "nosuch0"'
	ctl showconf mp0 >after
	diff before after
	sed 's/^Port.*/&\nCC = nonesuch/' mp0.conf | conf new
	refused 2 'new.conf:3: no such congestion controller (cc)' \
		syncconf mp0 new.conf
}

# no copy of the key is left in memory, nor any in what is printed
test_key()
{
	local words rc

	fresh
	sed "1a Key = $base64" mp0.conf | conf keyed
	echo "$base64" >site.key
	sed "1a KeyFile = site.key" mp0.conf | conf filed
	for words in "syncconf mp0 keyed.conf" "setconf mp0 keyed.conf" \
		     "syncconf mp0 filed.conf" "up keyed.conf"; do
		rc=0
		# shellcheck disable=SC2086 # words
		MPTUN_FAKE_SECRET=$(rev <<<"$hex") ctl $words >out 2>err || rc=$?
		cat err
		[ "$rc" -ne 97 ]
		if grep -q "$base64" out err; then
			return 1
		fi
	done
	[ "$(od -An -v -tx1 state | tr -d ' \n' | grep -o "$hex" | wc -l)" -ge 3 ]
	chmod 644 keyed.conf
	ctl syncconf mp0 keyed.conf 2>err
	check_equal "$(cat err)" "mptunctl: warning: other users may read keyed.conf (mode 0644), use chmod 600"
	sed -i "/^Key/d" keyed.conf
	ctl syncconf mp0 keyed.conf 2>err
	check_equal "$(cat err)" ""
	chmod 666 keyed.conf
	ctl syncconf mp0 keyed.conf 2>err
	check_equal "$(cat err)" "mptunctl: warning: other users may write keyed.conf (mode 0666), use chmod 600"
}

# neither a key nor a part of one gets into messages
test_key_quoted()
{
	local line

	fresh
	for line in "${base64%=}" "$base64" "Port = $base64" \
		    "Masquerade = $base64" "CC = ${base64:0:20}" \
		    "DNS = $base64" "Address = $hex" "[$base64]" \
		    "[Path $base64]"; do
		sed "1a $line" mp0.conf | conf keyed
		ctl syncconf mp0 keyed.conf 2>err && return 1
		cat err
		if grep -q "${base64:0:12}\|${hex:0:12}" err; then
			return 1
		fi
	done
}

# the address in use is kept while the name has it, and its family else
test_again()
{
	fresh
	sed 's/192.0.2.1/both.test/' mp0.conf | conf named
	ctl path set mp0 dsl remote 192.0.2.9
	unchanged syncconf mp0 named.conf
	ctl path set mp0 dsl remote 192.0.2.1
	ctl syncconf mp0 named.conf
	check_equal "$(json '.[0].remote' path show mp0)" '"192.0.2.9"'
	sed -i 's/both/Both-2/; s/Both-2.test/&./' named.conf
	ctl path set mp0 dsl remote 2001:db8::9
	unchanged syncconf mp0 named.conf
}

# a path that is there keeps its peer while the resolver does not answer
test_unresolved()
{
	local command why='cannot resolve again.test: Temporary failure in name resolution'

	fresh
	sed -e 's/192.0.2.1/again.test/' -e 's/^Weight.*/Weight = 4/' mp0.conf |
		conf named
	for command in syncconf setconf; do
		ctl path set mp0 dsl weight 3
		ctl "$command" mp0 named.conf 2>err
		check_equal "$(cat err)" \
			"mptunctl: warning: named.conf:4: $why, path dsl keeps the peer that it has"
		check_equal "$(json '.[0] | [.name, .remote, .weight]' path show mp0)" \
			'["dsl","192.0.2.1",4]'
	done
	# of the other version of IP it cannot be
	sed -i 's/^Remote = again.test/&\nLocal = ::1/' named.conf
	refused 2 "named.conf:4: $why" syncconf mp0 named.conf
	# the agent knows where paths lead if there are several servers
	conf many <<-END
		[Interface]
		Port = 5000
		Server = again.test, 192.0.2.9
		[Path dsl]
		Weight = 5
		Backup = on
		Group = 0
	END
	ctl syncconf mp0 many.conf 2>err
	check_equal "$(cat err)" ""
	check_equal "$(json '.[] | [.name, .remote, .weight]' path show mp0)" \
		'["dsl","192.0.2.1",5]'
}

# commands in the file run as root
test_owner()
{
	fresh
	chmod 620 mp0.conf
	ctl syncconf mp0.conf 2>err
	check_equal "$(cat err)" "mptunctl: warning: other users may write mp0.conf (mode 0620), use chmod 600"
	chmod 600 mp0.conf
	[ "$(id -u)" -eq 0 ] || return 0
	chown 1 mp0.conf
	ctl syncconf mp0.conf 2>err
	check_equal "$(cat err)" "mptunctl: warning: mp0.conf is not owned by root, who runs its commands"
}

# -n leaves the resolver of the machine alone.
test_dns_netns()
{
	fresh
	unshare -Urn true 2>/dev/null || ktap_skip "no namespaces"
	mkdir -p bin
	printf '#!/bin/sh\necho "$@" >>%s/resolved\n' "$work" >bin/resolvconf
	chmod +x bin/resolvconf
	conf mp7 <<-END
		[Interface]
		Cipher = clear
		ID = 9
		DNS = 192.0.2.53
	END
	export PATH=$work/bin:$PATH
	(
		wrapper=(unshare -Urn "${wrapper[@]}")
		refused 1 './mp7.conf:4: DNS is that of the machine, so it cannot be set with -n' \
			-n /proc/self/ns/net up ./mp7.conf
		# The place in the file ends with the command.
		printf '%s\n' 'up ./mp7.conf' 'showw' >lines
		ctl -n /proc/self/ns/net -force -batch lines 2>err || :
		check_equal "$(tail -n 1 err)" \
			'mptunctl: lines:2: unknown command "showw", did you mean "show"?'
		refused 2 'mp7 is not up' -n /proc/self/ns/net down mp7
		[ ! -e resolved ]
		refused 2 'mp7 is not up' down mp7
	)
	check_equal "$(cat resolved)" '-d mp7 -f'
}

ktap_test "conf: names of tunnels and files" test_names
ktap_test "conf: errors name file and line" test_lines
ktap_test "conf: what does not differ is not sent" test_same
ktap_test "conf: what differs is changed" test_differences
ktap_test "conf: up of a tunnel that is there" test_up_there
ktap_test "conf: all or nothing" test_all_or_nothing
ktap_test "conf: spares are left to the agent" test_spare
ktap_test "conf: keys are wiped, and readers warned about" test_key
ktap_test "conf: keys are not quoted" test_key_quoted
ktap_test "conf: names are looked up again" test_again
ktap_test "conf: names that cannot be looked up now" test_unresolved
ktap_test "conf: owner and writers" test_owner
ktap_test "conf: DNS is not that of a network namespace" test_dns_netns
ktap_run

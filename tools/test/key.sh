#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Keys from the command line to the kernel, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: key.sh MPTUNCTL-FAKE [WRAPPER...], see cli.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"

base64=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
hex=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
other=BgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgY=
word_sentence='an argument looks like a key; other users can see the command line, so give the key in a file, or with - on standard input'
length='for a key (44 characters of base64, or 64 hexadecimal digits)'
readable='mptunctl: warning: other users may read the key file (mode 0644), use chmod 600'

umask 077

# mp0 has a key, mp1 not yet, mp2 needs none
fresh()
{
	rm -f state
	ctl add mp0
	ctl add mp1
	ctl add mp2 cipher clear id 7
	echo "$base64" >key
	echo "$other" >other
	ctl key set mp0 key
}

fingerprint()
{
	json '.[0].key_fingerprint' key show "$1"
}

# arrived: how often the bytes of the key came to the kernel
arrived()
{
	od -An -v -tx1 state | tr -d ' \n' | grep -o "$hex" | wc -l
}

test_gen()
{
	local one two

	one=$(ctl key gen 2>err)
	two=$(ctl key gen)
	check_equal "$(cat err)" ""
	[ "$one" != "$two" ]
	check_equal "${#one}" 44
	check_equal "$(base64 -d <<<"$one" | wc -c)" 32
	check_equal "$(ctl key gen | wc -c)" 45
	rm -f state
	refused 1 'unexpected word "x"' key gen x
	# The kernel is not asked.
	check_equal "$(MPTUN_FAKE_FAMILY=none ctl key gen | wc -c)" 45
	# The file can be used as it is.
	fresh
	ctl key gen >made
	ctl key set mp0 made
}

test_gen_warns()
{
	rm -f made
	(umask 022 && ctl key gen >made 2>err)
	check_equal "$(cat err)" "$readable"
	check_equal "$(wc -c <made)" 45
	rm -f made
	ctl key gen >made 2>err
	check_equal "$(cat err)" ""
}

test_gen_fails()
{
	[ -w /dev/full ] || ktap_skip "no /dev/full"
	local rc=0

	ctl key gen >/dev/full 2>err || rc=$?
	check_equal "$rc" 2
	check_equal "$(cat err)" \
		"mptunctl: the key cannot be written: No space left on device"
}

# both commands, both forms, files and standard input: the same key arrives
test_set()
{
	local want

	fresh
	want=$(fingerprint mp0)
	[ "$want" != null ]
	ctl key set mp0 other
	[ "$(fingerprint mp0)" != "$want" ]
	ctl set mp0 key key
	check_equal "$(fingerprint mp0)" "$want"
	echo "$hex" >hex
	printf ' \n%s\r\n\n' "${hex^^}" >upper
	ctl key set mp0 hex
	check_equal "$(fingerprint mp0)" "$want"
	ctl key set mp0 upper
	check_equal "$(fingerprint mp0)" "$want"
	ctl key set mp0 - <./key
	check_equal "$(fingerprint mp0)" "$want"
	echo "$hex" | ctl set mp0 key - learn on
	check_equal "$(fingerprint mp0)" "$want"
	check_equal "$(json '.[0].learn' show mp0)" true
	ctl key set mp0 <(printf %s "$base64")
	check_equal "$(fingerprint mp0)" "$want"
	check_equal "$(arrived)" 7
	# A file with such a name can be named in another way.
	cp key "$hex"
	ctl key set mp0 "./$hex"
	check_equal "$(arrived)" 8
}

test_grace()
{
	fresh
	check_equal "$(json '.[0].key_grace' key show mp0)" null
	ctl key set mp0 other
	check_equal "$(json '.[0].key_grace' key show mp0)" 60
	ctl key set mp0 key grace 5
	check_equal "$(json '.[0].key_grace' key show mp0)" 5
	ctl set mp0 key-grace 86400s key other
	check_equal "$(json '.[0].key_grace' show mp0)" 86400
	grep -q '  key-grace 86400s$' <(ctl show mp0)
	refused 1 'grace "5ms" is not a multiple of the smallest unit (whole seconds, or m, h or d)' \
		key set mp0 key grace 5ms
	refused 1 'grace 86401 is out of range (0s..86400s)' \
		key set mp0 key grace 86401
	refused 1 '"grace" needs a value (SECONDS)' key set mp0 key grace
}

test_show()
{
	local id

	fresh
	id=$(fingerprint mp0 | tr -d '"')
	grep -Eq '^0x[0-9a-f]{16}$' <<<"$id"
	check_equal "$(ctl key show)" "mp0: key with fingerprint $id
mp1: no key
mp2: no key, cipher clear uses none"
	check_equal "$(ctl key show mp1)" "mp1: no key"
	ctl key set mp0 other grace 30
	id=$(fingerprint mp0 | tr -d '"')
	check_equal "$(ctl key show mp0)" \
		"mp0: key with fingerprint $id, the previous key is accepted for another 30s"
	grep -q "^    .*key-fingerprint $id  key-grace 30s\$" <(ctl show mp0)
	check_equal "$(json . key show mp0)" \
		"[{\"ifindex\":100,\"ifname\":\"mp0\",\"cipher\":\"chacha20-poly1305\",\"key_fingerprint\":\"$id\",\"key_grace\":30}]"
	check_equal "$(json 'map(.key_fingerprint)' key show)" \
		"[\"$id\",null,null]"
	refused 2 'mp7: no such tunnel' key show mp7
	refused 1 'unexpected word "x"' key show mp0 x
	# The key itself is nowhere.
	if { ctl show; ctl show -j; ctl key show; ctl stats; ctl monitor -j; } |
		grep -qiE "$base64|$hex|$other"; then
		return 1
	fi
}

# bad SENTENCE: neither command takes the file "bad", nor standard input
bad()
{
	refused 1 "the key file $1" key set mp0 bad
	refused 1 "the key file $1" set mp0 key bad key-grace 5
	refused 1 "standard input $1" key set mp0 - <bad
}

test_bad_files()
{
	fresh
	: >bad && bad "is empty"
	printf '\n \n' >bad && bad "is empty"
	echo "${base64:4}" >bad && bad "is too short $length"
	echo "${hex:2}" >bad && bad "is too short $length"
	echo "AAAA$base64" >bad && bad "is too long $length"
	echo "${hex}00" >bad && bad "is too long $length"
	echo "${base64%=}" >bad
	bad "is not base64 of 32 bytes, which ends with one ="
	echo "${base64/A/_}" >bad && bad "is neither base64 nor hexadecimal digits"
	cat key key >bad && bad "is neither base64 nor hexadecimal digits"
	base64 -d <<<"$base64" >bad && bad "is neither base64 nor hexadecimal digits"
	tr '0-9a-f' 0 <<<"$hex" >bad && bad "is all zero, which is no key"
	head -c 100000 /dev/zero | tr '\0' A >bad && bad "is too long for a key"
	printf '%s%2000s' "$base64" '' >bad && bad "is too long for a key"
}

test_no_file()
{
	fresh
	refused 1 'the key file cannot be read: No such file or directory' \
		key set mp0 nonesuch
	refused 1 'the key file cannot be read: No such file or directory' \
		set mp0 key nonesuch
	refused 1 'the key file cannot be read: Is a directory' key set mp0 .
	refused 1 'the name of the file after "key" must not be empty' \
		key set mp0 ""
	refused 1 'standard input cannot be read: Bad file descriptor' \
		key set mp0 - <&-
	refused 1 'key set needs a tunnel name and a key file, or - for standard input' key set mp0
	# Wrong words are found before anything is read.
	refused 1 'unknown keyword "x", known are grace' key set mp0 nonesuch x 1
	refused 1 '"hold" needs a value (TIME)' set mp0 key nonesuch hold
}

test_no_permission()
{
	local program

	fresh
	chmod 0 key
	if [ "$(id -u)" -ne 0 ]; then
		refused 1 'the key file cannot be read: Permission denied' \
			key set mp0 key
		return
	fi
	[ "${#wrapper[@]}" -eq 0 ] || ktap_skip "not under a wrapper"
	type setpriv >/dev/null 2>&1 || ktap_skip "no setpriv"
	# In a folder of another user; the program itself must be found.
	chmod 711 .
	program=$work/mptunctl
	install -m 755 "$prog" "$program"
	prog=$program wrapper=(setpriv --reuid 65534 --clear-groups)
	refused 1 'the key file cannot be read: Permission denied' \
		key set mp0 "$work/key"
}

test_warning()
{
	fresh
	chmod 644 other
	ctl key set mp0 other >out 2>err
	check_equal "$(cat out err)" "$readable"
	ctl set mp0 key other 2>err
	check_equal "$(cat err)" "$readable"
	ctl key set mp0 - <other 2>err
	check_equal "$(cat err)" "$readable"
	chmod 640 other
	ctl key set mp0 other 2>err
	check_equal "$(cat err)" "${readable/0644/0640}"
	chmod 600 other
	ctl key set mp0 other 2>err
	check_equal "$(cat err)" ""
	# No warning for a pipe, or for a file that holds no key.
	ctl key set mp0 - < <(cat key) 2>err
	check_equal "$(cat err)" ""
	echo x >bad
	chmod 644 bad
	refused 1 "the key file is too short $length" key set mp0 bad
}

test_word()
{
	local key

	fresh
	for key in "$base64" "${base64%=}" "$hex" "${hex^^}"; do
		refused 1 "$word_sentence" key set mp0 "$key"
		refused 1 "$word_sentence" set mp0 key "$key"
		refused 1 "$word_sentence" set mp0 "$key"
		refused 1 "$word_sentence" set mp0 learn on key "$key" hold 1s
		refused 1 "$word_sentence" key set "$key" mp0
		refused 1 "$word_sentence" key "$key"
		refused 1 "$word_sentence" key gen "$key"
		refused 1 "$word_sentence" "$key"
		refused 1 "$word_sentence" path add mp0 "$key"
		refused 1 "$word_sentence" -j add mp9 key "$key"
	done
	if grep -qE "$base64|$hex" err; then
		return 1
	fi
}

# Most of a key, as after a mistake of the mouse, is not repeated either.
test_part()
{
	local part=${base64:0:42} at

	fresh
	: >lines
	for at in "check mp0" bugreport "-batch lines" help "help path" \
		"help show" "path show mp0 x" "class show mp0 1" "stats mp0" \
		"monitor mp0" "key gen" "key show mp0" "path del mp0 x" \
		"class del mp0 1" show "show mp0" "top" "" path key; do
		# shellcheck disable=SC2086 # words
		if ctl $at "$part" >out 2>err; then
			return 1
		fi
		grep -F '"..."' err
		if grep -F "${part:0:20}" err out; then
			return 1
		fi
	done
}

test_kernel_refuses()
{
	fresh
	refused 2 'mp2: a tunnel in clear mode has no key (key)' key set mp2 key
	refused 2 'mp2: a tunnel in clear mode has no key (key)' set mp2 key key
	refused 2 'mp7: no such tunnel' key set mp7 key
	MPTUN_FAKE_ERROR=1 refused 2 \
		'mp0 cannot be changed: Operation not permitted, CAP_NET_ADMIN is needed' \
		key set mp0 key
	MPTUN_FAKE_FAMILY=none refused 2 \
		'the kernel has no mptun, load the module (modprobe mptun)' \
		key set mp0 key
}

# wiped STATUS WORD...: no part of the key is left at the end of the program
wiped()
{
	local want=$1 rc=0

	shift
	MPTUN_FAKE_SECRET=$(rev <<<"$hex") ctl "$@" >out 2>err || rc=$?
	if grep '^fake kernel' err; then
		return 1
	fi
	check_equal "$rc" "$want"
}

test_wiped()
{
	local rc=0

	[ "${#wrapper[@]}" -eq 0 ] || ktap_skip "not under a wrapper, whose memory would be searched"
	fresh
	echo "$hex" >hex
	echo "$base64 $hex" >bad
	wiped 0 key gen
	check_equal "$(cat out)" "$base64"
	wiped 0 key set mp0 key
	wiped 0 key set mp0 hex
	wiped 0 set mp0 key - hold 1s <hex
	wiped 0 add mp9 key key
	ctl del mp9
	wiped 2 add mp8 key key cipher clear id 9
	wiped 1 add mp8 key bad
	wiped 1 key set mp0 bad
	wiped 1 set mp0 key - <bad
	wiped 1 set mp0 key key hodl 1s
	wiped 1 key set mp0 "$base64"
	wiped 1 key set mp0 "$hex"
	wiped 1 set mp0 key "${base64%=}"
	wiped 2 key set mp2 key
	wiped 2 key set mp7 key
	MPTUN_FAKE_ERROR=12 wiped 2 key set mp0 key
	MPTUN_FAKE_FAMILY=none wiped 2 key set mp0 key
	wiped 0 key show mp0
	# A key that is left is found.
	MPTUN_FAKE_KEEP=1 MPTUN_FAKE_SECRET=$(rev <<<"$hex") \
		ctl key set mp0 key 2>err || rc=$?
	check_equal "$rc" 97
	grep -q '^fake kernel: the key is left in memory, as bytes' err
}

ktap_test "key: a new one" test_gen
ktap_test "key: a warning if other users may read a new key" test_gen_warns
ktap_test "key: a new one that cannot be written" test_gen_fails
ktap_test "key: set from files and standard input" test_set
ktap_test "key: grace of the previous key" test_grace
ktap_test "key: shown by its fingerprint only" test_show
ktap_test "key: files that hold none, nothing sent" test_bad_files
ktap_test "key: files that are not there" test_no_file
ktap_test "key: a file that may not be read" test_no_permission
ktap_test "key: files that other users may read" test_warning
ktap_test "key: never on the command line, never repeated" test_word
ktap_test "key: no part of one is repeated" test_part
ktap_test "key: refused by the kernel" test_kernel_refuses
ktap_test "key: wiped from memory, whatever happens" test_wiped
ktap_run

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The protocol of netifd and the page of LuCI, against stand-ins for both.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: openwrt.sh MPTUNCTL-FAKE
#
# netifd's part runs in busybox sh, which is the shell of OpenWrt, and its files go
# to mptunctl with a simulated kernel. LuCI's part runs in Duktape. No router takes
# part: what OpenWrt itself does is as its documentation says.

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
feed=$(realpath "$here/../packaging/openwrt")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fake=$(realpath "$1")
cd "$work" || exit
mkdir -p lib net bin copy
export MPTUN_FAKE=$work/state MPTUN_RUN=$work/run MPTUN_NET=$work/net MPTUN_PAUSE=0
export MPTUN_LIB=$work/lib FEED=$feed FAKE=$fake PATH=$work/bin:$PATH
key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=

# UCI: config_* read the file "network". netifd: what it is asked for is printed.
cat >lib/functions.sh <<'END'
config_load() { :; }
# uci_find SECTION OPTION: the values; option or list
uci_find() {
	awk -v want="$1" -v option="$2" '
		$1 == "config" { now = $3; next }
		now == want && $2 == option {
			sub(/^[ \t]*(option|list)[ \t]+[^ \t]+[ \t]+/, "")
			printf "%s%s", sep, $0
			sep = " "
		}' network
}
config_get() {
	local _value

	_value=$(uci_find "$2" "$3")
	eval "$1=\${_value:-\${4:-}}"
}
config_get_bool() {
	config_get "$@"
	eval "case \$$1 in 1|on|true|yes|enabled) $1=1 ;; *) $1=0 ;; esac"
}
config_foreach() {
	local _section

	for _section in $(awk -v type="$2" '$1 == "config" && $2 == type {
			print $3 }' network); do
		"$1" "$_section" || :
	done
}
# wan0, wan1 ... are up if there is a file with the device and its gateways
network_get_device() {
	[ -e "net-$2" ] && eval "$1=\$(cut -d' ' -f1 net-$2)"
}
network_get_gateway() { eval "$1=\$(cut -d' ' -f2 net-$2)"; }
network_get_gateway6() { eval "$1=\$(cut -d' ' -f3 net-$2)"; }
logger() { cat >/dev/null <&0; echo "log $*"; }
for name in init_update send_update notify_error block_restart setup_failed \
	add_ipv4_address add_ipv6_address add_ipv4_route add_ipv6_route; do
	eval "proto_$name() { echo \"$name \$*\"; }"
done
proto_config_add_string() { echo "option $1"; }
proto_config_add_array() { echo "option ${1%%:*}"; }
ubus() { echo "ubus $*"; }
END

# mptunctl: the real one, with a kernel that is not. Gateways would change routes of
# this machine; they are in the test ctl_conf.
cat >bin/mptunctl <<'END'
#!/bin/sh
umask 077
echo "mptunctl $*" >>called
# mptunctl syncconf NAME FILE, up FILE, down FILE
for file; do :; done
name=$(basename "$file" .conf)
[ "$1" != syncconf ] || name=$2
[ "$1" = down ] || sed 's/^Gateway/#&/' "$file" >"copy/$name.conf" || exit
case $1 in
up)
	"$FAKE" add "$name" || exit
	"$FAKE" setconf "$name" "copy/$name.conf" || {
		status=$?
		"$FAKE" del "$name"
		exit "$status"
	}
	: >"$MPTUN_NET/$name"
	;;
down)
	rm -f "$MPTUN_NET/$name"
	exec "$FAKE" del "$name"
	;;
*)
	exec "$FAKE" "$1" "$name" "copy/$name.conf"
	;;
esac
END
chmod +x bin/mptunctl

# netifd COMMAND: in the shell of OpenWrt, with the handler
netifd()
{
	INCLUDE_ONLY=1 busybox sh -u -c '
		. lib/functions.sh
		. "$FEED/mptun/files/mptun.sh"
		'"$1" </dev/null 2>&1
}

# network: /etc/config/network from standard input, and three uplinks
network()
{
	rm -rf state run called net/* net-*
	cat >network
	echo "wan0 192.0.2.1 " >net-dsl
	echo "wwan0 198.51.100.1 fe80::1" >net-lte
}

tunnel="config interface mp0
	option proto mptun
	option key $key"

test_setup()
{
	network <<-END
		$tunnel
			list addresses 10.7.0.2/24
			list addresses fd07::2/64
			list addresses 10.8.0.1
			list routes default
			list routes 10.9.0.0/16
			option sched ecf
			option mtu 1300
			option learn off
		config mptun_mp0 one
			option network dsl
			option remote 203.0.113.7
			option remote_port 4800
			option weight 3
		config mptun_mp0 two
			option network lte
			option remote 2001:db8::7
			option backup on
			option cap 5gb
		config mptun_mp0 three
			option network sat
			option remote 203.0.113.7
		config mptun_mp0 four
			option network dsl
			option remote 203.0.113.8
			option disabled 1
		config mptun_mp1 other
			option remote 203.0.113.9
	END
	check_equal "$(netifd "proto_mptun_setup mp0")" "init_update mp0 1
add_ipv4_address 10.7.0.2 24
add_ipv6_address fd07::2 64
add_ipv4_address 10.8.0.1 32
add_ipv4_route 0.0.0.0 0
add_ipv6_route :: 0
add_ipv4_route 10.9.0.0 16
send_update mp0"
	check_equal "$(stat -c %a run run/mp0.conf)" $'700\n600'
	check_equal "$(cat run/mp0.conf)" "# Made of /etc/config/network.
[Interface]
Key = $key
Sched = ecf
Learn = off
MTU = 1300

[Path one]
Dev = wan0
Gateway = 192.0.2.1
Remote = 203.0.113.7
Port = 4800
Weight = 3

[Path two]
Dev = wwan0
Gateway = fe80::1
Remote = 2001:db8::7
Backup = on
Cap = 5gb"
	check_equal "$("$fake" show mp0 -j | jq -c '.[0] | [.sched, .learn]')" \
		'["ecf",false]'
	check_equal "$("$fake" path show mp0 -j |
		jq -c '.[] | [.name, .remote, .dev, .weight, .backup]')" \
		'["one","203.0.113.7","wan0",3,null]
["two","2001:db8::7","wwan0",null,true]'
}

# Names of paths have 15 characters, those of sections any number.
test_long_names()
{
	network <<-END
		config interface mp0
			option proto mptun
			option key_file site.key
		config mptun_mp0 uplink_in_the_house_attic
			option network sat
			option remote 203.0.113.7
		config mptun_mp0 uplink_in_the_house_cellar
			option network lte
			option remote 2001:db8::7
		config mptun_mp0 uplink_in_the_house_hall
			option network dsl
			option remote 203.0.113.7
		config mptun_mp0 of
			option remote 203.0.113.8
	END
	netifd "proto_mptun_setup mp0" >got || :
	check_equal "$(grep '^KeyFile\|^\[Path' run/mp0.conf)" \
		"KeyFile = /etc/mptun/site.key
[Path uplink_in_the_2]
[Path uplink_in_the_3]
[Path of]"
	sed -i 's,site.key,/root/site.key,' network
	netifd "proto_mptun_setup mp0" >got || :
	grep -qx 'KeyFile = /root/site.key' run/mp0.conf
}

# An uplink comes and goes; the tunnel stays, and so do its other paths.
test_renew()
{
	test_setup
	echo "sat0 192.0.2.129 " >net-sat
	rm net-dsl called
	netifd "proto_mptun_renew mp0" | grep -q '^send_update mp0$'
	check_equal "$(cat called)" "mptunctl syncconf mp0 $work/run/mp0.conf.new"
	check_equal "$(ls run)" $'mp0.conf\nmp0.sent'
	grep -qx 'Dev = sat0' run/mp0.conf
	check_equal "$("$fake" path show mp0 -j | jq -r '.[].name' | sort | xargs)" \
		"three two"
	rm called
	netifd "proto_mptun_teardown mp0" >/dev/null
	check_equal "$(cat called)" "mptunctl down $work/run/mp0.conf"
	check_equal "$(ls run)" ""
	check_equal "$("$fake" show -j)" "[]"
}

# What goes wrong then ends neither the tunnel nor netifd's interface.
test_renew_fails()
{
	local before

	test_setup
	before=$("$fake" path show mp0 -j)
	cp network well
	cp run/mp0.conf made
	for line in "option remote nosuch.invalid" "option remote x:y:z" \
		    "option remote 203.0.113.7#"; do
		{
			sed 's,10\.9\.0\.0/16,10.6.0.0/16,' well
			printf 'config mptun_mp0 new\n\t%s\n' "$line"
		} >network
		for what in renew setup; do
			rm -f called
			netifd "proto_mptun_$what mp0" >got
			grep -q '^log -t mptun mp0: ' got
			grep -q '^notify_error mp0 ' got
			grep -qx 'send_update mp0' got
			check_equal "$(grep 'setup_failed\|block_restart' got)" ""
			check_equal "$("$fake" path show mp0 -j)" "$before"
			# neither does the file change, nor what was routed
			cmp run/mp0.conf made
			grep -qx 'add_ipv4_route 10.9.0.0 16' got
			check_equal "$(grep 10.6.0.0 got)" ""
		done
	done
	cp well network
	netifd "proto_mptun_renew mp0" >got
	check_equal "$(grep 'log\|error' got)" ""
	# One that this did not make is none of its.
	rm run/mp0.conf
	printf 'config mptun_mp0 new\n\toption remote nosuch.invalid\n' >>network
	netifd "proto_mptun_setup mp0" >got || :
	grep -qx 'setup_failed mp0' got
}

test_mistakes()
{
	network <<<"${tunnel/Hh8=/Hh8}"
	netifd "proto_mptun_setup mp0 || echo failed" >got
	check_equal "$(sed -n '$p' got)" failed
	grep -q '^notify_error mp0 SETUP .*mp0.conf:3: ' got
	grep -qx "block_restart mp0" got
	grep -q "^log -t mptun mp0: .*mp0.conf:3: " got
	[ ! -e state ] || check_equal "$("$fake" show -j)" "[]"

	# A comment would end the line; nothing is done.
	network <<<"$tunnel
	option sched ecf # PreUp = reboot
config mptun_mp0 one
	option remote 192.0.2.1"
	check_equal "$(netifd "proto_mptun_setup mp0 || echo failed")" \
		"log -t mptun mp0: option sched of mp0 has a character that is not allowed
notify_error mp0 CONFIG option sched of mp0 has a character that is not allowed
block_restart mp0
failed"
	check_equal "$(ls run)" ""
	[ ! -e called ]
	network <<<"$tunnel
config mptun_mp0 one
	option remote 192.0.2.1#"
	netifd "proto_mptun_setup mp0" | grep -q 'remote of one has a character'
	[ ! -e called ]

	# It may be found later.
	network <<<"$tunnel
config mptun_mp0 one
	option remote nosuch.invalid"
	netifd "proto_mptun_setup mp0 || echo failed" >got
	grep -qx "setup_failed mp0" got
	grep -q "cannot resolve nosuch.invalid" got
}

# Every option that the handler reads is a key of the file, and LuCI's are read.
test_options()
{
	local pair

	netifd proto_mptun_init_config | sed 's/^option //' | sort >options
	grep -oE '\b[a-z_]+=[A-Z][A-Za-z]+' "$feed/mptun/files/mptun.sh" |
		grep -v '^disable=' >pairs
	while IFS='=' read -r _ pair; do
		grep -qE "^(\.BR $pair \"|\\\\fB$pair\\\\fR =)" \
			"$here/../man/mptun.conf.5" || echo "no $pair"
	done <pairs >unknown
	check_equal "$(cat unknown)" ""
	[ "$(wc -l <pairs)" -gt 30 ]
	[ "$(wc -l <"$feed/mptun/files/mptun.sh")" -le 200 ]
	luci "offered()" | sort >offered
	[ "$(wc -l <offered)" -gt 15 ]
	{
		cut -d= -f1 pairs
		printf '%s\n' network disabled addresses routes
	} | sort -u >"read"
	check_equal "$(comm -23 offered "read")" ""
	check_equal "$(comm -23 options "read")" ""
}

test_hotplug()
{
	network <<-END
		$tunnel
		config mptun_mp0 one
			option network dsl
		config interface mp1
			option proto mptun
		config mptun_mp1 two
			option network lte
		config interface dsl
			option proto pppoe
	END
	# shellcheck disable=SC2016 # for busybox
	for pair in ifup:dsl ifdown:lte ifup:mp0 ifup-failed:dsl; do
		ACTION=${pair%:*} INTERFACE=${pair#*:} busybox sh -u -c \
			'. "$FEED/mptun/files/mptun.hotplug"'
	done >got
	check_equal "$(cat got)" "ubus call network.interface.mp0 renew
ubus call network.interface.mp1 renew"
}

# luci EXPRESSION: with the page loaded; it is a function body, as LuCI loads it
luci()
{
	{
		cat "$here/luci.js"
		echo "var protocol = (function() {"
		cat "$feed/luci-proto-mptun/htdocs/luci-static/resources/protocol/mptun.js"
		echo "})();"
		echo "$1;"
	} >page.js
	duk page.js
}

test_luci()
{
	luci "check()"
}

# The files of the packages evaluate, with the version and what they install.
test_packages()
{
	local name

	mkdir -p top/feeds/luci
	# shellcheck disable=SC2016 # for make
	echo 'KernelPackage = $(KernelPackage/$(1))' >top/rules.mk
	: >top/kernel.mk
	: >top/package.mk
	: >top/feeds/luci/luci.mk
	for name in kmod-mptun mptun luci-proto-mptun; do
		# shellcheck disable=SC2016 # for make
		check_equal "$(make -s --no-print-directory \
			-C "$feed/$name" TOPDIR="$work/top" \
			INCLUDE_DIR="$work/top" PKG_BUILD_DIR="$work/$name" \
			--eval='show:;@echo $(PKG_VERSION)' show)" \
			"$(cat "$feed/../../../VERSION")"
	done
	# shellcheck disable=SC2016
	make -s -C "$feed/kmod-mptun" TOPDIR="$work/top" CP="cp -a" \
		INCLUDE_DIR="$work/top" PKG_BUILD_DIR="$work/kmod" \
		--eval='export define prepare
$(Build/Prepare)
endef
run:;@sh -ec "$$prepare"' run
	[ -e kmod/kmod/main.c ]
}

for program in busybox duk jq; do
	command -v "$program" >/dev/null || missing=$program
done
# t NAME FUNCTION
t()
{
	[ -z "${missing:-}" ] || eval "$2() { ktap_skip 'no $missing'; }"
	ktap_test "openwrt: $1" "$2"
}
t "netifd sets a tunnel up" test_setup
t "long names of sections, and the file of a key" test_long_names
t "uplinks come and go" test_renew
t "a change that fails leaves the tunnel" test_renew_fails
t "mistakes are reported, and change nothing" test_mistakes
t "all options are known" test_options
t "an uplink's event reaches the tunnels that use it" test_hotplug
t "the page of LuCI" test_luci
t "files of the packages" test_packages
ktap_run

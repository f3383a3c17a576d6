#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mptunctl check: a sound machine, and one fault at a time.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: check.sh MPTUNCTL-FAKE [WRAPPER...]

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"

version=$(cat "$here/../../VERSION")
release=6.1.0-0-test
export MPTUN_FAKE_ROOT=$work/root

# fact FILE TEXT...: a file of the machine, a line for each text
fact()
{
	mkdir -p "root/$(dirname "$1")"
	printf '%s\n' "${@:2}" >"root/$1"
}

# conf DEV NAME NUMBER: net.ipv4.conf.DEV.NAME
conf()
{
	fact "proc/sys/net/ipv4/conf/$1/$2" "$3"
}

# figures LIST: figures of the kernel beside those of a sound tunnel
figures()
{
	export MPTUN_FAKE_FIGURES="all=0,$1,key-fingerprint=7,pmtu-state=2,local-port-now=4725"
}

# Two uplinks, each with a route, and a server that knows both paths.
sound()
{
	rm -rf state root
	fact proc/sys/kernel/osrelease "$release"
	fact sys/module/mptun/version "$version"
	fact net 'link 1 lo carrier' 'link 2 dsl0 carrier' \
		'link 3 lte0 carrier' 'link 100 mp0 carrier' \
		'addr 1 127.0.0.1 8' 'addr 2 192.0.2.2 24' \
		'addr 3 10.64.0.2 24' 'addr 3 2001:db8:3::2 64' \
		'route 198.51.100.7 192.0.2.2 * 2 192.0.2.2' \
		'route 198.51.100.7 10.64.0.2 * 3 10.64.0.2' \
		'route 198.51.100.7 * 2 2 192.0.2.2' \
		'route 198.51.100.7 * 3 3 10.64.0.2'
	figures used=0
	ctl add mp0
	ctl path add mp0 dsl remote 198.51.100.7 dev dsl0
	ctl path add mp0 lte remote 198.51.100.7 dev lte0
}

# finds SENTENCE [WORD...]: the only fault
finds()
{
	local want=$1 rc=0

	shift
	ctl check "$@" >out 2>err || rc=$?
	check_equal "$(grep -v '^note: ' out)" "wrong: $want"
	check_equal "$(cat err)" ""
	check_equal "$rc" 3
}

# well [WORD...]: nothing is wrong
well()
{
	ctl check "$@" >out 2>err
	check_equal "$(grep -v '^note: ' out)" "Nothing is wrong."
	check_equal "$(cat err)" ""
}

# notes SENTENCE: nothing is wrong, but this is worth to know
notes()
{
	well
	check_equal "$(grep '^note: ' out)" "note: $1"
}

# quiet: nothing is wrong or worth to know
quiet()
{
	check_equal "$(ctl check)" "Nothing is wrong."
}

test_sound()
{
	sound
	well
	well mp0
	check_equal "$(ctl check -d)" \
"ok: the loaded module and this tool are version $version
ok: mp0: cipher chacha20-poly1305 is fast on every processor
ok: mp0: it has a key with fingerprint 0x0000000000000007, which the other end has to show as well
ok: mp0: both ends are connected
ok: mp0: path dsl: packets leave over dsl0 with address 192.0.2.2 and port 4725
ok: mp0: path dsl: packets of the peer come from 198.51.100.7: a NAT changes what differs from the address and port that \"mptunctl check -d\" has there for this path
ok: mp0: path dsl: packets pass in both directions, in 23.4ms
ok: mp0: path dsl: it carries packets of 1400 bytes
ok: mp0: path lte: packets leave over lte0 with address 10.64.0.2 and port 4725
ok: mp0: path lte: a NAT translates its address 10.64.0.2, which is a private one, and probes keep its mapping
ok: mp0: path lte: packets of the peer come from 198.51.100.7: a NAT changes what differs from the address and port that \"mptunctl check -d\" has there for this path
ok: mp0: path lte: packets pass in both directions, in 23.4ms
ok: mp0: path lte: it carries packets of 1400 bytes
Nothing is wrong."
	check_equal "$(ctl check -j | jq -c 'map(.level) | unique')" '["ok"]'
	check_equal "$(ctl check -j | jq -c '.[4]')" \
		'{"level":"ok","check":"route","ifname":"mp0","path":"dsl","text":"packets leave over dsl0 with address 192.0.2.2 and port 4725"}'
	rm -f state
	notes 'there is no tunnel: "mptunctl up NAME" makes one from its file, "mptunctl add NAME" without'
	refused 1 'unexpected word "x"' check mp0 x
}

test_module()
{
	local boot=sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c

	sound
	fact sys/module/mptun/version 0.0.1
	finds "the loaded module is version 0.0.1 and this tool $version: install the same version of both, then load the new module (\"modprobe -r mptun\" without tunnels) or restart the machine"
	rm -r root/sys/module/mptun
	finds "there is no module mptun for kernel $release: install the package mptun-dkms, or \"make dkms-install\" of the source"
	mkdir -p root/var/lib/dkms/mptun
	finds "there is no module mptun for kernel $release: install the headers of this kernel (linux-headers-$release) and run \"dkms autoinstall -k $release\""
	fact "lib/modules/$release/modules.dep" 'kernel/x.ko:' \
		'updates/dkms/mptun.ko: kernel/x.ko'
	finds 'the module mptun is installed but not loaded: run "modprobe mptun"'
	mkdir -p "root/${boot%/*}"
	printf '\6\0\0\0\1' >"root/$boot"
	finds 'the module mptun is installed but not loaded: run "modprobe mptun"
wrong: Secure Boot is on, so the kernel refuses modules whose key it does not know: enrol that of DKMS ("mokutil --import /var/lib/dkms/mok.pub") and restart the machine'
	fact sys/module/mptun/version "$version"
	well
	ctl check -d | grep -q '^ok: Secure Boot is on and the module is loaded$'
	rm -r root/sys/module
	printf '\6\0\0\0\0' >"root/$boot"
	finds 'the module mptun is installed but not loaded: run "modprobe mptun"'
}

test_key()
{
	sound
	export MPTUN_FAKE_FIGURES=all=0,used=0,key-fingerprint=0,pmtu-state=2
	finds 'mp0: it has no key: set the same one at both ends, "mptunctl key set mp0 FILE"'
	sound
	figures key-grace=30
	notes 'mp0: the previous key is accepted for another 30s'
	sound
	sed -i 's/ mp0 carrier/ mp0 down/' root/net
	finds 'mp0: its interface is down: run "ip link set mp0 up"'
	sound
	ctl del mp0
	ctl add mp0 id 7 cipher clear learn on
	notes 'mp0: cipher clear uses no key: anyone who knows ports and ids can read and send packets'
}

test_cipher()
{
	local driver

	sound
	ctl del mp0
	ctl add mp0 cipher aes-gcm learn on
	figures tunnel.state=2
	well
	fact proc/crypto 'name         : gcm(aes)' \
		'driver       : gcm_base(ctr(aes-generic),ghash-generic)' \
		'priority     : 100' '' 'name         : rfc4106(gcm(aes))' \
		'driver       : rfc4106-fast' 'priority     : 900'
	notes 'mp0: cipher aes-gcm is computed without instructions for it (gcm_base(ctr(aes-generic),ghash-generic)): chacha20-poly1305 is faster on this processor'
	for driver in generic-gcm-aesni generic-gcm-aesni-avx \
		generic-gcm-vaes-avx10_512 generic-gcm-vaes-avx2 gcm-aes-ce; do
		fact proc/crypto 'name         : gcm(aes)' \
			"driver       : $driver" 'priority     : 400'
		well
		ctl check -d | grep -Fxq "ok: mp0: cipher aes-gcm is computed with instructions for it ($driver)"
	done
}

test_handshake()
{
	# 0: closed, 1: opening; of paths 1: probing
	sound
	figures tunnel.state=1,path.state=1
	finds 'mp0: nobody answers on any path: is the tunnel at the other end up, with the same key, and does its firewall let UDP to its port in?'
	figures tunnel.state=1,path.state=1,rx-unknown=3,rx-mac=2
	finds 'mp0: 5 packets arrived on its port that no tunnel here has the key for: compare the fingerprints of both ends, "mptunctl key show"'
	figures tunnel.state=1,path.state=1,rx-handshake=4
	finds 'mp0: 4 handshakes with its key did not fit: set the same cipher at both ends, and look whether a third machine has the same key'
	figures tunnel.state=1,path.state=1,rx-version=1
	finds 'mp0: 2 packets of another version of the protocol arrived on its port: install the same version of mptun at both ends'
	# A server that waits
	sound
	ctl path del mp0 dsl
	ctl path del mp0 lte
	ctl set mp0 learn on
	figures tunnel.state=0,port=4725
	well
	grep -q '^note: mp0: it waits for its peer, from whom nothing has arrived' out
	figures tunnel.state=0,rx-unknown=9
	finds 'mp0: 9 packets arrived on its port that no tunnel here has the key for: compare the fingerprints of both ends, "mptunctl key show"'
	ctl set mp0 learn off
	finds 'mp0: it has no path that is on, and accepts none: "mptunctl path add mp0 NAME remote ADDR", or "mptunctl set mp0 learn on"'
	# Strangers are no fault of a tunnel that works.
	sound
	figures rx-unknown=9,rx-version=9
	well
	figures rx-not-allowed=3
	notes 'mp0: 3 packets of the peer had a source address that allowed-ips does not have'
}

test_device()
{
	sound
	sed -i '/lte0/d' root/net
	finds 'mp0: path lte: there is no device lte0: connect it, or name another one, "mptunctl path set mp0 lte dev DEV"'
	sound
	sed -i 's/lte0 carrier/lte0 down/' root/net
	finds 'mp0: path lte: device lte0 is down: run "ip link set lte0 up"'
	sed -i 's/lte0 down/lte0 up/' root/net
	finds 'mp0: path lte: device lte0 has no carrier: look at its cable, or at the modem'
}

# As on a hypervisor, or a router of a provider
test_many()
{
	local i

	sound
	grep '^route' root/net >routes
	for ((i = 1000; i < 1600; i++)); do
		printf '%s\n' "link $i tap$i carrier" \
			"addr $i 10.$((i / 250)).$((i % 250)).1 24"
	done >root/net
	printf '%s\n' 'link 2 dsl0 carrier' 'link 3 lte0 carrier' \
		'link 100 mp0 carrier' 'addr 2 192.0.2.2 24' 'addr 3 10.64.0.2 24' >>root/net
	cat routes >>root/net
	ctl path set mp0 lte local 10.64.0.2
	well
}

test_route()
{
	sound
	sed -i '/\* 3 3/d' root/net
	finds 'mp0: path lte: there is no route to 198.51.100.7 over lte0: add one, such as a default route of lte0 with any metric, or Gateway in the file of the tunnel'
	ctl path set mp0 lte dev none
	finds 'mp0: path lte: there is no route to 198.51.100.7: add one, or bind the path to its uplink with dev'
	echo 'route 198.51.100.7 * * 100 10.9.0.1' >>root/net
	finds 'mp0: path lte: its route leads into the tunnel itself: bind it to its uplink with dev, or keep the server out of the tunnel with fwmark and "ip rule"'
	sound
	ctl path set mp0 lte local 10.64.0.3
	finds 'mp0: path lte: its local address 10.64.0.3 is not on this machine: correct it, or let the route decide, "mptunctl path set mp0 lte local any"'
	ctl path set mp0 lte local 10.64.0.2
	well
	sound
	sed -i 's/\* 3 3 10.64.0.2/* 3 3 192.0.2.2/' root/net
	notes 'mp0: path lte: packets over lte0 leave with 192.0.2.2, the address of dsl0: give the path the address of lte0 with local if the peer does not answer'
	# A user who may not see addresses
	sound
	ctl path del mp0 dsl
	export MPTUN_FAKE_USER=1
	notes 'mp0: path lte: only administrators see its address: run this as root to have its route looked at'
	unset MPTUN_FAKE_USER
	# IPv6, over the device of its route
	sound
	ctl path set mp0 lte remote 2001:db8::7 dev none
	echo 'route 2001:db8::7 * * 3 2001:db8:3::2' >>root/net
	well
	ctl check -d | grep -q '^ok: mp0: path lte: packets leave over lte0 with address 2001:db8:3::2 and port 4725$'
}

test_filter()
{
	local fault='mp0: path lte: rp_filter of lte0 is strict and drops what arrives for this path, as the best route to the peer is another one: run "sysctl -w net/ipv4/conf/lte0/rp_filter=2"'

	sound
	conf lte0 rp_filter 1
	# A rule for the source address leads back over the same device.
	well
	sed -i 's/^route 198.51.100.7 10.64.0.2 .*/route 198.51.100.7 10.64.0.2 * 2 10.64.0.2/' root/net
	finds "$fault"
	conf lte0 rp_filter 0
	conf all rp_filter 1
	finds "$fault"
	conf lte0 rp_filter 2
	well
	# sysctl takes the dot of a name for a slash, unless there are slashes.
	conf all rp_filter 0
	conf lte0.10 rp_filter 1
	sed -i 's/lte0/lte0.10/' root/net
	ctl path set mp0 lte dev lte0.10
	finds "${fault//lte0/lte0.10}"
}

test_arp()
{
	sound
	echo 'addr 3 192.0.2.3 25' >>root/net
	notes 'mp0: dsl0 and lte0 are in one network: if they are on one switch, each answers ARP for the address of the other, so run "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2"'
	conf dsl0 arp_ignore 1
	conf lte0 arp_filter 1
	quiet
	sound
	conf all arp_ignore 1
	echo 'addr 3 192.0.2.3 24' >>root/net
	quiet
	# Point to point
	sound
	sed -i 's/192.0.2.2 24/192.0.2.2 32/' root/net
	echo 'addr 3 192.0.2.2 32' >>root/net
	quiet
	# Two modems of one kind, which may even have the same address
	sound
	sed -i 's/^addr 3 10.64.0.2 24/addr 3 192.0.2.2 24/
		s/\* 3 3 10.64.0.2/* 3 3 192.0.2.2/' root/net
	notes 'mp0: dsl0 and lte0 are in one network: if they are on one switch, each answers ARP for the address of the other, so run "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2"'
	ctl path set mp0 dsl local 192.0.2.2
	sed -i 's/lte0 carrier/lte0 noarp/' root/net
	quiet
}

test_answer()
{
	# 4: down, 3: suspect, 5: noroute
	sound
	ctl path del mp0 dsl
	figures path.state=4,state-age=185000
	finds 'mp0: path lte: nothing has ever arrived over it: is the address right, and does every firewall on the way let UDP through, in both directions?'
	figures path.state=4,state-age=185000,rx-control=1
	finds 'mp0: path lte: it worked, but has not been answered for 3m05s: look whether the uplink works, for instance by "ping -I DEV" to the server'
	figures path.state=4,tx-errors=9
	finds 'mp0: path lte: the machine refuses to send its packets: look at its firewall, and at "mptunctl stats"'
	figures path.state=1,state-age=4000
	finds 'mp0: path lte: nothing has ever arrived over it: is the address right, and does every firewall on the way let UDP through, in both directions?'
	figures path.state=1,state-age=200
	well
	figures path.state=3
	notes 'mp0: path lte: an answer is overdue now'
	figures path.state=5
	finds 'mp0: path lte: the kernel cannot send over it now, though there is a route: look at "mptunctl monitor"'
	figures path.state=6
	ctl set mp0 learn on
	notes 'mp0: path lte: it is switched off: "mptunctl path set mp0 lte on"'
	# Its stick may be unplugged.
	sed -i '/lte0/d' root/net
	notes 'mp0: path lte: it is switched off: "mptunctl path set mp0 lte on"'
	sound
	ctl path del mp0 dsl
	export MPTUN_FAKE_FIGURES=all=0,key-fingerprint=7,pmtu-state=3
	finds 'mp0: path lte: it carries less than 1280 bytes: look at the MTU of its devices, and whether ICMP is filtered'
	# mtu auto has its reasons
	figures mtu-now=1400,inner-mtu=1328
	well
	ctl set mp0 mtu 1400
	notes 'mp0: path lte: it is too small for the MTU of mp0, 1400, so large packets are cut for it or take other paths: "mptunctl set mp0 mtu auto" or "ip link set mp0 mtu 1328" is better'
	ctl set mp0 frag off
	figures mtu-now=1400,inner-mtu=1200
	finds 'mp0: path lte: it is too small for the MTU of mp0, 1400, and with frag off it gets none of the large packets: run "mptunctl set mp0 mtu auto" or "ip link set mp0 mtu 1280"'
	ctl set mp0 frag auto
	figures mtu-now=1400,inner-mtu=1328,path.state=3
	notes 'mp0: path lte: an answer is overdue now'
	figures mtu-now=1280,inner-mtu=1208
	well
	figures cap-state=3
	notes 'mp0: path lte: its data cap is reached: "mptunctl path set mp0 lte used 0" begins a new period'
}

# At a server paths come and go with the client's uplinks.
test_learned()
{
	sound
	ctl path del mp0 dsl
	ctl set mp0 learn on
	figures learned=1,path.state=4,state-age=185000
	notes 'mp0: path lte: it has not been answered for 3m05s: its peer has left it, or its uplink is down there'
	figures learned=1,path.state=1,state-age=4000,rx-control=1
	notes 'mp0: path lte: it has not been answered for 4.0s: its peer has left it, or its uplink is down there'
	figures learned=1,path.state=4,tx-errors=9
	finds 'mp0: path lte: the machine refuses to send its packets: look at its firewall, and at "mptunctl stats"'
	# Without an association nobody is asked over them.
	figures learned=1,path.state=4,tunnel.state=0
	notes 'mp0: it waits for its peer, from whom nothing has arrived: if the peer is there, let UDP to port 0 in, here and at the router before this machine'
}

# NATs: what an end knows of them
test_nat()
{
	local address kind

	sound
	ctl path del mp0 dsl
	for address in 10.64.0.2 172.31.255.1 192.168.8.100 100.127.0.1 \
		172.32.0.1 100.128.0.1 192.169.0.1 11.0.0.1; do
		sed -i "s/^addr 3 1[0-9.]* /addr 3 $address /
			s/\* 3 3 [0-9.]*$/* 3 3 $address/" root/net
		case $address in
		100.127.*) kind="one that providers share among customers" ;;
		*) kind="a private one" ;;
		esac
		ctl check -d >out
		case $address in
		172.32.* | 100.128.* | 192.169.* | 11.*)
			check_equal "$(grep -c 'a NAT translates' out)" 0
			;;
		*)
			grep -Fxq "ok: mp0: path lte: a NAT translates its address $address, which is $kind, and probes keep its mapping" out
			;;
		esac
	done
	# within one private network nothing is known
	sound
	ctl path set mp0 lte remote 10.9.9.9
	echo 'route 10.9.9.9 * 3 3 10.64.0.2' >>root/net
	ctl check -d >out
	check_equal "$(grep -c 'a NAT translates' out)" 0
	# IPv6
	ctl path set mp0 lte remote 2001:db8::7 dev none
	echo 'route 2001:db8::7 * * 3 fd00::2' >>root/net
	ctl check -d | grep -q 'path lte: a NAT translates its address fd00::2, which is a private one'
	# its timer
	sound
	ctl path set mp0 lte keepalive 30
	quiet
	ctl path set mp0 lte keepalive 31
	notes 'mp0: path lte: a NAT translates its address 10.64.0.2, which is a private one, and may forget the path after 30 s without packets, which is less than keepalive 31s'
	ctl path set mp0 lte keepalive off
	notes 'mp0: path lte: a NAT translates its address 10.64.0.2, which is a private one, and keepalive is off: unless the peer probes the path, the NAT forgets it while the tunnel is idle, and the peer cannot send over it then'
	figures path.state=3
	check_equal "$(ctl check | grep -c NAT)" 0
	# what an end sees of the other one
	sound
	figures rx-source=3
	notes 'mp0: 3 packets came from another address or port than that of their path: a NAT has changed it, which a tunnel with cipher clear only follows with learn on, or a stranger has sent them'
	figures learned=1
	notes 'mp0: path lte: packets of the peer come from 198.51.100.7, as those of path dsl: both leave over one uplink there, or through one NAT'
	ctl path set mp0 lte remote 198.51.100.8
	echo 'route 198.51.100.8 * 3 3 10.64.0.2' >>root/net
	quiet
}

test_file()
{
	local rc=0

	sound
	printf '[Interface]\nPrt = 1\n' >mp0.conf
	ctl check ./mp0.conf >out 2>err || rc=$?
	check_equal "$(cat err)" \
		'mptunctl: ./mp0.conf:2: unknown key "Prt" in [Interface], did you mean Port?'
	check_equal "$rc" 1
	# In JSON, too: an empty list would be a sound machine.
	refused 1 './mp0.conf:2: unknown key "Prt" in [Interface], did you mean Port?' \
		check -j ./mp0.conf
	printf '[Interface]\nCipher = clear\nID = 7\n' >mp0.conf
	well ./mp0.conf
	ctl check -d ./mp0.conf | grep -q '^ok: ./mp0.conf is in order$'
	printf '%s\n' 'Uplinks = auto' '[Path *]' 'Remote = 198.51.100.7' >>mp0.conf
	well ./mp0.conf
	ctl path del mp0 dsl
	ctl path del mp0 lte
	finds 'mp0: no uplink has a path: look whether one that Uplinks takes has a default route, "ip route show default", and whether the agent runs, "systemctl status mptund@mp0"' \
		./mp0.conf
	mv mp0.conf mp5.conf
	finds 'there is no tunnel mp5 yet: run "mptunctl up ./mp5.conf"' \
		./mp5.conf
	refused 1 './nonesuch.conf cannot be read: No such file or directory' \
		check ./nonesuch.conf
	finds 'there is no tunnel mp6, and no file /etc/mptun/mp6.conf' mp6
}

# Advice for a network namespace says so.
test_netns()
{
	local net=/proc/self/ns/net

	sound
	unshare -Urn true 2>/dev/null || ktap_skip "no namespaces"
	wrapper=(unshare -Urn "${wrapper[@]}")
	well -n $net
	sed -i 's/ mp0 carrier/ mp0 down/' root/net
	finds 'mp0: its interface is down: run "ip link set mp0 up"' -n $net
	check_equal "$(grep '^note: ' out)" \
		"note: run commands for these faults in the network namespace: \"nsenter --net=$net COMMAND\""
	finds 'mp0: its interface is down: run "ip link set mp0 up"'
	check_equal "$(grep -c '^note: ' out)" 0
}

# program NAME LINE...: what a program of the machine prints
program()
{
	mkdir -p bin
	{
		echo '#!/bin/sh'
		echo "cat <<'END'"
		printf '%s\n' "${@:2}"
		echo END
	} >"bin/$1"
	chmod +x "bin/$1"
}

# Whatever part of the report they get into: addresses, ids, a key
test_bugreport()
{
	local key=AAECAwQFBgcICQoLDA0O/+AREhMUFRYXGBkaGxwdHh8= secret

	sound
	(umask 077 && echo "$key" >mp0.key)
	ctl key set mp0 mp0.key
	figures instance=0xfedcba9876543210,path.id=3
	ctl add mp1 id 424242 peer-id 434343 cipher clear
	ctl path add mp1 wan remote 2001:db8::77 local 203.0.113.5 2>err ||
		ctl path add mp1 wan remote 2001:db8::77
	program ip 'default via 198.51.100.1 dev dsl0' \
		'link/ether 02:00:5e:10:00:01' 'inet6 fe80::5eff:fe10:1/64' \
		'10.9.0.0/24 dev mp0' 'from 203.0.113.5 lookup 1296541185'
	program dmesg '[ 1.0] usb: 203.0.113.6' \
		"[ 2.0] mptun: mp0: 203.0.113.6 key $key" \
		'[ 2.5] mptun: mp0 path one: dev enx02005e100001' '[ 3.0] eth0: up'
	PATH=$work/bin:$PATH ctl bugreport >out 2>err
	check_equal "$(cat err)" ""
	for secret in 198.51.100 203.0.113 2001:db8 "$key" "${key%=}" \
		424242 434343 fedcba9876543210 02:00:5e 02005e 5eff:fe10 \
		"$(ctl key show mp0 -j | jq -r '.[0].key_fingerprint')"; do
		if grep -F -- "$secret" out; then
			return 1
		fi
	done
	check_equal "$(grep '^==' out)" \
"== mptunctl check -d
== mptunctl show -d
== mptunctl path show
== mptunctl class show
== mptunctl key show
== mptunctl stats
== ip -br address
== ip -4 rule
== ip -6 rule
== ip -4 route show table all
== ip -6 route show table all
== dmesg, lines about mptun"
	head -n 1 out | grep -qx "mptunctl $version"
	grep -qx "kernel $release" out
	grep -q '^ok: mp0: both ends are connected$' out
	grep -q '^mp0: established, ' out
	grep -qx '10.9.0.0/24 dev mp0' out
	# Numbers of paths count them.
	check_equal "$(grep -c ' id 3 ' out)" 3
	grep -Eq ' id ID-[0-9]+  peer-id ID-[0-9]+ ' out
	grep -Eq '^default via PUBLIC-[0-9]+ dev dsl0$' out
	grep -Eq '^\[ 2.0\] mptun: mp0: PUBLIC-[0-9]+ key KEY$' out
	if grep -Eq 'usb|eth0' out; then
		return 1
	fi
	rm bin/dmesg
	printf '#!/bin/sh\nexit 3\n' >bin/ip
	chmod +x bin/ip
	PATH=$work/bin:$PATH ctl bugreport >out
	grep -qx '(ip: status 3)' out
	if type script >/dev/null 2>&1; then
		(unset NO_COLOR && TERM=xterm script -qec \
			"MPTUN_FAKE=$work/state '$prog' bugreport" \
			/dev/null </dev/null >out)
		grep -q '^mp0: established, ' out
		if grep -q $'\033' out; then
			return 1
		fi
	fi
	refused 1 'unexpected word "mp0"' bugreport mp0
	refused 1 'bugreport prints no JSON' bugreport -j
}

ktap_test "check: a sound machine" test_sound
ktap_test "check: module, its version, DKMS, Secure Boot" test_module
ktap_test "check: key and interface" test_key
ktap_test "check: cipher" test_cipher
ktap_test "check: which step of the handshake is missing" test_handshake
ktap_test "check: devices of paths" test_device
ktap_test "check: many devices and addresses" test_many
ktap_test "check: routes and addresses of paths" test_route
ktap_test "check: reverse path filter" test_filter
ktap_test "check: ARP of uplinks in one network" test_arp
ktap_test "check: paths without answer, MTU, caps" test_answer
ktap_test "check: learned paths that are left" test_learned
ktap_test "check: NATs" test_nat
ktap_test "check: configuration files" test_file
ktap_test "check: network namespaces" test_netns
ktap_test "bugreport: no secret is in it" test_bugreport
ktap_run

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The script for NetworkManager's dispatcher, with a stand-in for systemctl.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: hooks.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$work:$PATH CALLED=$work/called
cat >"$work/systemctl" <<'END'
#!/bin/sh
case $1 in
list-units)
	echo "mptun@mp0.service loaded active exited Multipath tunnel mp0"
	echo "mptun@mp1.service loaded active exited Multipath tunnel mp1"
	;;
*)
	echo "$*" >>"$CALLED"
	;;
esac
END
# A tunnel is known by what the kernel says of its device.
cat >"$work/cat" <<'END'
#!/bin/sh
[ "$1" = /sys/class/net/mp0/uevent ] && echo DEVTYPE=mptun
END
chmod +x "$work/systemctl" "$work/cat"

# after DEVICE EVENT: what is called
after()
{
	: >"$CALLED"
	"$here/../hooks/networkmanager" "$@"
	xargs <"$CALLED"
}

test_dispatcher()
{
	local event both="--no-block reload mptun@mp0.service"

	both+=" --no-block reload mptun@mp1.service"
	for event in up down dhcp4-change dhcp6-change reapply; do
		check_equal "$(after eth0 "$event")" "$both"
	done
	for event in pre-up hostname connectivity-change ""; do
		check_equal "$(after eth0 "$event")" ""
	done
	check_equal "$(after mp0 up)" ""
}

ktap_test "hooks: NetworkManager" test_dispatcher
ktap_run

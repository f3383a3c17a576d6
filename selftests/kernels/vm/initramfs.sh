#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# First program of a virtual machine: the host's files as root, then the guest.
# Copyright (C) 2026 The mptun authors
#
# The host's file system is below, read only; what the guest writes lands in
# memory and is gone with it. Only the run's own folders lead to the host.

/bin/busybox mkdir -p /proc /sys /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs dev /dev
for word in $(/bin/busybox cat /proc/cmdline); do
	case $word in
	mptun.run=*) run=${word#*=} ;;
	mptun.results=*) results=${word#*=} ;;
	mptun.probe) probe=1 ;;
	esac
done
if [ -n "$probe" ]; then
	echo "mptun-lab: probe works" >/dev/console
	/bin/busybox poweroff -f
fi
for mod in /m/*.ko; do
	/bin/busybox insmod "$mod" 2>/dev/null
done
opts=trans=virtio,version=9p2000.L,msize=524288
/bin/busybox mount -t 9p -o "ro,cache=loose,$opts" root /lower
/bin/busybox mount -t tmpfs tmpfs /upper
/bin/busybox mkdir /upper/u /upper/w
if ! /bin/busybox mount -t overlay overlay /root \
	-o lowerdir=/lower,upperdir=/upper/u,workdir=/upper/w; then
	echo "mptun-lab: no root file system" >/dev/console
	/bin/busybox poweroff -f
fi
/bin/busybox mkdir -p "/root$run" "/root$results"
/bin/busybox mount -t 9p -o "cache=none,$opts" run "/root$run"
/bin/busybox mount -t 9p -o "cache=none,$opts" results "/root$results"
/bin/busybox umount /dev /sys /proc
exec /bin/busybox switch_root /root /bin/bash "$run/init"

#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# First program of a virtual machine: mounts the host's files as root, runs the
# guest.
# Copyright (C) 2026 The mptun authors
#
# An overlay: the file system of the host is the lower layer, read only; writes
# stay in memory. Only the folders of the run are those of the host.

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

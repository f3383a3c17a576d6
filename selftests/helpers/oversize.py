#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Send UDP packets that are too big for a path, whatever MTU is known.

usage: oversize.py ADDRESS SIZE COUNT PAUSE

They have SIZE bytes with the IPv4 header, and may not be fragmented. Prints one
JSON object: how many were sent, for how many an ICMP message came back that
they are too big, the least and the greatest MTU in them, and other errors.
"""

import json
import socket
import struct
import sys
import time

IP_MTU_DISCOVER, IP_PMTUDISC_PROBE, IP_RECVERR = 10, 3, 11
MSG_ERRQUEUE = 0x2000
EMSGSIZE, ORIGIN_ICMP = 90, 2
HEADERS = 28


def errors(sock):
    """All (errno, origin, info) that the socket has received."""
    while True:
        try:
            _, control, _, _ = sock.recvmsg(2048, 512, MSG_ERRQUEUE)
        except BlockingIOError:
            return
        for level, kind, data in control:
            if (level, kind) == (socket.IPPROTO_IP, IP_RECVERR):
                errno, origin, _, _, _, info = struct.unpack_from("=IBBBBI",
                                                                  data)
                yield errno, origin, info


def main():
    """Send, and wait for the last answers."""
    address, size, count, pause = sys.argv[1], *map(float, sys.argv[2:5])
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    sock.setblocking(False)
    sent, mtus, others = 0, [], 0
    end = None
    while not end or time.monotonic() < end and len(mtus) < sent:
        if sent < count:
            try:
                sock.sendto(bytes(int(size) - HEADERS), (address, 9))
                sent += 1
            except OSError:
                # an error that is pending; it is read below
                pass
        elif not end:
            end = time.monotonic() + 5
        for errno, origin, info in errors(sock):
            if (errno, origin) == (EMSGSIZE, ORIGIN_ICMP):
                mtus.append(info)
            else:
                others += 1
        time.sleep(pause)
    print(json.dumps({"sent": sent, "too_big": len(mtus), "others": others,
                      "least": min(mtus, default=0),
                      "greatest": max(mtus, default=0)}))


main()

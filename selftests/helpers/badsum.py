#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Sends datagrams whose checksum is wrong.

usage: badsum.py ADDRESS PORT SIZE COUNT
"""

import socket
import struct
import sys


def main(address, port, size, count):
    """SIZE bytes of zeros, COUNT times."""
    # the kernel fills in the checksum of IP, and leaves that of UDP alone
    with socket.socket(socket.AF_INET, socket.SOCK_RAW,
                       socket.IPPROTO_UDP) as sock:
        head = struct.pack(">HHHH", 1, port, 8 + size, 0xbad0)
        for _ in range(count):
            sock.sendto(head + bytes(size), (address, 0))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))

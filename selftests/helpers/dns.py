#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A resolver that knows the names of a file.

usage: dns.py ADDRESS FILE

Answers queries for addresses that come to ADDRESS, port 53. Each line of FILE is
a name and an address; it is read for each query, so that it may change. A name
that is not in it does not exist. Each query is one line on standard output: its
sender, the type and the name.
"""
# Copyright (C) 2026 The mptun authors

import ipaddress
import pathlib
import socket
import struct
import sys

TYPES = {1: 4, 28: 6}


def question(query):
    """The name, the type, and the end of the first question of a query."""
    labels = []
    at = 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    return ".".join(labels).lower(), *struct.unpack_from(">H", query, at + 1), \
        at + 5


def known(path, name):
    """The addresses of a name, None if it does not exist."""
    lines = (line.split() for line in pathlib.Path(path).read_text("utf-8")
             .splitlines())
    found = [ipaddress.ip_address(address) for key, address in lines
             if key == name]
    return found or None


def answer(query, addresses, kind, end):
    """The answer to a query."""
    records = [address.packed for address in addresses or ()
               if address.version == TYPES.get(kind)]
    out = query[:2] + struct.pack(">HHHHH", 0x8180 | (addresses is None) * 3, 1,
                                  len(records), 0, 0) + query[12:end]
    for data in records:
        out += struct.pack(">HHHIH", 0xc00c, kind, 1, 1, len(data)) + data
    return out


def main():
    """Answers until it is killed."""
    address, path = sys.argv[1:]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.bind((address, 53))
    while True:
        query, sender = sock.recvfrom(512)
        name, kind, end = question(query)
        print(sender[0], kind, name, flush=True)
        sock.sendto(answer(query, known(path, name), kind, end), sender)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Keys in netlink requests that go wrong.
# Copyright (C) 2026 The mptun authors
"""usage: badkey.py DEV FILE WAY

Sends the key in FILE to tunnel DEV, in a request that is refused, or which has
another key as well. Prints the number of the error. The socket gets requests
back with their errors, as sockets do that do not ask for less. The WAYs are

whole	nothing is wrong with the request, but with the tunnel
nobody	the tunnel does not exist
twice	the request has a second key, which counts
"""
import os
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import nltest  # noqa: E402

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peer")
sys.path.append(LIB)
import session  # noqa: E402


def main(dev, file, way):
    """Send it."""
    netlink = nltest.Mptun()
    netlink.sock.setsockopt(nltest.SOL_NETLINK, nltest.NETLINK_CAP_ACK, 0)
    with open(file, encoding="ascii") as lines:
        key = session.read_key(lines.read())
    attr = nltest.nla(netlink.number("tunnel", "key"), key)
    name = nltest.nla(netlink.number("tunnel", "ifname"),
                      (dev if way != "nobody" else "nobody").encode() + b"\0")
    if way == "twice":
        attr += nltest.nla(netlink.number("tunnel", "key"),
                           bytes(reversed(key)))
    number = netlink.spec.op_numbers["tunnel-set"]
    netlink.send(netlink.family, nltest.NLM_F_ACK,
                 bytes([number, 1, 0, 0]) + name + attr)
    answer = netlink.sock.recv(netlink.size)
    print(-int.from_bytes(answer[16:20], sys.byteorder, signed=True))


if __name__ == "__main__":
    main(*sys.argv[1:])

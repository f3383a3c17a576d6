#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Writes the seeds for the fuzzers of the wire, one folder for each.

usage: seeds.py FOLDER

Two ends in Python talk to each other, in clear mode, as what is fuzzed is
behind the tag; so packets are as the specification wants them. Handshakes are
there with a key as well.
"""

import os
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "peer"))
# pylint: disable=wrong-import-position
import peer  # noqa: E402
import session  # noqa: E402
import wire  # noqa: E402

HOME = ("127.0.0.1", 0)
INNER4 = bytes.fromhex("4500001c123440004001149d0a0700020a070001"
                       "0800edf30a0b0001")
INNER6 = bytes.fromhex("6000000000003b40") + bytes(32)
# all dsns of a fuzzed ring are close to this one
FIRST_DSN = 0


class Seeds:
    """A folder for each target, with a file for each seed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    def add(self, target, data):
        """Write one seed."""
        folder = self.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.count:04}").write_bytes(data)
        self.count += 1


def talk(keys):
    """Two ends that have talked; all datagrams, in order of arrival."""
    ends = [peer.Peer(keys[0], [HOME])]
    ends.append(peer.Peer(keys[1], [HOME] * 2, ends[0].links[0].local))
    for end in ends:
        end.first_dsn = FIRST_DSN
        end.forget()
    ends[1].open()
    if not ends[1].run(ends[1].up, 10, ends[:1]):
        sys.exit("the ends do not come together")
    for n in range(40):
        for end in ends:
            end.send_inner((INNER4, INNER6)[n % 2])
        if n % 8 == 0:
            ends[0].run(None, 0.02, ends[1:])
    ends[0].run(None, 0.1, ends[1:])
    for end in ends:
        end.close()
    return [d.data for end in ends for d in end.received]


def packet(number, kind, body, **fields):
    """A PACKET of path 1 without its tag."""
    control = kind != wire.DATA
    return wire.Outer(wire.PACKET, 5, wire.number(1, number, control)).pack() \
        + wire.Inner(kind, body, **fields).pack()


def row(packets):
    """PACKETs as the fuzzer reads them."""
    return b"\0" + b"".join(struct.pack(">H", len(p)) + p for p in packets)


def blocks():
    """Bodies with every block, as REPORT, SET or DATA hold them."""
    yield wire.Ack(1, [(0, 9)], 100, 5000, 10, 14000).pack()
    yield wire.Ack(2, [(50, 60), (20, 30), (1, 9)], 100, 9000, 31).pack()
    yield wire.Ack(1, [(2 * n, 2 * n) for n in range(63, -1, -1)]).pack()
    yield wire.room(20, 4096, 3) + wire.settled(17)
    yield wire.floor(1, 12) + wire.floor(2, 0) + wire.settled(40)
    for value in range(4):
        yield wire.status(1, value)
    policy = wire.Policy(1, 1, 3, 4, 7, 5, 100, 1 << 20, b"wan1")
    yield policy.pack() + policy.answer()
    yield wire.Policy(2, 9, name=b"\x1b[2J" * 4).pack() + policy.pack()
    caps = wire.Caps(3, [(17, 53, 64, 1000), (256, 0, 46, 1 << 40)])
    yield caps.pack() + caps.answer()
    yield wire.block(77, bytes(12)) + wire.settled(5)


def lossy():
    """DATA with losses, copies and another order, on one path."""
    for step in (2, 3, 7):
        yield [packet(n, wire.DATA, INNER4, fseq=(n + 1) % 256, dsn=n,
                      prev=1) for n in range(60) if n % step]
    yield [packet(n ^ 5, wire.DATA, INNER4, fseq=((n ^ 5) + 1) % 256,
                  dsn=n ^ 5, prev=2, flags=wire.F_REPAIRABLE)
           for n in range(64)]
    yield [packet(n, wire.DATA, INNER6, fseq=(n // 2 + 1) % 256, dsn=n // 2,
                  flags=wire.F_COPY * (n % 2)) for n in range(60)]


def packets(seeds):
    """Rows of PACKETs."""
    got = [d for d in talk((session.ClearKeys(1, 2), session.ClearKeys(2, 1)))
           if d[0] == wire.PACKET]
    for n in range(0, len(got), 12):
        seeds.add("packet", row(got[n:n + 24]))
    for n, body in enumerate(blocks()):
        seeds.add("packet", row([packet(n, wire.REPORT, body),
                                 packet(n + 1, wire.SET, body)]))
        body = struct.pack(">H", len(body)) + body + INNER4
        seeds.add("packet", row([packet(0, wire.DATA, body, fseq=1,
                                        flags=wire.F_BLOCKS)]))
    parts = wire.fragments(INNER6 + bytes(1200), 400)
    seeds.add("packet", row([
        packet(n, wire.DATA, part, fseq=n + 1, dsn=n, prev=n > 0,
               flags=wire.F_FRAG) for n, part in enumerate(parts)]))
    for some in lossy():
        seeds.add("packet", row(some))
    seeds.add("packet", row([packet(0, wire.BYE, bytes(8))]))


def hellos(seeds):
    """Handshakes, for all four choices."""
    key = session.Keys(bytes(range(1, 33)))
    for keys in ((session.ClearKeys(1, 2), session.ClearKeys(2, 1)),
                 (key, key)):
        got = [d for d in talk(keys) if d[0] != wire.PACKET]
        for choice in range(4):
            for data in got:
                seeds.add("hello", bytes((choice,)) + data)


def numbers(seeds):
    """Numbers as they come from a path, and rings as they are filled."""
    for bits in range(4):
        head = bytes((bits & 1, bits >> 1))
        seeds.add("replay", head + b"\0\0\0" * 100)
        seeds.add("replay", head + b"\0\0\3\0\xff\xfe" * 60)
        seeds.add("replay", head + b"\x40\0\x7f\0\0\0\0\xf8\0" * 30)
    for order in (range(200), range(0, 400, 2), range(300, 0, -3)):
        seeds.add("ranges", bytes(6) + b"".join(
            struct.pack(">H", n) for n in order) + b"\xe0\x40\x01\x01")
    for mode in range(4):
        head = bytes((0, 0, 0, 0, 0, mode, 3, 0, 0, 4))
        insert = b"\x10\0\x08\x10\2\x08\x10\xfe\0\1\x08"
        seeds.add("reorder", head + insert * 40)
        seeds.add("reorder", head + insert * 20 + b"\3\x20\0\4\0\x40" * 9 +
                  b"\1\0\2\x80\0\5\1\6" + bytes(range(30)) + b"\7")


def symbols(seeds):
    """Packets, losses and symbols, and some symbols of nothing."""
    head = bytes((16, 0, 1, 63, 40, 120, 33))
    seeds.add("code", head + b"\0\0\x08\2" * 100)
    seeds.add("code", head + b"\x20\0\x48\0\2\x0a\0\x0b" * 50 + b"\x0d\2")
    seeds.add("code", head + b"\x46\x20\0\x7f" + b"\0\x28\1\2" * 80)
    body = struct.pack(">HBBI", 7, 1, 0, 0x8000000f) + bytes(range(30))
    made = b"\x04\0" + bytes((len(body),)) + body
    seeds.add("code", head + (b"\0\x08\x08\0" + made) * 20)
    body = struct.pack(">HBB4I", 9, 4, 0, *[0xf0f0f0f1] * 3, 1 << 31)
    made = b"\x04\x10" + bytes((len(body) + 9,)) + body + b"\0\2" + bytes(7)
    seeds.add("code", head + (b"\0\x08\x13\0" + made + b"\x0f\0\4abcd") * 9)


def main(folder):
    """Write all seeds."""
    seeds = Seeds(folder)
    packets(seeds)
    hellos(seeds)
    numbers(seeds)
    symbols(seeds)
    print(seeds.count, "seeds")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

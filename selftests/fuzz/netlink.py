#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Fuzzes netlink: malformed messages to a tunnel under traffic.

usage: netlink.py --dev DEV --key FILE --seconds N [--seed N] [--other NETNS]
                  [--pause SECONDS]

Valid messages of every operation of the specification, and of link kind mptun,
are mutated: attributes get other values, lengths, types and flags, are
repeated, reordered or left out, and so are whole messages. Each must succeed,
or fail with an error that explains itself and change nothing. Changes of an
accepted message are undone by valid ones, which must be accepted. DEV has one
path, named wan1. Links may be moved to the namespace NETNS. In virtual time the
pause after each message lets the clock advance.

The last line is JSON: how many messages were accepted and refused.
"""

import argparse
import base64
import collections
import json
import os
import random
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "helpers"))
# pylint: disable=wrong-import-position
import nltest  # noqa: E402
from mutate import edge, mutate  # noqa: E402
from nltest import (Error, Mptun, Netlink, Now, check, link_numbers,  # noqa
                    nla)

WRITES = ("tunnel-set", "path-new", "path-set", "path-del",
          "class-new", "class-set", "class-del")
READS = ("tunnel-get", "path-get", "class-get")
PATH = "wan1"
NAMES = (b"wan1\0", b"fz1\0", b"fz2\0", b"x\0", b"lo\0", b"\0", b"wan1",
         b"a/b\0", b"0123456789abcde\0")
ALGOS = (b"newreno\0", b"cubic\0", b"lia\0", b"residual\0", b"delay\0",
         b"bbr\0", b"fixed\0", b"none\0", b"greedy\0", b"wrr\0", b"\0")
FAMILY4 = (b"\x0a\x63\0\1", b"\x7f\0\0\1", b"\0" * 4, b"\xff" * 4)
FAMILY6 = (b"\xfd" + b"\0" * 14 + b"\1", b"\xfe\x80" + b"\0" * 13 + b"\1",
           b"\0" * 16, b"\0" * 10 + b"\xff\xff\x0a\0\0\1")
LINKS = [f"fz{n}" for n in range(6)]
IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_LINKINFO = 1, 3, 4, 18
IFLA_TXQLEN, IFLA_NET_NS_FD, IFLA_NUM_TX, IFLA_NEW_NETNSID = 13, 28, 31, 45
TYPE = 0x3fff  # of an attribute, without its flags
RTM_NEWLINK, RTM_DELLINK = 16, 17
CREATE = nltest.NLM_F_CREATE | nltest.NLM_F_EXCL
# What the core of netlink and of rtnetlink refuses without a word, before
# anything of ours is asked
SILENT = {errno for errno in (nltest.EPERM, nltest.EOPNOTSUPP)}


class Message:
    """Attributes as (type, payload), and a header."""

    def __init__(self, head, attrs, flags=0):
        self.head = head
        self.attrs = attrs
        self.flags = flags

    def pack(self):
        """Header and attributes."""
        return self.head + b"".join(nla(*a) for a in self.attrs)


class Changer:
    """Changes attributes, and what they are in."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.ways = (self.value, self.value, self.length, self.kind,
                     self.flag, self.twice, self.drop, self.order,
                     self.foreign, self.nest)

    def pick(self, attrs):
        """An index."""
        return self.rnd.randrange(len(attrs))

    def value(self, attrs):
        """Replace a payload by one of about the same length."""
        at = self.pick(attrs)
        number, payload = attrs[at]
        if len(payload) in (1, 2, 4, 8) and self.rnd.random() < 0.7:
            size = len(payload)
            payload = edge(self.rnd, size).to_bytes(size, sys.byteorder)
        else:
            payload = mutate(self.rnd, payload, 5000)
        attrs[at] = number, payload

    def length(self, attrs):
        """Make a payload too short or too long."""
        at = self.pick(attrs)
        number, payload = attrs[at]
        size = self.rnd.choice((0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 300))
        attrs[at] = number, (payload * 300)[:size].ljust(size, b"\0")

    def kind(self, attrs):
        """Change the type of an attribute."""
        at = self.pick(attrs)
        attrs[at] = self.rnd.choice((0, 1, 2, self.rnd.randrange(64),
                                     0x3fff)), attrs[at][1]

    def flag(self, attrs):
        """NLA_F_NESTED, NLA_F_NET_BYTEORDER."""
        at = self.pick(attrs)
        attrs[at] = attrs[at][0] ^ self.rnd.choice((0x8000, 0x4000,
                                                    0xc000)), attrs[at][1]

    def twice(self, attrs):
        """Repeat an attribute."""
        attrs += [self.rnd.choice(attrs)] * self.rnd.choice((1, 1, 2, 40))

    def drop(self, attrs):
        """Remove an attribute."""
        del attrs[self.pick(attrs)]

    def order(self, attrs):
        """Shuffle the attributes."""
        self.rnd.shuffle(attrs)

    def foreign(self, attrs):
        """Add an attribute of another set."""
        attrs.insert(self.rnd.randrange(len(attrs) + 1), (
            self.rnd.choice((self.rnd.randrange(70), 1000)),
            self.rnd.randbytes(self.rnd.choice((0, 1, 4, 8, 16)))))

    def nest(self, attrs):
        """An attribute of attributes."""
        number, payload = attrs[self.pick(attrs)]
        for _ in range(self.rnd.choice((1, 2, 12))):
            payload = nla(number & 0x3fff | 0x8000, payload)
        attrs.append((number, payload[:30000]))

    def attributes(self, attrs):
        """Apply some of these mutations."""
        for _ in range(self.rnd.choice((0, 1, 1, 1, 2, 3))):
            if attrs:
                self.rnd.choice(self.ways)(attrs)


class Fuzzer:
    """Sends messages and looks at what comes of them."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, opts):
        self.rnd = random.Random(opts.seed)
        self.change = Changer(self.rnd)
        self.nl = Mptun()
        self.rt = Netlink(nltest.NETLINK_ROUTE)
        self.dev = opts.dev
        self.index = socket.if_nametoindex(opts.dev)
        with open(opts.key, encoding="ascii") as file:
            self.key = base64.b64decode(file.read())
        self.other = opts.other and open(  # pylint: disable=R1732
            f"/run/netns/{opts.other}", "rb")
        self.links = link_numbers()
        self.count = collections.Counter()
        self.silent = collections.Counter()
        self.good = Now(self.nl, self.index)

    # --- what is good

    def payload(self, attr):
        """A valid payload for an attribute of the specification."""
        rnd, kind = self.rnd, attr["type"]
        if kind in nltest.INT:
            size = nltest.INT[kind]
            low, high = attr.get("min", 0), attr.get("max",
                                                     (1 << 8 * size) - 1)
            value = rnd.choice((low, high, min(low + 1, high),
                                rnd.randrange(low, high + 1)))
            return value.to_bytes(size, sys.byteorder)
        if attr["name"] in ("sched", "cc"):
            return rnd.choice(ALGOS)
        if kind == "string":
            return rnd.choice(NAMES)
        if "max-len" in attr:
            return b"".join(
                bytes((rnd.choice((4, 6)), rnd.randrange(33), 0, 0)) +
                rnd.randbytes(16) for _ in range(rnd.choice((0, 1, 3, 64))))
        size = attr.get("exact-len", 4)
        return {4: rnd.choice(FAMILY4), 16: rnd.choice(FAMILY6)}.get(
            size, rnd.randbytes(size))

    def request(self, op):
        """A message that could be good."""
        nl, rnd = self.nl, self.rnd
        of = nl.spec.ops[op]["set"]
        attrs = []
        for name in nl.spec.ops[op]["request"]:
            attr = nl.spec.attr(of, name)
            must = (name in ("name", "id") or
                    (op, name) == ("path-new", "remote4"))
            if name == "ifindex":
                attrs.append((attr["number"],
                              struct.pack("=I", self.index)))
            elif name == "name" and op != "path-new" and rnd.random() < 0.7:
                attrs.append((attr["number"], PATH.encode() + b"\0"))
            elif name != "ifname" and (must or rnd.random() < 0.15):
                attrs.append((attr["number"], self.payload(attr)))
        return Message(struct.pack("=BBH", nl.spec.op_numbers[op], 1, 0),
                       attrs)

    def settings(self):
        """Attributes of a link, as far as they can be chosen."""
        out = []
        for name, (kind, low, high) in nltest.LINK.items():
            if self.rnd.random() < 0.3:
                attr = {"name": name.lower(), "type": kind}
                if kind != "string":
                    attr.update(min=low, max=high)
                out.append((self.links[name], self.payload(attr)))
        return out

    def linkinfo(self, data):
        """LINKINFO of kind mptun."""
        inner = nla(1, b"mptun\0")
        if data or self.rnd.random() < 0.5:
            inner += nla(2 | 0x8000, b"".join(nla(*a) for a in data))
        return IFLA_LINKINFO | 0x8000, inner

    def newlink(self):
        """A tunnel, or a change of one of ours."""
        rnd = self.rnd
        data = self.settings()
        self.change.attributes(data)
        attrs = [(IFLA_IFNAME, rnd.choice(LINKS).encode() + b"\0"),
                 self.linkinfo(data)]
        for number, payload in (
                (IFLA_MTU, struct.pack("=I", edge(rnd, 4))),
                (IFLA_TXQLEN, struct.pack("=I", edge(rnd, 4))),
                (IFLA_NUM_TX, struct.pack("=I", rnd.choice((0, 1, 2, 4097)))),
                (IFLA_ADDRESS, rnd.randbytes(6)),
                (IFLA_NEW_NETNSID, struct.pack("=i", rnd.choice((-1, 0, 7)))),
                (IFLA_NET_NS_FD, struct.pack("=I", self.other.fileno()
                                             if self.other else 99))):
            if rnd.random() < 0.1:
                attrs.append((number, payload))
        if rnd.random() < 0.3:
            self.change.attributes(attrs)
        head = struct.pack("=BxHiII", 0, 0, rnd.choice((0, 0, 0, 0x7fff0000)),
                           rnd.choice((0, 0, 1)), rnd.choice((0, 1)))
        flags = rnd.choice((CREATE, CREATE, nltest.NLM_F_CREATE, 0,
                            nltest.NLM_F_EXCL))
        if not flags & nltest.NLM_F_EXCL:
            # the kernel would move a link that is there, whatever it thinks
            # of the rest, and say that some changes are committed already
            attrs = [a for a in attrs if a[0] & TYPE != IFLA_NET_NS_FD]
        return Message(head, attrs, flags)

    def changelink(self):
        """The settings of the tunnel under traffic."""
        data = [a for a in self.settings() if self.rnd.random() < 0.7 or
                a[0] not in (self.links["PORT"], self.links["ID"],
                             self.links["PEER_ID"], self.links["CIPHER"])]
        self.change.attributes(data)
        return Message(struct.pack("=BxHiII", 0, 0, self.index, 0, 0),
                       [self.linkinfo(data)])

    # --- sending

    def names(self):
        """Interfaces of this namespace."""
        return sorted(name for _, name in socket.if_nameindex())

    def judge(self, what, err, before):
        """An error must explain itself and change nothing."""
        self.count["refused"] += 1
        if not err.text and err.offset is None:
            self.silent[f"{what} {err.code}"] += 1
            check(not what.startswith(WRITES + READS) or err.code in SILENT,
                  what, "was refused with", err.code, "and without a word")
        names, state = before
        check(self.names() == names, what, "was refused, but links are",
              self.names(), "not", names)
        check(Now(self.nl, self.index) == state, what, "was refused with",
              f"'{err.text}', but has changed something")

    def send(self, what, sock, kind, message):
        """Send a message, check its answer and the state."""
        before = self.names(), self.good
        self.count["messages"] += 1
        self.last = what, kind, message.flags, message.pack().hex()
        try:
            sock.call(kind, message.flags, message.pack())
        except Error as err:
            self.judge(what, err, before)
            return
        self.count["accepted"] += 1
        if what.startswith(READS):
            check(Now(self.nl, self.index) == before[1], what,
                  "has changed something")
            return
        self.restore()

    def frames(self, kind, message):
        """Several messages, or a part of one, without a known answer."""
        rnd = self.rnd
        out = b""
        for _ in range(rnd.choice((1, 1, 2, 3))):
            body = message.pack()
            length = 16 + len(body)
            if rnd.random() < 0.5:
                length = edge(rnd, rnd.choice((1, 2, 4)))
            out += struct.pack("=IHHII", length,
                               rnd.choice((kind, kind, edge(rnd, 2))),
                               rnd.choice((1, 5, 0x305, edge(rnd, 2))),
                               edge(rnd, 4), 0) + body
        if rnd.random() < 0.3:
            out = out[:rnd.randrange(1, len(out))]
        self.count["messages"] += 1
        self.count["broken"] += 1
        self.last = "frames", kind, 0, out.hex()
        sock = Netlink(nltest.NETLINK_GENERIC)
        try:
            sock.sock.send(out)
        except OSError:
            pass
        sock.sock.close()
        self.restore()

    # --- putting right

    def add(self, path):
        """A path, when those that are going have left room."""
        for _ in range(100):
            try:
                self.nl.op("path-new", path)
                return
            except Error as err:
                if "drained" not in err.text:
                    raise
            time.sleep(0.1)
        check(False, "deleted paths do not go")

    def restore(self):
        """Undo all changes by valid messages."""
        nl = self.nl
        for name in LINKS:
            if name in self.names() and self.rnd.random() < 0.3:
                self.rt.call(RTM_DELLINK, 0, struct.pack(
                    "=BxHiII", 0, 0, socket.if_nametoindex(name), 0, 0))
        if Now(nl, self.index) == self.good:
            return
        self.count["restored"] += 1
        name = nl.number("path", "name")
        request = nl.a("tunnel", "ifindex", self.index) + b"".join(
            nla(nl.number("tunnel", name), self.good.tunnel[name])
            for name in nl.spec.ops["tunnel-set"]["request"]
            if name in self.good.tunnel)
        nl.op("tunnel-set", request + nl.a("tunnel", "key", self.key) +
              nl.a("tunnel", "key-grace", 5))
        for path in Now(nl, self.index).paths:
            if path not in self.good.paths:
                nl.op("path-del", nl.a("path", "ifindex", self.index) +
                      nla(name, path[name]))
        have = Now(nl, self.index).paths
        for path in self.good.paths:
            if path not in have:
                self.add(b"".join(
                    nla(number, value) for number, value in path.items()
                    if number != nl.number("path", "ifname")))
        self.restore_classes()
        now = Now(nl, self.index)
        check(now == self.good, "good messages do not bring back what was:",
              now.tunnel, now.paths, now.classes, "not",
              self.good.tunnel, self.good.paths, self.good.classes)

    def restore_classes(self):
        """Undo the changes of classes. Class 0 cannot be deleted."""
        nl = self.nl
        number = nl.number("class", "id")
        for one in Now(nl, self.index).classes:
            if one not in self.good.classes and any(one[number]):
                nl.op("class-del", nl.a("class", "ifindex", self.index) +
                      nla(number, one[number]))
        have = Now(nl, self.index).classes
        for one in self.good.classes:
            if one not in have:
                self.restore_class(one, any(one[number]))

    def restore_class(self, one, is_new):
        """Add a class again, or set what class 0 takes."""
        nl = self.nl
        names = ("ifindex", "id", "repair", "playout", "code")
        keep = {nl.number("class", name) for name in names}
        leave = nl.number("class", "ifname")
        nl.op("class-new" if is_new else "class-set", b"".join(
            nla(*pair) for pair in one.items()
            if (pair[0] != leave if is_new else pair[0] in keep)))

    # --- all of it

    def one(self):
        """A message."""
        rnd, dice = self.rnd, self.rnd.random()
        if dice < 0.25:
            self.send("newlink", self.rt, RTM_NEWLINK, self.newlink())
        elif dice < 0.35:
            self.send("changelink", self.rt, RTM_NEWLINK, self.changelink())
        else:
            op = rnd.choice(WRITES + ("tunnel-set", "path-set") + READS)
            message = self.request(op)
            self.change.attributes(message.attrs)
            if dice < 0.40:
                message.head = mutate(rnd, message.head)[:4].ljust(4, b"\0")
                op = "unknown"
            if dice > 0.95:
                self.frames(self.nl.family, message)
                return
            if op in READS and rnd.random() < 0.2:
                message.flags = nltest.NLM_F_DUMP
            self.send(op, self.nl, self.nl.family, message)

    def run(self, seconds, pause):
        """Fuzz for that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.one()
            time.sleep(pause)
        for name in LINKS:
            if name in self.names():
                self.rt.call(RTM_DELLINK, 0, struct.pack(
                    "=BxHiII", 0, 0, socket.if_nametoindex(name), 0, 0))


def main(args):
    """Fuzz as the arguments say."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--dev", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--other")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.0)
    opts = parser.parse_args(args)
    fuzzer = Fuzzer(opts)
    try:
        fuzzer.run(opts.seconds, opts.pause)
    except (SystemExit, Error) as err:
        print("FAILED:", err, "after", *fuzzer.last)
        return 1
    finally:
        print("without a word:", dict(fuzzer.silent))
        print(json.dumps(fuzzer.count))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

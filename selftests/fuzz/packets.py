#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Fuzzes packets: malformed ones to a running tunnel.

usage: packets.py --dev DEV --netns NAME --remote ADDRESS --local ADDRESS
                  --seconds N [--cipher NAME] [--seed N]
                  (--key FILE | --ids OWN,PEER)

The fuzzer is the tunnel's own peer (selftests/peer) and has the keys: most of
its packets are mutated before encryption, so that they pass authentication.
Mutated handshakes get a valid mac1. It also sends garbage, from the address of
the peer and from another one. New associations begin at random, and one must
succeed at the end, with valid packets in both directions.

The last line is JSON: the packets sent, and the drops of the tunnel.
"""

import argparse
import collections
import json
import os
import random
import struct
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "peer"))
# pylint: disable=wrong-import-position
import peer as peers  # noqa: E402
import session as sessions  # noqa: E402
import suite  # noqa: E402
import target  # noqa: E402
import wire  # noqa: E402
from mutate import edge, mutate  # noqa: E402

BURST = 8
PAUSE = 0.002
# Seconds of an association
ROUND = 1.5
INNER4 = bytes.fromhex("4500001c123440004001149d0a0700020a070001"
                       "0800edf30a0b0001")
INNER6 = bytes.fromhex("6000000000083a40") + bytes(32) + bytes(8)


class Suite(suite.Suite):
    """A suite with or without a key, whose packets may be delivered."""

    ids = None

    def make(self, quiet=()):
        if not self.ids:
            return super().make(quiet)
        self.leave()
        self.peer = peers.Peer(sessions.ClearKeys(*self.ids),
                               [(self.local, port) for port in self.ports],
                               self.remote, rekey=1e9)
        self.peer.quiet |= set(quiet)
        return self.peer

    def judge_delivered(self):
        """Nothing to judge: a peer may send any inner packet."""

    def forget(self):
        """Drop records that would fill the memory."""
        self.old.clear()
        self.stranger_got.clear()
        self.good.clear()
        self.target.packets.clear()
        if self.peer:
            for log in (self.peer.sent, self.peer.received, self.peer.inner):
                log.clear()


class Bodies:
    """Good bodies of every kind, for a peer as it is now."""

    def __init__(self, rnd):
        self.rnd = rnd

    def ranges(self, top):
        """Ranges of an ACK, newest first."""
        out = []
        last = top
        for _ in range(self.rnd.choice((1, 1, 2, 5, 64, 64))):
            length = min(self.rnd.choice((1, 1, 2, 30)), last + 1)
            out.append((last - length + 1, last))
            last -= length + self.rnd.choice((1, 1, 2, 9))
            if last < 0:
                break
        return out

    def block(self, one, path):
        """A random block."""
        rnd = self.rnd
        kind = rnd.randrange(9)
        if kind <= 1:
            return wire.Ack(path, self.ranges(rnd.randrange(200)),
                            edge(rnd, 4), edge(rnd, 4), edge(rnd, 4),
                            edge(rnd, 8), edge(rnd, 4),
                            edge(rnd, 4)).pack()
        if kind == 2:
            return wire.room(edge(rnd, 4), edge(rnd, 4), edge(rnd, 4))
        if kind == 3:
            return wire.floor(path, rnd.choice((rnd.randrange(100),
                                                edge(rnd, 8))))
        if kind == 4:
            return wire.settled((one.dsn + rnd.randrange(-50, 50)) %
                                (1 << 32))
        if kind == 5:
            # what ends a path leaves less to look at
            return wire.status(path, rnd.choice((0, 1) * 12 + (2, 3)))
        if kind == 6:
            return wire.Policy(
                path, rnd.choice((edge(rnd, 4), rnd.randrange(1, 9))),
                rnd.choice((0, 0, 1, 2, 3, 0x40, 0xc0, rnd.randrange(256))),
                rnd.choice((0, 0, 1, 4, rnd.randrange(256))),
                rnd.randrange(256), rnd.choice((1, edge(rnd, 2))),
                edge(rnd, 4), edge(rnd, 8) >> rnd.choice((0, 3)),
                rnd.choice((b"wan", b"p1", bytes(rnd.randrange(
                    256) for _ in range(16))))).pack()
        if kind == 7:
            return wire.Caps(
                rnd.choice((edge(rnd, 4), rnd.randrange(1, 9))),
                [(rnd.randrange(260), edge(rnd, 2), rnd.randrange(67),
                  edge(rnd, 8) >> rnd.choice((3, 3, 40)))
                 for _ in range(rnd.randrange(17))],
                rnd.choice((0, 0, 0, 0x40, rnd.randrange(256)))).pack()
        return wire.block(rnd.randrange(256), bytes(4 * rnd.randrange(8)))

    def blocks(self, one, path):
        """Some random blocks."""
        return b"".join(self.block(one, path)
                        for _ in range(self.rnd.choice((1, 1, 2, 4))))

    def data(self, one, path):
        """An inner packet, and flags for it."""
        rnd = self.rnd
        packet = rnd.choice((INNER4, INNER6, INNER4 + bytes(1200)))
        flags = rnd.choice((0, 0, 0, wire.F_COPY, wire.F_REPAIRABLE,
                            wire.F_BLOCKS, wire.F_CODED))
        if not rnd.randrange(8):
            count = rnd.choice((1, 2, 2, 3, 4, 5))
            packet = wire.FRAG_HEAD.pack(
                rnd.randrange(count), count,
                rnd.choice((len(packet), 2 * len(packet), 1500))) + packet
            return packet, flags & ~wire.F_BLOCKS | wire.F_FRAG
        if flags == wire.F_BLOCKS:
            blocks = self.blocks(one, path)
            packet = struct.pack(">H", len(blocks)) + blocks + packet
        return packet, flags

    def control(self, one, path, kind):
        """Body of a control packet."""
        rnd = self.rnd
        if kind == wire.PROBE:
            return wire.Probe(rnd.randrange(2), rnd.choice((16, 1400)),
                              edge(rnd, 4), edge(rnd, 8)).pack()
        if kind == wire.BYE:
            return struct.pack(">Q", rnd.choice((one.instance,
                                                 edge(rnd, 8))))
        return self.blocks(one, path)


class Fuzzer:
    """Sends what it makes up, and counts."""

    def __init__(self, s, rnd):
        self.s = s
        self.rnd = rnd
        self.bodies = Bodies(rnd)
        self.sent = collections.Counter()
        self.inits = collections.deque(maxlen=4)
        self.dropped = collections.Counter()

    # --- what is sealed

    def number(self, path, control):
        """The next number of a space, or another one."""
        rnd = self.rnd
        at = path.control if control else path.data
        dice = rnd.random()
        if dice < 0.05:
            return max(at - rnd.randrange(300), 0)
        if dice < 0.06:
            at += rnd.choice((1, 2, 100, 1 << 12, 1 << 20))
        at &= wire.PN_MASK
        if control:
            path.control = at + 1
        else:
            path.data = at + 1
        return at

    def ident(self, path):
        """The id of a path, or of another one, or of none."""
        if self.rnd.random() < 0.9:
            return path.ident
        return self.rnd.choice((0, 0, 1, 2, 3, 4, 5, 100, 0x3fff, 0x4000,
                                0x7fff, self.rnd.randrange(0x8000)))

    def sealed(self, kind):
        """A changed packet of a kind, with a right tag."""
        rnd, one = self.rnd, self.s.peer
        path = rnd.choice(list(one.paths.values()))
        about = self.ident(path)
        control = (kind != wire.DATA) ^ (rnd.random() < 0.01)
        if kind == wire.DATA:
            body, flags = self.bodies.data(one, about)
            path.fseq += 1
            inner = wire.Inner(kind, body, path.fseq % 256,
                               rnd.choice((0, 1, 1, 5, 65535)), one.dsn,
                               flags)
            one.dsn = (one.dsn + 1) % (1 << 32)
        else:
            inner = wire.Inner(kind, self.bodies.control(one, about, kind))
        inner.time = int(time.monotonic() * 1e6) & 0xffffff
        plain = inner.pack()
        head = wire.INNER.size
        if rnd.random() < 0.7:
            plain = plain[:head] + mutate(rnd, plain[head:])
        if rnd.random() < 0.2:
            plain = mutate(rnd, plain[:head])[:head].ljust(head, b"\0") + \
                plain[head:]
        outer = wire.Outer(wire.PACKET, one.current.peer_index, wire.number(
            self.ident(path), self.number(path, control), control))
        return path.link, one.keys.seal(one.current.send_key, outer.pack(),
                                        plain)

    def packet(self):
        """A sealed packet of some kind; BYE ends it all, so it is rare."""
        kind = self.rnd.choice((wire.DATA, wire.DATA, wire.REPORT, wire.SET,
                                wire.PROBE, wire.REPORT, wire.SET))
        if self.rnd.random() < 0.002:
            kind = wire.BYE
        self.sent["sealed"] += 1
        return self.sealed(kind)

    # --- handshakes

    def hello(self, **fields):
        """A hello that could be ours, or nearly so."""
        rnd, one = self.rnd, self.s.peer
        # an edge that was accepted may have been the last counter
        hello = wire.Hello(one.random(4), one.instance,
                           (one.counter + 1) % (1 << 64), one.keys.cipher,
                           one.first_dsn, one.peer_instance,
                           cookie=one.cookie)
        for name, size in (("sender", 4), ("instance", 8), ("counter", 8),
                           ("cipher", 1), ("peer_instance", 8),
                           ("first_dsn", 4), ("features", 4)):
            if rnd.random() < 0.15:
                setattr(hello, name, edge(rnd, size))
        for name, value in fields.items():
            if rnd.random() < 0.9:
                setattr(hello, name, value)
        return hello

    def proven(self, data, where):
        """Changed, maybe, with a mac1 that is right again."""
        rnd, keys = self.rnd, self.s.peer.keys
        if rnd.random() < 0.6:
            data = mutate(rnd, data[:where])[:where].ljust(where, b"\0") + \
                data[where:]
        if keys.cipher != wire.CLEAR and rnd.random() < 0.9:
            data = data[:where] + keys.mac1(data[:where]) + \
                data[where + wire.MAC_LEN:]
        return data

    def init(self):
        """An INIT."""
        one = self.s.peer
        hello = self.hello()
        attempt = one.keys.attempt(hello)
        self.sent["init"] += 1
        return None, self.proven(one.keys.init_bytes(attempt),
                                 wire.Init.MAC1_AT)

    def response(self, init, opened):
        """A RESPONSE to an INIT of the tunnel."""
        one = self.s.peer
        data, _ = one.keys.respond(opened, self.hello(
            counter=opened.hello.counter,
            peer_instance=opened.hello.instance))
        self.sent["response"] += 1
        return init.link, self.proven(data, wire.Response.MAC1_AT)

    def cookie(self, init, opened):
        """A COOKIE for it: sealed rightly, or changed afterwards."""
        rnd = self.rnd
        data = self.s.peer.keys.cookie(
            opened.hello.sender, opened.init,
            rnd.choice((bytes(16), rnd.randbytes(16))),
            rnd.choice((bytes(16), rnd.randbytes(16))))
        if rnd.random() < 0.3:
            data = mutate(rnd, data)
        self.sent["cookie"] += 1
        return init.link, data

    def answer(self):
        """An answer to what the tunnel said lately."""
        for got in self.s.peer.received:
            if got.type == wire.INIT:
                self.inits.append(got)
        if not self.inits:
            return self.init()
        init = self.rnd.choice(self.inits)
        try:
            opened = self.s.peer.keys.open_init(init.data)
        except sessions.SessionError:
            return self.init()
        if self.rnd.random() < 0.5:
            return self.response(init, opened)
        return self.cookie(init, opened)

    # --- garbage

    def garbage(self):
        """Nothing of it is right, or nearly all."""
        rnd, one = self.rnd, self.s.peer
        self.sent["garbage"] += 1
        if rnd.random() < 0.3:
            data = rnd.randbytes(rnd.choice((0, 1, 15, 16, 17, 43, 44, 88,
                                             136, 168, 1400)))
            return None, bytes((rnd.randrange(6), 1)) + data[2:]
        if one.sent and rnd.random() < 0.5:
            return None, mutate(rnd, rnd.choice(one.sent).data)
        link, data = self.sealed(wire.SET)
        return link, mutate(rnd, data)

    # --- all of it

    def one(self):
        """Send one datagram."""
        dice = self.rnd.random()
        if dice < 0.80:
            link, data = self.packet()
        elif dice < 0.84:
            link, data = self.init()
        elif dice < 0.88:
            link, data = self.answer()
        else:
            link, data = self.garbage()
        if self.rnd.random() < 0.02:
            link = self.s.stranger
            self.sent["elsewhere"] += 1
        self.s.peer.send_raw(data, link, self.s.remote)

    def usable(self):
        """Whether there is a session and a path to send with."""
        return self.s.peer.current and self.s.peer.paths

    def association(self, end):
        """Fuzz one association, until it ends or is long enough."""
        s = self.s
        s.fresh()
        self.sent["associations"] += 1
        until = min(time.monotonic() + ROUND, end)
        while time.monotonic() < until and self.usable():
            for _ in range(BURST):
                if self.usable():
                    self.one()
            s.peer.step(PAUSE)
            s.listen()
            if len(s.peer.received) + len(s.peer.sent) > 4000:
                s.forget()
        s.forget()

    def run(self, seconds):
        """Fuzz for that time; then valid packets must pass."""
        before = self.s.target.drops()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.association(end)
        self.s.fresh()
        self.s.passes()
        self.s.leave()
        self.s.peer = None
        self.dropped = self.s.target.drops() - before


def main(args):
    """Fuzz as the arguments say."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    for option in ("dev", "netns", "remote", "local", "key", "ids"):
        parser.add_argument("--" + option)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--cipher", default="chacha20-poly1305",
                        choices=list(wire.CIPHERS))
    parser.add_argument("--seed", type=int, default=1)
    opts = parser.parse_args(args)
    # time is real, and the kernel slow, as it looks at all it does
    suite.PATIENCE = 60.0
    key = bytes(32)
    if opts.key:
        with open(opts.key, encoding="ascii") as file:
            key = sessions.read_key(file.read())
    s = Suite(target.KernelTarget(opts.dev, opts.netns), key,
              wire.CIPHERS[opts.cipher], opts.local,
              [wire.PORT, wire.PORT + 1], (opts.remote, wire.PORT))
    if opts.ids:
        s.ids = tuple(int(x) for x in opts.ids.split(","))
    fuzzer = Fuzzer(s, random.Random(opts.seed))
    try:
        fuzzer.run(opts.seconds)
    except suite.Failed as err:
        print("FAILED:", *err.args)
        return 1
    finally:
        print(json.dumps({"sent": fuzzer.sent, "dropped": fuzzer.dropped}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

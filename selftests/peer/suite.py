# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""What all attacks share: association, sending, judgment.

The attacker is also the tunnel's own peer, so it has genuine packets of every
kind to damage. From another port of the same address, the stranger, it sends
what an attacker on the way could send.
"""

import collections
import struct
import time

import peer as peers
import session as sessions
import wire

INNER_HEAD = bytes.fromhex("4500002c0000400040110000c6120001c6120002")
BURST = 8
PAUSE = 0.004
PATIENCE = 8.0
COUNTING = 3.0

ATTACKS = {}

# Sweeps over all bytes of a message take each STEPth one
SWEEP = {"step": 1}


def attack(function):
    """Mark an attack; its name is that of the function."""
    ATTACKS[function.__name__] = function
    return function


class Failed(Exception):
    """The tunnel failed: it did something forbidden."""


class Skipped(Exception):
    """This attack does not apply to the tunnel."""


def flips(data):
    """Flip one bit in each byte, a different one in each."""
    for at in range(0, len(data), SWEEP["step"]):
        out = bytearray(data)
        out[at] ^= 1 << at * 3 % 8
        yield bytes(out)


def cuts(data):
    """Each shorter length, and some longer ones."""
    yield from (data[:n] for n in range(0, len(data), SWEEP["step"]))
    yield from (data + bytes(n) for n in (1, 4, 16, 1000))


def swept(least):
    """The share of these bytes that a sweep takes."""
    return least // SWEEP["step"]


class Suite:
    """A target, the peer that it has now, and what was seen before."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, target, key, cipher, local, ports, remote):
        self.target = target
        self.key = key
        self.cipher = cipher
        self.local = local
        self.ports = ports
        self.remote = remote
        self.stranger = peers.Link((local, 0))
        self.stranger_got = []
        self.peer = None
        self.old = []
        self.good = set()
        self.serial = 0
        self.stray_number = 1 << 20
        self.notes = []
        self.last = collections.Counter()

    def note(self, *words):
        """A line of explanation before the result."""
        self.notes.append(" ".join(str(word) for word in words))

    # --- the peer

    def run(self, until=None, timeout=None):
        """Let the peer do its work until something is true."""
        end = time.monotonic() + (timeout or PATIENCE)
        while not (until and until()):
            if time.monotonic() >= end:
                return False
            self.peer.step(0.002 if until else 0.01)
            self.listen()
        return True

    def listen(self):
        """The datagrams that the stranger receives."""
        while True:
            try:
                data, address = self.stranger.sock.recvfrom(65535)
            except BlockingIOError:
                return
            except OSError:
                continue
            self.stranger_got.append(
                peers.Datagram(self.stranger, address, data))

    def make(self, quiet=()):
        """A new peer, with another instance, on the same ports."""
        self.leave()
        locals_ = [(self.local, port) for port in self.ports]
        self.peer = peers.Peer(sessions.Keys(self.key, self.cipher), locals_,
                               self.remote, rekey=1e9)
        self.peer.quiet |= set(quiet)
        return self.peer

    def leave(self):
        """The present peer says BYE and is remembered."""
        if not self.peer:
            return
        self.peer.quiet = set()
        self.peer.mutate = None
        self.peer.bye()
        self.peer.close()
        self.old.append(self.peer)

    def fresh(self):
        """A new association, opened by us."""
        one = self.make()
        one.open()
        if not self.run(one.up):
            raise Failed("a new peer is not taken")
        return one

    def opening(self):
        """(peer, INIT) while the tunnel looks for its peer."""
        one = self.make(("init", "answer"))

        def init():
            return [d for d in one.received if d.type == wire.INIT]
        if not self.run(init):
            raise Skipped("the tunnel sends no INIT: it has no path to us")
        return one, init()[-1]

    def hold(self, act, kind=None):
        """The datagram that act() would send, which it does not."""
        held = []

        def keep(data):
            held.append(data)
            self.peer.mutate = keep

        self.peer.mutate = keep
        before = len(self.peer.sent)
        act()
        self.peer.mutate = None
        found = self.peer.sent[before]
        if not held or kind and kind not in (found.type, found.kind):
            raise Failed("nothing was sent that could be held")
        return found

    def hold_control(self, kind, body, path=None):
        """A control packet, not sent."""
        path = path or next(iter(self.peer.paths.values()))
        return self.hold(
            lambda: self.peer.send_control(path, kind, body), kind)

    def hold_init(self):
        """An INIT of the associated instance, with the attempt open."""
        self.peer.quiet.add("open")
        return self.hold(self.peer.open)

    def hold_response(self, init):
        """The RESPONSE to an INIT of the tunnel."""
        one = self.peer
        opened = one.keys.open_init(init.data)
        return self.hold(lambda: one.respond(init, opened, time.monotonic()))

    def make_cookie(self, init, cookie=b"c" * 16, source=bytes(16)):
        """A COOKIE to an INIT of the tunnel, as a datagram."""
        opened = self.peer.keys.open_init(init.data)
        return self.peer.keys.cookie(opened.hello.sender, opened.init, cookie,
                                     source)

    # --- PROBEs of unknown paths

    def stray(self, ident, padding=0):
        """A new PROBE of any path id."""
        self.stray_number += 1
        body = wire.Probe(0, 16 + padding, 1, self.peer.random(8)).pack()
        return self.peer.seal(wire.number(ident, self.stray_number, True),
                              wire.Inner(wire.PROBE, body + bytes(padding)))

    def strays(self, count, padding=0):
        """New PROBEs of a path of the tunnel's half that there is not."""
        ours = self.peer.instance > self.peer.peer_instance
        return [self.stray(0x7ffc if ours else 0x7ffd, padding)
                for _ in range(count)]

    # --- inner packets

    def packet(self):
        """An inner packet that is like no other and may arrive once."""
        self.serial += 1
        body = struct.pack(">HHHHQQQ", 4725, 9, 24 + 8, 0, self.serial,
                           time.monotonic_ns(), 0)
        head = bytearray(INNER_HEAD)
        struct.pack_into(">HH", head, 2, len(head) + len(body),
                         self.serial & 0xffff)
        struct.pack_into(">H", head, 10, wire.checksum(bytes(head)))
        packet = bytes(head) + body
        self.good.add(packet)
        return packet

    def arrived(self, packet):
        """Whether it came out of the tunnel."""
        return packet in self.target.delivered()

    def judge_delivered(self):
        """Only good packets came out, each one once."""
        count = collections.Counter(self.target.delivered())
        for packet, times in count.items():
            if packet not in self.good:
                raise Failed("delivered what was not sent:", packet.hex())
            if times > 1:
                raise Failed("delivered", times, "times:", packet.hex())

    def passes(self, associations=None):
        """Good packets pass both ways; no new association began."""
        sent = []

        def forth():
            if any(path.up for path in self.peer.paths.values()):
                sent.append(self.packet())
                self.peer.send_inner(sent[-1])
            self.run(None, 0.05)
            return any(self.arrived(one) for one in sent)

        def back():
            sent.append(self.packet())
            self.target.send(sent[-1])
            self.run(None, 0.05)
            return any(one in self.peer.inner for one in sent)

        for way, words in ((forth, "to"), (back, "from")):
            if not self.run(way):
                raise Failed(f"no good packet passes {words} the tunnel")
            sent.clear()
        self.judge_delivered()
        if associations not in (None, self.target.associations()):
            raise Failed("the association is another one")

    # --- attacking

    def answers(self):
        """RESPONSEs and COOKIEs that came to us."""
        return sum(d.type in (wire.RESPONSE, wire.COOKIE)
                   for d in self.peer.received + self.stranger_got)

    def burst(self, datagrams, link=None):
        """Send them, not faster than a worker can take them."""
        for n, data in enumerate(datagrams, 1):
            self.peer.send_raw(data, link, self.remote)
            if n % BURST == 0:
                self.run(None, PAUSE)

    def fire(self, datagrams, link=None, answered=0, must=None):
        """Send them: all must be counted, or be among the answered ones.

        answered is how many at most may earn an answer instead; must says how
        many at least are to be dropped for which reason, or for any of some.
        """
        datagrams = list(datagrams)
        before, replies = self.target.drops(), self.answers()
        grown = collections.Counter()

        def counted():
            grown.clear()
            grown.update(self.target.drops() - before)
            known = min(answered, self.answers() - replies)
            return grown.total() + known >= len(datagrams) and all(
                sum(grown[reason] for reason in reasons.split()) >= least
                for reasons, least in (must or {}).items())
        self.burst(datagrams, link)
        end = time.monotonic() + COUNTING
        while not counted() and time.monotonic() < end:
            self.run(None, 0.05)
        self.last = collections.Counter(grown)
        self.note(len(datagrams), "sent,", self.answers() - replies,
                  "answers,", dict(grown))
        if not counted():
            raise Failed("not all were counted", f"(wanted {must})"
                         if must else "")
        self.judge_delivered()

    def accepted(self, datagrams):
        """Send them as they are, where they belong: nothing is dropped."""
        before = self.target.drops()
        for datagram in datagrams:
            self.peer.replay(datagram)
        self.run(None, 0.1)
        if self.target.drops() - before:
            raise Failed("true packets were dropped:",
                         dict(self.target.drops() - before))

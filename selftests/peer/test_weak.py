# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Each attack succeeds against a Peer that lacks what withstands it.

One test per attack; an attack without an entry in WEAK fails. A weakness is
checks that are left out (`checks` of the Peer), another class of the target,
or a changed function.
"""

import contextlib
import dataclasses
import io
import itertools
import unittest
from unittest import mock

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

import attack
import noise
import path as paths
import peer
import session
import suite
import target
import wire

# The general words of Suite.fire(): something was neither dropped nor answered
UNCOUNTED = "not all were counted"


class Confirms(target.Attacked):
    """Takes an INIT as proof that its sender is alive."""

    def respond(self, datagram, opened, now):
        super().respond(datagram, opened, now)
        self.confirm(self.sessions[-1], now)


class Vain(target.Attacked):
    """Uses its own session only, if both ends opened."""

    def __init__(self, *args):
        super().__init__(*args)
        # of two sessions with one counter that of the peer is the greater
        self.instance = 1

    def confirm(self, session, now):  # pylint: disable=redefined-outer-name
        if not session.initiator and any(one.initiator for one in
                                         self.sessions):
            self.sessions.remove(session)
            return
        super().confirm(session, now)


class Obliging(target.Attacked):
    """Sends its INIT for each copy of a COOKIE."""

    def on_answer(self, datagram, outer):
        self.answers.clear()
        for link in self.links:
            link.source = session.NO_COOKIE
        super().on_answer(datagram, outer)


class Counting(target.Attacked):
    """Begins to count again, as the same instance."""

    def open(self, cookie=None):
        if self.counter == wire.COUNTER_MAX:
            self.next_counter = 1
        super().open(cookie)


class Patient(target.Attacked):
    """Takes answers to attempts that are over."""

    def __init__(self, *args):
        self.attempts = {}
        super().__init__(*args)

    def open(self, cookie=None):
        super().open(cookie)
        self.attempts[self.attempt.index] = self.attempt

    def on_answer(self, datagram, outer):
        self.attempt = self.attempts.get(outer.receiver, self.attempt)
        super().on_answer(datagram, outer)


class Hasty(target.Attacked):
    """Executes blocks before it looks at the number."""

    def __init__(self, *args):
        self.standby = set()
        super().__init__(*args)

    def on_packet(self, datagram, outer):
        for one in self.sessions:
            with contextlib.suppress(session.SessionError):
                self.execute(one.open(datagram.data))
        super().on_packet(datagram, outer)
        for ident, path in self.paths.items():
            path.up = path.up and ident not in self.standby

    def execute(self, inner):
        """STATUS of paths."""
        body = inner.body
        if inner.flags & wire.F_BLOCKS:
            body = body[2:2 + int.from_bytes(body[:2], "big")]
        elif inner.kind != wire.SET:
            return
        for kind, content in wire.parse_blocks(body):
            if kind == wire.STATUS:
                self.standby.discard(content[0])
                if content[1] == wire.STANDBY:
                    self.standby.add(content[0])


class Curious(target.Attacked):
    """Sends a large challenge to any address."""

    def on_packet(self, datagram, outer):
        super().on_packet(datagram, outer)
        if datagram.address[:2] not in {one.remote[:2] for one in
                                        self.paths.values()}:
            body = wire.Probe(0, 200, 1, self.random(8)).pack()
            self.send_zero(datagram.link, datagram.address, wire.PROBE, body)


class Loyal(target.Attacked):
    """Keeps the keys of associations that are over."""

    def __init__(self, *args):
        self.known = {}
        super().__init__(*args)

    def on_packet(self, datagram, outer):
        self.known.update({one.index: one for one in self.sessions})
        if any(one.index == outer.receiver for one in self.sessions):
            super().on_packet(datagram, outer)
        elif outer.receiver in self.known:
            self.known[outer.receiver].open(datagram.data)


class Open(target.Attacked):
    """Takes packets of any path."""

    def on_packet(self, datagram, outer):
        ident = wire.split_number(outer.number)[0]
        if ident not in self.paths:
            self.paths[ident] = paths.Path(ident, datagram.link,
                                           datagram.address)
        super().on_packet(datagram, outer)


class Narrow(target.Attacked):
    """Has a hundred places for all that comes."""

    def __init__(self, *args):
        self.came = 0
        super().__init__(*args)

    def on_packet(self, datagram, outer):
        self.came += 1
        if self.came > 100:
            self.drops["rx_overrun"] += 1
        super().on_packet(datagram, outer)


class Follows(target.Attacked):
    """Sends to the first other address that it has seen on a path."""

    def on_packet(self, datagram, outer):
        super().on_packet(datagram, outer)
        path = self.paths.get(wire.split_number(outer.number)[0])
        if path and not hasattr(path, "led"):
            if datagram.address != path.remote:
                path.led = path.remote = datagram.address


class Near(paths.Window):
    """Takes no number that leaps."""

    def new(self, number):
        return number < self.top + (1 << 20) and super().new(number)


def unverified(key, nonce, sealed):
    """ChaCha20 without the tag."""
    stream = Cipher(algorithms.ChaCha20(key, b"\1\0\0\0" + nonce), None)
    return stream.decryptor().update(sealed[:-16])


def any_tag(key, number, _, sealed):
    """Noise without tags."""
    return unverified(key, noise.nonce_of(number), sealed)


def any_cookie_tag(key, nonce, _, sealed):
    """XChaCha20 without tags."""
    return unverified(noise.hchacha20(key, nonce[:16]),
                      bytes(4) + nonce[16:], sealed)


def any_point(own, other):
    """X25519 that takes every public key."""
    try:
        return EXCHANGE(own, other)
    except noise.NoiseError:
        return bytes(32)


EXCHANGE = noise.exchange


def any_length(cls, kind):
    """A message of any length: what is missing is zero, the rest is left."""
    parse, size = cls.parse, wire.LENGTHS[kind]
    stack = contextlib.ExitStack()
    stack.enter_context(mock.patch.dict(wire.LENGTHS))
    del wire.LENGTHS[kind]
    stack.enter_context(mock.patch.object(cls, "parse", classmethod(
        lambda _, data: parse(data[:size].ljust(size, b"\0")))))
    return stack


def any_cipher():
    """A hello whatever cipher it names."""
    parse = wire.Hello.parse
    return mock.patch.object(wire.Hello, "parse", classmethod(
        lambda _, data: dataclasses.replace(
            parse(data), cipher=wire.CHACHA20_POLY1305)))


def hoards():
    """All that comes stays in memory."""
    left = itertools.count(1 << 20, -4096)
    return mock.patch.object(target.PeerTarget, "free_kib",
                             staticmethod(lambda: next(left)))


def as_(cls):
    """The target is one of these."""
    return mock.patch.object(target, "Attacked", cls)


def other(where, name, what):
    """Something else in that place."""
    return mock.patch.object(where, name, what)


# The attack, why it is seen, the checks that are left out, or a weakness
WEAK = {
    "flipped_init": (UNCOUNTED, "mac"),
    "cut_init": (UNCOUNTED, lambda: any_length(wire.Init, wire.INIT)),
    "flipped_answers": (UNCOUNTED, "mac",
                        lambda: other(noise, "aead_open", any_tag)),
    "cut_answers": (UNCOUNTED,
                    lambda: any_length(wire.Response, wire.RESPONSE)),
    "spliced_inits": (UNCOUNTED, lambda: other(noise, "aead_open", any_tag)),
    "old_inits": ("no good packet passes to", "counter", "cookie",
                  lambda: as_(Confirms)),
    "old_init_same_instance": (UNCOUNTED, "counter"),
    "simultaneous_open": ("after both opened", lambda: as_(Vain)),
    "forged_cookies": ("was accepted", "cookie"),
    "forged_cookie_answers": (
        UNCOUNTED, lambda: other(noise, "xchacha_open", any_cookie_tag)),
    "copied_cookies": ("each copy of a COOKIE earns", lambda: as_(Obliging)),
    "cookie_flood": ("copies of a COOKIE earned", lambda: as_(Obliging)),
    "last_counter": ("are used again", lambda: as_(Counting)),
    "late_answers": (UNCOUNTED, lambda: as_(Patient)),
    "low_order": (UNCOUNTED, lambda: other(noise, "exchange", any_point)),
    "flood": ("no cookie for the source", lambda: other(peer, "LOAD", 1e9)),
    "flipped_packets": (UNCOUNTED, "tag"),
    "cut_packets": (UNCOUNTED, "tag"),
    "reflected": (UNCOUNTED, "reflected"),
    "replayed": (UNCOUNTED, "replay"),
    "replayed_loser": (UNCOUNTED, "replay"),
    "replayed_refused": (UNCOUNTED, "replay"),
    "replayed_blocks": ("no good packet passes from", lambda: as_(Hasty)),
    "replays_at_once": (UNCOUNTED, "replay"),
    "late_strays": ("taken for a replay",
                    lambda: other(paths.Window, "size", 192)),
    "late_among_many": ("taken for a replay",
                        lambda: other(paths.Window, "size", 1984)),
    "strays_at_once": ("recorded probes get to the worker", "replay"),
    "paths_at_once": ("found no place", lambda: as_(Narrow)),
    "first_probe_at_once": ("found no place", lambda: as_(Narrow)),
    "large_strays": ("they took", hoards),
    "unproved_address": ("that never answered was sent",
                         lambda: other(paths, "AMPLIFY_MAX", 100)),
    "small_from_elsewhere": ("bytes earned", lambda: as_(Curious)),
    "probes_from_elsewhere": ("bytes from elsewhere earned",
                              lambda: as_(Curious)),
    "spliced_paths": (UNCOUNTED, "tag"),
    "spliced_sessions": (UNCOUNTED, "tag"),
    "stale_associations": (UNCOUNTED, lambda: as_(Loyal)),
    "stale_sessions": (UNCOUNTED, lambda: other(peer, "OLD_SESSION", 1e9)),
    "wrong_key": (UNCOUNTED, "mac"),
    "wrong_cipher": (UNCOUNTED, any_cipher),
    "counter_jumps": ("no good packet passes to",
                      lambda: other(peer, "Window", Near)),
    "unknown_kinds": (
        UNCOUNTED, lambda: other(wire.Inner, "check", lambda *_: None)),
    "malformed": (
        UNCOUNTED, lambda: other(wire, "parse_blocks", lambda _: [])),
    "repair_symbols": ("a lost packet was not decoded",
                       lambda: other(peer.Peer, "decode", lambda _: None)),
    "unknown_paths": (UNCOUNTED, lambda: as_(Open)),
    "stolen_path": ("stays where it was led to", lambda: as_(Follows)),
}


class Weak(unittest.TestCase):
    """The attack that finds each weakness."""

    def succeeds(self, name):
        """That attack fails on its target, for the reason of WEAK."""
        self.assertIn(name, WEAK, "no weakness shows that it can succeed")
        words, *weakness = WEAK[name]
        args = ["--self", name]
        out = io.StringIO()
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(out))
            stack.enter_context(other(suite, "PATIENCE", 2.0))
            stack.enter_context(other(suite, "COUNTING", 1.0))
            for one in weakness:
                if isinstance(one, str):
                    args[1:1] = ["--without", one]
                else:
                    stack.enter_context(one())
            status = attack.main(args)
        self.assertEqual(status, 1, out.getvalue())
        self.assertIn(words, out.getvalue())


for _name in attack.ATTACKS:
    setattr(Weak, f"test_{_name}",
            lambda self, name=_name: self.succeeds(name))

# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Tests of the Peer, the attacks and the vectors, see selftest.py."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import attack
import noise
import peer
import session
import suite
import target
import vectors
import wire

KEY = bytes(range(1, 33))
SEALED = (wire.CHACHA20_POLY1305, wire.AES_GCM, wire.AUTH_ONLY)
INNER = b"\x45" + bytes(39)
HOME = ("127.0.0.1", 0)


class Peers(unittest.TestCase):
    """Two Peers over loopback."""

    def setUp(self):
        self.peers = []

    def tearDown(self):
        for one in self.peers:
            one.close()

    def make(self, remote=None, links=1, keys=None, **args):
        """A Peer, with a way to the other one if it is given."""
        keys = keys or session.Keys(KEY)
        self.peers.append(peer.Peer(
            keys, [HOME] * links, remote and remote.links[0].local, **args))
        return self.peers[-1]

    def pair(self, links=2, **args):
        """Two of them, associated."""
        b = self.make()
        a = self.make(b, links, **args)
        a.open()
        self.until(lambda: a.up() and b.up())
        return a, b

    def until(self, what, timeout=5):
        """Run all until something is true."""
        self.assertTrue(self.peers[0].run(what, timeout, self.peers[1:]))

    def settle(self, seconds=0.05):
        """Run all for a while."""
        self.peers[0].run(None, seconds, self.peers[1:])

    def passes(self, a, b):
        """An inner packet passes from a to b, once."""
        before = len(b.inner)
        a.send_inner(INNER + bytes([before]))
        self.until(lambda: len(b.inner) > before)
        self.settle()
        self.assertEqual(b.inner[before:], [INNER + bytes([before])])

    def test_ciphers(self):
        """An association, packets both ways and their ACKs."""
        clear = session.ClearKeys(1, 2), session.ClearKeys(2, 1)
        sealed = [(session.Keys(KEY, c),) * 2 for c in SEALED]
        for one, other in sealed + [clear]:
            b = self.make(keys=other)
            a = self.make(b, 2, one)
            a.open()
            self.until(a.up)
            self.assertEqual(b.counts["answers"] >= 2, True)
            for _ in range(10):
                self.passes(a, b)
                self.passes(b, a)
            self.until(lambda: sum(len(p.acked) for p in
                                   a.paths.values()) == 10)
            self.assertEqual((a.associations, b.associations), (1, 1))
            self.tearDown()
            self.setUp()

    def test_rekey(self):
        """New keys, by either end, change nothing else."""
        a, b = self.pair(rekey=0.3)
        index = a.current.index
        self.settle(0.6)
        self.assertEqual(a.current.index, index, "new keys without data")
        self.passes(a, b)
        for _ in range(3):
            before = a.current.index, b.current.index
            self.until(lambda: a.current.index != before[0] and
                       b.current.index != before[1])
            self.passes(a, b)
            self.passes(b, a)
        self.assertEqual((a.associations, b.associations), (1, 1))
        a.rekey, b.remote = 1e9, a.links[0].local
        counter = b.current.counter
        b.open()
        self.until(lambda: a.current.counter > counter)
        self.assertTrue(b.current.initiator)
        self.passes(a, b)
        self.assertEqual(a.associations, 1)

    def test_order(self):
        """Both ends take the greater of two sessions."""
        a, b = self.make(), self.make()
        a.remote, b.remote = b.links[0].local, a.links[0].local
        a.open()
        b.open()
        self.until(lambda: a.up() and b.up())
        self.settle(0.3)
        self.assertEqual(a.current.order, b.current.order)
        self.assertEqual((a.associations, b.associations), (1, 1))
        self.passes(a, b)
        self.passes(b, a)
        self.assertEqual(len(a.paths), 1)
        self.assertEqual(list(a.paths), list(b.paths))

    def test_restart(self):
        """A new instance starts a new association."""
        a, b = self.pair()
        again = self.make(b)
        again.open()
        self.until(again.up)
        self.assertEqual(b.associations, 2)
        self.passes(again, b)
        a.send_inner(INNER)
        self.settle()
        self.assertEqual(len(b.inner), 1)
        self.assertGreater(b.drops["rx_unknown"], 0)

    def test_replay(self):
        """A replayed packet is refused on every path."""
        a, b = self.pair()
        for _ in range(3):
            self.passes(a, b)
        packets = [d for d in a.sent if d.type == wire.PACKET]
        before = b.drops.total(), len(b.inner)
        for link in a.links:
            for datagram in packets:
                a.replay(datagram, link)
        self.settle(0.2)
        self.assertEqual(b.drops.total() - before[0], 2 * len(packets))
        self.assertEqual(len(b.inner), before[1])

    def test_old_init(self):
        """An INIT seen before begins nothing."""
        a, b = self.pair()
        a.open()
        self.until(lambda: not a.attempt)
        self.settle()
        order, answers = b.current.order, b.counts["answers"]
        for datagram in a.sent:
            if datagram.type == wire.INIT:
                a.replay(datagram)
        self.settle(0.2)
        self.assertEqual(b.current.order, order)
        self.assertGreater(b.counts["answers"], answers)
        self.assertGreater(b.drops["rx_handshake"], 0)
        self.passes(a, b)

    def test_load(self):
        """Under load an INIT needs the source's cookie, and gets one."""
        b = self.make()
        a = self.make(b)
        for _ in range(peer.LOAD):
            b.under_load(peer.time.monotonic())
        a.open()
        self.until(a.up)
        self.assertEqual(b.drops["rx_rate"], 1)
        self.assertNotEqual(a.links[0].source, session.NO_COOKIE)

    def test_booted(self):
        """A host whose clock has just begun answers, too."""
        b = self.make()
        a = self.make(b)
        with mock.patch.object(peer, "COOKIE_PERIOD", 1e12):
            a.open()
            self.until(a.up)

    def test_wrong(self):
        """No association with another key or cipher, or with oneself."""
        b = self.make()
        for keys, reason in (
                (session.Keys(KEY[::-1]), "rx_unknown"),
                (session.Keys(KEY, wire.AES_GCM), "rx_handshake")):
            a = self.make(b, keys=keys)
            a.open()
            self.until(lambda reason=reason: b.drops[reason])
            self.assertFalse(a.sessions + b.sessions)
        a = self.make(b, instance=b.instance)
        a.open()
        self.until(lambda: b.drops["rx_reflected"])

    def test_hooks(self):
        """Chosen values are sent; changed packets are dropped."""
        b = self.make()
        a = self.make(b, instance=77)
        a.next_counter, a.next_index, a.next_ephemeral = 1000, 99, KEY
        a.open()
        init = a.keys.open_init(a.sent[0].data)
        self.assertEqual((init.hello.counter, init.hello.sender,
                          init.hello.instance, init.init.ephemeral),
                         (1000, 99, 77, noise.public_key(KEY)))
        self.until(a.up)
        self.assertEqual(b.peer_instance, 77)
        a.mutate = lambda data: data[:-1] + bytes([data[-1] ^ 1])
        a.send_inner(INNER)
        self.until(lambda: b.drops["rx_auth"] == 1)
        self.passes(a, b)

    def test_bye(self):
        """BYE ends it; the next attempt begins a new one."""
        a, b = self.pair()
        a.bye(instance=5)
        self.until(lambda: b.drops["rx_malformed"])
        self.passes(a, b)
        a.bye()
        self.until(lambda: not b.sessions)
        a.open()
        self.until(lambda: b.current)
        self.assertEqual(b.associations, 2)

    def test_policy(self):
        """A policy is answered; an older one does not replace it."""
        a, b = self.pair()
        path = a.paths[min(a.paths)]
        for version in (2, 1):
            path.policy_answer = None
            a.send_control(path, wire.SET, wire.Policy(
                path.ident, version, weight=version, name=b"lte").pack())
            self.until(lambda: path.policy_answer)
            self.assertEqual(path.policy_answer.version, 2)
        self.assertEqual(b.paths[path.ident].policy.weight, 2)
        self.assertEqual(b.paths[path.ident].policy.name, b"lte")

    def test_forgotten(self):
        """A probe with a forgotten id is refused, and gets another id."""
        a, b = self.pair()
        ident = a.paths[min(a.paths)].ident
        b.drop_path(b.paths[ident], False)
        a.probe(a.paths[ident])
        self.until(lambda: ident not in a.paths and a.up())
        self.assertEqual(a.counts[f"status {wire.ABANDON}"], 1)
        self.assertNotIn(ident, b.paths)
        self.passes(a, b)


class Vectors(unittest.TestCase):
    """The headers for the unit tests of the module."""

    def test_check(self):
        """They are what vectors.py writes; a change is detected."""
        self.assertFalse(vectors.differing())
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with mock.patch.object(vectors, "TESTS", folder):
                files = [file for file, _ in vectors.headers()]
                self.assertEqual(len(files), 2)
                for file in files:
                    file.parent.mkdir()
                self.assertEqual(vectors.differing(), files)
                vectors.main([])
                self.assertFalse(vectors.differing())
                for file in files:
                    text = file.read_text("ascii")
                    file.write_text(text.replace("0x0", "0x1", 1),
                                    "ascii")
                    self.assertEqual(vectors.differing(), [file])
                    file.write_text(text, "ascii")

    def test_shown(self):
        """Documentation/vectors.rst shows one of them."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            vectors.main(["--rst"])
        text = (vectors.TOP / "Documentation" / "vectors.rst").read_text(
            "utf-8")
        self.assertEqual(len(out.getvalue().splitlines()), 11)
        self.assertIn(out.getvalue(), text)


class Attacks(unittest.TestCase):
    """A correct Peer withstands them; each missing check is detected."""

    @staticmethod
    def outcome(*args):
        """The output of attack.py about a Peer."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = attack.main(["--self", *args])
        return status, out.getvalue()

    def test_all(self):
        """No attack succeeds, and none is skipped."""
        status, out = self.outcome()
        self.assertEqual(status, 0, out)
        self.assertNotIn("SKIP", out)
        self.assertIn(f"1..{len(attack.ATTACKS)}\n", out)

    def test_ciphers(self):
        """No attack succeeds with the other ciphers."""
        for cipher in ("aes-gcm", "auth-only"):
            status, out = self.outcome(
                "--cipher", cipher, "flipped_packets", "cut_packets",
                "spliced_sessions", "wrong_key", "wrong_cipher")
            self.assertEqual(status, 0, out)

    def fails(self, words, *args):
        """The attack succeeds, for that reason."""
        status, out = self.outcome(*args)
        self.assertEqual(status, 1, out)
        self.assertIn(words, out)

    def test_judge(self):
        """Duplicated and invented packets are detected."""
        true = target.PeerTarget.delivered
        for more, words in ((lambda got: got[:1], "delivered 2 times"),
                            (lambda _: [INNER], "was not sent")):
            with mock.patch.object(
                    target.PeerTarget, "delivered",
                    lambda goal, more=more: true(goal) + more(true(goal))):
                self.fails(words, "replayed")

    def test_dead(self):
        """A tunnel that does not work any more has not withstood."""
        with mock.patch.object(suite, "PATIENCE", 1.0):
            with mock.patch.object(target.PeerTarget, "send",
                                   lambda goal, packet: None):
                self.fails("no good packet passes from", "flipped_init")
            with mock.patch.object(target.PeerTarget, "delivered",
                                   lambda goal: []):
                self.fails("no good packet passes to", "flipped_init")
            with mock.patch.object(peer.Peer, "respond",
                                   lambda *args: None):
                self.fails("a new peer is not taken", "replayed")

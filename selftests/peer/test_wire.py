# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Tests of primitives, handshakes and messages, see selftest.py."""

import hashlib
import struct
import unittest

from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers.aead import (AESGCM,
                                                         ChaCha20Poly1305)

import noise
import session
import wire

KEY = bytes(range(1, 33))
SEALED = (wire.CHACHA20_POLY1305, wire.AES_GCM, wire.AUTH_ONLY)
SUNSCREEN = (b"Ladies and Gentlemen of the class of '99: If I could offer you "
             b"only one tip for the future, sunscreen would be it.")


def flips(data):
    """Each bit of each byte turned over, one at a time."""
    for at in range(len(data)):
        for bit in range(8):
            out = bytearray(data)
            out[at] ^= 1 << bit
            yield bytes(out)


class Primitives(unittest.TestCase):
    """Published vectors."""

    def test_blake2s(self):
        """RFC 7693, appendix B and E."""
        self.assertEqual(
            noise.blake2s(b"abc").hex(), "508c5e8c327c14e2e1a72ba34eeb452f"
            "37458b209ed63a294d999b4c86675982")
        grand = hashlib.blake2s()
        for size in (16, 20, 28, 32):
            for length in (0, 3, 64, 65, 255, 1024):
                data = self.sequence(length, length)
                grand.update(hashlib.blake2s(data, digest_size=size).digest())
                key = self.sequence(size, size)
                grand.update(noise.mac(key, data, size))
        self.assertEqual(
            grand.hexdigest(), "6a411f08ce25adcdfb02aba641451cec"
            "53c598b24f4fc787fbdc88797f4c1dfe")

    @staticmethod
    def sequence(length, seed):
        """The generator of RFC 7693, appendix E."""
        out = bytearray()
        a, b = 0xDEAD4BAD * seed & 0xffffffff, 1
        for _ in range(length):
            a, b = b, (a + b) & 0xffffffff
            out.append(b >> 24)
        return bytes(out)

    def test_x25519(self):
        """RFC 7748, sections 5.2 and 6.1."""
        shared = noise.exchange(
            bytes.fromhex("a546e36bf0527c9d3b16154b82465edd"
                          "62144c0ac1fc5a18506a2244ba449ac4"),
            bytes.fromhex("e6db6867583030db3594c1a424b15f7c"
                          "726624ec26b3353b10a903a6d0ab1c4c"))
        self.assertEqual(
            shared.hex(), "c3da55379de9c6908e94ea4df28d084f"
            "32eccf03491c71f754b4075577a28552")
        k = u = bytes([9]) + bytes(31)
        for _ in range(1000):
            k, u = noise.exchange(k, u), k
        self.assertEqual(k.hex(), "684cf59ba83309552800ef566f2f4d3c"
                         "1c3887c49360e3875f2eb94d99532c51")

    def test_low_order(self):
        """A public key that makes the secret zero is refused."""
        for public in (bytes(32), b"\1" + bytes(31)):
            with self.assertRaises(noise.NoiseError):
                noise.exchange(KEY, public)

    def test_chacha20_poly1305(self):
        """RFC 8439, section 2.8.2."""
        sealed = ChaCha20Poly1305(bytes(range(0x80, 0xa0))).encrypt(
            bytes.fromhex("070000004041424344454647"), SUNSCREEN,
            bytes.fromhex("50515253c0c1c2c3c4c5c6c7"))
        self.assertEqual(sealed[:16].hex(),
                         "d31a8d34648e60db7b86afbc53ef7ec2")
        self.assertEqual(sealed[-16:].hex(),
                         "1ae10b594f09e26a7e902ecbd0600691")

    def test_xchacha(self):
        """draft-irtf-cfrg-xchacha-03, sections 2.2.1 and A.3.1."""
        self.assertEqual(noise.hchacha20(
            bytes(range(32)),
            bytes.fromhex("000000090000004a0000000031415927")).hex(),
            "82413b4227b27bfed30e42508a877d73"
            "a0f9e4d58a74a853c12ec41326d3ecdc")
        args = (bytes(range(0x80, 0xa0)), bytes(range(0x40, 0x58)),
                bytes.fromhex("50515253c0c1c2c3c4c5c6c7"))
        sealed = noise.xchacha_seal(*args, SUNSCREEN)
        self.assertEqual(sealed[:16].hex(),
                         "bd6d179d3e83d43b9576579493c0e939")
        self.assertEqual(sealed[-16:].hex(),
                         "c0875924c1c7987947deafd8780acf49")
        self.assertEqual(noise.xchacha_open(*args, sealed), SUNSCREEN)

    def test_aes_gcm(self):
        """The GCM specification, cases 13 and 14."""
        self.assertEqual(AESGCM(bytes(32)).encrypt(bytes(12), b"", None).hex(),
                         "530f8afbc74536b9a963b4f1c4cb738b")
        self.assertEqual(
            AESGCM(bytes(32)).encrypt(bytes(12), bytes(16), None).hex(),
            "cea7403d4d606b6e074ec5d3baf39d18"
            "d0d1c8a799996bf0265b98b5d48ab919")


def straight_hmac(key, data):
    """RFC 2104 with BLAKE2s, whose blocks have 64 bytes."""
    key = key.ljust(64, b"\0")
    inside = hashlib.blake2s(bytes(b ^ 0x36 for b in key) + data).digest()
    return hashlib.blake2s(bytes(b ^ 0x5c for b in key) + inside).digest()


class Straight:
    """NNpsk0 once more, line by line, with nothing of noise.py."""

    def __init__(self, psk, prologue, ephemerals, payloads):
        a, b = (x25519.X25519PrivateKey.from_private_bytes(e)
                for e in ephemerals)
        public = [noise.public_key(e) for e in ephemerals]
        h = hashlib.blake2s(b"Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s").digest()
        ck = h
        h = hashlib.blake2s(h + prologue).digest()
        # psk
        t = straight_hmac(ck, psk)
        ck = straight_hmac(t, b"\x01")
        mid = straight_hmac(t, ck + b"\x02")
        h = hashlib.blake2s(h + mid).digest()
        # e
        h = hashlib.blake2s(h + public[0]).digest()
        t = straight_hmac(ck, public[0])
        ck = straight_hmac(t, b"\x01")
        k = straight_hmac(t, ck + b"\x02")
        one = ChaCha20Poly1305(k).encrypt(bytes(12), payloads[0], h)
        h = hashlib.blake2s(h + one).digest()
        # e
        h = hashlib.blake2s(h + public[1]).digest()
        t = straight_hmac(ck, public[1])
        ck = straight_hmac(t, b"\x01")
        # ee
        shared = a.exchange(b.public_key())
        t = straight_hmac(ck, shared)
        ck = straight_hmac(t, b"\x01")
        k = straight_hmac(t, ck + b"\x02")
        two = ChaCha20Poly1305(k).encrypt(bytes(12), payloads[1], h)
        # Split()
        t = straight_hmac(ck, b"")
        k1 = straight_hmac(t, b"\x01")
        self.messages = (public[0], one), (public[1], two)
        self.keys = k1, straight_hmac(t, k1 + b"\x02")


class Noise(unittest.TestCase):
    """The state machine."""

    def setUp(self):
        self.ephemerals = (bytes(range(32, 64)), bytes(range(64, 96)))
        self.payloads = (b"to the responder", b"to the initiator")
        self.sides = [noise.HandshakeState(first, KEY, b"mptun 1", ephemeral)
                      for first, ephemeral in zip((True, False),
                                                  self.ephemerals)]

    def test_straight(self):
        """Messages and keys are those of the second derivation."""
        want = Straight(KEY, b"mptun 1", self.ephemerals, self.payloads)
        one, other = self.sides
        first = one.write_message(self.payloads[0])
        self.assertEqual(first, want.messages[0])
        self.assertEqual(other.read_message(*first), self.payloads[0])
        second = other.write_message(self.payloads[1])
        self.assertEqual(second, want.messages[1])
        self.assertEqual(one.read_message(*second), self.payloads[1])
        self.assertEqual(one.split(), want.keys)
        self.assertEqual(other.split(), want.keys)

    def test_order(self):
        """Messages out of turn are refused."""
        one, other = self.sides
        with self.assertRaises(noise.NoiseError):
            other.write_message(b"")
        with self.assertRaises(noise.NoiseError):
            one.split()
        one.write_message(b"")
        with self.assertRaises(noise.NoiseError):
            one.write_message(b"")

    def test_different(self):
        """With another key or prologue nothing opens."""
        message = self.sides[0].write_message(b"x")
        for key, prologue in ((KEY[::-1], b"mptun 1"), (KEY, b"mptun 2")):
            with self.assertRaises(noise.NoiseError):
                noise.HandshakeState(False, key, prologue).read_message(
                    *message)


class Wire(unittest.TestCase):
    """Messages built and parsed again."""

    def test_messages(self):
        """Every field survives."""
        init = wire.Init(b"h" * 56, 1, 2, b"k" * 8, b"e" * 32, b"t" * 16,
                         b"1" * 16, b"2" * 16)
        self.assertEqual(wire.Init.parse(init.pack()), init)
        self.assertEqual(init.pack()[136:], b"1" * 16 + b"2" * 16)
        response = wire.Response(7, b"h" * 56, b"e" * 32, b"t" * 16, b"1" * 16)
        self.assertEqual(wire.Response.parse(response.pack()), response)
        self.assertEqual(response.pack()[120:], b"1" * 16)
        cookie = wire.Cookie(7, b"n" * 24, b"c" * 16, b"s" * 16, b"t" * 16)
        self.assertEqual(wire.Cookie.parse(cookie.pack()), cookie)
        hello = wire.Hello(1, 2, 3, 4, 5, 6, 0, b"c" * 16)
        self.assertEqual(wire.Hello.parse(hello.pack()), hello)
        self.assertEqual(hello.pack()[:4], b"\0\0\0\1")
        self.assertEqual(hello.pack()[36:40], b"\4\0\0\0")

    def test_example(self):
        """The example of Documentation/protocol.rst."""
        data = bytes.fromhex(
            "04010000c0ffee01" "00060000000003e8" "10e900025f3a10c2"
            "0012d6874500001c" "123440004001149d" "0a0700020a070001"
            "0800edf30a0b0001")
        outer = wire.Outer.parse(data)
        self.assertEqual(outer.receiver, 0xc0ffee01)
        self.assertEqual(wire.split_number(outer.number), (3, 1000, False))
        inner = wire.Inner.parse(data[16:])
        inner.check(False)
        self.assertEqual((inner.kind, inner.fseq, inner.prev, inner.dsn,
                          inner.time), (wire.DATA, 233, 2, 0x5f3a10c2,
                                        1234567))
        self.assertEqual(outer.pack() + inner.pack(), data)

    def test_checks(self):
        """Errors that are detected without state."""
        for data, reason in (
                (bytes(15), "rx_short"), (bytes(16), "rx_version"),
                (wire.Outer(wire.INIT).pack() + bytes(153), "rx_short"),
                (wire.Outer(wire.RESPONSE).pack(), "rx_short"),
                (wire.Outer(wire.INIT, 1).pack() + bytes(152),
                 "rx_handshake"),
                (wire.Outer(wire.COOKIE, 1, 1).pack() + bytes(72),
                 "rx_handshake"),
                (wire.Outer(wire.PACKET, flags=1).pack(), "rx_version"),
                (wire.Outer(5).pack(), "rx_version")):
            with self.assertRaises(wire.WireError) as got:
                wire.Outer.parse(data)
            self.assertEqual(str(got.exception), reason)

    def test_blocks(self):
        """Blocks, and those that do not parse."""
        ack = wire.Ack(3, [(90, 100), (50, 80), (0, 0)], 1, 2, 3, 4, 5, 6)
        data = ack.pack() + wire.block(99, b"skip") + wire.status(
            3, wire.ABANDON) + wire.floor(3, 9) + wire.settled(
                8) + wire.room(1, 2, 3)
        policy = wire.Policy(3, 7, 1, 4, 2, 5, 100, 1 << 40, b"lte")
        caps = wire.Caps(9, [(17, 53, 64, 1000), (256, 0, 46, 1 << 40)],
                         sched=5)
        data += policy.pack() + policy.answer() + caps.pack() + caps.answer()
        self.assertEqual(list(wire.parse_blocks(data)), [
            (wire.ACK, ack), (wire.STATUS, (3, 2)), (wire.FLOOR, (3, 9)),
            (wire.SETTLED, 8), (wire.ROOM, (1, 2, 3)),
            (wire.POLICY, policy),
            (wire.POLICY, wire.Policy(3, 7, 0xc0, weight=0, spill=0)),
            (wire.CAPS, caps), (wire.CAPS, wire.Caps(9, [], 0xc0))])
        for bad in (b"\1\0\0", b"\1\0\0\5" + bytes(5), b"\5\0\0\4",
                    wire.block(wire.STATUS, bytes(8)),
                    wire.block(wire.POLICY, bytes(40)),
                    wire.Policy(3, 7, weight=0).pack(),
                    wire.Caps(0).pack(), wire.Caps(1, flags=1).pack(),
                    wire.Caps(1, [(17, 0, 64, 0)]).pack(),
                    wire.Caps(1, [(257, 0, 64, 1)]).pack(),
                    wire.Caps(1, [(17, 0, 65, 1)]).pack(),
                    wire.Caps(1, [(17, 0, 64, 1)] * 16).pack(),
                    wire.block(wire.CAPS, bytes(4)),
                    wire.Policy(3, 7, flags=0x10).pack(),
                    wire.Policy(3, 7, status=wire.ABANDON).pack(),
                    wire.Policy(3, 7, rate=1 << 61).pack(),
                    wire.Policy(3, 0, flags=0x40).pack(),
                    wire.block(wire.ACK, bytes(40)),
                    wire.block(wire.ACK, b"\0\1\1\0" + bytes(44))):
            with self.assertRaises(wire.WireError):
                list(wire.parse_blocks(bad))

    def test_kinds(self):
        """Kind, space and flags must be known."""
        for kind, control, flags, good in (
                (wire.DATA, False, wire.F_KNOWN, True),
                (wire.BYE, True, 0, True), (wire.DATA, True, 0, False),
                (wire.SET, False, 0, False), (wire.REPAIR, False, 0, True),
                (wire.REPAIR, True, 0, False),
                (wire.REPAIR, False, wire.F_COPY, False),
                (0, True, 0, False), (7, True, 0, False),
                (wire.DATA, False, wire.F_FRAG, True),
                (wire.SET, True, wire.F_FRAG, False),
                (wire.SET, True, wire.F_CODED, False),
                (wire.DATA, False, wire.F_COMPRESSED, False),
                (wire.DATA, False, 0x80, False)):
            inner = wire.Inner(kind, flags=flags)
            if good:
                inner.check(control)
            else:
                self.assertRaises(wire.WireError, inner.check, control)


    def test_fragments(self):
        """An inner packet in fragments, in any order; and what is none."""
        packet = b"\x45" + bytes(range(250)) * 5 + b"end"
        bodies = wire.fragments(packet, 500)
        self.assertEqual([len(b) for b in bodies], [504, 504, 258])
        assembly = wire.Assembly()
        for order in (0, 1, 2), (2, 0, 1):
            got = [assembly.add(0xffffffff + n & 0xffffffff, *wire.Inner(
                wire.DATA, bodies[n], flags=wire.F_FRAG).fragment())
                   for n in order]
            self.assertEqual(got, [None, None, packet])
        self.assertFalse(assembly.packets)
        for body in (b"", bodies[0][:4], b"\0\1" + bodies[0][2:],
                     b"\3\3" + bodies[0][2:], b"\0\5" + bodies[0][2:],
                     b"\0\2\0\5" + bytes(5), b"\0\2\5\xdd" + bytes(5)):
            inner = wire.Inner(wire.DATA, body, flags=wire.F_FRAG)
            self.assertRaises(wire.WireError, inner.fragment)

    def test_fill(self):
        """The checksum of TCP and UDP is filled in, where there is one."""
        udp = bytes.fromhex("4500001d00004000401100000a0000010a000002"
                            "0001000200090000" "61")
        full = wire.fill(udp)
        self.assertEqual((full[:26], full[28:]), (udp[:26], udp[28:]))
        pseudo = full[12:20] + struct.pack(">II", 17, 9)
        self.assertEqual(wire.checksum(pseudo + full[20:]), 0)
        tcp = udp[:9] + b"\6" + udp[10:20] + bytes(24)
        self.assertNotEqual(wire.fill(tcp)[36:38], bytes(2))
        six = b"\x60" + bytes(5) + b"\x11" + bytes(33) + udp[20:]
        self.assertNotEqual(wire.fill(six)[46:48], bytes(2))
        for at, value in ((9, 1), (6, 0x20), (7, 1)):
            bad = udp[:at] + bytes([value]) + udp[at + 1:]
            self.assertRaises(wire.WireError, wire.fill, bad)
        self.assertRaises(wire.WireError, wire.fill, udp[:27])


class Handshake(unittest.TestCase):
    """INIT, RESPONSE and COOKIE between two Keys."""

    def setUp(self):
        self.keys = session.Keys(KEY)
        self.hello = wire.Hello(11, 1001, 5)
        self.attempt = self.keys.attempt(self.hello)
        self.init = self.keys.init_bytes(self.attempt)

    def test_key(self):
        """Derived keys, by hashlib alone; key files."""
        for label, got in ((b"mptun 1 mac1", self.keys.mac1_key),
                           (b"mptun 1 cookie", self.keys.cookie_key)):
            self.assertEqual(got, hashlib.blake2s(label, key=KEY).digest())
        want = hashlib.blake2s(b"mptun 1 key id", key=KEY).digest()[:8]
        self.assertEqual(self.keys.key_id, want)
        self.assertEqual(int(self.keys.fingerprint, 16),
                         int.from_bytes(want, "big"))
        for text in (KEY.hex(), " " + KEY.hex().upper() + "\n",
                     "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\n"):
            self.assertEqual(session.read_key(text), KEY)
        for text in ("", "AQID", bytes(32).hex(), KEY.hex() + "00", "x" * 44):
            self.assertRaises(ValueError, session.read_key, text)

    def test_layout(self):
        """Where the macs are, and what they cover."""
        data = self.keys.init_bytes(self.attempt, b"s" * 16)
        self.assertEqual(len(data), 168)
        self.assertEqual(data[:24], bytes.fromhex("01010000") + bytes(16) +
                         struct.pack(">I", 11))
        self.assertEqual(data[24:32], self.keys.key_id)
        self.assertEqual(data[136:152], hashlib.blake2s(
            data[:136], key=self.keys.mac1_key, digest_size=16).digest())
        self.assertEqual(data[152:], hashlib.blake2s(
            data[:152], key=b"s" * 16, digest_size=16).digest())
        self.assertEqual(self.init, data[:152] + bytes(16))
        self.assertTrue(self.keys.mac2_good(b"s" * 16, data))
        self.assertFalse(self.keys.mac2_good(b"s" * 16, self.init))

    def test_both(self):
        """Both ends get the same keys, with all ciphers."""
        for cipher in SEALED:
            keys = session.Keys(KEY, cipher)
            attempt = keys.attempt(wire.Hello(11, 1001, 5, cipher))
            opened = keys.open_init(keys.init_bytes(attempt))
            self.assertEqual(opened.hello, attempt.hello)
            data, ours = keys.respond(opened, wire.Hello(
                12, 1002, 5, cipher, peer_instance=1001))
            self.assertEqual(len(data), 136)
            hello, theirs = keys.open_response(attempt, data)
            self.assertEqual(hello.sender, 12)
            self.assertEqual(ours, theirs)
            self.assertNotEqual(*ours)

    def test_straight(self):
        """INIT and RESPONSE by the second derivation."""
        ephemerals = (bytes(range(32, 64)), bytes(range(64, 96)))
        attempt = self.keys.attempt(self.hello, ephemerals[0])
        answer = wire.Hello(12, 1002, 5, peer_instance=1001)
        init = self.keys.init_bytes(attempt)
        data, keys = self.keys.respond(self.keys.open_init(init), answer,
                                       ephemerals[1])
        want = Straight(KEY, b"mptun 1", ephemerals,
                        (self.hello.pack(), answer.pack()))
        self.assertEqual((init[32:64], init[64:136]), want.messages[0])
        self.assertEqual((data[16:48], data[48:120]), want.messages[1])
        self.assertEqual(keys, want.keys)

    def test_init_flips(self):
        """No changed INIT is opened; mac2 aside."""
        for data in flips(self.init[:152]):
            with self.assertRaises((session.SessionError, wire.WireError)):
                data += bytes(16)
                wire.Outer.parse(data)
                self.keys.open_init(data)

    def test_init_insider(self):
        """A peer with the key cannot forge index, cipher or receiver."""
        for hello, sender, target in ((wire.Hello(11, 1001, 5), 12, 0),
                                      (wire.Hello(11, 1001, 5), 11, 1),
                                      (wire.Hello(11, 1, 5, 3), 11, 0)):
            init = self.keys.attempt(hello).init
            init.sender, init.to = sender, target
            init.mac1 = self.keys.mac1(init.pack()[:wire.Init.MAC1_AT])
            with self.assertRaises(session.SessionError) as got:
                self.keys.open_init(init.pack())
            self.assertEqual(str(got.exception), "rx_handshake")

    def test_low_order(self):
        """An INIT with a public key of low order gets no RESPONSE."""
        opened = self.keys.open_init(self.init)
        opened.state.remote = bytes(32)
        self.assertRaises(session.SessionError, self.keys.respond, opened,
                          self.hello)

    def response(self, **changes):
        """A RESPONSE to the attempt, with another hello."""
        fields = {"sender": 12, "instance": 1002, "counter": 5,
                  "peer_instance": 1001, **changes}
        return self.keys.respond(self.keys.open_init(self.init),
                                 wire.Hello(**fields))[0]

    def test_response_flips(self):
        """No changed RESPONSE is opened, and none spoils the attempt."""
        good = self.response()
        for data in flips(good):
            # the receiver index finds the attempt and is covered by mac1
            with self.assertRaises((session.SessionError, wire.WireError)):
                wire.Outer.parse(data)
                self.keys.open_response(self.attempt, data)
        self.keys.open_response(self.attempt, good)

    def test_response_wrong(self):
        """A RESPONSE to somebody else, or with another cipher."""
        for changes in ({"counter": 6}, {"peer_instance": 1003},
                        {"cipher": wire.AES_GCM}):
            with self.assertRaises(session.SessionError):
                self.keys.open_response(self.attempt,
                                        self.response(**changes))

    def test_cookie(self):
        """A COOKIE opens for its INIT only, and no changed one does."""
        data = self.keys.cookie(11, self.attempt.init, b"c" * 16, b"s" * 16)
        self.assertEqual(len(data), 88)
        self.assertEqual(self.keys.open_cookie(self.attempt, data),
                         (b"c" * 16, b"s" * 16))
        self.assertRaises(session.SessionError, self.keys.open_cookie,
                          self.keys.attempt(self.hello), data)
        for bad in flips(data):
            if bad[:16] == data[:16]:
                self.assertRaises(session.SessionError, self.keys.open_cookie,
                                  self.attempt, bad)

    def test_wrong_key(self):
        """Another key has another id, and with our id another mac."""
        other = session.Keys(KEY[::-1])
        attempt = other.attempt(self.hello)
        with self.assertRaises(session.SessionError) as got:
            self.keys.open_init(other.init_bytes(attempt))
        self.assertEqual(str(got.exception), "rx_unknown")
        attempt.init.key_id = self.keys.key_id
        with self.assertRaises(session.SessionError) as got:
            self.keys.open_init(other.init_bytes(attempt))
        self.assertEqual(str(got.exception), "rx_mac")

    def test_clear(self):
        """The messages of clear mode."""
        one, other = session.ClearKeys(1, 2), session.ClearKeys(2, 1)
        hello = wire.Hello(11, 1001, 5, wire.CLEAR)
        attempt = one.attempt(hello)
        data = one.init_bytes(attempt, b"s" * 16)
        self.assertEqual(data[16:24], struct.pack(">II", 2, 1))
        self.assertEqual(data[24:64] + data[120:], bytes(88))
        self.assertRaises(session.SessionError, one.open_init, data)
        opened = other.open_init(data)
        self.assertEqual(opened.hello, hello)
        cookie = other.cookie(11, opened.init, b"c" * 16)
        self.assertEqual(one.open_cookie(attempt, cookie)[0], b"c" * 16)
        self.assertEqual(cookie[16:40], struct.pack(">Q16x", 5))
        response, _ = other.respond(opened, wire.Hello(
            12, 1002, 5, wire.CLEAR, peer_instance=1001))
        self.assertEqual(one.open_response(attempt, response)[0].sender, 12)


class Packets(unittest.TestCase):
    """PACKETs sealed and opened."""

    OUTER = wire.Outer(wire.PACKET, 7, wire.number(3, 1000)).pack()
    PLAIN = wire.Inner(wire.DATA, b"\x45" + bytes(40), dsn=5).pack()

    def test_ciphers(self):
        """Length, contents and nonce of each cipher."""
        nonces = {wire.CHACHA20_POLY1305: "00000000e803000000000600",
                  wire.AES_GCM: "0000000000060000000003e8"}
        for cipher, nonce in nonces.items():
            data = session.seal(cipher, KEY, self.OUTER, self.PLAIN)
            aead = AESGCM if cipher == wire.AES_GCM else ChaCha20Poly1305
            self.assertEqual(data, self.OUTER + aead(KEY).encrypt(
                bytes.fromhex(nonce), self.PLAIN, self.OUTER))
        data = session.seal(wire.AUTH_ONLY, KEY, self.OUTER, self.PLAIN)
        self.assertEqual(data[:-16], self.OUTER + self.PLAIN)
        self.assertEqual(data[-16:], ChaCha20Poly1305(KEY).encrypt(
            bytes.fromhex(nonces[wire.CHACHA20_POLY1305]), b"", data[:-16]))
        self.assertEqual(session.seal(wire.CLEAR, None, self.OUTER,
                                      self.PLAIN), self.OUTER + self.PLAIN)

    def test_open(self):
        """Each opens; no changed, cut or otherwise sealed one does."""
        for cipher in SEALED:
            data = session.seal(cipher, KEY, self.OUTER, self.PLAIN)
            self.assertEqual(session.open_packet(cipher, KEY, data),
                             self.PLAIN)
            bad = list(flips(data)) + [data[:n] for n in range(16, len(data))]
            bad += [session.seal(c, KEY, self.OUTER, self.PLAIN)
                    for c in SEALED + (wire.CLEAR,) if c != cipher]
            for one in bad:
                self.assertRaises(session.SessionError, session.open_packet,
                                  cipher, KEY, one)

# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Tests of repair symbols, see selftest.py."""

import random
import unittest

import coding


def packets(first, count):
    """Symbols by dsn, of any lengths."""
    dice = random.Random(count)
    return {(first + n) & coding.U32:
            coding.Symbol(dice.randbytes(dice.randint(1, 200)), n,
                          n % 2, n % 16) for n in range(count)}


class Coding(unittest.TestCase):
    """The field, sums, and their solution."""

    def test_field(self):
        """Products as those of polynomials."""
        for a in range(256):
            for b in (0, 1, 2, 3, 0x1d, 0x80, 0xff):
                value = 0
                for n in range(8):
                    value ^= (a << n) * (b >> n & 1)
                for n in range(14, 7, -1):
                    value ^= (coding.POLYNOMIAL << n - 8) * (value >> n & 1)
                self.assertEqual(coding.mul(a, b), value)
        for a in range(1, 256):
            self.assertEqual(coding.mul(a, coding.inverse(a)), 1)

    def test_pack(self):
        """A REPAIR is read as it was written."""
        have = packets(0xfffffff0, 128)
        for step in (2, 3, 64):
            made = coding.Repair.make(have, list(have)[::step], 7)
            self.assertEqual(coding.Repair.unpack(made.last, made.pack()),
                             made)
        with self.assertRaises(coding.CodingError):
            coding.Repair.unpack(0, coding.Repair.make(have, have, 1).pack())

    def test_decode(self):
        """As many losses as symbols, and one more."""
        have = packets(0xffffffe0, 64)
        dsns = list(have)
        for count in (1, 2, 5, 20):
            decoder = coding.Decoder()
            lost = random.Random(count).sample(dsns, count + 1)
            for dsn in dsns:
                if dsn not in lost[1:]:
                    decoder.packet(dsn, have[dsn])
            for seed in range(count):
                made = coding.Repair.make(have, dsns, seed)
                decoder.repair(made.last, made.pack())
            self.assertEqual(decoder.solve(),
                             {dsn: have[dsn] for dsn in lost[1:]})

    def test_contradiction(self):
        """A symbol that another one contradicts, and one of no packet."""
        have = packets(0, 10)
        made = coding.Repair.make(have, list(have), 1)
        made.data = bytes((made.data[0] ^ 0x80,)) + made.data[1:]
        for lost in (0, 1):
            decoder = coding.Decoder()
            for dsn, symbol in list(have.items())[lost:]:
                decoder.packet(dsn, symbol)
            decoder.repair(made.last, made.pack())
            with self.assertRaises(coding.CodingError):
                decoder.solve()

# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Repair symbols: sums of packets over GF(2^8), and their decoder.

Made from Documentation/protocol.rst, in another way than the module: products
by tables of logarithms, and a decoder that keeps all symbols and solves the
whole system with Gauss and Jordan each time it is asked.
"""

import struct
from dataclasses import dataclass

POLYNOMIAL = 0x11d
SPAN = 128
MEMBERS = 64
FLAGS = 0x01 | 0x02 | 0x10
U32 = 0xffffffff


class CodingError(Exception):
    """A symbol that does not parse, or contradicts what is known."""


def tables():
    """Powers of 2 in the field, twice, and logarithms."""
    power, log, value = [], {}, 1
    for n in range(255):
        power.append(value)
        log[value] = n
        value <<= 1
        if value & 0x100:
            value ^= POLYNOMIAL
    return power * 2, log


POWER, LOG = tables()


def mul(a, b):
    """The product of two elements."""
    return POWER[LOG[a] + LOG[b]] if a and b else 0


def inverse(a):
    """What gives 1 with an element that is not 0."""
    return POWER[255 - LOG[a]]


def times(data, factor):
    """Bytes times a factor."""
    table = bytes(mul(n, factor) for n in range(256))
    return data.translate(table)


def add(a, b):
    """The sum of two strings of bytes; the shorter one has zeros behind it."""
    size = max(len(a), len(b))
    total = int.from_bytes(a.ljust(size, b"\0"), "big") \
        ^ int.from_bytes(b.ljust(size, b"\0"), "big")
    return total.to_bytes(size, "big")


def coefficient(seed, dsn):
    """The coefficient of a member."""
    x = (dsn + seed * 0x9e3779b9) & U32
    x = (x ^ x >> 16) * 0x85ebca6b & U32
    x = (x ^ x >> 13) * 0xc2b2ae35 & U32
    x ^= x >> 16
    return ((x >> 24) * 255 >> 8) + 1


@dataclass
class Symbol:
    """A DATA packet as it is coded."""

    body: bytes
    prev: int = 0
    flags: int = 0
    klass: int = 0

    def pack(self):
        """Its bytes, without the zeros behind them."""
        return struct.pack(">HHBB", len(self.body), self.prev,
                           self.flags & FLAGS, self.klass) + self.body

    @classmethod
    def unpack(cls, data):
        """The packet, if these bytes are one."""
        if len(data) < 6:
            raise CodingError("too short")
        size, prev, flags, klass = struct.unpack_from(">HHBB", data)
        if not size or 6 + size > len(data) or any(data[6 + size:]) or \
                flags & ~FLAGS or klass > 15:
            raise CodingError("not a symbol")
        return cls(data[6:6 + size], prev, flags, klass)


@dataclass
class Repair:
    """A REPAIR: the dsn of its header and its body."""

    members: list
    seed: int
    data: bytes

    @classmethod
    def make(cls, symbols, members, seed):
        """The sum of some of the symbols, a dict by dsn; oldest first."""
        data = b""
        for dsn in members:
            data = add(data, times(symbols[dsn].pack(),
                                   coefficient(seed, dsn)))
        return cls(list(members), seed, data)

    @property
    def last(self):
        """The dsn of the header."""
        return self.members[-1]

    def pack(self):
        """Its body."""
        bits = sum(1 << ((self.last - dsn) & U32) for dsn in self.members)
        words = []
        while bits:
            words.append(bits & U32)
            bits >>= 32
        return struct.pack(f">HBB{len(words)}I", self.seed, len(words), 0,
                           *words) + self.data

    @classmethod
    def unpack(cls, last, body):
        """A REPAIR that was received."""
        if len(body) < 4:
            raise CodingError("too short")
        seed, count, reserved = struct.unpack_from(">HBB", body)
        if not 1 <= count <= SPAN // 32 or reserved or \
                len(body) <= 4 + 4 * count + 6:
            raise CodingError("a bad header")
        words = struct.unpack_from(f">{count}I", body, 4)
        bits = sum(word << 32 * n for n, word in enumerate(words))
        members = [(last - n) & U32 for n in reversed(range(SPAN))
                   if bits >> n & 1]
        if not words[-1] or not bits & 1 or len(members) > MEMBERS:
            raise CodingError("a bad map")
        return cls(members, seed, body[4 + 4 * count:])


class Decoder:
    """Keeps everything, and solves everything."""

    def __init__(self):
        self.known, self.repairs = {}, []

    def packet(self, dsn, symbol):
        """A packet that arrived."""
        if self.known.setdefault(dsn, symbol) != symbol:
            raise CodingError(f"{dsn} is another packet")

    def repair(self, last, body):
        """A REPAIR that arrived."""
        self.repairs.append(Repair.unpack(last, body))

    def rows(self):
        """Equations of what is unknown: coefficients by dsn, and bytes."""
        for repair in self.repairs:
            row, data = {}, repair.data
            for dsn in repair.members:
                factor = coefficient(repair.seed, dsn)
                if dsn in self.known:
                    data = add(data, times(self.known[dsn].pack(), factor))
                else:
                    row[dsn] = factor
            yield row, data

    def solve(self):
        """The packets that can be decoded now, by dsn."""
        done = []
        for row, data in self.rows():
            for other, pivot, values in done:
                row, data = reduce(row, data, other, pivot, values)
            if not row:
                if any(data):
                    raise CodingError("a contradiction")
                continue
            pivot = max(row)
            factor = inverse(row[pivot])
            row = {dsn: mul(c, factor) for dsn, c in row.items()}
            data = times(data, factor)
            done = [(*reduce(other, values, row, pivot, data), at)
                    for other, at, values in done]
            done = [(other, at, values) for other, values, at in done]
            done.append((row, pivot, data))
        found = {pivot: Symbol.unpack(data) for row, pivot, data in done
                 if len(row) == 1}
        self.known.update(found)
        return found


def reduce(row, data, other, pivot, values):
    """An equation less another one, so that the pivot of that is not in it."""
    factor = row.get(pivot, 0)
    if not factor:
        return row, data
    row = {dsn: row.get(dsn, 0) ^ mul(other.get(dsn, 0), factor)
           for dsn in {*row, *other}}
    return ({dsn: c for dsn, c in row.items() if c},
            add(data, times(values, factor)))

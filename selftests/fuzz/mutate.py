# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Mutations of valid bytes, for the fuzzers in Python."""

EDGES = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256,
         1023, 1024, 1280, 1500, 4096, 16384, 32767, 32768, 65535, 65536,
         (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
         1 << 32, (1 << 47), (1 << 48) - 1, 1 << 48, (1 << 63) - 1, 1 << 63,
         (1 << 64) - 1)


def edge(rnd, size):
    """A number of size bytes at an edge case, or next to one."""
    top = (1 << (8 * size)) - 1
    value = rnd.choice(EDGES)
    if rnd.random() < 0.3:
        value = -value
    if rnd.random() < 0.3:
        value += rnd.choice((-1, 1))
    if rnd.random() < 0.2:
        value = rnd.getrandbits(8 * size)
    return value & top


def _flip(rnd, data):
    at = rnd.randrange(len(data))
    data[at] ^= 1 << rnd.randrange(8)


def _byte(rnd, data):
    data[rnd.randrange(len(data))] = rnd.choice((0, 1, 0x7f, 0x80, 0xff,
                                                 rnd.getrandbits(8)))


def _number(rnd, data):
    size = rnd.choice((1, 2, 4, 8))
    at = rnd.randrange(len(data))
    at -= at % rnd.choice((1, 2, size))
    order = rnd.choice(("big", "little"))
    new = edge(rnd, size).to_bytes(size, order)
    data[at:at + size] = new[:len(data) - at]


def _cut(rnd, data):
    del data[rnd.randrange(len(data)):]


def _remove(rnd, data):
    at = rnd.randrange(len(data))
    del data[at:at + rnd.choice((1, 2, 4, 8, 16))]


def _insert(rnd, data):
    at = rnd.randrange(len(data) + 1)
    data[at:at] = rnd.randbytes(rnd.choice((1, 2, 4, 8, 40)))


def _repeat(rnd, data):
    at = rnd.randrange(len(data))
    piece = data[at:at + rnd.choice((4, 8, 12, 44, 100))]
    data[at:at] = piece * rnd.choice((1, 1, 2, 20))


def _longer(rnd, data):
    data += rnd.randbytes(rnd.choice((1, 3, 4, 16, 100, 1000)))


WAYS = (_flip, _flip, _byte, _byte, _number, _number, _number, _cut, _remove,
        _insert, _repeat, _longer)


def mutate(rnd, data, most=1400):
    """A mutation of data, at most most bytes long."""
    data = bytearray(data)
    for _ in range(rnd.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        if data:
            rnd.choice(WAYS)(rnd, data)
        else:
            _longer(rnd, data)
    return bytes(data[:most])

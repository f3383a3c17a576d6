# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""The bytes of mptun's wire, version 1: every message, built and parsed.

Nothing here has a key: sealed parts are bytes (see session.py). Written from
Documentation/protocol.rst alone, without a look at the module.
"""

import dataclasses
import struct

VERSION = 1
PORT = 4725

INIT, RESPONSE, COOKIE, PACKET = 1, 2, 3, 4
DATA, REPAIR, REPORT, PROBE, SET, BYE = 1, 2, 3, 4, 5, 6
ACK, ROOM, FLOOR, SETTLED, STATUS, POLICY, CAPS = 1, 2, 3, 4, 5, 6, 7
AVAILABLE, BACKUP, ABANDON, ABANDONED, STANDBY = 0, 1, 2, 3, 4

COUNTER_MAX = (1 << 64) - 1

CLEAR, CHACHA20_POLY1305, AES_GCM, AUTH_ONLY = 1, 2, 3, 4
CIPHERS = {"clear": CLEAR, "chacha20-poly1305": CHACHA20_POLY1305,
           "aes-gcm": AES_GCM, "auth-only": AUTH_ONLY}

F_REPAIRABLE, F_NOCSUM, F_BLOCKS, F_COPY, F_FRAG, F_COMPRESSED, F_CODED = (
    0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40)
# where the checksum is, by the protocol
CHECKSUM_AT = {6: 16, 17: 6}
F_KNOWN = F_REPAIRABLE | F_NOCSUM | F_BLOCKS | F_COPY | F_FRAG | F_CODED
# what an end understands, in its hello
OFFER_FRAG = 0x01
OFFER_REPAIR = 0x02
FRAGS_MAX, FRAG_INNER_MAX = 4, 1500

OUTER = struct.Struct(">BBHIQ")
HELLO = struct.Struct(">IIQQQIBB2x16s")
INIT_BODY = struct.Struct(">II8s32s56s16s16s16s")
RESPONSE_BODY = struct.Struct(">32s56s16s16s")
COOKIE_BODY = struct.Struct(">24s16s16s16s")
INNER = struct.Struct(">BBHII")
PROBE_BODY = struct.Struct(">BBHIQ")
FRAG_HEAD = struct.Struct(">BBH")
ACK_BLOCK = struct.Struct(">HBxIQIIQII")
POLICY_BLOCK = struct.Struct(">HBBIBxHIQ16s")

OUTER_LEN = OUTER.size
HELLO_LEN = HELLO.size
HEADER_LEN = OUTER_LEN + INNER.size
MAC_LEN = TAG_LEN = COOKIE_LEN = 16
INIT_LEN = OUTER_LEN + INIT_BODY.size
RESPONSE_LEN = OUTER_LEN + RESPONSE_BODY.size
COOKIE_MSG_LEN = OUTER_LEN + COOKIE_BODY.size
LENGTHS = {INIT: INIT_LEN, RESPONSE: RESPONSE_LEN, COOKIE: COOKIE_MSG_LEN}
assert (OUTER_LEN, HELLO_LEN, HEADER_LEN) == (16, 56, 28)
assert LENGTHS == {INIT: 168, RESPONSE: 136, COOKIE: 88}

PN_MASK = (1 << 48) - 1
CONTROL = 1 << 48
PATH_MAX = 0x7fff


class WireError(ValueError):
    """Bytes that do not parse; the argument is the reason for the drop."""


def number(path, packet, control=False):
    """The 64 bits of the outer header that name a packet."""
    return path << 49 | (CONTROL if control else 0) | packet & PN_MASK


def split_number(value):
    """(path id, packet number, whether it is of the control space)."""
    return value >> 49, value & PN_MASK, bool(value & CONTROL)


@dataclasses.dataclass
class Outer:
    """The first 16 bytes of every datagram."""

    type: int
    receiver: int = 0
    number: int = 0
    version: int = VERSION
    flags: int = 0

    def pack(self):
        """The outer header as bytes."""
        return OUTER.pack(self.type, self.version, self.flags, self.receiver,
                          self.number)

    @classmethod
    def parse(cls, data):
        """Parse a datagram, with the checks that need no state."""
        if len(data) < OUTER_LEN:
            raise WireError("rx_short")
        kind, version, flags, receiver, value = OUTER.unpack_from(data)
        if version != VERSION or flags or not INIT <= kind <= PACKET:
            raise WireError("rx_version")
        if kind in LENGTHS and len(data) != LENGTHS[kind]:
            raise WireError("rx_short")
        if kind != PACKET and value or kind == INIT and receiver:
            raise WireError("rx_handshake")
        return cls(kind, receiver, value)


@dataclasses.dataclass
class Hello:
    """The parameters of an end, sealed inside INIT and RESPONSE."""

    sender: int
    instance: int
    counter: int
    cipher: int = CHACHA20_POLY1305
    first_dsn: int = 0
    peer_instance: int = 0
    features: int = 0
    cookie: bytes = bytes(COOKIE_LEN)
    offers: int = 0

    def pack(self):
        """The 56 bytes of a hello."""
        return HELLO.pack(self.sender, self.first_dsn, self.instance,
                          self.peer_instance, self.counter, self.features,
                          self.cipher, self.offers, self.cookie)

    @classmethod
    def parse(cls, data):
        """Parse the 56 bytes of a hello."""
        (sender, first_dsn, instance, peer_instance, counter, features,
         cipher, offers, cookie) = HELLO.unpack(data)
        return cls(sender, instance, counter, cipher, first_dsn,
                   peer_instance, features, cookie, offers)


@dataclasses.dataclass
class Init:
    """INIT; hello is sealed, or in clear in clear mode."""

    hello: bytes
    to: int = 0
    sender: int = 0
    key_id: bytes = bytes(8)
    ephemeral: bytes = bytes(32)
    tag: bytes = bytes(TAG_LEN)
    mac1: bytes = bytes(MAC_LEN)
    mac2: bytes = bytes(MAC_LEN)

    MAC1_AT = INIT_LEN - 2 * MAC_LEN
    MAC2_AT = INIT_LEN - MAC_LEN

    def pack(self):
        """The datagram."""
        return Outer(INIT).pack() + INIT_BODY.pack(
            self.to, self.sender, self.key_id, self.ephemeral, self.hello,
            self.tag, self.mac1, self.mac2)

    @classmethod
    def parse(cls, data):
        """Parse a datagram of the right length."""
        (target, sender, key_id, ephemeral, hello, tag, mac1,
         mac2) = INIT_BODY.unpack_from(data, OUTER_LEN)
        return cls(hello, target, sender, key_id, ephemeral, tag, mac1, mac2)


@dataclasses.dataclass
class Response:
    """RESPONSE; receiver is the sender's index of the INIT."""

    receiver: int
    hello: bytes
    ephemeral: bytes = bytes(32)
    tag: bytes = bytes(TAG_LEN)
    mac1: bytes = bytes(MAC_LEN)

    MAC1_AT = RESPONSE_LEN - MAC_LEN

    def pack(self):
        """The datagram."""
        return Outer(RESPONSE, self.receiver).pack() + RESPONSE_BODY.pack(
            self.ephemeral, self.hello, self.tag, self.mac1)

    @classmethod
    def parse(cls, data):
        """Parse a datagram of the right length."""
        receiver = Outer.parse(data).receiver
        ephemeral, hello, tag, mac1 = RESPONSE_BODY.unpack_from(data,
                                                                OUTER_LEN)
        return cls(receiver, hello, ephemeral, tag, mac1)


@dataclasses.dataclass
class Cookie:
    """COOKIE; cookie and source are sealed, or in clear in clear mode."""

    receiver: int
    nonce: bytes
    cookie: bytes
    source: bytes = bytes(COOKIE_LEN)
    tag: bytes = bytes(TAG_LEN)

    def pack(self):
        """The datagram."""
        return Outer(COOKIE, self.receiver).pack() + COOKIE_BODY.pack(
            self.nonce, self.cookie, self.source, self.tag)

    @classmethod
    def parse(cls, data):
        """Parse a datagram of the right length."""
        receiver = Outer.parse(data).receiver
        return cls(receiver, *COOKIE_BODY.unpack_from(data, OUTER_LEN))


@dataclasses.dataclass
class Inner:
    """The contents of a PACKET after the outer header, without the tag."""

    kind: int
    body: bytes = b""
    fseq: int = 0
    prev: int = 0
    dsn: int = 0
    flags: int = 0
    time: int = 0

    def pack(self):
        """The bytes to seal."""
        return INNER.pack(self.kind << 4, self.fseq, self.prev, self.dsn,
                          self.flags << 24 | self.time & 0xffffff) + self.body

    @classmethod
    def parse(cls, data):
        """Parse the bytes after the outer header."""
        if len(data) < INNER.size:
            raise WireError("rx_short")
        kind, fseq, prev, dsn, rest = INNER.unpack_from(data)
        return cls(kind >> 4, data[INNER.size:], fseq, prev, dsn, rest >> 24,
                   rest & 0xffffff)

    def check(self, control):
        """Raise unless kind, space and flags are known."""
        if not DATA <= self.kind <= BYE:
            raise WireError("rx_kind")
        if control == (self.kind in (DATA, REPAIR)) or self.flags & ~F_KNOWN:
            raise WireError("rx_kind")
        if self.flags & (F_FRAG | F_CODED) and self.kind != DATA:
            raise WireError("rx_kind")
        if self.flags and self.kind == REPAIR:
            raise WireError("rx_kind")

    def inner_body(self):
        """The body of a DATA without blocks."""
        data = self.body
        if self.flags & F_BLOCKS:
            if len(data) < 2:
                raise WireError("rx_malformed")
            size, = struct.unpack_from(">H", data)
            if len(data) < 2 + size:
                raise WireError("rx_malformed")
            data = data[2 + size:]
        return data

    def fragment(self):
        """The fields of a DATA with F_FRAG: (index, count, length of the whole, part)."""
        data = self.inner_body()
        if self.flags & F_NOCSUM or len(data) <= FRAG_HEAD.size:
            raise WireError("rx_malformed")
        index, count, length = FRAG_HEAD.unpack_from(data)
        part = data[FRAG_HEAD.size:]
        if not 2 <= count <= FRAGS_MAX or index >= count or \
                length > FRAG_INNER_MAX or len(part) >= length:
            raise WireError("rx_malformed")
        return index, count, length, part

    def inner_packet(self):
        """The IP packet of a DATA."""
        data = self.inner_body()
        if not data or data[0] >> 4 not in (4, 6):
            raise WireError("rx_not_ip")
        return fill(data) if self.flags & F_NOCSUM else data


def fragments(packet, size):
    """The bodies of DATA with F_FRAG for parts of that size."""
    parts = [packet[at:at + size] for at in range(0, len(packet), size)]
    return [FRAG_HEAD.pack(n, len(parts), len(packet)) + part
            for n, part in enumerate(parts)]


class Assembly:
    """Inner packets that arrive in fragments."""

    def __init__(self):
        self.packets = {}

    def add(self, dsn, index, count, length, part):
        """A fragment; returns the packet if it is complete."""
        first = (dsn - index) & 0xffffffff
        parts = self.packets.setdefault((first, count, length), {})
        parts[index] = part
        if len(parts) < count:
            return None
        del self.packets[first, count, length]
        whole = b"".join(parts[n] for n in range(count))
        if len(whole) != length:
            raise WireError("rx_malformed")
        if whole[0] >> 4 not in (4, 6):
            raise WireError("rx_not_ip")
        return whole


def checksum(data):
    """The internet checksum."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return 0xffff - total


def fill(packet):
    """The packet with the checksum of TCP or UDP that its sender left out."""
    if packet[0] >> 4 == 4:
        at, protocol = packet[0] % 16 * 4, packet[9]
        fragment = struct.unpack_from(">H", packet, 6)[0] & 0x3fff
        addresses = packet[12:20]
    else:
        at, protocol, fragment, addresses = 40, packet[6], 0, packet[8:40]
    place = at + CHECKSUM_AT.get(protocol, 0)
    if fragment or protocol not in CHECKSUM_AT or len(packet) < place + 2:
        raise WireError("rx_malformed")
    body = packet[at:place] + bytes(2) + packet[place + 2:]
    value = checksum(addresses + struct.pack(">II", protocol, len(body)) +
                     body)
    return (packet[:place] + struct.pack(">H", value or 0xffff) +
            packet[place + 2:])


@dataclasses.dataclass
class Probe:
    """Body of PROBE."""

    answer: int
    size: int
    echo: int
    token: int
    padding: int = 0
    ds: int = 0

    def pack(self):
        """The body as bytes."""
        return PROBE_BODY.pack(self.answer, self.ds, self.size, self.echo,
                               self.token) + bytes(self.padding)

    @classmethod
    def parse(cls, data):
        """Parse a body."""
        if len(data) < PROBE_BODY.size:
            raise WireError("rx_malformed")
        answer, ds, size, echo, token = PROBE_BODY.unpack_from(data)
        if answer > 1:
            raise WireError("rx_malformed")
        return cls(answer, size, echo, token, len(data) - PROBE_BODY.size, ds)


# --- blocks

def block(kind, content):
    """Header and content of a block."""
    return struct.pack(">BxH", kind, len(content)) + content


@dataclasses.dataclass
class Ack:
    """Content of an ACK; ranges are (first, last), newest first."""

    path: int
    ranges: list
    delay: int = 0
    arrival: int = 0
    packets: int = 0
    bytes: int = 0
    ce: int = 0
    ce_l4s: int = 0

    def pack(self):
        """The block."""
        data = ACK_BLOCK.pack(self.path, len(self.ranges), self.delay,
                              self.ranges[0][1], self.arrival, self.packets,
                              self.bytes, self.ce, self.ce_l4s)
        above = self.ranges[0][1] + 1
        for first, last in self.ranges:
            data += struct.pack(">II", above - last - 1, last - first + 1)
            above = first
        return block(ACK, data)

    @classmethod
    def parse(cls, data):
        """Parse the content of a block."""
        if len(data) < ACK_BLOCK.size:
            raise WireError("rx_malformed")
        (path, count, delay, largest, arrival, packets, size,
         marked, l4s) = ACK_BLOCK.unpack_from(data)
        if not 1 <= count <= 64 or len(data) != ACK_BLOCK.size + 8 * count:
            raise WireError("rx_malformed")
        ranges = []
        above = largest + 1
        for n in range(count):
            gap, length = struct.unpack_from(">II", data,
                                             ACK_BLOCK.size + 8 * n)
            last = above - gap - 1
            above = last - length + 1
            if not length or bool(gap) != bool(n) or above < 0:
                raise WireError("rx_malformed")
            ranges.append((above, last))
        return cls(path, ranges, delay, arrival, packets, size, marked, l4s)


@dataclasses.dataclass
class Policy:
    """Content of a POLICY, or of the answer to one."""

    path: int
    version: int
    flags: int = 0
    status: int = AVAILABLE
    priority: int = 0
    weight: int = 1
    spill: int = 0xffffffff
    rate: int = 0
    name: bytes = b""

    USE_BACKUP, OFF, ANSWER, FOLLOWED = 0x01, 0x02, 0x40, 0x80
    RATE_MAX = (1 << 61) - 1

    def pack(self):
        """The block."""
        return block(POLICY, POLICY_BLOCK.pack(
            self.path, self.flags, self.status, self.version, self.priority,
            self.weight, self.spill, self.rate, self.name))

    def answer(self, followed=True):
        """The block that answers it."""
        flags = self.ANSWER | (self.FOLLOWED if followed else 0)
        return Policy(self.path, self.version, flags, weight=0,
                      spill=0).pack()

    @classmethod
    def parse(cls, data):
        """Parse the content of a block."""
        (path, flags, cap, version, priority, weight, spill, rate,
         name) = POLICY_BLOCK.unpack(data)
        known = cls.USE_BACKUP | cls.OFF
        if flags & cls.ANSWER:
            known = cls.ANSWER | cls.FOLLOWED
        elif (not weight or rate > cls.RATE_MAX or
              cap not in (AVAILABLE, BACKUP, STANDBY)):
            raise WireError("rx_malformed")
        if not version or flags & ~known:
            raise WireError("rx_malformed")
        return cls(path, version, flags, cap, priority, weight, spill, rate,
                   name.split(b"\0")[0])


@dataclasses.dataclass
class Caps:
    """Content of a CAPS: rates as (protocol, port, dscp, bytes per second), and
    the number of the scheduler."""

    version: int
    rates: list = dataclasses.field(default_factory=list)
    flags: int = 0
    sched: int = 0

    ENTRY = struct.Struct(">HHB3xQ")

    def pack(self):
        """The block."""
        return block(CAPS, struct.pack(">IBBBx", self.version, self.flags,
                                       len(self.rates), self.sched) +
                     b"".join(self.ENTRY.pack(*rate) for rate in self.rates))

    def answer(self):
        """The block that answers it."""
        return Caps(self.version, [], Policy.ANSWER | Policy.FOLLOWED).pack()

    @classmethod
    def parse(cls, data):
        """Parse the content of a block."""
        if len(data) < 8:
            raise WireError("rx_malformed")
        version, flags, count, sched = struct.unpack_from(">IBBB", data)
        rates = list(cls.ENTRY.iter_unpack(data[8:]))
        answer = flags & Policy.ANSWER
        if (count != len(rates) or count > 15 or not version or answer and count or
                flags & ~(Policy.ANSWER | Policy.FOLLOWED if answer else 0)):
            raise WireError("rx_malformed")
        for protocol, _, dscp, rate in rates:
            if protocol > 256 or dscp > 64 or not 0 < rate <= Policy.RATE_MAX:
                raise WireError("rx_malformed")
        return cls(version, rates, flags, sched)


def status(path, value):
    """A STATUS block."""
    return block(STATUS, struct.pack(">HH", path, value))


def settled(dsn):
    """A SETTLED block."""
    return block(SETTLED, struct.pack(">I", dsn))


def floor(path, packet):
    """A FLOOR block."""
    return block(FLOOR, struct.pack(">H2xQ", path, packet))


def room(highest, free, given_up=0):
    """A ROOM block."""
    return block(ROOM, struct.pack(">III", highest, free, given_up))


PARSERS = {
    ACK: Ack.parse,
    ROOM: lambda data: struct.unpack(">III", data),
    FLOOR: lambda data: struct.unpack(">H2xQ", data),
    SETTLED: lambda data: struct.unpack(">I", data)[0],
    STATUS: lambda data: struct.unpack(">HH", data),
    POLICY: Policy.parse,
    CAPS: Caps.parse,
}


def parse_blocks(data):
    """Yields (type, content), parsed; unknown types are left out."""
    while data:
        if len(data) < 4:
            raise WireError("rx_malformed")
        kind, size = struct.unpack_from(">BxH", data)
        if size % 4 or len(data) < 4 + size:
            raise WireError("rx_malformed")
        if kind in PARSERS:
            try:
                yield kind, PARSERS[kind](data[4:4 + size])
            except struct.error as err:
                raise WireError("rx_malformed") from err
        data = data[4 + size:]

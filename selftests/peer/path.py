# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""What a Peer has for each of its paths, and datagrams that it remembers."""

import dataclasses
import socket

import session
import wire

AMPLIFY_MAX = 3
REPORT_AFTER = 0.003
ACK_RANGES = 64


class Window:
    """Which numbers of a space were received."""

    size = 32768

    def __init__(self):
        self.top = -1
        self.seen = set()

    def new(self, number):
        """Take a number, or say that it is old."""
        if number in self.seen or number <= self.top - self.size:
            return False
        self.seen.add(number)
        self.top = max(self.top, number)
        if len(self.seen) > 2 * self.size:
            self.seen = {n for n in self.seen if n > self.top - self.size}
        return True


@dataclasses.dataclass
class Datagram:
    """A datagram sent or received; with inner if it is a PACKET."""

    link: object
    address: tuple
    data: bytes
    inner: wire.Inner = None

    @property
    def type(self):
        """The type in the outer header."""
        return self.data[0] if self.data else 0

    @property
    def kind(self):
        """The kind in the inner header, 0 without one."""
        return self.inner.kind if self.inner else 0


class Link:
    """A UDP socket."""

    def __init__(self, local):
        family = socket.getaddrinfo(local[0], local[1],
                                    type=socket.SOCK_DGRAM)[0][0]
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sock.bind(local)
        self.local = self.sock.getsockname()
        self.source = session.NO_COOKIE

    def fileno(self):
        """The file descriptor, for select()."""
        return self.sock.fileno()


class Path:
    """A link, a remote address and the number of both."""

    def __init__(self, ident, link, remote, allowance=None):
        self.link = link
        self.remote = remote
        self.up = False
        # bytes that may be sent before the remote has answered, then None
        self.allowance = allowance
        self.challenge = None
        self.wanted = None
        self.next_probe = 0.0
        self.control = 0
        self.srtt = None
        self.rename(ident)

    def came(self, size):
        """Bytes that came from the remote allow more to be sent there."""
        if self.allowance is not None:
            self.allowance += AMPLIFY_MAX * size

    def allows(self, size):
        """Whether a packet of that size may be sent; it is then."""
        if self.allowance is None:
            return True
        if size > self.allowance:
            return False
        self.allowance -= size
        return True

    def rename(self, ident):
        """Take another id: data numbers restart."""
        self.ident = ident
        self.data = 0
        self.fseq = 0
        self.acked = set()
        self.policy = None
        self.policy_answer = None
        self.ranges = []
        self.packets = self.bytes = 0
        self.arrival = 0.0
        self.report_at = None

    def received(self, number, size, now):
        """Note a data packet for the next report."""
        self.packets += 1
        self.bytes += size + 8
        if not self.ranges or number > self.ranges[0][1]:
            self.arrival = now
        merged = []
        for first, last in sorted(self.ranges + [(number, number)]):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(last, merged[-1][1])
            else:
                merged.append((first, last))
        # gaps have 32 bits on the wire
        self.ranges = [r for r in merged[::-1][:ACK_RANGES]
                       if r[1] > merged[-1][1] - (1 << 31)]
        if self.report_at is None:
            self.report_at = now + REPORT_AFTER

    def ack(self, now):
        """What came, for a report."""
        self.report_at = None
        return wire.Ack(self.ident, self.ranges,
                        int((now - self.arrival) * 1e6),
                        int(self.arrival * 1e6) & 0xffffffff,
                        self.packets & 0xffffffff, self.bytes)

    def acknowledge(self, ack):
        """The peer says what it has; it cannot have what was not sent."""
        if ack.ranges[0][1] >= self.data:
            raise wire.WireError("rx_malformed")
        for first, last in ack.ranges:
            self.acked.update(range(first, min(last, first + 4096) + 1))

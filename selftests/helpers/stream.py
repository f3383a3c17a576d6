#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Sends data in large packets and prints hashes of what was sent or received.

usage: stream.py recv tcp|udp|step ADDRESS PORT BYTES
       stream.py send tcp|udp|step ADDRESS PORT BYTES SIZE
       stream.py hold tcp ADDRESS PORT SECONDS

Both ends print "BYTES HASH" of what they sent or received: a stream, or
datagrams of SIZE bytes in any order. Datagrams are handed to the kernel in
lots of forty (UDP_SEGMENT), the last one of a lot shorter: each 10 ms (udp),
or when the lot before has arrived (step), which overflows no queue on a slow
machine. A lot that has not arrived after 5 s is sent again, and the sender says
so on its standard error; a datagram that arrives twice counts once. hold
accepts a stream and reads nothing of it for SECONDS.
"""

import errno
import hashlib
import random
import socket
import sys
import time

SO_RCVBUFFORCE = 33
UDP_SEGMENT = 103
AT_ONCE = 40
PATIENCE = 60
AGAIN = 5


class Datagrams:
    """A hash of datagrams in any order."""

    def __init__(self):
        self.hashes = []

    def update(self, data):
        """Add a datagram."""
        self.hashes.append(hashlib.sha256(data).hexdigest())

    def has(self, data):
        """Whether a datagram was added before."""
        return hashlib.sha256(data).hexdigest() in self.hashes

    def hexdigest(self):
        """The hash of all datagrams."""
        return hashlib.sha256(str(sorted(self.hashes)).encode()).hexdigest()


def report(digest, count):
    """Print the length and the hash."""
    print(count, digest.hexdigest()[:16], flush=True)


def family(address):
    """The family of an address."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def recv_tcp(address, port, size):
    """Receive a stream of size bytes."""
    digest, count = hashlib.sha256(), 0
    with socket.create_server((address, port),
                              family=family(address)) as listener:
        print("listens", flush=True)
        with listener.accept()[0] as sock:
            sock.settimeout(PATIENCE)
            while count < size and (data := sock.recv(1 << 18)):
                digest.update(data)
                count += len(data)
    report(digest, count)


def send_tcp(address, port, size, unused):
    """Send a stream of size bytes."""
    data = random.Random(port).randbytes(size)
    with socket.create_connection((address, port), PATIENCE) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)
    report(hashlib.sha256(data), size)


def hold_tcp(address, port, seconds):
    """Accept a stream and read nothing of it."""
    with socket.create_server((address, port),
                              family=family(address)) as listener:
        print("listens", flush=True)
        with listener.accept()[0]:
            time.sleep(seconds)


def recv_udp(address, port, size, answers=False):
    """Receive datagrams of size bytes in total; answer with the bytes so far."""
    digest, count = Datagrams(), 0
    with socket.socket(family(address), socket.SOCK_DGRAM) as sock:
        # all of it, however late this program has its turn: nobody sends again
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4 * size)
        sock.bind((address, port))
        sock.settimeout(PATIENCE)
        print("listens", flush=True)
        while count < size:
            data, sender = sock.recvfrom(1 << 16)
            if not (answers and digest.has(data)):
                digest.update(data)
                count += len(data)
            if answers:
                sock.sendto(str(count).encode(), sender)
    report(digest, count)


def recv_step(address, port, size):
    """Receive datagrams from a sender that waits for each lot."""
    recv_udp(address, port, size, answers=True)


def connect(sock, address, port):
    """Connect; retry while there is no memory for a route."""
    for _ in range(20):
        try:
            sock.connect((address, port))
            return
        except OSError as err:
            if err.errno != errno.ENOBUFS:
                raise
        time.sleep(0.01)
    sys.exit("no memory for a route")


def send_lot(sock, lot, arrived):
    """Send a lot until the receiver has this many bytes; the number of times
    that it was sent again."""
    for again in range(PATIENCE // AGAIN):
        try:
            sock.send(lot)
            while int(sock.recv(32)) < arrived:
                pass
            return again
        except TimeoutError:
            pass
    sys.exit("nothing arrives")


def send_udp(address, port, size, segment, waits=False):
    """Send datagrams of size bytes in total."""
    data = random.Random(port).randbytes(size)
    digest, again = Datagrams(), 0
    with socket.socket(family(address), socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, segment)
        sock.settimeout(AGAIN if waits else PATIENCE)
        connect(sock, address, port)
        while data:
            # the last one of each lot is shorter
            lot = data[:AT_ONCE * segment - segment // 3]
            data = data[len(lot):]
            for at in range(0, len(lot), segment):
                digest.update(lot[at:at + segment])
            if waits:
                again += send_lot(sock, lot, size - len(data))
            else:
                sock.send(lot)
                time.sleep(0.01)
    if again:
        print(f"{again} lots were sent again", file=sys.stderr)
    report(digest, size)


def send_step(address, port, size, segment):
    """Send datagrams, and wait for each lot to arrive."""
    send_udp(address, port, size, segment, waits=True)


def main():
    """Run a command line."""
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    way, proto, address = sys.argv[1:4]
    numbers = [int(word) for word in sys.argv[4:]]
    globals()[f"{way}_{proto}"](address, *numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())

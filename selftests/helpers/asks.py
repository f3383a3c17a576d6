#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""A TCP flow of requests and answers that turns into a bulk flow.

usage: asks.py serve PORT
       asks.py ask ADDRESS PORT COUNT BYTES

Sends COUNT requests, one each 50 ms, each answered with as many bytes, then
BYTES at once, of which the other end acknowledges the last. Prints the
percentiles of the round trips, and how often the sender saw packets that had
been reordered (tcp_info).
"""
import json
import socket
import struct
import sys
import time

REQUEST = 100
# struct tcp_info: tcpi_reord_seen, and tcpi_total_retrans
REORD_SEEN = 220
TOTAL_RETRANS = 100


def take(sock, count):
    """Reads that many bytes."""
    got = 0
    while got < count:
        data = sock.recv(min(1 << 16, count - got))
        if not data:
            sys.exit("the other end has closed the connection")
        got += len(data)


def serve(port):
    """Answers requests, then takes the rest."""
    listener = socket.create_server(("", port))
    sock, _ = listener.accept()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    count, size = struct.unpack("!II", sock.recv(8, socket.MSG_WAITALL))
    for _ in range(count):
        take(sock, REQUEST)
        sock.sendall(bytes(REQUEST))
    take(sock, size)
    sock.sendall(b"x")


def ask(address, port, count, size):
    """Sends requests, then the rest."""
    sock = socket.create_connection((address, port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(struct.pack("!II", count, size))
    trips = []
    for _ in range(count):
        time.sleep(0.05)
        start = time.monotonic()
        sock.sendall(bytes(REQUEST))
        take(sock, REQUEST)
        trips.append((time.monotonic() - start) * 1000)
    sock.sendall(bytes(size))
    take(sock, 1)
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    trips.sort()
    print(json.dumps({
        "p50_ms": round(trips[count // 2], 1),
        "p95_ms": round(trips[count * 95 // 100], 1),
        "reordered": struct.unpack_from("=I", info, REORD_SEEN)[0],
        "resent": struct.unpack_from("=I", info, TOTAL_RETRANS)[0],
    }))


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]))
else:
    ask(sys.argv[2], *map(int, sys.argv[3:]))

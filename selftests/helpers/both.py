#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Sends both ways over one TCP connection, as fast as it goes.

usage: both.py PORT SECONDS [ADDRESS]

With an address it connects, otherwise it listens. Each end sends for that long
and prints how many Mbit/s it has received. Data and acknowledgments of one flow
share a lane of the tunnel then.
"""

import socket
import sys
import threading
import time


def receive(sock, got):
    while data := sock.recv(65536):
        got.append(len(data))


def main():
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    if len(sys.argv) > 3:
        sock = socket.create_connection((sys.argv[3], port))
    else:
        with socket.create_server(("", port)) as listener:
            sock = listener.accept()[0]
    got = []
    reader = threading.Thread(target=receive, args=(sock, got))
    reader.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sock.sendall(bytes(16384))
    sock.shutdown(socket.SHUT_WR)
    reader.join()
    print(f"{sum(got) * 8 / seconds / 1e6:.2f}")


main()

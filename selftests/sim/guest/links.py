#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the counters of all network devices of its namespace, forever.

usage: links.py MILLISECONDS

One JSON list per line, from the first one at once: [DEVICE, BYTES RECEIVED,
PACKETS RECEIVED, BYTES SENT, PACKETS SENT]...
"""
# Copyright (C) 2026 The mptun authors

import json
import sys
import time


def look():
    """The counters of all devices except lo."""
    with open("/proc/thread-self/net/dev", encoding="ascii") as table:
        for line in table.readlines()[2:]:
            name, _, rest = line.partition(":")
            field = rest.split()
            if name.strip() != "lo":
                yield [name.strip(), int(field[0]), int(field[1]),
                       int(field[8]), int(field[9])]


def main():
    """Print counters until killed."""
    step = int(sys.argv[1]) / 1000
    begin = time.monotonic()
    count = 0
    while True:
        print(json.dumps(list(look())), flush=True)
        count += 1
        time.sleep(max(0.0, begin + count * step - time.monotonic()))


main()

#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Measures what passes between two routers that translate addresses.

usage: selftests/bench/router.py [-r ROUNDS] [-s SECONDS] [-o FOLDER] [--pages]

  -r ROUNDS   how often all is measured (default 7; medians count)
  -s SECONDS  how long each flow takes (default 2)
  -o FOLDER   where results go (default: build/router)
  --pages     write Documentation/results/router.rst

Two guests of User-Mode Linux, flavour smp, one after the other: with one
processor and with two.
"""
# Copyright (C) 2026 The mptun authors

import benchlib

benchlib.need("sim", "plot")
# pylint: disable=wrong-import-position
from benchlib import guest, page  # noqa: E402

CARRIERS = guest.CARRIERS
MEASURES = {"up": 0, "down": 0, "packets": 1}
ABOUT = """\
A client and a server, each behind a router; a tunnel between the routers, both
of which translate addresses (nftables, masquerade). All four are namespaces of
one guest, so the figures are those of a machine that does everything, and the
ratios understate what a faster tunnel gains. Every packet is on its own on all
cables, and the tunnels get packets that are forwarded, not super-packets of a
socket of their own. With a *flow table* (nftables, ``flow add``) packets of
known connections go from the device they came in by to the one they go out by,
past routing and the other hooks. *up* and *down* are one TCP flow in Mbit/s, *packets* those
of 64 bytes that arrive from the client, in thousands per second. With *RPS*
each device spreads what it receives over the processors, by flow. Medians, and
half the distance of the quartiles; in brackets the median of the ratios to
WireGuard within each round."""


def cell(found, steering, carrier, measure):
    """A figure, and its ratio to WireGuard's."""
    values = found[steering, carrier, measure]
    base = found[steering, "wireguard", measure]
    scale = 1000 if measure == "packets" else 1
    text = guest.middle((v / scale for v in values.values()),
                        MEASURES[measure])
    ratio = guest.middle((values[n] / base[n] for n in values), 2)
    return f"{text} ({ratio.split()[0]})"


def rows(one, two):
    """The table, of what one processor and two processors gave."""
    table = [["processors", "carrier", *MEASURES]]
    for name, found, steering in (("1", one, "none"),
                                  ("1, flow table", one, "table"),
                                  ("2", two, "none"),
                                  ("2, flow table", two, "table"),
                                  ("2, RPS", two, "rps")):
        for carrier in CARRIERS:
            table.append([name, carrier, *(
                cell(found, steering, carrier, measure)
                for measure in MEASURES)])
    return table


def main():
    """Measure, then show what it means."""
    args = guest.options("router", __doc__)
    limit = (args.seconds + 8) * 3 * len(CARRIERS)
    table = rows(guest.run("router", args, 1, 2 * limit),
                 guest.run("router", args, 2, 3 * limit))
    page.show("router", "Routers: results", args, "", ABOUT,
              CARRIERS.items(), table)


if __name__ == "__main__":
    main()

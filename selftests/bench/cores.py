#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Measures what a second processor gains, through the tunnel and others.

usage: selftests/bench/cores.py [-r ROUNDS] [-s SECONDS] [-o FOLDER] [--pages]

  -r ROUNDS   how often all is measured (default 7; medians count)
  -s SECONDS  how long each flow takes (default 2)
  -o FOLDER   where results go (default: build/cores)
  --pages     write Documentation/results/cores.rst

Two guests of User-Mode Linux, flavour smp, one after the other: with one
processor and with two.
"""
# Copyright (C) 2026 The mptun authors

import statistics

import benchlib

benchlib.need("sim", "plot")
# pylint: disable=wrong-import-position
from benchlib import guest, page  # noqa: E402

CARRIERS = ("veth", "wireguard", "mptun")
FLOWS = ("1", "4")
ABOUT = """\
One TCP flow, or four, over a cable that passes every packet on its own; both
ends are namespaces of one guest. Medians in Mbit/s, and half the distance of
the quartiles. *gain* is the ratio of the two medians, *idle* what the two
processors had to spare."""


def rows(one, two):
    """The table, of what one processor and two processors gave."""
    table = [["carrier", "flows", "one processor", "two processors", "gain",
              "idle"]]
    for carrier in CARRIERS:
        for flows in FLOWS:
            key = carrier, flows, "rate"
            alone, both = (found[key].values() for found in (one, two))
            idle = statistics.median(two[carrier, flows, "idle"].values())
            table.append([
                carrier, flows, guest.middle(alone, 0), guest.middle(both, 0),
                f"{statistics.median(both) / statistics.median(alone):.2f}",
                f"{idle:.0f} %"])
    return table


def main():
    """Measure, then show what it means."""
    args = guest.options("cores", __doc__)
    limit = (args.seconds + 9) * len(CARRIERS) * len(FLOWS)
    table = rows(guest.run("cores", args, 1, limit),
                 guest.run("cores", args, 2, limit))
    page.show("cores", "A second processor: results", args, "", ABOUT,
              ((c, guest.CARRIERS[c]) for c in CARRIERS), table)


if __name__ == "__main__":
    main()

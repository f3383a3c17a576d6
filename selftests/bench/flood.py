#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Measures TCP through a tunnel whose end is flooded by a second processor.

usage: selftests/bench/flood.py [-r ROUNDS] [-s SECONDS] [-o FOLDER] [--pages]

  -r ROUNDS   how often all is measured (default 7; medians count)
  -s SECONDS  how long each flow takes (default 2)
  -o FOLDER   where results go (default: build/flood)
  --pages     write Documentation/results/flood.rst

One guest of User-Mode Linux, flavour smp, with two processors. Nothing here is
a test: that floods leave no state behind is judged by the theme sec_flood.
"""
# Copyright (C) 2026 The mptun authors

import benchlib

benchlib.need("sim", "plot")
# pylint: disable=wrong-import-position
from benchlib import guest, page  # noqa: E402

FLOODS = {
    "idle": "nothing, the processor is idle",
    "elsewhere": "garbage to itself, not to the tunnel",
    "init": "INITs with a good mac1, recorded, from where they came",
    "spoofed": "the same, each from another source",
    "garbage": "garbage of all kinds",
    "replayed": "data packets of the session in use, recorded",
}
ABOUT = """\
One TCP flow through a tunnel (ChaCha20-Poly1305) has one of two processors,
and all that its packets need is done there. The other processor sends to the
end that receives, as fast as it can; what that end has to do for it is done
there, too, as far as nothing is shared. The ratio is to the flow while the
other processor is as busy with something else, within each round: 0.5 would be
its fair share if both had to be shared, 1 is all of its own. Medians, and half
the distance of the quartiles."""


def rows(found):
    """The table."""
    table = [["flood", "sent, kpkt/s", "TCP Mbit/s", "ratio"]]
    base = found["elsewhere", "tcp"]
    for flood in FLOODS:
        tcp, sent = found[flood, "tcp"], found.get((flood, "sent"), {})
        table.append([flood, guest.middle((n / 1000 for n in sent.values()), 1)
                      if sent else "",
                      guest.middle(tcp.values(), 0),
                      guest.middle((tcp[n] / base[n] for n in tcp), 2)])
    return table


def main():
    """Measure, then show what it means."""
    args = guest.options("flood", __doc__)
    table = rows(guest.run("flood", args, 2, (args.seconds + 8) * 18))
    page.show("flood", "Floods: results", args, "2 processors, ", ABOUT,
              FLOODS.items(), table)


if __name__ == "__main__":
    main()

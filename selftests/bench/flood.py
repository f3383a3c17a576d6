#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measures TCP through a tunnel whose end is flooded by a second processor.

usage: selftests/bench/flood.py [-r ROUNDS] [-s SECONDS] [-o FOLDER] [--pages]

  -r ROUNDS   how often all is measured (default 7; medians count)
  -s SECONDS  how long each flow takes (default 2)
  -o FOLDER   where results go (default: build/flood)
  --pages     write Documentation/results/flood.rst

One guest of User-Mode Linux, flavour smp, with two processors. Nothing here is
a test: that floods leave no state behind is judged by the theme flood.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
# what the modules below import may not be there yet
subprocess.run([TOP / "selftests/deps.sh", "sim", "plot"], check=True)
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "selftests/sim"))
# pylint: disable=wrong-import-position
from benchlib import page  # noqa: E402
from simlib import report  # noqa: E402

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


def options():
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    build = os.environ.get("MPTUN_BUILD", TOP / "build")
    parser.add_argument("-r", type=int, dest="rounds", default=7)
    parser.add_argument("-s", type=int, dest="seconds", default=2)
    parser.add_argument("-o", type=pathlib.Path, dest="folder",
                        default=pathlib.Path(build) / "flood")
    parser.add_argument("--pages", action="store_true")
    args = parser.parse_args()
    if args.rounds < 1 or args.seconds < 1:
        parser.error("at least 1 round, 1 second")
    return args


def measure(args):
    """{(FLOOD, MEASURE): {ROUND: VALUE}} of a guest."""
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    limit = 300 + args.rounds * (args.seconds + 8) * 18
    subprocess.run(
        [TOP / "selftests/uml/run.sh", "smp", "-c", "2", "-m", "1G", "-t",
         str(limit), HERE / "flood.sh", str(args.rounds), str(args.seconds)],
        env={**os.environ, "MPTUN_RESULTS": str(folder)},
        stdout=sys.stderr, check=True)
    found = collections.defaultdict(dict)
    for line in (folder / "flood.tsv").read_text("utf-8").splitlines():
        number, flood, name, value = line.split("\t")
        found[flood, name][int(number)] = float(value)
    return found


def middle(values, digits):
    """A median with its spread."""
    values = list(values)
    spread = 0.0
    if len(values) > 1:
        first, _, third = statistics.quantiles(values, n=4,
                                               method="inclusive")
        spread = (third - first) / 2
    return f"{statistics.median(values):.{digits}f} ±{spread:.{digits}f}"


def rows(found):
    """The table."""
    table = [["flood", "sent, kpkt/s", "TCP Mbit/s", "ratio"]]
    base = found["elsewhere", "tcp"]
    for flood in FLOODS:
        tcp, sent = found[flood, "tcp"], found.get((flood, "sent"), {})
        table.append([flood, middle((n / 1000 for n in sent.values()), 1)
                      if sent else "",
                      middle(tcp.values(), 0),
                      middle((tcp[n] / base[n] for n in tcp), 2)])
    return table


def main():
    """Measure, then show what it means."""
    args = options()
    try:
        found = measure(args)
    except subprocess.CalledProcessError as err:
        sys.exit(f"flood.py: {err.cmd[0]} failed with status "
                 f"{err.returncode}")
    table = rows(found)
    for line in report.grid(table):
        print(line)
    if args.pages:
        page.write("flood", "Floods: results",
                   f"2 processors, {args.rounds} rounds of {args.seconds} s "
                   "for each flow, in an order of its own in each round",
                   ABOUT, FLOODS.items(), table)


if __name__ == "__main__":
    main()

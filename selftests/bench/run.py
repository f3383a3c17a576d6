#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Measures the tunnel beside veth, VXLAN, WireGuard and ovpn at native speed.

usage: selftests/bench/run.py [-r ROUNDS] [-s SECONDS] [-t TUNNELS] [-c CPUS]
           [-o FOLDER] [--quick] [--pages]

  -r ROUNDS   how often all is measured (default 7; medians count)
  -s SECONDS  how long each measurement takes (default 1; TCP twice that)
  -t TUNNELS  how many tunnels share a port (default 1000)
  -c CPUS     processors of the guest, 1 (pinned, the default) or 2
  -o FOLDER   where results go (default: build/bench)
  --quick     two rounds, 100 tunnels: a test of the bench itself
  --pages     write Documentation/results/bench.rst, and add to the history

One guest of User-Mode Linux, flavour smp. Figures of one run can be compared
with each other, those of two machines cannot: what counts are the ratios.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import os
import pathlib
import subprocess
import sys

import benchlib

benchlib.need("bench", "plot")
# pylint: disable=wrong-import-position
from benchlib import figures, output  # noqa: E402


def options():
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    build = os.environ.get("MPTUN_BUILD", benchlib.TOP / "build")
    parser.add_argument("-r", type=int, dest="rounds", default=7)
    parser.add_argument("-s", type=int, dest="seconds", default=1)
    parser.add_argument("-t", type=int, dest="tunnels", default=1000)
    parser.add_argument("-c", type=int, dest="cpus", default=1,
                        choices=(1, 2))
    parser.add_argument("-o", type=pathlib.Path, dest="folder",
                        default=pathlib.Path(build) / "bench")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--pages", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds, args.tunnels = 2, 1, 100
    if args.rounds < 1 or args.seconds < 1 or args.tunnels < 20:
        parser.error("at least 1 round, 1 second, 20 tunnels")
    return args


def measure(args):
    """Boot the guest; the file with what it measured."""
    cli = subprocess.run([benchlib.BENCH / "ovpn.sh"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout.strip()
    # a round takes about 125 measurements, setting up about 12 ms a tunnel
    limit = 300 + args.rounds * (args.seconds + 1) * 200 + args.tunnels
    subprocess.run(
        [benchlib.UML / "run.sh", "smp", "-c", str(args.cpus),
         "-m", "2G", "-t", str(int(limit)), benchlib.BENCH / "guest.sh",
         str(args.rounds), str(args.seconds), str(args.tunnels)],
        env={**os.environ, "MPTUN_RESULTS": str(args.folder),
             "MPTUN_OVPN_CLI": cli},
        stdout=sys.stderr, check=True)
    return args.folder / "bench.tsv"


def main():
    """Measure, then show what it means."""
    args = options()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    try:
        table = measure(args)
    except subprocess.CalledProcessError as err:
        sys.exit(f"run.py: {err.cmd[0]} failed with status {err.returncode}")
    run = figures.Run(table, args)
    output.show(run, sys.stdout)
    output.keep(run, args.folder / "bench.json")
    output.draw(run, args.folder / "bench")
    if args.pages:
        output.pages(run, args.folder / "bench.svg")
    print(f"results: {args.folder}")


if __name__ == "__main__":
    main()

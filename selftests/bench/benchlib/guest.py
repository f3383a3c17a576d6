# SPDX-License-Identifier: GPL-2.0
"""A bench that is one script in a guest of the flavour smp, and one table."""
# Copyright (C) 2026 The mptun authors

import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import sys

from . import BENCH, TOP, UML

CARRIERS = {
    "veth": "no tunnel",
    "vxlan": "VXLAN, not encrypted",
    "mptun-clear": "mptun, not encrypted",
    "wireguard": "WireGuard",
    "mptun": "mptun with the cipher of WireGuard",
}


def options(name, doc):
    """The command line of the bench NAME: rounds, seconds, folder, pages."""
    parser = argparse.ArgumentParser(usage=doc.split("usage: ")[1])
    build = os.environ.get("MPTUN_BUILD", TOP / "build")
    parser.add_argument("-r", type=int, dest="rounds", default=7)
    parser.add_argument("-s", type=int, dest="seconds", default=2)
    parser.add_argument("-o", type=pathlib.Path, dest="folder",
                        default=pathlib.Path(build) / name)
    parser.add_argument("--pages", action="store_true")
    args = parser.parse_args()
    if args.rounds < 1 or args.seconds < 1:
        parser.error("at least 1 round, 1 second")
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    return args


def run(name, args, cpus, limit):
    """{(WORD...): {ROUND: VALUE}} of NAME.tsv, which NAME.sh leaves behind in
    a guest of CPUS processors that has LIMIT seconds for a round."""
    try:
        subprocess.run(
            [UML / "run.sh", "smp", "-c", str(cpus),
             "-m", "1G", "-t", str(300 + args.rounds * limit),
             BENCH / f"{name}.sh", str(args.rounds),
             str(args.seconds)],
            env={**os.environ, "MPTUN_RESULTS": str(args.folder)},
            stdout=sys.stderr, check=True)
    except subprocess.CalledProcessError as err:
        sys.exit(f"{name}.py: {err.cmd[0]} failed with status "
                 f"{err.returncode}")
    found = collections.defaultdict(dict)
    table = (args.folder / f"{name}.tsv").read_text("utf-8")
    for line in table.splitlines():
        number, *words, value = line.split("\t")
        found[tuple(words)][int(number)] = float(value)
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

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs one scenario in virtual and in real time, and compares.

usage: selftests/sim/cross.py [-r ROUNDS] [--pages] [KERNEL...]

  -r ROUNDS   how often in each kernel (default 3; another seed each time)
  --pages     write Documentation/results/cross.rst
  KERNEL      with real time: uml-smp and vm-6.12, if none is given

The scenario is test/cross.yaml. Results in virtual time are valid if they agree
with real time within its own variation. Takes minutes; nothing else should run
meanwhile.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import datetime
import pathlib
import statistics
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
# what the modules below import may not be there yet
subprocess.run([TOP / "selftests/tools/deps.sh", "sim", "plot"], check=True)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from simlib import guests, load, pages, report  # noqa: E402

FOLDER = TOP / "build/cross"


def options():
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("-r", type=int, dest="rounds", default=3)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("kernels", nargs="*")
    args = parser.parse_args()
    args.kernels = [guests.VIRTUAL, *(args.kernels or ["uml-smp", "vm-6.12"])]
    return args


def measure(scenario, kernel, rounds):
    """{CASE: [Mbit/s...]} in one kernel."""
    found = {case.name: [] for case in scenario.cases(False)}

    def done(_scenario, case, result, took):
        if "error" in result:
            sys.exit(f"cross.py: {kernel} {case.name}: {result['error']}")
        found[case.name].append(result["values"]["down.mbps"])
        print(f"cross: {kernel} {case.name}: {found[case.name][-1]} Mbit/s "
              f"({took:.0f} s)", file=sys.stderr, flush=True)

    guests.prepare(False, kernel)
    for number in range(rounds):
        scenario.seed = number + 1
        guests.run_all([(scenario, case) for case in scenario.cases(False)],
                       FOLDER / kernel, 1, done, kernel)
    return found


def rows(found):
    """A table: medians and extremes for each kernel, and how far off the
    virtual ones are from the real ones."""
    kernels = list(found)
    table = [["Mbit/s", *kernels, "virtual against real"]]
    for case in found[kernels[0]]:
        cells, real = [], []
        for kernel in kernels:
            values = found[kernel][case]
            cells.append(f"{statistics.median(values):.2f} "
                         f"({min(values):.2f}..{max(values):.2f})")
            if kernel != guests.VIRTUAL:
                real += values
        ratio = statistics.median(found[guests.VIRTUAL][case]) / \
            statistics.median(real)
        table.append([case, *cells, f"{100 * ratio:.1f} %"])
    return table


def page(scenario, table, rounds):
    """Documentation/results/cross.rst"""
    text = (f"Measured {datetime.date.today().isoformat()} by "
            "``selftests/sim/cross.py``: one TCP flow through the tunnel, in "
            f"Mbit/s, medians and extremes of {rounds} runs. "
            f"{scenario.raw['about'].strip()} *lossy* has 0.1 % of random "
            "loss on both. uml-tt is virtual time, the others are real time: "
            "User-Mode Linux with two processors, and Debian's stock kernel "
            "in a virtual machine.")
    parts = [pages.HEAD.replace("run.py --pages", "cross.py --pages"),
             pages.headline(scenario.raw["title"], "="),
             textwrap.fill(text, 79) + "\n", pages.rst_table(table)]
    (pages.FOLDER / "cross.rst").write_text("\n".join(parts), "utf-8")


def main():
    """Measure everywhere, compare."""
    args = options()
    scenario = load.load(HERE / "test/cross.yaml")
    try:
        found = {kernel: measure(scenario, kernel, args.rounds)
                 for kernel in args.kernels}
    except subprocess.CalledProcessError as err:
        sys.exit(guests.lab_error(err))
    table = rows(found)
    for line in report.grid(table):
        print(line)
    if args.pages:
        page(scenario, table, args.rounds)


if __name__ == "__main__":
    main()

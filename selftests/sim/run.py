#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs scenarios in virtual time and judges what was measured.

usage: selftests/sim/run.py [-j PLACES] [-o FOLDER] [--quick] [--ktap]
           [--known] [--pages] [--resume] [--again] [--list] [--seed N]
           [--only VARIABLE=VALUE,...] [--set KEY=VALUE] [SCENARIO...]

  -j PLACES   guests side by side (default: one for each core)
  -o FOLDER   where results go (default: build/sim)
  --quick     the quick set: fewer scenarios, fewer points of their sweeps
  --ktap      KTAP on standard output, the tables on standard error
  --known     rewrite the lines of these scenarios in known-failures
  --pages     write the results pages in Documentation/results, each as soon as
              its scenario is done
  --resume    continue a run that was stopped: what the same module measured in
              the same cases counts
  --stale     only scenarios whose page is missing, or older than the module or
              the scenario
  --notes     run nothing: write on each page whether the code has changed since
              it was measured
  --again     judge and draw the results that are there, run nothing
  --list      list the scenarios
  --seed N    another start of all random numbers than the scenarios say
  --only VARIABLE=VALUE,...  only the points at which a variable of the sweep
              has one of these values; may be given for several variables
  --set KEY=VALUE  a setting of all tunnels that do not choose it themselves,
              as after "ip link add type mptun" (sched=ecf, cc=bbr); may be
              given several times

A scenario is a name or a file. The status is 0 if all hold lines hold, except
those in known-failures. See Documentation/simulation.rst.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
# what the modules below import may not be there yet
subprocess.run([TOP / "selftests/tools/deps.sh", "sim", "plot"], check=True)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from simlib import (expr, guests, judge, load, pages,  # noqa: E402
                    plot, report, stale)

KNOWN = HERE / "known-failures"


def pair(text):
    """KEY=VALUE"""
    key, sign, value = text.partition("=")
    if not (key and sign and value):
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")
    return key, value


def options():
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1],
                                     add_help=True)
    parser.add_argument("-j", type=int, dest="places",
                        default=len(os.sched_getaffinity(0)))
    build = os.environ.get("MPTUN_BUILD", TOP / "build")
    parser.add_argument("-o", type=pathlib.Path, dest="folder",
                        default=pathlib.Path(build) / "sim")
    for word in ("quick", "ktap", "known", "pages", "resume", "stale", "notes",
                 "again", "list"):
        parser.add_argument(f"--{word}", action="store_true")
    parser.add_argument("--seed", type=int)
    for word in ("only", "set"):
        parser.add_argument(f"--{word}", action="append", default=[],
                            type=pair)
    parser.add_argument("scenarios", nargs="*")
    return parser.parse_args()


def chosen(args):
    """The scenarios to run; reports the faults of all files at once."""
    files = [pathlib.Path(name) if name.endswith(".yaml") else
             HERE / "scenarios" / f"{name}.yaml" for name in args.scenarios]
    scenarios, faults = [], []
    for file in files or sorted((HERE / "scenarios").glob("*.yaml")):
        try:
            scenarios.append(load.load(file))
        except load.ScenarioError as err:
            faults.append(str(err))
    for scenario in scenarios:
        if args.seed is not None:
            scenario.seed = args.seed
        for key, value in args.set:
            scenario.configure(key, value)
        for var, values in args.only:
            try:
                scenario.restrict(var, values.split(","))
            except load.ScenarioError as err:
                faults.append(str(err))
    if faults:
        sys.exit("\n".join(faults))
    if args.quick and not args.scenarios:
        scenarios = [scenario for scenario in scenarios
                     if scenario.raw["set"] == "quick"]
    return stale.wanted(scenarios) if args.stale else scenarios


def run(scenarios, args, finished):
    """Run all cases; finished(scenario, results), with the results in the order
    of the cases, is called when all of a scenario are there."""
    cases = {scenario.name: scenario.cases(args.quick)
             for scenario in scenarios}
    jobs = [(scenario, case) for scenario in scenarios
            for case in cases[scenario.name]]
    # the longest first, so that none is left over at the end; with pages one
    # scenario after the other, so that a run that is stopped leaves some
    jobs.sort(key=lambda job: (scenarios.index(job[0]) if args.pages else 0,
                               -job[1].seconds() * len(job[1].paths)))
    results = {scenario.name: {} for scenario in scenarios}
    begin = time.monotonic()

    def done(scenario, case, result, took):
        found = results[scenario.name]
        found[case.name] = result
        count = sum(len(some) for some in results.values())
        print(f"sim: {count}/{len(jobs)} {time.monotonic() - begin:4.0f} s: "
              f"{scenario.name} {case.name}: "
              f"{result.get('error', f'{took:.1f} s')}",
              file=sys.stderr, flush=True)
        if len(found) == len(cases[scenario.name]):
            finished(scenario, [found[case.name]
                                for case in cases[scenario.name]])

    try:
        guests.prepare(any(item["kind"] == "quic" for _, case in jobs
                           for item in case.traffic))
    except subprocess.CalledProcessError as err:
        sys.exit(guests.lab_error(err))
    guests.run_all(jobs, args.folder, args.places, done,
                   resume=args.resume)


def commit():
    """What was measured: the commit, with a plus if files differ from it."""
    try:
        name = subprocess.run(
            ["git", "-C", TOP, "describe", "--always", "--abbrev=10",
             "--dirty=+", "--exclude=*"],
            check=True, capture_output=True, text=True).stdout.strip()
        return name
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def keep(scenario, results, lines, folder, quick):
    """The JSON file of a scenario. It holds nothing of the machine, so that
    two runs can be compared."""
    document = {"scenario": scenario.name, "title": scenario.raw["title"],
                "source": scenario.raw["source"], "seed": scenario.seed,
                "quick": quick, "hold": [line.as_dict() for line in lines],
                "cases": results}
    with open(folder / f"{scenario.name}.json", "w",
              encoding="utf-8") as stream:
        json.dump(document, stream, indent=1)
        stream.write("\n")
    # when, and what: apart from the numbers, which are to be compared
    (folder / f"{scenario.name}.stamp").write_text(
        f"{datetime.date.today().isoformat()} {commit()}\n", "utf-8")


def kept(scenario, folder):
    """The results in a JSON file, and whether they are of the quick set."""
    try:
        with open(folder / f"{scenario.name}.json",
                  encoding="utf-8") as stream:
            document = json.load(stream)
    except OSError as err:
        sys.exit(f"run.py: {err}")
    return document["cases"], document["quick"]


def write_known(judged):
    """A line for each hold line that fails, in place of the old lines of all
    that were looked at."""
    looked = {(scenario.name, line.name) for scenario, _, lines in judged
              for line in lines}
    new = [f"{scenario.name}: {line.name}: {line.value:g}"
           for scenario, _, lines in judged for line in lines
           if line.verdict in (judge.FAIL, judge.KNOWN)
           and line.value is not None]
    text = KNOWN.read_text("utf-8").splitlines()
    head = [line for line in text if line.startswith(("#", "tolerance", "noise"))]
    old = [line for line in text if line not in head
           and tuple(line.split(": ")[:2]) not in looked]
    KNOWN.write_text("\n".join(head + sorted(old + new)) + "\n", "utf-8")


def judged_all(scenarios, args):
    """[(SCENARIO, results, hold lines)] of scenarios that are run, or were. Each
    has its JSON file, plots and page when the next one ends."""
    try:
        known = judge.Known(KNOWN)
    except judge.KnownError as err:
        sys.exit(str(err))
    judged, faults = {}, []

    def finished(scenario, results, quick=args.quick):
        lines = judge.judge(scenario, results, known, quick)
        judged[scenario.name] = (scenario, results, lines)
        if not args.again:
            keep(scenario, results, lines, args.folder, quick)
        try:
            stems = plot.draw(scenario, results, args.folder)
        except expr.ExprError as err:
            faults.append(f"{scenario.file}: {err}")
            return
        # a page of what has failed would pass for one that is up to date
        if args.pages and not any("error" in result for result in results):
            pages.write(scenario, results, lines, stems, args.folder)

    if args.again:
        for scenario in scenarios:
            finished(scenario, *kept(scenario, args.folder))
    elif scenarios:
        run(scenarios, args, finished)
    if faults:
        sys.exit("\n".join(faults))
    return [judged[scenario.name] for scenario in scenarios]


def main():
    """Run, judge, report."""
    args = options()
    if args.notes:
        for name in stale.notes():
            print(name)
        return 0
    scenarios = chosen(args)
    if args.list:
        for scenario in scenarios:
            print(f"{scenario.name:20} {len(scenario.cases(args.quick)):3} "
                  f"{scenario.raw['set']:6} {scenario.raw['title']}")
        return 0
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    judged = judged_all(scenarios, args)
    out = sys.stderr if args.ktap else sys.stdout
    for scenario, results, lines in judged:
        report.show(scenario, results, lines, out)
    if args.pages:
        pages.index(load.load_all())
    if args.known:
        write_known(judged)
    print(f"\nresults and plots: {args.folder}", file=out)
    if args.ktap:
        return 0 if report.ktap(judged, sys.stdout) else 1
    bad = [f"{scenario.name}: {line.name}" for scenario, _, lines in judged
           for line in lines if line.verdict == judge.FAIL]
    bad += [f"{scenario.name}: {result['case']}"
            for scenario, results, _ in judged for result in results
            if "error" in result]
    count = sum(len(lines) for _, _, lines in judged)
    print(f"{count} hold lines, {len(bad)} failures", file=out)
    for name in bad:
        print(f"  failed: {name}", file=out)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

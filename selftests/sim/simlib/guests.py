# SPDX-License-Identifier: GPL-2.0
"""Guests: one for each case, some side by side."""
# Copyright (C) 2026 The mptun authors

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import time

from . import collect, plan

TOP = pathlib.Path(__file__).resolve().parents[3]
RUNNER = TOP / "selftests/uml/run.sh"
GUEST = TOP / "selftests/sim/guest.sh"


def prepare():
    """Build kernel, module and tools once, with the words of that shown."""
    subprocess.run([RUNNER, "tt", "-t", "60", "true"], check=True,
                   stdout=subprocess.DEVNULL)


def run_case(scenario, case, folder):
    """Boot a guest for a case; its result, or why there is none."""
    work = folder / scenario.name / safe(case.name)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    file = work / "case.sh"
    file.write_text(plan.script(case, f"{scenario.name}: {case.name}"),
                    encoding="utf-8")
    env = {**os.environ, "MPTUN_RESULTS": str(work),
           "MPTUN_SEED": str(scenario.seed)}
    limit = 120 + int(case.seconds() * 20)
    begin = time.monotonic()
    with open(work / "log", "wb") as log:
        status = subprocess.run(
            [RUNNER, "tt", "-t", str(limit), "-m", "2G", "--no-build", "--",
             GUEST, file, case.name],
            env=env, stdout=log, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, check=False).returncode
    result = {"case": case.name, "point": case.point}
    took = time.monotonic() - begin
    if status != 0:
        result["error"] = last_words(work / "log", status)
    else:
        try:
            result.update(collect.collect(case, work))
        except collect.CollectError as err:
            result["error"] = str(err)
    return result, took


def last_words(log, status):
    """Why a guest failed, as far as its log says."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace")
             .splitlines() if "FAILED" in line or line.startswith("# ")]
    return f"status {status}: " + " | ".join(lines[-6:])


def safe(name):
    """A case's name as the name of a folder."""
    return "".join(c if c.isalnum() or c in "=.,-_" else "_" for c in name)


def run_all(jobs, folder, places, done):
    """Run (scenario, case) pairs, `places` at once; done(scenario, case,
    result, seconds) is called as each ends."""
    with concurrent.futures.ThreadPoolExecutor(places) as pool:
        waiting = {pool.submit(run_case, scenario, case, folder):
                   (scenario, case) for scenario, case in jobs}
        try:
            for future in concurrent.futures.as_completed(waiting):
                done(*waiting[future], *future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

# SPDX-License-Identifier: GPL-2.0
"""Guests: one for each case, some side by side."""
# Copyright (C) 2026 The mptun authors

import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess
import time

from . import collect, plan

TOP = pathlib.Path(__file__).resolve().parents[3]
GUEST = TOP / "selftests/sim/guest.sh"
VIRTUAL = "uml-tt"


def runner(kernel):
    """The beginning of a command that runs something in uml-FLAVOUR or
    vm-VERSION."""
    kind, _, name = kernel.partition("-")
    return [TOP / "selftests/kernels" / kind / "run.sh", name]


def prepare(quic, kernel=VIRTUAL):
    """Build kernel, module and tools once, with the words of that shown; get
    aioquic, if it is needed."""
    if quic:
        os.environ["MPTUN_SIM_PYTHON"] = subprocess.run(
            [TOP / "selftests/sim/venv.sh"], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()
    subprocess.run([*runner(kernel), "-t", "120", "true"], check=True,
                   stdout=subprocess.DEVNULL)


def lab_error(err):
    """A sentence for a lab that is not ready."""
    return f"run.py: {err.cmd[0]} failed with status {err.returncode}"


def run_case(scenario, case, folder, kernel, resume):
    """Boot a guest for a case, one after the other for each seed; its result
    (values are means, series those of the first seed, others the traffic's of
    the other seeds) and how long it took."""
    begin = time.monotonic()
    result = {"case": case.name, "point": case.point}
    found = []
    for number in range(case.seeds):
        work = folder / scenario.name / safe(case.name)
        if kernel != VIRTUAL:  # qemu takes neither = nor , in a name
            work = work.with_name(work.name.replace("=", "-")
                                  .replace(",", "_"))
        if number:
            work = work.with_name(f"{work.name},seed={number + 1}")
        one = run_seed(scenario, case, work, scenario.seed + number, kernel,
                       resume)
        if "error" in one:
            result["error"] = one["error"]
            break
        found.append(one)
    else:
        result.update(found[0])
        if case.seeds > 1:
            result["values"] = mean([one["values"] for one in found])
            result["others"] = [one["series"]["traffic"]
                                for one in found[1:]]
    return result, time.monotonic() - begin


def mean(tables):
    """The mean of each value that all tables have."""
    return {key: round(sum(table[key] for table in tables) / len(tables), 4)
            for key in tables[0]
            if all(isinstance(table.get(key), (int, float))
                   for table in tables)}


def identity(script, seed, kernel):
    """Identifies a measurement: module, script and seed, not the kernel."""
    build = pathlib.Path(os.environ.get("MPTUN_BUILD", TOP / "build"))
    module = build / "modules" / kernel / "mptun.ko"
    found = hashlib.sha256(module.read_bytes())
    found.update(f"{seed}\n{kernel}\n{script}".encode())
    return found.hexdigest()


def kept(case, work, mark):
    """The kept result of a guest of that identity, or None."""
    try:
        if (work / "ended").read_text("utf-8") == mark:
            return collect.collect(case, work)
    except (OSError, collect.CollectError):
        pass
    return None


def run_seed(scenario, case, work, seed, kernel, resume):
    """What was measured in one guest, or why there is nothing. With `resume`
    it may have been there before."""
    script = plan.script(case, f"{scenario.name}: {case.name}")
    mark = identity(script, seed, kernel)
    result = kept(case, work, mark) if resume else None
    if result is not None:
        return result
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    file = work / "case.sh"
    file.write_text(script, encoding="utf-8")
    env = environment(case, work, seed)
    if kernel != VIRTUAL:
        del env["MPTUN_SEED"]
    limit = 300 + int(case.seconds() * 20)
    with open(work / "log", "wb") as log:
        status = subprocess.run(
            [*runner(kernel), "-t", str(limit), "-m", "2G", "--no-build",
             "--", GUEST, file, case.name],
            env=env, cwd=TOP, stdout=log, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, check=False).returncode
    if status != 0:
        return {"error": last_words(work / "log", status)}
    try:
        result = collect.collect(case, work)
    except collect.CollectError as err:
        return {"error": str(err)}
    (work / "ended").write_text(mark, "utf-8")
    return result


def environment(case, work, seed):
    """The caller's, but of what the runner hands on to the guest only what the
    case needs: its length decides where the guest's programs put things, and
    with that its random numbers."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("MPTUN_", "KTAP_"))
           or key in ("MPTUN_BUILD", "MPTUN_CACHE")}
    if any(item["kind"] == "quic" for item in case.traffic):
        env["MPTUN_SIM_PYTHON"] = os.environ["MPTUN_SIM_PYTHON"]
    home = os.environ.get("HOME", "/root")
    env.setdefault("MPTUN_CACHE", f"{home}/.cache/mptun")
    return {**env, "MPTUN_RESULTS": str(work), "MPTUN_SEED": str(seed),
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/root",
            "PWD": str(TOP),
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def last_words(log, status):
    """Why a guest failed, as far as its log says."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace")
             .splitlines() if "FAILED" in line or line.startswith("# ")]
    return f"status {status}: " + " | ".join(lines[-6:])


def safe(name):
    """A case's name as the name of a folder."""
    return "".join(c if c.isalnum() or c in "=.,-_" else "_" for c in name)


def run_all(jobs, folder, places, done, kernel=VIRTUAL, resume=False):
    """Run (scenario, case) pairs, `places` at once; done(scenario, case,
    result, seconds) is called as each ends."""
    with concurrent.futures.ThreadPoolExecutor(places) as pool:
        waiting = {pool.submit(run_case, scenario, case, folder, kernel,
                               resume):
                   (scenario, case) for scenario, case in jobs}
        try:
            for future in concurrent.futures.as_completed(waiting):
                done(*waiting[future], *future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

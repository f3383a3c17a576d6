#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the runner of scenarios itself, without a guest. KTAP."""
# Copyright (C) 2026 The mptun authors

import os
import pathlib
import sys
import tempfile
import unittest.mock

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from simlib import expr, guests, judge, load, plan, stale  # noqa: E402

GOOD = """
scenario: one
title: t
source: s
set: quick
sweep: {n: [1, 2], mode: [x, y]}
quick: {n: [1]}
where: mode == 'x' or n == 2
paths:
  - {name: p, count: "${n}", rate: "${5 * i}mbit", delay: 5ms}
traffic:
  - {name: down, kind: tcp, seconds: 3}
variants:
  mode:
    y: {carriers: [{kind: plain, paths: [p1]}]}
hold:
  - {id: h, what: w, each: {n: [1, 2]}, value: "m('down.mbps', mode='x')",
     least: 10}
"""


def loaded(text):
    """A scenario from a text, or the words of its error."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "one.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            return load.load(file)
        except load.ScenarioError as err:
            return str(err).replace(folder, "")


def refused(old, new, words):
    """Check that the scenario with that change is refused with these words."""
    assert old in GOOD, old
    answer = loaded(GOOD.replace(old, new))
    assert isinstance(answer, str), f"'{new}' was taken"
    assert words in answer, answer


def known(text):
    """A list of known failures."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return judge.Known(file.name)


def verdicts(listed, values, quick=False):
    """The verdicts on what was measured at n = 1, 2."""
    results = [{"case": f"n={n}", "point": {"n": n, "mode": "x"},
                "series": {}, "values": {"down.mbps": value}}
               for n, value in values.items()]
    lines = judge.judge(loaded(GOOD), results, known(listed), quick)
    return [line.verdict for line in lines]


def test_cases():
    """A sweep unfolds, in order, without what 'where' leaves out."""
    scenario = loaded(GOOD)
    assert [case.name for case in scenario.cases()] == [
        "n=1,mode=x", "n=2,mode=x", "n=2,mode=y"]
    assert [case.name for case in scenario.cases(True)] == ["n=1,mode=x"]
    paths = scenario.cases()[1].paths
    assert [path["name"] for path in paths] == ["p1", "p2"]
    assert [path["rate"] for path in paths] == ["5mbit", "10mbit"]


def test_plan():
    """A case becomes a script for the guest."""
    text = plan.script(loaded(GOOD).cases()[2], "t")
    assert "link a b p2 10mbit 5ms\nneighbours p2\n" in text, text
    assert "carrier_plain mp0 a b p1 -\n" in text, text
    assert "launch 0 iperf_client down mp0 a b 5001" in text, text


def test_reorders():
    """A link that reorders has its rate behind its delay."""
    path = {"name": "p1", "rate": "10mbit", "delay": "60ms",
            "jitter": "20ms/normal", "queue": "50ms", "reorders": True}
    assert plan.link_line(path) == "link a b p1 none 60ms jitter 20ms/normal"
    assert plan.shape_lines(path) == ["link_shape p1 10mbit 50ms"]


def test_where():
    """Items with a 'where' exist only where it is true."""
    scenario = loaded(GOOD.replace(
        "{name: down, kind: tcp, seconds: 3}",
        "{name: down, kind: tcp}\n"
        "  - {name: more, kind: tcp, where: n == 2}"))
    names = [[item["name"] for item in case.traffic]
             for case in scenario.cases()]
    assert names == [["down"], ["down", "more"], ["down", "more"]], names
    assert all("where" not in item for case in scenario.cases()
               for item in case.traffic)


def test_restrict():
    """Other values of a variable are left out, in hold lines too."""
    scenario = loaded(GOOD)
    scenario.restrict("n", ["2"])
    assert [case.name for case in scenario.cases()] == ["n=2,mode=x",
                                                        "n=2,mode=y"]
    assert [point["n"] for point in judge.points(scenario.raw["hold"][0])] \
        == [2]
    try:
        scenario.restrict("n", ["7"])
    except load.ScenarioError as err:
        assert "n has no 7" in str(err), err
    else:
        raise AssertionError("taken")


def test_configure():
    """A setting of all tunnels, and of nothing else."""
    scenario = loaded(GOOD)
    scenario.configure("cc", "bbr")
    texts = [plan.script(case, "t") for case in scenario.cases()]
    assert "carrier_mptun mp0 a b p1 - cc bbr\n" in texts[0], texts[0]
    assert "carrier_plain mp0 a b p1 -\n" in texts[2], texts[2]


def test_best():
    """The largest value of its kind, of all traffic of that name."""
    results = [{"case": "c", "point": {}, "series": {}, "values": {
        "one1.mbps": 3, "one2.mbps": 4, "one2.rtt_ms": 50, "two.mbps": 9}}]
    names = judge.measured(results)({})
    assert expr.evaluate("best('one', 'mbps')", names) == 4
    try:
        expr.evaluate("best('six', 'mbps')", names)
    except expr.ExprError:
        return
    raise AssertionError("taken")


def test_refused():
    """Faults of a file are named."""
    refused("kind: tcp", "kind: tpc", "traffic.0.kind: 'tpc' is not one of")
    refused("title: t", "headline: t", "'headline' was unexpected")
    refused("least: 10", "lest: 10", "'lest' was unexpected")
    refused(",\n     least: 10", "", "needs either 'least' or 'most'")
    refused("scenario: one", "scenario: two", "not the name of the file")
    refused("quick: {n: [1]}", "quick: {n: [3]}", "n has no 3 in 'sweep'")
    refused("paths: [p1]", "paths: [q]", "which is neither a path")
    refused("${n}", "${m}", "names 'm', which nobody set")
    refused("5ms}", "5}", "paths.0.delay")
    refused("mode == 'x' or n == 2", "n > 5", "leaves no case")
    refused("m('down.mbps', mode='x')", "m(.", "is not an expression")


def test_harmless():
    """An expression cannot reach what it must not."""
    for text in ("().__class__", "lambda: 1", "__import__('os')", "open('x')"):
        try:
            expr.evaluate(text, {})
        except expr.ExprError:
            continue
        raise AssertionError(text)


def test_pass():
    """A line that holds passes."""
    assert verdicts("", {1: 10, 2: 11}) == ["pass", "pass"]


def test_fail():
    """A line that does not hold and is not listed fails."""
    assert verdicts("", {1: 10, 2: 9.9}) == ["pass", "FAIL"]


def test_near():
    """A miss by less than the noise is shown as near, listed or not."""
    assert verdicts("noise: 5 %\n", {1: 9.51, 2: 9.49}) == ["near", "FAIL"]


def test_known():
    """A listed line is known, unless it got worse than the tolerance."""
    listed = "tolerance: 5 %\none: h[n=2]: 8\n"
    assert verdicts(listed, {1: 10, 2: 8}) == ["pass", "known"]
    assert verdicts(listed, {1: 10, 2: 7.61}) == ["pass", "known"]
    assert verdicts(listed, {1: 10, 2: 7.59}) == ["pass", "FAIL"]
    assert verdicts(listed, {1: 9, 2: 8}) == ["FAIL", "known"]


def test_better():
    """A listed line that holds is reported, and no failure."""
    assert verdicts("one: h[n=2]: 8", {1: 10, 2: 10}) == ["pass", "better"]


def test_missing():
    """A case that was not run fails in the full set, not in the quick one."""
    assert verdicts("", {1: 10}) == ["pass", "FAIL"]
    assert verdicts("", {1: 10}, quick=True) == ["pass"]


def test_broken_list():
    """A line that is none is refused."""
    try:
        known("one: h\n")
    except judge.KnownError:
        return
    raise AssertionError("taken")


def test_essence():
    """Comments, messages and include lines of the module do not count."""
    old = '#include "a.h"\nint f(void)\n{\n\tg("a /* b"); /* c */\n}\n'
    new = '#include "b/a.h"\n/* d */ int f(void) {\n\tg("e");\n}\n'
    assert stale.essence(old) == stale.essence(new)
    assert stale.essence(old) != stale.essence(old.replace("g(", "h("))


def test_texts():
    """Texts of a scenario do not count, what it measures does."""
    mark = stale.scenario_hash(loaded(GOOD).raw)
    assert mark == stale.scenario_hash(
        loaded(GOOD.replace("title: t", "title: u")).raw)
    assert mark != stale.scenario_hash(
        loaded(GOOD.replace("5ms", "6ms")).raw)


def test_note():
    """A stale page says so, once, and no longer when it is not."""
    head = f".. Measured of module {stale.module()}, scenario 0\n\nT\n=\n\n"
    text = "Measured 2026-11-25 at commit\n1234567890+ by something.\n\nEnd.\n"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "sim-asym.rst"
        page.write_text(head + text, "utf-8")
        assert stale.is_stale(page)
        assert stale.note(page) and not stale.note(page)
        assert "\n\n.. note:: Measured before " in page.read_text("utf-8")
        mark = stale.scenario_of("asym")
        page.write_text(page.read_text("utf-8").replace("scenario 0",
                                                        f"scenario {mark}"))
        assert not stale.is_stale(page)
        assert stale.note(page)
        assert page.read_text("utf-8") == \
            head.replace("scenario 0", f"scenario {mark}") + text


def test_resume():
    """Results of the same module, script and seed are reused."""
    scenario = loaded(GOOD)
    case = scenario.cases(True)[0]
    guest = unittest.mock.Mock(return_value=unittest.mock.Mock(returncode=0))
    collect = unittest.mock.Mock(side_effect=[1, 2, 3, 4, 5])
    with tempfile.TemporaryDirectory() as folder, \
            unittest.mock.patch.dict(os.environ, MPTUN_BUILD=folder), \
            unittest.mock.patch("subprocess.run", guest), \
            unittest.mock.patch("simlib.collect.collect", collect):
        module = pathlib.Path(folder) / "modules" / guests.VIRTUAL
        module.mkdir(parents=True)
        (module / "mptun.ko").write_bytes(b"one")

        def run(seed, resume):
            got = guests.run_seed(scenario, case, pathlib.Path(folder) / "case",
                                  seed, guests.VIRTUAL, resume)
            return got, guest.call_count

        assert run(1, True) == (1, 1)
        assert run(1, True) == (2, 1)
        assert run(2, True) == (3, 2)
        assert run(2, False) == (4, 3)
        (module / "mptun.ko").write_bytes(b"another")
        assert run(2, True) == (5, 4)
        # results that are gone are measured again, too
        collect.side_effect = [guests.collect.CollectError("gone"), 6]
        assert run(2, True) == (6, 5)


def test_all_load():
    """All scenarios of the project load, and each case has a script."""
    scenarios = load.load_all()
    assert scenarios
    for scenario in scenarios:
        for case in scenario.cases():
            assert plan.script(case, "t").endswith("finish\n")
        assert scenario.cases(True)


def main():
    """Run all of them."""
    tests = [(name, test) for name, test in globals().items()
             if name.startswith("test_")]
    print("KTAP version 1")
    print(f"1..{len(tests)}")
    failed = False
    for number, (name, test) in enumerate(tests, 1):
        word = "ok"
        try:
            test()
        except (AssertionError, expr.ExprError, load.ScenarioError) as err:
            print(f"# {err!r}")
            word, failed = "not ok", True
        print(f"{word} {number} {name[5:]}: {test.__doc__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

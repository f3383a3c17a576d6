#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# mptun-plot: figures from recordings, and pictures of them.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: plot.py MPTUNCTL-FAKE
"""Tests of mptun-plot: KTAP."""

import importlib.machinery
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
PLOT = os.path.join(HERE, "..", "mptun-plot")

sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("plot", PLOT)
SPEC = importlib.util.spec_from_loader("plot", LOADER)
plot = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(plot)


def line(kind, second, **more):
    """A line of a recording."""
    return {"type": kind, "time": "2026-11-23T01:02:03.000000+00:00",
            "monotonic_us": (100 + second) * 1000000, **more}


def start(**more):
    """The first line."""
    return line("start", 0, **{"format": 1, "version": "0.1.0", **more})


def path(name, tx=0, rx=0, acked=0, lost=0, spurious=0, **more):
    """A path in a sample."""
    return {"name": name, "cwnd": 15000, "in_flight": 1500, "srtt": 20000,
            "min_rtt": None, **more,
            "stats": {"tx_bytes": tx, "rx_bytes": rx, "acked_packets": acked,
                      "lost_packets": lost, "spurious": spurious}}


def sample(second, *paths, tunnel="mp0"):
    """A sample."""
    return line("sample", second,
                tunnels=[{"ifname": tunnel, "paths": list(paths)}])


def text(*lines):
    """A recording as lines of text."""
    return [json.dumps(item) + "\n" for item in lines]


def series(*samples):
    """Figures of the path wan1."""
    items = plot.read("x", text(start(), *samples))
    return plot.follow(items)["mp0"]["wan1"].series


def equal(got, want):
    """Lists of numbers, NaN included."""
    assert len(got) == len(want) and all(
        math.isnan(a) and math.isnan(b) or math.isclose(a, b)
        for a, b in zip(got, want)), f"{got} is not {want}"


def figures():
    """Rates and loss of intervals; what is unknown is NaN."""
    nan = math.nan
    got = series(sample(0, path("wan1", 1000, 0, 10, 0)),
                 sample(2, path("wan1", 251000, 125000, 107, 4, 1)),
                 sample(3, path("wan1", "251000", 125000, 107, 4, 1)))
    equal(got["up"], [nan, 1, 0])
    equal(got["down"], [nan, 0.5, 0])
    equal(got["loss"], [nan, 300 / 101, nan])
    equal(got["srtt"], [20, 20, 20])
    equal(got["min_rtt"], [nan, nan, nan])


def begun_anew():
    """Deleted and added again, with and without a sample in between."""
    nan = math.nan
    got = series(sample(0, path("wan1", 9000, 0, 50, 0)),
                 sample(1, path("wan1", 125000, 0, 20, 0)),
                 sample(2, path("wan2")),
                 sample(3, path("wan1", 500, 0, 1, 0)),
                 sample(4, path("wan1", 125500, 0, 2, 0)))
    equal(got["up"], [nan, 1, nan, nan, 1])
    equal(got["cwnd"], [15000, 15000, nan, 15000, 15000])


def refused():
    """One sentence for a file that is no recording."""
    for lines, words in (
            ([], "does not begin"),
            (text(sample(0)), "does not begin"),
            (text(start(format=2)), "of format 2, known is 1"),
            (["{}\n"], "does not begin"),
            (text(start()) + ["x\n"] + text(sample(1)), "line 2 is not JSON")):
        try:
            plot.read("x", lines)
        except plot.PlotError as err:
            assert words in str(err), err
        else:
            raise AssertionError(f"not refused: {words}")
    cut = text(start(), sample(0, path("wan1")), sample(1, path("wan1")))
    assert len(plot.read("x", cut[:2] + [cut[2][:50]])) == 2


def words():
    """Events as marks."""
    items = plot.read("x", text(
        start(),
        line("event", 1, event="path", ifname="mp0", name="dsl",
             old_state="up", state="down", reason="timeout"),
        line("event", 2, event="path", ifname="mp0", name="dsl", state="new"),
        line("event", 3, event="path-gone", ifname="mp1", name="dsl"),
        line("event", 4, event="tunnel-gone", ifname="mp0"),
        line("event", 5, event="lost"),
        line("event", 6, event="unheard-of", ifname="mp0")))
    want = [(1, "dsl", "dsl down (timeout)"), (2, "dsl", "dsl added"),
            (4, None, "tunnel gone"), (5, None, "events lost"),
            (6, None, "unheard-of")]
    assert plot.marks(items, "mp0") == want, plot.marks(items, "mp0")
    events = [(when, "a", f"e{when}") for when in (0, 1, 3, 8, 11, 12, 12.5)]
    want = [(0, "a", "e0\ne1"), (3, "a", "e3"), (8, "a", "e8"),
            (11, "a", "e11\ne12\n1 more")]
    assert plot.labels(events, 100) == want, plot.labels(events, 100)


def run(*args, stdin=None, status=0, said=""):
    """The program itself: status, and its only sentence."""
    done = subprocess.run([PLOT, *args], input=stdin, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr) == (status, said), done
    return done


def command_line(_prog):
    """Errors."""
    with open("bad", "w", encoding="utf-8") as file:
        file.write("nothing\n")
    with open("good", "w", encoding="utf-8") as file:
        file.writelines(text(start(), sample(0, path("wan1"))))
    for args, status, said in (
            ([], 1, "the following arguments are required: FILE"),
            (["nonesuch"], 1,
             "nonesuch cannot be read: No such file or directory"),
            (["bad"], 1, "bad does not begin as a recording of mptunctl"),
            (["good", "-o", "x.pdf"], 1,
             "x.pdf ends neither with .svg nor .png"),
            (["good", "-d", "mp9"], 1, "good has no tunnel \"mp9\""),
            (["-"], 1, "standard input needs -o OUT beside it"),
            (["good", "-o", "no/x.svg"], 2,
             "no/x.svg cannot be written: No such file or directory")):
        run(*args, status=status, said=f"mptun-plot: {said}\n")


def pictures(prog):
    """A real recording: every path, every panel, always the same."""
    env = {**os.environ, "MPTUN_FAKE": "state", "MPTUN_FAKE_GROW": "125000"}
    for command in ("add mp0", "path add mp0 wan1 remote 192.0.2.1",
                    "path add mp0 wan2 remote 192.0.2.2", "add mp1",
                    "path add mp1 dsl remote 192.0.2.3",
                    "record -i 0.1 -t 0.5 -o real.jsonl"):
        subprocess.run([prog, *command.split()], env=env, check=True)
    run("real.jsonl")
    tree = xml.etree.ElementTree.parse("real.svg")
    found = {"".join(item.itertext()).strip() for item in tree.iter()
             if item.tag.endswith("}text")}
    want = {"mp0", "mp1", "wan1", "wan2", "dsl", "sent, Mbit/s",
            "received, Mbit/s", "window, in flight, kB",
            "round trip, min, ms", "loss, %", "s",
            "established", "wan1 up (answered)", "4 more"}
    assert want <= found, f"{want - found} is not among {found}"
    with open("real.jsonl", encoding="utf-8") as file:
        run("-", "-o", "again.svg", stdin=file.read())
    with open("real.svg", "rb") as one, open("again.svg", "rb") as two:
        assert one.read() == two.read(), "two pictures of one recording"
    run("real.jsonl", "-d", "mp1", "-o", "real.png")
    with open("real.png", "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def main():
    """Run all of them."""
    prog = os.path.abspath(sys.argv[1])
    lists = [("plot: rates and loss", lambda _: figures(), False),
             ("plot: paths added again", lambda _: begun_anew(), False),
             ("plot: what is no recording", lambda _: refused(), False),
             ("plot: events", lambda _: words(), False),
             ("plot: errors on the command line", command_line, True),
             ("plot: pictures", pictures, True)]
    have = importlib.util.find_spec("matplotlib")
    status = 0
    print(f"KTAP version 1\n1..{len(lists)}")
    for count, (name, test, draws) in enumerate(lists, 1):
        if draws and not have:
            print(f"ok {count} {name} # SKIP no matplotlib")
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test(prog)
                print(f"ok {count} {name}", flush=True)
            except AssertionError as err:
                print(f"# {err}\nnot ok {count} {name}", flush=True)
                status = 1
            os.chdir("/")
    sys.exit(status)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Counts the tests of KTAP and TAP streams and names those that failed.
# Copyright (C) 2026 The mptun authors
"""usage: ktap.py [-c FILE] [FILE...]

Reads the files (or standard input) one after the other; each may hold several
streams, nested ones (KUnit, kselftest) and kernel log time stamps. Prints one
line per failed test and, last, `N passed, N failed, N skipped`; with -c writes
"N N N" to FILE. The leaves are counted: a test that has subtests is not a test
itself. These are failures, too: no test at all, a plan that is missing or not
kept, a wrong number, a failed parent of passed subtests, "Bail out!".
The status is 1 if anything failed.
"""

import re
import sys

STAMP = re.compile(r"^(<\d+>)?\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?")
HEADER = re.compile(r"^(KTAP|TAP) version \d+$")
PLAN = re.compile(r"^1\.\.(\d+)( *# *(?P<skip>SKIP)\b.*)?$", re.I)
RESULT = re.compile(r"^(?P<no>not )?ok\b *(?P<num>\d+)?(?P<name>.*)$")
SKIP = re.compile(r"#\s*skip\b", re.I)


class Level:
    """One stream: its plan and its results."""

    def __init__(self, indent):
        self.indent = indent
        self.plan = None
        self.skipped = False
        self.seen = 0
        self.broken = []
        self.leaves = []  # (name, "passed" | "failed" | "skipped")

    def close(self):
        """The leaves, plus a failure for each fault of the plan."""
        out = list(self.leaves)
        if self.plan is None:
            # a parameterised KUnit test may not know its number of cases
            if self.indent == 0 or not out:
                self.broken.append("no plan")
        elif self.plan != self.seen:
            self.broken.append(f"{self.plan} planned, {self.seen} ran")
        elif self.plan == 0 and not self.skipped:
            self.broken.append("no test at all")
        if self.skipped and not out:
            out.append(("", "skipped"))
        out += [(f"({why})", "failed") for why in self.broken]
        return out


class Parser:
    """Parses lines; `leaves` holds the result after finish()."""

    def __init__(self, name):
        self.name = name
        self.stack = []
        self.leaves = []

    def line(self, text):
        text = STAMP.sub("", text.rstrip("\r\n"))
        body = text.lstrip(" ")
        indent = len(text) - len(body)
        body = body.rstrip()
        if HEADER.match(body):
            self.header(indent)
        elif body.startswith("Bail out!") and self.stack:
            self.stack[-1].broken.append(body)
        elif PLAN.match(body):
            self.plan(indent, PLAN.match(body))
        elif RESULT.match(body):
            self.result(indent, RESULT.match(body))

    def header(self, indent):
        if self.stack and indent <= self.stack[0].indent:
            self.finish_stream()
        # a stream that was cut off by its neighbour
        while self.stack and self.stack[-1].indent >= indent:
            self.give_up()
        self.stack.append(Level(indent))

    def plan(self, indent, match):
        level = self.find(indent)
        # a second plan begins a stream that came without a header
        if level is not None and level.plan is not None:
            self.header(indent)
            level = self.stack[-1]
        elif level is None:
            self.header(indent)
            level = self.stack[-1]
        level.plan = int(match.group(1))
        level.skipped = bool(match.group("skip"))

    def result(self, indent, match):
        level = self.find(indent)
        if level is None:
            if not self.stack or indent > self.stack[-1].indent:
                return  # words of a program that look like a result
            self.header(indent)
            level = self.stack[-1]
        below = None
        while self.stack[-1] is not level:
            below = (below or []) + self.stack.pop().close()
        level.seen += 1
        if match.group("num") and int(match.group("num")) != level.seen:
            level.broken.append(
                f"number {match.group('num')} where {level.seen} was due")
            level.seen = int(match.group("num"))
        name = match.group("name").strip()
        skipped = bool(SKIP.search(name))
        name = re.sub(r"^- *", "", name)
        name = re.sub(r"\s*#\s*skip\b.*", "", name, flags=re.I)
        state = "failed" if match.group("no") else "passed"
        if state == "passed" and skipped:
            state = "skipped"
        if below is None:
            level.leaves.append((name, state))
            return
        level.leaves += [(f"{name}: {leaf}", s) for leaf, s in below]
        if state == "failed" and all(s != "failed" for _, s in below):
            level.leaves.append((f"{name} (failed by itself)", "failed"))

    def find(self, indent):
        for level in reversed(self.stack):
            if level.indent == indent:
                return level
        return None

    def give_up(self):
        """A nested stream that ended without the result of its parent."""
        level = self.stack.pop()
        leaves = level.close() + [("(cut off)", "failed")]
        if self.stack:
            self.stack[-1].leaves += leaves
        else:
            self.leaves += leaves

    def finish_stream(self):
        while len(self.stack) > 1:
            self.give_up()
        if self.stack:
            self.leaves += self.stack.pop().close()

    def finish(self):
        self.finish_stream()
        if not self.leaves:
            self.leaves.append((f"(no test in {self.name})", "failed"))
        return self.leaves


def read(name):
    parser = Parser(name)
    if name == "-":
        stream = sys.stdin
    else:
        stream = open(name, encoding="utf-8", errors="replace")
    with stream:
        for text in stream:
            parser.line(text)
    return parser.finish()


def main(args):
    counts_file = None
    if args[:1] == ["-c"] and len(args) > 1:
        counts_file = args[1]
        args = args[2:]
    if args[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in args or ["-"]:
        for leaf, state in read(name):
            counts[state] += 1
            if state != "passed":
                print(f"{state}: {leaf}")
    print(", ".join(f"{n} {state}" for state, n in counts.items()))
    if counts_file:
        with open(counts_file, "w", encoding="ascii") as out:
            print(*counts.values(), file=out)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

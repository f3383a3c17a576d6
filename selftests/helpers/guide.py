#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Commands and figures of the user guide, for tests that try them.
# Copyright (C) 2026 The mptun authors
"""usage: guide.py block FILE TITLE N
       guide.py file FILE TITLE N
       guide.py table FILE TITLE N

Print the Nth literal block, also with a line before it that has the name of the
file that it is (the last one in the paragraph before it), or the rows of the
Nth table, their columns separated by tabs, of the section with that title.
"""
import argparse
import re
import sys

RULE = re.compile(r"(=+|-+|~+)$")
BORDER = re.compile(r"=+(  =+)+$")


def section(lines, title):
    """The lines of a section, without those of sections in it."""
    heads = [n for n in range(len(lines) - 1)
             if lines[n] and lines[n][0] not in "\t =" and
             RULE.match(lines[n + 1]) and
             len(lines[n + 1]) >= len(lines[n])]
    for n, head in enumerate(heads):
        if lines[head] == title:
            last = heads[n + 1] if n + 1 < len(heads) else len(lines)
            return lines[head + 2:last]
    sys.exit(f"guide.py: there is no section '{title}'")


def literals(lines):
    """Text indented by a tab after a paragraph with '::'; that paragraph."""
    out, paragraph, ended, inside = [], [], True, False
    for line in lines:
        if line.startswith("\t"):
            if not inside and paragraph and paragraph[-1].endswith("::"):
                inside = True
                out.append(([], " ".join(paragraph)))
            if inside:
                out[-1][0].append(line[1:])
        elif line:
            paragraph = [line] if ended or inside else [*paragraph, line]
            inside = False
        elif inside:
            out[-1][0].append("")
        ended = not line
    return [("\n".join(block).rstrip(), before) for block, before in out]


def blocks(lines):
    """Literal blocks."""
    return [block for block, _ in literals(lines)]


def files(lines):
    """Literal blocks behind the names of their files; empty for commands."""
    return [([""] + re.findall(r"``(/[^`\s]+)``", before))[-1] + "\n" + block
            for block, before in literals(lines)]


def tables(lines):
    """The bodies of simple tables, without their heads."""
    out, borders = [], 0
    for line in lines:
        if BORDER.match(line):
            borders = borders % 3 + 1
            columns = [m.span() for m in re.finditer("=+", line)]
            if borders == 2:
                out.append([])
        elif borders == 2:
            ends = [start for start, _ in columns[1:]] + [None]
            out[-1].append("\t".join(
                line[start:end].strip()
                for (start, _), end in zip(columns, ends)))
    return ["\n".join(table) for table in out]


def main():
    """Print what was asked for."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("what", choices=("block", "file", "table"))
    parser.add_argument("file")
    parser.add_argument("title")
    parser.add_argument("number", type=int)
    args = parser.parse_args()
    with open(args.file, encoding="utf-8") as file:
        lines = section(file.read().splitlines(), args.title)
    found = {"block": blocks, "file": files, "table": tables}[args.what](lines)
    if not 1 <= args.number <= len(found):
        sys.exit(f"guide.py: '{args.title}' has {len(found)} {args.what}s")
    print(found[args.number - 1])


if __name__ == "__main__":
    main()

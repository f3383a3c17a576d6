#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Commands and figures of the user guide, for tests that try them.
# Copyright (C) 2026 The mptun authors
"""usage: guide.py block FILE TITLE N
       guide.py table FILE TITLE N

Print the Nth literal block, or the rows of the Nth table, their columns
separated by tabs, of the section with that title.
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


def blocks(lines):
    """Literal blocks: text indented by a tab, after a paragraph with '::'."""
    out, inside = [], False
    for n, line in enumerate(lines):
        if line.startswith("\t"):
            if not inside:
                before = [text for text in lines[:n] if text]
                inside = bool(before) and before[-1].endswith("::")
                if inside:
                    out.append([])
            if inside:
                out[-1].append(line[1:])
        elif line:
            inside = False
        elif inside:
            out[-1].append("")
    return ["\n".join(block).rstrip() for block in out]


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
    parser.add_argument("what", choices=("block", "table"))
    parser.add_argument("file")
    parser.add_argument("title")
    parser.add_argument("number", type=int)
    args = parser.parse_args()
    with open(args.file, encoding="utf-8") as file:
        lines = section(file.read().splitlines(), args.title)
    found = (blocks if args.what == "block" else tables)(lines)
    if not 1 <= args.number <= len(found):
        sys.exit(f"guide.py: '{args.title}' has {len(found)} {args.what}s")
    print(found[args.number - 1])


if __name__ == "__main__":
    main()

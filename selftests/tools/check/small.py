#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Counts the small functions of the module that have a single caller: fails if
there are 200 or more, as a reader jumps to each of them.

usage: small.py [-l | --selftest]

  -l          print each of them (place, name, lines) and their number
  --selftest  check this check, with functions made up for it

A function counts if it ends at most 12 lines below its first line, and kmod/
without kmod/test names it at one place besides its definition and prototypes.
That place is a call: a name without arguments is a pointer, as in a table of
callbacks.
"""
# Copyright (C) 2026 The mptun authors

import pathlib
import re
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3] / "kmod"
LINES = 12
MOST = 199

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
# What begins in the first column is outside of functions, and so are braces there
DEFINITION = re.compile(r"^(\w[^;{}=#]*\))[\w \t]*\n\{\n(.*?)^\}", re.M | re.S)
DECLARATION = re.compile(r"^\w[^;{}=#]*;", re.M)


# Functions with one caller, two, and none by name, and a large one
SAMPLE = """
static int one(void)
{
	return 1;	/* as two() */
}

static int two(void)
{
	return 2;
}

static void pointer(void)
{
}

static int large(void)
{
""" + 12 * "\tone_of_others();\n" + """}

int mptun_xmit(void)
{
	call(pointer);
	return one() + two() + two() + large();
}
"""


def sources(top=TOP):
    """(name, text) of the module's files, without comments and strings."""
    for path in sorted(top.rglob("*.[ch]")):
        name = path.relative_to(top).as_posix()
        if not name.startswith("test/"):
            yield name, NOISE.sub(lambda it: re.sub(r"[^\n]", " ", it[0]),
                                  path.read_text("utf-8"))


def small_functions(top=TOP):
    """(place, name, lines) of the functions that count."""
    found, text = [], ""
    for file, source in sources(top):
        for define in DEFINITION.finditer(source):
            line = source.count("\n", 0, define.start()) + 1
            name = re.search(r"(\w+)\(", define[1])[1]
            found.append((f"{file}:{line}", name, define[0].count("\n")))
            text += define[2]
        text += DECLARATION.sub("", DEFINITION.sub("", source))
    places = {}
    for name, call in re.findall(r"\b(\w+)\b\s*(\(?)", text):
        places.setdefault(name, []).append(call)
    return [(where, name, lines) for where, name, lines in found
            if lines <= LINES and places.get(name) == ["("]]


def sample(count):
    """What @count finds in the sample."""
    with tempfile.TemporaryDirectory() as top:
        pathlib.Path(top, "sample.c").write_text(SAMPLE, "utf-8")
        return count(pathlib.Path(top))


def selftest():
    """One function of the sample counts."""
    found = [name for _, name, _ in sample(small_functions)]
    if found != ["one"]:
        sys.exit(f"small.py finds {found} in the sample, not one")


def main():
    """Print the functions that count if asked to, and a number too large."""
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    if sys.argv[1:] not in ([], ["-l"]):
        sys.exit(__doc__.split("\n\n")[1])
    small = small_functions()
    if sys.argv[1:]:
        for where, name, lines in small:
            print(f"{where} {name} {lines}")
        print(len(small))
    if len(small) > MOST:
        sys.exit(f"{len(small)} small functions with a single caller, "
                 f"not at most {MOST}")


if __name__ == "__main__":
    main()

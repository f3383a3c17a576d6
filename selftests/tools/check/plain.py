#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Finds what is not plain English, by the list in the file patterns.

usage: plain.py [--count] [FILE|FOLDER...]
       plain.py --selftest

  FILE, FOLDER  what is read (default: everything in the source tree)
  --count       how often each pattern is found in each folder at the top
  --selftest    check the check, with texts made up for it (KTAP)

Each hit is one line on standard output: file, line, the words, what to write
instead. The status is 1 if there is any. A phrase is found across the end of a
line, too. The file plain-exceptions names the places where a pattern does not
apply, each with its reason; one that applies to nothing is a hit itself when
the whole tree is read.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import collections
import io
import pathlib
import re
import subprocess
import sys
import tokenize

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
KINDS = ("prose", "code", "ask")

# Texts by others, data, and the list itself
SKIPPED = re.compile(
    r"LICENSES/|COPYING$|.*\.(svg|png|json|tsv|patch|bin)$|"
    r"selftests/tools/check/(patterns|plain-exceptions|plain\.py|words)$|"
    r"tools/fuzz/seeds/|selftests/fuzz/mptun\.txt$")
DOCUMENT = re.compile(r".*\.(rst|md|[1-9])$|MAINTAINERS$")
C_SOURCE = re.compile(r".*\.[ch]$")
PYTHON = re.compile(r".*\.py$")

C_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#+(?!!)(?=\s|$)[^\n]*", re.M)


class Block:  # pylint: disable=too-few-public-methods
    """A piece of text whose line ends are blanks, and where its lines are."""

    def __init__(self, lines):
        self.text, self.starts = "", []
        for number, line in lines:
            self.starts.append((len(self.text), number))
            self.text += line.strip() + " "
        self.text = self.text.rstrip()

    def line(self, offset):
        """The number of the line at this offset."""
        return [number for start, number in self.starts if start <= offset][-1]


def numbered(text, first):
    """(number, line) of a text that begins at line FIRST."""
    return list(enumerate(text.split("\n"), first))


def paragraphs(lines):
    """Blocks out of (number, line): they end at empty lines and at items."""
    block = []
    for number, line in lines:
        if block and (not line.strip() or re.match(r"\s*([*-]|\d+\.) ", line)):
            yield Block(block)
            block = []
        if line.strip():
            block.append((number, line))
    if block:
        yield Block(block)


def c_comments(text):
    """The comments of a C source, as lists of (number, line)."""
    for found in C_COMMENT.finditer(text):
        if found[0].startswith('"'):
            continue
        first = text.count("\n", 0, found.start()) + 1
        body = found[0].removeprefix("//").removeprefix("/*")
        yield [(number, re.sub(r"^\s*\*+(?!\S)", "", line))
               for number, line in numbered(body.removesuffix("*/"), first)]


def hash_comments(text):
    """The comments of a shell script, a Makefile or a YAML file: lines that
    follow each other are one."""
    block = []
    for number, line in numbered(text, 1):
        found = HASH_COMMENT.search(line)
        if block and (not found or found.start() != block[-1][2]):
            yield [entry[:2] for entry in block]
            block = []
        if found:
            block.append((number, found[0].lstrip("#"), found.start()))
    if block:
        yield [entry[:2] for entry in block]


def python_comments(text):
    """The comments and docstrings of a Python source."""
    block, fresh = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row = token.start[0]
        if token.type == tokenize.COMMENT:
            if block and block[-1][0] != row - 1:
                yield block
                block = []
            block.append((row, token.string.lstrip("#!")))
        elif token.type == tokenize.STRING and fresh:
            yield numbered(token.string.strip("\"'"), row)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            # a string at the beginning of a statement is a docstring
            fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT,
                                   tokenize.DEDENT, tokenize.ENCODING)
    if block:
        yield block


def comments(name, text):
    """Blocks of the comments of a source."""
    if C_SOURCE.match(name):
        found = c_comments(text)
    elif PYTHON.match(name) or text.startswith("#!/usr/bin/python"):
        found = python_comments(text)
    else:
        found = hash_comments(text)
    for lines in found:
        yield from paragraphs(lines)


def swallowed(text):
    """Lines of reStructuredText that are meant to be items of a list, but belong
    to the paragraph before, for want of an empty line. Sphinx does not warn.
    """
    before, items = None, set()  # indentations, since the last empty line
    for number, line in numbered(text, 1):
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            before, items = None, set()
        elif not line.lstrip().startswith("* "):
            before = indent
        elif before == indent and indent not in items:
            yield number, line.split()[1]
        else:
            items.add(indent)


def search(name, text, patterns):
    """(line, words, pattern) of everything that is found in a text."""
    hits = {}

    def look(blocks, kinds):
        for block in blocks:
            for pattern in patterns:
                if pattern.kind not in kinds:
                    continue
                for found in pattern.regex.finditer(block.text):
                    words = found[0].strip(" .:;!") or found[0]
                    begin = found.start() + found[0].find(words)
                    hits.setdefault((block.line(begin), pattern.regex.pattern,
                                     words.lower()), (words, pattern))

    if DOCUMENT.match(name):
        look(paragraphs(numbered(text, 1)), ("prose", "code"))
        if name.endswith(".rst"):
            for number, words in swallowed(text):
                hits[number, "", words] = words, SWALLOWED
    else:
        look(comments(name, text), KINDS)
        look((Block([entry]) for entry in numbered(text, 1)), ("code",))
    return sorted((line, words, pattern.advice)
                  for (line, _, _), (words, pattern) in hits.items())


Pattern = collections.namedtuple("Pattern", "kind regex advice")
SWALLOWED = Pattern("prose", None, "an empty line before the list")


def rows(file, columns):
    """(number, fields) of the lines of a list that are no comments."""
    for number, line in numbered(file.read_text("utf-8"), 1):
        if line.strip() and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != columns:
                sys.exit(f"{file.name}:{number}: {columns} fields, separated "
                         "by tabs, are expected")
            yield number, fields


def read_patterns():
    """The list of patterns."""
    found = []
    for number, (kind, regex, advice) in rows(HERE / "patterns", 3):
        if kind not in KINDS:
            sys.exit(f"patterns:{number}: no kind '{kind}'")
        found.append(Pattern(kind, re.compile(regex, re.I), advice))
    return found


class Exceptions:
    """Where a pattern does not apply."""

    def __init__(self):
        self.found = [[re.compile(path), re.compile(text), number, 0]
                      for number, (path, text, _)
                      in rows(HERE / "plain-exceptions", 3)]

    def cover(self, name, line):
        """Whether a hit in this line of this file is one of them."""
        for entry in self.found:
            if entry[0].fullmatch(name) and entry[1].search(line):
                entry[3] += 1
                return True
        return False

    def unused(self):
        """The numbers of the lines that applied to nothing."""
        return [number for *_, number, used in self.found if not used]


def files(names):
    """The files to read, by their names in the source tree."""
    listed = subprocess.run(
        ["git", "-C", TOP, "ls-files", "-co", "--exclude-standard"],
        check=True, text=True, capture_output=True).stdout.splitlines()
    wanted = [pathlib.Path(name).resolve().relative_to(TOP).as_posix()
              for name in names]
    return [name for name in sorted(listed)
            if not SKIPPED.match(name) and (TOP / name).is_file()
            and (not wanted or any(
                where in (".", name) or name.startswith(where + "/")
                for where in wanted))]


TEXTS = [
    # name, text, [(line, words)]
    ("x.c", "/* as many as so\n * many */\nint so_many;\n", [(1, "so many")]),
    ("x.c", '\tpr_err("none that works");\n', [(1, "none that")]),
    ("x.c", "/* Is it full? */\n/* b ? c : d */\n", [(1, "full?")]),
    ("x.c", 'char *a = "/* really? */";\n', []),
    ("x.c", "/**\n * f() - do it\n *\n * Who asks,\n * gets.\n */\n",
     [(4, "Who")]),
    ("x.sh", "# up: is it up?\nf() {\n\techo \"$#\" # Done. Who knows\n",
     [(1, "up?"), (3, "Who")]),
    ("x.sh", "# one\n\techo \"told\"\n# by it\n", [(2, "told")]),
    ("x.py", '"""Is it?"""\nA = "is it? so much"  # fate\n',
     [(1, "it?"), (2, "fate"), (2, "so much")]),
    ("x.rst", "Anew?\n\n* A thin\n  path\n* far-thick, so far\n",
     [(1, "Anew"), (3, "thin")]),
    ("x.rst", "That the link is slow. That is all.\n", [(1, "That the")]),
    ("x.rst", "It fails.\n* **One**\n  of it.\n\n* a\n  b\n* c\n",
     [(2, "**One**")]),
    ("x.rst", "* A full link. * **Empty** is it. 2 * N too\n", [(1, "*")]),
    ("x.rst", "Worth it is a path. Not found are two.\nIt is not worth it.\n",
     [(1, "Not found are"), (1, "Worth it is")]),
    ("x.c", "/* Of each path the\n * rate: of each path */\n",
     [(1, "Of each")]),
    ("x.c", "/* a loss, of which\n * none arrived; no matter of sizes */\n",
     [(1, "of which none"), (2, "no matter of")]),
    ("x.rst", "It asks. Whom it asks is set; to whom is not.\n",
     [(1, "Whom")]),
    ("x.yaml", "a: 1  # likewise\n", [(1, "likewise")]),
]


def selftest():
    """KTAP: in every text is found what is in it."""
    patterns, failed = read_patterns(), 0
    print(f"KTAP version 1\n1..{len(TEXTS)}")
    for number, (name, text, wanted) in enumerate(TEXTS, 1):
        got = sorted((line, words)
                     for line, words, _ in search(name, text, patterns))
        fits = got == sorted(wanted)
        if not fits:
            failed = 1
            print(f"# {got}, not {sorted(wanted)}")
        print(f"{'ok' if fits else 'not ok'} {number} {name}: "
              f"{text.splitlines()[0]}".replace("#", "\\#"))
    return failed


def main():
    """Read the files, print the hits."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("names", nargs="*", metavar="FILE|FOLDER")
    args = parser.parse_args()
    if args.selftest:
        return selftest()
    patterns, exceptions = read_patterns(), Exceptions()
    count = collections.Counter()
    for name in files(args.names):
        text = (TOP / name).read_text("utf-8", "replace")
        lines = text.split("\n")
        for line, words, advice in search(name, text, patterns):
            if exceptions.cover(name, lines[line - 1]):
                continue
            count[name.split("/")[0] if "/" in name else "."] += 1
            if not args.count:
                print(f"{name}:{line}: '{words}': write {advice}")
    if args.count:
        for folder, hits in sorted(count.items()):
            print(f"{hits:6} {folder}")
    elif not args.names:
        for number in exceptions.unused():
            count["plain-exceptions"] += 1
            print(f"plain-exceptions:{number}: applies to nothing")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""Generate the tables of keywords of the tool (tools/lib/keyword-gen.c).

usage: keywords.py >keyword-gen.c
"""

import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from spec import Options, c_name, words  # noqa: E402

HEADER = """\
// SPDX-License-Identifier: GPL-2.0
/*
 * The keywords of all commands and of ip-link, with ranges and defaults.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Generated from the netlink specs and tools/spec/options.yaml by
 * tools/spec/regen.sh, do not edit.
 */
#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/keyword.h"
#include "lib/names.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
"""

TABLES = ("link", "add", "set", "key", "path", "class", "show", "top",
          "record", "test", "server", "client", "export")

# What is no attribute has numbers that no attribute has.
FIRST = 1000


def quoted(text):
    """A string of C."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value):
    """A number of C."""
    if value == 0xffffffff:
        return "UINT32_MAX"
    if value == 0xffffffffffffffff:
        return "UINT64_MAX"
    return f"{value}u" if value > 0x7fffffff else str(value)


def attribute(table, option, index):
    """Number of the attribute, in C; of an option of a command any."""
    if option.attr is None:
        return str(FIRST + index)
    name = c_name(option.attr["name"]).upper()
    if table in ("link", "add"):
        return f"IFLA_MPTUN_{name}"
    return f"MPTUN_A_{option.table.upper()}_{name}"


def members(table, option, index):
    """Initialisers of a keyword."""
    entry = option.entry
    word = "grace" if table == "key" else option.word
    yield f".word = {quoted(word)}"
    yield f".type = {option.kind}"
    yield f".attr = {attribute(table, option, index)}"
    if "attr6" in entry:
        yield f".attr6 = MPTUN_A_PATH_{entry['attr6'].upper()}"
    if "scope" in entry:
        yield f".attr_scope = MPTUN_A_PATH_{c_name(entry['scope']).upper()}"
    if entry.get("host"):
        yield ".host = true"
    for name, value in (("min", option.low), ("max", option.high),
                        ("least", option.least),
                        ("highest", option.highest)):
        if value:
            yield f".{name} = {number(value)}"
    if option.names:
        yield f".names = &names_{c_name(option.names)}"
    for name in ("none", "most", "value"):
        if name in entry:
            yield f".{name} = {quoted(entry[name])}"
    if option.default() is not None:
        yield f".standard = {quoted(option.default())}"
    yield f".help = {quoted(words(entry['brief']))}"


def print_key(table, option, index):
    """A keyword, with lines of at most 80 columns where possible."""
    head = ""
    if "index" in option.entry:
        name = option.entry["index"]
        if table == "key":
            name = "grace"
        elif name is True:
            name = option.word
        head = f"[KEYWORD_{table.upper()}_{c_name(name).upper()}] = "
    print(f"\t{head}{{")
    line = ""
    for part in members(table, option, index):
        if line and 16 + len(line) + 1 + len(part) + 1 > 80:
            print("\t\t" + line)
            line = ""
        line += (" " if line else "") + part + ","
    print("\t\t" + line)
    print("\t},")


def main():
    """Write the tables to standard output."""
    options = Options()
    print(HEADER, end="")
    for table in TABLES:
        print(f"\nstatic const struct parse_key {table}_keys[] = {{")
        # "add" begins as "link", so that its values are those of a link.
        first = options.table("link") if table == "add" else []
        for index, option in enumerate(first + options.table(table)):
            print_key(table, option, index)
        print("};")
        print(f"\nconst struct parse_table keyword_{table} = {{")
        print(f"\t{table}_keys, ARRAY_SIZE({table}_keys)\n}};")
    low, high = options.spec.limits(options.spec.attrs("class")["id"])
    print("\nconst struct parse_key keyword_class_id = {")
    print('\t.word = "the number of a class", .type = PARSE_U32,')
    print(f"\t.attr = MPTUN_A_CLASS_ID, .min = {low}, .max = {high},\n}};")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""Generate the reference of all settings, and parts of the manual pages.

usage: manual.py rst >options.rst
       manual.py PAGE >PAGE

The second form prints a manual page with the text between its markers

    .\\" generated from the spec: WHAT
    .\\" end of generated text

replaced.  WHAT is "options TABLE", or "values ENUM".
"""

import re
import sys
import textwrap

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from spec import Options, c_name, die, words  # noqa: E402

BEGIN = '.\\" generated from the spec: '
END = '.\\" end of generated text'
UNITS = {
    "PARSE_TIME": "us, ms, s, m, h or d",
    "PARSE_SPAN": "s, or us, ms, m, h or d",
    "PARSE_SECONDS": "s, or m, h or d",
    "PARSE_SIZE": "bytes; k, m, g, t are powers of 1024, kb, mb, gb, tb of 1000",
    "PARSE_VOLUME": "bytes; k, m, g, t are powers of 1024, kb, mb, gb, tb of"
                    " 1000",
    "PARSE_RATE": "bit, kbit, mbit, gbit or tbit per second",
}
# Names in configuration files that do not follow the rule
KEY_NAMES = {
    "allowed-ips": "AllowedIPs", "cc": "CC", "dns": "DNS", "dscp": "DSCP",
    "fwmark": "FwMark", "id": "ID", "mtu": "MTU", "peer-id": "PeerID",
}
# Values of kinds without a range
ANY = {
    "PARSE_ADDR": "an address", "PARSE_FILE": "a file",
    "PARSE_NAME": "a name", "PARSE_RATE": "a rate",
    "PARSE_VOLUME": "a size", "PARSE_PREFIXES": "a list of prefixes",
}


def facts(option):
    """Range, and default, in words; each may be None."""
    between = option.bounds()
    scope = f"{between[0]} to {between[1]}" if between else None
    return scope, option.default()


def errors(option):
    """Errors of the kernel, as (name, reason)."""
    return [(name, words(reason))
            for name, reason in option.entry.get("errors", {}).items()]


def values_of(name, spec):
    """Values of an enumeration with their meaning."""
    out = [(x["name"], words(x["doc"])) for x in spec.enums[name]["entries"]]
    if name == "path-state":
        # A path that is up is shown with the reason why it is suspended.
        attrs = spec.attrs("path")
        out += [(x, words(attrs[x]["doc"]).replace("1 while the path is",
                                                   "up, but"))
                for x in ("parked", "detour")]
    return out


# --- roff

def roff(text):
    """Text with ``literals`` and *values* as roff, one sentence per line."""
    text = words(text).replace("\\", "\\\\")
    text = re.sub(r"(``[^`]*``)", lambda m: m[1].replace("-", "\\-"), text)
    text = re.sub(r"``([^`]*)``", r"\\fB\1\\fR", text)
    text = re.sub(r"\*([A-Z]+)\*", r"\\fI\1\\fR", text)
    lines = []
    for sentence in re.split(r"(?<=[.:;]) (?=[A-Z\\])", text):
        lines += textwrap.wrap(sentence, 80, break_on_hyphens=False,
                               break_long_words=False)
    return "\n".join("\\&" + x if x[0] in ".'" else x for x in lines)


def roff_value(value):
    """A placeholder: names of values in capitals, words bold."""
    parts = []
    for part in value.split("|"):
        font = "I" if part.isupper() else "B"
        parts.append(f"\\f{font}{part}\\fR".replace("-", "\\-"))
    return "|".join(parts)


def roff_facts(option):
    """Range, default and errors as sentences, or an empty string."""
    out = []
    scope, default = facts(option)
    if scope:
        out.append(f"Range {scope}" +
                   (f", default {default}." if default else "."))
    elif default:
        out.append(f"Default {default}.")
    if errors(option):
        out.append("Errors: " + "; ".join(
            f"``{name}``, {reason}" for name, reason in errors(option)) + ".")
    return "\n".join(roff(x) for x in out)


def roff_values(values):
    """Values with their meaning."""
    return "\n".join(f".TP\n\\fB{name}\\fR\n".replace("-", "\\-") +
                     roff(meaning) for name, meaning in values)


def roff_option(option, table):
    """A keyword."""
    word = "grace" if table == "key" else option.word
    head = "\\fB" + word.replace("-", "\\-") + "\\fR"
    if "value" in option.entry:
        head += " " + roff_value(option.entry["value"])
    out = [".TP", head, roff(option.entry["text"])]
    if roff_facts(option):
        out.append(roff_facts(option))
    if option.choices() and not option.explained():
        out += [".RS", roff_values(option.choices()), ".RE"]
    elif option.choices():
        out.append(roff("One of " + ", ".join(
            f"``{name}``" for name, _ in option.choices()) + "."))
    return "\n".join(out)


def key_name(word):
    """The name of a keyword in a configuration file, see tools/conf/option.c."""
    return KEY_NAMES.get(word) or "".join(
        part.capitalize() for part in word.split("-"))


def roff_key(option):
    """A key of a configuration file."""
    brief = words(option.entry["brief"])
    scope, default = facts(option)
    about = "; ".join(x for x in (scope, default and f"default {default}") if x)
    return "\n".join([
        ".TP", f"\\fB{key_name(option.word)}\\fR = " +
        roff_value(option.entry["value"]),
        roff(brief[0].upper() + brief[1:] + (f" ({about})" if about else "") +
             ".")])


def roff_part(what, options):
    """The text for a marker."""
    kind, name = what.split()
    if kind == "values":
        return roff_values(values_of(name, options.spec))
    if kind == "keys":
        return "\n".join(roff_key(x) for x in options.tables[name]
                         if x.kind not in ("PARSE_FLAG", "PARSE_FILE"))
    if kind != "options":
        die(f"nothing is generated for \"{what}\"")
    return "\n".join(roff_option(x, name) for x in options.table(name))


def page(path, options):
    """A manual page with all parts replaced."""
    out, skip = [], False
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line == END:
                skip = False
            if not skip:
                out.append(line)
            if line.startswith(BEGIN):
                out.append(roff_part(line[len(BEGIN):], options))
                skip = True
    if skip:
        die(f"{path}: a marker is not closed")
    return "\n".join(out) + "\n"


# --- reStructuredText

RST_HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Copyright (C) 2026 The mptun authors
.. Generated from the netlink specs and tools/spec/options.yaml by
   tools/spec/regen.sh, do not edit.

==========================================
Reference of settings, states and counters
==========================================

All settings of tunnels, paths and classes, with units, ranges and defaults;
then the states that ``mptunctl show`` prints, and the counters of ``mptunctl
stats``. The same text is in mptunctl(8) and ip-link-mptun(8), and ``mptunctl
help`` shows it in short. Documentation/user-guide.rst explains which values to
choose.

A value out of range is refused with ``ERANGE``, a name that is too long with
``EINVAL``; a change is made as a whole or not at all.

.. contents::
   :local:
   :depth: 1
"""
TABLES = (
    ("tunnel", "Tunnels", """\
Settings at creation are given to ``mptunctl add DEV`` or ``ip link add DEV type
mptun``. Those that can be changed later, also under traffic, are given to
``mptunctl set DEV`` or ``ip link set DEV type mptun``."""),
    ("path", "Paths", """\
Given to ``mptunctl path add DEV NAME`` and, also under traffic, to ``mptunctl
path set DEV NAME``. A name has up to {name} characters, a tunnel up to {paths}
paths. Settings of a path control what this end sends. A peer that has learned
the path follows ``backup``, ``priority``, ``spill``, ``weight``, ``rate-down``,
``off`` and a reached ``cap``, unless it has ``follow off``."""),
    ("class", "Classes of packets", """\
Given to ``mptunctl class add DEV ID`` and, also under traffic, to ``mptunctl
class set DEV ID``; *ID* is 1 to {classes}. A packet belongs to a class if it
fits all of ``mark``, ``dscp``, ``protocol`` and ``port``; if it fits several
classes, the lowest number wins. Class 0 holds all other packets and takes only
``repair``, ``playout`` and ``code``."""),
)
# Lists of meanings: (kind, name in the spec, title)
LISTS = (
    ("enum", "assoc-state", "States of tunnels"),
    ("enum", "path-state", "States of paths"),
    ("enum", "path-reason", "Reasons of states of paths"),
    ("enum", "cap-state", "States of data caps"),
    ("set", "path-stats", "Counters of paths"),
    ("set", "class-stats", "Counters of classes"),
    ("set", "reorder-stats", "Figures of the reorder buffer"),
    ("set", "drop-stats", "Dropped packets"),
)


def wrap(text, indent=0):
    """A paragraph."""
    return textwrap.fill(words(text), 80, initial_indent=" " * indent,
                         subsequent_indent=" " * indent,
                         break_on_hyphens=False, break_long_words=False)


def place(option):
    """Where a setting is given, in short."""
    return {"create": "creation", "change": "change"}.get(
        option.entry.get("when"), "creation, change")


def rst_default(option):
    """The default; words of the interface are literals."""
    value = option.default()
    if value is None:
        return "no default"
    return value if " " in value else f"``{value}``"


def rst_range(option):
    """The values a keyword takes."""
    scope, _ = facts(option)
    out = [scope] if scope else []
    if not scope and option.kind in ANY and not option.choices():
        out = [ANY[option.kind]]
    if option.entry.get("host"):
        out.append("a host name")
    out += [f"``{name}``" for name, _ in option.choices()]
    if option.kind == "PARSE_BOOL":
        out += ["``on``", "``off``"]
    out += [f"``{x}``" for x in (option.none, option.most)
            if x and f"``{x}``" not in out]
    if not out:
        return "no value"
    return " or ".join((", ".join(out[:-1]), out[-1])) if out[1:] else out[0]


def rst_table(table, options):
    """All settings of a table at a glance."""
    heads = ["Keyword"] + ["Given at"] * (table == "tunnel") + \
        ["Values", "Default"]
    rows = []
    for option in options:
        rows.append([f"`{option.word} <option-{table}-{option.word}_>`__"] +
                    [place(option)] * (table == "tunnel") +
                    [rst_range(option), rst_default(option)])
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in [heads] + rows:
        for i, cell in enumerate(row):
            lines = textwrap.wrap(cell, 73, break_on_hyphens=False,
                                  break_long_words=False)
            out.append(("   * - " if not i else "     - ") + lines[0])
            out += ["       " + line for line in lines[1:]]
    return "\n".join(out)


def attribute(option):
    """Attributes in C."""
    name = c_name(option.attr["name"]).upper()
    own = f"``MPTUN_A_{option.table.upper()}_{name}``"
    if option.table != "tunnel":
        if "attr6" in option.entry:
            own += f", ``MPTUN_A_PATH_{option.entry['attr6'].upper()}``"
        return own
    link = f"``IFLA_MPTUN_{name}``"
    return {"create": link, "change": own}.get(option.entry.get("when"),
                                               f"{own}, {link}")


def field(name, text):
    """A line of a field list."""
    return textwrap.fill(f":{name}: {text}", 80, subsequent_indent="   ",
                         break_on_hyphens=False, break_long_words=False)


def rst_option(option):
    """A setting with all about it."""
    label = f"option-{option.table}-{option.word}"
    title = option.word
    if "value" in option.entry:
        title += " " + option.entry["value"]
    out = [f".. _{label}:", "", title, "-" * len(title), "",
           wrap(option.entry["text"]), ""]
    for name, meaning in () if option.explained() else option.choices():
        out += [f"``{name}``", wrap(meaning, 3)]
    if option.choices() and not option.explained():
        out.append("")
    if option.table == "tunnel":
        out.append(field("Given at", place(option)))
    unit = UNITS.get(option.kind) or option.entry.get("unit")
    if unit:
        out.append(field("Unit", unit))
    out.append(field("Values", rst_range(option)))
    out.append(field("Default", rst_default(option)))
    out.append(field("Attribute", attribute(option)))
    for name, reason in errors(option):
        out.append(field("Error", f"``{name}``: {reason}"))
    return "\n".join(out)


def rst_list(kind, name, title, spec):
    """Values of an enumeration, or attributes of a set, with their meaning."""
    if kind == "enum":
        about, entries = spec.enums[name], values_of(name, spec)
    else:
        about = spec.sets[name]
        entries = [(x["name"], x["doc"]) for x in about["attributes"]
                   if x["type"] != "pad"]
    out = [title, "=" * len(title), "",
           wrap(f"``{name}``: {words(about['doc'])}."), ""]
    for word, meaning in entries:
        out += [f"``{word}``", wrap(meaning, 3)]
    return "\n".join(out)


def rst(options):
    """The reference of all settings."""
    consts = options.spec.consts
    numbers = {"name": consts["path-name-max"], "paths": consts["paths-max"],
               "classes": consts["classes-max"] - 1}
    out = [RST_HEAD]
    for table, title, text in TABLES:
        entries = options.tables[table]
        out += [title, "=" * len(title), "", wrap(text.format(**numbers)), "",
                rst_table(table, entries), ""]
        for option in entries:
            out += [rst_option(option), ""]
    for kind, name, title in LISTS:
        out += [rst_list(kind, name, title, options.spec), ""]
    return "\n".join(out).rstrip() + "\n"


def main(args):
    """Write to standard output."""
    if len(args) != 1:
        sys.exit(__doc__)
    options = Options()
    print(rst(options) if args[0] == "rst" else page(args[0], options),
          end="")


main(sys.argv[1:])

# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""The netlink specs and the settings, read and resolved.

Units, words and defaults that the specs cannot express are in options.yaml.
"""

import os
import re
import sys

import yaml

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPECS = os.path.join(TOP, "Documentation", "netlink", "specs")
BITS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}

UNITS = {
    "UNIT_US": "hold hold-now playout-delay srtt rttvar min-rtt skew spill"
               " psmc-period",
    "UNIT_MS": "state-age session-age",
    "UNIT_S": "key-grace rekey keepalive",
    "UNIT_BYTES": "buffer held-bytes mtu mtu-now cwnd ssthresh in-flight"
                  " tx-bytes rx-bytes acked-bytes lost-bytes",
    "UNIT_VOLUME": "cap used",
    "UNIT_BPS": "rate rate-down pacing-rate",
    "UNIT_HEX": "instance peer-instance key-fingerprint",
    "UNIT_BOOL": "learn auto-group backup enabled learned parked detour"
                 " strict order playout follow overridden",
}

# Kind of a value, by type and unit of its attribute
KINDS = {
    ("u16", None): "PARSE_U16", ("u32", None): "PARSE_U32",
    ("u32", "UNIT_US"): "PARSE_TIME", ("u32", "UNIT_S"): "PARSE_SECONDS",
    ("u32", "UNIT_BYTES"): "PARSE_SIZE", ("u64", "UNIT_BPS"): "PARSE_RATE",
    ("u64", "UNIT_VOLUME"): "PARSE_VOLUME", ("u8", "UNIT_BOOL"): "PARSE_BOOL",
    ("string", None): "PARSE_NAME",
}

# Lists of names that are not in the spec, as in lib/names.c
NAMES = ("dscp", "protocol")


def die(text):
    """End with a message."""
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def load(path):
    """A YAML file."""
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def c_name(name):
    """Name in C."""
    return name.replace("-", "_")


def words(text):
    """A text on one line."""
    return " ".join((text or "").split())


def unit_of(name, attr):
    """Unit of an attribute, by the table above."""
    for unit, names in UNITS.items():
        if name in names.split():
            return unit
    if attr["type"] in BITS and re.search(
            r"\b(micro|milli)?seconds\b|\bbytes\b|\bbits per\b",
            attr.get("doc", "")):
        die(f"attribute {name} has a unit, add it to UNITS")
    return None


class Spec:
    """A netlink spec."""

    def __init__(self, name):
        self.yaml = load(os.path.join(SPECS, name))
        self.consts = {}
        self.enums = {}
        for one in self.yaml["definitions"]:
            if one["type"] == "const":
                self.consts[one["name"]] = one["value"]
            else:
                self.enums[one["name"]] = one
        self.sets = {one["name"]: one for one in self.yaml["attribute-sets"]}

    def attrs(self, of):
        """Attributes of a set, by name."""
        return {one["name"]: one for one in self.sets[of]["attributes"]}

    def number(self, value):
        """A number, or that of a constant."""
        return value if isinstance(value, int) else self.consts[value]

    def checks(self, attr):
        """The checks of an attribute, as numbers."""
        return {key: self.number(value)
                for key, value in attr.get("checks", {}).items()}

    def limits(self, attr):
        """Smallest and largest value, or length, of an attribute."""
        checks = self.checks(attr)
        if "enum" in attr:
            enum = self.enums[attr["enum"]]
            low = enum.get("value-start", 0)
            return low, low + len(enum["entries"]) - 1
        if attr["type"] in BITS:
            return (checks.get("min", 0),
                    checks.get("max", (1 << BITS[attr["type"]]) - 1))
        if "exact-len" in checks:
            return checks["exact-len"], checks["exact-len"]
        return checks.get("min-len", 0), checks.get("max-len", 0)


def scaled(number, units, base):
    """A number with the largest unit that leaves it whole, as the tool does."""
    best = base
    for name, factor in units:
        if number and number % factor == 0:
            best = name, factor
    return f"{number // best[1]}{best[0]}"


def decimal(number, units):
    """A number with the largest unit that fits, and all decimals."""
    if not number:
        return "0"
    name, factor = next(x for x in reversed(units) if number >= x[1])
    rest = f"{number % factor:0{len(str(factor)) - 1}d}".rstrip("0")
    return f"{number // factor}{'.' * bool(rest)}{rest}{name}"


def exact(kind, number):
    """A number as it may be typed in."""
    if kind in ("PARSE_TIME", "PARSE_SPAN"):
        return decimal(number, (("us", 1), ("ms", 1000), ("s", 1000000)))
    if kind == "PARSE_SECONDS":
        return f"{number}s" if number else "0"
    if kind == "PARSE_SIZE":
        return scaled(number, (("", 1), ("k", 1 << 10), ("m", 1 << 20),
                               ("g", 1 << 30)), ("", 1))
    return str(number)


class Option:
    """A keyword, with all that is known of it."""
    # pylint: disable=too-many-instance-attributes

    def __init__(self, table, entry, spec, link):
        self.table = table
        self.entry = entry
        self.word = entry["word"]
        self.spec = spec
        self.consts = spec.consts
        self.none = entry.get("none")
        self.most = entry.get("most")
        self.names = entry.get("names")
        self.attr = None
        if table in spec.sets:
            name = entry.get("attr", self.word)
            there = link if entry.get("when") == "create" else spec
            of = "linkinfo-mptun-attrs" if there is link else table
            if name not in there.attrs(of):
                die(f"{table} {self.word}: there is no attribute {name}")
            self.attr = there.attrs(of)[name]
            self.spec = there
        self.kind = entry.get("kind") or self.kind_of()
        self.names = self.names or (self.attr or {}).get("enum")
        self.low, self.high = self.limits()
        self.least = self.least_of()
        self.highest = self.consts[entry["high"]] if "high" in entry else 0

    def kind_of(self):
        """Kind of the value, if the entry says none."""
        attr = self.attr
        if "enum" in attr:
            return "PARSE_ENUM"
        if attr["type"] == "binary":
            return "PARSE_ADDR" if "attr6" in self.entry else "PARSE_FILE"
        kind = attr["type"], unit_of(attr["name"], attr)
        if kind not in KINDS:
            die(f"{self.table} {self.word}: no kind for {kind}")
        return KINDS[kind]

    def limits(self):
        """Smallest and largest value."""
        if self.attr is None:
            return self.entry.get("min", 0), self.entry.get("max", 0)
        if self.kind == "PARSE_FLAG":
            return self.entry["flag"], self.entry["flag"]
        if self.kind == "PARSE_ADDR":
            return 0, 0
        low, high = self.spec.limits(self.attr)
        if self.kind == "PARSE_NAME" and not self.none:
            low = 1
        return low, high

    def least_of(self):
        """Smallest number besides 0, 0 if that is no special value."""
        if self.kind not in ("PARSE_U16", "PARSE_U32", "PARSE_SECONDS"):
            return 0
        if self.none and not self.low:
            return self.entry.get("low", 1)
        return 0

    def bounds(self):
        """Smallest and largest number to type in, or None."""
        if self.kind not in ("PARSE_U16", "PARSE_U32", "PARSE_TIME",
                             "PARSE_SPAN", "PARSE_SECONDS", "PARSE_SIZE"):
            return None
        return (exact(self.kind, self.least or self.low),
                exact(self.kind, self.highest or
                      self.high - bool(self.most)))

    def default(self):
        """The default in words, or None."""
        value = self.entry.get("default")
        if value in self.consts:
            return exact(self.kind, self.consts[value])
        return value

    def choices(self):
        """Values by name, as (name, meaning), or an empty list."""
        if not self.names or self.names in NAMES:
            return []
        enums = self.spec.enums
        if self.names not in enums:
            die(f"{self.table} {self.word}: no names {self.names}")
        return [(one["name"], words(one["doc"]))
                for one in enums[self.names]["entries"]]

    def explained(self):
        """Whether the meaning of the values is explained elsewhere."""
        return self.table == "path" and self.names == "controller"

    def both(self):
        """Whether it can be given at creation and changed later."""
        return self.table == "tunnel" and "when" not in self.entry


class Options:
    """All keywords."""

    def __init__(self):
        self.spec = Spec("mptun.yaml")
        self.link = Spec("mptun-link.yaml")
        self.check_link()
        entries = load(os.path.join(TOP, "tools", "spec", "options.yaml"))
        self.tables = {
            table: [Option(table, entry, self.spec, self.link)
                    for entry in entries[table]] for table in entries}

    def check_link(self):
        """What both specs describe must be the same."""
        tunnel = self.spec.attrs("tunnel")
        for name, attr in self.link.attrs("linkinfo-mptun-attrs").items():
            other = tunnel[name]
            for key in ("type", "enum"):
                if attr.get(key) != other.get(key):
                    die(f"{key} of {name} differs between the specs")
            if words(attr["doc"]) != words(other["doc"]):
                die(f"text of {name} differs between the specs")
            if self.link.checks(attr) != self.spec.checks(other):
                die(f"range of {name} differs between the specs")
        for name, enum in self.link.enums.items():
            if [(one["name"], words(one["doc"])) for one in enum["entries"]] \
                    != [(one["name"], words(one["doc"]))
                        for one in self.spec.enums[name]["entries"]]:
                die(f"values of {name} differ between the specs")
        for name, value in self.link.consts.items():
            if value != self.spec.consts[name]:
                die(f"constant {name} differs between the specs")

    def table(self, name):
        """The keywords of a table of the tool."""
        tunnel = self.tables["tunnel"]
        if name == "link":
            return [x for x in tunnel if x.entry.get("when") != "change"]
        if name == "set":
            return [x for x in tunnel if x.entry.get("when") != "create"]
        if name == "key":
            return [x for x in tunnel if x.word == "key-grace"]
        return self.tables[name]

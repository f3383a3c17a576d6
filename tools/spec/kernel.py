#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""Compare the specs with the parts of the kernel that are written by hand.

usage: kernel.py

The policies of generic netlink are generated; the policy of the link, the
defaults and the names of algorithms are not.  Prints each difference, and fails
if there is one.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from spec import TOP, Options, c_name  # noqa: E402

KMOD = os.path.join(TOP, "kmod")
NUMBER = r"(?:0x[0-9a-fA-F]+|\d+)"

# Defaults that are constants of lower ranks than the generated header, or are no
# numbers: (table, keyword): constant
DEFAULTS = {
    ("tunnel", "sched"): "MPTUN_DEFAULT_SCHED",
    ("tunnel", "cc"): "MPTUN_DEFAULT_CC",
    ("tunnel", "cipher"): "MPTUN_DEFAULT_CIPHER",
    ("path", "weight"): "MPTUN_DEFAULT_WEIGHT",
    ("class", "paths"): "MPTUN_CLASS_PATHS",
}


def source():
    """All of the kernel source without its tests and compatibility."""
    out = []
    for where, folders, files in os.walk(KMOD):
        folders[:] = [x for x in folders if x not in ("test", "compat")]
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                with open(os.path.join(where, name), encoding="utf-8") as file:
                    out.append(file.read())
    return "\n".join(out)


class Kernel:
    """The kernel source, and constants of the API."""

    def __init__(self, options):
        self.text = source()
        self.words = {}
        for name, value in options.spec.consts.items():
            self.words["MPTUN_" + c_name(name).upper()] = value
        for enum in options.spec.enums.values():
            for i, one in enumerate(enum["entries"]):
                name = f"MPTUN_{enum['name']}_{one['name']}"
                self.words[c_name(name).upper()] = \
                    enum.get("value-start", 0) + i
        for name, value in re.findall(r"#define (MPTUN_\w+)\s+(\S.*)",
                                      self.text):
            self.words.setdefault(name, value.strip())

    def value(self, text, depth=0):
        """A number or a string of C, or None."""
        if isinstance(text, int):
            return text
        text = text.strip().strip("()")
        shifted = re.fullmatch(rf"({NUMBER})U?L?L?\s*<<\s*(\d+)", text)
        if shifted:
            return int(shifted[1], 0) << int(shifted[2])
        if re.fullmatch(rf"{NUMBER}U?L?L?", text):
            return int(text.rstrip("UL"), 0)
        if text.startswith('"'):
            return text.strip('"')
        if text in self.words and depth < 5:
            return self.value(self.words[text], depth + 1)
        return None

    def ranges(self):
        """Ranges of policies by name, as (low, high)."""
        out = {}
        for name, body in re.findall(
                r"struct netlink_range_validation (\w+) = \{(.*?)\};",
                self.text, re.S):
            ends = dict(re.findall(r"\.(min|max)\s*=\s*(\w+)", body))
            out[name] = (self.value(ends.get("min", "0")),
                         self.value(ends["max"]))
        return out

    def link_policy(self):
        """Limits of link attributes by name, None for those that are wrong."""
        out = {}
        ranges = self.ranges()
        for name, body in re.findall(
                r"\[IFLA_MPTUN_(\w+)\] =\s*((?:NLA_POLICY|\{)[^;]*?)"
                r"(?=,\s*(?:\[IFLA|\};))", self.text):
            body = " ".join(body.split())
            bits = re.search(r"NLA_U(\d+)", body)
            top = (1 << int(bits[1])) - 1 if bits else 0
            words = [x.strip() for x in
                     re.sub(r"^.*?\(|\)$", "", body).split(",")]
            if "NLA_POLICY_MIN(" in body:
                out[name] = self.value(words[1]), top
            elif "NLA_POLICY_MAX(" in body:
                out[name] = 0, self.value(words[1])
            elif "NLA_POLICY_RANGE(" in body:
                out[name] = self.value(words[1]), self.value(words[2])
            elif "NLA_POLICY_FULL_RANGE(" in body:
                out[name] = ranges.get(words[1].lstrip("&"))
            elif ".len" in body:
                out[name] = 0, self.value(re.search(r"\.len = (\w+)",
                                                    body)[1])
            elif bits:
                out[name] = 0, top
        return out


def check_link(kernel, options):
    """Limits of the link's attributes."""
    policy = kernel.link_policy()
    for name, attr in options.link.attrs("linkinfo-mptun-attrs").items():
        there = policy.get(c_name(name).upper())
        here = options.link.limits(attr)
        if there != here:
            yield (f"link attribute {name}: {here} in the spec,"
                   f" {there} in the kernel")


def check_defaults(kernel, options):
    """Defaults that are constants in the kernel, as long as it has them."""
    for (table, word), const in DEFAULTS.items():
        option = next(x for x in options.tables[table] if x.word == word)
        here = option.entry["default"]
        here = option.consts.get(here, here)
        if word == "cipher":
            here = kernel.words["MPTUN_CIPHER_" + c_name(here).upper()]
        there = kernel.value(const)
        if there is not None and there != here:
            yield (f"default of {table} {word}: {here} in the spec,"
                   f" {there} in the kernel")


def check_names(kernel, options):
    """Schedulers and controllers."""
    for enum, ops in (("scheduler", "mptun_sched_ops"),
                      ("controller", "mptun_cc_ops")):
        there = set(re.findall(
            rf"struct {ops} \w+ = \{{\s*\.(?:algo\.)?name\s*= \"([^\"]+)\"",
            kernel.text))
        here = {x["name"] for x in options.spec.enums[enum]["entries"]}
        # The default is one of the others.
        here.discard(kernel.value("MPTUN_DEFAULT_SCHED"))
        if there != here:
            yield (f"{enum}s: {sorted(here - there)} only in the spec,"
                   f" {sorted(there - here)} only in the kernel")


def main():
    """Print all differences."""
    options = Options()
    kernel = Kernel(options)
    wrong = [*check_link(kernel, options), *check_defaults(kernel, options),
             *check_names(kernel, options)]
    for line in wrong:
        print(f"kernel.py: {line}", file=sys.stderr)
    sys.exit(bool(wrong))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Generate the tables of the tool (tools/lib/field-gen.c) from the netlink spec.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: fields.py SPEC >field-gen.c
#
# The spec tells names, types and meanings.  What it does not tell, units and
# words for special values, stands in the tables below; a number whose
# description speaks of a unit but has none here is an error.
"""Tables of mptunctl from the netlink spec."""

import re
import sys

import yaml

UNITS = {
    "UNIT_US": "hold hold-now playout-delay srtt rttvar min-rtt skew spill",
    "UNIT_MS": "state-age session-age",
    "UNIT_S": "key-grace rekey keepalive",
    "UNIT_BYTES": "buffer held-bytes mtu cwnd ssthresh in-flight"
                  " tx-bytes rx-bytes acked-bytes lost-bytes",
    "UNIT_VOLUME": "cap used",
    "UNIT_BPS": "rate pacing-rate",
    "UNIT_HEX": "instance peer-instance key-fingerprint",
    "UNIT_BOOL": "learn auto-group backup enabled learned parked lossy detour strict"
                 " order repair playout",
}

# Exact in print, as they are to be typed in again.
SETTINGS = {
    "tunnel": "port id peer-id sched cc reorder hold buffer learn"
              " cipher rekey dscp park auto-group",
    "path": "remote-port local-port dev weight priority spill backup cap"
            " cap-action mtu cc rate enabled keepalive",
    "class": "id mark mask dscp protocol port policy path strict paths"
             " order repair playout",
}

# Values that stand for something else, null in JSON:
# (set, name): (value, word)
SPECIAL = {
    ("tunnel", "peer-instance"): ("0", "unknown"),
    ("tunnel", "key-fingerprint"): ("0", "none"),
    ("tunnel", "key-grace"): ("0", "none"),
    ("tunnel", "park"): ("0", "off"),
    ("path", "id"): ("0", "none"),
    ("path", "keepalive"): ("0", "auto"),
    ("path", "mtu"): ("0", "auto"),
    ("path", "cap"): ("0", "none"),
    ("path", "rate"): ("0", "none"),
    ("path", "srtt"): ("0", "-"),
    ("path", "rttvar"): ("0", "-"),
    ("path", "min-rtt"): ("0", "-"),
    ("path", "ssthresh"): ("UINT32_MAX", "none"),
    ("path", "pacing-rate"): ("0", "-"),
    ("class", "mask"): ("0", "any"),
    ("class", "dscp"): ("MPTUN_CLASS_ANY_DSCP", "any"),
    ("class", "protocol"): ("MPTUN_CLASS_ANY_PROTOCOL", "any"),
    ("class", "port"): ("0", "any"),
}

# Further values that stand for something else, the word itself in JSON.
OTHER = {
    ("path", "keepalive"): ("MPTUN_KEEPALIVE_OFF", "off"),
    ("path", "spill"): ("MPTUN_SPILL_OFF", "off"),
    ("tunnel", "dscp"): ("MPTUN_DSCP_INHERIT", "inherit"),
    ("class", "paths"): ("MPTUN_PATHS_MAX", "all"),
}

# Names in JSON that are not those of the spec.
KEYS = {
    ("tunnel", "paths"): "path_count",
    ("path", "remote4"): "remote",
    ("path", "remote6"): "remote",
    ("path", "local4"): "local",
    ("path", "local6"): "local",
}

# Fields that the tool computes itself: (name, unit, meaning)
COMPUTED = {
    "path": [
        ("loss", "UNIT_PPM",
         "share of the packets sent that were lost, in percent"),
        ("tx-rate", "UNIT_BPS",
         "rate of data packets sent between two looks, in bits per second"),
        ("rx-rate", "UNIT_BPS",
         "rate of data packets received between two looks, in bits per"
         " second"),
    ],
}

# Set and never told.
SECRETS = {("tunnel", "key")}

TYPES = {
    "pad": "FIELD_PAD", "u8": "FIELD_U8", "u16": "FIELD_U16",
    "u32": "FIELD_U32", "u64": "FIELD_U64", "string": "FIELD_STRING",
    "nest": "FIELD_NEST",
}

HEADER = """\
// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel tells: attributes, units, meaning.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Generated from the netlink spec by tools/spec/regen.sh, do not edit.
 */
#include <stdint.h>

#include <linux/mptun.h>

#include "lib/field.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
"""


def c_name(name):
    """Name in C."""
    return name.replace("-", "_")


def text(doc):
    """Description as one string of C."""
    return '"%s"' % " ".join(doc.split()).replace('"', '\\"')


def unit_of(name, attr):
    """Unit of an attribute, by the table above."""
    for unit, names in UNITS.items():
        if name in names.split():
            return unit
    if attr["type"] in ("u8", "u16", "u32", "u64") and re.search(
            r"\b(micro|milli)?seconds\b|\bbytes\b|\bbits per\b",
            attr.get("doc", "")):
        sys.exit(f"fields.py: attribute {name} has a unit, add it to UNITS")
    return None


def type_of(name, attr):
    """Form of an attribute's payload."""
    if attr["type"] in TYPES:
        return TYPES[attr["type"]]
    if attr["type"] == "binary":
        length = attr.get("checks", {}).get("exact-len")
        return {4: "FIELD_BINARY4", 16: "FIELD_BINARY6",
                None: "FIELD_LIST"}[length]
    sys.exit(f"fields.py: attribute {name} has unknown type {attr['type']}")


def members(set_name, attr):
    """Initialisers of one field."""
    name = attr["name"]
    special = SPECIAL.get((set_name, name))
    other = OTHER.get((set_name, name))
    yield f'.name = "{name}"'
    yield ".attr = MPTUN_A_" + c_name(f"{set_name}_{name}").upper()
    yield ".type = " + type_of(name, attr)
    if unit_of(name, attr):
        yield ".unit = " + unit_of(name, attr)
    if name in SETTINGS.get(set_name, "").split():
        yield ".setting = true"
    if "enum" in attr:
        yield ".names = &names_" + c_name(attr["enum"])
    if "nested-attributes" in attr:
        yield ".nest = &schema_" + c_name(attr["nested-attributes"])
    if special:
        yield f'.none = "{special[1]}"'
        if special[0] != "0":
            yield f".none_value = {special[0]}"
    if other:
        yield f'.other = "{other[1]}"'
        yield f".other_value = {other[0]}"
    if (set_name, name) in KEYS:
        yield f'.key = "{KEYS[set_name, name]}"'
    if "doc" in attr:
        yield ".doc = " + text(attr["doc"])


def print_field(parts):
    """One field, with lines of at most 80 columns where possible."""
    print("\t{")
    line = ""
    for part in parts:
        if line and 16 + len(line) + 1 + len(part) + 1 > 80:
            print("\t\t" + line)
            line = ""
        line += (" " if line else "") + part + ","
    print("\t\t" + line)
    print("\t},")


def print_enum(enum):
    """Names of the values of an enumeration."""
    name = c_name(enum["name"])
    print(f"\nstatic const char *const {name}_names[] = {{")
    for entry in enum["entries"]:
        value = c_name(f"MPTUN_{enum['name']}_{entry['name']}").upper()
        print(f'\t[{value}] = "{entry["name"]}",')
    print("};\n")
    print(f"const struct names names_{name} = {{")
    print(f"\t{name}_names, ARRAY_SIZE({name}_names)\n}};")


def print_set(attr_set):
    """Fields of an attribute set."""
    name = c_name(attr_set["name"])
    print(f"\nstatic const struct field {name}_fields[] = {{")
    for attr in attr_set["attributes"]:
        if (attr_set["name"], attr["name"]) in SECRETS:
            continue
        print_field(members(attr_set["name"], attr))
    for field, unit, doc in COMPUTED.get(attr_set["name"], []):
        print_field([f'.name = "{field}"', ".type = FIELD_U64",
                     f".unit = {unit}", ".doc = " + text(doc)])
    print("};\n")
    print(f"const struct schema schema_{name} = {{")
    print(f'\t"{attr_set["name"]}", {name}_fields,'
          f" ARRAY_SIZE({name}_fields)\n}};")


def main():
    """Write the tables to standard output."""
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    print(HEADER, end="")
    for definition in spec["definitions"]:
        if definition["type"] == "enum":
            print_enum(definition)
    for attr_set in spec["attribute-sets"]:
        print_set(attr_set)


main()

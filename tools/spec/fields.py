#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""Generate the tables of attributes of the tool (tools/lib/field-gen.c).

usage: fields.py >field-gen.c

Names, types and meanings come from the netlink specs; words for special values
are in the tables below, units in spec.py.
"""

import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from spec import Options, c_name, die, unit_of  # noqa: E402

# Printed exactly, so that they can be typed in again
SETTINGS = {
    "tunnel": "port id peer-id sched cc reorder hold buffer learn"
              " follow psmc-factor psmc-period cipher rekey dscp park"
              " auto-group fwmark allowed-ips mtu mtu-now frag"
              " mss-clamp",
    "path": "remote-port local-port dev weight priority spill backup cap"
            " cap-action mtu cc rate rate-down enabled keepalive fwmark",
    "class": "id mark mask dscp protocol port policy path strict paths"
             " order repair playout code rate",
}

# Special values, null in JSON: (set, name): (value, word)
SPECIAL = {
    ("tunnel", "peer-instance"): ("0", "unknown"),
    ("tunnel", "key-fingerprint"): ("0", "none"),
    ("tunnel", "key-grace"): ("0", "none"),
    ("tunnel", "park"): ("0", "off"),
    ("tunnel", "fwmark"): ("0", "off"),
    ("path", "fwmark"): ("0", "default"),
    ("tunnel", "mtu"): ("0", "auto"),
    ("path", "id"): ("0", "none"),
    ("path", "keepalive"): ("0", "auto"),
    ("path", "mtu"): ("0", "auto"),
    ("path", "cap"): ("0", "none"),
    ("path", "rate"): ("0", "none"),
    ("path", "rate-down"): ("0", "none"),
    ("path", "srtt"): ("0", "-"),
    ("path", "rttvar"): ("0", "-"),
    ("path", "min-rtt"): ("0", "-"),
    ("path", "ssthresh"): ("UINT32_MAX", "none"),
    ("path", "pacing-rate"): ("0", "-"),
    ("class", "mask"): ("0", "any"),
    ("class", "dscp"): ("MPTUN_CLASS_ANY_DSCP", "any"),
    ("class", "protocol"): ("MPTUN_CLASS_ANY_PROTOCOL", "any"),
    ("class", "port"): ("0", "any"),
    ("class", "rate"): ("0", "none"),
    ("class", "code"): ("0", "auto"),
}

# Further special values, the word itself in JSON
OTHER = {
    ("path", "keepalive"): ("MPTUN_KEEPALIVE_OFF", "off"),
    ("class", "code"): ("MPTUN_CLASS_CODE_OFF", "off"),
    ("path", "spill"): ("MPTUN_SPILL_OFF", "off"),
    ("tunnel", "dscp"): ("MPTUN_DSCP_INHERIT", "inherit"),
    ("class", "paths"): ("MPTUN_PATHS_MAX", "all"),
}

# Names in JSON that differ from those of the spec
KEYS = {
    ("tunnel", "paths"): "path_count",
    ("path", "remote4"): "remote",
    ("path", "remote6"): "remote",
    ("path", "local4"): "local",
    ("path", "local6"): "local",
}

# Fields that the tool computes: (name, unit, meaning)
COMPUTED = {
    "path": [
        ("loss", "UNIT_PPM",
         "share of the packets sent that were lost, in percent"),
        ("recent-loss", "UNIT_PPM",
         "the same in the last minute"),
        ("tx-rate", "UNIT_BPS",
         "rate of data packets sent between two samples, in bits per second"),
        ("rx-rate", "UNIT_BPS",
         "rate of data packets received between two samples, in bits per"
         " second"),
    ],
}

# Can be set but not read
SECRETS = {("tunnel", "key")}

TYPES = {
    "pad": "FIELD_PAD", "u8": "FIELD_U8", "u16": "FIELD_U16",
    "u32": "FIELD_U32", "u64": "FIELD_U64", "string": "FIELD_STRING",
    "nest": "FIELD_NEST",
}

HEADER = """\
// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes that the kernel sends: names, units, meaning.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Generated from the netlink specs by tools/spec/regen.sh, do not edit.
 */
#include <stdint.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/field.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
"""


def text(doc):
    """Description as one string of C."""
    return '"%s"' % " ".join(doc.split()).replace('"', '\\"')


def type_of(name, attr):
    """Form of an attribute's payload."""
    if attr["type"] in TYPES:
        return TYPES[attr["type"]]
    if attr["type"] == "binary":
        length = attr.get("checks", {}).get("exact-len")
        if name == "allowed-ips":
            return "FIELD_PREFIXES"
        return {4: "FIELD_BINARY4", 16: "FIELD_BINARY6",
                None: "FIELD_LIST"}[length]
    return die(f"attribute {name} has unknown type {attr['type']}")


def members(set_name, attr, prefix):
    """Initialisers of one field."""
    name = attr["name"]
    special = SPECIAL.get((set_name, name))
    other = OTHER.get((set_name, name))
    yield f'.name = "{name}"'
    yield f".attr = {prefix}_" + c_name(name).upper()
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
        # Names without numbers are not in the API.
        place = "" if enum.get("scope") == "user" else f"[{value}] = "
        print(f'\t{place}"{entry["name"]}",')
    print("};\n")
    print(f"const struct names names_{name} = {{")
    print(f"\t{name}_names, ARRAY_SIZE({name}_names)\n}};")


def print_set(attr_set, name, prefix):
    """Fields of an attribute set."""
    print(f"\nstatic const struct field {c_name(name)}_fields[] = {{")
    for attr in attr_set["attributes"]:
        if (name, attr["name"]) in SECRETS:
            continue
        # A link has the settings of a tunnel.
        of = "tunnel" if name == "link" else name
        parts = list(members(of, attr, prefix))
        if name == "link" and "-" in attr["name"]:
            parts.append(f'.key = "{c_name(attr["name"])}"')
        print_field(parts)
    for field, unit, doc in COMPUTED.get(name, []):
        print_field([f'.name = "{field}"', ".type = FIELD_U64",
                     f".unit = {unit}", ".doc = " + text(doc)])
    print("};\n")
    print(f"const struct schema schema_{c_name(name)} = {{")
    print(f'\t"{name}", {c_name(name)}_fields,'
          f" ARRAY_SIZE({c_name(name)}_fields)\n}};")


def main():
    """Write the tables to standard output."""
    options = Options()
    print(HEADER, end="")
    for enum in options.spec.enums.values():
        print_enum(enum)
    for name, attr_set in options.spec.sets.items():
        print_set(attr_set, name, "MPTUN_A_" + c_name(name).upper())
    print_set(options.link.sets["linkinfo-mptun-attrs"], "link", "IFLA_MPTUN")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
"""Generate the API header of link kind "mptun" (uapi/linux/mptun_link.h).

usage: link_header.py >mptun_link.h

The kernel's generator makes no headers of rtnetlink.
"""

import re
import sys
import textwrap

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from spec import Options, c_name, words  # noqa: E402

HEAD = """\
/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of a tunnel at creation: the attributes inside IFLA_INFO_DATA of
 * link kind "mptun".  Those that may change later are also attributes of the
 * generic netlink family (MPTUN_CMD_TUNNEL_SET).
 *
 * Generated from Documentation/netlink/specs/mptun-link.yaml by
 * tools/spec/regen.sh, do not edit.
 */
#ifndef _UAPI_LINUX_MPTUN_LINK_H
#define _UAPI_LINUX_MPTUN_LINK_H

#include <linux/mptun.h>

/**
 * enum mptun_link_attrs - attributes of link kind "mptun"
 * @IFLA_MPTUN_UNSPEC: unused
"""

TAIL = """\

	/* private: add attributes above, and to the policy of the device */
	__IFLA_MPTUN_MAX,
	IFLA_MPTUN_MAX = __IFLA_MPTUN_MAX - 1,
};

#endif /* _UAPI_LINUX_MPTUN_LINK_H */
"""


def default(option):
    """The default as a number, or as text."""
    value = option.entry.get("default")
    if option.kind == "PARSE_BOOL":
        value = re.sub(r"\boff\b", "0", re.sub(r"\bon\b", "1", value))
    return option.consts.get(value, value)


def about(option):
    """Type, meaning, range and default of an attribute."""
    attr = option.attr
    kind = attr["type"]
    if "enum" in attr:
        kind += ", &enum mptun_" + c_name(attr["enum"])
    text = f"{kind}, {words(attr['doc'])}"
    if attr["type"] != "string" and "enum" not in attr:
        low, high = option.spec.limits(attr)
        text += f"; {low}..{high}"
    if default(option) is not None:
        text += f", default {default(option)}"
    if not option.both():
        text += "; fixed"
    return text


def main():
    """Write the header to standard output."""
    options = Options()
    by_name = {one.attr["name"]: one for one in options.table("link")}
    # The numbers are those of the spec, whatever the order of keywords.
    order = [by_name[name]
             for name in options.link.attrs("linkinfo-mptun-attrs")]
    print(HEAD, end="")
    for option in order:
        name = c_name(option.attr["name"]).upper()
        lines = textwrap.wrap(f"@IFLA_MPTUN_{name}: {about(option)}", 70,
                              break_on_hyphens=False)
        print(f" * {lines[0]}")
        for line in lines[1:]:
            print(f" *\t{line}")
    print(" */\nenum mptun_link_attrs {\n\tIFLA_MPTUN_UNSPEC,")
    for option in order:
        print(f"\tIFLA_MPTUN_{c_name(option.attr['name']).upper()},")
    print(TAIL, end="")


main()

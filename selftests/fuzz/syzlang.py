#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""The netlink interface for syzkaller: mptun.txt, from the specification.

usage: syzlang.py [--check]

Writes selftests/fuzz/mptun.txt, in the language in which syzkaller describes
system calls; it goes into sys/linux of a syzkaller tree. --check writes nothing
and fails if the file differs from the specification, or names a constant that
the API headers do not have.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "helpers"))
# pylint: disable=wrong-import-position
from nltest import INT, LINK, LINK_HEADER, SPEC, Spec, TOP  # noqa: E402

FILE = os.path.join(HERE, "mptun.txt")
API = os.path.join(TOP, "uapi", "linux", "mptun.h")
HEAD = """\
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
# Made by selftests/fuzz/syzlang.py from the netlink specification.

include <uapi/linux/genetlink.h>
include <uapi/linux/if_link.h>
include <uapi/linux/netlink.h>
include <uapi/linux/rtnetlink.h>
include <uapi/linux/mptun.h>
include <uapi/linux/mptun_link.h>

resource genl_mptun_family_id[int16]

syz_genetlink_get_family_id$mptun(name ptr[in, string["mptun"]], \
fd sock_nl_generic) genl_mptun_family_id

type msghdr_mptun[CMD, ATTRS] \
msghdr_netlink[netlink_msg_t[genl_mptun_family_id, genlmsghdr_t[CMD], ATTRS]]
"""
LINK_HEAD = """\
sendmsg$MPTUN_NEWLINK(fd sock_nl_route, msg ptr[in, \
msghdr_netlink[netlink_msg[RTM_NEWLINK, ifinfomsg, mptun_newlink]]], \
f flags[send_flags])

mptun_newlink [
\tIFLA_IFNAME\tnlattr[IFLA_IFNAME, string[mptun_devs, IFNAMSIZ]]
\tIFLA_MTU\tnlattr[IFLA_MTU, int32]
\tIFLA_NET_NS_FD\tnlattr[IFLA_NET_NS_FD, fd]
\tIFLA_LINKINFO\tnlnest[IFLA_LINKINFO, mptun_linkinfo]
] [varlen]

mptun_linkinfo {
\tkind\tnlattr[IFLA_INFO_KIND, string["mptun"]]
\tdata\tnlnest[IFLA_INFO_DATA, array[mptun_link_attrs]]
} [packed]
"""
STRINGS = """\
mptun_devs = "mp0", "mp1", "mp2"
mptun_paths = "path0", "path1", "path2"
mptun_scheds = "greedy", "wrr"
mptun_ccs = "newreno", "cubic", "lia", "residual", "delay", "bbr", "fixed", \
"none"
"""
SETS = {"sched": "mptun_scheds", "cc": "mptun_ccs", "name": "mptun_paths",
        "path": "mptun_paths", "ifname": "mptun_devs"}


def kind(attr):
    """The type of a payload."""
    name, what = attr["name"], attr["type"]
    if name == "ifindex" or name == "remote-scope":
        return "ifindex"
    if name == "dev":
        return "devname"
    if what == "string":
        return f"string[{SETS[name]}]"
    if what == "binary" and "max-len" in attr:
        return f"array[int8, 0:{attr['max-len']}]"
    if what == "binary":
        size = attr["exact-len"]
        return {4: "ipv4_addr", 16: "ipv6_addr"}.get(
            size, f"array[int8, {size}]")
    out = f"int{8 * INT[what]}"
    low, high = attr.get("min", 0), attr.get("max")
    if high is not None:
        out += f"[{low}:{high}]"
    elif low:
        out += f"[{low}:{(1 << 8 * INT[what]) - 1}]"
    return out


def constant(*words):
    """A constant of the API headers."""
    return "_".join(words).upper().replace("-", "_")


def attributes(name, lines):
    """A union of attributes; lines are (constant, type)."""
    out = [f"{name} ["]
    out += [f"\t{const}\tnlattr[{const}, {what}]" for const, what in lines]
    return "\n".join(out + ["] [varlen]"]) + "\n"


def operations(spec):
    """Calls, and the attributes that each may have."""
    calls, unions = [], []
    for op, about in spec.ops.items():
        if not about["request"]:
            continue
        cmd = constant("mptun-cmd", op)
        union = constant("mptun", op).lower()
        calls.append(f"sendmsg${cmd}(fd sock_nl_generic, msg ptr[in, "
                     f"msghdr_mptun[{cmd}, {union}]], f flags[send_flags])")
        unions.append(attributes(union, [
            (constant("mptun-a", about["set"], name),
             kind(spec.attr(about["set"], name)))
            for name in about["request"]]))
    return "\n".join(calls) + "\n\n" + "\n".join(unions)


def link():
    """The attributes of a link."""
    lines = []
    for name, (what, low, high) in LINK.items():
        attr = {"name": name.lower().replace("_", "-"), "type": what}
        if what != "string":
            attr.update(min=low, max=high)
        lines.append((f"IFLA_MPTUN_{name}", kind(attr)))
    return LINK_HEAD + "\n" + attributes("mptun_link_attrs", lines)


def text():
    """The text of mptun.txt."""
    return "\n".join((HEAD, operations(Spec(SPEC)), link(), STRINGS))


def unknown(words):
    """Constants of ours that no API header has."""
    api = ""
    for name in (API, LINK_HEADER):
        with open(name, encoding="utf-8") as file:
            api += file.read()
    have = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", api))
    named = set(re.findall(r"\b(?:MPTUN_(?:CMD|A)|IFLA_MPTUN)_\w+", words))
    return sorted(named - have)


def main(args):
    """Write or compare."""
    if args not in ([], ["--check"]):
        sys.exit(__doc__)
    new = text()
    if unknown(new):
        sys.exit("not in the API headers: " + ", ".join(unknown(new)))
    if not args:
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(new)
        return
    with open(FILE, encoding="utf-8") as file:
        if file.read() != new:
            sys.exit("mptun.txt is not that of the specification: run "
                     "selftests/fuzz/syzlang.py")


if __name__ == "__main__":
    main(sys.argv[1:])

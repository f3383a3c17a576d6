#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Checks that the includes of the module go down, folder by folder.

usage: includes.py [--list] [KMOD]
       includes.py --selftest

  KMOD        the module's folder (default: kmod/ of this source tree)
  --list      print the folders with their ranks, and who includes whom
  --selftest  check the check, with trees made up for it (KTAP)

Every folder of the module has a rank. Each violation is one line on standard
output, and the status is 1 if there is any. There are no exceptions. The rules:

 1. A file lies in one of the folders below, or it is main.c.
 2. A quoted include names the file from KMOD on, as in "cc/bbr.h", and the file
    exists.
 3. A file includes only from folders of its own rank or below. main.c is above
    all of them.
 4. Between folders of one rank includes go one way only.
 5. No circle of units. A unit is a .c file and the header of the same name.
 6. The pure cores, ranks 0 to 2, include no header of the kernel that knows
    devices, sockets, routes or netlink.

compat/ and test/ may include what they like. compat/ stands in for headers of
the kernel, so everybody may include it; nobody includes test/.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import collections
import pathlib
import re
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]

# The lowest folder first
RANKS = {
    "base": 0, "wire": 0,
    "recovery": 1, "sched": 1,
    "cc": 2, "code": 2, "reorder": 2, "crypto": 2,
    "core": 3,
    "transport": 4,
    "tx": 5,
    "path": 6,
    "rx": 7,
    "session": 8,
    "ctl": 9,
}
FREE = ("compat", "test")
# The one file of the module that is in no folder
MAIN = "main.c"
PURE = 2

# What a pure core does not know, and the headers by which it would. A core
# works on packets (linux/skbuff.h) and headers (linux/ip.h, linux/if_ether.h), so
# it can be compiled in user space with a few stand-ins.
IMPURE = {
    "network devices": r"linux/(netdevice|etherdevice|ethtool|inetdevice)\.h|"
                       r"linux/if(_(?!ether)\w+)?\.h|net/(gro|gro_cells|pkt_sched|"
                       r"sch_generic)\.h",
    "sockets": r"linux/(net|socket)\.h|net/(sock|tcp|tcp_states)\.h|"
               r"net/udp\w*\.h|net/inet_(?!ecn\.h)\w+\.h|net/netns/.*",
    "routing": r"net/(route|dst\w*|neighbour|arp|ndisc|addrconf|flow|"
               r"fib_\w+|icmp)\.h|net/ip\w*\.h",
    "namespaces": r"net/net_namespace\.h",
    "netlink": r"linux/(rtnetlink|netlink|genetlink)\.h|"
               r"net/(rtnetlink|netlink|genetlink)\.h|linux/mptun_link\.h",
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Tree:
    """The module's files, what they include, and what is wrong with it."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.errors = []
        # unit -> units that it includes; folder -> Counter of folders
        self.units = collections.defaultdict(set)
        self.folders = collections.defaultdict(collections.Counter)
        for path in sorted(self.top.rglob("*.[ch]")):
            name = path.relative_to(self.top).as_posix()
            if name.split("/")[0] not in FREE:
                self.read(name, path.read_text("utf-8"))
        self.both_ways()
        self.circles()

    def complain(self, text):
        """One violation."""
        self.errors.append(text)

    def read(self, name, text):
        """Rules 1 to 3 and 6, for one file."""
        folder = folder_of(name)
        if folder is None:
            self.complain(f"{name}: is in no folder that has a rank")
            return
        # a comment may quote an include; the line numbers must not change
        text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
        for found in INCLUDE.finditer(text):
            kind, target = found.groups()
            line = text.count("\n", 0, found.start(2)) + 1
            if kind == "<":
                self.kernel_header(f"{name}:{line}", folder, target)
            else:
                self.own_header(f"{name}:{line}", name, target)

    def kernel_header(self, where, folder, target):
        """Rule 6, for an include in angle brackets."""
        if rank(folder) > PURE:
            return
        for what, pattern in IMPURE.items():
            if re.fullmatch(pattern, target):
                self.complain(f"{where}: <{target}> is about {what}, which "
                              f"{folder}/ does not know")

    def own_header(self, where, name, target):
        """Rules 2 and 3, for a quoted include."""
        folder, other = folder_of(name), folder_of(target)
        if ".." in target.split("/") or not (self.top / target).is_file():
            self.complain(f'{where}: there is no file "{target}" (names '
                          "begin at the module's folder)")
            return
        if target.split("/")[0] == "compat":
            return
        if other is None:
            self.complain(f'{where}: "{target}" is in no folder that may be '
                          "included")
            return
        if rank(other) > rank(folder):
            self.complain(f'{where}: "{target}" goes up, from '
                          f"{label(folder)} to {label(other)}")
        if unit_of(name) != unit_of(target):
            self.units[unit_of(name)].add(unit_of(target))
        if folder != other:
            self.folders[folder][other] += 1

    def both_ways(self):
        """Rule 4: no circle among the folders of one rank."""
        for level in sorted(set(RANKS.values())):
            level_of = [name for name in RANKS if RANKS[name] == level]
            for circle in circles({
                    name: {other for other in self.folders[name]
                           if other in level_of} for name in level_of}):
                self.complain("folders of one rank include each other: "
                              + " ".join(f"{name}/" for name in circle))

    def circles(self):
        """Rule 5: no circle among units."""
        for circle in circles(self.units):
            self.complain(f"a circle of {len(circle)} files: "
                          + " ".join(circle))

    def show(self):
        """The folders from the top down, and what each of them includes."""
        for name in ["main.c", *reversed(RANKS)]:
            folder = "" if name == "main.c" else name
            edges = self.folders[folder]
            print(f"{label(folder):12}  "
                  + " ".join(f"{other}({edges[other]})"
                             for other in sorted(edges, key=rank)))


def folder_of(name):
    """The folder of a file: one with a rank, "" for main.c, else None."""
    if name == MAIN:
        return ""
    folder = name.split("/")[0]
    return folder if "/" in name and folder in RANKS else None


def rank(folder):
    """The rank of a folder; main.c is above all."""
    return RANKS[folder] if folder else max(RANKS.values()) + 1


def label(folder):
    """A folder as it is printed, with its rank."""
    return f"{rank(folder)} {folder}/" if folder else f"{rank(folder)} {MAIN}"


def unit_of(name):
    """A file without its suffix: a .c file and its header are one unit."""
    return name.rsplit(".", 1)[0]


def circles(graph):
    """The strongly connected components of more than one node, each sorted.

    Tarjan's algorithm, with a stack of its own instead of recursion."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        work = [(root, None)] if root not in index else []
        while work:
            node, edges = work.pop()
            if edges is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
                edges = iter(sorted(graph.get(node, ())))
            for other in edges:
                if other not in index:
                    work += [(node, edges), (other, None)]
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                if low[node] == index[node]:
                    group = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    on_stack.difference_update(group)
                    if len(group) > 1:
                        found.append(sorted(group))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return found


# The files of every tree that is made up: nothing is wrong with them
GOOD = {
    "main.c": '#include "ctl/netns.h"\n',
    "ctl/netns.h": "",
    "ctl/netns.c": '#include <net/genetlink.h>\n#include "ctl/netns.h"\n'
                   '#include "cc/cc.h"\n',
    "cc/cc.h": '#include <linux/skbuff.h>\n#include <net/inet_ecn.h>\n',
    "cc/bbr.c": '#include "cc/cc.h"\n#include "base/seq.h"\n'
                '/*\n * #include "ctl/netns.h"\n */\n',
    "base/seq.h": "",
    "wire/parse.h": '#include "base/seq.h"\n',
    "compat/x.h": '#include "nowhere.h"\n',
    "test/cc/bbr_test.c": '#include "ctl/netns.h"\n#include <net/sock.h>\n',
}
# name: (further files, a part of each violation that they are)
CASES = {
    "a tree without a fault": ({}, []),
    "a file in no folder": (
        {"left.c": "", "odd/x.h": ""},
        ["left.c: is in no folder", "odd/x.h: is in no folder"]),
    "an include that goes up": (
        {"base/up.c": '\n#include "cc/cc.h"\n'},
        ['base/up.c:2: "cc/cc.h" goes up, from 0 base/ to 2 cc/']),
    "an include of main's": (
        {"main.h": "", "ctl/x.c": '#include "main.h"\n'},
        ["main.h: is in no folder", 'ctl/x.c:1: "main.h" is in no folder']),
    "names that do not begin at the top": (
        {"cc/x.c": '#include "cc.h"\n#include "../base/seq.h"\n'},
        ['no file "cc.h"', 'no file "../base/seq.h"']),
    "a test's header": (
        {"test/frame.h": "", "cc/x.c": '#include "test/frame.h"\n'},
        ['"test/frame.h" is in no folder']),
    "folders of one rank, both ways": (
        {"base/y.c": '#include "wire/parse.h"\n'},
        ["include each other: base/ wire/"]),
    "three folders of one rank in a ring": (
        {"cc/x.c": '#include "reorder/x.h"\n', "reorder/x.h": "",
         "reorder/y.c": '#include "crypto/x.h"\n', "crypto/x.h": "",
         "crypto/y.c": '#include "cc/cc.h"\n'},
        ["include each other: cc/ crypto/ reorder/"]),
    "a circle of files": (
        {"tx/a.h": "", "tx/a.c": '#include "tx/a.h"\n#include "tx/b.h"\n',
         "tx/b.h": '#include "tx/c.h"\n', "tx/c.h": "",
         "tx/c.c": '#  include "tx/a.h"\n'},
        ["a circle of 3 files: tx/a tx/b tx/c"]),
    "impure cores": (
        {"sched/x.c": "#include <linux/netdevice.h>\n#include <net/sock.h>\n"
                      "#include <linux/if_arp.h>\n#include <net/ipv6.h>\n"
                      "#include <net/udp_tunnel.h>\n#include <linux/ip.h>\n"
                      "#include <net/genetlink.h>\n#include <linux/net.h>\n",
         "tx/x.c": "#include <net/sock.h>\n"},
        ["1: <linux/netdevice.h> is about network devices",
         "2: <net/sock.h> is about sockets",
         "3: <linux/if_arp.h> is about network devices",
         "4: <net/ipv6.h> is about routing",
         "5: <net/udp_tunnel.h> is about sockets",
         "7: <net/genetlink.h> is about netlink",
         "8: <linux/net.h> is about sockets"]),
}


def selftest():
    """KTAP: every made-up tree has the violations that it was made for."""
    failed = 0
    print(f"KTAP version 1\n1..{len(CASES)}")
    for number, (name, (files, wanted)) in enumerate(CASES.items(), 1):
        with tempfile.TemporaryDirectory() as top:
            for file, text in {**GOOD, **files}.items():
                path = pathlib.Path(top, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            errors = Tree(top).errors
        fits = len(errors) == len(wanted) and all(
            any(part in error for error in errors) for part in wanted)
        if not fits:
            failed = 1
            for error in errors or ["no violation found"]:
                print(f"# {error}")
        print(f"{'ok' if fits else 'not ok'} {number} {name}")
    return failed


def main():
    """Check the module, or this check."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("kmod", nargs="?", default=TOP / "kmod")
    args = parser.parse_args()
    if args.selftest:
        return selftest()
    tree = Tree(args.kmod)
    if args.list:
        tree.show()
        return 0
    for error in tree.errors:
        print(error)
    return 1 if tree.errors else 0


if __name__ == "__main__":
    sys.exit(main())

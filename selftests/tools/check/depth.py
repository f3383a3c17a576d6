#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Finds the deepest calls from ndo_start_xmit: fails beyond 12 functions of the
module, as the stack of the sender is beneath them, and those of other tunnels.

usage: depth.py [-l] [FUNCTION] | --selftest

  -l  print them
  --selftest  check this check, with functions made up for it
  FUNCTION  begin there, not at mptun_xmit

Follows calls by name. Pointers to functions are not followed: completions and
timers begin elsewhere.
"""
# Copyright (C) 2026 The mptun authors

import re
import sys

import small

MOST = 12
CALL = re.compile(r"\b(\w+)\s*\(")


def bodies(top=small.TOP):
    """The text of each function; of two with a name, both."""
    text = {}
    for _, source in small.sources(top):
        for define in small.DEFINITION.finditer(source):
            name = re.search(r"(\w+)\(", define[1])[1]
            text[name] = text.get(name, "") + define[2]
    return text


def deepest(name, text, known, above=()):
    """The longest chain of functions from this one."""
    if name in above:
        return []
    if name not in known:
        below = {call for call in CALL.findall(text[name]) if call in text}
        chains = [deepest(call, text, known, above + (name,))
                  for call in sorted(below - {name})]
        known[name] = [name] + max(chains, key=len, default=[])
    return known[name]


def selftest():
    """The deepest calls of the sample are two functions."""
    chain = deepest("mptun_xmit", small.sample(bodies), {})
    if len(chain) != 2 or chain[0] != "mptun_xmit":
        sys.exit(f"depth.py finds {chain} in the sample")


def main():
    """Print the deepest chain if asked to, or if it is too deep."""
    args = sys.argv[1:]
    if args == ["--selftest"]:
        return selftest()
    show = args[:1] == ["-l"]
    start = (args[show:] or ["mptun_xmit"])[0]
    text = bodies()
    if start not in text:
        sys.exit(f"no function {start}")
    chain = deepest(start, text, {})
    if show:
        print(len(chain), *chain)
    if len(chain) > MOST:
        sys.exit(f"{len(chain)} calls, not at most {MOST}: {' '.join(chain)}")


if __name__ == "__main__":
    main()

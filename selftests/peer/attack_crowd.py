# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Attacks by more packets than can be looked at, see attack.py.

They are all sent before the kernel's threads get the processor if this program
has real-time priority.
"""

import wire
from suite import Failed, attack


@attack
def replays_at_once(s):
    """Replays that arrive faster than they are looked at."""
    one = s.fresh()
    began = s.target.associations()
    held = one.send_inner(s.packet())
    s.run(None, 0.3)
    before = s.target.drops()
    for _ in range(1000):
        one.replay(held)
    if not s.run(lambda: (s.target.drops() - before)["rx_replay"] >= 1000):
        raise Failed("not all were counted", s.target.drops() - before)
    s.passes(began)


def crowd(s, datagrams, link=None):
    """Send them at once, INITs among them, which find a place; all drops."""
    one = s.peer
    before, drops = one.current, s.target.drops()
    half = len(datagrams) // 2
    for data in datagrams[:half]:
        one.send_raw(data, link, s.remote)
    one.open()
    for data in datagrams[half:]:
        one.send_raw(data, link, s.remote)
    if not s.run(lambda: one.current is not before):
        raise Failed("no new session")
    s.run(None, 0.5)
    s.last = s.target.drops() - drops
    s.note(len(datagrams), "sent,", dict(s.last))
    if s.last["rx_overrun"]:
        raise Failed("handshakes found no place")
    return s.last


@attack
def strays_at_once(s):
    """PROBEs of an unknown path, faster than they are looked at; once more."""
    s.fresh()
    began = s.target.associations()
    data = s.strays(300)
    got = crowd(s, data)
    if got["rx_no_path"] + got["rx_probe_limit"] < len(data):
        raise Failed("not all were counted")
    s.passes(began)
    got = crowd(s, data, s.stranger)
    if got["rx_replay"] < len(data) or got["rx_probe_limit"]:
        raise Failed("recorded probes get to the worker")
    s.passes(began)


@attack
def paths_at_once(s):
    """PROBEs of new paths, faster than they are looked at."""
    one = s.fresh()
    began = s.target.associations()
    first = max(one.used) + 2
    idents = range(first, first + 600, 2)
    one.used |= set(idents)
    crowd(s, [s.stray(ident) for ident in idents], s.stranger)
    s.passes(began)


@attack
def first_probe_at_once(s):
    """Copies of the PROBE that begins an association, before it has begun."""
    one = s.make()
    held = []

    def keep(data):
        one.mutate = keep
        if data[0] != wire.PACKET:
            return data
        held.append(data)
        return None

    began = s.target.associations()
    one.mutate = keep
    one.open()
    if not s.run(lambda: held):
        raise Failed("a new peer is not taken")
    one.mutate = None
    crowd(s, held[:1] * 300)
    if not s.run(one.up):
        raise Failed("the paths of a new peer are not taken")
    s.passes(began + 1)


@attack
def large_strays(s):
    """PROBEs of an unknown path as large as they can be: none is kept."""
    one = s.fresh()
    began = s.target.associations()
    data = s.strays(100, 60000)
    before, free = s.target.drops(), s.target.free_kib()
    for each in data:
        one.send_raw(each)
    taken = free - s.target.free_kib()
    s.run(None, 0.5)
    drops = s.target.drops() - before
    s.note(taken, "KiB taken,", dict(drops))
    if drops["rx_no_path"] + drops["rx_probe_limit"] < 20:
        raise Failed("they did not arrive")
    if taken > 1024:
        raise Failed("they took", taken, "KiB")
    s.passes(began)

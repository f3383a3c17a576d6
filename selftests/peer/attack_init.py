# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Attacks on handshakes, see attack.py."""

import os
import struct
import time

import noise
import session as sessions
import wire
from suite import Failed, attack, cuts, flips, swept


@attack
def flipped_init(s):
    """A bit of each byte of an INIT; mac2 is not looked at without load."""
    s.fresh()
    init = s.hold_init()
    bad = [data for data in flips(init.data) if
           data[wire.Init.MAC2_AT:] == init.data[wire.Init.MAC2_AT:]]
    s.fire(bad, must={"rx_mac": swept(120)})
    if not s.peer.attempt:
        raise Failed("a changed INIT was answered")


@attack
def cut_init(s):
    """INITs of every length but the right one."""
    s.fresh()
    init = s.hold_init()
    s.fire(cuts(init.data), must={"rx_short": swept(len(init.data))})
    if not s.peer.attempt:
        raise Failed("a cut INIT was answered")


def same_cookie(s, init):
    """Fail if the tunnel took another cookie since that INIT of its."""
    first = s.peer.keys.open_init(init.data).hello.cookie
    for datagram in s.peer.received:
        if datagram.type == wire.INIT and first != (
                s.peer.keys.open_init(datagram.data).hello.cookie):
            raise Failed("a false COOKIE was believed")


def harmed_answers(s, harm, reason, least):
    """Harm a RESPONSE and a COOKIE to a tunnel that opens."""
    for make in (lambda init: s.hold_response(init).data, s.make_cookie):
        _, init = s.opening()
        began = s.target.associations()
        s.fire(harm(make(init)), must={reason: swept(least)})
        if s.target.associations() != began:
            raise Failed("a harmed RESPONSE began an association")
        s.run(None, 0.3)
        same_cookie(s, init)
        s.fresh()


@attack
def flipped_answers(s):
    """A bit of each byte of a RESPONSE and of a COOKIE."""
    harmed_answers(s, flips, "rx_unknown", 4)


@attack
def cut_answers(s):
    """RESPONSEs and COOKIEs of every length but the right one."""
    harmed_answers(s, cuts, "rx_short", 88)


@attack
def spliced_inits(s):
    """Parts of two INITs, with a mac1 that is right."""
    one = s.fresh()
    first, second = s.hold_init().data, s.hold_init().data
    bad = []
    for start, end in ((20, 24), (32, 64), (64, 120), (120, 136)):
        data = first[:start] + second[start:end] + first[end:136]
        bad.append(data + one.keys.mac1(data) + bytes(16))
    for start, end, value in ((16, 20, b"\0\0\0\1"), (20, 24, bytes(4))):
        data = first[:start] + value + first[end:136]
        bad.append(data + one.keys.mac1(data) + bytes(16))
    s.fire(bad, must={"rx_handshake": len(bad)})


def recorded(s):
    """Every INIT of ours and of the tunnel so far, no two the same."""
    out = {}
    for one in s.old:
        for datagram in one.sent + one.received:
            if datagram.type == wire.INIT:
                out[datagram.data] = None
    return list(out)[-400:]


@attack
def old_inits(s):
    """INITs of all earlier sessions, whatever the tunnel is doing."""
    for _ in range(3):
        s.fresh()
        s.peer.open()
        s.run(lambda: not s.peer.attempt)
    one = s.fresh()
    inits = recorded(s)
    began = s.target.associations()
    s.note("in a session")
    s.fire(inits, answered=len(inits))
    s.passes(began)
    one.open()
    s.run(lambda: not one.attempt)
    s.note("after a new session of the same instances")
    s.fire(inits, s.stranger, answered=len(inits))
    s.passes(began)
    s.note("when a session waits to be confirmed")
    one = s.make(("paths", "open", "init"))
    one.open()
    s.run(None, 0.3)
    s.fire(inits, answered=len(inits))
    one = s.fresh()
    began = s.target.associations()
    s.passes(began)
    try:
        s.opening()
        began = s.target.associations()
        s.note("while it looks for its peer")
        s.fire(inits, s.stranger, answered=len(inits))
        if s.target.associations() != began:
            raise Failed("an old INIT began an association")
    finally:
        s.fresh()


@attack
def old_init_same_instance(s):
    """An INIT of the instance in use whose counter is not larger."""
    one = s.fresh()
    one.open()
    low = one.counter
    if not s.run(lambda: one.current.counter == low):
        raise Failed("no new session")
    began = s.target.associations()
    bad = []
    for counter in (low, low - 1, 1):
        one.next_counter = counter
        bad.append(s.hold_init().data)
    one.attempt, one.counter = None, low
    s.fire(bad, must={"rx_handshake": len(bad)})
    s.passes(began)


@attack
def simultaneous_open(s):
    """Both ends open at the same moment, again and again."""
    for _ in range(5):
        one, init = s.opening()
        one.quiet = set()
        one.open()
        one.on_init(init)
        if not s.run(one.up):
            raise Failed("no association after both opened")
        s.run(None, 0.2)
        began = s.target.associations()
        s.passes(began)
        s.run(None, 0.3)
        s.passes(began)


@attack
def forged_cookies(s):
    """Cookies that the tunnel did not make, or made for somebody else."""
    old = s.fresh()
    one = s.make(("open", "answers", "init"))
    began = s.target.associations()
    for cookie in (b"x" * 16, old.cookie, bytes(range(16))):
        init = s.hold(lambda cookie=cookie: one.open(cookie))
        before = s.answers()
        s.fire([init.data] * 2, answered=2)
        got = [d.type for d in one.received]
        if s.answers() == before or wire.RESPONSE in got:
            raise Failed("a cookie of somebody else was accepted")
    if s.target.associations() != began:
        raise Failed("an association began")
    s.fresh()


@attack
def forged_cookie_answers(s):
    """COOKIEs that answer something else, or that anybody could make."""
    one, init = s.opening()
    opened = one.keys.open_init(init.data)
    receiver = opened.hello.sender
    other = one.keys.attempt(wire.Hello(receiver, 7, 7, s.cipher)).init
    bad = [one.keys.cookie(receiver, other, b"x" * 16),
           sessions.Keys(os.urandom(32), s.cipher).cookie(
               receiver, opened.init, b"x" * 16),
           wire.Cookie(receiver, struct.pack(">Q16x", opened.hello.counter),
                       b"x" * 16).pack(),
           wire.Cookie(0, bytes(24), b"x" * 16).pack()]
    s.fire(bad)
    s.fire(bad, s.stranger)
    s.run(None, 0.5)
    same_cookie(s, init)
    s.fresh()


@attack
def copied_cookies(s):
    """A COOKIE for a source, again and again: the INIT is repeated once."""
    one, init = s.opening()
    opened = one.keys.open_init(init.data)
    cookie = one.keys.cookie(opened.hello.sender, opened.init,
                             source=b"s" * 16)
    before = len(one.received)
    for _ in range(50):
        one.send_raw(cookie)
        s.run(None, 0.005)
    inits = [d for d in one.received[before:] if d.type == wire.INIT]
    s.note("50 COOKIEs earned", len(inits), "INITs")
    s.fresh()
    # the timer repeats it as well
    if len(inits) > 10:
        raise Failed("each copy of a COOKIE earns an INIT")


@attack
def last_counter(s):
    """A peer that uses the last counter of all does not lock us out."""
    one = s.fresh()
    instance = one.peer_instance
    one.next_counter = wire.COUNTER_MAX
    one.open()
    s.run(None, 0.5)
    _, init = s.opening()
    hello = s.peer.keys.open_init(init.data).hello
    s.fresh()
    if hello.instance == instance:
        raise Failed("counters of an instance are used again:", hello.counter)


@attack
def cookie_flood(s):
    """COOKIEs by hundreds, forged and repeated: one of each earns an INIT."""
    one, init = s.opening()
    head = s.make_cookie(init)[:16]
    s.fire([head + os.urandom(72) for _ in range(400)], must={"rx_mac": 400})
    same_cookie(s, init)
    # the INIT is still that one, or the tunnel has begun another attempt
    init = [d for d in one.received if d.type == wire.INIT][-1]
    copies = [s.make_cookie(init, bytes(16), b"s" * 16)] * 400
    before = len(one.received)
    s.burst(copies)
    s.run(None, 0.1)
    inits = [d for d in one.received[before:] if d.type == wire.INIT]
    s.note(len(inits), "INITs for", len(copies), "copies of a COOKIE")
    if not any(one.keys.mac2_good(b"s" * 16, d.data) for d in inits):
        raise Failed("the COOKIE was not taken")
    if len(inits) > len(copies) / 20:
        raise Failed("copies of a COOKIE earned INITs")
    s.fresh()


@attack
def late_answers(s):
    """RESPONSEs and COOKIEs to attempts that are over."""
    one, init = s.opening()
    response = s.hold_response(init).data
    cookie = s.make_cookie(init)
    before = one.keys.open_init(init.data).hello.counter
    one.send_raw(cookie)

    def again():
        return [d for d in one.received if d.type == wire.INIT and
                one.keys.open_init(d.data).hello.counter > before]
    if not s.run(again):
        raise Failed("a COOKIE begins no new attempt")
    began = s.target.associations()
    s.fire([response, cookie])
    if s.target.associations() != began:
        raise Failed("a late RESPONSE began an association")
    second = s.hold_response(again()[-1])
    one.send_raw(second.data)
    one.quiet = set()
    s.run(lambda: s.target.associations() > began)
    s.fire([second.data, response, cookie, s.make_cookie(init)])
    s.fresh()


def low_init(s, public):
    """An INIT of the true peer with any public key."""
    one = s.peer
    one.counter += 1
    hello = wire.Hello(s.peer.random(4), one.instance, one.counter, s.cipher)
    state = noise.SymmetricState()
    state.mix_hash(sessions.PROLOGUE)
    state.mix_key_and_hash(s.key)
    state.mix_hash(public)
    state.mix_key(public)
    sealed = state.encrypt_and_hash(hello.pack())
    init = wire.Init(sealed[:-16], 0, hello.sender, one.keys.key_id, public,
                     sealed[-16:])
    init.mac1 = one.keys.mac1(init.pack()[:wire.Init.MAC1_AT])
    return init.pack()


@attack
def low_order(s):
    """Public keys that make the shared secret zero, from the true peer."""
    s.fresh()
    began = s.target.associations()
    bad = [low_init(s, public) for public in (bytes(32),
                                              b"\1" + bytes(31))]
    s.fire(bad, must={"rx_handshake": len(bad)})
    s.passes(began)


@attack
def flood(s):
    """More INITs than a host takes: a COOKIE for the source, no more."""
    one = s.fresh()
    began = s.target.associations()
    old = [d.data for d in one.sent if d.type == wire.INIT][-1]
    s.stranger_got.clear()
    end = time.monotonic() + 3
    cookies, sent = 0, 0
    before, begun = s.target.drops(), time.monotonic()
    while not cookies and time.monotonic() < end:
        for _ in range(64):
            one.send_raw(old, s.stranger, s.remote)
            sent += 1
        s.run(None, 0.02)
        for datagram in s.stranger_got:
            cookies += source_cookie(s, old, datagram)
        s.stranger_got.clear()
    s.note(sent, "INITs in", f"{time.monotonic() - begun:.2f} s,", cookies,
           "COOKIEs,", dict(s.target.drops() - before))
    if not cookies:
        raise Failed("no cookie for the source")
    s.passes(began)
    s.run(None, 1.5)


def source_cookie(s, init, datagram):
    """Whether this COOKIE answers the INIT, with a cookie for the source."""
    if datagram.type != wire.COOKIE:
        return False
    attempt = sessions.Attempt(None, wire.Init.parse(init))
    try:
        cookie, source = s.peer.keys.open_cookie(attempt, datagram.data)
    except sessions.SessionError:
        return False
    return cookie == bytes(16) and source != bytes(16)

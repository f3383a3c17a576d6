# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Attacks on PACKETs, see attack.py."""

import os
import struct

import coding
import session as sessions
import wire
from suite import Failed, Skipped, attack, cuts, flips, swept

SECRET_KINDS = (wire.DATA, wire.REPORT, wire.PROBE, wire.SET, wire.BYE)
NAMES = {wire.DATA: "DATA", wire.REPORT: "REPORT", wire.PROBE: "PROBE",
         wire.SET: "SET", wire.BYE: "BYE"}


def sample(s, kind):
    """A good PACKET of a kind, held back."""
    path = next(p for p in s.peer.paths.values() if p.up)
    if kind == wire.DATA:
        return s.hold(lambda: s.peer.send_inner(s.packet(), path), kind)
    body = {
        wire.REPORT: wire.settled(s.peer.dsn),
        wire.PROBE: wire.Probe(0, 16, 1, s.peer.random(8)).pack(),
        wire.SET: wire.settled(s.peer.dsn),
        wire.BYE: struct.pack(">Q", s.peer.instance),
    }[kind]
    return s.hold_control(kind, body, path)


def left(s, bye):
    """The tunnel looks for its peer after a good BYE."""
    one = s.peer
    one.quiet.add("init")
    before = len(one.received)
    one.replay(bye)
    if not s.run(lambda: [d for d in one.received[before:]
                          if d.type == wire.INIT]):
        raise Failed("a good BYE is not taken")


def harmed_packets(s, harm, last):
    """Harm a PACKET of each kind; what was harmed is good afterwards."""
    s.fresh()
    for kind in SECRET_KINDS:
        one = sample(s, kind)
        began = s.target.associations()
        s.note(NAMES[kind])
        s.fire(harm(one.data), one.link, must=last(one.data))
        s.passes(began)
        if kind == wire.BYE:
            left(s, one)
            continue
        s.accepted([one])
        if kind == wire.DATA and not s.arrived(one.inner.body):
            raise Failed("the packet itself is not taken any more")
    # the last one was a good BYE
    s.fresh()


@attack
def flipped_packets(s):
    """A bit of each byte of DATA, REPORT, PROBE, SET and BYE."""
    harmed_packets(s, flips, lambda data: {
        "rx_auth": swept(len(data) - 8)})


@attack
def cut_packets(s):
    """DATA, REPORT, PROBE, SET and BYE of every length."""
    harmed_packets(s, cuts, lambda data: {"rx_short": swept(16),
                                          "rx_auth": 4})


@attack
def reflected(s):
    """Reflect all packets of the tunnel."""
    _, init = s.opening()
    s.fire([init.data], must={"rx_reflected": 1})
    s.fresh()
    began = s.target.associations()
    for _ in range(3):
        s.passes(began)
    own = [d.data for d in s.peer.received]
    s.fire(own)
    s.fire(own, s.stranger)


@attack
def replayed(s):
    """PACKETs once more: on their path, on the other one, from a stranger."""
    one = s.fresh()
    began = s.target.associations()
    for _ in range(3):
        s.passes(began)
        for path in list(one.paths.values()):
            one.send_inner(s.packet(), path)
    s.run(None, 0.3)
    packets = [d for d in one.sent if d.type == wire.PACKET]
    # What came too early for its path may count now, once
    for link in one.links + [s.stranger]:
        s.burst([d.data for d in packets], link)
        s.run(None, 0.2)
    for link in one.links + [s.stranger]:
        s.fire([d.data for d in packets], link,
               must={"rx_replay": len(packets)})
    s.passes(began)


def earned(s, probes):
    """How many answers to these probes, and ABANDONs of their ids, we got."""
    tokens = {wire.Probe.parse(d.inner.body).token for d in probes}
    idents = {wire.split_number(wire.Outer.parse(d.data).number)[0]
              for d in probes}
    count = 0
    for inner in filter(None, (d.inner for d in s.peer.received)):
        if inner.kind == wire.PROBE:
            body = wire.Probe.parse(inner.body)
            count += body.answer and body.token in tokens
        elif inner.kind == wire.SET:
            count += sum(kind == wire.STATUS and content[0] in idents and
                         content[1] == wire.ABANDON for kind, content
                         in wire.parse_blocks(inner.body))
    return count


def once_more(s, probes):
    """Replayed probes are dropped for that, and earn nothing."""
    one, began = s.peer, s.target.associations()
    paths = s.target.paths()
    s.run(None, 0.3)
    if not earned(s, probes):
        raise Failed("a probe earned nothing when it was new")
    for link in one.links + [s.stranger]:
        before, strange = earned(s, probes), len(s.stranger_got)
        s.fire([d.data for d in probes], link,
               must={"rx_replay": len(probes)})
        s.run(None, 0.3)
        if earned(s, probes) > before or len(s.stranger_got) > strange:
            raise Failed("a replayed probe is answered")
    if s.target.paths() != paths:
        raise Failed("a replayed probe makes a path")
    s.passes(began)


@attack
def replayed_loser(s):
    """Probes under an id that lost to that of the other end, once more."""
    one = s.make()
    # the first id of the greater instance wins
    one.instance = one.random(2)
    one.open()
    if not s.run(one.up):
        raise Failed("a new peer is not taken")
    s.passes()
    s.run(None, 0.3)
    probes = [d for d in one.sent if d.kind == wire.PROBE and
              wire.split_number(wire.Outer.parse(d.data).number)[0]
              not in one.paths]
    if not probes:
        raise Skipped("no id lost: the tunnel has no path to us")
    once_more(s, probes)


def abandoned(s):
    """A path of ours that was given up, whose number is refused."""
    one = s.fresh()
    path = one.path_on(one.links[-1])
    one.send_control(path, wire.SET, wire.status(path.ident, wire.ABANDON))
    one.drop_path(path, reopen=False)
    s.run(None, 0.5)
    return path


@attack
def replayed_refused(s):
    """A probe under an id that was given up, once more."""
    path = abandoned(s)
    one = s.peer
    before = one.counts[f"status {wire.ABANDON}"]
    held = s.hold(lambda: one.probe(path), wire.PROBE)
    one.replay(held)
    if not s.run(lambda: one.counts[f"status {wire.ABANDON}"] > before):
        raise Failed("an id that was used is not refused")
    once_more(s, [held])


@attack
def replayed_blocks(s):
    """DATA with blocks once more: they took effect with the first one."""
    one = s.fresh()
    began = s.target.associations()

    def status_of_all(value):
        return b"".join(wire.status(ident, value) for ident in one.paths)
    blocks = status_of_all(wire.STANDBY)
    held = one.send_inner(struct.pack(">H", len(blocks)) + blocks +
                          s.packet(), flags=wire.F_BLOCKS)
    s.run(None, 0.2)
    one.send_control(one.path_on(held.link), wire.SET,
                     status_of_all(wire.AVAILABLE))
    s.passes(began)
    for link in one.links + [s.stranger]:
        s.fire([held.data], link, must={"rx_replay": 1})
        s.passes(began)


@attack
def late_strays(s):
    """Probes of unknown paths of any latency share a window of numbers."""
    path = abandoned(s)
    one = s.peer
    for jump in (1000, -600, -600):
        before = one.counts[f"status {wire.ABANDON}"]
        path.control += jump
        one.probe(path)
        if not s.run(lambda before=before:
                     one.counts[f"status {wire.ABANDON}"] > before, 1):
            raise Failed("a late probe is taken for a replay")


@attack
def late_among_many(s):
    """What many paths send makes no late packet of one a replay."""
    path = abandoned(s)
    one = s.peer
    busy = next(p for p in one.paths.values() if p.up)
    # 64 paths with a report per millisecond, which share a counter
    for _ in range(60):
        busy.control += 640
        one.send_control(busy, wire.SET, b"")
        s.run(None, 0.01)
    before = s.target.drops()
    busy.control -= 64 * 100
    one.send_control(busy, wire.SET, b"")
    busy.control += 64 * 100
    s.run(None, 0.1)
    if (s.target.drops() - before)["rx_replay"]:
        raise Failed("a packet late by 100 ms is taken for a replay")
    for late in (0, 300):
        before = one.counts[f"status {wire.ABANDON}"]
        path.control = busy.control - 64 * late
        one.probe(path)
        if not s.run(lambda before=before:
                     one.counts[f"status {wire.ABANDON}"] > before, 1):
            raise Failed("a probe late by", late, "ms is taken for a replay")


@attack
def unproved_address(s):
    """An address that answers nothing is sent three times what came from it."""
    one = s.fresh()
    began = s.target.associations()
    ident = max(one.used) + 2
    one.used.add(ident)
    probe = one.seal(wire.number(ident, 1 << 20, True), wire.Inner(
        wire.PROBE, wire.Probe(0, 16, 1, one.random(8)).pack()))
    before = len(s.stranger_got)
    one.send_raw(probe, s.stranger, s.remote)
    s.run(None, 8)
    got = sum(len(d.data) for d in s.stranger_got[before:])
    s.note(len(probe), "bytes earned", got)
    if not got:
        raise Failed("a probe of a new path is not answered")
    if got > 3 * len(probe):
        raise Failed("an address that never answered was sent", got, "bytes")
    s.passes(began)


@attack
def small_from_elsewhere(s):
    """A small packet from another address earns no larger challenge."""
    one = s.fresh()
    s.run(None, 3.5)
    path = next(p for p in one.paths.values() if p.up)
    data = s.hold_control(wire.SET, b"", path).data
    before = len(s.stranger_got)
    one.send_raw(data, s.stranger, s.remote)
    s.run(None, 0.5)
    got = sum(len(d.data) for d in s.stranger_got[before:])
    if got > len(data):
        raise Failed(len(data), "bytes earned", got)


@attack
def probes_from_elsewhere(s):
    """A PROBE from elsewhere on a path that is down earns its own size."""
    one = s.fresh()
    # its challenges get no answer, and its data no report
    one.quiet |= {"answer", "report", "probe"}
    for _ in range(40):
        if not s.target.paths_up():
            break
        s.target.send(s.packet())
        s.run(None, 0.5)
    else:
        raise Failed("no path goes down")
    path = one.path_on(one.links[-1])
    sent = got = 0
    for _ in range(5):
        body = wire.Probe(0, 16, 1, one.random(8)).pack()
        data = s.hold_control(wire.PROBE, body, path).data
        before = len(s.stranger_got)
        one.send_raw(data, s.stranger, s.remote)
        s.run(None, 0.3)
        sent += len(data)
        got += sum(len(d.data) for d in s.stranger_got[before:])
    s.note(sent, "bytes earned", got)
    if not got:
        raise Failed("a probe on a path that is down is not answered")
    if got > sent:
        raise Failed(sent, "bytes from elsewhere earned", got)
    s.fresh()


@attack
def spliced_paths(s):
    """A sealed PACKET under the number of another path or space."""
    one = s.fresh()
    began = s.target.associations()
    paths = list(one.paths.values())
    bad = []
    for kind in SECRET_KINDS[:4]:
        data = sample(s, kind).data
        number, = struct.unpack_from(">Q", data, 8)
        ident, packet, control = wire.split_number(number)
        for other in [p.ident for p in paths] + [0, 0x7fff]:
            for space in (False, True):
                for at in (packet, packet + 1, 1 << 40):
                    new = wire.number(other, at, space)
                    if new != number:
                        bad.append(data[:8] + struct.pack(">Q", new) +
                                   data[16:])
        # two halves of different packets
        second = sample(s, kind).data
        bad += [data[:16] + second[16:], second[:16] + data[16:],
                data[:-16] + second[-16:]]
    s.note(f"paths {[p.ident for p in paths]}, from path {ident}, {control}")
    for link in one.links + [s.stranger]:
        s.fire(bad, link, must={"rx_auth": len(bad)})
    s.passes(began)


@attack
def spliced_sessions(s):
    """PACKETs of one session under the index of another one."""
    one = s.fresh()
    before = one.current
    held = [sample(s, kind).data for kind in SECRET_KINDS]
    one.open()
    if not s.run(lambda: one.current is not before):
        raise Failed("no new session")
    s.passes()
    index = struct.pack(">I", one.current.peer_index)
    s.fire([d[:4] + index + d[8:] for d in held],
           must={"rx_auth": len(held)})
    index = struct.pack(">I", before.peer_index)
    later = [sample(s, kind).data for kind in SECRET_KINDS]
    s.fire([d[:4] + index + d[8:] for d in later],
           must={"rx_auth": len(later)})


@attack
def stale_associations(s):
    """New PACKETs with the keys of associations that are over."""
    for _ in range(2):
        s.fresh()
    stale = [p for p in s.old if p.sent][-3:]
    one = s.fresh()
    began = s.target.associations()
    bad = []
    for old in stale:
        for session in {d.data[4:8]: d for d in old.sent
                        if d.type == wire.PACKET}.values():
            bad.append(session.data)
    for old in stale:
        for kind in SECRET_KINDS:
            bad.append(stale_packet(s, old, kind))
    s.fire(bad, must={"rx_unknown": len(bad)})
    # the right index, the wrong keys
    index = struct.pack(">I", one.current.peer_index)
    s.fire([d[:4] + index + d[8:] for d in bad], must={"rx_auth": len(bad)})
    s.passes(began)


def stale_packet(s, old, kind):
    """Sealed with the last session that an earlier peer had."""
    body = {wire.DATA: s.packet(),
            wire.BYE: struct.pack(">Q", s.peer.instance)}.get(kind, b"")
    number = wire.number(1, 1 << 20, kind != wire.DATA)
    s.good.discard(body)
    return old.seal(number, wire.Inner(kind, body, dsn=old.dsn))


@attack
def stale_sessions(s):
    """A session is good for a while after the next one began, not longer."""
    one = s.fresh()
    began, before = s.target.associations(), one.current
    one.open()
    if not s.run(lambda: one.current is not before):
        raise Failed("no new session")
    s.passes(began)
    path = next(p for p in one.paths.values() if p.up)

    def old_data(packet):
        path.data += 1
        inner = wire.Inner(wire.DATA, packet, dsn=one.dsn,
                           fseq=path.data % 256)
        one.dsn = (one.dsn + 1) % (1 << 32)
        return one.seal(wire.number(path.ident, path.data - 1), inner, before)
    packet = s.packet()
    one.send_raw(old_data(packet), path.link)
    if not s.run(lambda: s.arrived(packet)):
        raise Failed("a packet of the session before is not taken at once")
    s.run(None, 11.5)
    s.fire([old_data(s.packet())], path.link, must={"rx_unknown": 1})
    s.passes(began)


@attack
def wrong_key(s):
    """INITs and PACKETs of somebody with another key."""
    one = s.fresh()
    began = s.target.associations()
    other = sessions.Keys(os.urandom(32), s.cipher)
    hello = wire.Hello(5, 7, 1 << 40, s.cipher)
    with_id = other.attempt(hello)
    with_id.init.key_id = one.keys.key_id
    s.fire([other.init_bytes(other.attempt(hello))] * 3)
    s.fire([other.init_bytes(with_id)] * 3, must={"rx_mac": 3})
    with_id.init.mac1 = one.keys.mac1(
        with_id.init.pack()[:wire.Init.MAC1_AT])
    s.fire([other.init_bytes(with_id)] * 3, must={"rx_handshake": 3})
    bad = []
    for kind in SECRET_KINDS:
        plain = wire.Inner(kind, s.packet(), dsn=one.dsn).pack()
        outer = sample(s, kind).data[:16]
        bad.append(sessions.seal(s.cipher, os.urandom(32), outer, plain))
        # our own direction's key does for the other direction only
        bad.append(sessions.seal(s.cipher, one.current.recv_key, outer,
                                 plain))
    s.fire(bad, must={"rx_auth": len(bad)})
    s.passes(began)


@attack
def wrong_cipher(s):
    """PACKETs and INITs with the right key and another cipher."""
    one = s.fresh()
    began = s.target.associations()
    bad = []
    for kind in SECRET_KINDS:
        data = sample(s, kind).data
        plain = sessions.open_packet(s.cipher, one.current.send_key, data)
        bad += [sessions.seal(cipher, one.current.send_key, data[:16], plain)
                for cipher in wire.CIPHERS.values() if cipher != s.cipher]
    s.fire(bad, must={"rx_auth": len(bad) - len(SECRET_KINDS)})
    inits = []
    for cipher in [0, 5, 255] + list(wire.CIPHERS.values()):
        if cipher == s.cipher:
            continue
        one.counter += 1
        hello = wire.Hello(5, one.instance, one.counter + 1, cipher)
        inits.append(one.keys.init_bytes(one.keys.attempt(hello)))
    s.fire(inits, must={"rx_handshake": len(inits)})
    s.passes(began)


@attack
def counter_jumps(s):
    """Counters and numbers that leap, from the true peer, are no harm."""
    one = s.fresh()
    began = s.target.associations()
    before = one.current
    one.next_counter = one.counter + (1 << 40)
    one.open()
    if not s.run(lambda: one.current is not before):
        raise Failed("a counter that leapt is not taken")
    s.passes(began)
    for jump in (1 << 8, 1 << 12, 1 << 32, 1 << 45):
        for path in one.paths.values():
            path.data += jump
            path.control += jump
        s.passes(began)
    # what the leap left behind is too old for any window
    held = sample(s, wire.DATA)
    path = one.path_on(held.link)
    path.data += 1 << 20
    path.fseq += 1
    one.send_inner(s.packet(), path)
    s.run(None, 0.2)
    s.fire([held.data], held.link, must={"rx_replay": 1})


@attack
def unknown_kinds(s):
    """Kinds, spaces and flags that nobody knows, in sealed PACKETs."""
    one = s.fresh()
    began = s.target.associations()
    path = next(p for p in one.paths.values() if p.up)
    bad = []

    def make(kind, control, flags=0):
        path.data, path.control = path.data + 1, path.control + 1
        number = wire.number(path.ident, path.control if control
                             else path.data, control)
        body = s.packet()
        s.good.discard(body)
        bad.append(one.seal(number, wire.Inner(kind, body, flags=flags,
                                               dsn=one.dsn)))
    for kind in [0] + list(range(7, 16)):
        make(kind, False)
        make(kind, True)
    make(wire.REPAIR, True)
    for flags in (1 << n for n in range(8)):
        make(wire.REPAIR, False, flags)
    for kind in SECRET_KINDS:
        make(kind, kind == wire.DATA)
        for flags in (wire.F_COMPRESSED, 0x80, 0xff):
            make(kind, kind != wire.DATA, flags)
    s.fire(bad, path.link, must={"rx_kind": len(bad)})
    path.data, path.control = path.data + 1, path.control + 1
    s.passes(began)


@attack
def malformed(s):
    """Blocks, probes and inner packets that do not parse, sealed."""
    one = s.fresh()
    began = s.target.associations()
    path = next(p for p in one.paths.values() if p.up)
    ack = wire.Ack(path.ident, [(0, 0)]).pack()
    never = wire.Ack(path.ident, [(1 << 40, (1 << 40) + 5)]).pack()
    bad = []
    for kind, body in (
            (wire.REPORT, b"\1"), (wire.REPORT, b"\1\0\0\5aaaaa"),
            (wire.REPORT, ack[:-4]), (wire.REPORT, never),
            (wire.SET, b"\5\0\0\2aa"),
            (wire.SET, wire.status(path.ident, 9)),
            (wire.SET, wire.Policy(path.ident, 1, weight=0).pack()),
            (wire.SET, wire.Policy(path.ident, 1, flags=0x14).pack()),
            (wire.SET, wire.Policy(path.ident, 1, status=2).pack()),
            (wire.PROBE, bytes(15))):
        data = s.hold_control(kind, body, path).data
        s.fire([data], path.link)
    for body in (b"", b"\0" * 40, b"\x75" * 40):
        data = s.hold(lambda body=body: one.send_inner(body, path)).data
        s.fire([data], path.link)
    # a checksum to be filled in where there is none
    for harm in ((9, 1), (6, 0x20), (7, 1)):
        body = bytearray(s.packet())
        s.good.discard(bytes(body))
        body[harm[0]] = harm[1]
        bad.append(bytes(body))
    short = bytearray(s.packet()[:24])
    short[2:4] = struct.pack(">H", len(short))
    for body in (*bad, bytes(short)):
        data = s.hold(lambda body=body: one.send_inner(
            body, path, flags=wire.F_NOCSUM)).data
        s.fire([data], path.link, must={"rx_malformed": 1})
    # fragments without a part, of one, too many or too much, and a whole packet
    for body in (b"\0\2\5\xdc", b"\0\1\0\x40" + bytes(8),
                 b"\2\2\0\x40" + bytes(8), b"\0\5\0\x40" + bytes(8),
                 b"\0\2\5\xdd" + bytes(8), b"\0\2\0\x08" + bytes(8)):
        data = s.hold(lambda body=body: one.send_inner(
            body, path, flags=wire.F_FRAG)).data
        s.fire([data], path.link, must={"rx_malformed": 1})
    # authentic, of somebody who is not there: nobody leaves
    one.bye(one.instance ^ 1)
    one.send_control(path, wire.BYE, bytes(7))
    s.passes(began)


def lose(s, count, lost):
    """Send packets except those lost: symbols of all by dsn, and those lost."""
    one, symbols, gone = s.peer, {}, []
    for n in range(count):
        packet = s.packet()
        symbols[one.dsn] = coding.Symbol(packet)
        if n in lost:
            s.hold(lambda packet=packet: one.send_inner(packet))
            gone.append(packet)
        else:
            one.send_inner(packet, flags=wire.F_CODED)
    return symbols, gone


@attack
def repair_symbols(s):
    """Repair symbols: true ones give what was lost, false ones nothing."""
    one = s.fresh()
    began = s.target.associations()
    # the first one makes the decoder
    symbols, _ = lose(s, 2, ())
    first = coding.Repair.make(symbols, sorted(symbols), 7)
    one.send_repair(first.last, first.pack())
    s.passes(began)
    # two of eight are lost
    symbols, gone = lose(s, 8, (2, 5))
    for seed in (1, 2):
        repair = coding.Repair.make(symbols, list(symbols), seed)
        one.send_repair(repair.last, repair.pack())
    if not s.run(lambda: all(s.arrived(packet) for packet in gone)):
        raise Failed("a lost packet was not decoded")
    s.passes(began)
    # those that do not parse
    body = repair.pack()
    for bad in (b"", body[:4], body[:14], b"\0\1\0" + body[3:],
                b"\0\1\5" + body[3:], body[:3] + b"\1" + body[4:],
                body[:7] + b"\xfe" + body[8:],
                b"\0\1\3\0" + b"\xff" * 12 + bytes(40)):
        data = s.hold(lambda bad=bad: one.send_repair(one.dsn, bad)).data
        s.fire([data], must={"rx_malformed": 1})
    # those that are false, of what is known, lost, old, new, or everything
    for n in range(200):
        members = {(one.dsn + d) % (1 << 32): coding.Symbol(bytes(1) + os.urandom(60))
                   for d in ([-4, -3], [-2, 1], [-1], [40], [300], [-500],
                             range(-30, 34), [70000])[n % 8]}
        repair = coding.Repair.make(members, list(members), n)
        one.send_repair(repair.last, repair.pack())
        if n % 16 == 0:
            lose(s, 2, (0,))
            s.run(None, 0.002)
    s.passes(began)


@attack
def unknown_paths(s):
    """PACKETs of paths that there are not, and DATA of path 0."""
    one = s.fresh()
    began = s.target.associations()
    bad = []
    for kind, ident in [(k, 0x7ffd) for k in SECRET_KINDS if
                        k not in (wire.PROBE, wire.BYE)] + [(wire.DATA, 0)]:
        body = s.packet() if kind == wire.DATA else wire.settled(one.dsn)
        s.good.discard(body)
        bad.append(one.seal(wire.number(ident, 5, kind != wire.DATA),
                            wire.Inner(kind, body, dsn=one.dsn)))
    s.fire(bad + s.strays(3), must={"rx_no_path rx_kind": len(bad) + 3})
    s.passes(began)


@attack
def stolen_path(s):
    """An attacker on the way sends our newest PACKET from another address."""
    one = s.fresh()
    began = s.target.associations()
    s.passes(began)
    for kind in (wire.DATA, wire.SET):
        for _ in range(3):
            held = sample(s, kind)
            one.send_raw(held.data, s.stranger, s.remote)
            s.run(None, 0.3)
            s.passes(began)
    s.run(None, 3.5)
    before = len(s.stranger_got)
    for _ in range(5):
        s.passes(began)
    s.run(None, 1.0)
    data = [d for d in s.stranger_got[before:] if len(d.data) > 100]
    if data:
        raise Failed("the path stays where it was led to")

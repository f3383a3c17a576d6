# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""An end of a tunnel in user space, which can misbehave on request.

A Peer opens and answers handshakes, opens paths, answers probes, reports what
it received and passes inner packets, as Documentation/protocol.rst wants it.
It has no congestion control and does not put packets in order. It does nothing
by itself: somebody calls run().

To misbehave: send_raw() and replay() send bytes as they are, `mutate` changes
the next datagram, `next_*` choose what is random or counted otherwise, `quiet`
names what is not done by itself, and `checks` which checks are left out.
"""

import collections
import contextlib
import dataclasses
import os
import select
import struct
import time

import coding
import noise
import session as sessions
import wire
from path import Datagram, Link, Path, Window

COOKIE_PERIOD = 60
LOAD = 256
OLD_SESSION = 10
SESSIONS_MAX = 4
KEEPALIVE = 1.0
# Packets and repair symbols that are kept to decode others
KNOWN = 512
REPAIRS = 8
RETRY = (0.1, 1.0)
# What is not looked at, by type, if it is in `quiet`
QUIET = {wire.INIT: "init", wire.RESPONSE: "answers", wire.COOKIE: "answers"}


class Peer:
    """One end of a tunnel."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, keys, locals_, remote=None, instance=None,
                 rekey=120.0):
        self.keys = keys
        self.links = [Link(local) for local in locals_]
        self.remote = remote
        self.instance = instance or self.random(8)
        self.first_dsn = self.random(4)
        self.rekey = rekey
        self.secret = os.urandom(32)
        self.drops = collections.Counter()
        self.counts = collections.Counter()
        self.sent = []
        self.received = []
        self.inner = []
        self.mutate = None
        self.quiet = set()
        self.checks = {"tag", "replay", "mac", "counter", "cookie",
                       "reflected"}
        self.next_counter = self.next_index = self.next_ephemeral = None
        self.attempt = None
        self.attempt_next = 0.0
        self.attempt_pause = 0.0
        self.cookie = sessions.NO_COOKIE
        self.answers = set()
        self.inits = collections.deque()
        self.sessions = []
        self.responses = {}
        self.counter = 0
        self.accepted = {}
        self.associations = 0
        self.peer_instance = 0
        self.forget()

    @staticmethod
    def random(size):
        """A random number of size bytes, not zero."""
        return int.from_bytes(os.urandom(size), "big") or 1

    def forget(self):
        """Reset the state of the association."""
        self.paths = {}
        self.windows = {}
        self.used = set()
        self.opening = {}
        self.zero_number = 0
        self.dsn = self.first_dsn
        self.dsns = set()
        self.assembly = wire.Assembly()
        self.decoder = coding.Decoder()
        self.peer_dsn = 0

    def close(self):
        """Sockets."""
        for link in self.links:
            link.sock.close()

    def step(self, timeout=0.0):
        """Receive what has arrived, then run what is due."""
        ready, _, _ = select.select(self.links, [], [], timeout)
        for link in ready:
            for _ in range(64):
                try:
                    data, address = link.sock.recvfrom(65535)
                except BlockingIOError:
                    break
                except OSError:
                    # an ICMP error for something sent before
                    continue
                self.on_datagram(link, address, data)
        self.tick(time.monotonic())

    def run(self, until=None, timeout=5.0, others=()):
        """Run with other peers until something is true, or the timeout."""
        end = time.monotonic() + timeout
        while not (until and until()):
            if time.monotonic() >= end:
                return False
            self.step(0.0 if others else 0.002)
            for other in others:
                other.step(0.001)
        return True

    @property
    def current(self):
        """The session to send with."""
        return max((s for s in self.sessions if s.confirmed and not s.retired),
                   key=lambda s: s.order, default=None)

    def path_on(self, link):
        """The path over a link, or None."""
        for path in self.paths.values():
            if path.link is link:
                return path
        return None

    def up(self):
        """Whether each link has a path whose challenge was answered."""
        return bool(self.current) and all(
            self.path_on(link) and self.path_on(link).up
            for link in self.links)

    # --- sending

    def send_raw(self, data, link=None, address=None):
        """Any bytes, from any link, unseen by the hooks."""
        link = link or self.links[0]
        with contextlib.suppress(OSError):
            link.sock.sendto(data, address or self.remote)

    def replay(self, datagram, link=None, address=None):
        """A datagram once more, from its own link or another."""
        self.send_raw(datagram.data, link or datagram.link,
                      address or datagram.address)

    def send(self, link, address, data, inner=None):
        """A datagram as it should be, unless `mutate` changes it."""
        self.sent.append(Datagram(link, address, data, inner))
        if self.mutate:
            mutate, self.mutate = self.mutate, None
            data = mutate(data)
            if data is None:
                return
        self.send_raw(data, link, address)

    def seal(self, number, inner, session=None):
        """A PACKET of the present session, or of another."""
        session = session or self.current
        inner.time = int(time.monotonic() * 1e6)
        return session.seal(wire.Outer(wire.PACKET, number=number), inner)

    def send_control(self, path, kind, body, address=None, session=None):
        """A control packet on a path."""
        if not session and not self.current:
            return
        inner = wire.Inner(kind, body)
        number = wire.number(path.ident, path.control, True)
        path.control += 1
        data = self.seal(number, inner, session)
        if path.allows(len(data)):
            self.send(path.link, address or path.remote, data, inner)

    def send_zero(self, link, address, kind, body):
        """A control packet of path id 0."""
        inner = wire.Inner(kind, body)
        number = wire.number(0, self.zero_number, True)
        self.zero_number += 1
        self.send(link, address, self.seal(number, inner), inner)

    def send_inner(self, packet, path=None, **fields):
        """An inner packet as DATA; fields change the inner header."""
        path = path or next(p for p in self.paths.values() if p.up)
        path.fseq += 1
        inner = wire.Inner(wire.DATA, packet, fseq=path.fseq % 256,
                           dsn=self.dsn)
        self.dsn = (self.dsn + 1) % (1 << 32)
        inner = dataclasses.replace(inner, **fields)
        number = wire.number(path.ident, path.data)
        path.data += 1
        self.send(path.link, path.remote, self.seal(number, inner), inner)
        if self.current:
            self.current.use(time.monotonic())
        return self.sent[-1]

    def send_repair(self, last, body, path=None):
        """A repair symbol; its dsn and body."""
        path = path or next(p for p in self.paths.values() if p.up)
        inner = wire.Inner(wire.REPAIR, body, fseq=path.fseq % 256,
                           dsn=last % (1 << 32))
        number = wire.number(path.ident, path.data)
        path.data += 1
        self.send(path.link, path.remote, self.seal(number, inner), inner)
        return self.sent[-1]

    def bye(self, instance=None):
        """Leave the association."""
        body = struct.pack(">Q", instance or self.instance)
        for path in list(self.paths.values()):
            self.send_control(path, wire.BYE, body)

    # --- opening

    def open(self, cookie=None):
        """Begin an attempt and send its INIT on all links."""
        if cookie is not None:
            self.cookie = cookie
        if not self.next_counter and self.counter == wire.COUNTER_MAX:
            self.instance, self.counter = self.random(8), 0
        self.counter = self.next_counter or self.counter + 1
        index = self.next_index or self.random(4)
        hello = wire.Hello(index, self.instance, self.counter,
                           self.keys.cipher, self.first_dsn,
                           self.peer_instance, cookie=self.cookie,
                           offers=wire.OFFER_FRAG)
        self.attempt = self.keys.attempt(hello, self.next_ephemeral)
        self.next_counter = self.next_index = self.next_ephemeral = None
        self.attempt_pause = RETRY[0]
        self.send_init(time.monotonic())

    def send_init(self, now, links=None):
        """The INIT of the present attempt."""
        if not links:
            self.answers.clear()
        for link in links or self.links:
            self.send(link, self.remote,
                      self.keys.init_bytes(self.attempt, link.source))
        self.attempt_next = now + self.attempt_pause
        self.attempt_pause = min(2 * self.attempt_pause, RETRY[1])

    def open_path(self, link, remote):
        """A path with a new id of our half."""
        ident = 1 if self.instance > self.peer_instance else 2
        while ident in self.used:
            ident += 2
        self.used.add(ident)
        path = self.paths[ident] = Path(ident, link, remote)
        self.probe(path)
        return path

    def probe(self, path, pause=0.1):
        """A challenge."""
        now = time.monotonic()
        path.challenge = path.challenge or self.random(8)
        path.next_probe = now + pause
        body = wire.Probe(0, 16, int(now * 1e6) & 0xffffffff, path.challenge)
        self.send_control(path, wire.PROBE, body.pack())

    def drop_path(self, path, reopen=True):
        """Forget a path; one over a link to the remote gets another id."""
        self.paths.pop(path.ident, None)
        if reopen and path.remote == self.remote:
            self.open_path(path.link, path.remote)

    # --- timers

    def tick(self, now):
        """Run all due timers."""
        if self.attempt and now >= self.attempt_next and (
                "open" not in self.quiet):
            self.send_init(now)
        self.tick_sessions(now)
        for path in list(self.paths.values()):
            if path.report_at and now >= path.report_at and (
                    "report" not in self.quiet):
                self.report(path, now)
            if now >= path.next_probe and "probe" not in self.quiet:
                self.probe(path, KEEPALIVE if path.up else RETRY[0])

    def tick_sessions(self, now):
        """Sessions end, and are renewed."""
        life = max(3 * self.rekey, 30)
        self.sessions = [
            s for s in self.sessions if now < s.aged(life) and
            not (s.retired and now > s.retired + OLD_SESSION)]
        current = self.current
        if not current or self.attempt or "rekey" in self.quiet:
            return
        due = self.rekey if current.initiator else self.rekey * 1.25 + 2
        if self.remote and now > current.aged(due):
            self.open()

    def report(self, path, now):
        """ACK of what came on a path."""
        body = path.ack(now).pack() + wire.room(self.peer_dsn, 4096)
        self.send_control(path, wire.REPORT, body + wire.settled(self.dsn))

    # --- receiving

    def on_datagram(self, link, address, data):
        """Take one, or count why not."""
        datagram = Datagram(link, address, data)
        self.received.append(datagram)
        try:
            outer = wire.Outer.parse(data)
            if QUIET.get(outer.type) in self.quiet:
                return
            if outer.type == wire.PACKET:
                self.on_packet(datagram, outer)
            elif outer.type == wire.INIT:
                self.on_init(datagram)
            else:
                self.on_answer(datagram, outer)
        except (wire.WireError, sessions.SessionError) as err:
            self.drops[str(err)] += 1

    def on_answer(self, datagram, outer):
        """RESPONSE or COOKIE."""
        attempt = self.attempt
        if not attempt or outer.receiver != attempt.index:
            raise sessions.SessionError("rx_unknown")
        if outer.type == wire.RESPONSE:
            self.on_response(datagram)
            return
        cookie, source = self.keys.open_cookie(attempt, datagram.data)
        if (cookie, source) in self.answers:
            raise sessions.SessionError("rx_rate")
        self.answers.add((cookie, source))
        self.counts["cookies"] += 1
        if source not in (sessions.NO_COOKIE, datagram.link.source):
            datagram.link.source = source
            self.send_init(time.monotonic(), [datagram.link])
        if cookie not in (sessions.NO_COOKIE, self.cookie):
            self.open(cookie)

    def reflected(self, hello):
        """Raise if we look at ourselves."""
        if hello.instance == self.instance and "reflected" in self.checks:
            raise sessions.SessionError("rx_reflected")
        if not hello.instance or not hello.sender:
            raise sessions.SessionError("rx_handshake")

    def on_response(self, datagram):
        """The session is confirmed."""
        hello, keys = self.keys.open_response(self.attempt, datagram.data)
        self.reflected(hello)
        now = time.monotonic()
        session = sessions.Session(
            self.attempt.index, hello.sender, self.keys.cipher, *keys,
            hello.counter, self.instance, True, hello.instance,
            hello.first_dsn, now)
        self.attempt = None
        self.sessions.append(session)
        self.confirm(session, now)

    def cookie_of(self, instance, period):
        """What we want to hear from that instance."""
        return noise.mac(self.secret, struct.pack(">Qq", instance, period), 16)

    def source_of(self, address, period):
        """What we want to hear from that address."""
        return noise.mac(self.secret, repr((address[:2], period)).encode(),
                         16)

    def under_load(self, now):
        """Count an INIT with a valid mac1; whether there are too many."""
        self.inits.append(now)
        while self.inits[0] < now - 1:
            self.inits.popleft()
        return len(self.inits) > LOAD

    def on_init(self, datagram):
        """Answer with RESPONSE or COOKIE."""
        data, now = datagram.data, time.monotonic()
        init = wire.Init.parse(data)
        if self.keys.cipher != wire.CLEAR and "mac" in self.checks:
            if init.key_id != self.keys.key_id:
                raise sessions.SessionError("rx_unknown")
            self.keys.check_mac1(data, wire.Init.MAC1_AT)
        period = int(now // COOKIE_PERIOD)
        if self.under_load(now) and not any(
                self.keys.mac2_good(self.source_of(datagram.address, p), data)
                for p in (period, period - 1)):
            self.drops["rx_rate"] += 1
            self.answer(datagram, self.keys.cookie(
                init.sender, init,
                source=self.source_of(datagram.address, period)))
            return
        cached = self.responses.get(data[:wire.Init.MAC2_AT])
        if cached:
            self.answer(datagram, cached)
            return
        opened = self.keys.open_init(data)
        self.reflected(opened.hello)
        if not self.take_init(opened.hello, period):
            self.answer(datagram, self.keys.cookie(
                opened.hello.sender, init,
                self.cookie_of(opened.hello.instance, period)))
            return
        if "respond" not in self.quiet:
            self.respond(datagram, opened, now)

    def answer(self, datagram, data):
        """Send an answer to the source of a datagram."""
        self.counts["answers"] += 1
        self.send(datagram.link, datagram.address, data)

    def take_init(self, hello, period):
        """False if it needs a cookie; raises if it is old."""
        known = {s.peer_instance for s in self.sessions}
        if hello.instance in known | {self.peer_instance}:
            if hello.counter <= self.accepted.get(hello.instance, 0) and (
                    "counter" in self.checks):
                raise sessions.SessionError("rx_handshake")
            return True
        if "cookie" not in self.checks:
            return True
        return hello.cookie in (self.cookie_of(hello.instance, period),
                                self.cookie_of(hello.instance, period - 1))

    def respond(self, datagram, opened, now):
        """Send RESPONSE; the session waits for its first PACKET."""
        hello = opened.hello
        self.accepted[hello.instance] = hello.counter
        self.counter = max(self.counter, hello.counter)
        index = self.next_index or self.random(4)
        data, (theirs, ours) = self.keys.respond(opened, wire.Hello(
            index, self.instance, hello.counter, self.keys.cipher,
            self.first_dsn, hello.instance, offers=wire.OFFER_FRAG),
            self.next_ephemeral)
        self.next_index = self.next_ephemeral = None
        waiting = [s for s in self.sessions if s is not self.current]
        if len(self.sessions) >= SESSIONS_MAX:
            self.sessions.remove(min(waiting, key=lambda s: s.born))
        self.sessions.append(sessions.Session(
            index, hello.sender, self.keys.cipher, ours, theirs,
            hello.counter, hello.instance, False, hello.instance,
            hello.first_dsn, now))
        self.responses = dict(list(self.responses.items())[-7:])
        self.responses[datagram.data[:wire.Init.MAC2_AT]] = data
        self.answer(datagram, data)

    def confirm(self, session, now):
        """The peer has the keys, too."""
        session.confirmed = True
        if session.peer_instance != self.peer_instance:
            self.peer_instance = session.peer_instance
            self.associations += 1
            # When both open at once there are two of this pair
            self.sessions = [s for s in self.sessions
                             if s.peer_instance == session.peer_instance]
            self.attempt = None
            self.forget()
        elif self.attempt and session.counter >= self.attempt.hello.counter:
            self.attempt = None
        best = self.current
        for other in self.sessions:
            if other is not best and other.order < best.order:
                other.retired = other.retired or now
        # The other end waits for a packet, and paths for their opening
        for link in self.links if self.remote else ():
            path = self.path_on(link)
            if path:
                self.probe(path)
            elif "paths" not in self.quiet:
                self.open_path(link, self.remote)

    def on_packet(self, datagram, outer):
        """A PACKET: session, tag, kind, path, number."""
        session = next((s for s in self.sessions if s.index == outer.receiver),
                       None)
        if not session:
            raise sessions.SessionError("rx_unknown")
        try:
            inner = session.open(datagram.data)
        except sessions.SessionError:
            if "tag" in self.checks:
                raise
            inner = wire.Inner.parse(datagram.data[16:-16])
        if not session.confirmed:
            self.confirm(session, time.monotonic())
        ident, number, control = wire.split_number(outer.number)
        inner.check(control)
        datagram.inner = inner
        if not control:
            session.use(time.monotonic())
        path = self.paths.get(ident)
        if not path and (inner.kind in (wire.DATA, wire.REPAIR) or
                         ident and inner.kind != wire.PROBE):
            raise wire.WireError("rx_no_path")
        window = self.windows.setdefault((ident, control), Window())
        if not window.new(number) and "replay" in self.checks:
            raise wire.WireError("rx_replay")
        if path:
            path.came(len(datagram.data))
        if inner.kind == wire.DATA:
            self.on_data(path, datagram, number)
        elif inner.kind == wire.REPAIR:
            self.on_repair(path, datagram, number)
        elif inner.kind == wire.PROBE:
            self.on_probe(ident, path, datagram)
        elif inner.kind == wire.BYE:
            self.on_bye(inner.body)
        else:
            self.on_blocks(path, datagram)

    def on_data(self, path, datagram, number):
        """Deliver an inner packet, once."""
        inner = datagram.inner
        piece = inner.flags & wire.F_FRAG
        packet = inner.fragment() if piece else inner.inner_packet()
        path.received(number, len(datagram.data), time.monotonic())
        if inner.dsn in self.dsns and "replay" in self.checks:
            self.counts["duplicates"] += 1
            return
        self.dsns.add(inner.dsn)
        self.peer_dsn = inner.dsn
        self.known(inner)
        if piece:
            packet = self.assembly.add(inner.dsn, *packet)
        if packet:
            self.inner.append(packet)

    def on_repair(self, path, datagram, number):
        """A repair symbol: packets that it completes are delivered."""
        inner = datagram.inner
        path.received(number, len(datagram.data), time.monotonic())
        try:
            coding.Repair.unpack(inner.dsn, inner.body)
        except coding.CodingError as err:
            raise wire.WireError("rx_malformed") from err
        del self.decoder.repairs[:-REPAIRS]
        self.decoder.repair(inner.dsn, inner.body)
        self.decode()

    def decode(self):
        """Deliver what repair symbols give now."""
        try:
            found = self.decoder.solve()
        except coding.CodingError:
            self.decoder.repairs.clear()
            return
        for dsn, symbol in found.items():
            inner = wire.Inner(wire.DATA, symbol.body, flags=symbol.flags)
            if dsn in self.dsns:
                continue
            with contextlib.suppress(wire.WireError):
                self.inner.append(inner.inner_packet())
                self.dsns.add(dsn)

    def known(self, inner):
        """Make a packet known to the decoder, which keeps the last ones."""
        known = self.decoder.known
        known[inner.dsn] = coding.Symbol(inner.inner_body(), inner.prev,
                                         inner.flags & coding.FLAGS)
        while len(known) > KNOWN:
            del known[next(iter(known))]
        if self.decoder.repairs:
            self.decode()

    def on_bye(self, body):
        """The association ends if it is the peer who says so."""
        if body[:8] != struct.pack(">Q", self.peer_instance):
            raise wire.WireError("rx_malformed")
        self.sessions = []
        self.responses = {}
        self.peer_instance = 0
        self.forget()

    def on_blocks(self, path, datagram):
        """REPORT and SET."""
        # all of them are parsed before any counts
        for kind, content in list(wire.parse_blocks(datagram.inner.body)):
            if kind == wire.ACK and content.path in self.paths:
                self.paths[content.path].acknowledge(content)
            elif kind == wire.STATUS:
                self.on_status(path, datagram, *content)
            elif kind == wire.POLICY:
                self.on_policy(path, datagram, content)
            elif (kind == wire.CAPS and path and "policy" not in self.quiet and
                  not content.flags & wire.Policy.ANSWER):
                self.send_control(path, wire.SET, content.answer(),
                                  datagram.address)

    def on_policy(self, path, datagram, policy):
        """The peer says how to use a path of its own, or has answered."""
        known = self.paths.get(policy.path)
        if not known:
            return
        if policy.flags & wire.Policy.ANSWER:
            known.policy_answer = policy
            return
        if not known.policy or policy.version > known.policy.version:
            known.policy = policy
        if path and "policy" not in self.quiet:
            self.send_control(path, wire.SET, known.policy.answer(),
                              datagram.address)

    def on_status(self, path, datagram, ident, value):
        """The peer gives up a path."""
        self.counts[f"status {value}"] += 1
        if value > wire.STANDBY:
            raise wire.WireError("rx_malformed")
        if value != wire.ABANDON:
            return
        body = wire.status(ident, wire.ABANDONED)
        if path:
            self.send_control(path, wire.SET, body, datagram.address)
        else:
            self.send_zero(datagram.link, datagram.address, wire.SET, body)
        if ident in self.paths:
            self.drop_path(self.paths[ident])

    def on_probe(self, ident, path, datagram):
        """Challenge or answer, on a path that may be new."""
        body = wire.Probe.parse(datagram.inner.body)
        if body.answer:
            self.on_probe_answer(ident, path, body)
            return
        if "answer" in self.quiet:
            return
        if not path:
            path = self.new_path(ident, datagram)
            if not path:
                return
        body.answer, body.padding = 1, 0
        self.send_control(path, wire.PROBE, body.pack(), datagram.address)

    def new_path(self, ident, datagram):
        """The path on which to answer a probe with an unknown id."""
        if ident in self.used or not ident:
            self.send_zero(datagram.link, datagram.address, wire.SET,
                           wire.status(ident, wire.ABANDON))
            return None
        ours = 1 if self.instance > self.peer_instance else 0
        if ident % 2 == ours:
            raise wire.WireError("rx_no_path")
        path = next((p for p in self.paths.values()
                     if p.link is datagram.link and
                     p.remote[:2] == datagram.address[:2]), None)
        if not path:
            self.used.add(ident)
            self.paths[ident] = Path(ident, datagram.link, datagram.address, 0)
            self.paths[ident].came(len(datagram.data))
            return self.paths[ident]
        better = (ident < path.ident if path.ident % 2 == ours
                  else ident > path.ident)
        if not better:
            return path
        # Challenged under the new id, which counts once it is answered; the
        # token stays, as an answer to another challenge may be under way
        token = self.opening.get(ident, (path, self.random(8)))[1]
        self.opening[ident] = (path, token)
        body = wire.Probe(0, 16, int(time.monotonic() * 1e6) & 0xffffffff,
                          token).pack()
        inner = wire.Inner(wire.PROBE, body)
        number = wire.number(ident, path.control, True)
        path.control += 1
        self.send(path.link, path.remote, self.seal(number, inner), inner)
        return None

    def on_probe_answer(self, ident, path, body):
        """The path works, or gets its new id."""
        if ident in self.opening:
            path, token = self.opening[ident]
            if body.token == token:
                del self.opening[ident]
                self.paths.pop(path.ident, None)
                self.used.add(ident)
                path.rename(ident)
                self.paths[ident] = path
                path.up = True
            return
        if path and body.token == path.challenge:
            now = int(time.monotonic() * 1e6) & 0xffffffff
            path.srtt = (now - body.echo & 0xffffffff) / 1e6
            path.up, path.allowance = True, None
            path.challenge = None
            path.next_probe = time.monotonic() + KEEPALIVE

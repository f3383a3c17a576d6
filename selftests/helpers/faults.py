#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Makes each allocation fail in turn, in each request to the kernel.

usage: faults.py DEV PATH KEYFILE

DEV is a tunnel with a path PATH. Each request is repeated: its first allocation
fails, then its second one, until it has no more. It must either succeed and
take full effect, or fail and change nothing. Needs a kernel with fault
injection (/proc/self/fail-nth) in all allocations (failslab/ignore-gfp-wait).
"""

import base64
import errno
import os
import socket
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
import nltest  # noqa: E402
from nltest import Error, Mptun, Netlink, Now, check, nla  # noqa: E402

NO_MEMORY = (errno.ENOMEM, errno.ENOBUFS)
RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK = 16, 17, 18
IFLA_IFNAME, IFLA_LINKINFO, NESTED = 3, 18, 0x8000
IFF_UP = 1
CREATE = nltest.NLM_F_CREATE | nltest.NLM_F_EXCL
NEW = "faulty"
# more allocations than any request has
MOST = 2000


class Fault:
    """Makes one allocation of this thread fail."""

    def __init__(self):
        self.file = os.open("/proc/thread-self/fail-nth", os.O_RDWR)

    def arm(self, nth):
        """Make the nth allocation from now on fail; 0 is none."""
        os.pwrite(self.file, str(nth).encode(), 0)

    def happened(self):
        """Whether it has failed; from now on none does."""
        left = int(os.pread(self.file, 16, 0).rstrip(b"\0\n"))
        self.arm(0)
        return left == 0


class Requests:
    """The requests, each with the one that undoes it."""

    def __init__(self, dev, path, key):
        self.nl, self.rt = Mptun(), Netlink(nltest.NETLINK_ROUTE)
        self.index = socket.if_nametoindex(dev)
        self.path = path
        self.remote = self.home()
        self.key = key
        self.other = bytes(32 - len(b"other")) + b"other"

    def op(self, operation, **values):
        """An operation on the tunnel."""
        nl = self.nl
        of = nl.spec.ops[operation]["set"]
        body = nl.a(of, "ifindex", self.index)
        for attr, value in values.items():
            body += nl.a(of, attr, value)
        head = struct.pack("=BBH", nl.spec.op_numbers[operation], 1, 0)
        return nl, nl.family, 0, head + body

    def link(self, kind, index, flags=0, attrs=b""):
        """A link."""
        head = struct.pack("=BxHiII", 0, 0, index, 0, 0)
        return self.rt, kind, flags, head + attrs

    def new_link(self):
        """Make another tunnel."""
        return self.link(RTM_NEWLINK, 0, CREATE, nla(
            IFLA_IFNAME, NEW.encode() + b"\0") + nla(
                IFLA_LINKINFO | NESTED, nla(1, b"mptun\0")))

    def del_link(self):
        """Delete the other tunnel."""
        return self.link(RTM_DELLINK, socket.if_nametoindex(NEW))

    def up(self):  # pylint: disable=invalid-name
        """The device of the tunnel goes up."""
        head = struct.pack("=BxHiII", 0, 0, self.index, IFF_UP, IFF_UP)
        return self.rt, RTM_NEWLINK, 0, head

    def down(self):
        """Set the tunnel's device down."""
        head = struct.pack("=BxHiII", 0, 0, self.index, 0, IFF_UP)
        return self.rt, RTM_NEWLINK, 0, head

    def all(self):
        """(what, request, the one that undoes it)."""
        add = {"name": "more", "remote4": b"\x0a\x63\0\1"}
        yield "a tunnel", self.new_link, self.del_link
        yield ("a device down", self.down, self.up)
        yield ("a scheduler", lambda: self.op("tunnel-set", sched="wrr"),
               lambda: self.op("tunnel-set", sched="auto"))
        yield ("groups found", lambda: self.op(
            "tunnel-set", **{"auto-group": 1}),
               lambda: self.op("tunnel-set", **{"auto-group": 0}))
        yield ("a key", lambda: self.op("tunnel-set", key=self.other),
               lambda: self.op("tunnel-set", key=self.key))
        yield ("a path", lambda: self.op("path-new", **add),
               lambda: self.op("path-del", name="more"))
        yield ("another address", lambda: self.op(
            "path-set", name=self.path, remote4=b"\x0a\x63\0\1"),
               lambda: self.op("path-set", name=self.path,
                               remote4=self.remote))
        yield ("another controller", lambda: self.op(
            "path-set", name=self.path, cc="fixed", rate=1000000),
               lambda: self.op("path-set", name=self.path, cc="bbr",
                               rate=0))
        yield ("a question", lambda: self.op("tunnel-get"), None)

    def home(self):
        """Where the path leads to."""
        for path in self.nl.dump("path-get", self.nl.a("path", "ifindex",
                                                       self.index)):
            name = path[self.nl.number("path", "name")]
            if name.rstrip(b"\0").decode() == self.path:
                return path[self.nl.number("path", "remote4")]
        raise KeyError(self.path)

    def state(self):
        """All state that a request may change."""
        head = struct.pack("=BxHiII", 0, 0, self.index, 0, 0)
        link = self.rt.call(RTM_GETLINK, 0, head)[0]
        flags = struct.unpack_from("=BxHiI", link)[3]
        state = Now(self.nl, self.index)
        return (sorted(name for _, name in socket.if_nameindex()),
                flags & IFF_UP, state.tunnel, state.paths)


class Trial:
    """Tries each request with each fault."""

    def __init__(self, requests):
        self.requests = requests
        self.fault = Fault()
        self.faults = self.refused = 0

    def ask(self, request, nth=0):
        """A request, its nth allocation fails. The error, if there was an
        answer, whether there was none, and whether there was a fault."""
        sock, kind, flags, body = request()
        error = lost = None
        sock.sock.settimeout(20)
        self.fault.arm(nth)
        try:
            sock.send(kind, flags | nltest.NLM_F_ACK, body)
        except OSError as err:
            lost = err
        happened = self.fault.happened()
        try:
            if not lost:
                list(sock.answers())
        except Error as err:
            error = err
        except OSError as err:
            lost = err
        return error, lost, happened

    def must(self, request):
        """A request without a fault, which must succeed."""
        error, lost, _ = self.ask(request)
        check(not error and not lost, "refused:", error or lost)

    def once(self, what, request, nth, before, after):
        """Try a request with one fault; true if it happened."""
        error, lost, happened = self.ask(request, nth)
        now = self.requests.state()
        self.faults += happened
        where = f"{what}, fault {nth}:"
        if error:
            self.refused += 1
            # what the core makes of a link says other things as well
            check(happened and (error.code in NO_MEMORY or
                                request()[0] is self.requests.rt),
                  where, error)
            check(now == before, where, error, "and yet", now, "not", before)
        elif lost:
            check(happened and lost.errno in NO_MEMORY or
                  isinstance(lost, TimeoutError), where, lost)
            check(now in (before, after), where, "half done:", now)
        else:
            check(now == after, where, "done, but", now, "not", after)
        return happened

    def run(self, what, request, undo):
        """Try a request with all its faults."""
        before = self.requests.state()
        back = request if undo is None else undo
        self.must(request)
        after = self.requests.state()
        self.must(back)
        check(self.requests.state() == before, what, "cannot be undone")
        for nth in range(1, MOST):
            happened = self.once(what, request, nth, before, after)
            if self.requests.state() != before:
                self.must(back)
                check(self.requests.state() == before, what, "fault", nth,
                      "cannot be undone")
            if not happened:
                print(f"{what}: {nth - 1} allocations")
                return
        check(False, what, "has no end")


def main():
    """Run a command line."""
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[3], encoding="ascii") as file:
        key = base64.b64decode(file.read())
    requests = Requests(sys.argv[1], sys.argv[2], key)
    trial = Trial(requests)
    for what, request, undo in requests.all():
        trial.run(what, request, undo)
    trial.must(requests.down)
    trial.run("a device up", requests.up, requests.down)
    trial.must(requests.up)
    print(f"{trial.faults} faults, {trial.refused} requests refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Netlink requests that no tool sends, with plain sockets.
# Copyright (C) 2026 The mptun authors
"""usage: nltest.py CASE [ARGUMENT...]

Cases that end with status 0 if the kernel behaved. Which attributes there
are, their types and limits, and what each operation takes is read from the
netlink specification, so that an attribute added there is tried at once.
"""
import os
import re
import socket
import struct
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPEC = os.path.join(TOP, "Documentation", "netlink", "specs", "mptun.yaml")
LINK_HEADER = os.path.join(TOP, "uapi", "linux", "mptun_link.h")

NETLINK_ROUTE, NETLINK_GENERIC = 0, 16
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, NETLINK_EXT_ACK = 270, 1, 11
NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK = 10, 12
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLM_F_CREATE, NLM_F_EXCL, NLM_F_DUMP_INTR = 0x400, 0x200, 0x10
NLM_F_ACK_TLVS = 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
RTM_NEWLINK = 16
GENL_ID_CTRL = 0x10
NLA_F_NESTED = 0x8000
EPERM, ENODEV, EINVAL, ERANGE, EOPNOTSUPP = 1, 19, 22, 34, 95
ENOENT, EEXIST = 2, 17

INT = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


def check(truth, *words):
    """Fail the case unless truth."""
    if not truth:
        print("FAILED:", *words)
        sys.exit(1)


# --- the specification, in as much YAML as it uses

class Spec:
    """Constants, attribute sets and operations of the specification."""

    def __init__(self, path):
        self.const = {}
        self.enum = {}
        self.sets = {}
        self.ops = {}
        self.op_numbers = {}
        with open(path, encoding="utf-8") as f:
            self.lines = [x.rstrip("\n") for x in f]
        self.parse()

    def parse(self):
        """Go through the sections by indentation."""
        section = None
        for n, line in enumerate(self.lines):
            if re.match(r"[a-z]", line):
                section = line.split(":")[0]
            elif section == "definitions" and line == "  -":
                self.definition(n + 1)
            elif section == "attribute-sets" and line == "  -":
                self.attribute_set(n + 1)
        self.operations()

    def block(self, n, indent):
        """Lines of a list item that starts at line n."""
        out = []
        for line in self.lines[n:]:
            if line.strip() and len(line) - len(line.lstrip()) < indent:
                break
            out.append(line)
        return out

    @staticmethod
    def value(lines, key, indent):
        """Value of a key at that indentation, or None."""
        for line in lines:
            m = re.match(" " * indent + key + r": *(.*)$", line)
            if m:
                return m.group(1).strip().strip('"')
        return None

    def definition(self, n):
        """A constant or an enumeration."""
        lines = self.block(n, 4)
        name = self.value(lines, "name", 4)
        if self.value(lines, "type", 4) == "const":
            self.const[name] = int(self.value(lines, "value", 4), 0)
        else:
            self.enum[name] = [m.group(1).strip('"') for m in
                               (re.match(r" {8}name: (.*)", x) for x in lines)
                               if m]

    def attribute_set(self, n):
        """A set: name -> list of attributes, the first one has number 1."""
        lines = self.block(n, 4)
        attrs = []
        for i, line in enumerate(lines):
            if line != "      -":
                continue
            attr = []
            for x in lines[i + 1:]:
                if x == "      -":
                    break
                attr.append(x)
            a = {k: self.value(attr, k, 8) for k in ("name", "type", "enum")}
            for k in ("min", "max", "max-len", "exact-len"):
                v = self.value(attr, k, 10)
                if v is not None:
                    a[k] = self.const[v] if v in self.const else int(v, 0)
            if a["enum"]:
                a["max"] = len(self.enum[a["enum"]]) - 1
            a["number"] = len(attrs) + 1
            attrs.append(a)
        self.sets[self.value(lines, "name", 4)] = attrs

    def operations(self):
        """Request attributes of every operation, its set and its number."""
        anchors = {}
        name = where = None
        number = 0
        for line in self.lines[self.lines.index("operations:"):
                               self.lines.index("mcast-groups:")]:
            m = re.match(r" {6}name: (.*)", line)
            if m:
                name = m.group(1)
                number += 1
                self.op_numbers[name] = number
                self.ops[name] = {"set": None, "request": []}
                where = None
            m = re.match(r" {6}attribute-set: (.*)", line)
            if m:
                self.ops[name]["set"] = m.group(1)
            if re.match(r" {8}(request|reply):", line):
                where = line.strip().rstrip(":")
            if re.match(r" {6}(do|dump):", line):
                part = line.strip().split(":")[0]
            m = re.match(r" {10}attributes:(?: ([&*])(\S+))?", line)
            if m:
                target = []
                if m.group(1) == "&":
                    anchors[m.group(2)] = target
                elif m.group(1) == "*":
                    target = anchors[m.group(2)]
                if where == "request" and part == "do":
                    self.ops[name]["request"] = target
            m = re.match(r" {12}- (\S+)", line)
            if m:
                target.append(m.group(1))

    def attr(self, of, name):
        """An attribute by its name."""
        return next(a for a in self.sets[of] if a["name"] == name)


# --- netlink

def nla(number, payload):
    """An attribute."""
    length = 4 + len(payload)
    return struct.pack("=HH", length, number) + payload + \
        b"\0" * (-length % 4)


def parse_nla(data):
    """Attributes as {number: payload}."""
    out = {}
    while len(data) >= 4:
        length, number = struct.unpack_from("=HH", data)
        check(4 <= length <= len(data), "attribute of length", length)
        check(number & 0x3fff not in out, "attribute", number, "twice")
        out[number & 0x3fff] = data[4:length]
        data = data[(length + 3) & ~3:]
    return out


class Error(Exception):
    """An error answer."""

    def __init__(self, code, text, offset):
        super().__init__(f"error {code}: {text}")
        self.code, self.text, self.offset = code, text, offset


class Netlink:
    """A netlink socket."""

    def __init__(self, protocol):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.sock.bind((0, 0))
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.settimeout(60)
        self.seq = 0
        self.size = 65536
        self.interrupted = False

    def send(self, kind, flags, payload):
        """Send a request."""
        self.seq += 1
        self.sock.send(struct.pack("=IHHII", 16 + len(payload), kind,
                                   flags | NLM_F_REQUEST, self.seq, 0)
                       + payload)

    @staticmethod
    def split(data):
        """Messages of a datagram as (type, flags, seq, payload)."""
        while len(data) >= 16:
            length, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
            check(16 <= length <= len(data), "message of length", length)
            yield kind, flags, seq, data[16:length]
            data = data[(length + 3) & ~3:]

    def answers(self):
        """Payloads until the end of the answer; raises Error."""
        while True:
            for kind, flags, seq, body in self.split(self.sock.recv(self.size)):
                if seq != self.seq:
                    continue
                if flags & NLM_F_DUMP_INTR:
                    self.interrupted = True
                if kind == NLMSG_DONE:
                    return
                if kind == NLMSG_ERROR:
                    self.error(flags, body)
                    return
                yield body

    @staticmethod
    def error(flags, body):
        """Raise what an error message says; code 0 is success."""
        code = -struct.unpack_from("=i", body)[0]
        text, offset = "", None
        if flags & NLM_F_ACK_TLVS:
            tlvs = parse_nla(body[20:])
            text = tlvs.get(1, b"").rstrip(b"\0").decode()
            if 2 in tlvs:
                offset = struct.unpack("=I", tlvs[2])[0]
        if code:
            raise Error(code, text, offset)

    def call(self, kind, flags, payload):
        """A request and all its answers."""
        self.send(kind, flags | NLM_F_ACK, payload)
        return list(self.answers())


class Mptun(Netlink):
    """The generic netlink family."""

    def __init__(self, size=65536):
        super().__init__(NETLINK_GENERIC)
        self.size = size
        self.spec = Spec(SPEC)
        got = self.call(GENL_ID_CTRL, 0, struct.pack("=BBH", 3, 1, 0) +
                        nla(2, b"mptun\0"))
        attrs = parse_nla(got[0][4:])
        self.family = struct.unpack("=H", attrs[1])[0]
        # CTRL_ATTR_MCAST_GROUPS, CTRL_ATTR_MCAST_GRP_ID
        self.groups = [struct.unpack("=I", parse_nla(group)[2])[0]
                       for group in parse_nla(attrs[7]).values()]

    def op(self, name, payload, flags=0):
        """An operation; answers as payloads after the header."""
        number = self.spec.op_numbers[name]
        return [x[4:] for x in
                self.call(self.family, flags,
                          struct.pack("=BBH", number, 1, 0) + payload)]

    def dump(self, name, payload=b""):
        """A dump, as {attribute: payload} each."""
        self.seq += 1
        number = self.spec.op_numbers[name]
        self.interrupted = False
        self.sock.send(struct.pack("=IHHII", 20 + len(payload), self.family,
                                   NLM_F_REQUEST | NLM_F_DUMP, self.seq, 0)
                       + struct.pack("=BBH", number, 1, 0) + payload)
        return [parse_nla(x[4:]) for x in self.answers()]

    def a(self, of, name, value):
        """An attribute by name; value as int, str, or raw bytes."""
        attr = self.spec.attr(of, name)
        if isinstance(value, int):
            value = value.to_bytes(INT[attr["type"]], sys.byteorder)
        elif isinstance(value, str):
            value = value.encode() + b"\0"
        return nla(attr["number"], value)

    def number(self, of, name):
        """Number of an attribute."""
        return self.spec.attr(of, name)["number"]


def refused(codes, what, call, *args):
    """The request must fail with one of the codes; returns the Error."""
    try:
        call(*args)
    except Error as e:
        check(e.code in codes, what, "gave", e.code, f"({e.text}), not",
              codes)
        return e
    check(False, what, "was accepted")


# --- cases

class State:
    """Settings of a tunnel, its paths and classes, to see that nothing
    changed."""

    SETTINGS = ("port", "sched", "cc", "reorder", "hold", "buffer", "learn",
                "cipher", "rekey", "key-fingerprint", "dscp", "auto-group",
                "fwmark", "allowed-ips", "follow", "psmc-factor",
                "psmc-period", "mtu", "frag", "mss-clamp")
    # Attributes of paths that are settings and change by themselves: used
    # counts what is sent, probes included.
    MEASURED = ("used",)

    def __init__(self, nl, index):
        tunnel = parse_nla(nl.op("tunnel-get", nl.a("tunnel", "ifindex",
                                                    index))[0])
        self.tunnel = {k: tunnel.get(nl.number("tunnel", k))
                       for k in self.SETTINGS}
        keys = [nl.number("path", k) for k in nl.spec.ops["path-new"]
                ["request"] if k not in self.MEASURED]
        self.paths = [{k: p[k] for k in keys if k in p} for p in
                      nl.dump("path-get", nl.a("path", "ifindex", index))
                      if self.counts(nl, p)]
        keys = [nl.number("class", k) for k in nl.spec.ops["class-new"]
                ["request"]]
        self.classes = [{k: c[k] for k in keys if k in c} for c in
                        nl.dump("class-get", nl.a("class", "ifindex", index))]

    @staticmethod
    def counts(_nl, _path):
        """Whether a path counts."""
        return True

    def __eq__(self, other):
        return (self.tunnel == other.tunnel and self.paths == other.paths and
                self.classes == other.classes)


class Now(State):
    """The same, without paths that are being deleted, and without the MTU of
    paths, which is searched when the device comes up."""

    MEASURED = ("used", "mtu")

    @staticmethod
    def counts(nl, path):
        """Whether a path counts: not if it is being deleted."""
        going = nl.spec.enum["path-state"].index("draining")
        return path[nl.number("path", "state")] != struct.pack("=I", going)


def bad_values(attr):
    """Values that must be refused: (what, payload)."""
    kind = attr["type"]
    if kind in INT:
        size = INT[kind]
        top = (1 << (8 * size)) - 1

        def raw(v):
            return v.to_bytes(size, sys.byteorder)
        if attr.get("min", 0) > 0:
            yield "below its range", raw(attr["min"] - 1)
        if attr.get("max", top) < top:
            yield "above its range", raw(attr["max"] + 1)
            yield "far above its range", raw(top)
        for wrong in sorted({0, size - 1, size + 1, 16} - {size}):
            yield f"of {wrong} bytes", b"\1" * wrong
    elif kind == "string":
        yield "too long", b"x" * (attr["max-len"] + 1) + b"\0"
        yield "far too long", b"x" * 5000 + b"\0"
    elif kind == "binary" and "max-len" in attr:
        # a list of prefixes
        for wrong in (1, 19, 21, 39, attr["max-len"] + 20):
            yield f"of {wrong} bytes", b"\4" * wrong
        for what, head in (("of version 5", b"\5\0\0\0"),
                           ("of 33 bits", b"\4\x21\0\0"),
                           ("of 129 bits", b"\6\x81\0\0"),
                           ("with a third byte", b"\4\0\1\0")):
            yield what, b"\6" + bytes(19) + head + bytes(16)
    elif kind == "binary":
        size = attr["exact-len"]
        for wrong in (0, size - 1, size + 1, 20 - size):
            yield f"of {wrong} bytes", b"\1" * wrong


def ifindex(name):
    """Index of an interface."""
    return socket.if_nametoindex(name)


def base(nl, op, of, index):
    """The least that an operation takes, as {attribute: payload}."""
    out = {"ifindex": nl.a(of, "ifindex", index)}
    if op.startswith("path"):
        out["name"] = nl.a(of, "name",
                           "fresh" if op == "path-new" else "wan1")
    if op == "path-new":
        out["remote4"] = nl.a(of, "remote4", b"\x0a\x63\0\1")
    if op.startswith("class"):
        out["id"] = nl.a(of, "id", 7 if op == "class-new" else 15)
    if op == "class-new":
        out["port"] = nl.a(of, "port", 53)
    return out


def case_attributes(dev):
    """Every attribute of every writing operation, out of range and of wrong
    length: refused, with a hint which one it was, and nothing changed."""
    nl = Mptun()
    index = ifindex(dev)
    before = State(nl, index)
    tried = 0
    for op in ("tunnel-set", "path-new", "path-set", "path-del", "path-get",
               "class-new", "class-set", "class-del", "class-get",
               "tunnel-get"):
        of = nl.spec.ops[op]["set"]
        for name in nl.spec.ops[op]["request"]:
            attr = nl.spec.attr(of, name)
            for what, payload in bad_values(attr):
                msg = base(nl, op, of, index)
                if name == "ifname":
                    del msg["ifindex"]
                msg[name] = nla(attr["number"], payload)
                e = refused((EINVAL, ERANGE), f"{op}: {name} {what}",
                            nl.op, op, b"".join(msg.values()))
                check(e.text or e.offset, op, name, what, "has no hint")
                check(State(nl, index) == before, op, name, what,
                      "changed something")
                tried += 1
            msg = base(nl, op, of, index)
            msg[name] = nla(attr["number"] | NLA_F_NESTED, b"\1\0\0\0")
            refused((EINVAL, ERANGE), f"{op}: {name} as a nest", nl.op, op,
                    b"".join(msg.values()))
            check(State(nl, index) == before, op, name, "changed something")
            tried += 1
    print(tried, "requests refused")


def case_foreign(dev):
    """Attributes an operation does not take, or nobody knows."""
    nl = Mptun()
    index = ifindex(dev)
    before = State(nl, index)
    tried = 0
    for op in ("tunnel-set", "path-new", "path-set", "path-del",
               "class-new", "class-set", "class-del"):
        of = nl.spec.ops[op]["set"]
        numbers = {nl.number(of, x) for x in nl.spec.ops[op]["request"]}
        last = len(nl.spec.sets[of])
        for number in list(range(1, last + 2)) + [1000, 0x3fff]:
            if number in numbers:
                continue
            msg = base(nl, op, of, index)
            refused((EINVAL, ERANGE), f"{op} with attribute {number}", nl.op,
                    op, b"".join(msg.values()) + nla(number, b"\1\0\0\0"))
            tried += 1
    check(State(nl, index) == before, "something changed")
    print(tried, "requests refused")


def case_missing(dev):
    """Requests that lack something, or say too much."""
    nl = Mptun()
    index = ifindex(dev)
    before = State(nl, index)
    p = lambda n, v: nl.a("path", n, v)  # noqa: E731
    c = lambda n, v: nl.a("class", n, v)  # noqa: E731
    dev_a = p("ifindex", index)
    four, six = b"\x0a\x63\0\1", b"\xfd" + b"\0" * 14 + b"\1"
    for op, msg, what in (
            ("path-new", b"", "nothing"),
            ("path-new", dev_a, "no name"),
            ("path-new", dev_a + p("name", "x"), "no remote"),
            ("path-new", p("name", "x") + p("remote4", four), "no device"),
            ("path-new", dev_a + p("name", "") + p("remote4", four),
             "an empty name"),
            ("path-new", dev_a + p("name", "x") + p("remote4", four) +
             p("remote6", six), "two remotes"),
            ("path-new", dev_a + p("name", "x") + p("remote4", four) +
             p("local6", six), "mixed families"),
            ("path-new", dev_a + p("name", "x") + p("remote6", six) +
             p("local4", four), "mixed families"),
            ("path-new", dev_a + p("name", "x") + p("remote4", four) +
             p("remote-scope", 1), "a scope over IPv4"),
            ("path-new", dev_a + p("name", "x") + p("remote4", b"\0" * 4),
             "remote 0.0.0.0"),
            ("path-new", dev_a + p("name", "x") +
             p("remote4", b"\xe0\0\0\1"), "a multicast remote"),
            ("path-new", dev_a + p("name", "x") + p("remote4", b"\xff" * 4),
             "a broadcast remote"),
            ("path-new", dev_a + p("name", "x") + p("remote6", b"\0" * 16),
             "remote ::"),
            ("path-new", dev_a + p("name", "x") +
             p("remote6", b"\xff\x02" + b"\0" * 13 + b"\1"),
             "a multicast remote"),
            ("path-new", dev_a + p("name", "x") +
             p("remote6", b"\xfe\x80" + b"\0" * 13 + b"\1"),
             "a link-local remote without a scope or device"),
            ("path-new", dev_a + p("name", "x") + p("remote4", four) +
             p("cc", "nosuchcc"), "an unknown controller"),
            ("path-new", dev_a + p("name", "a b") + p("remote4", four),
             "a name with a space"),
            ("path-new", dev_a + p("name", "a\nb") + p("remote4", four),
             "a name with a newline"),
            ("path-set", dev_a, "no name"),
            ("path-set", p("name", "wan1"), "no device"),
            ("path-set", dev_a + p("name", "wan1") + p("cc", "nosuchcc"),
             "an unknown controller"),
            ("path-del", dev_a, "no name"),
            ("path-del", b"", "nothing"),
            ("tunnel-set", b"", "nothing"),
            ("tunnel-set", nl.a("tunnel", "ifindex", index) +
             nl.a("tunnel", "sched", "nosuch"), "an unknown scheduler"),
            ("tunnel-set", nl.a("tunnel", "ifindex", index) +
             nl.a("tunnel", "cc", "nosuch"), "an unknown controller"),
            ("tunnel-set", nl.a("tunnel", "ifindex", index) +
             nl.a("tunnel", "hold", 1000) + nl.a("tunnel", "sched", "nosuch"),
             "one good and one bad setting"),
            ("path-set", dev_a + p("name", "wan1") + p("weight", 7) +
             p("cc", "nosuchcc"), "one good and one bad setting"),
            ("class-new", b"", "nothing"),
            ("class-new", dev_a, "no id"),
            ("class-new", dev_a + c("id", 7), "nothing to match"),
            ("class-new", dev_a + c("id", 0) + c("port", 53), "id 0"),
            ("class-set", dev_a + c("id", 7) + c("port", 53), "another id"),
            ("class-set", dev_a + c("id", 15) + c("mark", 1) + c("mask", 2),
             "a mark outside of its mask"),
            ("class-set", dev_a + c("id", 15) + c("policy", 2), "no path"),
            ("class-set", dev_a + c("id", 15) + c("order", 1) +
             c("path", "wan1"), "one good and one bad setting"),
            ("class-del", dev_a, "no id"),
            ("class-get", dev_a, "no id"),
            ("tunnel-get", b"", "nothing"),
            ("path-get", dev_a, "no name")):
        e = refused((EINVAL, ENOENT, ERANGE, 99, 97), f"{op} with {what}",
                    nl.op, op, msg)
        check(e.text, op, "with", what, "has no sentence, only", e.code)
        print(f"{op} with {what}: {e.text}")
        check(State(nl, index) == before, op, what, "changed something")
    # Index and name of different interfaces contradict each other
    refused((EINVAL, ENODEV), "contradiction", nl.op, "tunnel-get",
            nl.a("tunnel", "ifindex", index) + nl.a("tunnel", "ifname", "lo"))
    for op in ("tunnel-get", "tunnel-set", "path-get", "path-del"):
        of = nl.spec.ops[op]["set"]
        name = nl.a(of, "name", "x") if of == "path" else b""
        refused((ENODEV,), "no such index", nl.op, op,
                nl.a(of, "ifindex", 0x7fffffff) + name)
        refused((ENODEV,), "no such name", nl.op, op,
                nl.a(of, "ifname", "nosuchdev") + name)
        refused((EOPNOTSUPP, EINVAL, ENODEV), "the loopback", nl.op, op,
                nl.a(of, "ifindex", 1) + name)
    for op in ("path-set", "path-del", "path-get"):
        refused((ENOENT,), "no such path", nl.op, op,
                dev_a + p("name", "nosuch"))
    refused((EEXIST,), "the same name", nl.op, "path-new",
            dev_a + p("name", "wan1") + p("remote4", four))
    check(State(nl, index) == before, "something changed")


def case_frames(dev):
    """Messages that are broken as such."""
    nl = Mptun()
    index = ifindex(dev)
    before = State(nl, index)
    for cmd in (0, len(nl.spec.op_numbers) + 1, 100, 255):
        refused((EOPNOTSUPP,), f"command {cmd}", nl.call, nl.family, 0,
                struct.pack("=BBH", cmd, 1, 0))
    for op in ("tunnel-ntf", "path-ntf", "path-del-ntf"):
        refused((EOPNOTSUPP,), op, nl.op, op, b"")
    refused((EINVAL,), "a message without its header", nl.call, nl.family, 0,
            b"")
    set_op = struct.pack("=BBH", nl.spec.op_numbers["tunnel-set"], 1, 0)
    for tail in (b"\1", b"\3\0\1\0", b"\0\0\1\0", b"\xff\xff\1\0",
                 b"\x08\0\1\0\1"):
        refused((EINVAL, ERANGE), f"trailing {tail!r}", nl.call, nl.family, 0,
                set_op + nl.a("tunnel", "ifindex", index) + tail)
    # A dump of something that has none
    refused((EOPNOTSUPP, EINVAL), "a dump of path-del", nl.dump, "path-del")
    rnd = 12345
    tried = 0
    errors = 0
    for _ in range(3000):
        body = b""
        rnd = (rnd * 1103515245 + 12345) & 0x7fffffff
        for _ in range(rnd % 60):
            rnd = (rnd * 1103515245 + 12345) & 0x7fffffff
            body += bytes((rnd >> 16 & 0xff,))
        cmd = (rnd >> 16) % (len(nl.spec.op_numbers) + 2)
        if cmd == nl.spec.op_numbers["path-del"]:
            continue
        tried += 1
        try:
            nl.call(nl.family, 0, struct.pack("=BBH", cmd, 1, 0) + body)
        except Error:
            errors += 1
    check(tried > 2500 and errors > tried * 9 // 10, "only", errors, "of",
          tried, "random requests failed")
    check(State(nl, index) == before, "something changed")


def case_unprivileged(dev):
    """Reading is open to everybody, writing is not. Run without privilege."""
    check(os.geteuid() != 0, "run me without privilege")
    nl = Mptun()
    index = ifindex(dev)
    before = State(nl, index)
    secret = {nl.number("tunnel", k) for k in (
        "key-fingerprint", "id", "peer-id")}
    tunnels = nl.dump("tunnel-get")
    tunnels += [parse_nla(nl.op("tunnel-get",
                                nl.a("tunnel", "ifindex", index))[0])]
    check(tunnels, "no tunnel")
    check(not any(secret & set(x) for x in tunnels), "keys are shown")
    secret = {nl.number("path", k) for k in (
        "remote4", "remote6", "remote-scope", "remote-port", "local4",
        "local6", "local-port")}
    paths = nl.dump("path-get")
    check(paths, "no path")
    check(not any(secret & set(x) for x in paths), "endpoints are shown")
    check(len(nl.groups) == 2, "groups:", nl.groups)
    for group in nl.groups:
        try:
            nl.sock.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
        except PermissionError:
            continue
        check(False, "joined group", group)
    for op in ("tunnel-set", "path-new", "path-set", "path-del",
               "class-new", "class-set", "class-del"):
        of = nl.spec.ops[op]["set"]
        refused((EPERM,), op, nl.op, op,
                b"".join(base(nl, op, of, index).values()))
    check(State(nl, index) == before, "something changed")


def case_dump(tunnels, paths):
    """A dump that takes many reads is complete and names nothing twice."""
    want = int(tunnels)
    for size in (65536, 8192):
        # The kernel fills what the largest read so far could take
        nl = Mptun(size)
        got = nl.dump("tunnel-get")
        names = [x[nl.number("tunnel", "ifname")] for x in got]
        check(not nl.interrupted, "interrupted")
        check(len(names) == len(set(names)) == want, "tunnels:", len(names),
              len(set(names)), want)
        got = nl.dump("path-get")
        check(not nl.interrupted, "interrupted while reading paths")
        keys = [(x[nl.number("path", "ifindex")], x[nl.number("path",
                 "name")]) for x in got]
        check(len(keys) == len(set(keys)) == int(paths), "paths:",
              len(keys), len(set(keys)), paths)
    print(want, "tunnels,", paths, "paths")


def case_dump_change(first, last, prefix):
    """Tunnels deleted while a dump is read: it says that it was disturbed, or
    it is complete; those that stay are all there, once."""
    rt = Netlink(NETLINK_ROUTE)
    nl = Mptun(8192)
    victims = {f"{prefix}{i}" for i in range(int(first), int(last))}
    nl.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    nl.seq += 1
    nl.sock.send(struct.pack("=IHHII", 20, nl.family, NLM_F_REQUEST |
                             NLM_F_DUMP, nl.seq, 0) +
                 struct.pack("=BBH", nl.spec.op_numbers["tunnel-get"], 1, 0))
    names, todo = [], sorted(victims)
    for body in nl.answers():
        names.append(parse_nla(body[4:])[nl.number("tunnel", "ifname")]
                     .rstrip(b"\0").decode())
        if todo:
            rt.call(17, 0, struct.pack("=BxHiII", 0, 0, ifindex(todo.pop()),
                                       0, 0))
    while todo:
        rt.call(17, 0, struct.pack("=BxHiII", 0, 0, ifindex(todo.pop()), 0,
                                   0))
    check(len(names) == len(set(names)), "a tunnel twice")
    rest = {x[nl.number("tunnel", "ifname")].rstrip(b"\0").decode()
            for x in Mptun().dump("tunnel-get")}
    check(not rest & victims, "deleted ones are still there")
    check(rest <= set(names) or nl.interrupted, "missing:",
          rest - set(names))
    print(len(names), "seen,", len(rest), "left, interrupted:",
          nl.interrupted)


# --- link attributes

LINK = {"PORT": ("u16", 1, 65535), "ID": ("u32", 1, 0xffffffff),
        "PEER_ID": ("u32", 1, 0xffffffff), "CIPHER": ("u32", 1, 4),
        "SCHED": ("string", 0, 15), "CC": ("string", 0, 15),
        "REORDER": ("u32", 0, 3), "HOLD": ("u32", 0, 1000000),
        "BUFFER": ("u32", 65536, 268435456), "LEARN": ("u8", 0, 1),
        "REKEY": ("u32", 1, 86400), "DSCP": ("u32", 0, 64),
        "PARK": ("u32", 0, 1000), "AUTO_GROUP": ("u8", 0, 1),
        "FWMARK": ("u32", 0, 0xffffffff),
        "FRAG": ("u32", 0, 2), "MSS_CLAMP": ("u32", 0, 1),
        "FOLLOW": ("u8", 0, 1), "PSMC_FACTOR": ("u32", 100, 10000),
        "PSMC_PERIOD": ("u32", 10000, 600000000)}


def link_numbers():
    """Numbers of the link attributes, from the header."""
    with open(LINK_HEADER, encoding="utf-8") as f:
        text = f.read()
    body = re.search(r"enum mptun_link_attrs \{(.*?)private", text,
                     re.S).group(1)
    names = re.findall(r"IFLA_MPTUN_(\w+),", body)
    return {n: i for i, n in enumerate(names) if n != "UNSPEC"}


def newlink(rt, name, data, flags=NLM_F_CREATE | NLM_F_EXCL):
    """ip link add NAME type mptun, with raw attributes."""
    info = nla(1, b"mptun\0") + (nla(2 | NLA_F_NESTED, data) if data else b"")
    rt.call(RTM_NEWLINK, flags, struct.pack("=BxHiII", 0, 0, 0, 0, 0) +
            nla(3, name.encode() + b"\0") + nla(18 | NLA_F_NESTED, info))


def case_link():
    """Every link attribute out of range and of wrong length."""
    rt = Netlink(NETLINK_ROUTE)
    numbers = link_numbers()
    check(set(numbers) == set(LINK), "not all attributes are tried:",
          set(numbers) ^ set(LINK))
    tried = 0
    for name, (kind, low, high) in LINK.items():
        attr = {"type": kind, "min": low, "max": high, "max-len": high}
        for what, payload in bad_values(attr):
            e = refused((EINVAL, ERANGE, EOPNOTSUPP), f"{name} {what}",
                        newlink, rt, "bad0", nla(numbers[name], payload))
            check(e.text or e.offset, name, what, "has no hint")
            tried += 1
    for name in ("SCHED", "CC"):
        e = refused((EINVAL, ENOENT), f"unknown {name}", newlink, rt, "bad0",
                    nla(numbers[name], b"nosuch\0"))
        check(e.text, "unknown", name, "has no sentence")
    check("bad0" not in [n for _, n in socket.if_nameindex()],
          "a refused tunnel is there")
    print(tried, "requests refused")


def main():
    """Run one case."""
    cases = {k[5:].replace("_", "-"): v for k, v in globals().items()
             if k.startswith("case_")}
    if len(sys.argv) < 2 or sys.argv[1] not in cases:
        print(__doc__, "\ncases:", *sorted(cases), file=sys.stderr)
        sys.exit(2)
    cases[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()

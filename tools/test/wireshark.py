#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""The dissector for Wireshark, in tshark, against kmod/wire/wire.h.

usage: wireshark.py

Two ends in Python (selftests/peer) talk to each other, with a key and without;
tshark reads what they said. Names of values, and places and sizes of fields, are
compared with the header of the module. KTAP.
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "selftests/peer"))
sys.path.insert(0, str(TOP / "selftests/fuzz/wire"))
# pylint: disable=wrong-import-position
import seeds  # noqa: E402
import session  # noqa: E402
import wire  # noqa: E402

LUA = TOP / "tools/wireshark/mptun.lua"
HEADER = (TOP / "kmod/wire/wire.h").read_text(encoding="utf-8")
SIZES = {"u8": 1, "__be16": 2, "__be32": 4, "__be64": 8}
IP_UDP = 28
PORT = 4725
CLEAR = "-omptun.packets:clear"
AUTH = "-omptun.packets:authenticated, but not encrypted (auth-only)"


def enum(name):
    """Values of an enumeration in the header, by number, without the prefix."""
    body = re.search(rf"^enum {name} {{\n(.*?)^}};", HEADER, re.M | re.S)[1]
    return {int(value): word for word, value
            in re.findall(r"^\tMPTUN_[A-Z]+_([A-Z]+)\s*= (\d+),", body, re.M)}


def define(name):
    """A number that the header defines."""
    return int(re.search(rf"^#define {name}\s+(\w+)", HEADER, re.M)[1], 0)


def layout(name):
    """Fields of a structure in the header: {name: (offset, size)}, and its size."""
    body = re.search(rf"^struct {name} {{\n(.*?)^}}", HEADER, re.M | re.S)[1]
    fields, at = {}, 0
    for kind, field, count in re.findall(
            r"^\t(?:struct )?(\w+) (\w+)(?:\[(\w+)\])?;", body, re.M):
        size = SIZES[kind] if kind in SIZES else layout(kind)[1]
        if count:
            size *= int(count) if count.isdigit() else define(count)
        fields[field] = (at, size)
        at += size
    return fields, at


def capture(path, datagrams, port):
    """Write a capture of IPv4 packets with these UDP payloads."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 228))
        for n, data in enumerate(datagrams):
            size = IP_UDP + len(data)
            file.write(struct.pack("<IIII", n, 0, size, size))
            file.write(struct.pack(">BBHIBBH4s4s", 0x45, 0, size, 0, 64, 17, 0,
                                   bytes((192, 0, 2, 1)),
                                   bytes((192, 0, 2, 2))))
            file.write(struct.pack(">HHHH", port, port, size - 20, 0) + data)


class Field:
    """A field that tshark has found."""

    def __init__(self, element):
        self.pos = int(element.get("pos")) - IP_UDP
        self.size = int(element.get("size"))
        self.number = int(element.get("value") or "0", 16)
        self.show = element.get("showname") or ""

    @property
    def place(self):
        """Offset and size."""
        return self.pos, self.size


def dissect(datagrams, *options, port=PORT):
    """For each datagram the fields of mptun, a list by name, and protocols."""
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "capture")
        capture(file, datagrams, port)
        run = subprocess.run(
            ["tshark", "-n", "-X", f"lua_script:{LUA}", *options, "-r", file,
             "-T", "pdml"], check=True, capture_output=True, text=True,
            env={**os.environ, "HOME": work, "LC_ALL": "C.UTF-8"})
    if re.search("lua.*error", run.stderr + run.stdout, re.I):
        raise AssertionError(run.stderr + run.stdout)
    for element in xml.fromstring(run.stdout).iter("packet"):
        got = {}
        for field in element.iter("field"):
            if field.get("name").startswith("mptun."):
                got.setdefault(field.get("name")[6:], []).append(Field(field))
        yield got, [p.get("name") for p in element.iter("proto")]


def same(got, want, what=""):
    """Fail unless both are equal."""
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def same_layout(got, struct_name, prefix, start):
    """Every field of a structure is where the header has it."""
    for name, (at, size) in layout(struct_name)[0].items():
        if name != "outer":
            same(got[prefix + name][0].place, (start + at, size), prefix + name)


def outer(kind, size):
    """A datagram of a type and a size, every byte of which is different."""
    return struct.pack(">BBHIQ", kind, 1, 0, 0x01020304, 0) + \
        bytes(n % 255 + 1 for n in range(16, size))


def packet(kind, body=b"", flags=0, number=3):
    """A PACKET in clear mode."""
    return struct.pack(">BBHIQBBHII", 4, 1, 0, 9,
                       (5 << 49) | ((kind != 1) << 48) | number, kind << 4 | 6,
                       200, 3, 77, flags << 24 | 1234) + body


def test_handshake():
    """Types and structures of the handshake."""
    types = enum("mptun_type")
    sizes = {1: "init", 2: "response", 3: "cookie"}
    for value, name in types.items():
        size = layout("mptun_" + sizes[value])[1] if value in sizes else 72
        (got, _), = dissect([outer(value, size)])
        same(got["type"][0].show, f"Type: {name} ({value})")
        same_layout(got, "mptun_outer", "", 0)
        same("wrong" in got, False, name)
        if value in sizes:
            prefix = sizes[value]
            same_layout(got, "mptun_" + prefix, prefix + ".", 0)


def test_hello():
    """The hello is read where there is no key."""
    where = layout("mptun_init")[0]["hello"][0]
    data = bytearray(outer(1, 168))
    (got, _), = dissect([bytes(data)])
    same("hello.sender" in got, False)
    data[24:32] = bytes(8)
    (got, _), = dissect([bytes(data)])
    same_layout(got, "mptun_hello", "hello.", where)
    data = bytearray(outer(2, 136))
    data[16:48] = bytes(32)
    (got, _), = dissect([bytes(data)])
    same_layout(got, "mptun_hello", "hello.", 48)


def test_packet():
    """The second header, kinds and flags."""
    for value, name in enum("mptun_kind").items():
        (got, _), = dissect([packet(value, bytes(16))], CLEAR)
        same(got["kind"][0].show.split(" = ")[-1], f"Kind: {name} ({value})")
        same(got["class"][0].number, 6)
        fields = layout("mptun_inner")[0]
        for field in ("fseq", "prev", "dsn"):
            at, size = fields[field]
            same(got[field][0].place, (16 + at, size), field)
        at = 16 + fields["flags_time"][0]
        same(got["time"][0].place, (at + 1, define("MPTUN_TIME_BITS") // 8))
        same((got["path"][0].number, got["pn"][0].number), (5, 3))
    for flag in re.findall(r"^#define MPTUN_F_([A-Z]+)\t+0x", HEADER, re.M):
        (got, _), = dissect([packet(3, b"", define("MPTUN_F_" + flag))], CLEAR)
        same([f for f in got if f.startswith("f.") and got[f][0].number],
             ["f." + flag.lower()], flag)


def test_bodies():
    """Blocks, probes, fragments, BYE."""
    for value, name in enum("mptun_block_type").items():
        (got, _), = dissect([packet(3, wire.block(value, bytes(8)) +
                                    wire.block(value, b""))], CLEAR)
        same([b.show for b in got["block.type"]], [f"Block: {name} ({value})"] * 2)
        same_layout(got, "mptun_block", "block.", 28)
        same("wrong" in got, False)
    (got, _), = dissect([packet(4, bytes(40))], CLEAR)
    same_layout(got, "mptun_probe", "probe.", 28)
    (got, _), = dissect([packet(6, bytes(8))], CLEAR)
    same_layout(got, "mptun_bye", "bye.", 28)
    (got, _), = dissect([packet(1, bytes((0, 2, 0, 50)) + bytes(25), 0x10)],
                        CLEAR)
    same_layout(got, "mptun_frag", "frag.", 28)


def test_cut():
    """What is cut off or too long is marked, and breaks nothing."""
    odd = [outer(1, 167), outer(2, 137), outer(3, 16), packet(4, bytes(15)),
           b"\4\1\0\1" + packet(3)[4:], packet(3, b"\1\0\0\50"),
           packet(3, bytes(7)), packet(6)[:27],
           packet(1, b"\0\4" + bytes(4), 4), packet(1, bytes(4), 16)]
    for data, (got, _) in zip(odd, dissect(odd, CLEAR)):
        same("wrong" in got, True, data.hex())
    cut = [packet(1, wire.block(1, bytes(40))[:n], 4) for n in range(1, 44)]
    cut += [packet(kind, bytes(range(n))) for kind in range(16)
            for n in range(20)]
    cut += [packet(1, bytes(n), flags) for flags in (0, 4, 16, 20)
            for n in range(8)]
    cut += [packet(3)[:n] for n in range(28)]
    for data, (got, _) in zip(cut, dissect(cut, CLEAR)):
        same("type" in got, len(data) >= 16, data.hex())
    other = b"\1\2" + outer(1, 168)[2:]
    same([got for got, _ in dissect([other, b"\5" + other[1:]])], [{}, {}])


def test_talk():
    """Both ends of a tunnel, with a key and without."""
    key = session.Keys(bytes(range(1, 33)))
    for keys, option in (((session.ClearKeys(1, 2), session.ClearKeys(2, 1)),
                          CLEAR), ((key, key), "-omptun.packets:encrypted")):
        said = seeds.talk(keys)
        data = 0
        for datagram, (got, protocols) in zip(said, dissect(said, option)):
            want = wire.Outer.parse(datagram)
            same(got["type"][0].number, want.type)
            same(got["receiver"][0].number, want.receiver)
            if want.type != wire.PACKET:
                continue
            same((got["path"][0].number, got["pn"][0].number,
                  bool(got["control"][0].number)), wire.split_number(want.number))
            if option != CLEAR:
                same(got["sealed"][0].place, (16, len(datagram) - 16))
                continue
            inner = wire.Inner.parse(datagram[16:])
            same((got["dsn"][0].number, got["prev"][0].number,
                  got["fseq"][0].number), (inner.dsn, inner.prev, inner.fseq))
            if inner.kind == wire.DATA:
                data += 1
                same(protocols.count("ip") + protocols.count("ipv6"), 2)
        same(data, 80 if option == CLEAR else 0)


def test_readable():
    """With auth-only the tag is not a part of the body."""
    (got, protocols), = dissect([packet(1, seeds.INNER4) + bytes(16)], AUTH)
    same(got["tag"][0].place, (28 + len(seeds.INNER4), 16))
    same(protocols.count("icmp"), 1)


def test_other_port():
    """On another port the INIT begins it."""
    init = outer(1, 168)[:4] + bytes(12) + outer(1, 168)[16:]
    found = [bool(fields) for fields, _ in
             dissect([packet(3), init, packet(3)], port=9999)]
    same(found, [False, True, True])


TESTS = [test_handshake, test_hello, test_packet, test_bodies, test_cut,
         test_talk, test_readable, test_other_port]


def main():
    """All of them."""
    failed = 0
    print(f"KTAP version 1\n1..{len(TESTS)}")
    for n, test in enumerate(TESTS, 1):
        name = f"{n} wireshark: {test.__doc__.splitlines()[0].rstrip('.')}"
        if not shutil.which("tshark"):
            print(f"ok {name} # SKIP no tshark")
            continue
        try:
            test()
        except (AssertionError, KeyError, subprocess.CalledProcessError) as err:
            print(f"# {type(err).__name__}: {err}\nnot ok {name}")
            failed = 1
        else:
            print(f"ok {name}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())

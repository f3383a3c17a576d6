#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Writes test vectors of the wire, for the unit tests of the module.

usage: vectors.py [--check | --rst]

Writes vectors.h in kmod/test/crypto and kmod/test/code. With --check writes nothing
and fails if one of them differs; with --rst prints the vector that Documentation/vectors.rst shows.
All that is random elsewhere is fixed here, so it is the same bytes each time.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import coding  # noqa: E402
import noise  # noqa: E402
import session  # noqa: E402
import wire  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = TOP / "kmod" / "test"
NAMES = {wire.CHACHA20_POLY1305: "chacha20_poly1305",
         wire.AES_GCM: "aes_gcm", wire.AUTH_ONLY: "auth_only"}

HEAD = """\
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Vectors of the sealed wire, made by another implementation of it.
 *
 * Do not edit, written by selftests/peer/vectors.py, which does not know how
 * the module does it.  Documentation/vectors.rst explains them.
 */
#ifndef _MPTUN_TEST_VECTORS_H
#define _MPTUN_TEST_VECTORS_H

#include <linux/compiler.h>
#include <linux/types.h>
"""

CODE_HEAD = """\
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Vectors of repair symbols, made by another implementation of them.
 *
 * Do not edit, written by selftests/peer/vectors.py.  vectors_test.c has the
 * packets.
 */
#ifndef _MPTUN_TEST_CODE_VECTORS_H
#define _MPTUN_TEST_CODE_VECTORS_H

#include <linux/compiler.h>
#include <linux/types.h>
"""
CODE_FIRST, CODE_SEED = 0xffffffd0, 0xfffe

# The inner packet of the example in Documentation/protocol.rst
ECHO = bytes.fromhex("4500001c123440004001149d" "0a0700020a070001"
                     "0800edf30a0b0001")


def run(start, count):
    """Bytes that count up."""
    return bytes(range(start, start + count))


def secret_key(start):
    """Such bytes as a private key, already clamped."""
    key = bytearray(run(start, 32))
    key[0] &= 0xf8
    key[31] = key[31] & 0x7f | 0x40
    return bytes(key)


def numbers():
    """Name, comment and value of each number in the handshakes."""
    return [
        ("INIT_INDEX", "index of the initiator, first attempt", 0x11121314),
        ("INIT2_INDEX", "the same, second attempt", 0x21222324),
        ("RESPONSE_INDEX", "index of the responder", 0x31323334),
        ("INIT_INSTANCE", "instance of the initiator", 0x4142434445464748),
        ("RESPONSE_INSTANCE", "instance of the responder",
         0x5152535455565758),
        ("COUNTER", "counter of the first attempt; the second has one more",
         0x6162636465666768),
        ("INIT_DSN", "first dsn of the initiator", 0x71727374),
        ("RESPONSE_DSN", "first dsn of the responder", 0x81828384),
        ("NUMBER", "number of the PACKET: path 3, data 1000",
         wire.number(3, 1000)),
    ]


def handshakes(keys, value):
    """INIT, COOKIE, INIT with both cookies, RESPONSE, transport keys."""
    cookie, source = run(0xa0, 16), run(0xb0, 16)
    secrets = [secret_key(start) for start in (0x20, 0x40, 0x60)]
    out = [("cookie", "cookie of the responder for the instance", cookie),
           ("source", "source cookie, for the second INIT", source)]
    for name, secret in zip(("init", "init2", "response"), secrets):
        out.append((f"{name}_secret", "ephemeral key, private", secret))
        out.append((f"{name}_public", "ephemeral key, public",
                    noise.public_key(secret)))
    hello = wire.Hello(value["INIT_INDEX"], value["INIT_INSTANCE"],
                       value["COUNTER"], first_dsn=value["INIT_DSN"])
    first = keys.attempt(hello, secrets[0])
    out += [("init_hello", "payload of the first INIT", hello.pack()),
            ("init", "the first INIT, without cookies",
             keys.init_bytes(first))]
    nonce = run(0xc0, 24)
    out += [("cookie_nonce", "nonce of the COOKIE", nonce),
            ("cookie_msg", "COOKIE that answers it", keys.cookie(
                hello.sender, first.init, cookie, source, nonce))]
    again = wire.Hello(value["INIT2_INDEX"], value["INIT_INSTANCE"],
                       value["COUNTER"] + 1, first_dsn=value["INIT_DSN"],
                       cookie=cookie)
    second = keys.attempt(again, secrets[1])
    init = keys.init_bytes(second, source)
    answer = wire.Hello(value["RESPONSE_INDEX"], value["RESPONSE_INSTANCE"],
                        again.counter, first_dsn=value["RESPONSE_DSN"],
                        peer_instance=again.instance)
    response, pair = keys.respond(keys.open_init(init), answer, secrets[2])
    assert keys.open_response(second, response) == (answer, pair)
    out += [("init2_hello", "payload of the second INIT", again.pack()),
            ("init2", "the second INIT, with cookie and mac2", init),
            ("response_hello", "payload of the RESPONSE", answer.pack()),
            ("response", "RESPONSE to the second INIT", response),
            ("k1", "transport key, initiator to responder", pair[0]),
            ("k2", "transport key, responder to initiator", pair[1])]
    return out


def packets(key, value):
    """One DATA from the initiator, in clear and sealed."""
    outer = wire.Outer(wire.PACKET, value["RESPONSE_INDEX"],
                       value["NUMBER"]).pack()
    plain = wire.Inner(wire.DATA, ECHO, 233, 2, 0x5f3a10c2,
                       time=1234567).pack()
    out = [("packet", "a PACKET before it is sealed", outer + plain)]
    for cipher, name in NAMES.items():
        sealed = session.seal(cipher, key, outer, plain)
        assert session.open_packet(cipher, key, sealed) == plain
        out.append((f"packet_{name}", f"sealed with k1, {name}", sealed))
    return out


def make():
    """(numbers, [(name, comment, bytes)])."""
    key = run(1, 32)
    keys = session.Keys(key)
    value = {name: number for name, _, number in numbers()}
    out = [("key", "key of the tunnel", key),
           ("key_id", "its id", keys.key_id),
           ("mac1_key", "key of mac1", keys.mac1_key),
           ("cookie_key", "key of COOKIEs", keys.cookie_key)]
    out += handshakes(keys, value)
    out += packets(dict((n, d) for n, _, d in out)["k1"], value)
    return numbers(), out


def code_packets():
    """64 packets with gaps between them, by dsn."""
    return {(CODE_FIRST + n + n // 8) & 0xffffffff: coding.Symbol(
        bytes((n * 31 + i * 7) & 0xff for i in range(n * 37 % 200 + 1)),
        n, n % 2, n % 16) for n in range(64)}


def code():
    """[(name, comment, bytes)] of the code."""
    have = code_packets()
    dsns = list(have)
    out = [("coefficients", "coefficients of the packets, first seed",
            bytes(coding.coefficient(CODE_SEED, dsn) for dsn in dsns))]
    for n in range(3):
        seed = (CODE_SEED + n) & 0xffff
        out.append((f"repair{n}", f"REPAIR of all packets, seed {seed:#x}",
                    coding.Repair.make(have, dsns, seed).pack()))
    out.append(("repair_third", "REPAIR of each third packet, first seed",
                coding.Repair.make(have, dsns[::3], CODE_SEED).pack()))
    return out


def in_c(data):
    """Bytes as lines of an initializer."""
    for at in range(0, len(data), 12):
        yield "\t" + " ".join(f"{b:#04x}," for b in data[at:at + 12])


def header():
    """The text of crypto/vectors.h."""
    ints, arrays = make()
    return text(HEAD, ints, arrays, "_MPTUN_TEST_VECTORS_H")


def code_header():
    """The text of code/vectors.h."""
    ints = [("CODE_FIRST", "dsn of the first packet", CODE_FIRST),
            ("CODE_SEED", "first seed", CODE_SEED)]
    return text(CODE_HEAD, ints, code(), "_MPTUN_TEST_CODE_VECTORS_H")


def text(head, ints, arrays, guard):
    """The text of a header."""
    lines = [head]
    for name, comment, value in ints:
        suffix = "ULL" if value >> 32 else "U"
        lines += [f"/* {comment} */",
                  f"#define MPTUN_VEC_{name} {value:#x}{suffix}", ""]
    for name, comment, data in arrays:
        lines += [f"/* {comment} */",
                  f"static const u8 __maybe_unused "
                  f"mptun_vec_{name}[{len(data)}] = {{",
                  *in_c(data), "};", ""]
    lines += [f"#endif /* {guard} */"]
    return "\n".join(lines) + "\n"


def dump(data):
    """A hex dump as in Documentation/protocol.rst."""
    for at in range(0, len(data), 16):
        row = data[at:at + 16].hex()
        words = " ".join(row[n:n + 4] for n in range(0, len(row), 4))
        yield f"\t{at:04x}  {words}"


def headers():
    """The path and the text of each header."""
    return [(TESTS / "crypto" / "vectors.h", header()),
            (TESTS / "code" / "vectors.h", code_header())]


def differing():
    """The paths of the headers in the tree that differ."""
    return [path for path, want in headers()
            if not path.exists() or path.read_text("ascii") != want]


def main(args):
    """Write, check or print."""
    if args == ["--rst"]:
        vectors = {name: data for name, _, data in make()[1]}
        print("\n".join(dump(vectors["init2"])))
    elif args == ["--check"]:
        bad = differing()
        for path in bad:
            print(f"{path.relative_to(TOP)} differs from what vectors.py "
                  "writes", file=sys.stderr)
        return 1 if bad else 0
    elif args:
        print(__doc__, file=sys.stderr)
        return 2
    else:
        for path, want in headers():
            path.write_text(want, "ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

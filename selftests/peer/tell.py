#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Has a session with a tunnel and writes down all its secrets, inverted.

usage: tell.py --key FILE OUT
       tell.py --key FILE --remote ADDRESS --local ADDRESS [--cipher NAME]
               [--how WAY] OUT

The first form writes what derives from the key alone. In the second one a peer
does a handshake with the tunnel at ADDRESS, and leaves silently. The WAYs are

open        it initiates a session, which is used
renew       the same, and initiates another one
leave       it initiates a session, and leaves before a packet could use it
answer      the tunnel initiates a session, which is used
listen      the tunnel initiates, and gets no answer except a COOKIE
mismatch    it initiates with another cipher

OUT gets lines of "NAME HEX", each of 32 inverted bytes, so that the secrets
themselves exist in this program only. Names are

shared          the key
key.chain, ...  what is derived from the key and kept with it
handshake.N     what is kept during a handshake: chaining keys, the shared
                secret of the ephemeral keys, keys of payloads
session.1, .2   keys from the initiator to the responder, and back
before.1, .2    those of the previous session
"""

import argparse
import os
import sys

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import noise  # noqa: E402
import peer as peers  # noqa: E402
import session as sessions  # noqa: E402
import wire  # noqa: E402

PATIENCE = 60
WAYS = ("open", "renew", "leave", "answer", "listen", "mismatch")


class Witness:
    """Sees all that a handshake computes."""

    def __init__(self, key):
        self.keys = sessions.Keys(key)
        state = noise.SymmetricState()
        state.mix_hash(sessions.PROLOGUE)
        state.mix_key_and_hash(key)
        self.found = {"shared": key, "key.chain": state.chaining,
                      "key.payload": state.key,
                      "key.mac1": self.keys.mac1_key,
                      "key.cookie": self.keys.cookie_key}

    def watch(self):
        """Start to record."""
        hkdf, exchange = noise.hkdf, noise.exchange

        def watched_hkdf(chaining, material, count):
            outputs = hkdf(chaining, material, count)
            # three follow from the key alone, and split() has no input
            if material and count == 2:
                for output in outputs:
                    self.add(output)
            return outputs

        def watched_exchange(private, public):
            product = exchange(private, public)
            self.add(product)
            return product

        noise.hkdf, noise.exchange = watched_hkdf, watched_exchange

    def add(self, secret):
        """Add a secret of the handshake."""
        names = [n for n in self.found if n.startswith("handshake")]
        if secret not in self.found.values():
            self.found[f"handshake.{len(names) + 1}"] = secret

    def session(self, name, one):
        """Keys of a session."""
        pair = one.send_key, one.recv_key
        if not one.initiator:
            pair = pair[::-1]
        self.found[f"{name}.1"], self.found[f"{name}.2"] = pair

    def write(self, out):
        """Write the file."""
        with open(out, "w", encoding="ascii") as file:
            for name, secret in self.found.items():
                inverted = bytes(byte ^ 0xff for byte in secret)
                file.write(f"{name} {inverted.hex()}\n")


def must(one, until):
    """Run the peer until something is true."""
    if not one.run(until, PATIENCE):
        sys.exit("tell.py: the tunnel does not do its part")


def meet(one, witness, how):
    """Have the session."""
    if how == "listen":
        one.quiet.add("respond")
        must(one, lambda: len([d for d in one.received
                               if d.type == wire.INIT]) >= 2)
        return
    if how == "leave":
        one.quiet.add("paths")
    if how != "answer":
        one.open()
    if how == "mismatch":
        one.run(None, 0.5)
        return
    must(one, (lambda: one.current) if how == "leave" else one.up)
    if how == "renew":
        before = one.current
        witness.session("before", before)
        one.open()
        must(one, lambda: one.current is not before)
    if how != "leave":
        one.run(None, 0.5)
    witness.session("session", one.current)


def main():
    """Run a command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    for option in ("key", "remote", "local"):
        parser.add_argument("--" + option)
    parser.add_argument("--cipher", default="chacha20-poly1305",
                        choices=[c for c in wire.CIPHERS if c != "clear"])
    parser.add_argument("--how", default="open", choices=WAYS)
    parser.add_argument("out")
    opts = parser.parse_args()
    with open(opts.key, encoding="ascii") as file:
        witness = Witness(sessions.read_key(file.read()))
    if opts.remote:
        keys = sessions.Keys(witness.keys.key, wire.CIPHERS[opts.cipher])
        one = peers.Peer(keys, [(opts.local, wire.PORT)],
                         (opts.remote, wire.PORT), rekey=1e9)
        witness.watch()
        meet(one, witness, opts.how)
        one.close()
    witness.write(opts.out)
    # The kernel keeps the registers of a process for a while after its end, and
    # ciphers leave keys in theirs: use them with a key of zeros.
    for size in (0, 64, 128, 256, 512, 1500, 8192):
        ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), bytes(size), b"")
    return 0


if __name__ == "__main__":
    sys.exit(main())

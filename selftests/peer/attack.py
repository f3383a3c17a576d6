#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Attacks on a sealed tunnel, by its own peer and by a stranger. TAP.

usage: attack.py --dev DEV --remote ADDRESS --key FILE --local ADDRESS
                 [--port PORT] [--local-port PORT]... [--netns NAME]
                 [--cipher NAME] [--step N] [--packets] [ATTACK...]
       attack.py --self [--without CHECK]... [--cipher NAME] [ATTACK...]
       attack.py --list

DEV is a tunnel that is up, with the key in FILE and with learn on, whose
outer address is ADDRESS:PORT; it is in the network namespace NAME if that is
not the one of this program. It should have a path to the local address and the
first local port (default 4725; the second one is the next): without it the
attacks on an end that opens are skipped. It needs mptunctl, and the right to
open a packet socket. --self attacks a Peer instead, which leaves out the
checks that are named, to try the attacks themselves. Sweeps over all bytes of a
message look at each Nth byte. --packets leaves out what handshakes are
attacked with, which is the same for all ciphers.

After each attack no packet may have come out of the tunnel that did not go in,
or twice; all that was sent must be counted as dropped or have been answered;
and good packets must still pass both ways.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import attack_crowd  # noqa: E402
import attack_init  # noqa: E402
import attack_packet  # noqa: E402
import session as sessions  # noqa: E402
import suite  # noqa: E402
import target  # noqa: E402
import wire  # noqa: E402
from suite import ATTACKS, Failed, Skipped, Suite  # noqa: E402

# Their attacks register themselves
assert attack_crowd and attack_init and attack_packet


def run(s, names):
    """Run all attacks, print TAP; the number of failures."""
    failed = 0
    print("TAP version 13")
    for n, name in enumerate(names, 1):
        s.notes.clear()
        line = f"ok {n} {name}"
        try:
            ATTACKS[name](s)
            s.passes()
        except Skipped as err:
            line += f" # SKIP {err}"
        except Failed as err:
            s.note("FAILED:", *err.args)
            line = "not " + line
            failed += 1
        except Exception as err:  # pylint: disable=broad-except
            s.note("FAILED:", repr(err))
            line = "not " + line
            failed += 1
        for note in s.notes:
            print("#", note)
        print(line, flush=True)
    print(f"1..{len(names)}")
    return failed


def main(args):
    """Attack as the arguments say."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    for option in ("dev", "remote", "key", "local", "netns"):
        parser.add_argument("--" + option)
    parser.add_argument("--port", type=int, default=wire.PORT)
    parser.add_argument("--local-port", type=int, action="append")
    parser.add_argument("--cipher", default="chacha20-poly1305",
                        choices=[c for c in wire.CIPHERS if c != "clear"])
    parser.add_argument("--self", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--packets", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("attacks", nargs="*", choices=[[], *ATTACKS])
    opts = parser.parse_args(args)
    if opts.list:
        for name, function in ATTACKS.items():
            print(f"{name:24}{function.__doc__.splitlines()[0]}")
        return 0
    suite.SWEEP["step"] = opts.step
    s = prepare(parser, opts)
    failed = run(s, opts.attacks or [
        name for name, function in ATTACKS.items()
        if not opts.packets or function.__module__ == attack_packet.__name__])
    s.target.close()
    return 1 if failed else 0


def prepare(parser, opts):
    """The suite for a target."""
    cipher = wire.CIPHERS[opts.cipher]
    ports = (opts.local_port or [wire.PORT])[:2]
    if opts.self:
        ports, key = free_ports(), os.urandom(32)
        goal = target.PeerTarget(key, cipher, ("127.0.0.1", ports[0]),
                                 opts.without)
        return Suite(goal, key, cipher, "127.0.0.1", ports,
                     ("127.0.0.1", goal.port))
    if not all((opts.dev, opts.remote, opts.key, opts.local)):
        parser.error("--dev, --remote, --key and --local are needed")
    if len(ports) == 1:
        ports.append(ports[0] + 1)
    with open(opts.key, encoding="ascii") as file:
        key = sessions.read_key(file.read())
    return Suite(target.KernelTarget(opts.dev, opts.netns), key, cipher,
                 opts.local, ports, (opts.remote, opts.port))


def free_ports():
    """Two ports of loopback that nobody uses."""
    links = [suite.peers.Link(("127.0.0.1", 0)) for _ in range(2)]
    ports = [link.local[1] for link in links]
    for link in links:
        link.sock.close()
    return ports


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

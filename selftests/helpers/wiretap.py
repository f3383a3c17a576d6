#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# An attacker between two ends of a tunnel: records, replays, compares packets.
# Copyright (C) 2026 The mptun authors
"""usage: wiretap.py record FILE DEV...
       wiretap.py replay [--type NAME]... [--to ADDRESS]... [--from ADDRESS]...
                         [--path ID]... [--reflect] [--aim]
                         [--source-port PORT]
                         [--times N] [--pause MS] FILE...
       wiretap.py count [the same options] FILE...
       wiretap.py unique FILE...
       wiretap.py apart FILE...

record writes datagrams that arrive through devices, IPv4 to and from the port
of tunnels, into a pcap file, until it is killed. replay sends each distinct
datagram of such files with its source address: to its receiver, or with
--reflect back to its sender; with --aim PACKETs carry the index last seen in
that direction. count prints the number of datagrams that replay would send.
unique fails if a packet number was used twice under one index, for different
bytes. apart fails if a nonce of a key, or an ephemeral key, was used in two of the
files for different bytes: each is what another copy of a machine sent.
All but record print one JSON object.
"""
import argparse
import hashlib
import json
import os
import select
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "peer"))
# pylint: disable=wrong-import-position
from wire import checksum  # noqa: E402

ETH_P_IP, PACKET_OUTGOING = 0x0800, 4
LINKTYPE_ETHERNET, LINKTYPE_RAW, PCAP_MAGIC = 1, 101, 0xa1b2c3d4
ETHER_HEAD = 14
# bytes of an INIT before its mac2
INIT_SEALED = 152
PORT = 4725
TYPES = {"init": 1, "response": 2, "cookie": 3, "packet": 4}
UDP_AT, DATA_AT = 20, 28
BURST = 8


def is_tunnel(packet):
    """Whether it is a datagram of a tunnel, in IPv4 without options."""
    return (len(packet) >= DATA_AT + 16 and packet[0] == 0x45 and
            packet[9] == socket.IPPROTO_UDP and
            PORT in struct.unpack_from(">HH", packet, UDP_AT))


def record(args):
    """Record until a signal; every packet is written at once."""
    socks = []
    for dev in args.devs:
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                             socket.htons(ETH_P_IP))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
        sock.bind((dev, ETH_P_IP))
        socks.append(sock)
    with open(args.file, "wb", buffering=0) as file:
        file.write(struct.pack(">IHHiIII", PCAP_MAGIC, 2, 4, 0, 0, 1 << 16,
                               LINKTYPE_RAW))
        while True:
            for sock in select.select(socks, [], [])[0]:
                packet, address = sock.recvfrom(1 << 16)
                if address[2] == PACKET_OUTGOING or not is_tunnel(packet):
                    continue
                now = time.clock_gettime_ns(time.CLOCK_REALTIME) // 1000
                file.write(struct.pack(">IIII", *divmod(now, 1000000),
                                       len(packet), len(packet)) + packet)


def recorded(files):
    """All packets of files; a file that is being written may end anywhere."""
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        order = ">" if data[:4] == struct.pack(">I", PCAP_MAGIC) else "<"
        link, = struct.unpack_from(order + "I", data, 20)
        skip = ETHER_HEAD if link == LINKTYPE_ETHERNET else 0
        at = 24
        while at + 16 <= len(data):
            size, = struct.unpack_from(order + "I", data, at + 8)
            if at + 16 + size > len(data):
                break
            yield data[at + 16 + skip:at + 16 + size]
            at += 16 + size


class Datagram:
    """A recorded datagram, for the replay."""

    def __init__(self, packet):
        self.source = packet[12:16]
        self.dest = packet[16:20]
        self.ports = struct.unpack_from(">HH", packet, UDP_AT)
        self.data = packet[DATA_AT:]

    @property
    def type(self):
        """The type in the outer header."""
        return self.data[0]

    def path(self):
        """Id of the path of a PACKET."""
        return struct.unpack_from(">H", self.data, 8)[0] >> 1

    def nonce(self):
        """What is used with one message only: the index of the session, which
        names the key, and the number; an ephemeral key; a random nonce.
        """
        first, last = {1: (32, 64), 2: (16, 48), 3: (16, 40)}.get(
            self.type, (4, 16))
        return self.type, self.data[first:last]

    def digest(self):
        """Of what is sealed: mac2 of an INIT may change."""
        return hashlib.blake2b(self.data[:INIT_SEALED] if self.type == 1
                               else self.data, digest_size=16).digest()

    def key(self):
        """The bytes by which copies are recognized."""
        return self.source, self.dest, self.ports, self.data

    def reflect(self):
        """Send it back to its source."""
        self.source, self.dest = self.dest, self.source
        self.ports = self.ports[::-1]

    def pack(self):
        """The bytes of an IPv4 packet; the kernel completes the header."""
        size = DATA_AT - UDP_AT + len(self.data)
        udp = struct.pack(">HHHH", *self.ports, size, 0) + self.data
        pseudo = self.source + self.dest + struct.pack(
            ">HH", socket.IPPROTO_UDP, size)
        total = checksum(pseudo + udp) or 0xffff
        head = struct.pack(">BBHHHBBH", 0x45, 0, UDP_AT + size, 0, 0x4000,
                           64, socket.IPPROTO_UDP, 0)
        return (head + self.source + self.dest + udp[:6] +
                struct.pack(">H", total) + udp[8:])


def chosen(args):
    """The datagrams to be sent, each one once."""
    kinds = {TYPES[name] for name in args.type or TYPES}
    ends = {socket.inet_aton(address) for address in args.to or ()}
    sources = {socket.inet_aton(address) for address in args.source or ()}
    out, newest = {}, {}
    for packet in recorded(args.files):
        one = Datagram(packet)
        if one.type == TYPES["packet"]:
            newest[one.dest] = one.data[4:8]
        if one.type in kinds and (not ends or one.dest in ends) and (
                not sources or one.source in sources) and (
                not args.path or one.path() in args.path):
            out[one.key()] = one
    for one in out.values():
        if args.reflect:
            one.reflect()
        if args.aim and one.type == TYPES["packet"] and one.dest in newest:
            one.data = one.data[:4] + newest[one.dest] + one.data[8:]
        if args.source_port:
            one.ports = args.source_port, one.ports[1]
    return list(out.values())


def replay(args):
    """Send what was chosen, in the order in which it came first."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    packets = [(one.pack(), (socket.inet_ntoa(one.dest), 0))
               for one in chosen(args)]
    sent = 0
    for _ in range(args.times):
        for packet, dest in packets:
            sock.sendto(packet, dest)
            sent += 1
            if sent % BURST == 0:
                time.sleep(args.pause / 1000)
    print(json.dumps({"sent": sent, "different": len(packets)}))


def count(args):
    """How many different ones there are, wherever they went."""
    different = {one.data for one in chosen(args)}
    print(json.dumps({"different": len(different)}))


def unique(args):
    """No number twice with a key: the nonce of two packets would be one."""
    seen, indices, twice = {}, {}, 0
    for packet in recorded(args.files):
        one = Datagram(packet)
        if one.type != TYPES["packet"]:
            continue
        name, digest = one.data[4:16], one.digest()
        if seen.setdefault(name, digest) != digest:
            print("used twice:", name.hex(), file=sys.stderr)
            twice += 1
        indices.setdefault(name[:4], set()).add(one.path())
    print(json.dumps({"packets": len(seen), "indices": len(indices),
                      "most_paths": max(map(len, indices.values()),
                                        default=0), "twice": twice}))
    return 1 if twice else 0


def apart(args):
    """No nonce in two files, for different bytes."""
    seen, twice, out = {}, set(), {}
    for name in args.files:
        count = dict.fromkeys(TYPES, 0)
        for packet in filter(is_tunnel, recorded([name])):
            one = Datagram(packet)
            nonce, digest = one.nonce(), one.digest()
            first = seen.setdefault(nonce, (name, digest))
            if first[0] != name and first[1] != digest:
                twice.add(nonce)
            for kind, number in TYPES.items():
                count[kind] += one.type == number
        out[name] = count
        if not count["packet"]:
            print(name, "has no packets", file=sys.stderr)
            return 2
    for kind, nonce in sorted(twice)[:10]:
        print("used twice:", kind, nonce.hex(), file=sys.stderr)
    print(json.dumps({**out, "twice": len(twice)}))
    return 1 if twice else 0


def main():
    """Do what the first word says."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("record")
    command.add_argument("file")
    command.add_argument("devs", nargs="+")
    command.set_defaults(run=record)
    for function in (replay, count):
        command = commands.add_parser(function.__name__)
        command.add_argument("--type", action="append", choices=TYPES)
        command.add_argument("--to", action="append")
        command.add_argument("--from", action="append", dest="source")
        command.add_argument("--path", action="append", type=int)
        command.add_argument("--reflect", action="store_true")
        command.add_argument("--aim", action="store_true")
        command.add_argument("--source-port", type=int)
        command.add_argument("--times", type=int, default=1)
        command.add_argument("--pause", type=float, default=4)
        command.add_argument("files", nargs="+")
        command.set_defaults(run=function)
    for function in (unique, apart):
        command = commands.add_parser(function.__name__)
        command.add_argument("files", nargs="+")
        command.set_defaults(run=function)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())

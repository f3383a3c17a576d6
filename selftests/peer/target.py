# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""What attack.py attacks: a tunnel of the kernel, or a Peer."""

import collections
import ctypes
import json
import os
import socket
import subprocess
import threading

import peer
import session

ETH_P_ALL, ETH_P_IP = 0x0003, 0x0800
PACKET_OUTGOING = 4
CLONE_NEWNET = 0x40000000


def enter(name):
    """Go into a network namespace; the way back is what it returns."""
    libc = ctypes.CDLL(None, use_errno=True)

    def go(path):
        with open(path, "rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"cannot enter {path}")

    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    go(f"/run/netns/{name}")

    def back():
        go(f"/proc/self/fd/{home}")
        os.close(home)
    return back


class KernelTarget:
    """A tunnel device, in this network namespace or in another one."""

    def __init__(self, dev, netns=None):
        self.dev = dev
        self.command = ["mptunctl", "-j"]
        back = None
        if netns:
            self.command = ["ip", "netns", "exec", netns] + self.command
            back = enter(netns)
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                                  socket.htons(ETH_P_ALL))
        self.sock.bind((dev, ETH_P_ALL))
        if back:
            back()
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.packets = []

    def ask(self, *words):
        """The JSON output of mptunctl."""
        text = subprocess.run(self.command + list(words), check=True,
                              text=True, stdout=subprocess.PIPE).stdout
        return json.loads(text)

    def show(self):
        """What mptunctl shows about the tunnel."""
        return self.ask("show", self.dev)[0]

    def drops(self):
        """Received packets that were dropped, by reason."""
        shown = self.show()
        out = collections.Counter()
        for group in ("drops", "port_drops"):
            for reason, count in shown.get(group, {}).items():
                if reason.startswith("rx_"):
                    out[reason] += int(count)
        return out

    @staticmethod
    def free_kib():
        """Free memory of the machine."""
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file
                        if line.startswith("MemFree:"))

    def associations(self):
        """How many began."""
        return int(self.show()["associations"])

    def paths(self):
        """How many there are."""
        return len(self.ask("path", "show", self.dev))

    def paths_up(self):
        """How many of them work."""
        return sum(path["state"] == "up" for path in
                   self.ask("path", "show", self.dev))

    def delivered(self):
        """All inner packets delivered by the tunnel so far."""
        while True:
            try:
                data, address = self.sock.recvfrom(65535)
            except BlockingIOError:
                return self.packets
            if address[2] != PACKET_OUTGOING:
                self.packets.append(data)

    def send(self, packet):
        """An inner packet into the tunnel."""
        self.sock.sendto(packet, (self.dev, ETH_P_IP))

    def close(self):
        """The packet socket."""
        self.sock.close()


class Attacked(peer.Peer):
    """A Peer that looks for its own peer, as a tunnel with a path does."""

    def tick(self, now):
        if self.remote and not self.current and not self.attempt:
            self.open()
        super().tick(now)


class PeerTarget:
    """A Peer in a thread: shows that the attacks themselves are right."""

    def __init__(self, key, cipher, remote, without=()):
        self.peer = Attacked(session.Keys(key, cipher), [("127.0.0.1", 0)],
                             remote)
        self.peer.checks -= set(without)
        if "mac" in without:
            self.peer.keys.check_mac1 = lambda data, where: None
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        """Run until stopped."""
        while not self.stop.is_set():
            with self.lock:
                self.peer.step()
            self.stop.wait(0.0005)

    @property
    def port(self):
        """Where it listens, on 127.0.0.1."""
        return self.peer.links[0].local[1]

    def drops(self):
        """Received packets that were dropped, by reason."""
        with self.lock:
            return collections.Counter(self.peer.drops)

    @staticmethod
    def free_kib():
        """What waits for it is in its socket."""
        return 0

    def associations(self):
        """How many began."""
        return self.peer.associations

    def paths(self):
        """How many there are."""
        with self.lock:
            return len(self.peer.paths)

    @staticmethod
    def paths_up():
        """It answers a probe where it came from, as if none worked."""
        return 0

    def delivered(self):
        """All inner packets received so far."""
        with self.lock:
            return list(self.peer.inner)

    def send(self, packet):
        """An inner packet to the other end, if there is a way."""
        with self.lock:
            if self.peer.current and any(p.up for p in
                                         self.peer.paths.values()):
                self.peer.send_inner(packet)

    def close(self):
        """End the thread."""
        self.stop.set()
        self.thread.join()
        self.peer.close()

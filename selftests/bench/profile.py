#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Profiles a flow through the tunnel, and through others.

usage: selftests/bench/profile.py [-s SECONDS] [-o FOLDER] [--whole]
           [--udp BYTES] [--pages] [--top N] [CARRIER...]

  -s SECONDS  how long each flow is looked at (default 6)
  -o FOLDER   where results go (default: build/profile)
  --whole     over a cable that passes packets of 64 KiB whole
  --udp BYTES UDP packets of that size, and ns of each, instead of TCP
  --pages     write Documentation/results/profile.rst
  --top N     also list the N functions of each carrier that take most

Carriers are veth, vxlan, wireguard, mptun, mptun-clear, mptun-auth-only and
mptun-aes-gcm; all but the last two if none is named. Those of mptun may end
with "-2" or "-4", which is how many paths they have then. One guest of User-Mode
Linux, flavour smp, on one processor. The guest is a program of this machine,
so perf of this machine sees into it, and needs the rights for that.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import bisect
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

import benchlib

benchlib.need("sim", "profile")
# pylint: disable=wrong-import-position
from benchlib import page  # noqa: E402
from simlib import pages  # noqa: E402

CARRIERS = ["veth", "vxlan", "mptun-clear", "wireguard", "mptun"]
KERNEL = "linux.stripped"
HOST = 0xffff800000000000
MOST = 0x10000  # no function is larger
OUTSIDE = "?"
ABOUT = """\
One TCP flow over a cable that passes every packet on its own; both ends, and
all between them, share one processor, which is always busy. So 1 s / (Mbit/s)
is the time that each Mbit takes, and samples of the stacks say where. Each
sample counts for the first of these that its stack, from the inside out, is
in."""
# the first that a function of the stack matches, from the inside out
STAGES = [
    ("cipher", "ChaCha20, Poly1305",
     r"chacha|poly1305"),
    ("copies", "copies and checksums, those of the programs' data as well",
     r"memcpy|memset|csum|copy_bits|raw_copy_|skb_copy"),
    ("tunnel", "what is the tunnel's own",
     r".*\[m\]$|wg_|encrypt_packet|decrypt_packet|vxlan_|gro_cell"),
    ("outside, down", "the stack that sends outer packets",
     r"ip_local_out|ip6_local_out"),
    ("outside, up", "the stack that receives outer packets",
     r"process_backlog"),
    ("timers", "interrupts of the clock",
     r"timer_|hrtimer_|do_IRQ|sigio_"),
    ("inside", "TCP, GRO, sockets, processes", r".*"),
]
HOSTED = ("host", "changes between the guest's programs and its kernel")


def options():
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    build = os.environ.get("MPTUN_BUILD", benchlib.TOP / "build")
    parser.add_argument("-s", type=int, dest="seconds", default=6)
    parser.add_argument("-o", type=pathlib.Path, dest="folder",
                        default=pathlib.Path(build) / "profile")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--udp", type=int)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--top", type=int, default=0)
    parser.add_argument("carriers", nargs="*", metavar="CARRIER",
                        default=CARRIERS)
    args = parser.parse_args()
    if args.seconds < 1:
        parser.error("at least 1 second")
    if args.udp is not None and not 28 <= args.udp <= 1400:
        parser.error("packets have 28 to 1400 bytes")
    if args.pages and (args.whole or args.udp):
        parser.error("the page is of TCP, and of the other cable")
    args.folder = args.folder.resolve()
    return args


class Symbols:
    """The symbols of the guest's kernel."""

    def __init__(self, linux, modules):
        found = []
        nm = subprocess.run(["nm", linux], check=True, text=True,
                            capture_output=True).stdout
        for line in nm.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "tTwW":
                found.append((int(words[0], 16), words[2]))
        for line in modules.read_text("utf-8").splitlines():
            words = line.split()
            if words[1] in "tT":
                found.append((int(words[0], 16), words[2] + " [m]"))
        found.sort()
        self.starts = [start for start, _ in found]
        self.names = [name for _, name in found]

    def name(self, address):
        """The name of the function at an address."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address - self.starts[at] > MOST:
            return OUTSIDE
        return self.names[at]


class Maps:
    """perf gives places in files; the guest's memory is one."""

    LINE = re.compile(r"MMAP2 (\d+)/.*\[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+) .*: "
                      r"\S+ (\S+)")

    def __init__(self, text, pid):
        self.maps = []
        self.known = {}
        for line in text.splitlines():
            found = self.LINE.search(line)
            if found and int(found[1]) == pid and (
                    KERNEL in found[5] or "/shm/" in found[5]):
                start, size, at = (int(word, 16)
                                   for word in found.groups()[1:4])
                self.maps.append((size, at, start, KERNEL in found[5]))
        # small ones are of modules and lie over the one of all memory
        self.maps.sort()
        self.text = max((at + size for size, at, _, text in self.maps if text),
                        default=0)

    def address(self, place):
        """An address of perf as one of the guest's kernel."""
        if place not in self.known:
            self.known[place] = self.find(place)
        return self.known[place]

    def find(self, place):
        """The same, looked up."""
        for size, at, start, text in self.maps:
            if start <= place < start + size:
                return place
            if at <= place < at + size and text == (place < self.text):
                return start + place - at
        return place


def guest(args):
    """Boots the guest in the background."""
    args.folder.mkdir(parents=True, exist_ok=True)
    for carrier in args.carriers:
        for suffix in "begun", "rate", "perf":
            (args.folder / f"{carrier}.{suffix}").unlink(missing_ok=True)
    limit = 120 + len(args.carriers) * (args.seconds + 40)
    return subprocess.Popen(
        ["taskset", "-c", str(args.cpu), benchlib.UML / "run.sh", "smp",
         "-c", "1", "-m", "1G", "-t", str(limit), benchlib.BENCH / "profile.sh",
         str(args.seconds + 3), "whole" if args.whole else "packets",
         str(args.udp or "tcp"), *args.carriers],
        env={**os.environ, "MPTUN_RESULTS": str(args.folder)},
        stdout=sys.stderr)


def appear(process, file):
    """Waits for a file of the guest."""
    while not file.exists():
        if process.poll() is not None:
            sys.exit(f"profile.py: the guest ended without {file.name}")
        time.sleep(0.1)


def look(args, process, carrier):
    """Samples of a flow, in a file."""
    data = args.folder / f"{carrier}.perf"
    appear(process, args.folder / f"{carrier}.begun")
    time.sleep(1)
    try:
        subprocess.run(
            ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "1999",
             "-C", str(args.cpu), "-o", data, "--", "sleep",
             str(args.seconds)],
            check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as err:
        process.terminate()
        sys.exit(f"profile.py: perf: {err}")
    appear(process, args.folder / f"{carrier}.rate")


def stacks(args, carrier):
    """(PROGRAM, FUNCTIONS from the inside out) of each sample."""
    def script(*arguments):
        return subprocess.run(
            ["perf", "script", "-i", args.folder / f"{carrier}.perf",
             *arguments], check=True, text=True, capture_output=True).stdout

    samples = []
    for text in script("-F", "comm,pid,ip,sym").split("\n\n"):
        head, *lines = text.strip("\n").splitlines() or [""]
        program, _, pid = head.strip().rpartition(" ")
        if program:
            samples.append((program.strip(), int(pid), [
                int(line.split()[0], 16) for line in lines if line.strip()]))
    pids = collections.Counter(pid for program, pid, _ in samples
                               if program == KERNEL)
    pid = pids.most_common(1)[0][0]
    maps = Maps(script("--show-mmap-events"), pid)
    tree = subprocess.run([benchlib.UML / "build.sh", "--path", "smp"],
                          check=True, text=True, capture_output=True).stdout
    symbols = Symbols(pathlib.Path(tree.strip()) / "linux",
                      args.folder / "modules")
    for program, other, places in samples:
        if program == KERNEL and other != pid:
            continue
        if not places or places[0] >= HOST:
            yield program, None
        else:
            yield program, [symbols.name(maps.address(place))
                            for place in places]


def stage(program, functions):
    """Where a sample belongs, None if it is none of the guest's."""
    if program != KERNEL:
        return HOSTED[0] if program.startswith("uml-") else None
    if functions is None or functions[0] == OUTSIDE:
        return HOSTED[0]
    last = STAGES[-1][0]
    for function in functions:
        for name, _, pattern in STAGES[:-1]:
            if re.match(pattern, function):
                return name
    return last


def profile(args, carrier):
    """The rate, {STAGE: time for each Mbit or packet}, and the same by function."""
    by_stage, by_function = collections.Counter(), collections.Counter()
    for program, functions in stacks(args, carrier):
        name = stage(program, functions)
        if name:
            by_stage[name] += 1
            by_function[functions[0] if functions else HOSTED[0]] += 1
    rate = float((args.folder / f"{carrier}.rate").read_text("utf-8"))
    unit = (1e9 if args.udp else 1e6) / rate / by_stage.total()
    for counter in by_stage, by_function:
        for name in counter:
            counter[name] *= unit
    return rate, by_stage, by_function


def rows(args, found):
    """The table."""
    names = [name for name, _, _ in STAGES] + [HOSTED[0]]
    table = [["ns of each packet" if args.udp else "µs of each Mbit", *found]]
    table += [[name, *(f"{by_stage[name]:.0f}"
                       for _, by_stage, _ in found.values())]
              for name in names]
    table.append(["all", *(f"{by_stage.total():.0f}"
                           for _, by_stage, _ in found.values())])
    table.append(["all but the cipher",
                  *(f"{by_stage.total() - by_stage['cipher']:.0f}"
                    for _, by_stage, _ in found.values())])
    table.append(["packets/s" if args.udp else "Mbit/s",
                  *(f"{rate:.0f}" for rate, _, _ in found.values())])
    return table


def main():
    """Look, then show where the time went."""
    args = options()
    args.cpu = max(os.sched_getaffinity(0))
    process = guest(args)
    for carrier in args.carriers:
        look(args, process, carrier)
    if process.wait():
        sys.exit("profile.py: the guest failed")
    found = {carrier: profile(args, carrier) for carrier in args.carriers}
    table = rows(args, found)
    print(pages.rst_table(table))
    for carrier in found if args.top else ():
        print(f"{carrier}:")
        for name, time_us in found[carrier][2].most_common(args.top):
            print(f"{time_us:8.1f} {name}")
    if args.pages:
        names = [(name, what) for name, what, _ in STAGES] + [HOSTED]
        page.write("profile", "Profile: results", "one processor", ABOUT,
                   names, table)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""Figures of a run: medians, spreads, ratios, budgets.

Every round measures everything once. A ratio is taken within each round, so
that what the machine did to a round cancels out, and the median of these
ratios counts. The spread is half the distance of the quartiles.
"""
# Copyright (C) 2026 The mptun authors

import collections
import datetime
import statistics
import subprocess

from . import TOP

CARRIERS = ["veth", "vxlan", "wireguard", "ovpn", "mptun",
            "mptun-no-repair", "mptun-aes-gcm", "mptun-auth-only",
            "mptun-clear", "mptun-clear-2", "mptun-clear-4", "mptun-2-off"]
# What is compared with what: like with like
SEALED = ["mptun", "mptun-aes-gcm", "mptun-auth-only"]
COMPARED = {
    "wireguard": ["ovpn", *SEALED],
    "ovpn": ["wireguard", *SEALED],
    "vxlan": ["veth", "mptun-clear", "mptun-clear-2", "mptun-clear-4"],
    "mptun-clear": SEALED,
    "mptun-no-repair": ["mptun"],
}
CABLES = {"packets": "every packet on its own",
          "whole": "packets of 64 KiB pass whole"}
# name: (title, divisor, digits, more is better)
MEASURES = {
    "tcp": ("TCP Mbit/s", 1, 0, True),
    "udp64": ("64 B kpkt/s", 1000, 1, True),
    "udp512": ("512 B kpkt/s", 1000, 1, True),
    "udp1400": ("1400 B kpkt/s", 1000, 1, True),
    "cpu64": ("64 B ns", 1, 0, False),
    "cpu512": ("512 B ns", 1, 0, False),
    "cpu1400": ("1400 B ns", 1, 0, False),
    "ask": ("round trips/s", 1, 0, True),
}


def commit():
    """The commit that is measured, with a plus if files differ."""
    return subprocess.run(
        ["git", "-C", TOP, "describe", "--always", "--abbrev=10", "--dirty=+",
         "--exclude=*"], check=False, text=True,
        capture_output=True).stdout.strip() or "unknown"


class Budget:  # pylint: disable=too-few-public-methods
    """A bound of the design, and the measured value."""

    def __init__(self, what, bound, value, more=True):
        self.what, self.bound, self.value, self.more = what, bound, value, more

    def kept(self):
        """Whether the bound is kept."""
        if self.more:
            return self.value >= self.bound
        return self.value <= self.bound


class Run:
    """The measurements of one run."""

    def __init__(self, table, args):
        self.rounds, self.seconds = args.rounds, args.seconds
        self.tunnels, self.cpus = args.tunnels, args.cpus
        self.date = datetime.date.today().isoformat()
        self.commit = commit()
        self.values = collections.defaultdict(dict)
        for line in table.read_text("utf-8").splitlines():
            number, carrier, cable, name, value = line.split("\t")
            self.values[carrier, cable, name][int(number)] = float(value)

    def median(self, key):
        """The median over all rounds."""
        return statistics.median(self.values[key].values())

    def spread(self, key):
        """Half the distance of the quartiles, as a part of the median."""
        return self._spread(list(self.values[key].values()))

    @staticmethod
    def _spread(values):
        if len(values) < 2:
            return 0
        first, middle, third = statistics.quantiles(
            values, n=4, method="inclusive")
        return (third - first) / 2 / middle

    def ratio(self, one, other):
        """The median of the ratios within each round, and its spread."""
        found = [self.values[one][number] / self.values[other][number]
                 for number in self.values[one]
                 if number in self.values[other]]
        return statistics.median(found), self._spread(found)

    def against(self, carrier, cable, name, other="vxlan"):
        """A carrier against another one."""
        return self.ratio((carrier, cable, name), (other, cable, name))[0]

    def budgets(self):
        """The budgets for speed and memory, as in the design."""
        few = min(int(cable) for carrier, cable, _ in self.values
                  if carrier == "tunnels")
        many = str(self.tunnels)
        for cable, what in (("packets", "every packet on its own"),
                            ("whole", "where 64 KiB pass whole")):
            yield Budget(f"TCP against WireGuard, {what}", 1.2,
                         self.against("mptun", cable, "tcp", "wireguard"))
        yield Budget("packets of 64 bytes a second against WireGuard", 1,
                     self.against("mptun", "packets", "udp64", "wireguard"))
        yield Budget("TCP against VXLAN, every packet on its own", 0.8,
                     self.against("mptun-clear", "packets", "tcp"))
        yield Budget("TCP against VXLAN, where 64 KiB pass whole", 0.4,
                     self.against("mptun-clear", "whole", "tcp"))
        for cable, what in CABLES.items():
            yield Budget(f"TCP, repair auto against off, {what}", 0.99,
                         self.against("mptun", cable, "tcp",
                                      "mptun-no-repair"))
        yield Budget("packets of 1400 bytes a second, repair auto against off",
                     0.99, self.against("mptun", "packets", "udp1400",
                                        "mptun-no-repair"))
        for size in ("64", "512", "1400"):
            yield Budget(f"packets of {size} bytes a second against VXLAN",
                         0.8, self.against("mptun-clear", "packets",
                                           f"udp{size}"))
        yield Budget("TCP over two paths against one", 1,
                     self.against("mptun-clear-2", "packets", "tcp",
                                  "mptun-clear"))
        yield Budget("TCP over four paths against one", 0.95,
                     self.against("mptun-clear-4", "packets", "tcp",
                                  "mptun-clear"))
        yield Budget("TCP over two paths, adaptive against off", 0.99,
                     self.against("mptun-clear-2", "packets", "tcp",
                                  "mptun-2-off"))
        yield Budget(f"traffic of {few} tunnels of {many} against {few} "
                     "alone", 0.95,
                     self.ratio(("tunnels", many, "udp512"),
                                ("tunnels", str(few), "udp512"))[0])
        yield Budget("KiB of a tunnel at rest with a path, beyond a device's",
                     32, self.tunnel_kib() - self.device_kib(), more=False)

    def tunnel_kib(self):
        """Memory of one of many tunnels, with device and path."""
        return self.median(("mptun", str(self.tunnels), "tunnel_kib"))

    def device_kib(self):
        """Memory of a VXLAN device that is set up in the same way."""
        return next(self.median(key) for key in self.values
                    if key[2] == "device_kib")

    def as_dict(self):
        """The run as a dictionary, for the JSON files."""
        return {"date": self.date, "commit": self.commit,
                "rounds": self.rounds, "seconds": self.seconds,
                "cpus": self.cpus, "tunnels": self.tunnels,
                "medians": {" ".join(key): self.median(key)
                            for key in self.values},
                "spreads": {" ".join(key): round(self.spread(key), 4)
                            for key in self.values},
                "budgets": {budget.what: round(budget.value, 3)
                            for budget in self.budgets()}}

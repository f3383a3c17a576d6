#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Two fresh machines with the packages: a server and a client. KTAP.

usage: run.py [--server SUITE] [--home SUITE] [--no-build]

  --server, --home  releases of Debian (bookworm, trixie)
  --no-build        use the images of the last run

The machines run the kernel and systemd of their releases, in QEMU (software
emulation, unless MPTUN_ACCEL says kvm), with nothing of this machine but the
packages. Two links connect them; the server is also the router at their other
end and the server of names. The set-up is that of the user guide. Each step
ends when both paths are up and a ping and a file have passed the tunnel, and
prints after how many seconds that was.
"""
# Copyright (C) 2026 The mptun authors

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from machine import Failed, Machine, wait

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MPTUN_BUILD", TOP / "build")) / "fresh"
NAME = "vpn.example.org"
ADDRESSES = ["198.51.100.7", "198.51.100.8"]
RESOLVER = "203.0.113.53"
INSIDE = "10.47.0.1"
SIZE = 4 << 20
# Seconds after which the tunnel has to be whole again
WHOLE = 180

LINK = """[Match]
Name={dev}
[Network]
Address={address}/25
{route}
[TokenBucketFilter]
Parent=root
Rate=4M
BurstBytes=32K
LatencySec=100ms
"""
ROUTE = """[Route]
Gateway={gateway}
Metric={metric}
"""
LOOPBACK = """[Match]
Name=lo
[Network]
Address={address}/32
Address={resolver}/32
"""
NAMES = """[Unit]
After=network.target
[Service]
ExecStart=/usr/sbin/dnsmasq -k -u root -C /dev/null --no-resolv --no-hosts \
--listen-address={resolver} --bind-dynamic --host-record={name},{address}
[Install]
WantedBy=multi-user.target
"""
# As the user guide says, for machines with systemd-networkd
KEEP = """[Network]
ManageForeignRoutingPolicyRules=no
ManageForeignRoutes=no
"""
FORWARD = """net.ipv4.ip_forward = 1
net.ipv6.conf.all.forwarding = 1
"""


class Pair:
    """Both machines, and what the tests do with them."""

    def __init__(self, args, folder):
        self.server = Machine("server", args.server, folder,
                              {1: "home", 2: "home"})
        self.home = Machine("home", args.home, folder,
                            {1: "server", 2: "server"})
        self.hash = None

    def both(self):
        """Return both machines."""
        return self.server, self.home

    def link(self, machine, dev, host):
        """Write the file of a link, eth0 or eth1, with a host's address."""
        net = 128 * int(dev[-1])
        route = ""
        if machine is self.home:
            route = ROUTE.format(gateway=f"192.0.2.{net + 1}",
                                 metric=100 + net)
        machine.write(f"/etc/systemd/network/{dev}.network", LINK.format(
            dev=dev, address=f"192.0.2.{net + host}", route=route))
        machine.run(f"chmod 644 /etc/systemd/network/{dev}.network")

    def address(self, address):
        """Give the server an address, and its name that address."""
        file = "/etc/systemd/network/lo.network"
        self.server.write(file, LOOPBACK.format(address=address,
                                                resolver=RESOLVER))
        self.server.run(f"chmod 644 {file}")
        self.server.write("/etc/systemd/system/names.service", NAMES.format(
            resolver=RESOLVER, name=NAME, address=address))

    def networks(self):
        """Set up the network of both machines."""
        for host, machine in enumerate(self.both(), 1):
            machine.run(f"echo {machine.name} >/etc/hostname")
            self.link(machine, "eth0", host)
            self.link(machine, "eth1", host)
        self.address(ADDRESSES[0])
        self.home.write("/etc/resolv.conf", f"nameserver {RESOLVER}\n")
        self.home.run("mkdir -p /etc/systemd/networkd.conf.d")
        self.home.write("/etc/systemd/networkd.conf.d/mptun.conf", KEEP)
        self.home.run("chmod 644 /etc/systemd/networkd.conf.d/mptun.conf")
        for machine in self.both():
            machine.run("systemctl enable --now systemd-networkd")
        self.server.run("systemctl enable --now names")

    def paths(self):
        """Return the paths of the client by their names."""
        tunnels = json.loads(self.home.run("mptunctl show -j"))
        return {path["name"]: path for path in tunnels[0]["paths"]} \
            if tunnels else {}

    def up(self):
        """Return the names of the paths that are up, in order."""
        return sorted(name for name, path in self.paths().items()
                      if path["state"] == "up")

    def wait_up(self, names, seconds=WHOLE):
        """Wait until just these paths are up."""
        wait(f"paths up: {names}", seconds, lambda: self.up() == names)

    def ping(self):
        """Ping the server through the tunnel: every packet is answered."""
        said = self.home.run(f"ping -q -c 5 -i 0.5 -W 10 {INSIDE}")
        if " 0% packet loss" not in said:
            raise Failed(said)

    def received(self):
        """Return how many bytes the tunnel has received."""
        return int(self.home.run(
            "cat /sys/class/net/home/statistics/rx_bytes"))

    def file(self, meanwhile=None):
        """Fetch a file in one TCP connection through the tunnel.

        meanwhile is called after an eighth of it.
        """
        before = self.received()
        sender = self.server.begin(f"nc -N -l {INSIDE} 9000 </root/file")
        wait("nc listens", 60, lambda: self.server.run(
            "ss -Hltn sport = 9000").strip(), 0.2)
        receiver = self.home.begin(f"nc -d {INSIDE} 9000 | sha256sum")
        if meanwhile:
            wait("part of the file", WHOLE,
                 lambda: self.received() > before + SIZE / 8, 0.1)
            meanwhile()
            if self.received() > before + SIZE:
                raise Failed("the file was there before")
        begin = time.monotonic()
        got = self.home.end(receiver).split()[0]
        self.server.end(sender)
        if got != self.hash:
            raise Failed(f"the file has changed: {got} {self.hash}")
        if meanwhile:
            print("# the transfer ended after another "
                  f"{time.monotonic() - begin:.0f} s", flush=True)

    def shared(self):
        """Fetch the file; each path carries at least a tenth of it."""
        before = self.paths()
        self.file()
        share = {name: path["stats"]["rx_bytes"] -
                 before[name]["stats"]["rx_bytes"]
                 for name, path in self.paths().items()}
        if min(share.values()) < SIZE / 10:
            raise Failed(f"bytes of paths: {share}")

    def whole(self):
        """Wait until both paths are up and carry traffic; say how long."""
        begin = time.monotonic()
        self.wait_up(["eth0", "eth1"])
        up = time.monotonic()
        self.ping()
        ping = time.monotonic()
        self.shared()
        end = time.monotonic()
        print(f"# both paths up after {up - begin:.0f} s; "
              f"5 pings took {ping - up:.0f} s, "
              f"{SIZE >> 20} MiB {end - ping:.0f} s", flush=True)


def test_boot(pair, images):
    """The machines boot their own kernels"""
    for machine in pair.both():
        machine.start(images)
    for machine in pair.both():
        machine.wait_booted()
        print(f"# {machine.name}:", machine.run(
            ". /etc/os-release; echo $PRETTY_NAME, $(uname -r), "
            "$(systemctl --version | head -n 1)").strip(), flush=True)
        machine.run(f"grep -q '^VERSION_CODENAME={machine.suite}$' "
                    "/etc/os-release")


def test_module(pair, _):
    """The packages are installed, with the module by DKMS"""
    for machine in pair.both():
        said = machine.run("dkms status mptun")
        if f"{machine.run('uname -r').strip()}, x86_64: installed" not in said:
            raise Failed(f"{machine.name}: {said}")
        machine.run("modinfo -F filename mptun | grep /updates/dkms/")
        machine.run("mptunctl --version")


def test_server(pair, _):
    """The server is set up as the user guide says"""
    pair.networks()
    server = pair.server
    server.run(f"mptunctl server init endpoint {NAME}")
    server.write("/etc/sysctl.d/mptun.conf", FORWARD)
    # as "sysctl -p", which a minimal system does not have
    server.run("systemctl restart systemd-sysctl")
    server.run("systemctl enable --now mptun-server")
    server.run(f"head -c {SIZE} /dev/urandom >/root/file")
    pair.hash = server.run("sha256sum /root/file").split()[0]


def test_client(pair, _):
    """A client is added, and its file copied: traffic over both uplinks"""
    file = pair.server.run("mptunctl server add-client home").split()[-1]
    pair.home.write("/etc/mptun/home.conf", pair.server.run(f"cat {file}"))
    pair.home.run("systemctl enable --now mptun@home")
    pair.whole()


def reboot(pair, machine, units):
    """Reboot a machine; its units are active after that."""
    begin = time.monotonic()
    machine.reboot()
    print(f"# rebooted in {time.monotonic() - begin:.0f} s", flush=True)
    machine.run(f"systemctl is-active {units}")
    pair.whole()


def test_reboot_home(pair, _):
    """The client reboots"""
    reboot(pair, pair.home, "mptun@home mptund@home")


def test_reboot_server(pair, _):
    """The server reboots"""
    reboot(pair, pair.server, "mptun-server")


def test_uplink_address(pair, _):
    """An uplink gets a new address, during a transfer"""
    def change():
        pair.link(pair.home, "eth0", 3)
        pair.home.run("networkctl reload && networkctl reconfigure eth0")
        wait("new address", 60, lambda: "192.0.2.3/" in pair.home.run(
            "ip -4 addr show dev eth0"))

    pair.file(change)
    pair.whole()
    local = pair.server.run("mptunctl show home -j")
    if '"192.0.2.3"' not in local:
        raise Failed(local)


def test_server_address(pair, _):
    """The server gets a new address behind its name"""
    pair.address(ADDRESSES[1])
    pair.server.run("systemctl daemon-reload; networkctl reload; "
                    "networkctl reconfigure lo; systemctl restart names")
    # systemd 252 leaves the old one on the loopback device
    pair.server.run(f"ip addr del {ADDRESSES[0]}/32 dev lo || :")
    said = pair.server.run("ip -4 addr show dev lo")
    if ADDRESSES[0] in said or ADDRESSES[1] not in said:
        raise Failed(said)
    begin = time.monotonic()
    wait("paths to it", WHOLE, lambda: ADDRESSES[1] in pair.home.run(
        "mptunctl show -j"))
    print(f"# found after {time.monotonic() - begin:.0f} s", flush=True)
    pair.whole()


def lose(pair, machine, link, left):
    """A cable is pulled out at a machine, during a transfer, and in again."""
    pair.file(lambda: machine.cable(link, False))
    pair.wait_up([left])
    pair.ping()
    pair.file()
    machine.cable(link, True)
    pair.whole()


def test_lose_first(pair, _):
    """The first uplink loses its carrier, during a transfer"""
    lose(pair, pair.home, 1, "eth1")


def test_lose_second(pair, _):
    """The second uplink fails silently, during a transfer"""
    lose(pair, pair.server, 2, "eth0")


TESTS = (test_boot, test_module, test_server, test_client, test_reboot_home,
         test_reboot_server, test_uplink_address, test_server_address,
         test_lose_first, test_lose_second)


def build(args):
    """Build the packages and the images."""
    tools = TOP / "selftests/tools"
    subprocess.run([tools / "deps.sh", "build", "deb", "fresh"], check=True,
                   stdout=sys.stderr)
    subprocess.run([TOP / "tools/packaging/deb.sh", BUILD / "deb"], check=True,
                   stdout=sys.stderr)
    for suite in sorted({args.server, args.home}):
        subprocess.run([TOP / "selftests/fresh/image.sh", suite, BUILD],
                       check=True, stdout=sys.stderr)


def explain(pair):
    """Write to standard error what helps to find out why a test failed."""
    for machine in pair.both():
        try:
            said = machine.run(
                "ip addr; ip rule; ip route; mptunctl show -d; "
                "journalctl -q -n 60 -u 'mptun*' -u systemd-networkd", None)
        except (Failed, AttributeError, OSError) as error:
            said = str(error)
        print(f"--- {machine.name}:\n{said}", file=sys.stderr)
        if machine.path("console").exists():
            print(*machine.path("console").read_text(
                "utf-8", "replace").splitlines()[-20:],
                  sep="\n", file=sys.stderr)


def run(pair):
    """Run the tests, each on what the one before has left."""
    print(f"KTAP version 1\n1..{len(TESTS)}", flush=True)
    for number, test in enumerate(TESTS, 1):
        begin = time.monotonic()
        try:
            test(pair, BUILD)
            result = "ok"
        except (Failed, KeyError, IndexError, OSError) as error:
            print("# " + f"{type(error).__name__}: {error}".replace(
                "\n", "\n# "))
            result = "not ok"
        print(f"# {time.monotonic() - begin:.0f} s")
        print(f"{result} {number} {test.__doc__}", flush=True)
        if result != "ok":
            explain(pair)
            return 1
    return 0


def main():
    """Build, and run the tests."""
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--server", default="bookworm")
    parser.add_argument("--home", default="trixie")
    parser.add_argument("--no-build", action="store_true")
    args = parser.parse_args()
    if not args.no_build:
        build(args)
    # the name of a socket is short, that of the build folder may be long
    with tempfile.TemporaryDirectory(prefix="mptun-fresh.") as folder:
        pair = Pair(args, pathlib.Path(folder))
        try:
            return run(pair)
        finally:
            for machine in pair.both():
                machine.stop()


if __name__ == "__main__":
    sys.exit(main())

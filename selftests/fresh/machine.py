# SPDX-License-Identifier: GPL-2.0
"""A virtual machine of a distribution, driven through QEMU's guest agent."""
# Copyright (C) 2026 The mptun authors

import base64
import json
import os
import socket
import subprocess
import time

# Seconds after which a machine has failed to boot, and a command to end;
# emulated machines are slow
BOOT = 600
COMMAND = 300


class Failed(Exception):
    """A command failed, or something did not happen in time."""


def wait(what, seconds, check, pause=1):
    """Call check until it returns something true, and return that."""
    end = time.monotonic() + seconds
    while not (value := check()):
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(pause)
    return value


class Lines:
    """A socket of QEMU on which each message is a line of JSON."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.rest = b""

    def send(self, name, /, **arguments):
        """Send a command."""
        message = {"execute": name, "arguments": arguments}
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, seconds):
        """Return the next message."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            self.socket.settimeout(max(end - time.monotonic(), 0.01))
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                raise Failed(f"no answer within {seconds} s") from None
            if not part:
                raise Failed("QEMU has ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def call(self, name, seconds=COMMAND, /, **arguments):
        """Send a command and return its result."""
        self.send(name, **arguments)
        while True:
            answer = self.receive(seconds)
            if "error" in answer:
                raise Failed(f"{name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def sync(self):
        """Drop what the agent said before; whether it answers now."""
        number = time.monotonic_ns() & 0x7fffffff
        try:
            self.send("guest-sync", id=number)
            while self.receive(10).get("return") != number:
                pass
        except Failed:
            return False
        return True


class Machine:
    """A machine from the image of a suite.

    Its disk keeps what is written while it reboots, and not when QEMU ends.
    peers has for each link the name of the machine at its other end; the
    sockets of the links are in the folder.
    """

    def __init__(self, name, suite, folder, peers):
        self.name, self.suite, self.folder = name, suite, folder
        self.peers = peers
        self.agent = self.monitor = self.qemu = None

    def path(self, what):
        """Return a file of this machine in the folder."""
        return self.folder / f"{self.name}.{what}"

    def link(self, number, peer):
        """Return QEMU's arguments for a link; the first one is eth0."""
        to = self.folder / f"{peer}.link{number}"
        mac = f"52:54:00:00:{number:02x}:{int(self.name > peer):02x}"
        return ["-netdev",
                f"dgram,id=net{number},local.type=unix,"
                f"local.path={self.path(f'link{number}')},"
                f"remote.type=unix,remote.path={to}",
                "-device", f"virtio-net-pci,id=link{number},"
                f"netdev=net{number},romfile=,mac={mac}"]

    def options(self, images):
        """Return the arguments of QEMU."""
        image = images / self.suite
        accel = os.environ.get("MPTUN_ACCEL", "tcg")
        options = [
            "-nodefaults", "-no-user-config", "-display", "none", "-M", "q35",
            "-accel", accel, "-cpu", "host" if accel == "kvm" else "max",
            "-m", "1G", "-kernel", f"{image}.vmlinuz",
            "-initrd", f"{image}.initrd",
            "-append", "root=/dev/vda rw console=ttyS0 net.ifnames=0 quiet",
            "-drive", f"file={image}.img,if=virtio,format=raw,snapshot=on",
            "-serial", f"file:{self.path('console')}",
            "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            "-chardev",
            f"socket,id=agent,path={self.path('agent')},server=on,wait=off",
            "-device",
            "virtserialport,chardev=agent,name=org.qemu.guest_agent.0",
            "-qmp", f"unix:{self.path('qmp')},server=on,wait=off"]
        for number, peer in self.peers.items():
            options += self.link(number, peer)
        return options

    def start(self, images):
        """Start QEMU."""
        with open(self.path("qemu"), "wb") as log:
            self.qemu = subprocess.Popen(
                ["qemu-system-x86_64", *self.options(images)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait("QEMU starts", 30, lambda: self.qemu.poll() is not None or
             self.path("qmp").exists() and self.path("agent").exists(), 0.1)
        if self.qemu.poll() is not None:
            raise Failed(self.path("qemu").read_text("utf-8"))
        self.agent = Lines(self.path("agent"))
        self.monitor = Lines(self.path("qmp"))
        self.monitor.receive(30)
        self.monitor.call("qmp_capabilities")

    def stop(self):
        """End QEMU."""
        if self.qemu and self.qemu.poll() is None:
            self.qemu.kill()
            self.qemu.wait()

    def wait_booted(self):
        """Wait until systemd has started everything."""
        wait(f"{self.name} boots", BOOT, self.agent.sync)
        wait(f"{self.name} starts its services", BOOT, lambda: self.run(
            "systemctl is-system-running", None).strip() in
            ("running", "degraded"), 3)

    def reboot(self):
        """Reboot, and wait until the machine is up again."""
        file = "/proc/sys/kernel/random/boot_id"
        before = self.run(f"cat {file}")
        self.agent.send("guest-shutdown", mode="reboot")

        def rebooted():
            try:
                return self.agent.sync() and self.run(f"cat {file}") != before
            except Failed:
                return False

        wait(f"{self.name} reboots", BOOT, rebooted)
        self.wait_booted()

    def cable(self, number, plugged):
        """Plug in the cable of a link at this machine, or pull it out."""
        self.monitor.call("set_link", name=f"link{number}", up=plugged)

    def begin(self, command, text=""):
        """Start a command of the shell, and return its number."""
        return self.agent.call("guest-exec", path="/bin/sh",
                               arg=["-c", command],
                               **{"input-data": base64.b64encode(
                                   text.encode()).decode(),
                                  "capture-output": True})["pid"]

    def end(self, pid, status=0):
        """Wait for a command and return what it printed.

        A status other than that is an error, unless it is None.
        """
        done = wait(f"{self.name}: a command", COMMAND, lambda: (
            it := self.agent.call("guest-exec-status", pid=pid))["exited"]
            and it, 0.2)
        out, err = (base64.b64decode(done.get(name, "")).decode()
                    for name in ("out-data", "err-data"))
        if status is not None and done.get("exitcode") != status:
            raise Failed(f"status {done.get('exitcode')}: {out}{err}".strip())
        return out

    def run(self, command, status=0, text=""):
        """Run a command of the shell on that input; return what it printed."""
        try:
            return self.end(self.begin(command, text), status)
        except Failed as error:
            raise Failed(f"{self.name}: {command}: {error}") from None

    def write(self, path, text):
        """Write a file, as readable for root alone."""
        self.run(f"umask 077; cat >{path}", text=text)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# mptunctl top on a terminal, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: terminal.py MPTUNCTL-FAKE
"""mptunctl top on a pseudo-terminal: KTAP."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE_S = 20
TAKE, GIVE = b"\033[?1049h\033[?25l", b"\033[?25h\033[?1049l"
CLEAR = b"\033[K\033[J"


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, prog, state, *words, columns=80, **env):
        self.master, slave = pty.openpty()
        self.resize(24, columns)
        self.before = termios.tcgetattr(self.master)
        env = {"MPTUN_FAKE": state, "MPTUN_FAKE_GROW": "100000",
               "TERM": "xterm", "LC_ALL": "C.UTF-8",
               "PATH": os.environ["PATH"], **env}
        self.child = subprocess.Popen(
            [prog, "top", "-i", "0.1", *words], stdin=slave, stdout=slave,
            stderr=slave, env=env, start_new_session=True,
            preexec_fn=self.prepare)
        os.close(slave)
        self.seen = b""

    @staticmethod
    def prepare():
        """Default signals, as for a program of a terminal."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    def resize(self, rows, columns):
        """Another size, of which the program is notified."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        """Read its output; False if it has ended."""
        ready = select.select([self.master], [], [], 0.05)[0]
        try:
            self.seen += os.read(self.master, 65536) if ready else b""
        except OSError:
            return False
        return True

    def wait(self, test, what):
        """Until the test is true of a new picture."""
        self.seen = b""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            alive = self.read()
            for picture in self.pictures():
                if test(picture):
                    return picture
            if not alive:
                break
        raise AssertionError(f"no picture with {what}: {self.seen[-2000:]}")

    def pictures(self):
        """Complete pictures."""
        return [part.split(b"\033[H", 1)[1].decode()
                for part in self.seen.split(CLEAR)[:-1] if b"\033[H" in part]

    def key(self, keys):
        """Press keys."""
        os.write(self.master, keys)

    def end(self, status=0):
        """It ends by itself and restores the terminal."""
        end = time.monotonic() + PATIENCE_S
        while self.child.poll() is None and time.monotonic() < end:
            self.read()
        while self.read() and select.select([self.master], [], [], 0)[0]:
            pass
        assert self.child.poll() == status, self.child.poll()
        assert termios.tcgetattr(self.master) == self.before
        assert GIVE in self.seen, self.seen[-2000:]
        return self.seen.split(GIVE, 1)[1]

    def close(self):
        """In any case."""
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.master)


def lines(picture):
    """Its lines without sequences and blanks at the end."""
    text = re.sub(r"\033\[[0-9;?]*[a-zA-Z]", "", picture)
    return [line.rstrip() for line in text.split("\r\n")]


def live(term):
    """Redrawn at intervals, until q ends it."""
    while TAKE not in term.seen:
        assert term.read(), term.seen
    picture = term.wait(lambda p: re.search("wan1 .*bit [▏▎▍▌▋▊▉█]", p),
                        "a bar")
    assert lines(picture)[0].startswith("mp0: established"), picture
    assert "q quit" in lines(picture)[-1], picture
    assert "\033[32mup" in picture, picture
    mode = termios.tcgetattr(term.master)[3]
    assert not mode & (termios.ICANON | termios.ECHO)
    term.key(b"q")
    assert term.end() == b""


def plain(term):
    """No colours with NO_COLOR, no blocks without UTF-8."""
    picture = term.wait(lambda p: re.search("wan1 .*bit [#=-]", p), "a bar")
    assert not re.search(r"\033\[[0-9]+m", picture), picture
    assert picture.isascii(), picture
    term.key(b"q")
    term.end()


def resized(term):
    """The next picture fits the window."""
    term.wait(lambda p: "wan1" in p, "a path")
    term.resize(24, 200)
    term.wait(lambda p: max(map(len, lines(p))) > 150, "long lines")
    term.resize(5, 30)
    picture = term.wait(lambda p: max(map(len, lines(p))) <= 30,
                        "short lines")
    assert len(lines(picture)) == 5, picture
    assert "wan1" in picture and "wan2" not in picture, picture
    term.key(b"\033[B")
    term.wait(lambda p: "wan2" in p and "mp0" not in p, "the next line")
    term.key(b"k")
    term.wait(lambda p: "mp0" in p, "the first line")
    term.key(b"q")
    term.end()


def keys(term):
    """Pause, and other intervals."""
    term.wait(lambda p: "every 100ms  q quit" in p, "the interval")
    term.key(b"+")
    term.wait(lambda p: "every 200ms" in p, "a longer one")
    term.key(b"-")
    term.key(b"-")
    term.wait(lambda p: "every 100ms" in p, "the shortest")
    term.key(b" ")
    term.wait(lambda p: "(paused)" in p, "a pause")
    term.seen = b""
    time.sleep(0.5)
    term.read()
    assert not term.pictures(), term.seen
    term.key(b"x")
    term.wait(lambda p: "space resume" in p, "a pause still")
    term.key(b" ")
    term.wait(lambda p: "space pause" in p, "its end")
    term.key(b"q")
    term.end()


def signals(number):
    """A test: the signal ends it, and it restores the terminal."""
    def run(term):
        term.wait(lambda p: "wan1" in p, "a path")
        term.child.send_signal(number)
        term.end()
    return run


def interrupted(term):
    """Control and C."""
    term.wait(lambda p: "wan1" in p, "a path")
    term.key(b"\003")
    term.end()


def stopped(term):
    """Control and Z: the shell has the terminal until the program resumes."""
    term.wait(lambda p: "wan1" in p, "a path")
    term.seen = b""
    term.child.send_signal(signal.SIGTSTP)
    _, status = os.waitpid(term.child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    term.read()
    assert GIVE in term.seen, term.seen
    assert termios.tcgetattr(term.master) == term.before
    term.child.send_signal(signal.SIGCONT)
    term.wait(lambda p: "wan1" in p, "a path")
    term.key(b"q")
    term.end()


def failed(term):
    """An error is printed where it can be read."""
    term.wait(lambda p: "wan1" in p, "a path")
    rest = term.end(2)
    assert rest == (b"mptunctl: the list kept changing while it was read"
                    b"\r\n"), rest


TESTS = [
    ("live, until q", live, {}, []),
    ("without colours and UTF-8", plain,
     {"NO_COLOR": "1", "LC_ALL": "C"}, []),
    ("another size, and lines that do not fit", resized, {}, ["mp0"]),
    ("keys", keys, {}, []),
    ("SIGTERM", signals(signal.SIGTERM), {}, []),
    ("SIGHUP", signals(signal.SIGHUP), {}, []),
    ("interrupted", interrupted, {}, []),
    ("stopped, and on again", stopped, {}, []),
    ("failed", failed, {"MPTUN_FAKE_FAIL": "5"}, []),
]


def main():
    """Run all of them."""
    prog = os.path.abspath(sys.argv[1])
    status = 0
    print(f"KTAP version 1\n1..{len(TESTS)}")
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state")
        for words in ("add mp0 cipher clear id 7",
                      "path add mp0 wan1 remote 198.51.100.7",
                      "path add mp0 wan2 remote 198.51.100.7"):
            subprocess.run([prog, *words.split()], check=True,
                           env={"MPTUN_FAKE": state})
        for number, (name, test, env, words) in enumerate(TESTS, 1):
            term = Terminal(prog, state, *words, **env)
            verdict = "ok"
            try:
                test(term)
            except AssertionError as err:
                print(f"# {err}")
                verdict, status = "not ok", 1
            finally:
                term.close()
            print(f"{verdict} {number} terminal: {name}", flush=True)
    sys.exit(status)


if __name__ == "__main__":
    main()

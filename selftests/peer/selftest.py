#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Tests the Python peer itself, on loopback, without the module. TAP.

usage: selftest.py [CLASS[.TEST]...]
"""

import sys
import unittest

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position, wildcard-import
from test_coding import *  # noqa: E402, F401, F403
from test_peer import *  # noqa: E402, F401, F403
from test_weak import *  # noqa: E402, F401, F403
from test_wire import *  # noqa: E402, F401, F403


class Tap(unittest.TextTestResult):
    """One line of TAP per test."""

    def startTestRun(self):
        self.stream.writeln("TAP version 13")

    def _line(self, word, test):
        self.stream.writeln(f"{word} {self.testsRun} {test.id()}")

    def addSuccess(self, test):
        unittest.TestResult.addSuccess(self, test)
        self._line("ok", test)

    def _bad(self, test, err):
        for line in self._exc_info_to_string(err, test).splitlines():
            self.stream.writeln(f"# {line}")
        self._line("not ok", test)

    def addFailure(self, test, err):
        unittest.TestResult.addFailure(self, test, err)
        self._bad(test, err)

    def addError(self, test, err):
        unittest.TestResult.addError(self, test, err)
        self._bad(test, err)

    def printErrors(self):
        pass


class Runner(unittest.TextTestRunner):
    """Prints TAP and nothing else."""

    resultclass = Tap

    def run(self, test):
        result = self._makeResult()
        result.startTestRun()
        test(result)
        self.stream.writeln(f"1..{result.testsRun}")
        return result


if __name__ == "__main__":
    unittest.main(testRunner=Runner(stream=sys.stdout, verbosity=0),
                  verbosity=0)

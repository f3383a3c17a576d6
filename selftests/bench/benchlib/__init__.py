# SPDX-License-Identifier: GPL-2.0
"""What the benches share. A script calls need() before it imports a module."""
# Copyright (C) 2026 The mptun authors

import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
BENCH = TOP / "selftests/bench"
UML = TOP / "selftests/kernels/uml"
# simlib draws plots and tables
sys.path.insert(0, str(TOP / "selftests/sim"))


def need(*groups):
    """Install the packages that the modules of this folder import."""
    subprocess.run([TOP / "selftests/tools/deps.sh", *groups], check=True)

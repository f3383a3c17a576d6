# SPDX-License-Identifier: GPL-2.0
"""Scenarios in virtual time: load, run, collect, judge, report, plot."""
# Copyright (C) 2026 The mptun authors

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Draws what selftests/net/data_aggregate.sh measured.

usage: selftests/tools/plot-aggregate.py TSV SVG

TSV is a table like Documentation/results/aggregate.tsv: paths, skew, direction,
share of the sum, Mbit/s through the tunnel, of each path alone (joined by +),
and without reordering. Needs python3-matplotlib.
"""
# Copyright (C) 2026 The mptun authors

import csv
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "mptun"  # the same file every time
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = ["#4e79a7", "#a0cbe8", "#59a14f", "#8cd17d"]


def rows(path):
    """The table's rows, forward direction only."""
    with open(path, encoding="utf-8") as table:
        lines = [line for line in table if not line.startswith("#")]
    return [row for row in csv.DictReader(lines, delimiter="\t")
            if row["direction"] == "forward"]


def label(row):
    """Paths and skew, in two lines."""
    paths = "4 x 2" if row["paths"].count("+") == 3 else row["paths"]
    return f"{paths} MB/s\n{row['skew_ms']} ms"


def draw(table, out):
    """One group of bars for each row."""
    fig, axes = plt.subplots(figsize=(11, 4))
    for i, row in enumerate(table):
        base = 0.0
        for n, rate in enumerate(float(r) for r in row["alone"].split("+")):
            axes.bar(i - 0.27, rate, 0.25, bottom=base, color=COLOURS[n % 4],
                     edgecolor="white", linewidth=0.5)
            base += rate
        axes.bar(i, float(row["tunnel"]), 0.25, color="#f28e2b")
        axes.bar(i + 0.27, float(row["reorder_off"]), 0.25, color="#bab0ac")
        axes.text(i, float(row["tunnel"]) + 0.7,
                  f"{float(row['percent']):.0f} %", ha="center", fontsize=8)
    axes.set_xticks(range(len(table)), [label(row) for row in table],
                    fontsize=8)
    axes.set_ylabel("Mbit/s")
    axes.set_title("One TCP flow: each path alone (stacked), the tunnel, "
                   "the tunnel without reordering", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    fig.tight_layout()
    fig.savefig(out, metadata={"Date": None})


def main():
    """Command line."""
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    draw(rows(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""Plots of results, as SVG and PNG."""
# Copyright (C) 2026 The mptun authors

import math

import matplotlib

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "mptun"  # the same file every time
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["path.simplify_threshold"] = 0.5
import matplotlib.pyplot as plt  # noqa: E402

from . import expr, judge  # noqa: E402

COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1",
           "#edc948", "#9c755f", "#ff9da7", "#bab0ac", "#86bcb6", "#d37295"]
SMOOTH = 5  # rates are means of half a second


def tidy(axes):
    """No frame, a fine grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, linewidth=0.3)


def save(fig, stem):
    """Both formats."""
    fig.tight_layout()
    fig.savefig(f"{stem}.svg", metadata={"Date": None})
    fig.savefig(f"{stem}.png", dpi=110, metadata={"Software": None})
    plt.close(fig)


def curves(plot, results):
    """{SERIES: [(X, Y)...]} in the order of the cases."""
    at = judge.measured(results)
    found = {}
    for result in results:
        point = result["point"]
        try:
            if not expr.evaluate(plot.get("where", True), point):
                continue
            value = float(expr.evaluate(plot["value"], at(point)))
        except (expr.ExprError, judge.NotRun):
            continue
        found.setdefault(str(point.get(plot["series"], "")), []).append(
            (point[plot["x"]], value))
    return found


def draw_curves(plot, found, stem):
    """Lines or groups of bars over a variable."""
    fig, axes = plt.subplots(figsize=(8, 4.5))
    ticks = []
    for points in found.values():
        ticks += [x for x, _ in points if x not in ticks]
    width = 0.8 / max(len(found), 1)
    for number, (name, points) in enumerate(found.items()):
        colour = COLOURS[number % len(COLOURS)]
        if plot["kind"] == "bars":
            axes.bar([ticks.index(x) - 0.4 + width * (number + 0.5)
                      for x, _ in points], [y for _, y in points], width,
                     color=colour, label=name)
        else:
            axes.plot([x for x, _ in points], [y for _, y in points], "o-",
                      color=colour, label=name, markersize=4)
    if plot["kind"] == "bars":
        axes.set_xticks(range(len(ticks)), [str(tick) for tick in ticks])
    elif plot.get("logx"):
        axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    if plot["kind"] == "bars":  # room for the legend
        axes.set_ylim(top=axes.get_ylim()[1] * 1.12)
    axes.set_xlabel(plot.get("xlabel", plot["x"]))
    axes.set_ylabel(plot.get("ylabel", ""))
    axes.set_title(plot["title"], fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="upper left",
                ncol=len(found) if plot["kind"] == "bars" else 1)
    tidy(axes)
    save(fig, stem)


def heat_cells(plot, results):
    """The values of both variables in the order of the cases, and {(X, Y):
    VALUE}."""
    at = judge.measured(results)
    columns, rows, cells = [], [], {}
    for result in results:
        point = result["point"]
        try:
            if not expr.evaluate(plot.get("where", True), point):
                continue
            value = float(expr.evaluate(plot["value"], at(point)))
        except (expr.ExprError, judge.NotRun):
            continue
        x, y = str(point[plot["x"]]), str(point[plot["y"]])
        columns += [x] if x not in columns else []
        rows += [y] if y not in rows else []
        cells[x, y] = value
    return columns, rows, cells


def draw_heat(plot, columns, rows, cells, stem):
    """A figure for each pair of values: red is below the goal, green above;
    deeper colours are further off."""
    table = [[cells.get((x, y), math.nan) for x in columns] for y in rows]
    goal = plot["goal"]
    fig, axes = plt.subplots(figsize=(2 + 0.62 * len(columns),
                                      2 + 0.42 * len(rows)))
    image = axes.imshow(table, cmap="RdYlGn", aspect="auto",
                        norm=matplotlib.colors.TwoSlopeNorm(
                            goal, goal / 2, goal * 2))
    for j, y in enumerate(rows):
        for i, x in enumerate(columns):
            if (x, y) in cells:
                axes.text(i, j, f"{cells[x, y]:.2f}", ha="center",
                          va="center", fontsize=8, weight="bold"
                          if cells[x, y] < goal else "normal")
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right",
                    fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xlabel(plot.get("xlabel", plot["x"]))
    axes.set_ylabel(plot.get("ylabel", plot["y"]))
    axes.set_title(plot["title"], fontsize=10)
    fig.colorbar(image, ax=axes, fraction=0.03, pad=0.02)
    save(fig, stem)


def draw_time(plot, result, stem):
    """Throughput of each path, windows, round trips and hold times of one
    case, one below the other."""
    series = result["series"]
    step = series["step_s"]
    receiver = max(series["links"], key=lambda host: sum(
        sum(curve) for curve in series["links"][host].values()))
    tunnels = {host: next(iter(series["tunnels"][host].values()), None)
               for host in series["tunnels"]}
    sender = next((host for host in tunnels if host != receiver), receiver)
    has_tunnel = bool(tunnels.get(sender))
    fig, axes = plt.subplots(4 if has_tunnel else 1, 1, sharex=True,
                             squeeze=False,
                             figsize=(8, 9 if has_tunnel else 4))
    axes = axes[:, 0]
    for name, curve in series["links"][receiver].items():
        curve = smooth(curve, SMOOTH)
        axes[0].plot(times(curve, step * SMOOTH), curve, linewidth=0.9,
                     label=name)
    for name, curve in series["traffic"].items():
        if "mbps" in curve:
            axes[0].plot(curve["t"], curve["mbps"], color="black",
                         linewidth=1.2, label=name)
    axes[0].set_ylabel("Mbit/s")
    axes[0].legend(fontsize=7, frameon=False, ncol=4)
    if has_tunnel:
        for name, path in tunnels[sender]["paths"].items():
            for row, key, scale in ((1, "cwnd", 1000), (2, "rtt_ms", 1)):
                curve = [value / scale for value in path[key]]
                axes[row].plot(times(curve, step), curve, linewidth=0.9,
                               label=name)
        axes[1].set_ylabel("window, kB")
        axes[2].set_ylabel("round trip, ms")
        hold = tunnels[receiver]["hold_ms"]
        axes[3].plot(times(hold, step), hold, color="black", linewidth=0.9)
        axes[3].set_ylabel("hold time, ms")
    axes[0].set_title(plot["title"], fontsize=10)
    axes[-1].set_xlabel("s (virtual time)")
    for one in axes:
        one.set_ylim(bottom=0)
        tidy(one)
    save(fig, stem)


def smooth(curve, count):
    """The means of each count samples."""
    return [sum(curve[i:i + count]) / count
            for i in range(0, len(curve) - count + 1, count)]


def times(curve, step):
    """The middle of each interval."""
    return [(index + 0.5) * step for index in range(len(curve))]


def draw(scenario, results, folder):
    """Draw all plots of a scenario; the stems of their files."""
    stems = []
    for plot in scenario.raw.get("plots", []):
        stem = folder / f"{scenario.name}-{plot['id']}"
        if plot["kind"] == "time":
            want = {key: str(value) for key, value in plot["case"].items()}
            match = [result for result in results if "error" not in result
                     and {key: str(value) for key, value in
                          result["point"].items()} == want]
            if not match:
                continue
            draw_time(plot, match[0], stem)
        elif plot["kind"] == "heat":
            cells = heat_cells(plot, results)
            if not cells[2]:
                continue
            draw_heat(plot, *cells, stem)
        else:
            found = curves(plot, results)
            if not found:
                continue
            draw_curves(plot, found, stem)
        stems.append((plot, stem.name))
    return stems

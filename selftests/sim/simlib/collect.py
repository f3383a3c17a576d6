# SPDX-License-Identifier: GPL-2.0
"""The output of programs in the guest, as values and series."""
# Copyright (C) 2026 The mptun authors

import json
import re

from . import plan

STEP = plan.SAMPLE_MS / 1000
PING_TIME = re.compile(r"icmp_seq=(\d+) .*time=([0-9.]+) ms")
PING_COUNT = re.compile(r"(\d+) packets transmitted, (\d+) received")


class CollectError(Exception):
    """A result is missing."""


def read_json(file):
    """Read one JSON document."""
    try:
        with open(file, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError) as err:
        raise CollectError(f"{file.name}: {err}") from err


def samples(file):
    """A JSON document on each line; the last one may have been cut."""
    found = []
    if file.exists():
        for line in file.read_text("utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                break
    return found


def iperf(item, work):
    """The receiver's view of a run of iperf3."""
    report = read_json(work / f"{item['name']}.json")
    if "error" in report:
        raise CollectError(f"{item['name']}: {report['error']}")
    server = report.get("server_output_json", {})
    end = report["end"]
    values = {}
    if item["kind"] == "udp":
        total = server.get("end", end)["sum"]
        values["lost_percent"] = round(total.get("lost_percent", 0.0), 3)
        values["jitter_ms"] = round(total.get("jitter_ms", 0.0), 3)
        packets = total["packets"] - total["lost_packets"]
        values["mbps"] = packets * int(item.get("bytes", 1348)) * 8 / 1e6 / \
            float(item.get("seconds", 10))
    else:
        values["mbps"] = end["sum_received"]["bits_per_second"] / 1e6
        values["retransmits"] = end["sum_sent"].get("retransmits", 0)
        trips = [stream["sender"]["mean_rtt"] for stream in end["streams"]]
        values["rtt_ms"] = round(sum(trips) / len(trips) / 1000, 3)
    values["mbps"] = round(values["mbps"], 3)
    steps = [interval["sum"] for interval in server.get("intervals", [])]
    omit = float(item.get("omit", 0))
    series = {"t": [], "mbps": []}
    for step in steps:
        begin = step["start"] + (0 if step.get("omitted") else omit)
        series["t"].append(round(begin + step["seconds"] / 2, 2))
        series["mbps"].append(round(step["bits_per_second"] / 1e6, 3))
    return values, series


def flow(item, work):
    """A flow of constant rate: loss, gaps, order, age."""
    sent = read_json(work / f"{item['name']}.send")
    values = {**read_json(work / f"{item['name']}.recv"), **sent}
    values["lost"] = values["sent"] - values["received"]
    values["lost_percent"] = round(100 * values["lost"] /
                                   max(values["sent"], 1), 3)
    values["mbps"] = round(values["received"] * int(item.get("bytes", 1348)) *
                           8 / 1e6 / float(item.get("seconds", 10)), 3)
    return values, {}


def ping(item, work):
    """Round trips."""
    text = (work / f"{item['name']}.ping").read_text("utf-8")
    times = sorted(float(match[2]) for match in PING_TIME.finditer(text))
    count = PING_COUNT.search(text)
    if not count or not times:
        raise CollectError(f"{item['name']}: no answer to any ping")
    step = float(item.get("interval", 0.1))
    series = {"t": [], "rtt_ms": []}
    for match in PING_TIME.finditer(text):
        series["t"].append(round((int(match[1]) - 1) * step, 3))
        series["rtt_ms"].append(float(match[2]))
    return {"rtt_ms": round(sum(times) / len(times), 3),
            "min_ms": times[0], "max_ms": times[-1],
            "p95_ms": times[min(len(times) - 1, int(len(times) * 0.95))],
            "lost_percent": round(100 - 100 * int(count[2]) /
                                  int(count[1]), 3)}, series


def http(item, work):
    """A download."""
    report = read_json(work / f"{item['name']}.curl")
    seconds = report["time_total"]
    return {"seconds": seconds,
            "mbps": round(report["size_download"] * 8 / 1e6 / seconds, 3)}, {}


def quic(item, work):
    """A download by QUIC; what crawls to its end counts."""
    report = read_json(work / f"{item['name']}.quic")
    return {"seconds": report["seconds"],
            "mbps": round(report["bytes"] * 8 / 1e6 / report["seconds"],
                          3)}, {}


READERS = {"tcp": iperf, "udp": iperf, "flow": flow, "ping": ping,
           "http": http, "quic": quic}


def link_series(work, host, names):
    """Mbit/s received on each link of a host, over time."""
    rows = [{dev[0]: dev[1] for dev in row}
            for row in samples(work / f"links-{host}.samples")]
    return {name: [round((new.get(name, 0) - old.get(name, 0)) * 8 / STEP /
                         1e6, 3) for old, new in zip(rows, rows[1:])]
            for name in names if rows and name in rows[0]}


def tunnel_series(work, host):
    """Windows, round trips and more of each path of each tunnel, over time."""
    series = {}
    for row in samples(work / f"tunnels-{host}.samples"):
        for tunnel in row:
            own = series.setdefault(tunnel["ifname"], {
                "hold_ms": [], "held_packets": [], "paths": {}})
            own["hold_ms"].append(tunnel["hold_now"] / 1000)
            own["held_packets"].append(tunnel["reordering"]["held_packets"])
            for path in tunnel["paths"]:
                one = own["paths"].setdefault(path["name"], {
                    "cwnd": [], "rtt_ms": [], "state": [], "in_flight": []})
                one["cwnd"].append(path["cwnd"])
                one["rtt_ms"].append((path["srtt"] or 0) / 1000)
                one["in_flight"].append(path["in_flight"])
                one["state"].append(path["state"])
    return series


def seconds_down(rows, tunnel, path):
    """Time for which a path that had been up was not expected to work."""
    states = [one["state"] for row in rows for each in row
              if each["ifname"] == tunnel
              for one in each["paths"] if one["name"] == path]
    used = states[states.index("up"):] if "up" in states else []
    return round(sum(s in ("down", "noroute", "probing") for s in used) * STEP,
                 1)


def tunnel_values(work, host):
    """The last figures of the buffer and of each path of each tunnel."""
    values = {}
    rows = samples(work / f"tunnels-{host}.samples")
    for tunnel in rows[-1] if rows else []:
        name = f"{tunnel['ifname']}@{host}"
        for key, value in tunnel["reordering"].items():
            if isinstance(value, int):
                values[f"{name}.{key}"] = value
        for path in tunnel["paths"]:
            for key in ("tx_packets", "lost_packets", "loss_events",
                        "timeouts", "state_changes"):
                values[f"{name}.{path['name']}.{key}"] = path["stats"][key]
            values[f"{name}.{path['name']}.used"] = path["used"]
            values[f"{name}.{path['name']}.down_s"] = seconds_down(
                rows, tunnel["ifname"], path["name"])
    return values


def busy(case, curve):
    """The part of a series in which the first traffic runs and counts."""
    first = case.traffic[0]
    if "seconds" not in first:
        return curve
    begin = float(first.get("start", 0)) + float(first.get("omit", 0))
    return curve[round(begin / STEP):
                 round((begin + float(first["seconds"])) / STEP)]


def collect(case, work):
    """Values by name and series of a case."""
    values, series = {}, {"step_s": STEP, "traffic": {}, "links": {},
                          "tunnels": {}}
    for item in case.traffic:
        found, curve = READERS[item["kind"]](item, work)
        for key, value in found.items():
            values[f"{item['name']}.{key}"] = value
        if curve:
            series["traffic"][item["name"]] = curve
    hosts = sorted({path.get(side, default) for path in case.paths
                    for side, default in (("from", "a"), ("to", "b"))})
    names = [path["name"] for path in case.paths]
    for host in hosts:
        series["links"][host] = link_series(work, host, names)
        series["tunnels"][host] = tunnel_series(work, host)
        values.update(tunnel_values(work, host))
        for name, curve in series["links"][host].items():
            part = busy(case, curve)
            if part:
                values[f"{name}@{host}.mbps"] = round(sum(part) / len(part),
                                                      3)
    return {"values": values, "series": series}

# SPDX-License-Identifier: GPL-2.0
"""A case as a shell script for the guest, in the commands of its library."""
# Copyright (C) 2026 The mptun authors

import math
import shlex

SAMPLE_MS = 100
FIRST_PORT = 5001


def words(*items):
    """A command line."""
    return " ".join(shlex.quote(number(item)) for item in items)


def number(value):
    """A value as a word."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def link_line(path):
    """A link, as lib/net.sh makes it."""
    reorders = path.get("reorders", False)
    line = ["link", path.get("from", "a"), path.get("to", "b"), path["name"],
            "none" if reorders else path["rate"], path["delay"]]
    for key in ("jitter", "queue", "slot"):
        if key in path and not (reorders and key == "queue"):
            line += [key, path[key]]
    if "loss" in path:
        loss = path["loss"]
        if "correlation" in path:
            loss += "/" + path["correlation"]
        line += ["loss", loss]
    return words(*line)


def shape_lines(path):
    """The rate of a link that reorders, behind its delay."""
    if not path.get("reorders", False):
        return []
    return [words("link_shape", path["name"], path["rate"],
                  path.get("queue", "100ms"))]


def settings(table):
    """KEY VALUE pairs, one after the other."""
    return [word for pair in table.items() for word in pair]


def carrier_line(carrier, hosts):
    """A carrier, as lib/carrier.sh makes it."""
    line = [f"carrier_{carrier['kind']}", carrier["name"], *hosts,
            " ".join(carrier["paths"]), carrier.get("mtu", "-"),
            *settings(carrier.get("settings", {}))]
    lines = [words(*line)]
    if "queue" in carrier:
        lines.append(words("plain_queue", carrier["name"], *hosts))
    for path, values in carrier.get("path_settings", {}).items():
        lines.append(words("path_settings", carrier["name"], *hosts, path,
                           *settings(values)))
    for number, values in carrier.get("classes", {}).items():
        lines.append(words("class_settings", carrier["name"], *hosts, number,
                           *settings(values)))
    return lines


def iperf_arguments(item):
    """The arguments of the client."""
    args = ["-t", item.get("seconds", 10), "-O", item.get("omit", 0),
            "-i", 0.5]
    if item["kind"] == "udp":
        args += ["-u", "-b", item["rate"].replace("mbit", "M")
                 .replace("kbit", "K"), "-l", item.get("bytes", 1348)]
    elif "cc" in item:
        args += ["-C", item["cc"]]
    if item.get("flows", 1) != 1:
        args += ["-P", item["flows"]]
    return args + item.get("settings", [])


def traffic_lines(item, port):
    """A server part and a client part."""
    ends = [item["over"], item.get("from", "a"), item.get("to", "b")]
    kind = item["kind"]
    base = [item["name"], *ends, port]
    serve = []
    seconds = item.get("seconds", 10)
    if kind in ("tcp", "udp"):
        serve = ["iperf_serve", *base]
        client = ["iperf_client", *base, *iperf_arguments(item)]
    elif kind == "flow":
        idle = 30 + math.ceil(float(item.get("start", 0)))
        serve = ["flow_serve", *base, idle]
        client = ["flow_client", *base, kbit(item["rate"]),
                  item.get("bytes", 1348), seconds, item.get("dscp", 0)]
    elif kind in ("http", "quic"):
        base += [item["bytes"], item.get("cc", "cubic")]
        serve = [f"{kind}_serve", *base]
        client = [f"{kind}_client", *base]
        if kind == "quic" and "omit" in item:
            client += [item["omit"], seconds]
    else:
        client = ["ping_client", *base, item.get("interval", 0.1), seconds]
    return words(*serve), words("launch", item.get("start", 0), *client)


def kbit(rate):
    """A rate in kbit/s."""
    for unit, factor in (("kbit", 1), ("mbit", 1000), ("gbit", 1000000)):
        if rate.endswith(unit):
            return round(float(rate[:-len(unit)]) * factor)
    raise ValueError(rate)


def event_line(event, case):
    """A change of a link or a path."""
    name, deed = event["path"], event["do"]
    if name == "busy":
        # one command that leaves its answer for the next ones
        find = words("busy_path", case.carriers[0]["name"],
                     case.traffic[0].get("from", "a"),
                     *(path["name"] for path in case.paths)) + "; "
        return (find if deed == "blackhole" else "") + f'link_{deed} "$BUSY"'
    if deed in ("blackhole", "heal"):
        return words(f"link_{deed}", name)
    if deed == "link":
        path = next(path for path in case.paths if path["name"] == name)
        path = {**path, **{key: event[key] for key in ("rate", "delay")
                           if key in event}}
        line = shlex.split(link_line(path))
        return words("link_set", *line[3:])
    dev = event.get("carrier", case.carriers[0]["name"])
    what = [deed] if deed in ("on", "off") else settings(event["settings"])
    return words("path_set", dev, name, *what)


def script(case, title):
    """The whole script."""
    hosts = sorted({path.get(side, default) for path in case.paths
                    for side, default in (("from", "a"), ("to", "b"))})
    lines = [f"# {title}", words("hosts", *hosts)]
    for path in case.paths:
        lines += [link_line(path), words("neighbours", path["name"]),
                  *shape_lines(path)]
    lines += [words("link_police", path["name"], path["police"], path["burst"])
              for path in case.paths if "police" in path]
    for carrier in case.carriers:
        first = next((path for path in case.paths
                      if path["name"] == carrier["paths"][0]), {})
        ends = (first.get("from", "a"), first.get("to", "b"))
        lines += carrier_line(carrier, ends)
    serve, launch = [], []
    for number_, item in enumerate(case.traffic):
        one, two = traffic_lines(item, FIRST_PORT + number_)
        serve += [one] if one else []
        launch.append(two)
    lines += serve
    tunnels = [carrier["name"] for carrier in case.carriers
               if carrier["kind"] == "mptun"]
    lines.append(words("go", SAMPLE_MS, *hosts, "--", *tunnels))
    lines += launch
    if case.events:
        lines.append("timeline() {")
        now = 0.0
        for event in sorted(case.events, key=lambda item: float(item["at"])):
            lines.append("\t" + words("sleep",
                                      round(float(event["at"]) - now, 6)))
            lines.append("\t" + event_line(event, case))
            now = float(event["at"])
        lines += ["}", "launch 0 timeline"]
    lines.append("finish")
    return "\n".join(lines) + "\n"

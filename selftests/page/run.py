#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The status page of mptund in a browser: headless Chromium. KTAP.

usage: run.py [--shots FOLDER]

  --shots FOLDER  only write the pictures of the documentation there

A server that stands for the agent has the files of tools/status, the headers of
tools/agent/reply.c and the figures of status.json beside this file, which the
theme ctl_status compares with those of the agent. Its rates follow curves, and
time in the browser is virtual, so two minutes take a second or two.
"""
# Copyright (C) 2026 The mptun authors

import datetime
import html.parser
import http.server
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
CHART = pathlib.Path("/usr/share/javascript/chart.js/chart.min.js")
FILES = {
    "/": ("text/html; charset=utf-8", TOP / "tools/status/index.html"),
    "/status.css": ("text/css; charset=utf-8", TOP / "tools/status/status.css"),
    "/status.js": ("text/javascript; charset=utf-8",
                   TOP / "tools/status/status.js"),
    "/chart.js": ("text/javascript; charset=utf-8", CHART),
}
BROWSER = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu",
           "--hide-scrollbars", "--enable-logging=stderr", "--log-level=0"]
BEGIN = datetime.datetime(2026, 11, 28, 20, 15,
                          tzinfo=datetime.timezone.utc)
# Reports sizes and colours as attributes of the page, for --dump-dom
PROBE = """
// Whether at least half of the columns have a colour, as a line has
function drawn(canvas) {
	const { width, height } = canvas;
	const { data } = canvas.getContext("2d")
		.getImageData(0, 0, width, height);
	const columns = new Set();

	for (let i = 0; i < data.length; i += 4)
		if (Math.abs(data[i] - data[i + 2]) > 60 && data[i + 3] > 60)
			columns.add(i / 4 % width);
	return columns.size > width / 2;
}

setInterval(() => {
	const root = document.documentElement;
	const style = getComputedStyle(document.body);

	root.dataset.wide = root.scrollWidth - root.clientWidth;
	root.dataset.width = root.clientWidth;
	root.dataset.back = style.backgroundColor;
	root.dataset.text = style.color;
	root.dataset.opacity = getComputedStyle(
		document.querySelector("main")).opacity;
	root.dataset.hint = getComputedStyle(
		document.getElementById("charts")).display;
	root.dataset.drawn = [...document.querySelectorAll("canvas")]
		.filter(drawn).length;
}, 500);
"""


def headers():
    """What the agent sends with each answer, from its source."""
    source = (TOP / "tools/agent/reply.c").read_text("utf-8")
    table = re.search(r"reply_headers\[\]\[2\] = \{(.*?)\n\};", source, re.S)[1]
    rows = re.findall(r'\{ "([^"]+)",\s*((?:"[^"]*"\s*)+)\}', table)
    return [(name, "".join(re.findall(r'"([^"]*)"', value)))
            for name, value in rows]


def figures(number):
    """The answer to this request, counted from 0: one per second."""
    status = json.loads((HERE / "status.json").read_text("utf-8"))
    status["time"] = (BEGIN + datetime.timedelta(seconds=number)).isoformat()
    for tunnel in status["tunnels"]:
        for key in ("tx_rate", "rx_rate"):
            tunnel[key] = 0
        for index, path in enumerate(tunnel["paths"]):
            wave = 1 + 0.25 * math.sin(number / 9 + 2 * index)
            for key in ("tx_rate", "rx_rate"):
                path[key] = round(path[key] * wave) if number else None
                tunnel[key] = tunnel[key] + path[key] if number else None
            if path["srtt"]:
                path["srtt"] = round(path["srtt"] * wave)
    return status


class Agent(http.server.ThreadingHTTPServer):
    """Stands for the agent."""

    daemon_threads = True

    def __init__(self, chart=True, change=lambda status, number: status):
        super().__init__(("127.0.0.1", 0), Answer)
        self.chart, self.change = chart, change
        self.asked, self.number = [], 0
        self.headers = headers()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def content(self, path):
        """(type, bytes) of an answer, None if there is none."""
        if path == "/status.json":
            status = self.change(figures(self.number), self.number)
            self.number += 1
            return status and ("application/json", json.dumps(status).encode())
        if path == "/probe.js":
            return "text/javascript", PROBE.encode()
        if path not in FILES or (path == "/chart.js" and not self.chart):
            return None
        kind, file = FILES[path]
        text = file.read_bytes()
        if path == "/":
            text = text.replace(b"</head>", b'<script type="module" '
                                b'src="/probe.js"></script></head>')
        return kind, text


class Answer(http.server.BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self):  # pylint: disable=invalid-name
        """As the library calls it."""
        found = self.server.content(self.path)
        self.server.asked.append(self.path)
        kind, text = found or ("text/plain", b"not there\n")
        self.send_response(200 if found else 404)
        for name, value in self.server.headers:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing is logged."""


class Dom(html.parser.HTMLParser):
    """A page as the browser has it in the end: (tag, attributes, text)."""

    VOID = ("meta", "link", "br", "img", "input")

    def __init__(self, text):
        super().__init__()
        self.nodes, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        node = {"tag": tag, "text": "", **{k: v or "" for k, v in attrs}}
        self.nodes.append(node)
        if tag not in self.VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass
        if tag in ("h3", "p", "dt", "dd"):
            self.handle_data(" ")

    def handle_data(self, data):
        for node in self.open:
            node["text"] += data

    def all(self, tag, name=None):
        """Nodes of a tag, and of a class."""
        return [node for node in self.nodes if node["tag"] == tag and
                (name is None or name in node.get("class", "").split())]

    def one(self, ident):
        """The node of this id."""
        return next(node for node in self.nodes if node.get("id") == ident)

    def path(self, name):
        """The text of the card of a path, words separated by one blank."""
        return next(" ".join(node["text"].split()) for node in
                    self.all("article") if node["text"].startswith(name))


class Page:  # pylint: disable=too-few-public-methods
    """What a browser makes of the page after some seconds."""

    def __init__(self, agent, seconds=70, width=1400, dark=False, shot=None):
        with agent:
            options = [f"--virtual-time-budget={seconds * 1000}",
                       f"--window-size={width},{760 if width > 800 else 1330}"]
            if dark:
                options.append("--blink-settings=preferredColorScheme=0")
            what = f"--screenshot={shot}" if shot else "--dump-dom"
            with tempfile.TemporaryDirectory() as home:
                done = subprocess.run(
                    [*BROWSER, *options, f"--user-data-dir={home}", what,
                     f"http://127.0.0.1:{agent.server_port}/"],
                    capture_output=True, text=True, timeout=120, check=True)
            agent.shutdown()
        self.dom = Dom(done.stdout)
        self.asked = agent.asked
        self.console = [line for line in done.stderr.splitlines()
                        if "CONSOLE" in line and "/probe.js" not in line]

    def data(self, name):
        """What the probe has found."""
        return self.dom.all("html")[0][f"data-{name}"]


def equal(name, value, want):
    """Fails unless both are the same."""
    assert value == want, f"{name}: {value!r}, not {want!r}"


def test_figures():
    """States, reasons, rates, latency, loss and events."""
    page = Page(Agent())
    dom = page.dom
    equal("paths", len(dom.all("article")), 4)
    text = dom.path("dsl0")
    assert "up: its peer answers" in text, text
    assert re.search(r"Receiving \d\d\.\d Mbit/s", text), text
    assert re.search(r"Sending \d\.\d\d Mbit/s", text), text
    assert re.search(r"Latency 1\d\.\d ms|Latency 2\d\.\d ms", text), text
    assert "Loss, 1 min 1.00 %" in text, text
    assert "Loss, total 0.35 %" in text, text
    text = dom.path("wwan0")
    assert "wwan0, backup" in text and "Data cap 12.6 GB of 50.0 GB" in text, text
    assert "suspended: its latency is too high" in dom.path("sat0")
    text = dom.path("eth1")
    assert "down: its peer does not answer" in text and "Latency –" in text, text
    for name, kind in (("good", 2), ("warn", 1), ("bad", 1)):
        equal(name, len(dom.all("article", name)), kind)
    events = dom.all("li")[2:]
    equal("events", [len(events), events[0]["text"]],
          [3, "2026-11-28 20:14:41path eth1 is down, its peer does not answer"])
    assert re.search(r"receiving [\d.]+ Mbit/s, sending [\d.]+ Mbit/s",
                     dom.all("section", "tunnel")[0]["text"])
    assert dom.one("time")["text"].startswith("2026-11-28 20:16:")
    equal("console", page.console, [])
    equal("others", sorted(set(page.asked) - {"/favicon.ico", "/probe.js"}),
          ["/", "/chart.js", "/status.css", "/status.js", "/status.json"])
    assert 60 <= page.asked.count("/status.json") <= 75, page.asked


def test_peer():
    """The summary of the other end."""
    def silent(status, number):
        if number >= 10:
            status["tunnels"][0]["peer"].update(answers=False, age=7300)
        if number >= 20:
            status["tunnels"][0]["peer"] = None
        return status

    lines = [item["text"] for item in Page(Agent(), 5).dom.all("li")]
    equal("paths", lines[:2], [
        "dsl0 up: its peer answers, loss 0.25 %",
        "lte9 no route: its device is down, wwan9, "
        "data cap 12.6 GB of 50.0 GB"])
    dom = Page(Agent(change=silent), 15).dom
    assert "The other end, 2 h ago; it does not answer now" in \
        dom.all("div", "peer")[0]["text"], dom.all("div", "peer")[0]["text"]
    assert "hidden" in Page(Agent(change=silent), 30).dom.all("div", "peer")[0]


def test_charts():
    """Charts are drawn, and no sentence asks for the library."""
    page = Page(Agent())
    equal("charts", len(page.dom.all("canvas")), 3)
    equal("drawn", page.data("drawn"), "3")
    equal("hint", page.data("hint"), "none")


def test_no_library():
    """Without the chart library there are figures, and a hint."""
    page = Page(Agent(chart=False), seconds=20)
    equal("charts", len(page.dom.all("canvas")), 0)
    equal("paths", len(page.dom.all("article")), 4)
    equal("hint", page.data("hint"), "block")
    assert "Install the package libjs-chart.js" in page.dom.one("charts")["text"]


def test_silent():
    """An agent that does not answer: the last figures stay, in grey."""
    page = Page(Agent(change=lambda status, n: status if n < 10 else None), 30)
    notice = page.dom.one("notice")["text"]
    equal("notice", notice, "The agent does not answer. "
          "These figures are from 2026-11-28 20:15:09.")
    equal("paths", len(page.dom.all("article")), 4)
    assert float(page.data("opacity")) < 0.6


def test_returns():
    """It answers again."""
    page = Page(Agent(change=lambda status, n:
                      None if 5 <= n < 10 else status), 30)
    equal("opacity", page.data("opacity"), "1")
    equal("notice", page.dom.one("notice")["text"], "")


def markup(status, _):
    """Names and events that would be markup, and run a script."""
    evil = '<img/src=x/onerror="document.title=1">'
    for tunnel in status["tunnels"]:
        tunnel["paths"][0].update(name=evil, dev="<b>x</b>", why="<i>y</i>")
        for path in tunnel["peer"]["paths"]:
            path.update(name=evil, dev="<b>x</b>", why="<i>y</i>")
    status["events"][0]["text"] = "<script>document.title = 2</script>"
    return status


def test_markup():
    """Names of the peer are no markup."""
    dom = Page(Agent(change=markup), 20).dom
    text = dom.path("<img")
    assert "<b>x</b>" in text and "<i>y</i>" in text, text
    assert "<script>document" in dom.all("li")[2]["text"]
    text = dom.all("li")[0]["text"]
    assert text.startswith("<img/src") and "<i>y</i>, <b>x</b>" in text, text
    equal("elements", [len(dom.all(tag)) for tag in ("img", "b", "i")],
          [0, 0, 0])
    equal("title", dom.all("title")[0]["text"], "mptun")


def gone(status, number):
    """One path is gone later, and then the tunnel."""
    if number >= 5:
        del status["tunnels"][0]["paths"][3]
    if number >= 20:
        status["tunnels"] = []
    return status


def test_gone():
    """Paths and tunnels that are gone leave the page."""
    equal("paths", len(Page(Agent(change=gone), 12).dom.all("article")), 3)
    dom = Page(Agent(change=gone), 40).dom
    equal("tunnels", len(dom.all("section", "tunnel")), 0)
    equal("notice", dom.one("notice")["text"], "There are no tunnels.")


def test_sizes():
    """Nothing is wider than the window."""
    for width in (360, 768, 1400):
        page = Page(Agent(), 10, width)
        equal("width", page.data("width"), str(width))
        equal(f"too wide at {width}", page.data("wide"), "0")


def test_long_names():
    """Nor with long names."""
    def long(status, _):
        for path in status["tunnels"][0]["paths"]:
            path["name"] = path["dev"] = path["name"] + "W" * 40
        for path in status["tunnels"][0]["peer"]["paths"]:
            path["name"] = path["dev"] = path["name"] + "W" * 40
        status["events"][0]["text"] = "x" * 255
        return status

    equal("too wide", Page(Agent(change=long), 10, 360).data("wide"), "0")


def luminance(color):
    """Relative luminance of rgb(...), as WCAG has it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else
                        ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_dark():
    """The page is dark if the user wants that, and has contrast in both."""
    for dark in (False, True):
        page = Page(Agent(), 10, dark=dark)
        back, text = (luminance(page.data(it)) for it in ("back", "text"))
        equal("dark", back < 0.05, dark)
        assert (max(back, text) + 0.05) / (min(back, text) + 0.05) > 7


def test_local():
    """The files name no other server."""
    for _, file in FILES.values():
        if file != CHART:
            assert not re.search(r"https?:|['\"(]//", file.read_text("utf-8")), \
                file


def shots(folder):
    """The pictures of the documentation."""
    for name, width, dark in (("status", 1400, False),
                              ("status-narrow", 360, True)):
        Page(Agent(), 125, width, dark, pathlib.Path(folder) / f"{name}.png")


TESTS = (test_figures, test_peer, test_charts, test_no_library, test_silent, test_returns,
         test_markup, test_gone, test_sizes, test_long_names, test_dark,
         test_local)


def main():
    """Run all tests, or take the pictures."""
    if len(sys.argv) == 3 and sys.argv[1] == "--shots":
        return shots(sys.argv[2])
    if len(sys.argv) > 1:
        sys.exit(__doc__.split("\n\n")[1])
    failed = False
    print(f"KTAP version 1\n1..{len(TESTS)}")
    for number, test in enumerate(TESTS, 1):
        try:
            test()
            result = "ok"
        except (AssertionError, KeyError, StopIteration,
                subprocess.SubprocessError) as error:
            print(f"# {type(error).__name__}: {error}")
            result, failed = "not ok", True
        print(f"{result} {number} {test.__doc__.rstrip('.')}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())

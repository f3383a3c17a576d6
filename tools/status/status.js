// SPDX-License-Identifier: GPL-2.0
// The status page of mptund: asks for its figures once per second.
// Copyright (C) 2026 The mptun authors
//
// Names of paths come from the peer.  All texts enter the page as textContent,
// or are drawn on a canvas, so none of them is markup.

const POLL_MS = 1000;
const ANSWER_MS = 5000;
const CHART_S = 120;
const COLORS = ["#3b7dd8", "#e07b39", "#2f9e63", "#b455c0", "#c9a227",
	"#d1495b", "#1aa6a6", "#7a7f8a"];
const KINDS = {
	up: "good",
	new: "warn", probing: "warn", suspect: "warn", suspended: "warn",
	down: "bad", noroute: "bad",
};
const STATES = { noroute: "no route" };

const views = new Map();
let shown = "";

const byId = (id) => document.getElementById(id);

function make(tag, name, text) {
	const node = document.createElement(tag);

	if (name)
		node.className = name;
	if (text)
		node.textContent = text;
	return node;
}

// A text that is as it was stays, as the user may have selected it.
function write(node, text) {
	if (node.textContent !== text)
		node.textContent = text;
}

// Three digits.
function scaled(value, units) {
	let at = 0;

	for (; value >= 999.5 && at < units.length - 1; at++)
		value /= 1000;
	return `${value.toPrecision(value < 1 ? 1 : 3)} ${units[at]}`;
}

function rateText(bits) {
	return bits === null ? "–" : bits === 0 ? "0 bit/s" :
		scaled(bits, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"]);
}

function sizeText(bytes) {
	return bytes === 0 ? "0 B" :
		scaled(bytes, ["B", "kB", "MB", "GB", "TB", "PB"]);
}

function latencyText(us) {
	return us === null || us === undefined ? "–" :
		`${(us / 1000).toFixed(us < 99950 ? 1 : 0)} ms`;
}

// The state that a user sees: a path that is up may be suspended.
function stateOf(path) {
	return path.state === "up" && (path.parked || path.detour) ?
		"suspended" : path.state;
}

function lossText(percent) {
	return typeof percent === "number" ? `${percent.toFixed(2)} %` : "–";
}

// Samples of two minutes; a path that was added again begins again.
function remember(samples, path, at) {
	const last = samples[samples.length - 1];
	const sample = {
		at,
		tx: path.tx_rate, rx: path.rx_rate, rtt: path.srtt ?? null,
		sent: path.stats?.tx_packets ?? 0,
	};

	if (last && sample.sent < last.sent)
		samples.length = 0;
	samples.push(sample);
	while (samples[0].at < at - CHART_S)
		samples.shift();
}

function makePath(name) {
	const card = make("article", "path");
	const head = make("h3", "", name);
	const parts = { card, samples: [] };
	const list = make("dl");

	parts.dev = make("p", "faint");
	parts.state = make("span", "state");
	parts.why = make("span", "why");
	const state = make("p");
	state.append(parts.state, parts.why);
	for (const [key, label] of [["rx", "Receiving"], ["tx", "Sending"],
		["rtt", "Latency"], ["loss", "Loss, 1 min"],
		["total", "Loss, total"], ["cap", "Data cap"]]) {
		const title = make("dt", "", label);

		parts[key] = make("dd");
		parts[`${key}Title`] = title;
		list.append(title, parts[key]);
	}
	card.append(head, parts.dev, state, list);
	return parts;
}

function capText(path) {
	return typeof path.cap === "number" ?
		`${sizeText(path.used ?? 0)} of ${sizeText(path.cap)}` : "";
}

function showPath(parts, path) {
	const state = stateOf(path), cap = capText(path);

	parts.card.className = `path ${KINDS[state] ?? ""}`;
	write(parts.dev, [path.dev || "any device",
		path.backup ? "backup" : ""].filter(Boolean).join(", "));
	write(parts.state, STATES[state] ?? state);
	write(parts.why, path.why ? `: ${path.why}` : "");
	write(parts.rx, rateText(path.rx_rate));
	write(parts.tx, rateText(path.tx_rate));
	write(parts.rtt, latencyText(path.srtt));
	write(parts.loss, lossText(path.recent_loss));
	write(parts.total, lossText(path.loss));
	write(parts.cap, cap);
	parts.cap.hidden = parts.capTitle.hidden = !cap;
}

function ageText(seconds) {
	return seconds < 120 ? `${seconds} s` : seconds < 7200 ?
		`${Math.round(seconds / 60)} min` :
		`${Math.round(seconds / 3600)} h`;
}

// A path in the summary of the other end.
function peerPathText(path) {
	const state = stateOf(path), parts = [];

	if (path.dev && path.dev !== path.name)
		parts.push(path.dev);
	if (typeof path.recent_loss === "number")
		parts.push(`loss ${lossText(path.recent_loss)}`);
	if (typeof path.cap === "number")
		parts.push(`data cap ${capText(path)}`);
	return `${STATES[state] ?? state ?? "unknown"}: ` +
		[path.why, ...parts].join(", ");
}

function showPeer(view, peer) {
	view.peer.hidden = !peer;
	if (!peer)
		return;
	write(view.peerTitle, `The other end, ${ageText(peer.age)} ago` +
		(peer.answers ? "" : "; it does not answer now"));
	view.peerTitle.title = `mptund ${peer.version}`;
	view.peerList.replaceChildren(...peer.paths.map((path) => {
		const item = make("li", KINDS[stateOf(path)] ?? "");

		item.append(make("span", "state", path.name),
			make("span", "", ` ${peerPathText(path)}`));
		return item;
	}));
}

function colorOf(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(name).trim();
}

function chartOptions(stacked, text) {
	const grid = { color: colorOf("--line") };
	const ticks = { color: colorOf("--faint"), maxTicksLimit: 5 };

	return {
		animation: false, maintainAspectRatio: false, normalized: true,
		elements: { point: { radius: 0 }, line: { borderWidth: 1.5 } },
		plugins: {
			legend: { labels: {
				color: colorOf("--text"), boxWidth: 12,
			} },
			tooltip: { enabled: false },
		},
		events: [],
		scales: {
			x: {
				type: "linear", min: -CHART_S, max: 0, grid,
				ticks: { ...ticks, stepSize: 30,
					callback: (s) => `${s} s` },
			},
			y: {
				stacked, beginAtZero: true, grid,
				ticks: { ...ticks, callback: text },
			},
		},
	};
}

function makeChart(parent, title, stacked, text) {
	const figure = make("figure"), plot = make("div", "plot");
	const canvas = make("canvas");

	canvas.setAttribute("role", "img");
	canvas.setAttribute("aria-label", title);
	plot.append(canvas);
	figure.append(make("figcaption", "", title), plot);
	parent.append(figure);
	return new window.Chart(canvas, {
		type: "line", data: { datasets: [] },
		options: chartOptions(stacked, text),
	});
}

function makeCharts(parent) {
	return {
		rx: makeChart(parent, "Receiving, by path", true, rateText),
		tx: makeChart(parent, "Sending, by path", true, rateText),
		rtt: makeChart(parent, "Latency", false, (ms) => `${ms} ms`),
	};
}

function dropCharts(view) {
	for (const chart of Object.values(view.charts ?? {}))
		chart.destroy();
	view.charts = undefined;
}

// Stacked lines need a value of each path at each time.
function points(view, parts, key, now) {
	const known = new Map(parts.samples.map((one) => [one.at, one[key]]));
	const scale = key === "rtt" ? 1 / 1000 : 1;

	return view.times.map((at) => {
		const value = known.get(at) ?? (key === "rtt" ? NaN : 0);

		return { x: at - now, y: value * scale };
	});
}

function drawChart(view, key, now) {
	const chart = view.charts[key];
	let index = 0;

	chart.data.datasets = [...view.paths].map(([name, parts]) => {
		const color = COLORS[index++ % COLORS.length];

		return {
			label: name, data: points(view, parts, key, now),
			borderColor: color, backgroundColor: `${color}66`,
			fill: key !== "rtt" && (index === 1 ? "origin" : "-1"),
		};
	});
	chart.update("none");
}

function draw(view, now) {
	if (!window.Chart)
		return;
	view.charts ??= makeCharts(view.plots);
	for (const key of Object.keys(view.charts))
		drawChart(view, key, now);
}

function makeTunnel(name) {
	const section = make("section", "tunnel"), head = make("div", "head");
	const view = { section, paths: new Map(), times: [] };

	view.state = make("p", "faint");
	view.rate = make("p");
	view.list = make("div", "paths");
	view.plots = make("div", "plots");
	view.peer = make("div", "peer");
	view.peerTitle = make("p", "faint");
	view.peerList = make("ul");
	view.peer.append(view.peerTitle, view.peerList);
	head.append(make("h2", "", name), view.rate, view.state);
	section.append(head, view.list, view.peer, view.plots);
	byId("tunnels").append(section);
	return view;
}

// Removes what is not there any more.
function prune(map, names, remove) {
	for (const [name, entry] of map) {
		if (names.has(name))
			continue;
		remove(entry);
		map.delete(name);
	}
}

function showPaths(view, paths, at) {
	prune(view.paths, new Set(paths.map((path) => path.name)),
		(parts) => parts.card.remove());
	for (const path of paths) {
		let parts = view.paths.get(path.name);

		if (!parts) {
			parts = makePath(path.name);
			view.paths.set(path.name, parts);
			view.list.append(parts.card);
		}
		remember(parts.samples, path, at);
		showPath(parts, path);
	}
}

function showTunnel(tunnel, at) {
	let view = views.get(tunnel.ifname);

	if (!view) {
		view = makeTunnel(tunnel.ifname);
		views.set(tunnel.ifname, view);
	}
	view.times = view.times.filter((time) => time >= at - CHART_S);
	view.times.push(at);
	write(view.rate, `receiving ${rateText(tunnel.rx_rate)}, ` +
		`sending ${rateText(tunnel.tx_rate)}`);
	write(view.state, `${tunnel.state}, ${tunnel.paths_up} of ` +
		`${tunnel.paths.length} paths up`);
	showPaths(view, tunnel.paths, at);
	showPeer(view, tunnel.peer);
	draw(view, at);
}

function clock(time) {
	return time.slice(0, 19).replace("T", " ");
}

function showEvents(events) {
	const text = JSON.stringify(events);

	if (text === shown)
		return;
	shown = text;
	byId("log").hidden = !events.length;
	byId("events").replaceChildren(...events.map((event) => {
		const item = make("li"), time = make("time");

		time.dateTime = event.time;
		time.textContent = clock(event.time);
		item.append(time, make("span", "", event.text));
		return item;
	}));
}

function notice(text, stale) {
	document.body.classList.toggle("stale", stale);
	write(byId("notice"), text);
}

function show(status) {
	const at = performance.now() / 1000;

	prune(views, new Set(status.tunnels.map((tunnel) => tunnel.ifname)),
		(view) => {
			dropCharts(view);
			view.section.remove();
		});
	for (const tunnel of status.tunnels)
		showTunnel(tunnel, at);
	showEvents(status.events);
	byId("charts").hidden = Boolean(window.Chart);
	write(byId("time"), clock(status.time));
	notice(status.tunnels.length ? "" : "There are no tunnels.", false);
}

let last = "";

async function ask() {
	const answer = await fetch("/status.json", {
		cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS),
	});

	if (!answer.ok)
		throw new Error(await answer.text());
	return answer.json();
}

function failed() {
	const from = last ? ` These figures are from ${last}.` : "";

	notice(`The agent does not answer.${from}`, true);
}

async function poll() {
	try {
		const status = await ask();

		last = clock(status.time);
		show(status);
	} catch {
		failed();
	}
	setTimeout(poll, POLL_MS);
}

// Charts take colours when they are made.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	for (const view of views.values()) {
		dropCharts(view);
		view.plots.replaceChildren();
	}
});

poll();

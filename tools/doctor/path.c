// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of a path: its device, its route, and whether it is answered.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include <linux/mptun.h>

#include "doctor/doctor.h"
#include "host/message.h"
#include "lib/print.h"

/* A path that was just added gets this long for its first answer. */
#define PATH_PATIENCE_MS 3000

/* The address of one side in network byte order.  Returns its family, or 0. */
static int path_address(const struct record *path, const char *four,
			const char *six, unsigned char *addr)
{
	if (record_value(path, four))
		return inet_pton(AF_INET, record_text(path, four), addr) == 1 ?
		       4 : 0;
	return inet_pton(AF_INET6, record_text(path, six), addr) == 1 ? 6 : 0;
}

static bool path_any(const unsigned char *addr, int family)
{
	static const unsigned char zero[16];

	return !memcmp(addr, zero, message_length(family));
}

static bool path_device(struct doctor *doc, const char *dev)
{
	const struct doctor_link *link = doctor_link_named(doc, dev);

	if (link && link->up && link->carrier)
		return true;
	if (!link)
		doctor_say(doc, DOCTOR_WRONG, "device",
			   "there is no device %s: connect it, or name another one, \"mptunctl path set %s %s dev DEV\"",
			   dev, doc->ifname, doc->path);
	else if (!link->up)
		doctor_say(doc, DOCTOR_WRONG, "device",
			   "device %s is down: run \"ip link set %s up\"", dev,
			   dev);
	else
		doctor_say(doc, DOCTOR_WRONG, "device",
			   "device %s has no carrier: look at its cable, or at the modem",
			   dev);
	return false;
}

/* The device that has an address, or NULL.  If several have it, as two modems
 * of one kind do, the one with an index.
 */
static const struct doctor_link *path_owner(const struct doctor *doc,
					    const unsigned char *addr,
					    int family, int index)
{
	int owner = 0;

	for (size_t i = 0; i < doc->addresses && owner != index; i++)
		if (doc->address[i].family == family &&
		    !memcmp(doc->address[i].addr, addr, message_length(family)))
			owner = doc->address[i].index;
	return doctor_link_index(doc, owner);
}

static bool path_local(struct doctor *doc, const unsigned char *local,
		       int family)
{
	char text[INET6_ADDRSTRLEN];

	if (path_owner(doc, local, family, -1))
		return true;
	inet_ntop(message_family(family), local, text, sizeof(text));
	doctor_say(doc, DOCTOR_WRONG, "address",
		   "its local address %s is not on this machine: correct it, or let the route decide, \"mptunctl path set %s %s local any\"",
		   text, doc->ifname, doc->path);
	return false;
}

static void path_no_route(struct doctor *doc, const struct record *path,
			  const char *dev)
{
	char text[PRINT_MAX];

	print_endpoint(path, "remote", text);
	if (*dev)
		doctor_say(doc, DOCTOR_WRONG, "route",
			   "there is no route to %s over %s: add one, such as a default route of %s with any metric, or Gateway in the file of the tunnel",
			   text, dev, dev);
	else
		doctor_say(doc, DOCTOR_WRONG, "route",
			   "there is no route to %s: add one, or bind the path to its uplink with dev",
			   text);
}

/* What comes in is dropped if the way back leads elsewhere. */
static void path_filter(struct doctor *doc, const struct doctor_link *link,
			const struct doctor_way *way)
{
	struct doctor_way back = {
		.family = way->family, .to = way->to, .from = way->source,
	};

	if (way->family != 4 || fact_sysctl(link->name, "rp_filter") != 1)
		return;
	if (fact_sysctl(link->name, "src_valid_mark"))
		back.mark = way->mark;
	if (doctor_route(doc, &back) && back.oif == link->index)
		return;
	doctor_say(doc, DOCTOR_WRONG, "rp-filter",
		   "rp_filter of %s is strict and drops what arrives for this path, as the best route to the peer is another one: run \"sysctl -w net/ipv4/conf/%s/rp_filter=2\"",
		   link->name, link->name);
}

/* Returns the index of the uplink, or 0. */
static int path_route(struct doctor *doc, const struct record *tunnel,
		      const struct record *path)
{
	unsigned char remote[16], local[16] = { 0 };
	const char *dev = record_text(path, "dev");
	uint64_t mark = record_num(path, "fwmark");
	const struct doctor_link *link, *owner;
	struct doctor_way way = { .to = remote };
	char text[INET6_ADDRSTRLEN];

	if (*dev && !path_device(doc, dev))
		return 0;
	way.family = path_address(path, "remote4", "remote6", remote);
	if (!way.family) {
		doctor_say(doc, DOCTOR_NOTE, "route",
			   "only administrators see its address: run this as root to have its route looked at");
		return 0;
	}
	way.mark = (uint32_t)(mark ? mark : record_num(tunnel, "fwmark"));
	link = *dev ? doctor_link_named(doc, dev) : NULL;
	if (link)
		way.oif = link->index;
	else
		way.oif = (int)record_num(path, "remote-scope");
	if (path_address(path, "local4", "local6", local) == way.family &&
	    !path_any(local, way.family)) {
		if (!path_local(doc, local, way.family))
			return link ? link->index : 0;
		way.from = local;
	}
	if (!doctor_route(doc, &way) || (link && way.oif != link->index)) {
		path_no_route(doc, path, dev);
		return link ? link->index : 0;
	}
	if (way.oif == (int)record_num(tunnel, "ifindex")) {
		doctor_say(doc, DOCTOR_WRONG, "loop",
			   "its route leads into the tunnel itself: bind it to its uplink with dev, or keep the server out of the tunnel with fwmark and \"ip rule\"");
		return 0;
	}
	link = doctor_link_index(doc, way.oif);
	if (!link)
		return 0;
	inet_ntop(message_family(way.family), way.source, text, sizeof(text));
	owner = path_owner(doc, way.source, way.family, link->index);
	if (owner && owner->index != link->index && !way.from)
		doctor_say(doc, DOCTOR_NOTE, "address",
			   "packets over %s leave with %s, the address of %s: give the path the address of %s with local if the peer does not answer",
			   link->name, text, owner->name, link->name);
	else
		doctor_say(doc, DOCTOR_OK, "route",
			   "packets leave over %s with address %s and port %" PRIu64,
			   link->name, text,
			   record_num(path, "local-port-now"));
	path_filter(doc, link, &way);
	doctor_nat(doc, path, &way);
	return link->index;
}

static void path_silent(struct doctor *doc, const struct record *path)
{
	const struct record *stats = record_nest(path, "stats");
	char age[PRINT_MAX];

	print_field(path, "state-age", age);
	if (record_num(stats, "tx-errors") && !record_num(stats, "tx-control"))
		doctor_say(doc, DOCTOR_WRONG, "answer",
			   "the machine refuses to send its packets: look at its firewall, and at \"mptunctl stats\"");
	else if (record_num(path, "learned"))
		doctor_say(doc, DOCTOR_NOTE, "answer",
			   "it has not been answered for %s: its peer has left it, or its uplink is down there",
			   age);
	else if (!record_num(stats, "rx-control") &&
		 !record_num(stats, "rx-packets"))
		doctor_say(doc, DOCTOR_WRONG, "answer",
			   "nothing has ever arrived over it: is the address right, and does every firewall on the way let UDP through, in both directions?");
	else
		doctor_say(doc, DOCTOR_WRONG, "answer",
			   "it worked, but has not been answered for %s: look whether the uplink works, for instance by \"ping -I DEV\" to the server",
			   age);
}

/* The MTU of the interface was set, and this path carries less. */
static void path_small(struct doctor *doc, const struct record *tunnel,
		       uint64_t fits)
{
	uint64_t mtu = record_num(tunnel, "mtu-now");

	if (record_num(tunnel, "frag") == MPTUN_FRAG_MODE_OFF)
		doctor_say(doc, DOCTOR_WRONG, "mtu",
			   "it is too small for the MTU of %s, %" PRIu64 ", and with frag off it gets none of the large packets: run \"mptunctl set %s mtu auto\" or \"ip link set %s mtu %" PRIu64 "\"",
			   doc->ifname, mtu, doc->ifname, doc->ifname, fits);
	else
		doctor_say(doc, DOCTOR_NOTE, "mtu",
			   "it is too small for the MTU of %s, %" PRIu64 ", so large packets are cut for it or take other paths: \"mptunctl set %s mtu auto\" or \"ip link set %s mtu %" PRIu64 "\" is better",
			   doc->ifname, mtu, doc->ifname, doc->ifname, fits);
}

static void path_up(struct doctor *doc, const struct record *tunnel,
		    const struct record *path)
{
	uint64_t fits = dump_small(path, tunnel);
	char rtt[PRINT_MAX], size[PRINT_MAX];

	doctor_say(doc, DOCTOR_OK, "answer",
		   "packets pass in both directions, in %s",
		   print_field(path, "srtt", rtt));
	if (record_num(path, "pmtu-state") == MPTUN_PMTU_STATE_ERROR)
		doctor_say(doc, DOCTOR_WRONG, "mtu",
			   "it carries less than 1280 bytes: look at the MTU of its devices, and whether ICMP is filtered");
	else if (fits && record_num(tunnel, "mtu"))
		path_small(doc, tunnel, fits);
	else if (record_num(path, "pmtu-state") == MPTUN_PMTU_STATE_COMPLETE)
		doctor_say(doc, DOCTOR_OK, "mtu",
			   "it carries packets of %s bytes",
			   print_field(path, "pmtu", size));
	else
		doctor_say(doc, DOCTOR_OK, "mtu",
			   "it carries packets of %s bytes, larger ones are being tried",
			   print_field(path, "pmtu", size));
}

static void path_state(struct doctor *doc, const struct record *tunnel,
		       const struct record *path)
{
	uint64_t age = record_num(path, "state-age");

	switch (record_num(path, "state")) {
	case MPTUN_PATH_STATE_UP:
		path_up(doc, tunnel, path);
		break;
	case MPTUN_PATH_STATE_SUSPECT:
		doctor_say(doc, DOCTOR_NOTE, "answer",
			   "an answer is overdue now");
		break;
	case MPTUN_PATH_STATE_PROBING:
		if (age < PATH_PATIENCE_MS)
			break;
		/* fall through */
	case MPTUN_PATH_STATE_DOWN:
		/* Without a peer the handshake has been looked at. */
		if (record_num(tunnel, "state") ==
		    MPTUN_ASSOC_STATE_ESTABLISHED)
			path_silent(doc, path);
		break;
	case MPTUN_PATH_STATE_NOROUTE:
		doctor_say(doc, DOCTOR_WRONG, "state",
			   "the kernel cannot send over it now, though there is a route: look at \"mptunctl monitor\"");
		break;
	default:
		break;
	}
	if (record_num(path, "cap-state") == MPTUN_CAP_STATE_REACHED)
		doctor_say(doc, DOCTOR_NOTE, "cap",
			   "its data cap is reached: \"mptunctl path set %s %s used 0\" begins a new period",
			   doc->ifname, doc->path);
}

/* Checks a path in use.  Returns the index of its uplink, or 0. */
static int path_used(struct doctor *doc, const struct record *tunnel,
		     const struct record *path)
{
	unsigned int before = doc->wrong;
	int uplink = path_route(doc, tunnel, path);

	/* What has no route is not answered either. */
	if (doc->wrong == before ||
	    record_num(path, "state") == MPTUN_PATH_STATE_UP)
		path_state(doc, tunnel, path);
	return uplink;
}

int doctor_path(struct doctor *doc, const struct record *tunnel,
		const struct record *path)
{
	int uplink = 0;

	doc->path = record_text(path, "name");
	switch (record_num(path, "state")) {
	case MPTUN_PATH_STATE_DRAINING:
		break;
	case MPTUN_PATH_STATE_OFF:
		doctor_say(doc, DOCTOR_NOTE, "state",
			   "it is switched off: \"mptunctl path set %s %s on\"",
			   doc->ifname, doc->path);
		break;
	default:
		uplink = path_used(doc, tunnel, path);
		break;
	}
	doc->path = NULL;
	return uplink;
}

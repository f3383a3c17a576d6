// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of a tunnel: key, cipher, and how far the handshake gets.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <string.h>

#include <linux/mptun.h>

#include "doctor/doctor.h"
#include "host/host.h"
#include "host/queue.h"
#include "lib/print.h"

/* True if it has what it needs to open an association. */
static bool tunnel_ready(struct doctor *doc, const struct record *tunnel)
{
	const struct value *key = record_value(tunnel, "key-fingerprint");
	const struct doctor_link *link = doctor_link_named(doc, doc->ifname);
	bool clear = record_num(tunnel, "cipher") == MPTUN_CIPHER_CLEAR;
	char buf[PRINT_MAX];

	if (!clear && key && !key->num) {
		doctor_say(doc, DOCTOR_WRONG, "key",
			   "it has no key: set the same one at both ends, \"mptunctl key set %s FILE\"",
			   doc->ifname);
		return false;
	}
	if (clear)
		doctor_say(doc, DOCTOR_NOTE, "key",
			   "cipher clear uses no key: anyone who knows ports and ids can read and send packets");
	else if (key)
		doctor_say(doc, DOCTOR_OK, "key",
			   "it has a key with fingerprint %s, which the other end has to show as well",
			   print_field(tunnel, "key-fingerprint", buf));
	if (record_num(tunnel, "key-grace"))
		doctor_say(doc, DOCTOR_NOTE, "key",
			   "the previous key is accepted for another %s",
			   print_field(tunnel, "key-grace", buf));
	if (link && !link->up) {
		doctor_say(doc, DOCTOR_WRONG, "link",
			   "its interface is down: run \"ip link set %s up\"",
			   doc->ifname);
		return false;
	}
	return true;
}

static void tunnel_cipher(struct doctor *doc, const struct record *tunnel)
{
	uint64_t cipher = record_num(tunnel, "cipher");
	char driver[64], name[PRINT_MAX];

	print_field(tunnel, "cipher", name);
	if (cipher == MPTUN_CIPHER_CLEAR)
		return;
	if (cipher == MPTUN_CIPHER_CHACHA20_POLY1305) {
		doctor_say(doc, DOCTOR_OK, "cipher",
			   "cipher %s is fast on every processor", name);
		return;
	}
	if (!fact_driver("gcm(aes)", driver))
		return;
	/* Parts in plain C, as of gcm_base(ctr(aes-generic),ghash-generic); a
	 * name that begins with it is that of an accelerated driver.
	 */
	if (strstr(driver, "-generic"))
		doctor_say(doc, DOCTOR_NOTE, "cipher",
			   "cipher %s is computed without instructions for it (%s): chacha20-poly1305 is faster on this processor",
			   name, driver);
	else
		doctor_say(doc, DOCTOR_OK, "cipher",
			   "cipher %s is computed with instructions for it (%s)",
			   name, driver);
}

/* What arrived and was refused shows which step of the handshake is missing. */
static void tunnel_handshake(struct doctor *doc, const struct record *tunnel,
			     bool asks)
{
	const struct record *port = record_nest(tunnel, "port-drops");
	const struct record *own = record_nest(tunnel, "drops");
	uint64_t version = record_num(port, "rx-version") +
			   record_num(own, "rx-version");
	uint64_t unknown = record_num(port, "rx-unknown");
	uint64_t mac = record_num(own, "rx-mac");
	uint64_t state = record_num(own, "rx-handshake");

	if (version)
		doctor_say(doc, DOCTOR_WRONG, "peer-version",
			   "%" PRIu64 " packets of another version of the protocol arrived on its port: install the same version of mptun at both ends",
			   version);
	if (mac || unknown)
		doctor_say(doc, DOCTOR_WRONG, "peer-key",
			   "%" PRIu64 " packets arrived on its port that no tunnel here has the key for: compare the fingerprints of both ends, \"mptunctl key show\"",
			   mac + unknown);
	if (state)
		doctor_say(doc, DOCTOR_WRONG, "peer-state",
			   "%" PRIu64 " handshakes with its key did not fit: set the same cipher at both ends, and look whether a third machine has the same key",
			   state);
	if (version || mac || unknown || state)
		return;
	if (asks)
		doctor_say(doc, DOCTOR_WRONG, "handshake",
			   "nobody answers on any path: is the tunnel at the other end up, with the same key, and does its firewall let UDP to its port in?");
	else
		doctor_say(doc, DOCTOR_NOTE, "handshake",
			   "it waits for its peer, from whom nothing has arrived: if the peer is there, let UDP to port %" PRIu64 " in, here and at the router before this machine",
			   record_num(tunnel, "port"));
}

/* A learned path that is not up is one that the peer has left. */
static bool tunnel_uses(const struct record *path)
{
	uint64_t state = record_num(path, "state");

	if (record_num(path, "learned"))
		return state == MPTUN_PATH_STATE_UP;
	return state != MPTUN_PATH_STATE_OFF &&
	       state != MPTUN_PATH_STATE_DRAINING;
}

/* Whether this end has a path over which it asks for an association. */
static bool tunnel_asks(const struct record *tunnel,
			const struct dump_list *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		if (dump_of(paths->rec[i], tunnel) &&
		    tunnel_uses(paths->rec[i]))
			return true;
	return false;
}

void doctor_tunnel(struct doctor *doc, const struct record *tunnel,
		   const struct dump_list *paths)
{
	const struct doctor_link *link = doctor_link_named(doc, doc->ifname);
	bool asks = tunnel_asks(tunnel, paths);
	const struct record *drops = record_nest(tunnel, "drops");
	uint64_t refused = record_num(drops, "rx-not-allowed");
	uint64_t source = record_num(drops, "rx-source");

	tunnel_cipher(doc, tunnel);
	if (host_rules_lack(doc->route, doc->ifname))
		doctor_say(doc, DOCTOR_WRONG, "rules",
			   "another program has deleted rules of its routing, without which packets to local networks are led into it: run \"mptunctl syncconf %s\"",
			   doc->ifname);
	if (!tunnel_ready(doc, tunnel))
		return;
	if (link && queue_plain(doc->route, link->index))
		doctor_say(doc, DOCTOR_NOTE, "queue",
			   "its queue is a plain FIFO, in which calls wait behind downloads: run \"sysctl net.core.default_qdisc=fq_codel\" and \"tc qdisc replace dev %s root mq\"",
			   doc->ifname);
	if (!asks && doc->uplinks)
		doctor_say(doc, DOCTOR_WRONG, "paths",
			   "no uplink has a path: look whether one that Uplinks takes has a default route, \"ip route show default\", and whether the agent runs, \"systemctl status mptund@%s\"",
			   doc->ifname);
	else if (!asks && !record_num(tunnel, "learn"))
		doctor_say(doc, DOCTOR_WRONG, "paths",
			   "it has no path that is on, and accepts none: \"mptunctl path add %s NAME remote ADDR\", or \"mptunctl set %s learn on\"",
			   doc->ifname, doc->ifname);
	else if (record_num(tunnel, "state") != MPTUN_ASSOC_STATE_ESTABLISHED)
		tunnel_handshake(doc, tunnel, asks);
	else
		doctor_say(doc, DOCTOR_OK, "handshake",
			   "both ends are connected");
	if (source)
		doctor_say(doc, DOCTOR_NOTE, "nat",
			   "%" PRIu64 " packets came from another address or port than that of their path: a NAT has changed it, which a tunnel with cipher clear only follows with learn on, or a stranger has sent them",
			   source);
	if (refused)
		doctor_say(doc, DOCTOR_NOTE, "allowed-ips",
			   "%" PRIu64 " packets of the peer had a source address that allowed-ips does not have",
			   refused);
}

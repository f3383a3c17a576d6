/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Wire format: every byte of an mptun datagram, in network byte order.
 * Documentation/protocol.rst explains it.
 *
 *  0  type u8 | version u8 | flags u16 (zero)
 *  4  receiver index u32: of the session in a PACKET, of the attempt in an
 *     answer
 *  8  number u64: path id u15 | control u1 | packet number u48
 * 16  --- sealed from here on, except in clear mode ---
 *     kind u4 | class u4, fseq u8, prev u16
 * 20  dsn u32
 * 24  flags u8, time u24
 * 28  body
 *     authentication tag, 16 bytes, absent in clear mode
 */
#ifndef _MPTUN_WIRE_H
#define _MPTUN_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define MPTUN_VERSION		1

/**
 * enum mptun_type - outer type of a datagram
 * @MPTUN_TYPE_INIT: opens an association
 * @MPTUN_TYPE_RESPONSE: answers an INIT
 * @MPTUN_TYPE_COOKIE: asks the sender of an INIT to prove its address
 * @MPTUN_TYPE_PACKET: anything inside an association
 */
enum mptun_type {
	MPTUN_TYPE_INIT		= 1,
	MPTUN_TYPE_RESPONSE	= 2,
	MPTUN_TYPE_COOKIE	= 3,
	MPTUN_TYPE_PACKET	= 4,
};

/**
 * enum mptun_kind - content of a PACKET
 * @MPTUN_KIND_DATA: one inner packet
 * @MPTUN_KIND_REPAIR: coded repair of several inner packets; not sent yet
 * @MPTUN_KIND_REPORT: state of the receiver, as blocks
 * @MPTUN_KIND_PROBE: challenge or answer, proves that a path works
 * @MPTUN_KIND_SET: control of paths and the sender's floors, as blocks
 * @MPTUN_KIND_BYE: the sender leaves the association
 */
enum mptun_kind {
	MPTUN_KIND_DATA		= 1,
	MPTUN_KIND_REPAIR	= 2,
	MPTUN_KIND_REPORT	= 3,
	MPTUN_KIND_PROBE	= 4,
	MPTUN_KIND_SET		= 5,
	MPTUN_KIND_BYE		= 6,
};

/* Flags of the sealed header.  Packets with unknown flags are dropped. */
#define MPTUN_F_REPAIRABLE	0x01	/* predecessor may be retransmitted */
#define MPTUN_F_NOCSUM		0x02	/* receiver fills in inner checksum */
#define MPTUN_F_BLOCKS		0x04	/* body starts with length, blocks */
#define MPTUN_F_COPY		0x08	/* not the first one of its dsn */
#define MPTUN_F_FRAG		0x10	/* part of an inner packet */
#define MPTUN_F_COMPRESSED	0x20	/* reserved: compressed inner headers */
#define MPTUN_F_CODED		0x40	/* repair symbols protect it */
#define MPTUN_F_KNOWN		(MPTUN_F_REPAIRABLE | MPTUN_F_NOCSUM | \
				 MPTUN_F_BLOCKS | MPTUN_F_COPY | \
				 MPTUN_F_FRAG | MPTUN_F_CODED)

/* Structures with 64-bit members are packed: a datagram is aligned to 4 bytes
 * at most, as its IP header is.
 */

/**
 * struct mptun_outer - first header of every datagram, never sealed
 * @type: &enum mptun_type
 * @version: MPTUN_VERSION
 * @flags: zero
 * @receiver: index the receiver chose for the session, 0 in an INIT
 * @number: path id, control bit and packet number; zero in a handshake
 */
struct mptun_outer {
	u8 type;
	u8 version;
	__be16 flags;
	__be32 receiver;
	__be64 number;
} __packed;

static_assert(sizeof(struct mptun_outer) == 16);
static_assert(__alignof__(struct mptun_outer) == 1);

/**
 * struct mptun_inner - second header of every PACKET, sealed with its body
 * @kind_class: &enum mptun_kind in the upper half, class in the lower
 * @fseq: first transmissions on this path so far, this one included
 * @prev: distance to the previous dsn of the same lane; 0 if there is none
 * @dsn: data sequence number, DATA and REPAIR only
 * @flags_time: MPTUN_F_* in the upper byte, sender's microseconds below
 */
struct mptun_inner {
	u8 kind_class;
	u8 fseq;
	__be16 prev;
	__be32 dsn;
	__be32 flags_time;
};

static_assert(sizeof(struct mptun_inner) == 12);

/**
 * struct mptun_packet - both headers of a PACKET
 * @outer: header left in clear
 * @inner: header sealed with the body
 */
struct mptun_packet {
	struct mptun_outer outer;
	struct mptun_inner inner;
} __packed;

static_assert(sizeof(struct mptun_packet) == 28);

#define MPTUN_PREV_MAX		0xffff	/* this distance or more */

#define MPTUN_NUMBER_PN_BITS	48
#define MPTUN_NUMBER_PN_MASK	(BIT_ULL(MPTUN_NUMBER_PN_BITS) - 1)
#define MPTUN_NUMBER_CONTROL	BIT_ULL(MPTUN_NUMBER_PN_BITS)
#define MPTUN_NUMBER_PATH_SHIFT	49
#define MPTUN_WIRE_ID_MAX	0x7fff
#define MPTUN_WIRE_ID_HALF	((MPTUN_WIRE_ID_MAX + 1) / 2)
#define MPTUN_WIRE_ID_NONE	0	/* control packets about no path */

#define MPTUN_CLASS_MASK	0x0f	/* in mptun_inner.kind_class */

#define MPTUN_TIME_BITS		24
#define MPTUN_TIME_MASK		((1U << MPTUN_TIME_BITS) - 1)

/* MPTUN_F_* as encoded in mptun_inner.flags_time */
#define MPTUN_FLAGS(flags)	cpu_to_be32((u32)(flags) << MPTUN_TIME_BITS)

#define MPTUN_OFFER_FRAG	0x01	/* takes MPTUN_F_FRAG */
#define MPTUN_OFFER_REPAIR	0x02	/* takes MPTUN_KIND_REPAIR */

#define MPTUN_KEY_ID_LEN	8
#define MPTUN_COOKIE_LEN	16
#define MPTUN_MAC_LEN		16
#define MPTUN_TAG_LEN		16

/**
 * struct mptun_hello - payload of INIT and RESPONSE, sealed
 * @sender: index of the sender's session, for packets to it
 * @first_dsn: first data sequence number of the sender
 * @instance: instance id of the sender
 * @peer_instance: instance id of the receiver as known to the sender
 * @counter: number of the attempt, increasing; that of the INIT in a RESPONSE
 * @features: zero
 * @cipher: &enum mptun_cipher
 * @offers: MPTUN_OFFER_*, what the sender understands and need not be used
 * @reserved: zero
 * @cookie: content of the last COOKIE, else zero; zero in a RESPONSE
 */
struct mptun_hello {
	__be32 sender;
	__be32 first_dsn;
	__be64 instance;
	__be64 peer_instance;
	__be64 counter;
	__be32 features;
	u8 cipher;
	u8 offers;
	u8 reserved[2];
	u8 cookie[MPTUN_COOKIE_LEN];
} __packed;

static_assert(sizeof(struct mptun_hello) == 56);

/**
 * struct mptun_init - an INIT
 * @outer: first header
 * @to: number of the tunnel addressed (clear), or zero
 * @from: number of the sending tunnel (clear), or the sender's index
 * @key_id: id of the shared key; zero in clear mode
 * @ephemeral: ephemeral public key; zero in clear mode
 * @hello: the payload
 * @tag: its authentication tag; zero in clear mode
 * @mac1: proves that the sender knows the key; zero in clear mode
 * @mac2: proves that the sender received a COOKIE at its address, or zero
 */
struct mptun_init {
	struct mptun_outer outer;
	__be32 to;
	__be32 from;
	u8 key_id[MPTUN_KEY_ID_LEN];
	u8 ephemeral[32];
	struct mptun_hello hello;
	u8 tag[MPTUN_TAG_LEN];
	u8 mac1[MPTUN_MAC_LEN];
	u8 mac2[MPTUN_MAC_LEN];
} __packed;

static_assert(sizeof(struct mptun_init) == 168);

/**
 * struct mptun_response - a RESPONSE
 * @outer: first header
 * @ephemeral: ephemeral public key; zero in clear mode
 * @hello: the payload
 * @tag: its authentication tag; zero in clear mode
 * @mac1: proves that the sender knows the key; zero in clear mode
 */
struct mptun_response {
	struct mptun_outer outer;
	u8 ephemeral[32];
	struct mptun_hello hello;
	u8 tag[MPTUN_TAG_LEN];
	u8 mac1[MPTUN_MAC_LEN];
} __packed;

static_assert(sizeof(struct mptun_response) == 136);

/**
 * struct mptun_cookie - a COOKIE
 * @outer: first header
 * @nonce: random; in clear mode the counter of the INIT and zeros
 * @cookie: to be repeated in the next INIT, or zero
 * @source: key of the next &mptun_init.mac2 from the address of this INIT, or
 *	zero
 * @tag: authentication tag; zero in clear mode
 *
 * @cookie and @source are sealed.
 */
struct mptun_cookie {
	struct mptun_outer outer;
	u8 nonce[24];
	u8 cookie[MPTUN_COOKIE_LEN];
	u8 source[MPTUN_COOKIE_LEN];
	u8 tag[MPTUN_TAG_LEN];
} __packed;

static_assert(sizeof(struct mptun_cookie) == 88);

#define MPTUN_FRAGS_MAX		4	/* largest number of fragments */
#define MPTUN_FRAG_INNER_MAX	1500	/* largest packet in fragments */

/**
 * struct mptun_frag - header of a fragment, in front of its bytes
 * @index: its place among the fragments of the inner packet, from 0; its dsn is
 *	larger by this than that of the first
 * @count: number of fragments, 2 to MPTUN_FRAGS_MAX
 * @len: length of the inner packet
 */
struct mptun_frag {
	u8 index;
	u8 count;
	__be16 len;
};

static_assert(sizeof(struct mptun_frag) == 4);

#define MPTUN_REPAIR_SPAN	128	/* dsns of a window at most */
#define MPTUN_REPAIR_MEMBERS	64	/* largest number of members */
#define MPTUN_REPAIR_WORDS	4	/* largest number of words of the map */

/**
 * struct mptun_repair - header of the body of REPAIR
 * @seed: with a dsn it gives the coefficient of that member
 * @words: number of words of 32 bits that follow, the map of members, 1 to
 *	MPTUN_REPAIR_WORDS; the last one is not zero
 * @reserved: zero
 *
 * &mptun_inner.dsn is the last member of the window.  Bit n of word w, n = 0
 * being the lowest, says that the dsn smaller by 32 w + n is a member; bit 0 of
 * word 0 is set.  The map is followed by the sum of the symbols of all members
 * times their coefficients.
 */
struct mptun_repair {
	__be16 seed;
	u8 words;
	u8 reserved;
};

static_assert(sizeof(struct mptun_repair) == 4);

/* Flags of a DATA packet that its symbol has */
#define MPTUN_F_SYMBOL		(MPTUN_F_REPAIRABLE | MPTUN_F_NOCSUM | \
				 MPTUN_F_FRAG)

/**
 * struct mptun_symbol - header of the symbol of a DATA packet
 * @len: length of the body that follows, without blocks; not zero
 * @prev: as in &struct mptun_inner
 * @flags: MPTUN_F_SYMBOL at most
 * @class: class, at most MPTUN_CLASS_MASK
 *
 * Contains what a receiver cannot know otherwise.  The symbol counts as
 * followed by any number of zeros.
 */
struct mptun_symbol {
	__be16 len;
	__be16 prev;
	u8 flags;
	u8 class;
};

static_assert(sizeof(struct mptun_symbol) == 6);

/**
 * struct mptun_bye - body of BYE
 * @instance: instance id of the sender
 */
struct mptun_bye {
	__be64 instance;
} __packed;

static_assert(sizeof(struct mptun_bye) == 8);

/**
 * struct mptun_probe - body of PROBE, may be followed by padding
 * @answer: 0 in a challenge, 1 in its answer
 * @ds: DS field with which the challenge was sent, 0 if it is that of other
 *	control packets; repeated in the answer
 * @size: length of the body of the challenge, repeated in the answer
 * @echo: time of the challenge in the sender's microseconds, repeated
 * @token: random value of the challenge, repeated in the answer
 */
struct mptun_probe {
	u8 answer;
	u8 ds;
	__be16 size;
	__be32 echo;
	__be64 token;
} __packed;

static_assert(sizeof(struct mptun_probe) == 16);

/* Blocks are aligned to 2 bytes: those of DATA follow a length. */

/**
 * enum mptun_block_type - content of a block in REPORT, SET or DATA
 * @MPTUN_BLOCK_ACK: packet numbers received on a path (struct mptun_ack)
 * @MPTUN_BLOCK_ROOM: state of the receiver's reorder buffer (struct mptun_room)
 * @MPTUN_BLOCK_FLOOR: lowest packet number of a path that still matters (struct
 *	mptun_floor)
 * @MPTUN_BLOCK_SETTLED: lowest dsn that may still arrive (struct mptun_settled)
 * @MPTUN_BLOCK_STATUS: requested use of a path (struct mptun_status)
 * @MPTUN_BLOCK_POLICY: settings of a path (struct mptun_path_policy)
 * @MPTUN_BLOCK_CAPS: rates of classes (struct mptun_caps_head)
 */
enum mptun_block_type {
	MPTUN_BLOCK_ACK		= 1,
	MPTUN_BLOCK_ROOM	= 2,
	MPTUN_BLOCK_FLOOR	= 3,
	MPTUN_BLOCK_SETTLED	= 4,
	MPTUN_BLOCK_STATUS	= 5,
	MPTUN_BLOCK_POLICY	= 6,
	MPTUN_BLOCK_CAPS	= 7,
};

/**
 * struct mptun_block - header of a block; unknown types are skipped
 * @type: &enum mptun_block_type
 * @reserved: zero
 * @len: length of the content in bytes, a multiple of 4
 */
struct mptun_block {
	u8 type;
	u8 reserved;
	__be16 len;
};

static_assert(sizeof(struct mptun_block) == 4);

/**
 * struct mptun_ack - data packets received on a path
 * @path: path id
 * @ranges: number of &struct mptun_ack_range that follow, newest first
 * @reserved: zero
 * @delay: microseconds since the arrival of the largest number
 * @largest: largest number received
 * @arrival: receiver's microseconds at that arrival
 * @packets: packets received on this path so far, low 32 bits
 * @bytes: bytes received on this path so far
 * @ce: packets marked on this path so far, low 32 bits
 * @ce_l4s: those of them with ECT(1) inside, low 32 bits
 *
 * The first range ends with @largest.
 */
struct mptun_ack {
	__be16 path;
	u8 ranges;
	u8 reserved;
	__be32 delay;
	__be64 largest;
	__be32 arrival;
	__be32 packets;
	__be64 bytes;
	__be32 ce;
	__be32 ce_l4s;
} __packed;

static_assert(sizeof(struct mptun_ack) == 40);

#define MPTUN_RANGES_MAX	64	/* largest number of ranges of an ACK */

/**
 * struct mptun_ack_range - consecutive numbers received
 * @gap: numbers missing between this range and the one before (above) it, zero
 *	in the first one
 * @len: numbers in this range, at least 1
 */
struct mptun_ack_range {
	__be32 gap;
	__be32 len;
} __packed;

static_assert(sizeof(struct mptun_ack_range) == 8);

/**
 * struct mptun_room - state of the receiver's reorder buffer
 * @highest: highest dsn received
 * @room: packets beyond @highest that it can hold now
 * @given_up: packets given up so far, low 32 bits
 */
struct mptun_room {
	__be32 highest;
	__be32 room;
	__be32 given_up;
} __packed;

static_assert(sizeof(struct mptun_room) == 12);

/**
 * struct mptun_floor - older packets no longer matter to the sender
 * @path: path id
 * @reserved: zero
 * @number: lowest number of the data space that still matters
 */
struct mptun_floor {
	__be16 path;
	__be16 reserved;
	__be64 number;
} __packed;

static_assert(sizeof(struct mptun_floor) == 12);

/**
 * struct mptun_settled - older packets will not arrive any more
 * @dsn: lowest dsn neither acknowledged nor given up by the sender
 */
struct mptun_settled {
	__be32 dsn;
} __packed;

static_assert(sizeof(struct mptun_settled) == 4);

/**
 * enum mptun_path_status - requested use of a path
 * @MPTUN_STATUS_AVAILABLE: as any other path
 * @MPTUN_STATUS_BACKUP: only while no available path is usable
 * @MPTUN_STATUS_ABANDON: no longer, the path is being deleted
 * @MPTUN_STATUS_ABANDONED: answers ABANDON
 * @MPTUN_STATUS_STANDBY: no data, and few probes
 */
enum mptun_path_status {
	MPTUN_STATUS_AVAILABLE	= 0,
	MPTUN_STATUS_BACKUP	= 1,
	MPTUN_STATUS_ABANDON	= 2,
	MPTUN_STATUS_ABANDONED	= 3,
	MPTUN_STATUS_STANDBY	= 4,
};

/**
 * struct mptun_status - requested use of a path
 * @path: path id
 * @status: &enum mptun_path_status
 */
struct mptun_status {
	__be16 path;
	__be16 status;
};

static_assert(sizeof(struct mptun_status) == 4);

/* Flags of struct mptun_path_policy */
#define MPTUN_POLICY_BACKUP	0x01	/* use it while no other one works */
#define MPTUN_POLICY_OFF	0x02	/* do not use it */
#define MPTUN_POLICY_ACK	0x40	/* answer: @version has arrived */
#define MPTUN_POLICY_FOLLOWED	0x80	/* answer: and is followed */

#define MPTUN_POLICY_ANSWER	(MPTUN_POLICY_ACK | MPTUN_POLICY_FOLLOWED)

#define MPTUN_POLICY_NAME_LEN	16
#define MPTUN_POLICY_RATE_MAX	(~0ULL / 8)

/**
 * struct mptun_path_policy - settings of a path for both directions
 * @path: path id
 * @flags: MPTUN_POLICY_*
 * @status: state of the cap, &enum mptun_path_status
 * @version: increases with each change, at least 1; that of the policy in its
 *	answer
 * @priority: lower numbers are used first
 * @reserved: zero
 * @weight: share of the path, at least 1
 * @spill: time in us that paths of lower numbers must be full, all ones for
 *	ever
 * @rate: limit of the direction to the sender in bytes per second, 0 for none
 * @name: name of the path, filled up with zeros
 *
 * An answer has only @path, @flags and @version.
 */
struct mptun_path_policy {
	__be16 path;
	u8 flags;
	u8 status;
	__be32 version;
	u8 priority;
	u8 reserved;
	__be16 weight;
	__be32 spill;
	__be64 rate;
	u8 name[MPTUN_POLICY_NAME_LEN];
} __packed;

static_assert(sizeof(struct mptun_path_policy) == 40);

#define MPTUN_CAPS_MAX		15	/* largest number of rates */
#define MPTUN_CAPS_PROTOCOL_ANY	256
#define MPTUN_CAPS_DSCP_ANY	64

/**
 * enum mptun_caps_sched - schedulers
 * @MPTUN_CAPS_SCHED_NONE: the sender says nothing about it
 * @MPTUN_CAPS_SCHED_GREEDY: earliest arrival
 * @MPTUN_CAPS_SCHED_ECF: the same, if worth the wait
 * @MPTUN_CAPS_SCHED_FLOW: each flow on one path
 * @MPTUN_CAPS_SCHED_REDUNDANT: all paths
 * @MPTUN_CAPS_SCHED_WRR: by weight
 * @MPTUN_CAPS_SCHED_WRR_AUTO: by weight and rate
 */
enum mptun_caps_sched {
	MPTUN_CAPS_SCHED_NONE		= 0,
	MPTUN_CAPS_SCHED_GREEDY		= 1,
	MPTUN_CAPS_SCHED_ECF		= 2,
	MPTUN_CAPS_SCHED_FLOW		= 3,
	MPTUN_CAPS_SCHED_REDUNDANT	= 4,
	MPTUN_CAPS_SCHED_WRR		= 5,
	MPTUN_CAPS_SCHED_WRR_AUTO	= 6,
};

/**
 * struct mptun_caps_head - rates of classes and the scheduler for the direction
 *	to the sender
 * @version: as in &struct mptun_path_policy
 * @flags: 0, or MPTUN_POLICY_ACK and MPTUN_POLICY_FOLLOWED in an answer
 * @count: number of &struct mptun_caps_entry that follow; none in an answer
 * @sched: &enum mptun_caps_sched; an unknown one counts as none
 * @reserved: zero
 */
struct mptun_caps_head {
	__be32 version;
	u8 flags;
	u8 count;
	u8 sched;
	u8 reserved;
} __packed;

static_assert(sizeof(struct mptun_caps_head) == 8);

/**
 * struct mptun_caps_entry - the rate of a class
 * @protocol: IP protocol of its packets, MPTUN_CAPS_PROTOCOL_ANY for any
 * @port: source or destination port, 0 for any
 * @dscp: DSCP, MPTUN_CAPS_DSCP_ANY for any
 * @reserved: zero
 * @rate: bytes of inner packets per second, not zero
 */
struct mptun_caps_entry {
	__be16 protocol;
	__be16 port;
	u8 dscp;
	u8 reserved[3];
	__be64 rate;
} __packed;

static_assert(sizeof(struct mptun_caps_entry) == 16);

#endif /* _MPTUN_WIRE_H */

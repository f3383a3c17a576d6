// SPDX-License-Identifier: GPL-2.0
/*
 * The queues of the interface.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The interface holds the backlog of a tunnel.  Where the default of the
 * machine is a plain FIFO, a call waits there behind a thousand packets of a
 * download, at 16 Mbit/s for 0.7 s.  fq_codel takes its place, which serves the
 * flows in turn.  What somebody has set has a handle, and stays.
 */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "host/host.h"
#include "host/message.h"
#include "host/queue.h"

/* Handle of the mq whose queues are replaced */
#define QUEUE_HANDLE TC_H_MAKE(1U << 16, 0)

/**
 * struct queue - the defaults of an interface
 * @fifos: its plain FIFOs
 * @others: its other queueing disciplines, mq at the root apart
 * @mq: mq is at the root
 */
struct queue {
	unsigned int fifos;
	unsigned int others;
	bool mq;
};

static void queue_note(struct queue *queue, struct nlmsghdr *msg)
{
	const struct tcmsg *head = nlmsg_data(msg);
	struct nlattr *attr = nlmsg_find_attr(msg, sizeof(*head), TCA_KIND);
	const char *kind = attr ? nla_data(attr) : "";

	/* Those of received packets hold none. */
	if (head->tcm_parent == TC_H_INGRESS)
		return;
	if (TC_H_MAJ(head->tcm_handle))
		queue->others++;
	else if (head->tcm_parent == TC_H_ROOT && !strcmp(kind, "mq"))
		queue->mq = true;
	else if (!strcmp(kind, "pfifo_fast") || !strcmp(kind, "pfifo"))
		queue->fifos++;
	else
		queue->others++;
}

static struct queue queue_read(struct conn *route, int index)
{
	const struct tcmsg want = { .tcm_ifindex = index };
	struct queue queue = { .fifos = 0 };
	struct message_list list;

	message_dump(route, message_new(RTM_GETQDISC, NLM_F_DUMP, &want,
					sizeof(want)), &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct tcmsg *head = nlmsg_data(list.msg[i]);

		if (head->tcm_ifindex == index)
			queue_note(&queue, list.msg[i]);
	}
	message_free(&list);
	return queue;
}

bool queue_plain(struct conn *route, int index)
{
	const struct queue queue = queue_read(route, index);

	return queue.fifos && !queue.others;
}

static int queue_put(struct conn *route, int index, uint32_t parent,
		     uint32_t handle, const char *kind)
{
	const struct tcmsg head = {
		.tcm_ifindex = index,
		.tcm_parent = parent,
		.tcm_handle = handle,
	};
	struct nl_msg *msg = message_new(RTM_NEWQDISC, NLM_F_CREATE |
					 NLM_F_REPLACE, &head, sizeof(head));

	nla_put_string(msg, TCA_KIND, kind);
	return conn_do(route, msg, NULL, NULL);
}

/* Without fq_codel, the default comes back. */
void host_queues_set(const struct host *host)
{
	const struct queue queue = queue_read(host->route, host->index);
	const struct tcmsg root = {
		.tcm_ifindex = host->index,
		.tcm_parent = TC_H_ROOT,
	};

	if (!queue.fifos || queue.others)
		return;
	if (!queue.mq) {
		queue_put(host->route, host->index, TC_H_ROOT, 0, "fq_codel");
		return;
	}
	if (queue_put(host->route, host->index, TC_H_ROOT, QUEUE_HANDLE, "mq"))
		return;
	for (unsigned int i = 1; i <= queue.fifos; i++) {
		if (!queue_put(host->route, host->index, QUEUE_HANDLE | i, 0,
			       "fq_codel"))
			continue;
		conn_do(host->route, message_new(RTM_DELQDISC, 0, &root,
						 sizeof(root)), NULL, NULL);
		return;
	}
}

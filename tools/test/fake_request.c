// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: requests, and who answers them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>

#include <linux/mptun.h>

#include "test/fake.h"
#include "test/fake_state.h"
#include "test/policy.h"

static void fake_genl(const struct nlmsghdr *request, struct fake_reply *reply)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const char *data = (const char *)genl + GENL_HDRLEN;
	size_t len = request->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	const struct nlattr *bad = NULL;
	unsigned int maxattr;
	const char *text;
	bool privileged;

	if (!policy_command(genl->cmd, &maxattr, &privileged)) {
		fake_fail(reply, EOPNOTSUPP, NULL, NULL);
		return;
	}
	text = policy_check(genl->cmd, data, len, &bad);
	if (text) {
		fake_fail(reply, EINVAL, text, bad);
		return;
	}
	switch (genl->cmd) {
	case MPTUN_CMD_TUNNEL_GET:
		fake_tunnel_get(request, data, len, reply);
		break;
	case MPTUN_CMD_TUNNEL_SET:
		fake_tunnel_set(data, len, reply);
		break;
	case MPTUN_CMD_PATH_GET:
		fake_path_get(request, data, len, reply);
		break;
	case MPTUN_CMD_CLASS_GET:
		fake_class_get(request, data, len, reply);
		break;
	case MPTUN_CMD_CLASS_NEW:
	case MPTUN_CMD_CLASS_SET:
	case MPTUN_CMD_CLASS_DEL:
		fake_class_change(genl->cmd, data, len, reply);
		break;
	default:
		fake_path_change(genl->cmd, data, len, reply);
		break;
	}
}

void fake_request(const struct nlmsghdr *request, struct fake_reply *reply)
{
	const struct ifinfomsg *info = NLMSG_DATA(request);
	const char *data = (const char *)info + NLMSG_ALIGN(sizeof(*info));
	size_t len = request->nlmsg_len - NLMSG_HDRLEN -
		     NLMSG_ALIGN(sizeof(*info));

	if (request->nlmsg_type == FAKE_FAMILY)
		fake_genl(request, reply);
	else if (request->nlmsg_type == RTM_NEWLINK && info->ifi_index)
		fake_setlink((uint32_t)info->ifi_index, info->ifi_flags, reply);
	else if (request->nlmsg_type == RTM_NEWADDR)
		fake_newaddr(((struct ifaddrmsg *)info)->ifa_index,
			     (const char *)info +
			     NLMSG_ALIGN(sizeof(struct ifaddrmsg)),
			     request->nlmsg_len - NLMSG_HDRLEN -
			     NLMSG_ALIGN(sizeof(struct ifaddrmsg)), reply);
	else if (request->nlmsg_type == RTM_NEWLINK)
		fake_newlink(data, len, reply);
	else if (request->nlmsg_type == RTM_DELLINK)
		fake_dellink((uint32_t)info->ifi_index,
			     fake_find(data, len, IFLA_IFNAME), reply);
	else if (request->nlmsg_type == RTM_GETLINK ||
		 request->nlmsg_type == RTM_GETADDR)
		fake_net_dump(request->nlmsg_type);
	else if (request->nlmsg_type == RTM_GETROUTE)
		fake_net_route((const char *)NLMSG_DATA(request) +
			       NLMSG_ALIGN(sizeof(struct rtmsg)),
			       request->nlmsg_len - NLMSG_HDRLEN -
			       NLMSG_ALIGN(sizeof(struct rtmsg)), reply);
	else if (request->nlmsg_type != RTM_NEWROUTE)
		fake_fail(reply, EOPNOTSUPP, NULL, NULL);
}

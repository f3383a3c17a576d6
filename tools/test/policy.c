// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's netlink policies, compiled in user space.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "policy-gen.h"
#include "test/policy.h"

/* The handlers are the kernel's; here only their addresses are needed. */
#define POLICY_DO(name)							\
	int name(struct sk_buff *skb, struct genl_info *info)		\
	{								\
		return skb && info;					\
	}
#define POLICY_DUMP(name)						\
	int name(struct sk_buff *skb, struct netlink_callback *cb)	\
	{								\
		return skb && cb;					\
	}

POLICY_DO(mptun_nl_tunnel_get_doit)
POLICY_DUMP(mptun_nl_tunnel_get_dumpit)
POLICY_DO(mptun_nl_tunnel_set_doit)
POLICY_DO(mptun_nl_path_new_doit)
POLICY_DO(mptun_nl_path_set_doit)
POLICY_DO(mptun_nl_path_del_doit)
POLICY_DO(mptun_nl_path_get_doit)
POLICY_DUMP(mptun_nl_path_get_dumpit)
POLICY_DO(mptun_nl_class_new_doit)
POLICY_DO(mptun_nl_class_set_doit)
POLICY_DO(mptun_nl_class_del_doit)
POLICY_DO(mptun_nl_class_get_doit)
POLICY_DUMP(mptun_nl_class_get_dumpit)

static const struct genl_ops *policy_ops(uint8_t cmd)
{
	for (size_t i = 0; i < sizeof(mptun_nl_ops) / sizeof(*mptun_nl_ops);
	     i++)
		if (mptun_nl_ops[i].cmd == cmd)
			return &mptun_nl_ops[i];
	return NULL;
}

bool policy_command(uint8_t cmd, unsigned int *maxattr, bool *privileged)
{
	const struct genl_ops *ops = policy_ops(cmd);

	if (!ops)
		return false;
	*maxattr = ops->maxattr;
	*privileged = ops->flags & GENL_UNS_ADMIN_PERM;
	return true;
}

static void policy_number(struct policy *p, const struct nla_policy *kernel,
			  size_t size)
{
	p->kind = POLICY_NUMBER;
	p->len = size;
	p->max = UINT64_MAX >> (64 - 8 * size);
	if (kernel->check == SHIM_MIN || kernel->check == SHIM_MIN_MAX)
		p->min = (uint64_t)kernel->min;
	if (kernel->check == SHIM_MAX || kernel->check == SHIM_MIN_MAX)
		p->max = (uint64_t)kernel->max;
	if (kernel->check == SHIM_RANGE) {
		p->min = kernel->range->min;
		p->max = kernel->range->max;
	}
}

struct policy policy_of(uint8_t cmd, unsigned int attr)
{
	const struct genl_ops *ops = policy_ops(cmd);
	struct policy p = { .kind = POLICY_NONE };
	const struct nla_policy *kernel;

	if (!attr || attr > ops->maxattr)
		return p;
	kernel = &ops->policy[attr];
	switch (kernel->type) {
	case NLA_U8:
		policy_number(&p, kernel, 1);
		break;
	case NLA_U16:
		policy_number(&p, kernel, 2);
		break;
	case NLA_U32:
		policy_number(&p, kernel, 4);
		break;
	case NLA_U64:
		policy_number(&p, kernel, 8);
		break;
	case NLA_NUL_STRING:
		p.kind = POLICY_STRING;
		p.len = kernel->len;
		break;
	case NLA_BINARY:
		p.kind = POLICY_BINARY;
		p.list = kernel->check != SHIM_EXACT_LEN;
		p.len = kernel->len;
		break;
	}
	return p;
}

static uint64_t policy_read(const void *data, size_t size)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		memcpy(&u8, data, size);
		return u8;
	case 2:
		memcpy(&u16, data, size);
		return u16;
	case 4:
		memcpy(&u32, data, size);
		return u32;
	default:
		memcpy(&u64, data, size);
		return u64;
	}
}

static const char *policy_attr(const struct policy *p, const void *data,
			       size_t len)
{
	uint64_t num;

	switch (p->kind) {
	case POLICY_NUMBER:
		if (len != p->len)
			return "invalid attribute length";
		num = policy_read(data, len);
		return num < p->min || num > p->max ? "integer out of range" :
						      NULL;
	case POLICY_STRING:
		if (!len || !memchr(data, 0, len) || len > p->len + 1)
			return "Attribute failed policy validation";
		return NULL;
	case POLICY_BINARY:
		return len > p->len || (len < p->len && !p->list) ?
		       "invalid attribute length" : NULL;
	default:
		return "Unknown attribute type";
	}
}

const char *policy_check(uint8_t cmd, const void *data, size_t len,
			 const struct nlattr **bad)
{
	const char *walk = data, *wrong;

	while (len >= NLA_HDRLEN) {
		const struct nlattr *attr = (const struct nlattr *)walk;
		size_t step = NLA_ALIGN((size_t)attr->nla_len);
		struct policy p;

		*bad = attr;
		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			return "bad attribute";
		p = policy_of(cmd, attr->nla_type & NLA_TYPE_MASK);
		wrong = policy_attr(&p, walk + NLA_HDRLEN,
				    attr->nla_len - (size_t)NLA_HDRLEN);
		if (wrong)
			return wrong;
		if (step >= len)
			break;
		walk += step;
		len -= step;
	}
	*bad = NULL;
	return NULL;
}

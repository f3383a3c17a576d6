# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
#
# What the kernel offers that is built against: features are probed in
# its headers, never derived from its version: distributions and stable trees
# carry interfaces of later versions.
#
# $(call mptun-have,HEADER,PATTERN,NAME) defines MPTUN_HAVE_NAME if a line of
# the header matches; parentheses are written as dots, or make counts them.

mptun-have = $(if $(shell grep -s -E -m1 '$(2)' $(srctree)/include/$(1)),-DMPTUN_HAVE_$(3))

mptun-probes :=
mptun-probes += $(call mptun-have,crypto/blake2s.h,^struct blake2s_ctx,BLAKE2S_CTX)
mptun-probes += $(call mptun-have,crypto/chacha.h,^struct chacha_state,CHACHA_STATE)
mptun-probes += $(call mptun-have,crypto/utils.h,crypto_memneq,CRYPTO_UTILS)
mptun-probes += $(call mptun-have,kunit/static_stub.h,KUNIT_STATIC_STUB_REDIRECT,KUNIT_STATIC_STUB)
mptun-probes += $(call mptun-have,kunit/visibility.h,VISIBLE_IF_KUNIT,KUNIT_VISIBILITY)
mptun-probes += $(call mptun-have,linux/crypto.h,crypto_completion_t..void,CRYPTO_COMPLETION_DATA)
mptun-probes += $(call mptun-have,linux/hrtimer.h,void hrtimer_setup.struct,HRTIMER_SETUP)
mptun-probes += $(call mptun-have,linux/netdevice.h,long.*lltx:1,LLTX)
mptun-probes += $(call mptun-have,linux/netdevice.h,netdev_get_by_name.struct,NETDEV_GET_BY)
mptun-probes += $(call mptun-have,linux/netdevice.h,u8 reg_state;,REG_STATE)
mptun-probes += $(call mptun-have,linux/unaligned.h,get_unaligned_be64,LINUX_UNALIGNED)
mptun-probes += $(call mptun-have,linux/workqueue.h,WQ_PERCPU,WQ_PERCPU)
mptun-probes += $(call mptun-have,net/genetlink.h,^genl_info_dump.struct,GENL_INFO_DUMP)
mptun-probes += $(call mptun-have,net/gso.h,skb_gso_segment,GSO_H)
mptun-probes += $(call mptun-have,net/rtnetlink.h,^struct rtnl_newlink_params,NEWLINK_PARAMS)
mptun-probes += $(call mptun-have,net/udp_tunnel.h,sock_release.struct sock .sk,UDP_TUNNEL_SK)
mptun-probes += $(call mptun-have,net/udp_tunnel.h,nocheck. u16 ipcb_flags,UDP_TUNNEL_FLAGS)

# Overlays must come before the kernel's own headers.
NOSTDINC_FLAGS += $(mptun-probes) -I$(src)/compat/include

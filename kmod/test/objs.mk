# SPDX-License-Identifier: GPL-2.0
#
# The suites.  They link against what they test: if both mptun and its tests are
# built in, that is the one copy there is.  Else the module of the tests has a
# copy of its own, test/cc/cc.o from cc/cc.c, as mptun exports nothing.
mptun_kunit-y := test/main.o
mptun_kunit-y += test/base/backoff_test.o test/base/no_memory.o
mptun_kunit-y += test/base/ecn_test.o test/base/parallel_test.o
mptun_kunit-y += test/base/pool_test.o test/base/prefix_test.o
mptun_kunit-y += test/base/ring_test.o
mptun_kunit-y += test/wire/frag_test.o test/wire/mss_test.o
mptun_kunit-y += test/wire/parse_test.o test/wire/tcp_test.o
mptun_kunit-y += test/recovery/dsfield_test.o
mptun_kunit-y += test/recovery/loss_test.o test/recovery/oneway_test.o
mptun_kunit-y += test/recovery/mtu_test.o
mptun_kunit-y += test/recovery/pacing_test.o test/recovery/pmtu_test.o
mptun_kunit-y += test/recovery/rate_sample_test.o
mptun_kunit-y += test/recovery/rate_test.o test/recovery/recent_test.o
mptun_kunit-y += test/recovery/rtt_test.o
mptun_kunit-y += test/recovery/rtx_test.o test/recovery/sent_fuzz_model.o
mptun_kunit-y += test/recovery/sent_fuzz_test.o
mptun_kunit-y += test/recovery/sent_rtt_test.o test/recovery/sent_test.o
mptun_kunit-y += test/sched/bad_test.o test/sched/cap_test.o
mptun_kunit-y += test/sched/class_test.o test/sched/detour_test.o
mptun_kunit-y += test/sched/ecf_test.o test/sched/flow_test.o
mptun_kunit-y += test/sched/lead_test.o
mptun_kunit-y += test/sched/low_rate_test.o test/sched/policy_test.o
mptun_kunit-y += test/sched/sched_test.o test/sched/sparse_test.o
mptun_kunit-y += test/sched/spill_test.o test/sched/table_test.o
mptun_kunit-y += test/sched/wrr_test.o
mptun_kunit-y += test/cc/bbr_limited_test.o test/cc/bbr_loss_test.o
mptun_kunit-y += test/cc/bbr_rtt_test.o test/cc/bbr_test.o
mptun_kunit-y += test/cc/cc_test.o test/cc/choose_test.o
mptun_kunit-y += test/cc/cubic_test.o test/cc/delay_test.o test/cc/lia_test.o
mptun_kunit-y += test/cc/residual_test.o test/cc/shared_bottleneck_test.o
mptun_kunit-y += test/cc/sim.o
mptun_kunit-y += test/cc/sim_bbr_test.o test/cc/sim_cubic_test.o
mptun_kunit-y += test/cc/sim_delay_test.o test/cc/sim_lia_test.o
mptun_kunit-y += test/cc/sim_test.o
mptun_kunit-y += test/code/decoder_test.o test/code/encoder_test.o
mptun_kunit-y += test/code/field_test.o test/code/frame.o
mptun_kunit-y += test/code/loop_test.o test/code/loss_test.o
mptun_kunit-y += test/code/vectors_test.o
mptun_kunit-y += test/reorder/ack_ranges_test.o
mptun_kunit-y += test/reorder/assemble_test.o test/reorder/frame.o
mptun_kunit-y += test/reorder/gap_test.o
mptun_kunit-y += test/reorder/loss_proof_test.o test/reorder/naive.o
mptun_kunit-y += test/reorder/naive_gap.o test/reorder/owd_test.o
mptun_kunit-y += test/reorder/playout_test.o test/reorder/psmc_test.o
mptun_kunit-y += test/reorder/random_test.o test/reorder/reorder_repair_test.o
mptun_kunit-y += test/reorder/reorder_test.o
mptun_kunit-y += test/reorder/replay_test.o test/reorder/sim.o
mptun_kunit-y += test/reorder/sim_test.o test/reorder/window_test.o
mptun_kunit-y += test/crypto/cipher_test.o test/crypto/cookie_test.o
mptun_kunit-y += test/crypto/handshake_test.o test/crypto/random_test.o
mptun_kunit-y += test/crypto/ratelimit_test.o
mptun_kunit-y += test/core/change_test.o test/core/epoch_test.o
mptun_kunit-y += test/core/heal_test.o test/core/keep_test.o
mptun_kunit-y += test/core/lookup_test.o test/core/path_test.o
mptun_kunit-y += test/tx/run_test.o test/tx/segment_test.o

ifneq ($(CONFIG_MPTUN)$(CONFIG_MPTUN_KUNIT_TEST),yy)
mptun-tested := base/ecn.o base/parallel.o base/prefix.o
mptun-tested += core/epoch.o core/lookup.o crypto/cookie.o
mptun-tested += crypto/random.o crypto/ratelimit.o
mptun-tested += tx/segment.o $(mptun-cores)
mptun_kunit-y += $(addprefix test/,$(mptun-tested))

$(addprefix $(obj)/test/,$(mptun-tested)): $(obj)/test/%.o: $(src)/%.c FORCE
	$(call if_changed_rule,cc_o_c)
endif

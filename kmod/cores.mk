# SPDX-License-Identifier: GPL-2.0
mptun-cores := base/ring.o registry.o wire/parse.o
# receive side
mptun-cores += reorder.o reorder_window.o reorder_bracket.o reorder_psmc.o
mptun-cores += evidence.o delay.o skew.o playout.o ranges.o replay.o
# transmit side
mptun-cores += recovery/rtt.o recovery/rate.o recovery/oneway.o recovery/rate_sample.o recovery/sent.o recovery/loss.o recovery/rtx.o
mptun-cores += recovery/pacing.o
mptun-cores += cc.o cc_fixed.o cc_none.o
mptun-cores += cc_window.o cc_newreno.o cc_cubic.o cc_lia.o
mptun-cores += cc_residual.o cc_delay.o
mptun-cores += cc_bbr.o cc_bbr_state.o cc_bbr_model.o cc_bbr_rtt.o
mptun-cores += sched.o sched_greedy.o sched_ecf.o sched_wrr.o
mptun-cores += sched_redundant.o sched_flow.o
mptun-cores += sched_busy.o sched_spill.o sched_thin.o sched_lead.o
mptun-cores += bad.o lossy.o detour.o budget.o class.o bottleneck.o
# keys
mptun-cores += noise.o hello.o cipher.o cipher_chacha.o cipher_aead.o

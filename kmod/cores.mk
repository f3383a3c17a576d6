# SPDX-License-Identifier: GPL-2.0
mptun-cores := base/ring.o sched/registry.o wire/parse.o
# receive side
mptun-cores += reorder/reorder.o reorder/window.o reorder/gap.o reorder/psmc.o
mptun-cores += reorder/loss_proof.o reorder/delay.o reorder/owd.o reorder/playout.o reorder/ack_ranges.o reorder/replay.o
# transmit side
mptun-cores += recovery/rtt.o recovery/rate.o recovery/oneway.o recovery/rate_sample.o recovery/sent.o recovery/loss.o recovery/rtx.o
mptun-cores += recovery/pacing.o
mptun-cores += cc/cc.o cc/fixed.o cc/none.o
mptun-cores += cc/window.o cc/newreno.o cc/cubic.o cc/lia.o
mptun-cores += cc/residual.o cc/delay.o
mptun-cores += cc/bbr.o cc/bbr_state.o cc/bbr_model.o cc/bbr_rtt.o
mptun-cores += sched/sched.o sched/greedy.o sched/ecf.o sched/wrr.o
mptun-cores += sched/redundant.o sched/flow.o
mptun-cores += sched/busy.o sched/spill.o sched/low_rate.o sched/lead.o
mptun-cores += sched/bad.o sched/lossy.o sched/detour.o sched/budget.o sched/class.o cc/sbd.o
# keys
mptun-cores += crypto/noise.o crypto/handshake.o crypto/cipher.o crypto/chacha.o crypto/aead.o

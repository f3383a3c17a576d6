# SPDX-License-Identifier: GPL-2.0
#
# The pure cores: data and a clock in, decisions out.  The module, the unit
# tests, the fuzzers and the coverage report all take them from this list.
# what every part uses
mptun-cores := base/pool.o base/ring.o
# the format of packets
mptun-cores += wire/frag.o wire/mss.o wire/parse.o wire/tcp.o
# what is in flight, and what was lost
mptun-cores += recovery/dsfield.o recovery/loss.o recovery/mtu.o
mptun-cores += recovery/pacing.o
mptun-cores += recovery/pmtu.o
mptun-cores += recovery/rate_sample.o recovery/recent.o recovery/rtt.o
mptun-cores += recovery/rtx.o recovery/sent.o
# which path takes the next packet
mptun-cores += sched/bad.o sched/busy.o sched/cap.o sched/class.o
mptun-cores += sched/detour.o sched/ecf.o sched/flow.o sched/greedy.o
mptun-cores += sched/lead.o sched/low_rate.o sched/policy.o
mptun-cores += sched/redundant.o sched/sched.o sched/sparse.o sched/spill.o
mptun-cores += sched/table.o sched/wrr.o
# congestion control
mptun-cores += cc/bbr.o cc/bbr_loss.o cc/bbr_model.o cc/bbr_rtt.o
mptun-cores += cc/bbr_state.o cc/cc.o cc/cubic.o cc/delay.o cc/fixed.o
mptun-cores += cc/lia.o cc/shared_bottleneck.o cc/table.o cc/window.o
# lost packets from repair symbols
mptun-cores += code/decoder.o code/encoder.o code/equations.o
mptun-cores += code/field.o code/loop.o code/memory.o code/symbol.o
# packets back in order
mptun-cores += reorder/ack_ranges.o reorder/assemble.o reorder/gap.o
mptun-cores += reorder/loss_proof.o reorder/owd.o reorder/playout.o
mptun-cores += reorder/psmc.o reorder/reorder.o reorder/replay.o
mptun-cores += reorder/window.o
# handshake, ciphers, cookies
mptun-cores += crypto/aead.o crypto/chacha.o crypto/cipher.o
mptun-cores += crypto/handshake.o crypto/noise.o

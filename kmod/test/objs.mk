# SPDX-License-Identifier: GPL-2.0
mptun_kunit-y += test/main.o
mptun_kunit-y += test/rtt_test.o test/rate_test.o
mptun_kunit-y += test/pacer_test.o
mptun_kunit-y += test/registry_test.o
mptun_kunit-y += test/sent_test.o test/sent_loss_test.o
mptun_kunit-y += test/sent_fuzz_test.o
mptun_kunit-y += test/cc_test.o
mptun_kunit-y += test/sched_test.o
mptun_kunit-y += test/cc_sim.o test/cc_sim_test.o
mptun_kunit-y += test/parse_test.o
mptun_kunit-y += test/ring_test.o test/ranges_test.o test/replay_test.o
mptun_kunit-y += test/skew_test.o test/evidence_test.o
mptun_kunit-y += test/reorder_test.o test/reorder_window_test.o
mptun_kunit-y += test/reorder_bracket_test.o test/reorder_psmc_test.o
mptun_kunit-y += test/reorder_sim_test.o
mptun_kunit-y += test/reorder_naive.o test/reorder_random_test.o
mptun_kunit-y += test/hello_test.o test/cipher_test.o

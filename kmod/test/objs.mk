mptun_kunit-y += test/rtt_test.o
mptun_kunit-y += test/pacer_test.o
mptun_kunit-y += test/registry_test.o
mptun_kunit-y += test/sent_test.o test/sent_loss_test.o
mptun_kunit-y += test/sent_fuzz_test.o
mptun_kunit-y += test/cc_test.o
mptun_kunit-y += test/sched_test.o
mptun_kunit-y += test/cc_sim.o test/cc_sim_test.o

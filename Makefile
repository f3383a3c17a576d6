# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
#
# Everything a person types: building, installing, looking, testing.  What
# the targets need is installed by themselves (selftests/deps.sh), and only
# "install" and "dkms-install" touch this machine's kernel.  Benches take what
# BENCH says, as in: make bench BENCH="-r 3 --pages".

VERSION := $(shell cat VERSION)
KERNELRELEASE ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNELRELEASE)/build
BUILD ?= $(CURDIR)/build
PREFIX ?= /usr
DKMS_SRC = $(DESTDIR)/usr/src/mptun-$(VERSION)

.PHONY: all module tools install module-install tools-install uninstall \
	dkms-install dkms-remove deb demo check kunit coverage sim sim-all \
	sim-grid check-long results bench profile soak style clean help

all: module tools

module:		## the kernel module, for KDIR
	selftests/build-module.sh "$(KDIR)" "$(BUILD)/module"

tools:		## mptunctl and the plugin of ip-link
	selftests/deps.sh build
	$(MAKE) -C tools O="$(BUILD)/tools"

install: module-install tools-install	## both, on this machine

module-install: module
	install -D -m 644 "$(BUILD)/module/mptun.ko" \
		"$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/mptun.ko"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNELRELEASE)"

tools-install: tools
	$(MAKE) -C tools O="$(BUILD)/tools" PREFIX="$(PREFIX)" install

uninstall:	## takes back "install"
	$(MAKE) -C tools O="$(BUILD)/tools" PREFIX="$(PREFIX)" uninstall
	rm -f "$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/mptun.ko"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNELRELEASE)"

dkms-install:	## the module for every kernel this machine gets, by DKMS
	tools/packaging/dkms.sh install

dkms-remove:	## takes back "dkms-install"
	tools/packaging/dkms.sh remove

deb:		## Debian packages mptun-dkms and mptun-tools, in build/deb
	tools/packaging/deb.sh "$(BUILD)/deb"

demo:		## three uneven paths, one link: in a virtual machine
	selftests/demo/demo.sh

check:		## all tests: in virtual machines and User-Mode Linux
	selftests/check.sh

check-long:	## fuzzers, attacks, failing links and all kernels, for hours
	selftests/check.sh --long

kunit:		## the unit tests of the pure cores, under the debug kernel
	selftests/check.sh kunit

coverage:	## how much of the pure cores the unit tests reach
	selftests/coverage.sh

sim:		## the quick scenarios in virtual time, with tables and plots
	selftests/deps.sh python
	selftests/sim/run.py --quick

sim-all:	## all scenarios, with all points of their sweeps
	selftests/deps.sh python
	selftests/sim/run.py

sim-grid:	## is the tunnel ever worse than its best path? goes on if stopped
	selftests/deps.sh python
	selftests/sim/run.py --resume grid

results:	## all scenarios, and their pages in Documentation/results
	selftests/deps.sh python
	selftests/sim/run.py --pages

bench:		## speed beside other tunnels, under floods, of routers, by CPUs
	selftests/deps.sh python
	selftests/bench/run.py $(BENCH)
	selftests/bench/flood.py $(BENCH)
	selftests/bench/router.py $(BENCH)
	selftests/bench/cores.py $(BENCH)

profile:	## where the time of a TCP flow goes, by perf of this machine
	selftests/deps.sh python
	selftests/bench/profile.py

soak:		## a day of failing links, an hour of new keys; less under debug
	MPTUN_FULL=1 selftests/uml/run.sh tt -t 7200 -m 2G \
		selftests/run.sh soak rekey
	selftests/uml/run.sh debug -t 1800 -m 2G selftests/run.sh soak

style:		## checkpatch, shellcheck, spelling, generated files
	selftests/check.sh style

clean:		## what was built in this folder; kernels stay in the cache
	rm -rf "$(BUILD)"

help:		## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

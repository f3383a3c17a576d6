# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The mptun authors
#
# All targets for users: build, install, test, measure.  "deps" installs the packages
# of Debian that building takes; building itself installs nothing.  Tests, benches and
# the demonstration install what they need (selftests/tools/deps.sh).  Only "install"
# and "dkms-install" touch the kernel of this machine.  BENCH holds options for the
# benches, as in: make bench BENCH="-r 3 --pages".  ARCH is for "deps", "deb" and
# "apt-repo", as in: make deb ARCH="arm64 armhf".

VERSION := $(shell cat VERSION)
KERNELRELEASE ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNELRELEASE)/build
BUILD ?= $(CURDIR)/build
PREFIX ?= /usr
REPO ?= $(BUILD)/apt
# What the environment has as ARCH is for building kernels.
DEB_ARCH = $(or $(if $(filter command,$(origin ARCH)),$(ARCH)),$(DEB_HOST_ARCH))
DEB_NATIVE = $(shell dpkg --print-architecture)
# Kernels that "deb" builds the module for: none, or all that have headers
KERNELS ?= all
DEB_KERNELS = $(if $(filter $(DEB_NATIVE),$(or $(DEB_ARCH),$(DEB_NATIVE))),$(KERNELS))
DKMS_SRC = $(DESTDIR)/usr/src/mptun-$(VERSION)

.PHONY: all deps module tools install module-install tools-install uninstall \
	dkms-install dkms-remove deb apt-repo demo check kunit coverage sim sim-all \
	sim-grid check-long results bench profile soak style clean help

all: module tools

deps:		## install what building takes, on Debian; ARCH=arm64: for others
	selftests/tools/deps.sh $(strip build deb $(DEB_ARCH:%=cross-%))

module:		## the kernel module, for KDIR
	selftests/tools/build-module.sh "$(KDIR)" "$(BUILD)/module"

tools:		## mptunctl and the plugin of ip-link
	$(MAKE) -C tools O="$(BUILD)/tools"

install: module-install tools-install	## both, on this machine

module-install: module
	install -D -m 644 "$(BUILD)/module/mptun.ko" \
		"$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/mptun.ko"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNELRELEASE)"

tools-install: tools
	$(MAKE) -C tools O="$(BUILD)/tools" PREFIX="$(PREFIX)" install

uninstall:	## undo "install"
	$(MAKE) -C tools O="$(BUILD)/tools" PREFIX="$(PREFIX)" uninstall
	rm -f "$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/mptun.ko"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNELRELEASE)"

dkms-install:	## the module for every kernel of this machine, by DKMS
	tools/packaging/dkms.sh install

dkms-remove:	## undo "dkms-install"
	tools/packaging/dkms.sh remove

deb:		## Debian packages, in build/deb; ARCH=arm64: tools for others
	tools/packaging/deb.sh "$(BUILD)/deb" $(DEB_ARCH)
	$(if $(DEB_KERNELS),tools/packaging/modules.sh "$(BUILD)/deb" $(DEB_KERNELS:all=))

apt-repo:	## those in a signed apt repository, REPO=DIR, with the gpg key KEY
	@[ -n "$(KEY)" ] || { \
		echo "apt-repo: the key that signs is missing, as in" \
			"\"make apt-repo KEY=packages@example.org\"" >&2; exit 1; }
	$(MAKE) deb ARCH="$(sort $(DEB_NATIVE) $(DEB_ARCH))"
	URL="$(URL)" tools/packaging/apt-repo.sh "$(REPO)" "$(KEY)" "$(BUILD)/deb"

demo:		## three uneven paths, one link: in a virtual machine
	selftests/demo/demo.sh

check:		## all tests: in virtual machines and User-Mode Linux
	selftests/tools/check.sh

check-long:	## fuzzers, attacks, failing links and all kernels, for hours
	selftests/tools/check.sh --long

kunit:		## the unit tests of the pure cores, under the debug kernel
	selftests/tools/check.sh kunit

coverage:	## coverage of the pure cores by the unit tests
	selftests/tools/coverage.sh

sim:		## the quick scenarios in virtual time, with tables and plots
	selftests/tools/deps.sh python
	selftests/sim/run.py --quick

sim-all:	## all scenarios, with all points of their sweeps
	selftests/tools/deps.sh python
	selftests/sim/run.py

sim-grid:	## the tunnel against its best path alone, in 120 settings; resumes
	selftests/tools/deps.sh python
	selftests/sim/run.py --resume grid

results:	## scenarios whose page is older than the code; resumes if stopped
	selftests/tools/deps.sh python
	selftests/sim/run.py --pages --resume --stale

bench:		## speed against other tunnels, under floods, of routers, by CPUs
	selftests/tools/deps.sh python
	selftests/bench/run.py $(BENCH)
	selftests/bench/flood.py $(BENCH)
	selftests/bench/router.py $(BENCH)
	selftests/bench/cores.py $(BENCH)

profile:	## a profile of a TCP flow, by perf of this machine
	selftests/tools/deps.sh python
	selftests/bench/profile.py

soak:		## a day of failing links, an hour of new keys; less under debug
	MPTUN_FULL=1 selftests/kernels/uml/run.sh tt -t 7200 -m 2G \
		selftests/tools/run.sh path_soak sec_rekey
	selftests/kernels/uml/run.sh debug -t 1800 -m 2G \
		selftests/tools/run.sh path_soak

style:		## checkpatch, shellcheck, spelling, generated files
	selftests/tools/check.sh --long style-long

clean:		## remove what was built in this folder; cached kernels stay
	rm -rf "$(BUILD)"

help:		## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

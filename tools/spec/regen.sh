#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Generate API headers, netlink policies, the tables of mptunctl, the reference
# of settings and parts of the manual pages from the netlink specs.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: regen.sh [--check]
#   --check   write nothing, fail if a generated file differs from the specs, or
#             the kernel source from what they say
#
# What the specs cannot say of settings is in options.yaml.
#
# The generator is the kernel's own (tools/net/ynl of the newest kernel source,
# see selftests/tools/linux-source.sh).  Its output is adapted in the few places where
# it fits only the kernel tree, or not the oldest supported kernel:
#  - the API header is <linux/mptun.h> for an external module as well;
#  - struct genl_ops has one policy per command, but a command whose dump names
#    attributes of its own gets two, under names its ops table does not use:
#    the dump's is dropped (dumps accept what the "do" accepts);
#  - a largest length of binary data is written as Linux 6.1 knows it;
#  - the multicast groups become visible, because the family is written by hand,
#    and are for administrators, as their flags say, which it ignores;
#  - ranges are not const: Linux 6.1 points to them without it.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
spec=Documentation/netlink/specs/mptun.yaml
# The kernel's netlink policies, without .c and .h
policy=kmod/ctl/policy-gen
pages=(tools/man/mptunctl.8 tools/man/mptunctl-server.8
	tools/man/ip-link-mptun.8 tools/man/mptun.conf.5)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die()
{
	echo "regen.sh: $*" >&2
	exit 1
}

case ${1:-} in
'')		check= ;;
--check)	check=1 ;;
*)		die "unknown argument $1 (usage: regen.sh [--check])" ;;
esac

source_dir=$("$top/selftests/tools/linux-source.sh")
generator=
for name in tools/net/ynl/pyynl/ynl_gen_c.py tools/net/ynl/ynl-gen-c.py; do
	[ -e "$source_dir/$name" ] && generator=$source_dir/$name && break
done
[ -n "$generator" ] || die "no netlink generator in $source_dir"

python=
for name in python3 /usr/bin/python3; do
	"$name" -c 'import yaml, jsonschema' 2>/dev/null && python=$name && break
done
[ -n "$python" ] || die "python3 lacks yaml or jsonschema" \
	"(Debian: python3-yaml python3-jsonschema)"

# The generator needs the schema beside the spec, in a kernel tree.
mkdir -p "$work/Documentation/netlink/specs"
touch "$work/MAINTAINERS"
cp "$top/$spec" "$work/$spec"
cp "$source_dir"/Documentation/netlink/genetlink*.yaml "$work/Documentation/netlink/"

# generate MODE --header|--source
generate()
{
	PYTHONDONTWRITEBYTECODE=1 timeout 120 "$python" "$generator" \
		--spec "$work/$spec" --mode "$1" "$2" |
		sed -e 's|tools/net/ynl/ynl-regen\.sh|tools/spec/regen.sh|' \
		    -e 's|<uapi/linux/mptun\.h>|<linux/mptun.h>|'
}

# one_policy: policies of a command's "do" only, under the name of the command
one_policy()
{
	sed -e '/^\/\* MPTUN_CMD_[A-Z_]* - dump \*\/$/,/^};$/d' \
	    -e 's/_do_nl_policy\[/_nl_policy[/' | cat -s
}

groups=$(grep -c '^      name:' <(sed -n '/^mcast-groups:/,$p' "$top/$spec"))

generate uapi --header >"$work/mptun.h"

generate kernel --header | one_policy |
	sed -e "/^enum {\$/i extern const struct genl_multicast_group mptun_nl_mcgrps[$groups];\n" \
		>"$work/policy-gen.h"

generate kernel --source | one_policy |
	sed -e 's|^#include <linux/mptun.h>$|#include "'"${policy#kmod/}"'.h"|' \
	    -e 's/NLA_POLICY_MAX_LEN(\([^)]*\))/{ .type = NLA_BINARY, .len = \1, }/' \
	    -e 's/^static const \(struct netlink_range_validation\)/static \1/' \
	    -e "s/^static const \(struct genl_multicast_group mptun_nl_mcgrps\)\[\]/const \1[$groups]/" \
	    -e 's/^\(\t\[MPTUN_NLGRP_.*", \)},$/\1.flags = GENL_MCAST_CAP_NET_ADMIN, },/' \
		>"$work/policy-gen.c"

"$python" "$top/tools/spec/fields.py" >"$work/field-gen.c"
"$python" "$top/tools/spec/keywords.py" >"$work/keyword-gen.c"
"$python" "$top/tools/spec/link_header.py" >"$work/mptun_link.h"
"$python" "$top/tools/spec/manual.py" rst >"$work/options.rst"
for page in "${pages[@]}"; do
	"$python" "$top/tools/spec/manual.py" "$top/$page" >"$work/${page##*/}"
done

status=0
install_file()
{
	local new=$work/${1##*/} old=$top/$1

	[ -s "$new" ] || die "the generator wrote nothing for $1"
	if cmp -s "$new" "$old"; then
		return
	elif [ -n "$check" ]; then
		diff -u --label "$1" --label "$1 (generated)" "$old" "$new" || true
		echo "regen.sh: $1 differs from the spec, run tools/spec/regen.sh" >&2
		status=1
	else
		mkdir -p "${old%/*}"
		cp "$new" "$old"
		echo "wrote $1"
	fi
}

install_file uapi/linux/mptun.h
install_file "$policy.h"
install_file "$policy.c"
install_file uapi/linux/mptun_link.h
install_file tools/lib/field-gen.c
install_file tools/lib/keyword-gen.c
install_file Documentation/options.rst
for page in "${pages[@]}"; do
	install_file "$page"
done
"$python" "$top/tools/spec/kernel.py" || status=1
exit $status

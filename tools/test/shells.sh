#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion in zsh and fish, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: shells.sh MPTUNCTL-FAKE
#
# completion.sh tests the candidates of every command line; this one, that both
# shells ask for them with the right words and insert them quoted.

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$(realpath "$1")" "$work/mptunctl"
# The shells find a home without files of their own.
export MPTUN_FAKE=$work/state PATH=$work:$PATH HOME=$work TERM=dumb
export COMPLETION=$here/../completion

# A path whose name a shell would execute, and a file whose name has a space.
setup()
{
	mkdir -p "$work/keys" "$work/empty"
	cd "$work/empty" || return
	rm -f "$MPTUN_FAKE"
	mptunctl add mp0 id 7
	mptunctl add mp1 id 8
	mptunctl path add mp1 dsl remote 192.0.2.3
	# shellcheck disable=SC2016 # not for this shell
	mptunctl path add mp1 '$(>own)' remote 192.0.2.9
	: >"$work/keys/one.key"
	: >"$work/keys/two words.key"
}

# fish_offers LINE WORD...: the candidates, in order of the alphabet
fish_offers()
{
	local line=$1

	shift
	# shellcheck disable=SC2016 # for fish
	check_equal "$(LC_ALL=C fish --no-config -c 'source $argv[1]
		complete -C $argv[2]' "$COMPLETION/mptunctl.fish" "$line")" \
		"$(printf '%s\n' "$@")"
}

# Types each line and Tab in an interactive zsh, in which Tab inserts all of the
# candidates, and prints the line that comes of it.
zsh_tab=$(cat <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= PS2= fpath=($COMPLETION $fpath); unsetopt prompt_cr prompt_sp
autoload -Uz compinit && compinit -u -d $HOME/dump
bindkey -e
every() { compstate[insert]=all; compstate[list]= }
tab() { comppostfuncs=(every); zle complete-word; print -r -- "<<$BUFFER>>"; BUFFER= }
zle -N tab
bindkey "^I" tab
print -r -- READY-$((40 + 2))'
zpty -r shell text "*READY-42*"
for line; do
	zpty -w -n shell "$line"$'\t'
	zpty -r shell text "*<<*>>*"
	text=${text##*<<}
	print -r -- "${text%%>>*}"
done
END
)

# zsh_inserts LINE WORDS: what Tab adds to the line, or puts for its last word
zsh_inserts()
{
	check_equal "$(timeout 60 zsh -f -c "$zsh_tab" zsh "$1")" "$2"
}

test_fish()
{
	command -v fish >/dev/null || ktap_skip "no fish"
	setup
	fish_offers "mptunctl path " add del set show
	fish_offers "mptunctl set " mp0 mp1
	fish_offers "mptunctl set mp0 h" hold
	fish_offers "mptunctl path set mp1 " "\$(>own)" dsl
	fish_offers "mptunctl nonesuch "
	fish_offers "mptunctl key set mp0 $work/keys/o" "$work/keys/one.key"
	fish_offers "mptunctl up $work/keys/" "$work/keys/one.key" \
		"$work/keys/two words.key"
	[ ! -e own ]
}

test_zsh()
{
	command -v zsh >/dev/null || ktap_skip "no zsh"
	setup
	zsh_inserts "mptunctl path " "mptunctl path add del set show "
	zsh_inserts "mptunctl set mp0 h" "mptunctl set mp0 hold "
	zsh_inserts "mptunctl path set mp1 " \
		"mptunctl path set mp1 \\\$\\(\\>own\\) dsl "
	zsh_inserts "mptunctl path set mp1 \\\$" \
		"mptunctl path set mp1 \\\$\\(\\>own\\) "
	zsh_inserts "mptunctl nonesuch " "mptunctl nonesuch "
	zsh_inserts "mptunctl up $work/keys/t" \
		"mptunctl up $work/keys/two\\ words.key "
	zsh_inserts "mptunctl -n nonesuch pa" "mptunctl -n nonesuch path "
	[ ! -e own ]
}

ktap_test "completion: fish" test_fish
ktap_test "completion: zsh" test_zsh
ktap_run

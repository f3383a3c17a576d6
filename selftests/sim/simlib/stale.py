# SPDX-License-Identifier: GPL-2.0
"""Which result pages are older than what they measure."""
# Copyright (C) 2026 The mptun authors
#
# A page that is written now records the module and the scenario it measured.
# Older pages have only the commit; what they measured is then read from git.
# Comments, messages, include lines, names of files and tests of the module do
# not count, nor do the texts of a scenario: they change no figure.

import functools
import hashlib
import json
import pathlib
import re
import subprocess
import textwrap

import yaml

TOP = pathlib.Path(__file__).resolve().parents[3]
FOLDER = TOP / "Documentation/results"
SCENARIOS = "selftests/sim/scenarios"
TEXTS = ("title", "source", "about", "waits-for", "what", "reference")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.MULTILINE)
RECORD = re.compile(r"^\.\. Measured of module (\w+)(?:, scenario (\w+))?$",
                    re.MULTILINE)
COMMIT = re.compile(r"\bcommit\s+([0-9a-f]{7,40})\b")
NOTE = re.compile(r"^\.\. note:: Measured before .*?\n\n", re.DOTALL |
                  re.MULTILINE)


def git(*words):
    """The output of git, None if it fails or is not there."""
    try:
        return subprocess.run(["git", "-C", TOP, *words], check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def digest(text):
    """A short hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def essence(text):
    """A source file without comments, messages and include lines."""
    text = TOKEN.sub(lambda m: '""' if m[0].startswith('"') else " ", text)
    return " ".join(INCLUDE.sub("", text).split())


def counts(name):
    """True for a file of the module itself."""
    return name.startswith("kmod/") and name.endswith((".c", ".h")) and \
        "/test/" not in name and not name.endswith(".mod.c")


def sources():
    """The files of the module as they are."""
    for file in sorted((TOP / "kmod").rglob("*.[ch]")):
        if counts(file.relative_to(TOP).as_posix()):
            yield file.read_text("utf-8")


def sources_of(commit):
    """The files of the module as they were."""
    listed = git("ls-tree", "-r", commit, "kmod/")
    if listed is None:
        return
    for line in listed.decode().splitlines():
        info, _, name = line.partition("\t")
        if counts(name):
            yield (git("cat-file", "blob", info.split()[2]) or b"").decode()


@functools.lru_cache(maxsize=None)
def module(commit=None):
    """A hash of the module: as it is, or as it was; None if not known."""
    files = sorted(essence(text) for text in
                   (sources_of(commit) if commit else sources()))
    return digest("\n".join(files)) if files else None


def without_texts(part):
    """What is measured, and how it is judged and shown."""
    if isinstance(part, dict):
        return {str(key): without_texts(value) for key, value in part.items()
                if key not in TEXTS}
    if isinstance(part, list):
        return [without_texts(value) for value in part]
    return part


def scenario_hash(raw):
    """A hash of a scenario."""
    return digest(json.dumps(without_texts(raw), sort_keys=True))


def scenario_of(name, commit=None):
    """The same, as it is or as it was; None if it is not known."""
    if commit:
        text = git("show", f"{commit}:{SCENARIOS}/{name}.yaml")
    else:
        file = TOP / SCENARIOS / f"{name}.yaml"
        text = file.read_bytes() if file.exists() else None
    return scenario_hash(yaml.safe_load(text)) if text else None


def record(name):
    """The line that a page gets."""
    return f".. Measured of module {module()}, scenario {scenario_of(name)}\n"


def is_stale(page):
    """True if a page is older than what it measures, None if it does not say
    what it measured."""
    text = page.read_text("utf-8")
    name = page.stem.removeprefix("sim-") if page.stem.startswith("sim-") \
        else None
    recorded, commit = RECORD.search(text), COMMIT.search(text)
    if recorded:
        before = recorded[1], recorded[2] if name else None
    elif commit:
        before = module(commit[1]), scenario_of(name, commit[1]) if name \
            else None
    else:
        return None
    return before != (module(), scenario_of(name) if name else None)


def wanted(scenarios):
    """Those of the scenarios whose page is missing or stale."""
    pages = [(scenario, FOLDER / f"sim-{scenario.name}.rst")
             for scenario in scenarios]
    return [scenario for scenario, page in pages
            if not page.exists() or is_stale(page) is not False]


def note(page):
    """Bring the note on a page up to date; whether that changed it."""
    text = page.read_text("utf-8")
    new = NOTE.sub("", text)
    commit = COMMIT.search(new)
    if commit and is_stale(page):
        what = f"kmod {SCENARIOS}/{page.stem[4:]}.yaml" \
            if page.stem.startswith("sim-") else "kmod"
        words = (f".. note:: Measured before the last changes of the code, "
                 f"which ``git log {commit[1]}.. -- {what}`` lists. Figures "
                 "of the current code may differ.")
        end = new.index("\n\n", commit.end()) + 2
        lines = textwrap.fill(words, 79, subsequent_indent="   ",
                              break_on_hyphens=False, break_long_words=False)
        new = f"{new[:end]}{lines}\n\n{new[end:]}"
    if new == text:
        return False
    page.write_text(new, "utf-8")
    return True


def notes():
    """The same for all pages; those that changed."""
    return [page.name for page in sorted(FOLDER.glob("*.rst")) if note(page)]

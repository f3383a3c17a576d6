# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx: sphinx-build -W -n -b html Documentation OUT"""
# Copyright (C) 2026 The mptun authors
#
# The pages are plain reStructuredText, so that hosts which know nothing of
# Sphinx render them too: pages link to each other as `text <page.rst>`_ or
# `text <page.rst#section>`_. This file makes such a link lead to the HTML page,
# reports one that leads nowhere, and derives the tables of contents from the
# links of index.rst and results/simulation.rst.

import pathlib
import posixpath
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

HERE = pathlib.Path(__file__).resolve().parent
LOG = logging.getLogger(__name__)
# Pages that are written elsewhere and may be linked before they are here
AWAITED = ()
PAGE = re.compile(r"<([\w./-]+)\.rst(?:#[\w-]+)?>`_")

project = "mptun"  # pylint: disable=invalid-name
author = "The mptun authors"  # pylint: disable=invalid-name
copyright = f"2026 {author}"  # pylint: disable=redefined-builtin,invalid-name
release = (HERE.parent / "VERSION").read_text("utf-8").strip()
exclude_patterns = ["netlink"]
html_theme = "alabaster"  # pylint: disable=invalid-name
html_theme_options = {"page_width": "66rem", "sidebar_width": "16rem"}
html_copy_source = False  # pylint: disable=invalid-name
html_show_sourcelink = False  # pylint: disable=invalid-name
smartquotes = False  # pylint: disable=invalid-name


def local(node):
    """The file and the section that a link leads to; None if elsewhere."""
    uri = node.get("refuri", "")
    if not uri or ":" in uri or uri.startswith("#"):
        return None
    file, _, section = uri.partition("#")
    return file, section


class Downloads(SphinxTransform):
    """Links to files other than pages: these are copied to the output."""

    default_priority = 500

    def apply(self, **kwargs):
        for node in list(self.document.findall(nodes.reference)):
            file, _ = local(node) or ("page.rst", "")
            if not file.endswith(".rst"):
                node.replace_self(addnodes.download_reference(
                    "", "", *node.children, refdoc=self.env.docname,
                    reftarget=file, refexplicit=True))


def contents(app, docname, source):
    """A hidden table of contents of all pages that a list of pages links."""
    if docname not in ("index", "results/simulation"):
        return
    folder = posixpath.dirname(docname)
    pages = dict.fromkeys(
        posixpath.normpath(posixpath.join(folder, page))
        for page in PAGE.findall(source[0]))
    known = [page for page in pages if page in app.env.found_docs
             and page not in ("index", docname)]
    if docname != "index":
        known = [page for page in known if page.startswith(f"{folder}/")]
    source[0] += "\n.. toctree::\n   :hidden:\n\n"
    source[0] += "".join(f"   /{page}\n" for page in known)


def pages_linked(app, doctree, docname):
    """Links between pages."""
    for node in doctree.findall(nodes.reference):
        file, section = local(node) or ("", "")
        if node.get("internal") or not file.endswith(".rst"):
            continue
        page = posixpath.normpath(posixpath.join(
            posixpath.dirname(docname), file[:-len(".rst")]))
        if page not in app.env.found_docs:
            if page not in AWAITED:
                LOG.warning("no page %s", file, location=node)
            continue
        if section and section not in app.env.get_doctree(page).ids:
            LOG.warning("no section %s in %s", section, file, location=node)
        node["refuri"] = app.builder.get_relative_uri(docname, page)
        if section:
            node["refuri"] += f"#{section}"
        node["internal"] = True


def setup(app):
    """What Sphinx calls."""
    app.add_transform(Downloads)
    app.connect("source-read", contents)
    app.connect("doctree-resolved", pages_linked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

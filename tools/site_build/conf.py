"""Sphinx's settings of the site; read by sphinx-build, see build.py."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from site_build.search_index import Section, index_of, of_rows, words

project = "vdsim"
author = "the vdsim authors"
copyright = "the vdsim authors, Apache-2.0"
html_title = "vdsim"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_copy_source = False
html_show_sphinx = False
html_show_sourcelink = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
# Some pages go from their title to headings of the third level.
suppress_warnings = ["myst.header"]
exclude_patterns = ["files/**"]
# `py` as on the forge; a block of another program's output is plain text.
highlight_language = "none"

_HERE = Path(__file__).parent
_FAQ = "questions"
_SPACE = re.compile(r"\s+")


def _sections(app: Sphinx) -> list[Section]:
    """Every section of every page, in the order of the site."""
    found = []
    for name in sorted(app.env.found_docs - {"index"}):
        tree = app.env.get_doctree(name)
        title = next((t.astext() for t in tree.findall(nodes.title)), name)
        for section in tree.findall(nodes.section):
            own = [child for child in section.children if not isinstance(child, nodes.section)]
            heading = next((c.astext() for c in own if isinstance(c, nodes.title)), title)
            anchor = section["ids"][0]
            hidden = nodes.title | nodes.comment | (nodes.table if name == _FAQ else nodes.title)
            text = " ".join(c.astext() for c in own if not isinstance(c, hidden))
            found.append(Section(name, title, anchor, heading, _SPACE.sub(" ", text)))
            if name == _FAQ:
                tables = (c for c in own if isinstance(c, nodes.table))
                rows = (row for table in tables for body in table.findall(nodes.tbody)
                        for row in body.findall(nodes.row))  # fmt: skip
                found += of_rows(name, title, anchor, ([e.astext() for e in row] for row in rows))
    return found


def _write_index(app: Sphinx, error: Exception | None) -> None:
    if error is not None:
        return
    target = Path(app.outdir) / "_static"
    called = json.loads((_HERE / "page_words.json").read_text(encoding="utf-8"))
    made = index_of(_sections(app), called)
    index = json.dumps(made, separators=(",", ":"), ensure_ascii=False)
    (target / "vdsim_index.js").write_text(f"window.VDSIM_INDEX={index};", encoding="utf-8")
    groups = json.loads((_HERE / "words.json").read_text(encoding="utf-8"))
    synonyms: dict[str, set[str]] = {}
    for group in groups:
        stems = [stem for word in group for stem in words(word)]
        for stem in stems:
            synonyms.setdefault(stem, set()).update(other for other in stems if other != stem)
    table = json.dumps({word: sorted(others) for word, others in sorted(synonyms.items())})
    (target / "vdsim_words.js").write_text(f"window.VDSIM_WORDS={table};", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write the search's index when the pages are there."""
    # Diagrams are shown as their source: what draws them would be loaded from another host.
    app.add_lexer("mermaid", TextLexer)
    app.connect("build-finished", _write_index)

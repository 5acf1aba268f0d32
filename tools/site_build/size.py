"""How much there is to read: the pages and words of Start and Guides, by hand alone."""

from __future__ import annotations

import re
from pathlib import Path

from site_build.plan import OTHER_PAGES, PARTS, READ_FIRST

_NOT_READ = re.compile(r"<!-- generated:.*?<!-- end -->|<!--.*?-->", re.DOTALL)


def pages_to_read() -> list[str]:
    """The files of the parts that are read first."""
    return [
        OTHER_PAGES.get(page, f"docs/{page}.md")
        for part in PARTS
        if part.name in READ_FIRST
        for page in part.pages
    ]


def words_of(text: str) -> int:
    """The words of a page as a reader sees it, commands too; generated parts do not count."""
    return len(_NOT_READ.sub(" ", text).split())


def words_to_read(root: Path) -> int:
    """The words of all pages that are read first."""
    return sum(words_of((root / file).read_text(encoding="utf-8")) for file in pages_to_read())

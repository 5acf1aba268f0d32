"""Handwritten pages with generated parts.

A part is between `<!-- generated: NAME -->` and `<!-- end -->`; the rest of the page is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_PART = re.compile(r"<!-- generated: ([^\n]+?) -->\n.*?<!-- end -->", re.DOTALL)


def part_names(text: str) -> list[str]:
    """The names of a page's parts, in order."""
    return [match[1] for match in _PART.finditer(text)]


def with_parts(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """The page with the current content of every part; KeyError for an unknown part."""

    def fill(match: re.Match[str]) -> str:
        return f"<!-- generated: {match[1]} -->\n{parts[match[1]]()}\n<!-- end -->"

    return _PART.sub(fill, text)

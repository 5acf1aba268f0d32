"""The index that the site's search reads: sections, and in which of them a word stands how often.

Sphinx's own search finds only sections with every word of the query. A person asks in words that
the page may not have; `search.js` ranks by BM25 with the synonyms of `words.json`, and
`page_words.json` has what people call the matter of a page who have not read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_WORD = re.compile(r"[a-z0-9]+")
_STOP_TEXT = """
a an and are as at be been but by can could do does for from had has have how i if in
into is it its may me my no not of on one or our out so some than that the their them
then there these they this to up us was we were what when where which who why will
with would you your get got want need should must use using im dont cant about any
just like
"""
_STOP = frozenset(_STOP_TEXT.split())
_HEADING_WEIGHT, _PAGE_WEIGHT = 6, 4
_CALLED_WEIGHT, _CALLED_ELSEWHERE = 8, 3
_LISTS = {
    "history": 0.4,
    "requirements": 0.4,
    "readme": 0.6,
    "contents": 0.6,
    "contributing": 0.7,
}
"""Pages that have every word of the others: what a hit there counts."""


class Section(NamedTuple):
    """A section of a page: what stands under one heading."""

    page: str  # its name
    page_title: str
    anchor: str
    title: str
    text: str


def of_rows(
    page: str, page_title: str, anchor: str, rows: Iterable[Sequence[str]]
) -> list[Section]:
    """Rows of a table of questions: each is found by itself, its first cell is its heading."""
    return [Section(page, page_title, anchor, first, " ".join(rest)) for first, *rest in rows]


def words(text: str) -> list[str]:
    """The words of a text, without those that every page has; as `words` of search.js."""
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP]


def _stem(word: str) -> str:
    """The word without its ending; as `stem` of search.js."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    for ending in ("ings", "ing", "ers", "er", "ed", "es", "s"):
        if len(word) - len(ending) >= 3 and word.endswith(ending) and not word.endswith("ss"):
            stem = word[: -len(ending)]
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem.rstrip("e") if len(stem) > 3 else stem
    return word.rstrip("e") if len(word) > 3 else word


def index_of(sections: Sequence[Section], called: Mapping[str, str]) -> dict[str, object]:
    """What search.js loads: `sections`, and `found` = word -> [section, weight, section, ...].

    `called` maps a page to what people call its matter who have not read it (page_words.json).
    """
    rows: list[tuple[str, str, str, str, int, str, float]] = []
    found: dict[str, list[int]] = {}
    first = {section.page: number for number, section in reversed(list(enumerate(sections)))}
    for number, section in enumerate(sections):
        counts = Counter(words(section.text))
        for word in words(section.title):
            counts[word] += _HEADING_WEIGHT
        for word in words(section.page_title):
            counts[word] += _PAGE_WEIGHT
        length = sum(counts.values())
        weight = _CALLED_WEIGHT if first[section.page] == number else _CALLED_ELSEWHERE
        for word in set(words(called.get(section.page, ""))):
            counts[word] += weight
        for word, count in counts.items():
            found.setdefault(word, []).extend((number, count))
        text = " ".join(section.text.split())[:200]
        rows.append((section.page, section.page_title, section.anchor, section.title,
                     length, text, _LISTS.get(section.page, 1.0)))  # fmt: skip
    return {"sections": rows, "found": found}

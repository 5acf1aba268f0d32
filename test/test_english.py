"""The pages that people write stay readable: sentences that end, and none of our own bad habits.

Every page of the site is read that people write; code and generated tables are not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from site_build.plan import MADE_PAGES, OTHER_PAGES, PARTS  # noqa: E402 - after its path

MOST_WORDS = 40
FILES = [
    OTHER_PAGES.get(page, f"docs/{page}.md")
    for part in PARTS
    for page in part.pages
    if page not in (*MADE_PAGES, "history")
]
# What reviewers marked in these pages; each is a form that a native editor would not write.
HABITS = {
    r"\bof above\b": "of the above / named above",
    r"\bgo(es)? by (a|the|its) (file|table|name|rule)s?\b": "depends on, follows",
    r"\b[Ww]hat of (it|them|that|these|those)\b": "which of them",
    r"\bThat is so where\b": "This needs, This holds where",
    r"\bpass(es)? [^.;]{0,40} by\.": "bypasses",
    r"\bwhatever was (driven|sent|asked)\b": "in every case",
    r"\bwith none of the \w+ on none\b": "with no ... on any ...",
    r"\basks? back\b": "asks for again",
    r"\btasks? stand on\b": "are built on",
    r"\bno value counts\b": "discard all values",
    r"\bmay not any more\b": "may no longer",
    r"\bhands on the wheel, feet on the pedals\b": "say what it means",
    r"\basks? for rest\b": "command standstill",
    r"\b[Pp]ut (the|a) \w+ to a state\b": "into a state",
    r"\b(also|built|as \w+,) for who\b": "for a person who, for a caller that",
    r"\bhas none of this\b": "None of this applies to",
    r"\b[Ww]hat is more, or\b": "values beyond that, or",
}
_NO_PROSE = re.compile(
    r"<!-- generated:.*?<!-- end -->|^```.*?^```|<!--.*?-->|^ {4}.*?$", re.MULTILINE | re.DOTALL
)
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z0-9*\"(])")


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, items of lists and cells of tables, each in one line."""
    for block in re.split(r"\n\s*\n", _NO_PROSE.sub("\n\n", text)):
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        if lines and lines[0].startswith("|"):
            yield from (cell for line in lines for cell in re.split(r"(?<!\\)\|", line))
            continue
        current: list[str] = []
        for line in lines:
            if _ITEM.match(line):
                yield " ".join(current)
                current = []
            current.append(line.strip())
        yield " ".join(current)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page; a name in code counts as a word, a link as its text."""
    for block in blocks(text):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "CODE", block))
        for sentence in _END.split(re.sub(r"<[^>]*>", "", plain)):
            if sentence.strip():
                yield sentence.strip()


def test_the_reader_of_pages_finds_a_sentence_that_is_too_long() -> None:
    long = " ".join(["word"] * (MOST_WORDS + 1))
    page = f"# Title\n\nShort one. {long.capitalize()}. End.\n\n- {long}\n\n| a | {long} |\n"
    page += f"\n```bash\n{long}\n```\n"
    assert sum(len(each.split()) > MOST_WORDS for each in sentences(page)) == 3
    assert any(re.search(habit, "What of it all is ours") for habit in HABITS)


SOURCES = sorted(
    file
    for pattern in ("*.py", "*.msg", "*.srv", "*.yaml", "*.js")
    for file in (ROOT / "src").rglob(pattern)
    if "node_modules" not in file.parts
)


def test_no_docstring_message_or_log_has_our_bad_habits() -> None:
    found = {}
    for file in SOURCES:
        text = re.sub(r"\s+", " ", file.read_text(encoding="utf-8"))
        for habit, better in HABITS.items():
            if match := re.search(habit, text):
                found[f"{file.relative_to(ROOT)}: {match[0]}"] = better
    assert not found, "write instead"


@pytest.mark.parametrize("file", FILES)
def test_sentences_end_before_the_reader_is_tired(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    long = [each for each in sentences(text) if len(each.split()) > MOST_WORDS]
    assert not long, f"{file}: more than {MOST_WORDS} words"


@pytest.mark.parametrize("file", FILES)
def test_a_page_has_none_of_our_bad_habits(file: str) -> None:
    prose = _NO_PROSE.sub("\n\n", (ROOT / file).read_text(encoding="utf-8"))
    prose = re.sub(r"\s+", " ", prose)
    found = {m[0]: better for habit, better in HABITS.items() if (m := re.search(habit, prose))}
    assert not found, f"{file}: write instead"

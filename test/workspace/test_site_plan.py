"""The plan of the docs site, the staging of its pages, and the index of its search; no Sphinx."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from site_build.plan import DOORS, MADE_PAGES, MOST_PAGES, MOST_WORDS, OTHER_PAGES, PARTS
from site_build.search_index import Section, index_of, of_rows, words
from site_build.size import pages_to_read, words_of, words_to_read
from site_build.staging import stage

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"docs/a.md": "a", "docs/b.md": "b", "README.md": "readme"}
FILES = {"examples/x.py": True, "portable/README.md": True, "docs/images/p.svg": True}


def test_every_page_of_the_docs_stands_once_in_the_site() -> None:
    planned = [page for part in PARTS for page in part.pages]
    there = {path.stem for path in (ROOT / "docs").glob("[!R]*.md")}
    assert sorted(planned) == sorted(there | OTHER_PAGES.keys() | set(MADE_PAGES))
    assert {door.page for door in DOORS} <= set(PARTS[0].pages)


def test_what_is_read_first_can_be_read_in_an_afternoon() -> None:
    assert len(pages_to_read()) <= MOST_PAGES == 20
    assert words_to_read(ROOT) <= MOST_WORDS == 25_000


def test_generated_parts_and_comments_are_no_words_to_read() -> None:
    page = (
        "One two.\n<!-- generated: x -->\n| a | b |\n<!-- end -->\n<!-- test: not run, x -->\nthree"
    )
    assert words_of(page) == 3


@pytest.mark.parametrize(
    ("text", "staged", "files"),
    [
        ("[b](b.md)", "[b](b.md)", ()),
        ("[b](b.md#an-anchor)", "[b](b.md#an-anchor)", ()),
        ("[here](#an-anchor)", "[here](#an-anchor)", ()),
        ("[readme](../README.md)", "[readme](readme.md)", ()),
        ("[`x`](../examples/x.py)", "[`x`](files/examples/x.py)", ("examples/x.py",)),
        ("[a folder](../examples)", "a folder", ()),
        ("[a page elsewhere](../portable/README.md)", "a page elsewhere", ()),
        ("![p](images/p.svg)", "![p](files/docs/images/p.svg)", ("docs/images/p.svg",)),
        ("[out](https://example.org/x)", "[out](https://example.org/x)", ()),
        ("```py\n[b](../README.md)\n```\n", "```py\n[b](../README.md)\n```\n", ()),
    ],
)
def test_links_lead_to_pages_and_files_of_the_site(
    text: str, staged: str, files: tuple[str, ...]
) -> None:
    assert stage(text, "docs", PAGES, FILES) == (staged, files)


def test_words_lose_their_endings_and_what_every_page_has() -> None:
    assert words("How do I stop the stopped cars?") == ["stop", "stop", "car"]
    assert words("braking, brakes, brake") == ["brak", "brak", "brak"]
    assert words("batteries and a battery") == ["battery", "battery"]


def test_the_index_has_the_sections_of_each_word_and_headings_weigh_more() -> None:
    index = index_of(
        [
            Section("a", "Hills", "stop", "Stops", "the brake holds"),
            Section("b", "Roads", "top", "Roads", "a stop"),
        ],
        {},
    )
    found = index["found"]
    assert isinstance(found, dict)
    assert found["stop"] == [0, 6, 1, 1]
    assert found["brak"] == [0, 1]


def test_a_page_is_found_by_what_people_call_it() -> None:
    sections = [
        Section("a", "Hills", "hills", "Hills", "the brake holds"),
        Section("a", "Hills", "stops", "Stops", "and stands"),
        Section("b", "Roads", "roads", "Roads", "a handbrake"),
    ]
    found = index_of(sections, {"a": "handbrake, rolling back"})["found"]
    assert isinstance(found, dict)
    places = found[words("handbrake")[0]]
    counts = dict(zip(places[::2], places[1::2], strict=True))
    assert counts[0] > counts[1] > counts[2]  # its beginning first, then its other sections


def test_every_page_has_words_of_people_who_have_not_read_it() -> None:
    file = ROOT / "tools" / "site_build" / "page_words.json"
    called = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(called) == sorted(page for part in PARTS for page in part.pages)
    for page, text in called.items():
        assert len(set(words(text))) >= 6, page


def test_each_row_of_the_questions_is_found_by_itself() -> None:
    rows = [["it rolls back", "the brake", "hills"], ["it stops", "a stale command"]]
    made = of_rows("questions", "Questions", "why", rows)
    assert made[0] == Section("questions", "Questions", "why", "it rolls back", "the brake hills")
    found = index_of(made, {})["found"]
    assert isinstance(found, dict)
    assert found["roll"] == [0, 6]
    assert found["stop"] == [1, 6]

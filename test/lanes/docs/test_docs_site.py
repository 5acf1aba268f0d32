"""`./ws docs` builds the site without a warning; its search finds the right page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant_node_kit.browser import Page, browser_page

ROOT = Path(__file__).resolve().parents[3]
QUESTIONS = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))
FIRST = 3
"""The right page is among so many hits."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; a link that leads nowhere would have failed its build."""
    folder = tmp_path_factory.mktemp("site of docs")
    path = os.pathsep.join([str(ROOT / "tools"), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "site_build.build", str(folder)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"words (at most 25000)\n{folder}/index.html\n")
    return folder


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser_page() as opened:
        yield opened


def hits(page: Page, question: str) -> list[str]:
    """The names of the pages that the open search page finds, the best first."""
    found: Any = page.evaluate(
        f"search(window.VDSIM_INDEX, window.VDSIM_WORDS, {json.dumps(question)})"
        ".map(each => each.page)"
    )
    return list(found)


def test_the_search_answers_questions_in_the_words_of_people(site: Path, page: Page) -> None:
    page.call("Page.navigate", url=f"{site.as_uri()}/search.html?q=park+brake")
    page.wait_for("document.querySelectorAll('#vdsim-found a').length > 0")
    missed = {
        question: found[:FIRST]
        for question, right in QUESTIONS.items()
        if not set(right) & set((found := hits(page, question))[:FIRST])
    }
    found_n = len(QUESTIONS) - len(missed)
    print(f"the right page is among the first {FIRST} for {found_n} of {len(QUESTIONS)} questions")
    assert len(QUESTIONS) >= 180
    assert found_n >= 0.9 * len(QUESTIONS), missed
    assert not page.complaints


def test_both_sides_of_the_search_cut_words_alike(site: Path, page: Page) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from site_build.search_index import words

    page.call("Page.navigate", url=f"{site.as_uri()}/search.html?q=park")
    page.wait_for("document.querySelectorAll('#vdsim-found a').length > 0")
    text = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    assert page.evaluate(f"words({json.dumps(text)})") == words(text)


def test_the_site_asks_no_other_machine(site: Path) -> None:
    loads = ('<script src="http', '<link rel="stylesheet" href="http', '<img src="http')
    for file in site.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert not any(load in text for load in loads), file.name


def test_programs_find_every_page_in_one_list(site: Path) -> None:
    listed = re.findall(r"\]\((\S+\.html)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert len(listed) > 50
    assert all((site / name).is_file() for name in listed)


def test_the_first_page_leads_to_the_car(site: Path, page: Page) -> None:
    page.open(f"{site.as_uri()}/index.html")
    page.evaluate("document.querySelector('a[href=\"car.html\"]').click()")
    page.wait_for("document.getElementById('said')?.textContent.startsWith('Ready')")
    assert not page.complaints

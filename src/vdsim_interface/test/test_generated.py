"""What is made from the code is up to date, and every requirement has code and tests."""

from pathlib import Path

import pytest
from generated_kit import COMMAND, PARTS, ROOT, generated_files
from requirements_kit import CODE, REQUIREMENTS, places, places_in_tests

FILES = generated_files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_is_up_to_date(path: Path) -> None:
    message = f"{path.relative_to(ROOT)} is out of date; run: {COMMAND}"
    assert path.is_file(), message
    assert path.read_text(encoding="utf-8") == FILES[path], message


@pytest.mark.parametrize("number", REQUIREMENTS)
def test_every_requirement_has_code_and_a_test(number: str) -> None:
    assert places(CODE).get(number), f"requirement {number} has no code"
    assert places_in_tests().get(number), f"requirement {number} has no test"


def test_no_requirement_is_named_that_does_not_exist() -> None:
    assert set(places(CODE)) | set(places_in_tests()) <= set(REQUIREMENTS)


def test_every_made_part_is_shown_somewhere() -> None:
    pages = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").glob("*.md"))
    assert [name for name in PARTS if f"<!-- made: {name} -->" not in pages] == []

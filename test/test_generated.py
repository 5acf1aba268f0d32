"""Generated files are up to date, and every requirement has code and tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from generate import text_requirements
from generate.command import STALE, main
from generate.files import PARTS, PATHS, is_stale, made
from generate.page_parts import part_names, with_parts
from generate.paths import ROOT
from generate.requirements import CODE, REQUIREMENTS, SHIPPED_TESTS, places, places_in_tests
from generate.safety_case import page
from generate.text_requirements import places_of_texts


@pytest.mark.parametrize("path", PATHS)
def test_is_up_to_date(path: str) -> None:
    assert not is_stale(path), f"{path} {STALE}"


@pytest.mark.parametrize("path", PARTS)
def test_a_page_shows_every_part_that_is_generated_for_it(path: str) -> None:
    names = part_names((ROOT / path).read_text(encoding="utf-8"))
    assert sorted(names) == sorted(PARTS[path])


@pytest.mark.parametrize("number", REQUIREMENTS)
def test_every_requirement_has_code_and_a_test(number: str) -> None:
    assert places(CODE, SHIPPED_TESTS).get(number), f"requirement {number} has no code"
    assert places_in_tests().get(number), f"requirement {number} has no test"


def test_every_requirement_of_the_other_texts_has_a_test_and_no_other_is_named() -> None:
    assert set(places_of_texts()) == set(text_requirements.REQUIREMENTS)
    assert {number.partition(".")[0] for number in text_requirements.REQUIREMENTS} == set(
        text_requirements.TEXTS
    )


def test_no_requirement_is_named_that_does_not_exist() -> None:
    assert set(places(CODE)) | set(places_in_tests()) <= set(REQUIREMENTS)


# ---- The command ---------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The generated files alone, as they are committed."""
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    return tmp_path


def test_nothing_stale_is_nothing_to_do(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], copy) == main(["--check"], copy) == 0
    assert capsys.readouterr().out == ""


def test_check_names_what_is_stale_and_writes_nothing(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "docs/vds1.md").write_text("old", encoding="utf-8")
    (copy / "src/vdsim_msgs/msg/VdsState.msg").unlink()
    assert main(["--check"], copy) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"docs/vds1.md: {STALE}",
        f"src/vdsim_msgs/msg/VdsState.msg: {STALE}",
    ]
    assert (copy / "docs/vds1.md").read_text(encoding="utf-8") == "old"


def test_stale_files_are_written_and_the_rest_of_a_page_is_kept(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = copy / "docs/safety.md"
    text = page.read_text(encoding="utf-8")
    page.write_text("first line\n" + text.replace("| `engage` |", "| `old` |"), encoding="utf-8")
    assert main([], copy) == 0
    assert capsys.readouterr().out == "docs/safety.md\n"
    assert page.read_text(encoding="utf-8") == "first line\n" + text


def test_what_cannot_be_made_is_named_and_the_rest_is_written(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PROCESSES", page.PROCESSES[1:])
    text = (copy / "docs/vds1.md").read_text(encoding="utf-8")
    (copy / "docs/vds1.md").write_text("old", encoding="utf-8")
    made.cache_clear()
    try:
        assert main([], copy) == 1
    finally:
        made.cache_clear()
    told = capsys.readouterr()
    assert told.out == "docs/vds1.md\n"
    table = "tools/generate/safety_case/processes.py"
    assert told.err == f"docs/safety-case.md: {table}: no row for vehicle_guard\n"
    assert (copy / "docs/vds1.md").read_text(encoding="utf-8") == text


def test_other_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 2
    assert capsys.readouterr().err == "generate docs: only --check or --release is allowed\n"


def test_a_part_that_nobody_generates_is_an_error() -> None:
    with pytest.raises(KeyError, match="weather"):
        with_parts("<!-- generated: weather -->\nsunny\n<!-- end -->", {})

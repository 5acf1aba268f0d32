"""The table of a sweep's rows: what is kept of them, and what is not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from vdsim_plant.study.sweep.cases import Row
from vdsim_plant.study.sweep.identity import files_hash
from vdsim_plant.study.sweep.plan import plan_of
from vdsim_plant.study.sweep.results import write_results
from vdsim_plant.study.sweep.summary import summary
from vdsim_plant.study.sweep.table import SHOWN_ERRORS, table_of

MASSES = [1900.0, 2000.0, 2100.0]


def rows(failed_n: int = 1) -> Iterator[Row]:
    """Two manoeuvres with other columns; the last ones of the first have no result."""
    for number in range(3 + failed_n):
        row = {"case": number, "manoeuvre": "a", "vehicle": "x", "body.mass_kg": 1.0 * number}
        yield {**row, "a.m": number, "a.ok": True} if number < 3 else {**row, "error": "no, why"}
    yield {"case": 99, "manoeuvre": "b", "vehicle": "y", "b.n": 0.5, "b.name": "word"}


def test_missing_values_are_missing_and_the_rest_is_summed_up() -> None:
    table = table_of(rows())
    first, second = table.groups.values()
    assert (first.rows_n, first.done_n, second.rows_n) == (4, 3, 1)
    assert first.columns["a.m"].known.tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(first.columns["a.m"].numbers[3])
    assert first.metrics == ["a.m", "a.ok"]
    assert second.metrics == ["b.n"], "text is no metric"
    assert table.columns[-1] == "error"
    assert (table.kinds["a.m"], table.kinds["b.n"], table.kinds["b.name"]) == (int, float, str)


def test_an_integer_and_a_real_number_make_a_column_of_real_numbers() -> None:
    both = [{"manoeuvre": "a", "a.m": value} for value in (1, 2.5, 3)]
    assert table_of(both).kinds["a.m"] is float


def test_a_column_changes_where_values_differ_or_some_are_missing() -> None:
    columns = table_of(rows()).groups["a"].columns
    assert columns["a.m"].changes
    assert columns["a.ok"].changes, "one row has no result"
    assert not columns["vehicle"].changes


def test_the_page_shows_the_first_errors_and_counts_the_others() -> None:
    plan = plan_of({"manoeuvres": ["straight_brake"], "parameters": {"body.mass_kg": MASSES}})
    page = summary(table_of(rows(SHOWN_ERRORS + 5)), plan, ["a.png"])
    assert page.count("| a | no, why |") == SHOWN_ERRORS
    assert "5 more are in the table." in page
    assert "| m | 0 | 1 | 2 |" in page
    assert "![a](a.png)" in page
    assert "![b]" not in page


def test_rows_are_written_from_a_generator(tmp_path: Path) -> None:
    written = write_results(tmp_path, rows(), table_of(rows()), parquet=False)
    with written.open(encoding="utf-8", newline="") as file:
        back = list(csv.DictReader(file))
    assert [row["case"] for row in back] == ["0", "1", "2", "3", "99"]
    assert back[3]["error"] == "no, why"
    assert back[3]["a.m"] == ""
    assert [path.name for path in tmp_path.iterdir()] == [written.name]


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Row]:
        yield from rows()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_results(tmp_path, broken(), table_of(rows()), parquet=False)
    assert not list(tmp_path.iterdir())


def test_the_hash_of_the_files_depends_on_their_names_and_content_alone(tmp_path: Path) -> None:
    def made(name: str, **files: bytes) -> str:
        for file, content in files.items():
            path = tmp_path / name / file.replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return files_hash(tmp_path / name)

    one = made("one", a_py=b"x\ny\n", b_yaml=b"", c_pyc=b"1")
    assert made("two", a_py=b"x\r\ny\r\n", b_yaml=b"", c_pyc=b"2") == one
    assert made("three", a_py=b"x\nz\n", b_yaml=b"") != one
    assert made("four", d_py=b"x\ny\n", b_yaml=b"") != one
    assert made("five", a_py=b"x\ny\n") != one

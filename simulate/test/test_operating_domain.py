"""The table of the operating domain: stored as driven, and never far from a point mass."""

from pathlib import Path

import pytest
from vdsim_simulate import operating_domain as domain
from vdsim_simulate.operating_domain import EMERGENCY, SILENT, cells

PAGE = Path(__file__).resolve().parents[2] / "docs/safety-case.md"


def stored() -> dict[tuple[str, str], list[str]]:
    text = PAGE.read_text(encoding="utf-8").partition("<!-- measured: operating domain -->")[2]
    lines = text.partition("<!-- end of measured -->")[0].strip().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {(row[0], row[1]): row[2:] for row in rows}


def test_each_cell_is_stored_and_those_outside_say_so() -> None:
    rows = stored()
    assert len(rows) == len(list(cells()))
    for grade, mu in cells():
        ways = rows[f"{100 * grade:+.0f} %", f"{mu:g}"]
        assert (ways == ["outside"] * 4) is not domain.in_domain(grade, mu)


def test_a_stop_is_no_longer_than_the_parameters_and_the_tyres_need() -> None:
    """One pedal for four wheels: the first that slips ends it at 0.7 of the friction or more."""
    rows = stored()
    for grade, mu in cells():
        if not domain.in_domain(grade, mu):
            continue
        ways = [float(way.split()[0]) for way in rows[f"{100 * grade:+.0f} %", f"{mu:g}"]]
        for cause, driven_m, promised_m in zip(
            (SILENT, EMERGENCY), ways[::2], ways[1::2], strict=True
        ):
            longest_m = domain.promised_m(cause, grade, mu, domain.SPEED_MPS, used=0.7)
            assert driven_m <= longest_m + 1.0, (cause, grade, mu)
            assert driven_m >= 0.85 * promised_m, (cause, grade, mu)


def test_the_formula_is_that_of_a_point_mass() -> None:
    ice_m = domain.promised_m(EMERGENCY, 0.0, 0.1, 10.0)
    assert ice_m == pytest.approx(100.0 / (2.0 * 0.981), rel=0.01)
    assert domain.promised_m(SILENT, 0.0, 0.9, 10.0) - 5.0 == pytest.approx(25.0, abs=0.2)


@pytest.mark.parametrize(("grade", "mu"), [(0.0, 0.3), (0.25, 0.9)])
def test_a_cell_is_driven_as_it_is_stored(grade: float, mu: float) -> None:
    row = domain.table_row(grade, mu)
    assert list(row[2:]) == stored()[row[0], row[1]]

"""The reader of tyre property files: units, comments, sections, and every fault named."""

from pathlib import Path

import pytest
from vdsim_plant.parameters import ParameterError, load_tyre
from vdsim_plant.parameters.tir_file import load_tir

GOOD = """
$ a comment
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'  $ behind a value
[UNITS]
LENGTH = 'mm'
FORCE = 'kilonewton'
[DIMENSION]
UNLOADED_RADIUS = 340
[VERTICAL]
FNOMIN = 4.0
[SHAPE]
{radial width}
1.0 0.0
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.5
pdx1 = 1.0D0
PKX1 = 2.0E1
RBX1 = 10
RBX2 = 8
RCX1 = 1
[LATERAL_COEFFICIENTS]
PCY1 = 1.3
PDY1 = 1.0
PKY1 = -20
PKY2 = 2
RBY1 = 8
RBY2 = 7
RCY1 = 1
[ROLLING_COEFFICIENTS]
QSY1 = 0.01
"""


NUMBERED = GOOD.replace("PROPERTY_FILE_FORMAT = 'PAC2002'  $ behind a value", "FITTYP = 6")


@pytest.mark.parametrize("number", ["5", "6", "6.0", "51", "52", "'6'"])
def test_a_file_may_name_its_formula_by_a_number_alone(number: str) -> None:
    """Files of TNO and of VDSim have FITTYP and no PROPERTY_FILE_FORMAT."""
    tir = load_tir(NUMBERED.replace("= 6", f"= {number}"), source="numbered.tir")
    assert tir["PDX1"] == 1.0


@pytest.mark.parametrize("number", ["61", "62", "21", "'MF-Swift'"])
def test_a_number_of_another_formula_is_refused_by_its_own_name(number: str) -> None:
    with pytest.raises(ParameterError) as caught:
        load_tir(NUMBERED.replace("= 6", f"= {number}"), source="numbered.tir")
    plain = number.strip("'")
    assert str(caught.value) == f"numbered.tir: FITTYP={plain!r}: must be one of 5, 6, 51, 52"


def test_units_comments_tables_and_exponents_are_understood() -> None:
    tir = load_tir(GOOD, source="good.tir")
    assert tir["FNOMIN"] == 4000.0
    assert tir.unloaded_radius_m == pytest.approx(0.34)
    assert tir["PDX1"] == 1.0
    assert tir["PKX1"] == 20.0
    assert tir["LMUY"] == 1.0, "a scaling factor that is not given is 1"
    assert tir.rolling_resistance == 0.01
    assert tir.measured_on == "left"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("PCY1 = 1.3\n", "", "PCY1: missing (this coefficient has no default)"),
        ("pdx1 = 1.0D0", "pdx1 = -1", "PDX1=-1: must be > 0"),
        ("PKY1 = -20", "PKY1 = 0", "PKY1=0: must not be 0, the tyre would have no side force"),
        ("PKX1 = 2.0E1", "PKX1 = many", "PKX1='many': must be a number or quoted text"),
        ("PKX1 = 2.0E1", "PKX1 = nan", "PKX1='nan': must be finite"),
        ("'kilonewton'", "'stone'", "[UNITS] FORCE='stone': must be one of newton, n, "
         "kilonewton, pound_force"),
        ("'PAC2002'", "'FTIRE'", "PROPERTY_FILE_FORMAT='FTIRE': must be one of PAC2002, PAC02, "
         "MF05, MF52, MF-TYRE, DELFT-TYRE, 52"),
        ("PROPERTY_FILE_FORMAT = 'PAC2002'", "", "PROPERTY_FILE_FORMAT: missing in [MODEL]"),
        ("UNLOADED_RADIUS = 340", "", "UNLOADED_RADIUS: missing (the tyre's free radius)"),
        ("UNLOADED_RADIUS = 340", "UNLOADED_RADIUS = 3400",
         "UNLOADED_RADIUS=3.4: must be 0.01 to 1.5 m"),
        ("[VERTICAL]", "[VERTICAL", "line 10='[VERTICAL': must be [SECTION]"),
        ("PCX1 = 1.5", "PCX1 = 1.5\nPCX1 = 1.6",
         "PCX1: given twice in [LONGITUDINAL_COEFFICIENTS] (line 17)"),
        ("[MODEL]", "FREE = 1\n[MODEL]", "line 3: a key before the first [SECTION]"),
        ("[MODEL]", "[MODEL]\nTYRESIDE = 'UP'", "TYRESIDE='up': must be left or right"),
    ],
)  # fmt: skip
def test_a_wrong_file_gives_one_clear_line(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ValueError, match=r"bad\.tir") as caught:
        load_tir(GOOD.replace(old, new, 1), source="bad.tir")
    assert str(caught.value) == f"bad.tir: {message}"


@pytest.mark.parametrize("name", ["MF_05", "mf-05", "Mf05", "PAC_2002", "MFTYRE", "delft_tyre"])
def test_formats_are_compared_without_case_and_separators(name: str) -> None:
    assert load_tir(GOOD.replace("PAC2002", name, 1), source="good.tir")["PKY1"] == -20.0


def test_a_path_to_a_tir_file_makes_a_pac2002_tyre(tmp_path: Path) -> None:
    path = tmp_path / "mine.TIR"
    path.write_text(GOOD)
    tyre = load_tyre(path)
    assert (tyre.name, tyre.model, tyre.rolling_resistance) == ("mine", "pac2002", 0.01)
    assert tyre.tir is not None
    assert tyre.tir["PKY1"] == -20.0


def test_the_shipped_tyre_in_millimetres_is_read_in_si() -> None:
    tyre = load_tyre("road_195_65r15")
    assert tyre.tir is not None
    assert tyre.tir["FNOMIN"] == 3600.0
    assert tyre.tir.unloaded_radius_m == pytest.approx(0.317)
    assert tyre.tir.measured_on == "right"


@pytest.mark.parametrize(
    ("changes", "constant"),
    [
        ({"FNOMIN": "1e-320", "LFZO": "1e-3"}, "INVERSE_FZ0"),
        ({"PCX1": "1e-200", "LCX": "1e-200"}, "INVERSE_SHAPE_X"),
        ({"PKY1": "-1e300", "LKY": "1e300"}, "STIFF_Y0"),
    ],
)
def test_coefficients_whose_products_are_no_numbers_are_refused(
    changes: dict[str, str], constant: str
) -> None:
    section = "".join(f"{name} = {value}\n" for name, value in changes.items())
    lines = [line for line in GOOD.splitlines() if line.split("=")[0].strip() not in changes]
    text = "\n".join(lines) + "\n[CHANGED]\n" + section
    with pytest.raises(ValueError, match=rf"bad\.tir: coefficients: .*make {constant} no finite"):
        load_tir(text, source="bad.tir")

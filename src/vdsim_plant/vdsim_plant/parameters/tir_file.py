"""Reads a standard tyre property file (`.tir`): sections, units, comments, coefficients."""

from __future__ import annotations

import math

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.tir_coefficients import TirCoefficients, coefficients_from

# Factor from the file's unit to SI, by the key of the [UNITS] section.
_UNIT_FACTORS = {
    "LENGTH": {"meter": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "inch": 0.0254, "foot": 0.3048},
    "FORCE": {"newton": 1.0, "n": 1.0, "kilonewton": 1e3, "pound_force": 4.4482216152605},
    "ANGLE": {"radians": 1.0, "radian": 1.0, "rad": 1.0},
}
_LENGTH_KEYS = ("UNLOADED_RADIUS",)
_FORCE_KEYS = ("FNOMIN", "FZMIN", "FZMAX")
_MODEL_SECTION = "MODEL"
_NUMBERS = ("5", "6", "51", "52")
"""What FITTYP says of MF 5.0, 5.1 and 5.2, and of PAC2002."""
_FORMATS = ("PAC2002", "PAC02", "MF05", "MF52", "MF-TYRE", "DELFT-TYRE", "52")


def load_tir(content: str, *, source: str) -> TirCoefficients:
    """Return the coefficients of a file's text; a fault is one ParameterError."""
    try:
        sections = _sections(content)
        _check_format(sections)
        return coefficients_from(_numbers_in_si(sections), measured_on=_side(sections))
    except ParameterError as error:
        raise error.in_file(source) from None


def _sections(content: str) -> dict[str, dict[str, str]]:
    """Split the text into sections of key = value; tables ({...} blocks) are passed over."""
    sections: dict[str, dict[str, str]] = {}
    current = ""
    for number, raw in enumerate(content.splitlines(), start=1):
        line = raw.split("$", 1)[0].strip()
        if not line or line.startswith("!"):
            continue
        if line.startswith("["):
            if not line.endswith("]"):
                raise ParameterError(f"line {number}", f"={line!r}: must be [SECTION]")
            current = line[1:-1].strip().upper()
            sections.setdefault(current, {})
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            if not current:
                raise ParameterError(f"line {number}", "a key before the first [SECTION]")
            if key.upper() in sections[current]:
                raise ParameterError(key, f"given twice in [{current}] (line {number})")
            sections[current][key.upper()] = value
    return sections


def _check_format(sections: dict[str, dict[str, str]]) -> None:
    model = sections.get(_MODEL_SECTION, {})
    declared = model.get("PROPERTY_FILE_FORMAT", "").strip("'\" ")
    number = model.get("FITTYP", "").strip("'\" ")
    if not declared and not number:
        raise ParameterError("PROPERTY_FILE_FORMAT", "missing in [MODEL]")
    if not declared:
        if number.removesuffix(".0") not in _NUMBERS and _plain(number) not in map(
            _plain, _FORMATS
        ):
            raise ParameterError("FITTYP", f"={number!r}: must be one of {', '.join(_NUMBERS)}")
        return
    if _plain(declared) not in map(_plain, _FORMATS):
        known = ", ".join(_FORMATS)
        raise ParameterError("PROPERTY_FILE_FORMAT", f"={declared!r}: must be one of {known}")


def _plain(name: str) -> str:
    """A format's name as files compare: they write mf_05, MF-05 and MF05 for the same."""
    return name.upper().replace("_", "").replace("-", "")


def _side(sections: dict[str, dict[str, str]]) -> str:
    side = sections.get(_MODEL_SECTION, {}).get("TYRESIDE", "LEFT").strip("'\" ").lower()
    if side not in ("left", "right"):
        raise ParameterError("TYRESIDE", f"={side!r}: must be left or right")
    return side


def _numbers_in_si(sections: dict[str, dict[str, str]]) -> dict[str, float]:
    factors = {quantity: _unit_factor(sections, quantity) for quantity in _UNIT_FACTORS}
    numbers: dict[str, float] = {}
    for section, entries in sections.items():
        if section in ("UNITS", "MDI_HEADER", "SHAPE"):
            continue
        for key, value in entries.items():
            number = _number(key, value)
            if number is None:
                continue
            if key in _LENGTH_KEYS:
                number *= factors["LENGTH"]
            elif key in _FORCE_KEYS:
                number *= factors["FORCE"]
            numbers[key] = number
    return numbers


def _unit_factor(sections: dict[str, dict[str, str]], quantity: str) -> float:
    known = _UNIT_FACTORS[quantity]
    declared = sections.get("UNITS", {}).get(quantity, next(iter(known)))
    unit = declared.strip("'\" ").lower()
    if unit not in known:
        raise ParameterError(f"[UNITS] {quantity}", f"={unit!r}: must be one of {', '.join(known)}")
    return known[unit]


def _number(key: str, value: str) -> float | None:
    """Return the number, None for quoted text; anything else is a fault."""
    if value.startswith(("'", '"')):
        return None
    try:
        number = float(value.replace("D", "E").replace("d", "e"))
    except ValueError:
        raise ParameterError(key, f"={value!r}: must be a number or quoted text") from None
    if not math.isfinite(number):
        raise ParameterError(key, f"={value!r}: must be finite")
    return number

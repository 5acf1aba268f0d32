"""docs/requirements.md claims of a wire what its packets carry, no more and no less."""

from __future__ import annotations

import pytest
from generate.requirements import CARRIED_AS, REQUIREMENTS, Place, places_in_tests, wire_cell


def cell(number: str, *wires: str) -> str:
    return wire_cell(number, [Place("a test", wire) for wire in wires])


def test_a_wire_that_does_not_carry_it_cannot_be_claimed() -> None:
    with pytest.raises(ValueError, match=r"1.1.8 on vds1: a test claims it, and the wire does not"):
        cell("1.1.8", "vds1")
    with pytest.raises(ValueError, match=r"1.1.6 on vds1: a test claims it"):
        cell("1.1.6", "morai", "vds1")


def test_what_a_wire_carries_must_be_shown() -> None:
    with pytest.raises(ValueError, match=r"1.1.4 on morai: no test shows it, and the wire carries"):
        cell("1.1.4", "vds1")
    assert cell("1.1.4", "every wire") == "morai<br>vds1"


def test_an_unknown_wire_is_named() -> None:
    with pytest.raises(ValueError, match=r"requirement 2.1: no such wire: vds9"):
        cell("2.1", "vds9")


def test_what_no_wire_carries_is_modelled_and_says_so() -> None:
    assert cell("1.1.9", "") == "**no**: modelled on fake, morai, vds1"
    assert cell("1.1.6", "morai") == "morai<br>modelled on fake, vds1"
    assert cell("1.3", "") == "of the interface itself"


def test_lights_wipers_and_horn_are_met_on_no_wire() -> None:
    tests = places_in_tests()
    for number in ("1.1.5", "1.1.8", "1.1.9", "1.2.4", "1.2.7", "1.2.8", "3.4"):
        assert wire_cell(number, tests[number]).startswith("**no**: "), number
    assert set(CARRIED_AS) <= set(REQUIREMENTS)

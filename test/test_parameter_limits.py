"""Every number that can be set has a floor and a ceiling: a value that makes no sense is refused.

The parameter classes are found in the installed packages, those of the plant's node in its table of
options, so that a new one is held to the same.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.parameters.fields import (
    UNITS,
    Meaning,
    ParameterError,
    Parameters,
    bounded,
    check,
)
from vdsim_plant.parameters import ParameterError as PlantError
from vdsim_plant.parameters.fields import Number, specs
from vdsim_plant_node.settings.options import OPTIONS, Option, server_settings

import vdsim_autoware
import vdsim_interface
import vdsim_plant
import vdsim_plant_node

LARGEST = float((1 << 64) - 1)
"""No number means more than a counter of 64 bits."""
SMALLEST = 1e-9
"""Below it nothing that a car or a clock has is measured."""


def _classes() -> Iterator[type[Parameters]]:
    for package in (vdsim_interface, vdsim_autoware):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".ros1." not in module.name:
                importlib.import_module(module.name)
    waiting = [Parameters]
    while waiting:
        found = waiting.pop().__subclasses__()
        waiting += found
        yield from (kind for kind in found if kind.__module__.startswith(("vdsim_",)))


def _numbers() -> dict[str, Meaning]:
    """Every number that a class of parameters declares, by class and field."""
    return {
        f"{kind.__module__}:{kind.__qualname__}.{field.name}": field.metadata["meaning"]
        for kind in _classes()
        for field in dataclasses.fields(kind)
        if "meaning" in field.metadata and field.metadata["meaning"].kind in (int, float)
    }


NUMBERS = _numbers()


def _lowest_positive(meaning: Meaning) -> float:
    """The bound below which no positive value is taken; 0 when there is none."""
    allowed = meaning.allowed
    ends = (allowed.above, allowed.at_least, allowed.floor)
    return max(end for end in (*ends, 0.0) if end is not None)


def _is_signed(meaning: Meaning) -> bool:
    """Whether it may be negative: then tiny values are as good as 0."""
    low = [end for end in (meaning.allowed.above, meaning.allowed.at_least) if end is not None]
    return bool(low) and max(low) < 0


def test_the_parameters_are_really_found() -> None:
    names = {name.rpartition(":")[2] for name in NUMBERS}
    assert {"VehicleGeometry.wheelbase_m", "SafetyParameters.jerk_max_mps3"} <= names
    assert {"SimulatorParameters.steer_lim", "AdapterParameters.forward_speed_max_mps"} <= names
    assert len(names) > 250


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_has_a_floor_and_a_ceiling(name: str) -> None:
    meaning = NUMBERS[name]
    allowed = meaning.allowed
    tops = [end for end in (allowed.below, allowed.at_most) if end is not None]
    assert tops, f"{name}: no ceiling, and no unit that has one"
    assert min(tops) <= LARGEST
    if meaning.kind is float and not _is_signed(meaning):
        assert _lowest_positive(meaning) >= SMALLEST, f"{name}: no floor, nor a unit that has one"
    if _is_signed(meaning):
        assert max(e for e in (allowed.above, allowed.at_least) if e is not None) >= -LARGEST


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_what_is_too_small_or_too_large_is_refused_with_the_rule(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(NUMBERS)))
    meaning = NUMBERS[name]
    lowest, [highest, *_] = (
        _lowest_positive(meaning),
        [end for end in (meaning.allowed.below, meaning.allowed.at_most) if end is not None],
    )
    if highest > 0:
        good = meaning.kind(data.draw(st.floats(max(lowest, 0.0), highest)))
        if meaning.allowed.holds(good):
            assert check(name, (good,) if meaning.many else good, meaning) in (good, (good,))
    bad: list[Any] = [math.nextafter(highest, math.inf) * 1.001 + 1.0, 1e300]
    if lowest > 0 and meaning.kind is float:
        bad += [data.draw(st.floats(5e-324, lowest * 0.999)), 5e-324]
    for value in bad if meaning.kind is float else [10**40, int(highest) + 1]:
        with pytest.raises(ParameterError, match="must be") as caught:
            check(name, (value,) if meaning.many else value, meaning)
        assert caught.value.rule == meaning.allowed.words()


@pytest.mark.parametrize(
    ("bounds", "doc", "words"),
    [
        ({"above": 0}, "largest speed [m/s]", "must be >= 0.01 and <= 150"),
        ({"above": 0, "at_most": 8}, "jerk [m/s3]; more", "must be >= 0.1 and <= 8"),
        ({"at_least": 0}, "a pause [s]; 0: none", "must be 0, or >= 0.001 and <= 3600"),
        ({"at_least": 0.5, "at_most": 2}, "a length [m]", "must be >= 0.5 and <= 2"),
        ({"at_least": 0, "floor": 1e-6, "below": 1}, "x [m]", "must be 0, or >= 1e-06 and < 1"),
        ({}, "a height [m]", "must be >= -100000 and <= 100000"),
        ({"above": 0}, "of no unit", "must be > 0"),
    ],
)
def test_the_unit_gives_what_a_declaration_leaves_open(
    bounds: dict[str, float], doc: str, words: str
) -> None:
    assert bounded(bounds).signed(doc).words() == words


def test_a_value_that_may_be_zero_is_zero_or_at_least_its_floor() -> None:
    allowed = bounded({"at_least": 0}).signed("a time constant [s]")
    assert [allowed.holds(value) for value in (0.0, 5e-324, 1e-4, 1e-3)] == [
        True,
        False,
        False,
        True,
    ]


def test_floors_are_below_ceilings() -> None:
    assert all(0 < limits.floor < limits.ceiling <= LARGEST for limits in UNITS.values())


PLANT = [option for option in OPTIONS if option.kind in (int, float)]


@pytest.mark.parametrize("option", PLANT, ids=lambda option: option.name)
def test_an_option_of_the_plant_has_a_floor_and_a_ceiling(option: Option) -> None:
    for value in (-(10**40), 10**40) if option.kind is int else (-1e300, 1e300):
        with pytest.raises(PlantError, match=option.name):
            server_settings({option.name: value})
    try:
        server_settings({option.name: option.kind(0)})
    except PlantError:  # it must be positive: then not by next to nothing
        with pytest.raises(PlantError, match=option.name):
            server_settings({option.name: option.kind(SMALLEST / 2)})


def _of_files() -> dict[str, Number]:
    """Every number of a file of the plant, its node or a scenario, by class and field."""
    for package in (vdsim_plant, vdsim_plant_node):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith("vdsim_plant.study.rl"):
                importlib.import_module(module.name)
    classes = [
        each for each in _subclasses(object) if f"{each.__module__}".startswith("vdsim_plant")
    ]
    return {
        f"{kind.__module__}:{kind.__qualname__}.{name}": spec
        for kind in classes
        if dataclasses.is_dataclass(kind)
        for name, spec in specs(kind)
        if isinstance(spec, Number)
    }


def _subclasses(kind: type) -> Iterator[type]:
    for found in type.__subclasses__(kind):
        yield found
        yield from _subclasses(found)


OF_FILES = _of_files()


def test_the_numbers_of_files_are_really_found() -> None:
    names = {name.rpartition(":")[2] for name in OF_FILES}
    assert {"BodyParameters.yaw_inertia_kgm2", "RideParameters.spring_front_n_per_m"} <= names
    assert {"ChannelParameters.lag_s", "EmulatorSettings.mu", "ScenarioTiming.tick_s"} <= names
    assert len(names) > 80


@pytest.mark.parametrize("name", OF_FILES)
def test_a_number_of_a_file_has_a_floor_and_a_ceiling(name: str) -> None:
    spec = OF_FILES[name]
    assert spec.above != 0.0, f"{name}: next to nothing is allowed"
    assert (spec.above, spec.at_least) != (None, None)
    assert (spec.below, spec.at_most) != (None, None)
    for value in (-1e300, 1e300):
        with pytest.raises(PlantError, match="must be"):
            spec.checked(name, value)

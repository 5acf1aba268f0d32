"""The tables of numbers are total, and agree with the constants of Autoware's messages."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import pytest
from autoware_adapi_v1_msgs.msg import DoorStatus, HazardLights, TurnIndicators
from autoware_adapi_v1_msgs.msg import Gear as ApiGear
from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    GearCommand,
    GearReport,
    HazardLightsCommand,
    HazardLightsReport,
    TurnIndicatorsCommand,
    TurnIndicatorsReport,
)
from autoware_vehicle_msgs.srv import ControlModeCommand
from vdsim_autoware.adapter import enums
from vdsim_interface.values import Blinker, Gear, Mode


def constants(message: Any) -> dict[str, int]:
    values = {name: getattr(message, name) for name in dir(type(message)) if name.isupper()}
    return {name: value for name, value in values.items() if isinstance(value, int)}


IN = [
    pytest.param(GearCommand, enums.GEARS_IN, id="gear"),
    pytest.param(TurnIndicatorsCommand, enums.TURNS_IN, id="turn"),
    pytest.param(HazardLightsCommand, enums.HAZARDS_IN, id="hazard"),
    pytest.param(ControlModeCommand.Request, enums.REQUESTED_MODES, id="mode"),
]
OUT = [
    pytest.param(GearReport, enums.GEARS_OUT, Gear, id="gear"),
    pytest.param(ApiGear, enums.API_GEARS_OUT, Gear, id="gear of the API"),
    pytest.param(TurnIndicators, enums.TURNS_OUT, Blinker, id="turn of the API"),
    pytest.param(HazardLights, enums.HAZARDS_OUT, Blinker, id="hazard of the API"),
    pytest.param(TurnIndicatorsReport, enums.TURNS_OUT, Blinker, id="turn"),
    pytest.param(HazardLightsReport, enums.HAZARDS_OUT, Blinker, id="hazard"),
    pytest.param(ControlModeReport, enums.MODES_OUT, Mode, id="mode"),
]
NUMBERS = [
    (GearCommand, enums.GearNumber),
    (TurnIndicatorsCommand, enums.TurnNumber),
    (HazardLightsCommand, enums.HazardNumber),
    (ControlModeReport, enums.ControlMode),
    (DoorStatus, enums.DoorNumber),
]


@pytest.mark.parametrize(("message", "table"), IN)
def test_every_defined_number_is_in_the_table_and_no_other(
    message: Any, table: dict[int, object]
) -> None:
    assert set(constants(message())) != set()
    assert set(table) == set(constants(message()).values())


@pytest.mark.parametrize(("message", "table", "values"), OUT)
def test_every_value_has_a_defined_number(
    message: Any, table: dict[IntEnum, int], values: type[IntEnum]
) -> None:
    assert set(table) == set(values)
    assert set(table.values()) <= set(constants(message()).values())


@pytest.mark.parametrize(("message", "numbers"), NUMBERS)
def test_the_names_have_autowares_numbers(message: Any, numbers: type[IntEnum]) -> None:
    theirs = constants(message())
    assert {one.name: int(one) for one in numbers}.items() <= theirs.items()


@pytest.mark.parametrize("gear", list(Gear))
def test_a_gear_that_is_reported_can_be_commanded(gear: Gear) -> None:
    assert enums.GEARS_IN[enums.GEARS_OUT[gear]] is gear


@pytest.mark.parametrize("mode", list(enums.ControlMode))
def test_every_mode_names_the_groups_that_it_accepts(mode: enums.ControlMode) -> None:
    groups = enums.ACCEPTED[mode]
    pages = {
        enums.ControlMode.AUTONOMOUS: (True, True),
        enums.ControlMode.AUTONOMOUS_STEER_ONLY: (False, True),
        enums.ControlMode.AUTONOMOUS_VELOCITY_ONLY: (True, False),
    }
    assert (groups.velocity, groups.steering) == pages.get(mode, (False, False))

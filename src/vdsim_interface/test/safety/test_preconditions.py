import math
from typing import Any

import pytest
from vdsim_interface.safety.inputs import (
    Inputs,
    LatestCommand,
    handshake_missing,
    unmet_preconditions,
)
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import CabinState, DriverActivity, Odometry, VehicleCommand
from vdsim_interface_kit.safety import LIMITS

NOW = 1024.0


def unmet(limits: SafetyParameters, report_age_s: float = 0.0625, **noted: Any) -> str:
    """What is missing where nothing is, but for what is noted of the inputs."""
    inputs = Inputs()
    inputs.odometry = Odometry(NOW - report_age_s)
    for name, value in noted.items():
        assert hasattr(inputs, name), name
        setattr(inputs, name, value)
    return unmet_preconditions(inputs, limits, NOW)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"report_age_s": 0.099}, ""),
        ({"report_age_s": 0.11}, "the vehicle's reports have stopped, or arrive late"),
        ({"report_age_s": math.inf}, "the vehicle does not report"),
        ({"report_age_s": math.nan}, "the vehicle does not report"),
        ({"cabin": CabinState(doors_closed=False)}, "a door is open"),
        ({"cabin": CabinState(belts_fastened=False)}, "a belt is not fastened"),
        ({"cabin": CabinState(load_secured=False)}, "the load is not secured"),
        (
            {"cabin": CabinState(False, False, False)},
            "a door is open; a belt is not fastened; the load is not secured",
        ),
        ({"driver": DriverActivity(pedal=True)}, "the driver uses pedal"),
        (
            {"driver": DriverActivity(True, True, True, True)},
            "the driver uses pedal, wheel, gear lever, switch",
        ),
        ({"vehicle_ready": False}, "the vehicle is not ready for autonomy"),
        (
            {"vehicle_ready": False, "vehicle_words": "the gear lever is not in D"},
            "the vehicle is not ready for autonomy: the gear lever is not in D",
        ),
        (
            {"vehicle_ready": False, "report_age_s": 9.0},
            "the vehicle's reports have stopped, or arrive late; "
            "the vehicle is not ready for autonomy",
        ),
        ({"process_fault": "memory has grown"}, "memory has grown"),
    ],
)
def test_unmet_preconditions(change: dict[str, Any], words: str) -> None:
    """[VI-3.3] The unmet preconditions in words."""
    assert unmet(LIMITS, **change) == words


def test_with_safety_off_the_cabin_does_not_count() -> None:
    """[VI-3.5]"""
    off = SafetyParameters(enabled=False)
    assert unmet(off, cabin=CabinState(False, False, False)) == ""
    assert unmet(off, report_age_s=1.0) != ""
    assert unmet(off, driver=DriverActivity(pedal=True)) != ""


@pytest.mark.parametrize(
    ("fresh", "answered", "words"),
    [
        (True, True, ""),
        (False, True, "no valid command"),
        (False, False, "no valid command"),
        (True, False, "no report since the request"),
    ],
)
def test_handshake_missing(fresh: bool, answered: bool, words: str) -> None:
    assert handshake_missing(fresh, answered) == words


@pytest.mark.parametrize(
    ("age_s", "fresh"), [(0.0, True), (0.5, True), (0.625, False), (math.inf, False)]
)
def test_a_command_is_fresh_up_to_its_timeout(age_s: float, fresh: bool) -> None:
    latest = LatestCommand(0.5)
    assert not latest.is_fresh(NOW), "before the first"
    latest.command = VehicleCommand(NOW - age_s)
    assert latest.is_fresh(NOW) is fresh

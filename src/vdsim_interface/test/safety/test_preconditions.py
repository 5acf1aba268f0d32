import math
from typing import Any

import pytest
from vdsim_interface.safety.inputs import Inputs, Situation, handshake_missing, unmet_preconditions
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import CabinState, DriverActivity
from vdsim_interface_kit.safety import LIMITS


def situation(report_age_s: float = 0.05, command_age_s: float = 0.1, **noted: Any) -> Situation:
    """What lets autonomy begin, but for what is noted of the inputs."""
    inputs = Inputs()
    for name, value in noted.items():
        assert hasattr(inputs, name), name
        setattr(inputs, name, value)
    return Situation(report_age_s, command_age_s <= 0.5, inputs)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"report_age_s": 0.1}, ""),
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
        ({"command_age_s": math.inf}, ""),
        ({"process_fault": "memory has grown"}, "memory has grown"),
    ],
)
def test_unmet_preconditions(change: dict[str, Any], words: str) -> None:
    """[VI-3.3] The unmet preconditions in words."""
    assert unmet_preconditions(situation(**change), LIMITS) == words


def test_with_safety_off_the_cabin_does_not_count() -> None:
    """[VI-3.5]"""
    off = SafetyParameters(enabled=False)
    assert unmet_preconditions(situation(cabin=CabinState(False, False, False)), off) == ""
    assert unmet_preconditions(situation(report_age_s=1.0), off) != ""
    assert unmet_preconditions(situation(driver=DriverActivity(pedal=True)), off) != ""


@pytest.mark.parametrize(
    ("age", "answered", "words"),
    [
        (0.1, True, ""),
        (0.5, True, ""),
        (0.51, True, "no valid command"),
        (math.inf, True, "no valid command"),
        (math.inf, False, "no valid command"),
        (0.1, False, "no report since the request"),
    ],
)
def test_handshake_missing(age: float, answered: bool, words: str) -> None:
    assert handshake_missing(situation(command_age_s=age), answered) == words

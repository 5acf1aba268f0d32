import math

import pytest
from vdsim_interface.safety.inputs import Situation, handshake_missing, unmet_preconditions
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import NO_DRIVER, CabinState, DriverActivity
from vdsim_interface_kit.safety import LIMITS

FREE = Situation(0.05, 0.1, 0.5, CabinState(), NO_DRIVER, True)


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
def test_unmet_preconditions(change: dict[str, object], words: str) -> None:
    """[VI-3.3] The unmet preconditions in words."""
    assert unmet_preconditions(FREE._replace(**change), LIMITS) == words  # type: ignore[arg-type]


def test_with_safety_off_the_cabin_does_not_count() -> None:
    """[VI-3.5]"""
    off = SafetyParameters(enabled=False)
    assert unmet_preconditions(FREE._replace(cabin=CabinState(False, False, False)), off) == ""
    assert unmet_preconditions(FREE._replace(report_age_s=1.0), off) != ""
    assert unmet_preconditions(FREE._replace(driver=DriverActivity(pedal=True)), off) != ""


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
    assert handshake_missing(FREE._replace(command_age_s=age), answered) == words

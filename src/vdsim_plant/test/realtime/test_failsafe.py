"""The fail-safe policy: the contract's default, each parameter, each refusal."""

from __future__ import annotations

from typing import Any

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.realtime.failsafe import FailsafePolicy

DRIVING = PedalInput(0.2, 0.7, 0.0, -1, True)


def test_the_default_brakes_holds_the_steering_and_keeps_the_gear() -> None:
    assert FailsafePolicy().input_after(DRIVING) == PedalInput(0.2, 0.0, 0.3, -1, True)


def test_straight_lets_go_of_the_steering() -> None:
    # [VS-1.4.3]
    policy = FailsafePolicy(brake=0.8, steer="straight")
    assert policy.input_after(DRIVING) == PedalInput(0.0, 0.0, 0.8, -1, True)


def test_it_says_what_it_does() -> None:
    assert FailsafePolicy().describe() == (
        "no command for 100 ms: throttle 0, brake 0.3, steering held, gear kept"
    )
    assert "steering straight" in FailsafePolicy(steer="straight").describe()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"timeout_s": 0.0}, "timeout_s=0.0: must be >= 0.001 and <= 60 s"),
        ({"timeout_s": float("nan")}, "timeout_s=nan: must be >= 0.001 and <= 60 s"),
        ({"brake": -0.1}, "brake=-0.1: must be >= 0 and <= 1"),
        ({"steer": "left"}, "steer='left': must be one of hold, straight"),
    ],
)
def test_wrong_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        FailsafePolicy(**values)
    assert str(error.value) == message

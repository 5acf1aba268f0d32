"""The parameters of autoware_interface: their file, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from vdsim_autoware.adapter import AutowareParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import flatten, from_flat, to_flat

ROOT = Path(__file__).resolve().parents[4]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"control_rate_max_hz": 20.0}, "control_rate_max_hz=20.0: must be > control_rate_min_hz (25)"),
    (
        {"gear_change_speed_mps": 0.05},
        "gear_change_speed_mps=0.05: must be >= standstill_speed_mps (0.1)",
    ),
    (
        {"manual_control": True, "command": "actuation"},
        "manual_control=True: must be false with command actuation",
    ),
    (
        {"longitudinal": "speed"},
        "longitudinal=speed: must be one of bounded, acceleration, velocity",
    ),
]


def test_the_file_holds_every_default() -> None:
    text = (ROOT / "src/vdsim_interface/config/autoware.yaml").read_text(encoding="utf-8")
    values = flatten(yaml.safe_load(text)["/**"]["ros__parameters"])
    assert set(values) == set(to_flat(AutowareParameters()))
    assert from_flat(AutowareParameters, values) == AutowareParameters()


@pytest.mark.parametrize(("given", "text"), WRONG)
def test_a_wrong_value_is_named(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as refused:
        AutowareParameters(**given)
    assert str(refused.value) == text

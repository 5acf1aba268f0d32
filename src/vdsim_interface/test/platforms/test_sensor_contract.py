"""The contract suite finds sensors that cannot be read, and capabilities that are not true."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.extras.contract import ContractError
from vdsim_interface.extras.contract.sensor_checks import (
    has_what_it_declares_and_nothing_else,
    reads_its_sensors,
)
from vdsim_interface.platforms.discovery import PlatformError, discover, platform_spec
from vdsim_interface.platforms.spec import PlatformSpec, Reported
from vdsim_interface.sensors.declaration import Sensor
from vdsim_interface_kit.documented_platform import write_documented_platform

VDS1 = discover()["vds1"]


@pytest.fixture(scope="module")
def my_car(tmp_path_factory: pytest.TempPathFactory) -> PlatformSpec:
    above = tmp_path_factory.mktemp("platforms")
    write_documented_platform(above)
    return platform_spec("my_car", above)


def with_sensor(spec: PlatformSpec, read: Any, message: str = "sensor_msgs/msg/Range") -> Any:
    return replace(spec, sensors=(Sensor("rear", message, read),))


def raises(report: Any) -> None:
    raise KeyError("far")


@pytest.mark.parametrize(
    ("read", "message", "line"),
    [
        (lambda r: {"rang": 1.0}, "sensor_msgs/msg/Range", "sensor rear: rang: must be one of"),
        (lambda r: {"range": math.nan}, "sensor_msgs/msg/Range", "range=nan: must be finite"),
        (raises, "sensor_msgs/msg/Range", "read must not raise; found: KeyError: 'far'"),
        (
            lambda r: None,
            "sensor_msgs/msg/Rang",
            "sensor rear: message=sensor_msgs/msg/Rang must be a message type",
        ),
    ],
)
def test_a_sensor_that_cannot_be_read(
    my_car: PlatformSpec, read: Any, message: str, line: str
) -> None:
    with pytest.raises(ContractError, match=re.escape(line)):
        reads_its_sensors(with_sensor(my_car, read, message))


def test_a_sensor_that_a_guard_would_silence() -> None:
    """It reads the details, and nothing decodes them in the shell."""
    reads_its_sensors(VDS1)
    with pytest.raises(ContractError, match="must read the same in the shell of a guard"):
        reads_its_sensors(replace(VDS1, packet=None))


@pytest.mark.parametrize("name", ["gnss", "wheel_speeds", "pedals"])
def test_a_reading_that_is_declared_and_not_there(my_car: PlatformSpec, name: str) -> None:
    lying = replace(my_car.capabilities, reported={name: Reported()})
    with pytest.raises(ContractError, match=f"must declare {name} where the reports hold it"):
        has_what_it_declares_and_nothing_else(replace(my_car, capabilities=lying))


def test_a_reading_that_is_there_and_not_declared() -> None:
    silent = replace(VDS1.capabilities, signals=frozenset(), reported={})
    with pytest.raises(ContractError, match="must declare gnss where the reports hold it"):
        has_what_it_declares_and_nothing_else(replace(VDS1, capabilities=silent))


def test_a_bad_declaration_in_a_folder_is_one_line(tmp_path: Path) -> None:
    write_documented_platform(tmp_path)
    file = tmp_path / "my_car" / "sensors.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('qos="reliable"', 'qos="fast"'), encoding="utf-8")
    with pytest.raises(PlatformError) as refused:
        discover(tmp_path)
    line = str(refused.value)
    assert line.endswith(
        "platform my_car: sensor front_radar: qos=fast: must be one of sensor, reliable, latched"
    )
    assert "\n" not in line

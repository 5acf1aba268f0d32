"""A launch file's check rejects what the plant rejects at its start, with the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant_node.ros.start_check import check_start, check_vehicle


def test_what_the_plant_can_start_with_passes(tmp_path: Path) -> None:
    check_start({})
    check_start(
        {
            "vehicle": "compact_fwd",
            "tyre": "mf96",
            "mu": 1,
            "ground": "flat",
            "actuator": "passenger_car",
            "sensor": "automotive",
            "record": str(tmp_path / "run.vds"),
            "http": False,
            "publish_rate": "names of no option are ignored",
        }
    )


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"rate": -5.0}, "rate=-5.0: must be >= 1"),
        ({"rate": "fast"}, "rate='fast': must be a number"),
        ({"cmd_port": 99999}, "cmd_port=99999: must be a whole number within 0..65535"),
        ({"vehicle": "tank"}, "vehicle='tank': must be a .yaml file or one of"),
        ({"tyre": "square"}, "tyre='square': must be a .yaml or .tir file or one of"),
        ({"ground": "/no/such.yaml"}, "ground='/no/such.yaml': must be a .yaml file or one of"),
        ({"mu": 7.0}, "mu=7.0: must be > 0 and <= 1.2"),
        ({"actuator": "none"}, "actuator='none': must be a .yaml file or one of"),
        ({"sensor": "none"}, "sensor='none': must be a .yaml file or one of"),
        ({"record": "/no/such/run.vds"}, "record=/no/such/run.vds: there is no such folder"),
        ({"http": "abc"}, "http='abc': must be HOST:PORT"),
    ],
)
def test_what_it_cannot_start_with_is_named(values: dict[str, object], error: str) -> None:
    with pytest.raises(ParameterError) as raised:
        check_start(values)
    assert str(raised.value).startswith(error)


def test_a_vehicle_is_checked_by_itself() -> None:
    check_vehicle("ioniq5_awd")
    with pytest.raises(ParameterError, match="vehicle='tank'"):
        check_vehicle("tank")

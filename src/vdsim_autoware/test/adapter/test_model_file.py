"""The vehicle model that `model_file` names: what is refused, and that its dead time acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_autoware.adapter import AutowareAdapter, AutowareParameters, Control
from vdsim_autoware.adapter.adapter import CONTROL
from vdsim_autoware.ros.model_file import read_model
from vdsim_interface.parameters.fields import ParameterError

PERIOD_S = 0.01


def written(folder: Path, *lines: str) -> AutowareParameters:
    file = folder / "model.yaml"
    file.write_text("\n".join(["/**:", "  ros__parameters:", *(f"    {one}" for one in lines), ""]))
    return AutowareParameters(model_file=str(file))


def test_without_a_file_there_is_no_model() -> None:
    assert read_model(AutowareParameters()) is None


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["vehicle_model_type: DELAY_STEER_ACC_GEARED"], "one of the models with tyres, vdsim_l1"),
        (["vehicle_model_type: vdsim_l2", "steer_lim: -1.0"], "steer_lim=-1.0: must be >= 0.001"),
        (["vehicle_model_type: vdsim_l2", "nosuch: 1.0"], "nosuch=1.0: is not a parameter"),
        (["vehicle_model_type: WARP"], "vehicle_model_type=WARP: must be one of"),
    ],
)
def test_a_file_that_is_not_usable_is_refused(lines: list[str], text: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^model_file=.*model\.yaml: ") as caught:
        read_model(written(tmp_path, *lines))
    assert text in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^model_file=.*nosuch\.yaml"):
        read_model(AutowareParameters(model_file=str(tmp_path / "nosuch.yaml")))


def test_pedals_have_no_model() -> None:
    with pytest.raises(
        ParameterError, match=r"^model_file=.*: must be empty with command actuation"
    ):
        AutowareParameters(command="actuation", model_file="model.yaml")


def test_an_angle_acts_after_its_dead_time(tmp_path: Path) -> None:
    lines = ["vehicle_model_type: vdsim_l2", "steer_time_delay: 0.1", "steer_time_constant: 0.0"]
    settings = written(tmp_path, *lines)
    modelled, adapter = read_model(settings), AutowareAdapter(settings)
    assert modelled is not None
    angles = []
    for period in range(30):
        now = period * PERIOD_S
        command = Control(now, 0.2, 1.0, 0.0, True)
        assert modelled.receive(adapter, CONTROL, command, command).command is None
        output = adapter.follow(modelled.acting(adapter, None, now + PERIOD_S, PERIOD_S), now)
        assert output.command is not None
        angles.append(output.command.front_wheel_angle_rad)
    assert angles[:10] == [0.0] * 10
    assert 0.0 < angles[11] < angles[14] <= angles[-1] == pytest.approx(0.2, abs=1e-3)

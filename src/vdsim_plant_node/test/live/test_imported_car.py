"""Who may name an FMU, which is a program: whoever starts a server, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant_node.cli.realtime import main
from vdsim_plant_node.live.sessions import build_session, build_wire_vehicle
from vdsim_plant_node.settings import choices
from vdsim_plant_node.settings.server_settings import VehicleSettings

IMPORTED = VehicleSettings(fmu="/no/such/car.fmu")


def test_a_recording_or_a_scenario_that_names_one_is_refused_unopened() -> None:
    with pytest.raises(ParameterError, match="only a server drives an imported car"):
        build_session(IMPORTED, substep_s=5e-4)


def test_the_dashboard_cannot_name_one() -> None:
    with pytest.raises(ParameterError, match="is fixed when the plant starts"):
        choices.chosen(VehicleSettings(), {"fmu": "/no/such/car.fmu"})
    assert choices.chosen(IMPORTED, {"level": "l1"}).fmu == "none"


def test_a_server_opens_it() -> None:
    with pytest.raises(ParameterError, match=r"fmu=/no/such/car\.fmu: No such file"):
        build_wire_vehicle(IMPORTED, tick_s=0.005, substep_s=5e-4)


def test_a_fault_is_one_line_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "names.yaml").write_text("- a list", encoding="utf-8")
    options = ["--fmu", "car.fmu", "--fmu-names", str(tmp_path / "names.yaml")]
    assert main([*options, "--http", "off", "--cmd-port", "0"]) == 2
    assert capsys.readouterr().err == "vdsim_realtime: names.yaml: names: must be a group of keys\n"

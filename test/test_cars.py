"""config/cars/ describes every preset to the interface as the plant's own file does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from vdsim_interface.extras.calibration.understeer_fit import HEADER, fit_understeer
from vdsim_kit.driving import Stack
from vdsim_kit.node_command import ros2_about_node
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start
from vdsim_plant.parameters import load_vehicle, vehicle_names
from vdsim_plant.parameters.files import VEHICLE_FOLDER
from vdsim_plant.steer_sweep import steer_sweep
from vdsim_plant.vehicle import Vehicle

INTERFACE = Path(__file__).resolve().parents[1] / "src/vdsim_interface"


def fitted_gradient(name: str) -> float:
    """As vdsim_calibrate fits it."""
    car = Vehicle(name)
    top_mps = 15.0 if name == "scale_car" else 25.0
    rows = [",".join(map(str, sample)) for sample in steer_sweep(car, top_mps)]
    return fit_understeer([HEADER, *rows], car.parameters.body.wheelbase_m).gradient_rad_s2pm


@pytest.mark.parametrize("name", vehicle_names())
def test_the_interface_knows_the_car_as_the_plant_does(name: str) -> None:
    data = yaml.safe_load((INTERFACE / "config/cars" / f"{name}.yaml").read_text(encoding="utf-8"))
    car = load_vehicle(name)
    assert data["/**"]["ros__parameters"] == {
        "vehicle": {
            "wheelbase_m": pytest.approx(car.body.wheelbase_m),
            "front_wheel_angle_max_rad": pytest.approx(car.steering.max_angle_rad),
            "understeer_gradient_rad_s2pm": pytest.approx(fitted_gradient(name), abs=1e-5),
        },
        "vds1": {"pedal_map": name},
    }
    assert (INTERFACE / "vdsim_interface/platforms/maps" / f"{name}.csv").is_file()


def launch(*arguments: str, file: str = "vdsim.launch.py") -> subprocess.Popen[str]:
    command_port, state_port = free_ports(2)
    return start(
        [
            *("ros2", "launch", "vdsim_interface", file, "dashboard:=off"),
            *(f"plant_port:={command_port}", f"state_port:={state_port}", *arguments),
        ]
    )


def parameter(node: str, name: str) -> str:
    done = ros2_about_node("param", "get", node, name)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_another_car_follows_the_curvature_that_is_asked_for() -> None:
    process = launch("vehicle:=scale_car", "namespace:=scale", "teleop:=gamepad", "mux:=true")
    stack = Stack("/scale")
    try:
        stack.drive(2.0, 0.5)
        stack.wait(lambda: stack.speed > 1.8, "a car that drives")
        stack.spin(1.0)
        assert stack.odometry is not None
        # Wheelbase times curvature: 0.33 m x 0.5 1/m, and a little for the tyres' slip.
        assert stack.odometry.front_wheel_angle_rad == pytest.approx(0.165, abs=0.02)
        assert "0.33" in parameter("/scale/gamepad_teleop", "driver.wheelbase_m")
        assert "0.33" in parameter("/scale/command_mux", "wheelbase_m")
    finally:
        stack.close()
        end(process)


def test_a_car_without_data_for_the_interface_is_named(tmp_path: Path) -> None:
    own = tmp_path / "my_car.yaml"
    own.write_text((VEHICLE_FOLDER / "compact_fwd.yaml").read_text(encoding="utf-8"))
    process = launch(f"vehicle:={own}", "namespace:=own")
    stack = Stack("/own")
    try:
        stack.wait(lambda: stack.odometry is not None, "a car that drives nevertheless")
    finally:
        stack.close()
        output = end(process)
    assert f"vehicle:={own}: the interface has no data of this car" in output
    assert "give car_params_file:=" in output


def test_the_simulators_launch_file_starts_the_bridge_by_its_other_name() -> None:
    # [VS-0.9]
    process = launch("mode:=vdsim", file="simulator.launch.py")
    assert process.stdout is not None
    output = ""
    while "[vdsim_bridge]: STATE at " not in output:
        line = process.stdout.readline()
        assert line, output
        output += line
    end(process)
    assert "[autohyu_bridge]" not in output


def test_autohyu_names_the_car_whose_torque_map_it_has() -> None:
    process = launch("vehicle:=compact_fwd", file="autohyu.launch.py")
    assert process.stdout is not None
    output = ""
    while "CMD at " not in output:  # the plant runs, so it can be interrupted
        line = process.stdout.readline()
        assert line, output
        output += line
    end(process)
    assert "vehicle:=compact_fwd: the torque map is that of ioniq5_awd" in output

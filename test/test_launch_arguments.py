"""A wrong launch argument: one line, an error, and no process was ever started."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_kit.launched import launch_briefly

WRONG = [
    ("vdsim", "auto_engage:=maybe", "must be true or false"),
    ("vdsim", "namespace:=9bad", "must be names of letters, digits and _"),
    ("vdsim", "platform:=nosuch", "must be one of can, fake, morai, vds1"),
    ("vdsim", "rate:=-5", "must be >= 10 and <= 1000"),
    ("vdsim", "vehicle:=no_such_car", "must be a .yaml file or one of compact_fwd"),
    ("vdsim", "plant_port:=99999", "must be >= 1 and <= 65535"),
    ("vdsim", "ground:=/no/such.yaml", "must be a .yaml file or one of dry"),
    ("vdsim", "state_rate:=123456", "must be >= 1 and <= 2000 Hz"),
    ("vdsim", "record:=/no/such/run.vds", "there is no such folder"),
    ("vdsim", "event_log:=/no/such/events.jsonl", "there is no such folder"),
    (
        "vdsim",
        "composition:=several",
        "Valid options are: ['single', 'guarded', 'container', 'processes']",
    ),
    (
        "vdsim",
        "state_rate:=5.0",
        "must be > 10 Hz, because safety.report_timeout_s is 0.1 s: each STATE would be stale",
    ),
    ("vdsim", "state_rate:=10", "must be > 10 Hz"),
    ("autohyu", "state_rate:=5", "must be > 10 Hz, because failsafe.state_timeout_s is 0.1 s"),
    ("vdsim", "components:=nosuch", "nosuch: no such component"),
    ("plant", "friction:=2.0", "must be > 0 and <= 1.2"),
    ("teleop", "joy_config:=nosuch", "must be auto, a file or one of"),
    ("autohyu", "torque_map:=/no/map.csv", "there is no such file"),
    ("simulator", "mode:=carla", "Valid options are: ['vdsim']"),
    ("autohyu", "reference_point:=roof", "Valid options are: ['', 'center_of_gravity', "),
    ("autoware", "manual_control:=maybe", "Valid options are: ['true', 'false']"),
    ("autoware", "rate:=-5", "must be >= 10 and <= 1000"),
    ("nav2", "nav2:=true", "nav2_bringup is not installed"),
    ("nav2", "urdf:=/no/such.urdf", "there is no such file"),
    ("morai", "cmd_type:=nosuch", "must be one of pedals, velocity, acceleration"),
]
FILES = [
    ("vdsim", "params_file", "a: [1", "line 1: not YAML"),
    ("vdsim", "car_params_file", "only words", "must have NODE: ros__parameters: ..."),
    (
        "vdsim",
        "params_file",
        "/**: {ros__parameters: {safety: {acel_max_mps2: 1.0}}}",
        "safety.acel_max_mps2=1.0: no such parameter; did you mean safety.accel_max_mps2?",
    ),
    (
        "vdsim",
        "params_file",
        "vehicle_interfaces: {ros__parameters: {rate_hz: 50.0}}",
        "its key 'vehicle_interfaces' is for no node of this launch; write "
        "/vehicle/vehicle_interface:",
    ),
    (
        "plant",
        "plant_params_file",
        "plants: {ros__parameters: {charge: 0.5}}",
        "its key 'plants' is for no node of this launch; write /plant:",
    ),
    (
        "plant",
        "plant_params_file",
        "/plant: {ros__parameters: {charge: 7.0}}",
        "charge=7.0: must be",
    ),
    (
        "autoware",
        "vehicle_info_param_file",
        "/**: {ros__parameters: {wheel_base: 2.7}}",
        "wheel_tread=: is missing",
    ),
    (
        "autoware",
        "autoware_params_file",
        "/**: {ros__parameters: {longitudinal: speed}}",
        "longitudinal=speed: must be one of bounded, acceleration, velocity",
    ),
    (
        "autohyu",
        "params_file",
        "/**: {ros__parameters: {link: {version: 9}}}",
        "link.version=9: must be >= 1 and <= 5",
    ),
]


def refusal(file: str, *words: str) -> str:
    """The one line that a launch ends with; nothing was started."""
    done = launch_briefly(file, *words)
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert "process started" not in output
    errors = [line for line in output.splitlines() if "[ERROR]" in line]
    # Upstream's launch logs a value that is not among an argument's choices, then ends with it.
    [line] = [line for line in errors if "declare_launch_argument]" not in line]
    return line


@pytest.mark.parametrize(("file", "argument", "rule"), WRONG)
def test_a_wrong_value_starts_nothing(file: str, argument: str, rule: str) -> None:
    line = refusal(file, argument)
    assert argument.partition(":=")[2] in line
    assert argument.partition(":=")[0] in line
    assert rule in line


def test_a_car_at_the_other_end_that_nobody_knows_starts_nothing() -> None:
    line = refusal("vdsim", "plant:=false", "vehicle:=nosuch")
    assert "vehicle:=nosuch: must be one of compact_fwd, " in line
    assert "vdsim_ioniq5, or a file; or give car_params_file:=" in line


PORTS = [
    ("vdsim", "plant_port:=6955", "state_port:=6955"),
    ("plant", "plant_port:=6955", "state_port:=6955"),
    ("autohyu", "plant_port:=6955", "state_port:=6955"),
    ("vdsim", "faults:=true plant_port:=6911", "relay_command_port:=6911"),
    ("vdsim", "faults:=true relay_state_port:=6955", "relay_control_port:=6955"),
    ("morai", "control_port:=6955", "status_port:=6955"),
]


@pytest.mark.parametrize(("file", "first", "second"), PORTS)
def test_two_arguments_with_one_port_start_nothing(file: str, first: str, second: str) -> None:
    line = refusal(file, *first.split(), second)
    assert f"{first.split()[-1]} {second}: must be different UDP ports" in line


def test_a_port_of_the_bridge_is_refused_for_the_status() -> None:
    line = refusal("morai", "status_port:=9092")
    assert "status_port:=9092: must not be ports.collisions of the bridge" in line


def test_a_rate_below_the_plants_time_out_starts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plant.yaml"
    path.write_text("/plant: {ros__parameters: {cmd_timeout: 0.02}}", encoding="utf-8")
    line = refusal("vdsim", f"plant_params_file:={path}", "rate:=50")
    assert "rate:=50: must be > 50 Hz, because cmd_timeout of the plant is 0.02 s" in line


def test_the_guard_knows_no_simulated_time() -> None:
    line = refusal("vdsim", "composition:=guarded", "use_sim_time:=true")
    assert "composition:=guarded use_sim_time:=true: the guard keeps real time" in line


@pytest.mark.parametrize("argument", ["component_services:=true"])
def test_only_the_container_takes_components(argument: str) -> None:
    line = refusal("vdsim", argument, "composition:=single")
    rule = "only composition:=container takes components"
    assert f"{argument} composition:=single: {rule}" in line


@pytest.mark.parametrize(("file", "argument", "text", "rule"), FILES)
def test_a_wrong_parameter_file_starts_nothing(
    file: str, argument: str, text: str, rule: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    line = refusal(file, f"{argument}:={path}")
    assert f"{argument}:={path}: {rule}" in line


def test_an_argument_that_does_not_exist_is_named_with_the_nearest() -> None:
    line = refusal("vdsim", "platfrom:=fake")
    assert "platfrom:=fake: vdsim.launch.py has no such argument; did you mean platform?" in line

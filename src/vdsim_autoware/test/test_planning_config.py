"""The shipped parameter files and the configuration of RViz fit the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from vdsim_autoware.adapter.vehicle_info import vehicle_info
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.types import MODELS
from vdsim_autoware.ros.topics import MOTION_REMAPPINGS, REMAPPINGS
from vdsim_autoware.simulator import PlanningSimulator
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.ros.launching.parameter_files import load
from vdsim_plant.parameters import load_vehicle

CONFIG = Path(__file__).resolve().parents[1] / "config"
NODE = "/simulation/simple_planning_simulator"


def test_the_shipped_files_make_a_simulator_of_the_default_car() -> None:
    info = vehicle_info(load(str(CONFIG / "vehicle_info.param.yaml")).values_for(NODE))
    values = load(str(CONFIG / "simulator_model.param.yaml")).values_for(NODE)
    car = PlanningSimulator(from_flat(SimulatorParameters, values), info)
    default = load_vehicle("ioniq5_awd")
    assert info.wheel_base == pytest.approx(default.body.wheelbase_m)
    assert info.max_steer_angle == default.steering.max_angle_rad
    assert car.model is MODELS["vdsim_l2"]
    assert car.parameters.origin_frame_id == "map"


def test_rviz_shows_and_publishes_topics_that_exist() -> None:
    text = (CONFIG / "planning_simulator.rviz").read_text(encoding="utf-8")
    manager = yaml.safe_load(text)["Visualization Manager"]
    items = [*manager["Displays"], *manager["Tools"]]
    shown = {item["Topic"]["Value"] for item in items if "Topic" in item}
    assert shown <= {*REMAPPINGS.values(), *MOTION_REMAPPINGS["full_motion"].values()}
    assert manager["Global Options"]["Fixed Frame"] == "map"

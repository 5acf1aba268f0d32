"""The ten parameter sets that Autoware's planning simulator is tested with, and their maps.

Facts of its test: the model, the delays, the maps, the vehicle, the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vdsim_autoware.adapter.vehicle_info import VehicleInfo
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.simulator import MAPS, PlanningSimulator, read_maps
from vdsim_interface.parameters.flat import from_flat

BY_CONTROL = (
    "IDEAL_STEER_VEL",
    "IDEAL_STEER_ACC",
    "IDEAL_STEER_ACC_GEARED",
    "DELAY_STEER_VEL",
    "DELAY_STEER_ACC",
    "DELAY_STEER_ACC_GEARED",
    "DELAY_STEER_ACC_GEARED_WO_FALL_GUARD",
)
BY_ACTUATION = ("ACTUATION_CMD_STEER_MAP", "ACTUATION_CMD_VGR", "ACTUATION_CMD_MECHANICAL")
VEHICLE_INFO = {
    "wheel_radius": 0.5,
    "wheel_width": 0.2,
    "wheel_base": 3.0,
    "wheel_tread": 2.0,
    "front_overhang": 1.0,
    "rear_overhang": 1.0,
    "left_overhang": 0.5,
    "right_overhang": 0.5,
    "vehicle_height": 1.5,
    "max_steer_angle": 0.7,
}
INFO = VehicleInfo(
    wheel_base=3.0,
    wheel_tread=2.0,
    front_overhang=1.0,
    rear_overhang=1.0,
    left_overhang=0.5,
    right_overhang=0.5,
    max_steer_angle=0.7,
)
ACTUATION_DELAYS = {
    "accel_time_delay": 0.2,
    "accel_time_constant": 0.2,
    "brake_time_delay": 0.2,
    "brake_time_constant": 0.2,
}
ACCELS = """default,0.0,13.89
0,3.0,2.9
0.3,4.0,3.9
0.5,5.0,4.9
0.7,8.0,7.9
1.0,10.0,9.9
"""
BRAKES = """default,0.0,5.56,13.89
0,0.3,-0.4,-0.5
0.2,-0.38,-0.82,-0.96
0.4,-1.48,-2.1,-2.106
0.8,-2.18,-2.9,-2.955
"""
STEERS = """default,-0.6,0,0.6
-10,-0.5,-0.5,-0.5
0,0.0,0.0,0.0
10,0.5,0.5,0.5
"""
CONTENTS = {"accel_map_path": ACCELS, "brake_map_path": BRAKES, "steer_map_path": STEERS}


def parameter_set(model: str, folder: Path | None = None) -> dict[str, Any]:
    """The parameters of one set; with a folder the maps are there as files."""
    paths = {name: f"{name}.csv" for name in CONTENTS}
    if folder is not None:
        for name, content in CONTENTS.items():
            (folder / paths[name]).write_text(content, encoding="utf-8")
            paths[name] = str(folder / paths[name])
    return {
        "vehicle_model_type": model,
        "initialize_source": "INITIAL_POSE_TOPIC",
        "initial_engage_state": True,
        "add_measurement_noise": False,
        **ACTUATION_DELAYS,
        "convert_accel_cmd": True,
        "convert_brake_cmd": True,
        **paths,
        "vgr_coef_a": 15.713,
        "vgr_coef_b": 0.053,
        "vgr_coef_c": 0.042,
    }


def simulator(model: str, **changes: Any) -> PlanningSimulator:
    """A planning simulator of one set."""
    parameters = from_flat(SimulatorParameters, {**parameter_set(model), **changes})
    contents = {name: text for name, text in CONTENTS.items() if name in MAPS}
    return PlanningSimulator(parameters, INFO, read_maps(parameters, contents))

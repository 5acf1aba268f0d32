"""The names of `vehicle_model_type`, and what each of them means for our car.

Their names are answered by the kinematic level, which has no slip, with their delays; `vdsim_l1`,
`vdsim_l2` and `vdsim_l3` by the levels with tyres, with the delays of DELAY_STEER_ACC_GEARED.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

KINEMATIC = "kinematic"


class Drive(Enum):
    """What of a command moves the car along."""

    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    PEDALS = "pedals"


class Steer(Enum):
    """How the steering command becomes the angle of the front wheels."""

    ANGLE = "angle"
    RATE_MAP = "rate map"
    VARIABLE_RATIO = "variable ratio"
    MECHANICAL = "mechanical"


class Model(NamedTuple):
    """One vehicle model. `is_ideal`: without delays and lags."""

    drive: Drive
    steer: Steer = Steer.ANGLE
    is_ideal: bool = False
    has_map: bool = False
    """The acceleration command passes through the map `acceleration_map_path`."""
    level: str = KINEMATIC
    """The level of the simulated car."""


MODELS: dict[str, Model] = {
    "IDEAL_STEER_VEL": Model(Drive.VELOCITY, is_ideal=True),
    "IDEAL_STEER_ACC": Model(Drive.ACCELERATION, is_ideal=True),
    "IDEAL_STEER_ACC_GEARED": Model(Drive.ACCELERATION, is_ideal=True),
    "DELAY_STEER_VEL": Model(Drive.VELOCITY),
    "DELAY_STEER_ACC": Model(Drive.ACCELERATION),
    "DELAY_STEER_ACC_GEARED": Model(Drive.ACCELERATION),
    "DELAY_STEER_ACC_GEARED_WO_FALL_GUARD": Model(Drive.ACCELERATION),
    "DELAY_STEER_MAP_ACC_GEARED": Model(Drive.ACCELERATION, has_map=True),
    "ACTUATION_CMD": Model(Drive.PEDALS),
    "ACTUATION_CMD_STEER_MAP": Model(Drive.PEDALS, Steer.RATE_MAP),
    "ACTUATION_CMD_VGR": Model(Drive.PEDALS, Steer.VARIABLE_RATIO),
    "ACTUATION_CMD_MECHANICAL": Model(Drive.PEDALS, Steer.MECHANICAL),
    "vdsim_l1": Model(Drive.ACCELERATION, level="l1"),
    "vdsim_l2": Model(Drive.ACCELERATION, level="l2"),
    "vdsim_l3": Model(Drive.ACCELERATION, level="l3"),
}

"""The vehicle model that a parameter of the adapter names: its delays act on the commands."""

from __future__ import annotations

from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.ros.launching.parameter_files import load

from vdsim_autoware.adapter import AutowareParameters
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.sources import ModelledCommands
from vdsim_autoware.model.types import KINEMATIC, MODELS

NODE = "/simulation/simple_planning_simulator"
"""The node whose parameters the file has."""


def read_model(settings: AutowareParameters) -> ModelledCommands | None:
    """Return what delays the commands; None without a file. Raises ParameterError."""
    path = settings.model_file
    if not path:
        return None
    content = load(path)
    if content.fault:
        raise ParameterError("model_file", path, content.fault)
    try:
        parameters = from_flat(SimulatorParameters, content.values_for(NODE))
    except ParameterError as error:
        raise ParameterError("model_file", path, str(error)) from None
    if MODELS[parameters.vehicle_model_type].level == KINEMATIC:
        rule = "vehicle_model_type must be one of the models with tyres, vdsim_l1 to vdsim_l3"
        raise ParameterError("model_file", path, rule)
    limit_rad = min(parameters.steer_lim, settings.vehicle.front_wheel_angle_max_rad)
    return ModelledCommands(parameters, limit_rad, {})

"""Velocity controller: speed and curvature in, acceleration and wheel angles out."""

from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.controller.stage import VelocityController

__all__ = ["ControllerParameters", "VelocityController"]

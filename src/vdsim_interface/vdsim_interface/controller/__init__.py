"""Velocity controller: speed and curvature in, acceleration and wheel angles out."""

from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.controller.parameters import ControllerParameters

__all__ = ["ControllerParameters", "VelocityController"]

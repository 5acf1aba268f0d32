"""A platform from its parameters: the car file that they name, and what that car can do."""

from __future__ import annotations

from vdsim_interface.platforms.spec import Capabilities, PlatformSetup

from vdsim_can.platform.car_parts import capabilities_of
from vdsim_can.platform.loading import car_named
from vdsim_can.platform.parameters import CanParameters
from vdsim_can.platform.platform import CanPlatform


def create(parameters: CanParameters, setup: PlatformSetup) -> CanPlatform:
    """Build the car of the file that the parameters name; raises ParameterError."""
    return CanPlatform(parameters, setup, car_named(parameters.car))


def capable(parameters: CanParameters) -> Capabilities:
    """Return what that car can do; raises ParameterError."""
    return capabilities_of(car_named(parameters.car))

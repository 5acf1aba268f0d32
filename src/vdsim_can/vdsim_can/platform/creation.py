"""A platform from its parameters: the car file that they name, and what that car can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vdsim_interface.platforms.spec import Capabilities, PlatformSetup

from vdsim_can.platform.parameters import CanParameters

if TYPE_CHECKING:
    from vdsim_can.platform.platform import CanPlatform

# The car's modules are loaded with a car: every interface imports this one for its parameters.


def create(parameters: CanParameters, setup: PlatformSetup) -> CanPlatform:
    """Build the car of the file that the parameters name; raises ParameterError."""
    from vdsim_can.platform.loading import car_named
    from vdsim_can.platform.platform import CanPlatform

    return CanPlatform(parameters, setup, car_named(parameters.car))


def capable(parameters: CanParameters) -> Capabilities:
    """Return what that car can do; raises ParameterError."""
    from vdsim_can.platform.car_parts import capabilities_of
    from vdsim_can.platform.loading import car_named

    return capabilities_of(car_named(parameters.car))

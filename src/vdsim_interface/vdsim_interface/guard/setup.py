"""The parameters that the shell sends -> the two sides of the guard, new or changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from vdsim_interface.guard.frames import Activate, Value
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.flat import changed, from_flat, to_flat
from vdsim_interface.parameters.frozen import check_frozen
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety.authority import LastDriver

P = TypeVar("P", bound=Parameters)


class Sides(NamedTuple):
    """Both sides of one vehicle.

    `parameters`: as they are now. `setup`: what a shell has to ask for to find the sides as they
    are.
    """

    setup: Activate
    parameters: InterfaceParameters
    safety: SafetySide
    vehicle: VehicleSide
    polls_vehicle: bool


def flat_values(parameters: Parameters) -> dict[str, Value]:
    """Return every value by its full name, for a frame."""
    return to_flat(parameters)  # type: ignore[return-value]


def from_values(kind: type[P], values: Mapping[str, Value]) -> P:
    """Build the checked object; raises ParameterError."""
    return from_flat(kind, values)


def sides(setup: Activate) -> Sides:
    """Build both sides; raises ParameterError, PlatformError or OSError with one line."""
    parameters = from_values(InterfaceParameters, setup.interface)
    spec = platform_spec(setup.platform, Path(setup.platform_path) if setup.platform_path else None)
    platform_parameters = from_values(spec.parameters, setup.platform_values)
    spec = spec.with_parameters(platform_parameters)
    platform = spec.create(
        platform_parameters, PlatformSetup(parameters.vehicle, parameters.period_s)
    )
    return Sides(
        setup._replace(session=None),
        parameters,
        SafetySide(parameters, rear_steering=spec.capabilities.rear_steering),
        VehicleSide(parameters, platform, spec.capabilities),
        polls_vehicle=not platform.endpoints(),
    )


def activated(setup: Activate, previous: Sides | None) -> Sides:
    """Build both sides; they continue what the previous ones, or a guard that has ended, knew."""
    made = sides(setup)
    if previous is not None:
        made.safety.restore_from(previous.safety)
        made.vehicle.restore_from(previous.vehicle)
    elif setup.session is not None:
        made.safety.resume(setup.session)
        drove = setup.session.last_driver == LastDriver.AUTONOMY.value
        made.vehicle.resume(setup.session.parked, drove=drove)
    return made


def configured(both: Sides, values: Mapping[str, Value], *, active: bool) -> Sides:
    """Use changed parameters; raises ParameterError, and uses none, where one must not change."""
    parameters = changed(both.parameters, values, active=active)
    check_frozen(to_flat(both.parameters), to_flat(parameters), both.safety.frozen_because)
    both.safety.configure(parameters)
    both.vehicle.configure(parameters)
    setup = both.setup._replace(interface={**both.setup.interface, **values})
    return both._replace(setup=setup, parameters=parameters)

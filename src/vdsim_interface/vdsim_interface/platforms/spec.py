"""What a platform is: one folder below platforms/ with a `SPEC` in its __init__.py.

A platform encodes the pipeline's PlatformCommand for its vehicle, and decodes the vehicle's packets
into VehicleReport values. It owns no socket and reads no clock: the node opens the endpoints that
it names, passes received datagrams to it, and sends the datagrams that it returns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.wire import Address as Address
from vdsim_interface.platforms.wire import Datagram as Datagram
from vdsim_interface.platforms.wire import Encoded as Encoded
from vdsim_interface.platforms.wire import Endpoint as Endpoint
from vdsim_interface.platforms.wire import Platform
from vdsim_interface.platforms.wire import Received as Received
from vdsim_interface.platforms.wire import Transport as Transport
from vdsim_interface.sensors.declaration import Sensor, check_sensors
from vdsim_interface.values import Gear
from vdsim_interface.values.capabilities import NO_EXTRAS as NO_EXTRAS
from vdsim_interface.values.capabilities import Capabilities as Capabilities
from vdsim_interface.values.capabilities import Reported as Reported


class PlatformSetup(NamedTuple):
    """What every platform is built from, in addition to its own parameters."""

    geometry: VehicleGeometry
    period_s: float


@dataclass(frozen=True)
class PlatformSpec:
    """A platform's description; `create` builds one from its parameters.

    `sensors`: its own sensors. `packet`: decodes a datagram to what `VehicleReport.details` holds,
    without any state, so that sensors that read the details have them in the shell of a guard, too.
    `wire`: name of the protocol, where {version} stands for the version of the report; empty for a
    vehicle in this process. `wire_versions`: those that are understood, the newest last.
    `capable`: returns the capabilities that follow from the parameters, for a platform whose
    vehicle is described by a file; None: they are always `capabilities`.
    """

    name: str
    doc: str
    capabilities: Capabilities
    parameters: type[Parameters]
    create: Callable[[Any, PlatformSetup], Platform]
    gears: Mapping[Gear, object]
    sensors: tuple[Sensor, ...] = ()
    packet: Callable[[bytes], object] | None = None
    wire: str = ""
    wire_versions: tuple[int, ...] = (0,)
    capable: Callable[[Any], Capabilities] | None = None

    def with_parameters(self, parameters: Parameters) -> "PlatformSpec":
        """Return the spec of the vehicle that the parameters name; raises ParameterError."""
        if self.capable is None:
            return self
        return replace(self, capabilities=self.capable(parameters), capable=None)

    def __post_init__(self) -> None:
        """Check the sensors; raises SensorError."""
        check_sensors(self.name, self.sensors)

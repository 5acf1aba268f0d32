"""Base of the nodes that hold a platform: its parameters, and one with resolved host names."""

from __future__ import annotations

from rclpy.parameter import Parameter

from vdsim_interface.platforms.host_lookup import with_addresses
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.wire import Platform
from vdsim_interface.ros.parameters import after_changes, declare
from vdsim_interface.ros.stage_node import StageNode

NO_VEHICLE = "fake"
"""The platform that moves nothing."""


class PlatformNode(StageNode):
    """A stage with the platform that its parameters name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        spec = self.find_platform()
        self.platform_parameters = declare(self, spec.parameters())
        self.spec = spec.with_parameters(self.platform_parameters)

    @property
    def is_closed(self) -> bool:
        """Whether packets go from this process to a vehicle that may be anybody's."""
        return self.parameters.platform != NO_VEHICLE

    def make_platform(self, *, resolved: bool = False) -> Platform:
        """The platform of the parameters. `resolved`: host names replaced by addresses.

        Sockets need addresses. Resolving may query a name server: use it at activation only.
        """
        parameters = self.platform_parameters
        if resolved:
            parameters = with_addresses(parameters)
        self.made_of = parameters
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        made: Platform = self.spec.create(parameters, setup)
        return made

    def change_parameters(self, changes: list[Parameter]) -> None:
        """Check the platform's own parameters before any change is kept."""
        platform = after_changes(self.platform_parameters, changes, active=self.is_active, used=())
        super().change_parameters(changes)
        self.platform_parameters = platform

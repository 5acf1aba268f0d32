"""All parameters of the interface that do not depend on the platform."""

from dataclasses import dataclass, field
from typing import ClassVar

from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.filter.parameters import FilterParameters
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.parameters.fields import Parameters, choice, real, text
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.vehicle_watch import TrackingParameters
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import ControlLevel


@dataclass(frozen=True)
class InterfaceParameters(Parameters):
    """The whole pipeline; each part checks itself, this class checks them against each other."""

    LIVE: ClassVar[bool] = True

    control_command: str = choice(
        "high_level",
        "which command message drives the car",
        tuple(level.value for level in ControlLevel),
        live=True,
    )
    platform: str = text("fake", "name of the platform", at_start=True)
    platform_path: str = text("", "folder with further platforms, empty: none", at_start=True)
    rate_hz: float = real(
        100.0, "rate of the output to the vehicle [Hz]", at_least=10, at_most=1000, live=False
    )
    command_timeout_s: float = real(
        0.5, "age at which a command is stale: safe stop [s]", at_least=0.01, at_most=10, live=False
    )
    vehicle: VehicleGeometry = field(default_factory=VehicleGeometry)
    controller: ControllerParameters = field(default_factory=ControllerParameters)
    filter: FilterParameters = field(default_factory=FilterParameters)
    safety: SafetyParameters = field(default_factory=SafetyParameters)
    acceleration: AccelerationParameters = field(default_factory=AccelerationParameters)
    tracking: TrackingParameters = field(default_factory=TrackingParameters)

    @property
    def level(self) -> ControlLevel:
        """Which command message drives the car."""
        return ControlLevel(self.control_command)

    @property
    def period_s(self) -> float:
        """One period of the pipeline [s]."""
        return 1.0 / self.rate_hz

    def check_together(self) -> None:
        """The controller must be able to request a gear; timeouts must outlast a period.

        It does not brake what stands for it: a car that moves for the safety side would roll on.
        """
        launch, zone = self.controller.launch_accel_mps2, self.safety.auto_gear_deadzone_mps2
        if launch <= zone:
            text = f"must be > safety.auto_gear_deadzone_mps2 ({zone:g})"
            self.controller.refuse("launch_accel_mps2", text)
        stands = self.safety.standstill_speed_mps
        if self.controller.standstill_speed_mps > stands:
            text = f"must be <= safety.standstill_speed_mps ({stands:g})"
            self.controller.refuse("standstill_speed_mps", text)
        if self.controller.rear_steer_share > 0.0 and not self.vehicle.rear_wheel_angle_max_rad:
            self.controller.refuse("rear_steer_share", "needs vehicle.rear_wheel_angle_max_rad > 0")
        if self.command_timeout_s < 2.0 * self.period_s:
            self.refuse("command_timeout_s", f"must be >= two periods ({2.0 * self.period_s:g})")
        for channel in self.filter.channels():
            if channel.type != "off" and channel.cutoff_frequency_hz >= 0.5 * self.rate_hz:
                channel.refuse(
                    "cutoff_frequency_hz", f"must be < half of rate_hz ({0.5 * self.rate_hz:g})"
                )

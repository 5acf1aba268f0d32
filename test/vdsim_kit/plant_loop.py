"""The interface's pipeline and the plant in lockstep: encoded packets, virtual time, no socket.

A period lasts 10 ms: the plant advances by two of its ticks and sends STATE after each, then the
pipeline ticks and its CMD packets reach the plant.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.wire import Platform
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Command, Notice
from vdsim_plant.ground import Ground, SplitMu
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import load_vehicle
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.server_settings import StartState, VehicleSettings

from vdsim_protocol import vds1

CARS = Path(__file__).resolve().parents[2] / "src/vdsim_interface/config/cars"
TICK_S = 0.005
TICKS_N = 2
PERIOD_S = TICKS_N * TICK_S
NEWEST = vds1.VERSIONS[-1]
"""The newest wire, which reports the pedals in effect."""
PLAIN_WIRE = 3
"""A wire that does not report them: what is found there has no help from the pedals."""
CAR_ADDRESS = ("127.0.0.1", 7001)
INTERFACE_ADDRESS = ("127.0.0.1", 7002)


class Sample(NamedTuple):
    """The car after one tick of the plant: world ENU, body ISO 8855. `slips`: FL, FR, RL, RR."""

    time_s: float
    x_m: float
    y_m: float
    yaw_rad: float
    vx_mps: float
    yaw_rate_radps: float
    slips: tuple[float, ...]


class PlantLoop:
    """A car on a sloping road, driven by the interface. `samples`: the truth after each tick."""

    def __init__(
        self,
        *,
        car: str = "ioniq5_awd",
        grade: float = 0.0,
        mu: float = 0.9,
        mu_left: float | None = None,
        actuator: str = "ideal",
        version: int = NEWEST,
        speed_mps: float = 0.0,
        level: str = "high_level",
        pedal_map: str = "",
        safety: dict[str, Any] | None = None,
        wrap: Callable[[Platform], Platform] | None = None,
        **parameters: Any,
    ) -> None:
        split = None if mu_left is None else SplitMu(mu_left=mu_left, mu_right=mu)
        self.parameters = InterfaceParameters(
            control_command=level,
            platform="vds1",
            safety=SafetyParameters(**{"auto_engage": True, **(safety or {})}),
            **{"vehicle": geometry_of(car), **parameters},
        )
        spec = platform_spec("vds1")
        own = spec.parameters(version=version, pedal_map=pedal_map or car)
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        platform = spec.create(own, setup)
        self.platform = platform if wrap is None else wrap(platform)
        self.pipeline = Pipeline(self.parameters, self.platform, spec.capabilities)
        settings = VehicleSettings(
            vehicle=car, mu=mu, actuator=actuator, start=StartState(vx_mps=speed_mps)
        )
        road = Ground(base_mu=mu, slope_x=grade, split=split)
        session = build_session(settings, substep_s=5e-4, road=road)
        self.vehicle = WireVehicle(settings, session, TICK_S)
        self.now = 0.0
        self.car_listens = True
        self.samples: list[Sample] = []
        self.commands: list[vds1.Command] = []
        self.notices: list[Notice] = []
        self._receiver = vds1.Receiver(vds1.Command, versions=(version,))
        self._version = version

    def run(
        self, seconds: float, command: Command | None = None, *, reports: bool = True
    ) -> Sample:
        """Run on; the command is sent again in every period. `reports`: STATE arrives."""
        for _ in range(round(seconds / PERIOD_S)):
            self.period(command, reports=reports)
        return self.car

    def period(self, command: Command | None = None, *, reports: bool = True) -> None:
        """One period."""
        for _ in range(TICKS_N):
            self.now += TICK_S
            self.vehicle.tick(self.now)
            state = self.vehicle.state_datagrams([self._version], self.now)[self._version]
            if reports:
                received = self.pipeline.on_datagram(state, CAR_ADDRESS, "vds1", self.now)
                self.notices += received.notices
            self.samples.append(self._sample())
        if command is not None:
            fresh = command._replace(stamp_s=self.now)
            self.notices += self.pipeline.on_command(fresh, self.now)
        self.exchange()

    def pause(self, seconds: float, command: Command | None = None) -> None:
        """Let the interface run on while the plant stands still and repeats its last state."""
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            state = self.vehicle.state_datagrams([self._version], self.now)[self._version]
            self.pipeline.on_datagram(state, CAR_ADDRESS, "vds1", self.now)
            if command is not None:
                self.pipeline.on_command(command._replace(stamp_s=self.now), self.now)
            self.exchange()

    def exchange(self) -> None:
        """The pipeline's tick; its packets reach the car."""
        output = self.pipeline.tick(self.now)
        self.notices += output.notices
        for datagram in output.datagrams:
            outcome = self._receiver.receive(datagram.data, INTERFACE_ADDRESS, self.now)
            assert isinstance(outcome, vds1.Accepted), outcome
            self.commands.append(outcome.packet.body)
            if self.car_listens:
                body, version = outcome.packet.body, self._version
                self.vehicle.on_command(body, version, datagram.data, self.now)

    @property
    def car(self) -> Sample:
        """The car as it is."""
        return self.samples[-1]

    @property
    def speed(self) -> float:
        """The car's speed [m/s]."""
        return self.samples[-1].vx_mps

    @property
    def command(self) -> vds1.Command:
        """The latest packet."""
        return self.commands[-1]

    def _sample(self) -> Sample:
        numbers = self.vehicle.session.frame().capture[0]
        slips = numbers[at.SLIP_X : at.SLIP_X + 4]
        return Sample(
            time_s=self.now,
            x_m=numbers.item(at.X),
            y_m=numbers.item(at.Y),
            yaw_rad=numbers.item(at.YAW),
            vx_mps=numbers.item(at.VX),
            yaw_rate_radps=numbers.item(at.YAW_RATE),
            slips=tuple(slips.tolist()),
        )


def geometry_of(car: str) -> VehicleGeometry:
    """What the interface knows of a car: its file in config/cars, or the car's own figures."""
    shipped = CARS / f"{car}.yaml"
    if shipped.is_file():
        data = yaml.safe_load(shipped.read_text(encoding="utf-8"))
        return VehicleGeometry(**data["/**"]["ros__parameters"]["vehicle"])
    known = load_vehicle(car)
    return VehicleGeometry(
        wheelbase_m=known.body.wheelbase_m, front_wheel_angle_max_rad=known.steering.max_angle_rad
    )

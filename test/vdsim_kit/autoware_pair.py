"""What link:=udp of the planning simulator starts, or autoware.launch.py, on virtual time.

The parameters are those that the launch file gives each program. A period lasts 10 ms: the plant
advances by its ticks and sends STATE at its rate, adapter and interface run, and the CMD of the
interface reaches the plant `late_n` of its ticks later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from vdsim_autoware.adapter import AutowareAdapter, AutowareParameters, Control, Output
from vdsim_autoware.adapter.adapter import CONTROL, MANUAL_CONTROL
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.ros.model_file import read_model
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.settings.options import VEHICLE_OPTIONS, server_settings

from vdsim_kit.plant_loop import INTERFACE_ADDRESS
from vdsim_kit.started import Started
from vdsim_protocol import vds1

VERSION = vds1.VERSIONS[-1]
PERIOD_S = 0.01


class Pose(NamedTuple):
    """The rear axle in the world (ENU)."""

    x_m: float
    y_m: float
    yaw_rad: float

    def away_m(self, other: Pose) -> float:
        """Distance to another one."""
        return math.hypot(self.x_m - other.x_m, self.y_m - other.y_m)


def only(kind: Any, values: Mapping[str, object]) -> Any:
    """The parameters of one component among those of a node."""
    known = to_flat(kind)
    return from_flat(type(kind), {**known, **{k: v for k, v in values.items() if k in known}})


class AutowarePair:
    """Adapter, interface and plant as `started` has them."""

    def __init__(self, started: Started, *, late_n: int = 0) -> None:
        interface = started.values_for("vehicle_interface", "/vehicle/vehicle_interface")
        parameters: InterfaceParameters = only(InterfaceParameters(), interface)
        spec = platform_spec("vds1")
        own = only(spec.parameters(), interface)
        self._car_address = (own.plant_host, own.plant_port)
        setup = PlatformSetup(parameters.vehicle, parameters.period_s)
        self.pipeline = Pipeline(parameters, spec.create(own, setup), spec.capabilities)
        adapter = started.values_for("autoware_interface", "/vehicle/autoware_interface")
        settings: AutowareParameters = only(AutowareParameters(), adapter)
        self.adapter = AutowareAdapter(settings)
        self._modelled = read_model(settings)
        given = started.values_for("plant", "/plant")
        of_car = {option.name for option in VEHICLE_OPTIONS} | {
            "vehicle",
            "rate",
            "tick_rate",
            "substep",
        }
        given = {name: value for name, value in given.items() if name in of_car}
        if not given.get("tick_rate"):
            del given["tick_rate"]  # 0: the rate of STATE
        plant = server_settings(given)
        [self.car] = build_wire_vehicles(plant)
        self._to_axle_m = settings.base_to_rear_axle_m
        self._tick_s, self._ticks_per_state = plant.tick_s, plant.ticks_per_state
        self._late_n = late_n
        self._reader = StateMessageReader()
        self._receiver = vds1.Receiver(vds1.Command, versions=vds1.VERSIONS)
        self._waiting: list[tuple[int, bytes]] = []
        self._ticks_n = 0
        self.now = 0.0
        self.is_cut = False
        """STATE does not arrive."""

    def engaged(self) -> AutowarePair:
        """Run until Autoware drives."""
        for _ in range(300):
            if self.adapter.control_mode() is ControlMode.AUTONOMOUS:
                return self
            self.period()
        raise AssertionError("it does not engage")

    def on_control(self, command: Control, *, manual: bool = False) -> None:
        """control_cmd arrives, or manual_control_cmd."""
        if self._modelled is None:
            adapter = self.adapter
            receive = adapter.on_manual_control if manual else adapter.on_control
            self._apply(receive(command))
            return
        source = MANUAL_CONTROL if manual else CONTROL
        self._apply(self._modelled.receive(self.adapter, source, command, command))

    def on_gear(self, number: int, *, manual: bool = False) -> None:
        """gear_cmd arrives, or manual_gear_command."""
        self._apply(self.adapter.on_gear(number, self.now, manual=manual))

    def period(self) -> None:
        """One period."""
        for _ in range(round(PERIOD_S / self._tick_s)):
            self._tick()
        if self._modelled is not None:
            acting = self._modelled.acting(self.adapter, self._odometry, self.now, PERIOD_S)
            self._apply(self.adapter.follow(acting, self.now))
        for datagram in self.pipeline.tick(self.now).datagrams:
            self._waiting.append((self._ticks_n + self._late_n, datagram.data))
        self._arrive()

    def _tick(self) -> None:
        self._arrive()
        self._ticks_n += 1
        self.now = self._ticks_n * self._tick_s
        self.car.tick(self.now)
        if self._ticks_n % self._ticks_per_state or self.is_cut:
            return
        state = self.car.state_datagrams((VERSION,), self.now)[VERSION]
        received = self.pipeline.on_datagram(state, self._car_address, "vds1", self.now)
        assert received.report is not None
        self._odometry = received.report.odometry()
        self.adapter.on_odometry(self._odometry)
        report = self.pipeline.vehicle_side.state_report()
        if report is not None:
            self._apply(self.adapter.on_state_report(report, self.now))

    def _arrive(self) -> None:
        due = [data for at, data in self._waiting if at <= self._ticks_n]
        self._waiting = [each for each in self._waiting if each[0] > self._ticks_n]
        for data in due:
            outcome = self._receiver.receive(data, INTERFACE_ADDRESS, self.now)
            if not isinstance(outcome, vds1.Accepted):
                continue  # of another protocol on the same port: the round trip
            version = outcome.packet.header.version
            self.car.on_command(outcome.packet.body, version, data, self.now)

    def _apply(self, output: Output) -> None:
        if output.command is not None:
            self.pipeline.on_command(output.command, self.now)
        for state in output.states:
            context = self.pipeline.safety_side.request_context
            self.pipeline.safety_side.on_state_command(
                self._reader.read(state, self.now, context), self.now
            )

    @property
    def pose(self) -> Pose:
        """The rear axle."""
        report = self.pipeline.vehicle
        assert report is not None
        yaw_rad, behind_m = report.yaw_rad, self._to_axle_m
        x_m = report.x_m - behind_m * math.cos(yaw_rad)
        return Pose(x_m, report.y_m - behind_m * math.sin(yaw_rad), yaw_rad)

"""AutoHYU's controllers, the bridge and the plant in lockstep: encoded packets, virtual time."""

from __future__ import annotations

from dataclasses import replace

from vdsim_interface.extras.autohyu import AutohyuBridge, AutohyuParameters, chosen_torque_map
from vdsim_interface.extras.autohyu.vehicle_state import VehicleState
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.server_settings import VehicleSettings

from vdsim_kit.autohyu_stack import LongitudinalDouble, PurePursuitDouble, SeenState
from vdsim_protocol import vds1

TICK_S = 0.005
TICKS_N = 2
PERIOD_S = TICK_S * TICKS_N
VERSION = 5
CAR_ADDRESS = ("127.0.0.1", 7001)
BRIDGE_ADDRESS = ("127.0.0.1", 7002)


def seen(values: VehicleState) -> SeenState:
    """What the controllers read of the values that the bridge publishes."""
    state, can = values.state, values.can
    return SeenState(
        x_m=state["x"],
        y_m=state["y"],
        yaw_rad=state["yaw"],
        pitch_rad=state["pitch"],
        vx_mps=state["vx"],
        vy_mps=state["vy"],
        tire_angle_rad=can["steering_tire_angle"],
        operation_mode=int(can["operation_mode"]),
        lateral_autonomous_mode=int(can["lateral_autonomous_mode"]),
        steering_state=int(can["steering_state"]),
    )


class AutohyuLoop:
    """Torque every period, steering every other one, as AutoHYU's nodes run."""

    def __init__(self, parameters: AutohyuParameters, *, speed_mps: float, radius_m: float) -> None:
        parameters = replace(parameters, link=replace(parameters.link, version=VERSION))
        torque_map = chosen_torque_map(parameters.pedals)
        self.bridge = AutohyuBridge(parameters, torque_map)
        settings = VehicleSettings(vehicle="ioniq5_awd")
        self.vehicle = WireVehicle(settings, build_session(settings, substep_s=5e-4), TICK_S)
        self.speed = LongitudinalDouble(speed_mps)
        self.path = PurePursuitDouble(radius_m)
        self.now = 0.0
        self.states: list[SeenState] = []
        self.commands: list[vds1.Command] = []
        self._receiver = vds1.Receiver(vds1.Command)
        self._periods_n = 0

    def run(self, seconds: float, steer_deg: float | None = None) -> SeenState:
        """Run on; `steer_deg` replaces the steering of the first period."""
        for _ in range(round(seconds / PERIOD_S)):
            self.period(steer_deg)
            steer_deg = None
        return self.states[-1]

    def period(self, steer_deg: float | None = None) -> None:
        """One period of 10 ms."""
        for _ in range(TICKS_N):
            self.now += TICK_S
            self.vehicle.tick(self.now)
            state = self.vehicle.state_datagrams([VERSION], self.now)[VERSION]
            assert self.bridge.on_datagram(state, CAR_ADDRESS, self.now) == ()
        if self.states:
            self._command(self.states[-1], steer_deg)
        output = self.bridge.tick(self.now)
        assert output.state is not None
        self.states.append(seen(output.state))
        for datagram in output.datagrams:
            outcome = self._receiver.receive(datagram.data, BRIDGE_ADDRESS, self.now)
            assert isinstance(outcome, vds1.Accepted), outcome
            self.commands.append(outcome.packet.body)
            self.vehicle.on_command(outcome.packet.body, VERSION, datagram.data, self.now)

    def _command(self, state: SeenState, steer_deg: float | None) -> None:
        self._periods_n += 1
        if steer_deg is not None:
            self.bridge.on_steer(steer_deg, self.now)
        elif self._periods_n % 2:
            self.bridge.on_steer(self.path.steer_deg(state), self.now)
        self.bridge.on_torque(self.speed.torque_nm(state), self.now)

"""The planning simulator as one pure object: Autoware's commands in, the car's motion out.

Theory of operation
  Lockstep   One `step` is one period of the interface: the car drives on, its STATE reaches the
             pipeline, the pipeline's packets reach the car. Time is counted in periods and has no
             gaps; whoever calls decides how many periods a moment of a clock is worth.
  Commands   The latest one of each source passes the delays of the vehicle model (model/), then the
             adapter of Autoware combines the sources and the pipeline drives the car. A command
             that is older than `command_timeout_s` stops the car, which stays engaged.
  Start      The first periods engage the interface, in PARK. Until `put` places the car nothing
             but the control mode is reported.
  Road       Height and slope come from the trajectory where there is one, else from the ground.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.values import Notice, StateReport, VehicleReport, drive_direction

from vdsim_autoware.adapter import Ask, AutowareAdapter, Control, Output
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.adapter import CONTROL, MANUAL_CONTROL
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.adapter.vehicle_info import VehicleInfo
from vdsim_autoware.adapter.watches import DiagnosticLine
from vdsim_autoware.car import CAR, SimulatedCar, Start
from vdsim_autoware.model.command_map import CommandMap, parse_command_map
from vdsim_autoware.model.dynamics import Pedals
from vdsim_autoware.model.kinematic import WITHOUT_FALL_GUARD, without_falling
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.sources import ModelledCommands
from vdsim_autoware.model.types import KINEMATIC, MODELS, Drive, Model
from vdsim_autoware.preset import (
    PERIOD_S,
    PLATFORM,
    adapter_parameters,
    interface_parameters,
    make_pipeline,
    steering_limit_rad,
)
from vdsim_autoware.trajectory import Trajectory

MAPS = ("acceleration_map_path", "accel_map_path", "brake_map_path", "steer_map_path")
LONGEST_START_N = 300
"""Periods within which the interface has engaged."""


class Motion(NamedTuple):
    """The car at its rear axle: map frame (ENU), body frame ISO 8855."""

    x_m: float
    y_m: float
    z_m: float
    pitch_rad: float
    yaw_rad: float
    vx_mps: float
    vy_mps: float
    yaw_rate_radps: float
    ax_mps2: float
    ay_mps2: float
    wheel_angle_rad: float
    """As measured: with `steer_bias`."""


def read_maps(
    parameters: SimulatorParameters, contents: Mapping[str, str]
) -> dict[str, CommandMap]:
    """Return the maps whose files were read: content by the parameter that names the file."""
    return {
        name: parse_command_map(name, getattr(parameters, name), content)
        for name, content in contents.items()
    }


class PlanningSimulator:
    """One car and one Autoware."""

    def __init__(
        self,
        parameters: SimulatorParameters,
        info: VehicleInfo,
        maps: Mapping[str, CommandMap] | None = None,
    ) -> None:
        self.parameters = parameters
        self.model: Model = MODELS[parameters.vehicle_model_type]
        limit_rad = steering_limit_rad(parameters, info)
        interface = interface_parameters(parameters, info, limit_rad)
        self._reader = StateMessageReader()
        self.pipeline = make_pipeline(interface, parameters.vehicle)
        self.car = SimulatedCar(
            parameters, info, level=self.model.level, limit_rad=limit_rad, period_s=PERIOD_S
        )
        self._adapter = AutowareAdapter(adapter_parameters(parameters, self.model, info, limit_rad))
        self._commands = ModelledCommands(parameters, limit_rad, maps or {})
        self._trajectory = Trajectory()
        self._notices: list[Notice] = []
        self._start_z_m = 0.0
        self._now = 0.0
        self.output: PipelineOutput | None = None
        self.is_placed = False
        self._engage()

    @property
    def now(self) -> float:
        """Time since the start, in whole periods [s]."""
        return self._now

    @property
    def takes_pedals(self) -> bool:
        """Whether actuation_cmd drives instead of control_cmd."""
        return self.model.drive is Drive.PEDALS

    # ---- what Autoware sends ---------------------------------------------------------------------

    def on_control(self, command: Control, *, manual: bool = False) -> None:
        """Process control_cmd, or manual_control_cmd."""
        source = MANUAL_CONTROL if manual else CONTROL
        self._apply(self._commands.receive(self._adapter, source, command, command))

    def on_actuation(self, command: Actuation) -> None:
        """Process actuation_cmd."""
        checked = Control(
            received_s=command.received_s,
            steering_rad=command.steering_rad,
            velocity_mps=command.brake,
            acceleration_mps2=command.accel,
            is_defined_acceleration=True,
        )
        self._apply(self._commands.receive(self._adapter, CONTROL, command, checked))

    def on_gear(self, number: int, *, manual: bool = False) -> None:
        """Process gear_cmd, or manual_gear_command."""
        self._apply(self._adapter.on_gear(number, self._now, manual=manual))

    def on_turn(self, number: int) -> None:
        """Process turn_indicators_cmd."""
        self._apply(self._adapter.on_turn(number, self._now))

    def on_hazard(self, number: int) -> None:
        """Process hazard_lights_cmd."""
        self._apply(self._adapter.on_hazard(number, self._now))

    def on_engage(self, engaged: bool) -> None:
        """Process /vehicle/engage."""
        self._adapter.on_engage(engaged)

    def on_trajectory(self, message: bytes) -> bool:
        """Process a serialized Trajectory; False for one that is not usable."""
        return self._trajectory.on_message(message)

    def on_mode_request(self, number: int) -> bool:
        """Process a request of a control mode; return whether it succeeded."""
        decision, notices = self._adapter.on_mode_request(number, self._now)
        self._notices += notices
        if decision.refusal:
            return False
        success, reason = True, ""
        if decision.ask is not Ask.NOTHING:
            result, notices = self.pipeline.safety_side.on_change_mode(
                decision.ask is Ask.ENGAGE, self._now
            )
            success, reason = result.success, result.reason
            self._notices += notices
        output, notices = self._adapter.on_mode_answer(decision, success, reason, self._now)
        self._apply(output)
        self._notices += notices
        return success

    def put(self, start: Start, stamp_ns: int = 0) -> None:
        """Put the rear axle to a pose; what was commanded or planned before no longer counts.

        `stamp_ns`: of the pose. Until a later trajectory arrives the car has the pose's height.
        """
        self._commands.clear()
        self._trajectory.forget(stamp_ns)
        self._place(start)

    def put_moving(self, start: Start) -> None:
        """Put the rear axle to a pose with a speed; commands and trajectory go on to count."""
        self._place(start)

    def _place(self, start: Start) -> None:
        self._commands.reset()
        self._start_z_m = start.z_m
        self.car.put(start, self._now)
        self.pipeline.vehicle_side.on_vehicle_placed()
        self.is_placed = True
        self.step()

    # ---- time ------------------------------------------------------------------------------------

    def step(self) -> None:
        """One period."""
        self._now += PERIOD_S
        now, pipeline = self._now, self.pipeline
        if self.parameters.enable_road_slope_simulation and self.is_placed:
            self._tilt()
        received = pipeline.on_datagram(self.car.advance(now), CAR, PLATFORM, now)
        self._notices += received.notices
        if received.report is not None:
            self._adapter.on_odometry(received.report.odometry())
        report = pipeline.vehicle_side.state_report()
        if report is not None:
            self._apply(self._adapter.on_state_report(report, now))
        self._apply(self._adapter.follow(self._acting(now), now))
        for datagram in pipeline.decide(now):
            self.car.on_datagram(datagram.data, now)
        self.output = pipeline.after_send(now)
        self._notices += self.output.notices

    def _acting(self, now: float) -> dict[str, Control]:
        """What of the commands acts now."""
        report = self.pipeline.vehicle
        odometry = None if report is None else report.odometry()
        acting = self._commands.acting(self._adapter, odometry, now, PERIOD_S)
        return {source: self._as_theirs(command) for source, command in acting.items()}

    def _as_theirs(self, command: Control) -> Control:
        """Return what moves the kinematic level as Autoware's model of that name."""
        report = self.pipeline.vehicle
        if self.model.level != KINEMATIC or report is None:
            return command
        accel_mps2 = command.acceleration_mps2
        drives = drive_direction(report.body.gear)
        if drives and self.parameters.vehicle_model_type not in WITHOUT_FALL_GUARD:
            rise = drives * self._pulling_rise()
            accel_mps2 = without_falling(accel_mps2, drives * report.velocity_mps, rise)
        return command._replace(acceleration_mps2=self.car.share_of_mass * accel_mps2)

    def _pulling_rise(self) -> float:
        """Return the rise of the road along the car, as far as gravity pulls it."""
        if not self.is_placed:
            return 0.0
        slope_x, slope_y = self.car.tilted
        yaw_rad = self.motion().yaw_rad
        return slope_x * math.cos(yaw_rad) + slope_y * math.sin(yaw_rad)

    def _engage(self) -> None:
        for _ in range(LONGEST_START_N):
            self.step()
            if self._adapter.control_mode() is ControlMode.AUTONOMOUS:
                self._notices.clear()  # of a start that is the same every time
                return
        raise AssertionError("the interface engages a car that stands")

    def _apply(self, output: Output) -> None:
        now = self._now
        if output.command is not None:
            self._notices += self.pipeline.on_command(output.command, now)
        for state in output.states:
            context = self.pipeline.safety_side.request_context
            request = self._reader.read(state, now, context)
            self._notices += self.pipeline.safety_side.on_state_command(request, now)
        self._notices += output.notices

    def _tilt(self) -> None:
        motion = self.motion()
        surface = self._trajectory.surface(motion.x_m, motion.y_m)
        if surface is not None:
            along, direction = surface.rise, surface.direction_rad
            self.car.tilt(along * math.cos(direction), along * math.sin(direction))

    # ---- what Autoware receives ------------------------------------------------------------------

    def motion(self) -> Motion:
        """Return the motion of the rear axle, by the latest report of the vehicle."""
        report = self.pipeline.vehicle
        assert report is not None, "the car reports in every period"
        behind_m, yaw_rad = self.car.to_axle_m, report.yaw_rad
        x_m = report.x_m - behind_m * math.cos(yaw_rad)
        y_m = report.y_m - behind_m * math.sin(yaw_rad)
        z_m, rise = self._road(report, x_m, y_m)
        rate = report.yaw_rate_radps
        return Motion(
            x_m=x_m,
            y_m=y_m,
            z_m=z_m,
            pitch_rad=-math.atan(rise),
            yaw_rad=yaw_rad,
            vx_mps=report.velocity_mps,
            vy_mps=report.lateral_velocity_mps - behind_m * rate,
            yaw_rate_radps=rate,
            # The axle moves on a circle about the centre of gravity while the car turns.
            ax_mps2=report.accel_x_mps2 + behind_m * rate * rate,
            ay_mps2=report.accel_y_mps2,
            wheel_angle_rad=report.front_wheel_angle_rad + self.parameters.steer_bias,
        )

    def _road(self, report: VehicleReport, x_m: float, y_m: float) -> tuple[float, float]:
        """Return height [m] and rise [-] along the car."""
        surface = self._trajectory.surface(x_m, y_m)
        if surface is not None:
            return surface.z_m, surface.rise_along(report.yaw_rad)
        slope_x, slope_y = self.car.slope
        rise = slope_x * math.cos(report.yaw_rad) + slope_y * math.sin(report.yaw_rad)
        return self._start_z_m + report.z_m, rise

    def pedals(self) -> Pedals | None:
        """Return what actuation_status shows; None for models without pedals."""
        motion, report = self.motion(), self.pipeline.vehicle
        assert report is not None
        travel = -1.0 if motion.vx_mps < 0.0 else 1.0
        return self._commands.pedals(
            travel * motion.ax_mps2, motion.vx_mps, report.front_wheel_angle_rad
        )

    def report(self) -> StateReport | None:
        """Return gear, lamps and mode."""
        return self._adapter.report()

    def control_mode(self) -> ControlMode | None:
        """Return who drives."""
        return self._adapter.control_mode()

    def diagnostics(self) -> tuple[DiagnosticLine, ...]:
        """Return the state of each topic."""
        return self._adapter.diagnostics(self._now)

    def take_notices(self) -> tuple[Notice, ...]:
        """Return what has happened since the last call."""
        notices = tuple(self._notices)
        self._notices.clear()
        return notices

"""The shell's half of the composition `guarded`, without ROS: what crosses to the guard and back.

    command of the stack ──▶ Shell ──frames──▶ guard ──▶ vehicle
    what is published ◀──── mirrors ◀─frames──── guard

The node (nodes/guarded_interface.py) holds the connection and publishes; this knows which frame
follows from what.
"""

from __future__ import annotations

from collections.abc import Callable

from vdsim_interface.guard import frames
from vdsim_interface.guard.front import FrontFrames
from vdsim_interface.guard.mirror import RemoteSafetySide, RemoteVehicleSide
from vdsim_interface.pipeline.front_stages import stop_request
from vdsim_interface.pipeline.output import Motion, motion_of
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.stall_watch import PATIENCE_PERIODS
from vdsim_interface.platforms.wire import Endpoint
from vdsim_interface.values import Command, SafeCommand, VehicleCommand, VehicleReport

SHORTEST_PATIENCE_S = 0.1
"""A guard that is silent for less is not lost, however short the period [s]."""


class Shell:
    """Front stages and mirrors. `send`: to the guard; `ask`: a frame that it answers."""

    def __init__(
        self,
        parameters: InterfaceParameters,
        endpoints: tuple[Endpoint, ...],
        send: Callable[[frames.Payload], object],
        ask: Callable[[frames.Payload], frames.Answer],
        now: float,
    ) -> None:
        self._send = send
        self._use(parameters)
        self._front = FrontFrames(parameters)
        self.safety_side = RemoteSafetySide(send, ask)
        self.vehicle_side = RemoteVehicleSide(endpoints)
        self._heard_s = now

    def _use(self, parameters: InterfaceParameters) -> None:
        self._wheelbase_m = parameters.vehicle.wheelbase_m
        self.patience_s = max(SHORTEST_PATIENCE_S, PATIENCE_PERIODS * parameters.period_s)

    def reset(self, parameters: InterfaceParameters) -> None:
        """Activate: controller and filter begin again, with the current parameters."""
        self._use(parameters)
        self._front = FrontFrames(parameters)

    def activated(self, now: float) -> None:
        """The guard has accepted its parameters."""
        self.safety_side.send_standing()
        self._heard_s = now

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use changed parameters in controller and filter."""
        self._use(parameters)
        self._front.configure(parameters)

    # ---- to the guard ----------------------------------------------------------------------------

    def on_command(self, command: Command, now: float) -> bool:
        """Use a command of the stack; False for one that the guard will reject, and report.

        Call `flush` when the tick that it may cause has run.
        """
        if self._front.on_command(command, now):
            return True
        self._send(frames.CommandReceived(command))
        return False

    def flush(self) -> None:
        """Send an accepted command that no period has carried yet."""
        waiting = self._front.take_received()
        if waiting is not None:
            self._send(frames.CommandReceived(waiting))

    def deliver(self, command: Command, now: float) -> None:
        """Use a command of another source than the stack."""
        self._front.on_command(command, now)
        self._send(frames.CommandReceived(command))
        self._front.take_received()

    def override(self, command: VehicleCommand, now: float) -> None:
        """Use an emergency stop in place of what the controller computes."""
        self._front.override(command, now)
        self._send(frames.CommandReceived(stop_request(command, self._wheelbase_m)))

    def tick(self, now: float, *, traced: bool = False) -> None:
        """One period: run controller and filter, send their results to the guard."""
        self._front.is_traced = traced
        front = self._front.periods(now)
        if front is not None:
            self._send(front)

    # ---- from the guard --------------------------------------------------------------------------

    def on_report(self, frame: frames.Report) -> VehicleReport:
        """Use a report of the vehicle."""
        report = self.vehicle_side.on_report(frame.report)
        self._front.on_odometry(report.odometry())
        return report

    def on_output(self, output: frames.Output, now: float) -> SafeCommand:
        """Use what the guard has decided."""
        self._heard_s = now
        self._front.on_safe(output.gear, output.safe.command.mode)
        is_fresh = now - output.stamp_s <= self.patience_s
        return self.vehicle_side.on_output(output, is_fresh=is_fresh)

    def motion(self) -> Motion:
        """Return the latest motion and state of the vehicle, with the present mode."""
        return motion_of(self.vehicle_side.report, self.vehicle_side.mode)

    def guard_is_silent(self, now: float) -> bool:
        """Whether the guard has not been heard for too long."""
        return now - self._heard_s > self.patience_s

    def on_guard_lost(self) -> None:
        """Nothing is known of the car any more."""
        self.safety_side.on_guard_lost()
        self.vehicle_side.on_guard_lost()

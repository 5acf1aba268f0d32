"""A vehicle side whose safety side is in another process, and may not hear it, or fall silent.

When the safety side stops sending, the vehicle side brakes by itself, with the steering held.
"""

from __future__ import annotations

import math

from vdsim_interface.parameters.frozen import frozen_because
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.stall_watch import PATIENCE_PERIODS
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.wire import Encoded, Platform, Received
from vdsim_interface.safety.authority import Entry, Rig, authority_without_autonomy
from vdsim_interface.safety.body import held_body
from vdsim_interface.safety.inputs import RELEASE_ANSWER_S, AnswerWatch
from vdsim_interface.values import (
    NOT_STANDING,
    NOT_YET_REPORTED,
    AccelMeaning,
    Authority,
    Holder,
    Mode,
    Notice,
    PlatformCommand,
    SafeCommand,
    Standing,
    Stop,
    VehicleCommand,
    VehicleFeedback,
    braking_accel,
    notice_kinds,
)
from vdsim_interface.values.capabilities import Capabilities

SILENT = Authority.SILENT
HELD_BY_US = Standing(Holder.OURS)
SAFETY_SILENT = "the safety stage is silent: safe stop"
HEARTBEAT_S = 0.05
NOT_REPORTED = (
    "hand brake and PARK stay: the safety stage does not receive the vehicle's reports "
    "(vehicle side -> stages/platform_report -> safety stage)"
)


class StagedVehicleSide(VehicleSide):
    """The latest safe command counts; where that is too old, a stop of its own.

    It repeats its feedback, and watches whether it is heard.
    """

    def __init__(
        self, parameters: InterfaceParameters, platform: Platform, capabilities: Capabilities
    ) -> None:
        super().__init__(parameters, platform, capabilities)
        self._safe: SafeCommand | None = None
        self._safe_s = -math.inf
        self._answers = AnswerWatch(NOT_REPORTED)
        self._fed_back_s = -math.inf

    def on_safe_command(self, safe: SafeCommand, now: float) -> None:
        """Use the safety side's command until the next one, unless a newer one has come before."""
        if now < self._safe_s:  # a publisher has repeated an old one
            text = f"a safe command is dropped: {self._safe_s - now:.2f} s older than the latest"
            self._encode_notices += (Notice(notice_kinds.LINK_REJECT, text),)
            return
        self._safe, self._safe_s = safe, now
        if safe.stops or self._answers.is_counting:
            blind = any(stop.source == notice_kinds.LINK_TIMEOUT for stop in safe.stops)
            timeout_s = self._parameters.safety.report_timeout_s
            self._answers.step(
                is_missing=blind and self.report_age_s(now) <= timeout_s,
                period_s=self._parameters.period_s,
                answer_s=RELEASE_ANSWER_S,
            )

    def encode_latest(self, now: float) -> Encoded:
        """Turn the latest safe command into datagrams, or our own stop where it is too old."""
        safe = self._safe
        if safe is None or self.safety_is_silent(now):
            safe = self._stop(now)
        return self.encode(safe, now)

    def safety_is_silent(self, now: float) -> bool:
        """Whether the safety side stopped sending; it sends every period, even without input."""
        p = self._parameters
        patience_s = max(p.safety.report_timeout_s, PATIENCE_PERIODS * p.period_s)
        return not 0.0 <= now - self._safe_s <= min(patience_s, p.command_timeout_s)

    def repeated_feedback(self, now: float) -> VehicleFeedback | None:
        """Return the latest feedback again where no report came for HEARTBEAT_S; else None.

        It shows the safety stage that this process runs; its stamp keeps its age. One from before a
        backward jump of time would have none.
        """
        if self.report is None or 0.0 <= now - self._fed_back_s < HEARTBEAT_S:
            return None
        self._fed_back_s = now
        return self.feedback

    def unheard(self, now: float) -> str:
        """Return what the safety side does not receive of us although it sends; empty: nothing."""
        return "" if self.safety_is_silent(now) else self._answers.reason

    def stop(self, now: float) -> Encoded:
        """Deactivate: the last datagrams carry the safe command."""
        self._safe_s = -math.inf
        self.brake_at_once()
        return self.encode_latest(now)

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it.

        The last command is kept for its steering angle, which our stop holds, and for who drove.
        """
        self._safe_s = -math.inf
        return super().restart()

    def restore_from(self, previous: VehicleSide) -> None:
        """Copy who drove and the steering angle to hold, but no gear: the car may be rolling."""
        super().restore_from(previous)
        safe = previous._safe if isinstance(previous, StagedVehicleSide) else None
        if safe is not None:
            body = held_body(NOT_YET_REPORTED)
            command = safe.command._replace(mode=Mode.MANUAL, body=body)
            self._safe = safe._replace(command=command)

    @property
    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now; empty while they can."""
        sent, report = self.sent, self.report
        authority = SILENT if sent is None else sent.command.authority
        standing_mps = self._parameters.safety.standstill_speed_mps
        moving = report is not None and abs(report.velocity_mps) > standing_mps
        return frozen_because(self.mode, authority, moving=moving)

    def _accept(self, received: Received) -> Received:
        accepted = super()._accept(received)
        if accepted.report is not None and self._as_received is not None:
            self._fed_back_s = self._as_received.stamp_s
        return accepted

    def _stop(self, now: float) -> SafeCommand:
        """Our own stop when the safety side has stopped sending: brake, steering held."""
        last, feedback, safety = self._safe, self.feedback, self._parameters.safety
        if last is None:
            authority = authority_without_autonomy(Entry.START, Rig(safety.rig))
            held = VehicleCommand(-math.inf, 0.0, *self._seen[2:4])  # the wheels stay
            body = held_body(NOT_YET_REPORTED)
            last = SafeCommand(now, PlatformCommand(authority, Mode.MANUAL, held, body))
        authority = SILENT if last.command.authority is SILENT else Authority.IDLE
        mode = last.command.mode
        if mode is Mode.AUTONOMOUS:
            mode = Mode.DISENGAGED  # what drives now is our stop
        speed_mps, body = 0.0, last.command.body
        if feedback is not None:
            speed_mps = feedback.odometry.velocity_mps
            body = held_body(feedback.body)
        decel_mps2 = max(safety.stop_decel_mps2, self._gate.demand_mps2)
        accel_mps2 = braking_accel(body.gear, speed_mps, decel_mps2)
        stamp_s, _, front, rear = last.command.vehicle
        if self._gate.sent_s > -math.inf:
            # The wheels stay where they were sent to. What the yaw rate corrects is in that angle.
            front, rear = self._gate.front_rad, self._gate.rear_rad
            self._trim.share = 0.0
        stop = VehicleCommand(stamp_s, accel_mps2, front, rear)
        command = PlatformCommand(
            authority,
            mode,
            stop,
            body,
            meaning=AccelMeaning.STOP,
            standing=HELD_BY_US if authority is Authority.IDLE else NOT_STANDING,
        )
        return last._replace(
            stamp_s=now,
            command=command,
            changes=(),
            controlled=None,
            filtered=None,
            blocked=SAFETY_SILENT,
            stops=(Stop(SAFETY_SILENT, safety.stop_decel_mps2, safety.stop_jerk_mps3),),
        )

"""The safety side in a process of its own: what its node does between one message and the next.

    command of the stack ──▶ SafetyStage ──▶ selected command, for controller and filter
    filtered command ──────▶      │
    report of the vehicle ─▶      └──▶ SafeCommand, one a period

In the Pipeline the stages before pass their results in the same period; here they arrive later, as
messages, and an emergency stop must not be followed by what they still send. Where nothing at all
comes from the vehicle side, which repeats its latest report, nothing commands the vehicle: autonomy
ends.

The gate of the vehicle side compares the counts of engagements and emergency stops with those that
it had before, and outlives this process. So each activation counts from a number that no earlier
one has reached: else the first engagement of a process, which is heard late, would be the one that
the process before it had, and nothing would drive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from vdsim_interface.extras.stages.staged_side import StagedSide
from vdsim_interface.pipeline.front_stages import stop_request
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.safety_side import NO_NOTICES
from vdsim_interface.values import (
    Command,
    Mode,
    Notice,
    SafeCommand,
    VehicleCommand,
    VehicleFeedback,
    notice_kinds,
    state_report,
)

UNHEARD_S = 0.3
"""After so long without any message of the vehicle side autonomy ends."""
LONGEST_STEP_PERIODS = 5.0
"""While this process does not run, nothing is heard: a stall counts as at most so long."""
COUNTS_1PS, MOST_N = 10.0, 1 << 31
"""Counts begin at so many per second of the clock: nobody engages, or asks to stop, as often. A
message holds twice MOST_N, and simulated time may be seconds since 1970."""


class SafetyStage:
    """Wraps a StagedSide, `side`, which is replaced at each activation."""

    def __init__(self, parameters: InterfaceParameters, *, rear_steering: bool) -> None:
        self._rear_steering = rear_steering
        self.side = StagedSide(parameters, rear_steering=rear_steering)
        self._wheelbase_m = parameters.vehicle.wheelbase_m
        self._period_s = parameters.period_s
        self._feedback: VehicleFeedback | None = None
        self._is_overridden = self._is_late = False
        self._unheard_s, self._ticked_s = 0.0, -math.inf
        self._first_n: int | None = None

    def activate(self, parameters: InterfaceParameters) -> None:
        """Reset, with the current parameters; the driver's standing requests are kept."""
        side = StagedSide(parameters, rear_steering=self._rear_steering)
        side.restore_from(self.side)
        self.side = side
        self._period_s = parameters.period_s
        self._first_n = None

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use changed limits."""
        self._wheelbase_m = parameters.vehicle.wheelbase_m
        self.side.configure(parameters)

    def on_command(self, command: Command, now: float) -> tuple[Notice, ...]:
        """Use a command, which then also goes to the stages before this one; notices reject it."""
        notices = self.side.on_command(command, now)
        if not notices:
            self._is_overridden = False
            if isinstance(command, VehicleCommand):
                self.side.on_controlled(command)
        return notices

    def override(self, command: VehicleCommand, now: float) -> None:
        """Use an emergency stop in place of what the stages before this one send.

        As in the Pipeline it is a request to stand: what the stack sent last is one to drive.
        """
        self._is_overridden = True
        self.side.on_command(stop_request(command, self._wheelbase_m), now)
        self.side.on_filtered(command)

    def on_filtered(self, command: VehicleCommand) -> bool:
        """Use the filter's output; False during an emergency stop, which it does not reach."""
        if self._is_overridden:
            return False
        self.side.on_filtered(command)
        return True

    def on_feedback(self, feedback: VehicleFeedback, now: float) -> tuple[Notice, ...]:
        """Use what the vehicle reports.

        One that is older than the latest is dropped, as a publisher may repeat an old one. Of
        reports that arrive late from now on, and are therefore older, that is the first only.
        """
        latest, self._unheard_s = self._feedback, 0.0
        older_s = latest.odometry.stamp_s - feedback.odometry.stamp_s if latest else 0.0
        if older_s > 0.0 and not self._is_late:
            self._is_late = True
            text = f"a report is dropped: {older_s:.2f} s older than the latest"
            return (Notice(notice_kinds.LINK_REJECT, text),)
        self._feedback, self._is_late = feedback, False
        return self.side.on_feedback(feedback, now)

    def motion(self) -> Motion:
        """Return the latest motion and state of the vehicle."""
        feedback = self._feedback
        if feedback is None:
            return None, None
        return feedback.odometry, state_report(feedback.body, self.side.mode)

    def results(self, now: float) -> Iterator[tuple[SafeCommand, tuple[Notice, ...]]]:
        """Run the periods that are due; send each result before the next is taken."""
        side = self.side
        lost = self._watch_vehicle_side(now)
        for _ in range(side.periods_due(now)):
            safe, notices = side.step_latest(now)
            yield self._numbered(safe, now), lost + notices
            lost = NO_NOTICES
            side.after_step()

    def _numbered(self, safe: SafeCommand, now: float) -> SafeCommand:
        """Return the command with counts that no process before this one has reached; 0 stays."""
        if self._first_n is None:
            self._first_n = int(now * COUNTS_1PS) % MOST_N
        engagement, emergency_n = safe.engagement, safe.emergency_n
        if not (engagement or emergency_n):
            return safe
        engagement += self._first_n if engagement else 0
        emergency_n += self._first_n if emergency_n else 0
        return safe._replace(engagement=engagement, emergency_n=emergency_n)

    def _watch_vehicle_side(self, now: float) -> tuple[Notice, ...]:
        """End autonomy where nothing comes from the vehicle side."""
        longest_s = LONGEST_STEP_PERIODS * self._period_s
        self._unheard_s += min(max(now - self._ticked_s, 0.0), longest_s)
        self._ticked_s = now
        if self._unheard_s <= UNHEARD_S or self.side.mode is not Mode.AUTONOMOUS:
            return NO_NOTICES
        return self.side.on_vehicle_side_lost(self._unheard_s)

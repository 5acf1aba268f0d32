"""Runs the motion rules over a command and holds their previous output.

`OscillationDetector` watches a channel for oscillation of high frequency ([VI-3.1]). A reversal
counts when the swing since the last turning point reaches the amplitude. Enough reversals within
the window set the flag of the channel; it clears when fewer than half remain.
"""

from collections import deque

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import NOT_OSCILLATING, MotionCommand, RuleContext
from vdsim_interface.safety.rules import rules_for
from vdsim_interface.values import Change, NoticeKind, VehicleCommand, make_vehicle_command
from vdsim_interface.values.records import record


class OscillationDetector:
    """Counts the reversals of one channel; one `step` is one period.

    `extreme`: the latest; `reversals`: the steps of those in the window. A period at the extreme
    changes nothing while there are none.
    """

    def __init__(self) -> None:
        self.reversals: deque[int] = deque()
        self._step_n = 0
        self.extreme = 0.0
        self._rising = True
        self._flagged = False

    def reset(self) -> None:
        """Discard all samples."""
        self.__init__()  # type: ignore[misc]

    def step(self, value: float, amplitude: float, reversals: int, window_n: float) -> bool:
        """Process one sample; return whether the channel oscillates."""
        self._step_n += 1
        reversal_steps = self.reversals
        beyond = value - self.extreme if self._rising else self.extreme - value
        if beyond > 0.0:
            self.extreme = value
        elif beyond <= -amplitude:
            self._reverse(value)
        if not reversal_steps:
            return False
        while reversal_steps and reversal_steps[0] <= self._step_n - round(window_n):
            reversal_steps.popleft()
        needed = reversals // 2 if self._flagged else reversals
        self._flagged = len(reversal_steps) >= needed
        return self._flagged

    def _reverse(self, value: float) -> None:
        self.reversals.append(self._step_n)
        self._rising = not self._rising
        self.extreme = value


CHANNELS = ("long_accel_mps2", "front_wheel_angle_rad", "rear_wheel_angle_rad")


class RuleRunner:
    """The ordered rules with their memory: the previous output and the oscillation detectors."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._detectors = tuple(OscillationDetector() for _ in CHANNELS)
        self.direction = 1
        self.previous = MotionCommand(0.0, 0.0, 0.0)
        self.oscillating = NOT_OSCILLATING
        self._detects = False

    def reset(self) -> None:
        """Discard earlier oscillation, at the start of autonomy or of another command level."""
        if self._detects:
            self.oscillating, self._detects = NOT_OSCILLATING, False
            for detector in self._detectors:
                detector.reset()

    def mirror_vehicle(self, front_rad: float, rear_rad: float, coasting: bool) -> None:
        """Set the previous output to the measured angles: autonomy then starts without a jump."""
        drive = 0.0 if coasting else self.previous.drive_mps2
        self.previous = record(MotionCommand, (drive, front_rad, rear_rad))

    def assume_braking(self, decel_mps2: float) -> None:
        """Continue as if the previous output had braked the car, at least so hard."""
        drive = min(self.previous.drive_mps2, -decel_mps2)
        self.previous = self.previous._replace(drive_mps2=drive)

    def update_oscillation(self, command: VehicleCommand | None, limits: SafetyParameters) -> None:
        """Detect which channels of the stack's command oscillate, for the next step."""
        if command is None:
            self.reset()
            return
        self._detects = True
        window_n = limits.oscillation_window_s / self._period_s
        accel, front, rear = self._detectors
        count, angle = limits.oscillation_reversals, limits.oscillation_angle_rad
        _, accel_mps2, front_rad, rear_rad = command
        rear_moves = rear_rad != rear.extreme or rear.reversals
        self.oscillating = (
            accel.step(accel_mps2, limits.oscillation_accel_mps2, count, window_n),
            front.step(front_rad, angle, count, window_n),
            rear.step(rear_rad, angle, count, window_n) if rear_moves else False,
        )

    def set_direction(self, direction: int) -> None:
        """Use the travel direction; it changes at standstill, so the drive starts from zero."""
        if direction != self.direction:
            self.direction = direction
            self.previous = self.previous._replace(drive_mps2=0.0)

    def step(
        self,
        command: VehicleCommand | None,
        context: RuleContext,
        limits: SafetyParameters,
        stamp_s: float,
        situations: int,
    ) -> tuple[VehicleCommand, tuple[Change, ...]]:
        """Pass one command through the rules; None: no motion command, the watchdogs decide.

        `situations`: those of the context.
        """
        direction = self.direction
        motion = self.previous
        if command is not None:
            _, accel, front, rear = command
            motion = record(MotionCommand, (direction * accel, front, rear))
        changes: tuple[Change, ...] = ()
        for kind, apply in rules_for(situations, limits.enabled, limits.disabled_rules):
            after = apply(motion, context, limits)
            if after is not motion:
                changes += _differences(kind, motion, after, direction)
                motion = after
        self.previous = motion
        drive, front, rear = motion
        return make_vehicle_command(stamp_s, direction * drive, front, rear), changes


def _differences(
    kind: NoticeKind, before: MotionCommand, after: MotionCommand, direction: int
) -> tuple[Change, ...]:
    signs = (direction, 1, 1)
    return tuple(
        Change(kind, name, sign * old, sign * new)
        for name, sign, old, new in zip(CHANNELS, signs, before, after, strict=True)
        if old != new
    )

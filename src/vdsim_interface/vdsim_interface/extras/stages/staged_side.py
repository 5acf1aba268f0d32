"""A safety side whose commands come through stages in other processes, as messages."""

from __future__ import annotations

from collections import deque

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.values import (
    Command,
    ControlLevel,
    Notice,
    RawCommand,
    SafeCommand,
    VehicleCommand,
)


class StagedSide(SafetySide):
    """Of each stage before, the latest command counts."""

    def __init__(self, parameters: InterfaceParameters, *, rear_steering: bool) -> None:
        super().__init__(parameters, rear_steering=rear_steering)
        self._from_stages: VehicleCommand | RawCommand | None = None
        self._controlled: VehicleCommand | None = None
        self._before_filter: deque[VehicleCommand] = deque(maxlen=2)

    def on_command(self, command: Command, now: float) -> tuple[Notice, ...]:
        """Check a command of the stack; a raw one comes through no other stage."""
        rejected = super().on_command(command, now)
        if not rejected and isinstance(command, RawCommand):
            self._from_stages = command
        return rejected

    def on_controlled(self, command: VehicleCommand) -> None:
        """Keep the filter's input, for the trace."""
        self._before_filter.append(command)

    def on_filtered(self, command: VehicleCommand) -> None:
        """Use the filter's output."""
        self._from_stages = command
        self._controlled = self._before(command)

    def step_latest(self, now: float) -> tuple[SafeCommand, tuple[Notice, ...]]:
        """Run one period with the latest command of the stages before."""
        filtered = self._from_stages
        controlled = self._controlled
        if not isinstance(filtered, VehicleCommand):
            return self.step(filtered, now)
        if now - filtered.stamp_s <= self.timeout_s:
            return self.step(filtered, now, controlled, filtered)
        # Of a command that is too old, only what the stack itself sent is kept.
        own = controlled if self.level is ControlLevel.VEHICLE else None
        return self.step(filtered, now, controlled=own, filtered=None)

    def on_vehicle_side_lost(self, silent_s: float) -> tuple[Notice, ...]:
        """The process with the vehicle side is silent: autonomy ends, nothing commands the car."""
        why = f"platform_interface is silent for {silent_s:.2f} s: nothing commands the vehicle"
        return self._handle(ModeEvent.LINK_LOST, why)

    def end_autonomy(self, why: str) -> tuple[Notice, ...]:
        """The source of commands is lost: discard what it sent last; autonomy ends."""
        self._discard()
        return super().end_autonomy(why)

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it; autonomy ends."""
        self._discard()
        return super().restart()

    def _discard(self) -> None:
        self._from_stages = self._controlled = None
        self._before_filter.clear()

    def _before(self, filtered: VehicleCommand) -> VehicleCommand | None:
        """Return the unfiltered command that this one was computed from.

        A newer unfiltered one may already have arrived.
        """
        candidates = self._before_filter
        same = (command for command in reversed(candidates) if command[1:] == filtered[1:])
        return next(same, candidates[-1] if candidates else None)

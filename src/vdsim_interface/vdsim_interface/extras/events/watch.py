"""Hears what happens to a pipeline or a guard, from outside of their classes.

Every way into the two sides is a public method of theirs: its notices tell refusals and faults, the
command of each period tells the stops that stand. Who commands is asked of the arbiter after each
call of it, before what it gives is used. The mode is heard at the machine's own door,
`Engagement.handle`: that is the one place which every transition passes, however many of them one
call makes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

from vdsim_interface.arbitration.interface_parameters import STACK
from vdsim_interface.arbitration.mux import CommandMux, ControlState
from vdsim_interface.extras.events.occurrences import (
    BEGIN,
    CONTROL,
    EMERGENCY,
    END,
    MANOEUVRE,
    START,
    Occurrence,
    kind_of,
    kind_of_notice,
)
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_side import StagedSide
from vdsim_interface.guard.guard import Guard
from vdsim_interface.pipeline.desk import Desk
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.safety.engagement import ModeChange
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.values import Authority, Command, Notice, SafeCommand, Stop, Until

Write = Callable[[Occurrence], None]
QUIET_S = 1.0
"""A refusal or fault of the same cause within this time is counted, not written [s]."""
NO_STOPS: dict[str, str] = {}
SAFETY = (
    *("on_command", "on_feedback", "on_driver_override", "on_state_command", "on_change_mode"),
    *("on_emergency", "step", "stop", "on_process_fault", "end_autonomy"),
    *("on_stall", "restart"),
)
MUX = ("on_command", "resume", "restart", "on_lock", "emergency_stop", "give_back", "tick")
"""Methods of the arbiter after which another source may be in control."""
SAFE_STOP, NOBODY = "safe_stop", "nobody"
VEHICLE = ("on_datagram", "poll", "on_auxiliary", "watch_link", "restart")
_NOTICES: dict[str, Callable[[Any], Iterable[Notice]]] = {
    "on_change_mode": lambda result: result[1],
    "step": lambda result: result[1],
    "on_datagram": lambda result: result.notices,
    "poll": lambda result: [notice for each in result for notice in each.notices],
    "on_emergency": lambda result: (),
}
"""How a method gives its notices; the others return nothing else."""


class Watch:
    """Watches what is made in one process, one after the other. `write`: takes each occurrence."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._side: SafetySide | None = None
        self._calls: list[str] = []
        self._now: float | None = None
        self._stops = NO_STOPS
        self._emergency = ""
        self._commander = ""
        self._written_s: dict[tuple[str, str], float] = {}
        self._left_out: dict[tuple[str, str], int] = {}

    def of_pipeline(self, pipeline: Pipeline) -> None:
        """Watch a pipeline in place of what was watched before."""
        self.of_sides(pipeline.safety_side, pipeline.vehicle_side)

    def of_guard(self, guard: Guard) -> None:
        """Watch a guard: its sides are made, and made again, by frames of its shell."""
        on_frame = guard.on_frame

        def watched(data: bytes, now: float) -> bool:
            follows = on_frame(data, now)
            sides = guard.sides
            if sides is not None and sides.safety is not self._side:
                self.of_sides(sides.safety, sides.vehicle)
            return follows

        guard.on_frame = watched  # type: ignore[method-assign]

    def of_stage(self, stage: SafetyStage) -> None:
        """Watch the safety side of a process of its own; each activation makes another one."""
        activate = stage.activate

        def watched(parameters: InterfaceParameters) -> None:
            activate(parameters)
            self._of_staged(stage.side)

        stage.activate = watched  # type: ignore[method-assign]
        self._of_staged(stage.side)

    def _of_staged(self, side: StagedSide) -> None:
        self.of_sides(side)
        self._wrap(side, "on_vehicle_side_lost")

    def of_vehicle(self, vehicle: VehicleSide) -> None:
        """Watch a vehicle side in a process of its own."""
        for name in VEHICLE:
            self._wrap(vehicle, name)
        self._tell(START, "", "the vehicle side begins")

    def of_desk(self, desk: Desk) -> None:
        """Watch who commands: where the commands of all sources pass."""
        if self._side is None:
            self._tell(START, "", "the desk begins")
        mux, on_stack = desk.intake.mux, desk.on_stack
        for name in MUX:
            self._wrap_mux(mux, name)

        def watched(command: Command, now: float) -> Command | None:
            passed = on_stack(command, now)
            if passed is not None and not desk.intake.watches:
                self._now = now
                self._commands(STACK, f"{STACK} is the only source", "on_stack")
            return passed

        desk.on_stack = watched  # type: ignore[method-assign]

    def of_sides(self, safety: SafetySide, vehicle: VehicleSide | None = None) -> None:
        """Watch both sides; what stood before does not count any more."""
        self._side = safety
        self._stops, self._emergency = NO_STOPS, ""
        for name in SAFETY:
            self._wrap(safety, name)
        for name in VEHICLE if vehicle is not None else ():
            self._wrap(vehicle, name)
        engagement = safety._engagement
        handle = engagement.handle

        def heard(event: ModeEvent, why: str = "") -> ModeChange | None:
            change = handle(event, why)
            if change is not None and safety is self._side:
                self._mode_changes(event, change)
            return change

        engagement.handle = heard  # type: ignore[method-assign]
        self._tell(START, "", "the interface begins")

    # ---- what is heard ---------------------------------------------------------------------------

    def _wrap(self, made: object, name: str) -> None:
        method = getattr(made, name)
        names = list(inspect.signature(method).parameters)
        at = names.index("now") if "now" in names else -1
        notices_of, calls = _NOTICES.get(name), self._calls
        is_step, is_emergency = name == "step", name == "on_emergency"

        def watched(*arguments: Any, **options: Any) -> Any:
            if at >= 0:
                self._now = arguments[at] if at < len(arguments) else options["now"]
            calls.append(name)
            try:
                result = method(*arguments, **options)
            finally:
                calls.pop()
            if not calls:
                notices = result if notices_of is None else notices_of(result)
                if notices:
                    self._noticed(notices, name)
                if is_step:
                    self._stepped(result[0])
                elif is_emergency:
                    self._latched(arguments[0], name)
            return result

        setattr(made, name, watched)

    def _wrap_mux(self, mux: CommandMux, name: str) -> None:
        method = getattr(mux, name)
        has_time = "now" in inspect.signature(method).parameters

        def watched(*arguments: Any, **options: Any) -> Any:
            if has_time:
                self._now = arguments[-1]
            result = method(*arguments, **options)
            driver = mux.in_control
            who = SAFE_STOP if mux.state is ControlState.SAFE_STOP else NOBODY
            self._commands(who if driver is None else driver.name, mux.reason, name)
            return result

        setattr(mux, name, watched)

    def _commands(self, who: str, text: str, by: str) -> None:
        """Somebody commands; told where it is another one than before."""
        if who != (self._commander or NOBODY):
            self._tell(CONTROL, who, text, by)
        self._commander = who

    def _mode_changes(self, event: ModeEvent, change: ModeChange) -> None:
        kind = kind_of(change.before, event, change.after)
        by = self._calls[0] if self._calls else ""
        self._tell(kind, event.value, change.reason, by, mode_before=change.before.name)

    def _noticed(self, notices: Iterable[Notice], by: str) -> None:
        for notice in notices:
            kind = kind_of_notice(notice.kind)
            if not kind:
                continue
            key, now = (kind, str(notice.kind)), self._now or 0.0
            if 0.0 <= now - self._written_s.get(key, -QUIET_S) < QUIET_S:
                self._left_out[key] = self._left_out.get(key, 0) + 1
                continue
            self._written_s[key] = now
            self._tell(*key, notice.text, by, repeated=self._left_out.pop(key, 0))

    def _stepped(self, safe: SafeCommand) -> None:
        """The stops in the command of a period: those that brake, and the one that is latched."""
        if not (safe.stops or self._stops or self._emergency):
            return
        latched = next((stop for stop in safe.stops if stop.until is Until.RELEASED), None)
        self._latched(latched, "step")
        standing = NO_STOPS
        if safe.command.authority is not Authority.SILENT:
            standing = {stop.source: _words(stop) for stop in safe.stops if stop is not latched}
        before, self._stops = self._stops, standing
        for source in before.keys() - standing.keys():
            self._tell(MANOEUVRE, source, "", "step", phase=END)
        for source, text in standing.items():
            if source not in before:
                self._tell(MANOEUVRE, source, text, "step", phase=BEGIN)

    def _latched(self, stop: Stop | None, by: str) -> None:
        source = "" if stop is None else stop.source
        before, self._emergency = self._emergency, source
        if before and source != before:
            self._tell(EMERGENCY, before, "", by, phase=END)
        if stop is not None and source != before:
            self._tell(EMERGENCY, source, _words(stop), by, phase=BEGIN)

    def _tell(
        self,
        kind: str,
        cause: str,
        text: str,
        by: str = "",
        *,
        phase: str = "",
        mode_before: str = "",
        repeated: int = 0,
    ) -> None:
        side = self._side
        mode = "" if side is None else side.mode.name
        self._write(
            Occurrence(
                kind=kind,
                cause=cause,
                text=text,
                by=by,
                phase=phase,
                mode_before=mode_before or mode,
                mode=mode,
                clock_s=None if self._now is None or not isfinite(self._now) else self._now,
                parameters="" if side is None else side.status(self._now or 0.0).parameters_hash,
                repeated=repeated,
            )
        )


def _words(stop: Stop) -> str:
    return f"stops with {stop.decel_mps2:g} m/s2, until it is {stop.until.name.lower()}"

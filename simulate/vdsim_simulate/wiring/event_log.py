"""The shipped event log of a run; and beside it, from other places, what it has to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vdsim_interface.arbitration.interface_parameters import STACK
from vdsim_interface.extras.events.chain import Chain
from vdsim_interface.extras.events.occurrences import Occurrence
from vdsim_interface.extras.events.watch import SAFE_STOP, Watch
from vdsim_interface.pipeline.desk import Desk
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.wire import Encoded
from vdsim_interface.safety.engagement import ModeChange
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.values import Authority, Command, Mode, RawCommand, SafeCommand, Until
from vdsim_interface.values.records import record

from vdsim_simulate.record import Commanded, Explained

Give = Callable[[Any, float], None]
NO_STOPS: frozenset[str] = frozenset()
SILENT = Authority.SILENT
MODE_NAMES = {mode: mode.name for mode in Mode}


class EventLog:
    """`lines`: as they are in the file. `explained`: what a packet says, and the lines before it.

    A new process goes on with the file of the one before.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._chain = Chain("simulated")
        self._transitions_n = 0
        self._received: SafeCommand | None = None  # of the vehicle side
        self._safe: SafeCommand | None = None
        self._control_chain = Chain("simulated")
        self.lines: list[str] = []
        self.control: list[str] = []
        self.commanded: list[Commanded] = []
        self.explained: list[Explained] = []

    def watch(self) -> Watch:
        """Return what watches the process that decides."""
        return _Watch(self)

    def watch_apart(self) -> Watch:
        """Return what watches a process that decides who commands, and nothing else."""
        return Watch(lambda each: self._add(each, self._control_chain, self.control))

    def on_desk(self, desk: Desk, watch: Watch, *, is_apart: bool = False) -> None:
        """Watch who commands; and note of each command that is given on whose it is."""
        watch.of_desk(desk)
        lines, mux, on_stack = (
            self.control if is_apart else self.lines,
            desk.intake.mux,
            desk.on_stack,
        )

        def note(who: str) -> None:
            self.commanded.append(Commanded(self._now_s(), len(lines), who, is_apart))

        def of_stack(command: Command, now: float) -> Command | None:
            passed = on_stack(command, now)
            if isinstance(passed, RawCommand) or (passed is not None and passed.is_finite()):
                note(STACK)
            return passed

        def noted(give: Give) -> Give:
            def given(command: Any, now: float) -> None:
                driver = mux.in_control
                note(SAFE_STOP if driver is None else driver.name)
                give(command, now)

            return given

        ends = desk._ends
        desk._ends = replace(ends, deliver=noted(ends.deliver), override=noted(ends.override))
        desk.on_stack = of_stack  # type: ignore[method-assign]

    def write(self, occurrence: Occurrence) -> None:
        """As the file does."""
        self._add(occurrence, self._chain, self.lines)

    def _add(self, occurrence: Occurrence, chain: Chain, lines: list[str]) -> None:
        lines.append(chain.line(occurrence, round(self._now_s() * 1e9)))

    def on_packet(self) -> None:
        """A packet leaves: what is it made of?

        The command is the one that the vehicle side has received, not what the log has heard. (What
        it has sent differs while the gate still brakes for an emergency stop that was released.)
        """
        self.on_safe(self._received)

    def on_safe(self, safe: SafeCommand | None) -> None:
        """The command of a packet. One that repeats an earlier one tells nothing."""
        if safe is None or (self._safe is not None and safe.stamp_s == self._safe.stamp_s):
            return
        self._safe = safe
        command, emergency, stops = safe.command, False, NO_STOPS
        if safe.stops:
            emergency = any(stop.until is Until.RELEASED for stop in safe.stops)
            if command.authority is not SILENT:
                stops = frozenset(stop.source for stop in safe.stops)
        now_s, lines_n, mode = self._now_s(), len(self.lines), MODE_NAMES[command.mode]
        self.explained.append(
            record(Explained, (now_s, lines_n, self._transitions_n, mode, emergency, stops))
        )

    def on_sides(self, safety: SafetySide, vehicle: VehicleSide | None) -> None:
        """Count what the mode itself does, below what the log hears."""
        if vehicle is not None:
            self._hear(vehicle)
        engagement = safety._engagement
        handle = engagement.handle

        def counted(event: ModeEvent, why: str = "") -> ModeChange | None:
            change = handle(event, why)
            self._transitions_n += change is not None
            return change

        engagement.handle = counted  # type: ignore[method-assign]

    def _hear(self, vehicle: VehicleSide) -> None:
        encode = vehicle.encode

        def heard(safe: SafeCommand, now: float) -> Encoded:
            self._received = safe
            return encode(safe, now)

        vehicle.encode = heard  # type: ignore[method-assign]


class _Watch(Watch):
    """The shipped one; it also tells which sides there are."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log.write)
        self._log = log

    def of_sides(self, safety: SafetySide, vehicle: VehicleSide | None = None) -> None:
        super().of_sides(safety, vehicle)
        self._log.on_sides(safety, vehicle)

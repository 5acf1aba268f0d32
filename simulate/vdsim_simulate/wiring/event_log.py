"""The shipped event log of a run; and beside it, from other places, what it has to tell."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_interface.extras.events.chain import Chain
from vdsim_interface.extras.events.occurrences import Occurrence
from vdsim_interface.extras.events.watch import Watch
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.values import SafeCommand, Until

from vdsim_simulate.record import Explained


class EventLog:
    """`lines`: as they are in the file. `explained`: what a packet says, and the lines before it.

    A new process goes on with the file of the one before.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._chain = Chain("simulated")
        self._transitions_n = 0
        self._vehicle: VehicleSide | None = None
        self._safe: SafeCommand | None = None
        self.lines: list[str] = []
        self.explained: list[Explained] = []

    def watch(self) -> Watch:
        """Return what watches one process."""
        return _Watch(self)

    def write(self, occurrence: Occurrence) -> None:
        """As the file does."""
        self.lines.append(self._chain.line(occurrence, round(self._now_s() * 1e9)))

    def on_packet(self) -> None:
        """A packet leaves: what is it made of? One that repeats an earlier command tells nothing.

        The command is the one that the vehicle side has received, not what the log has heard. (What
        it has sent differs while the gate still brakes for an emergency stop that was released.)
        """
        safe = None if self._vehicle is None else self._vehicle._safe
        if safe is None or (self._safe is not None and safe.stamp_s == self._safe.stamp_s):
            return
        self._safe = safe
        emergency = any(stop.until is Until.RELEASED for stop in safe.stops)
        stops = frozenset(stop.source for stop in safe.stops)
        self.explained.append(
            Explained(
                time_s=self._now_s(),
                lines_n=len(self.lines),
                transitions_n=self._transitions_n,
                mode=safe.command.mode.name,
                is_emergency=emergency,
                stops=stops if safe.command.authority.name != "SILENT" else frozenset(),
            )
        )

    def on_sides(self, safety: SafetySide, vehicle: VehicleSide | None) -> None:
        """Count what the mode machine itself does, below what the log hears."""
        self._vehicle = vehicle
        machine = safety._safety._engagement._machine
        handle = machine.handle

        def counted(event: ModeEvent) -> bool:
            changed = handle(event)
            self._transitions_n += changed
            return changed

        machine.handle = counted  # type: ignore[method-assign]


class _Watch(Watch):
    """The shipped one; it also tells which sides there are."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log.write)
        self._log = log

    def of_sides(self, safety: SafetySide, vehicle: VehicleSide | None = None) -> None:
        super().of_sides(safety, vehicle)
        self._log.on_sides(safety, vehicle)

"""Which of several computers drives, as somebody outside has decided: a redundancy switcher.

Theory of operation
  Units       The switcher names the active units by number; `units` says which numbers are sources
              of the mux. Of these sources only the selected one may drive. Numbers that are no
              source (of the vehicle's own controllers, for example) do not matter.
  Unclear     A message that names none of the sources, or two of them, selects nobody new: the
              latest selection stays, and a notice says so.
  Start       Before the first selection none of these sources drives.
  Silence     A switcher that is silent has selected what it selected last. When that source is
              silent, too, the mux stops the car: nobody has decided that another one may drive.
  Flapping    After a change the next one counts `hold_s` later, so that each hand-over can end.
              When the selected source is silent, a change counts at once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from vdsim_interface.arbitration.sources import Source
from vdsim_interface.parameters.fields import ParameterError, Parameters, real, text
from vdsim_interface.values import Notice, NoticeKind, Severity

SELECTED = NoticeKind("selected", Severity.INFO)
UNCLEAR = NoticeKind("selection_unclear", Severity.WARN)
LARGEST_LIST = 64
"""A message with more numbers than this is not one of a switcher."""


@dataclass(frozen=True)
class SelectorParameters(Parameters):
    """The topic of a redundancy switcher. Its type is data: that message may still change."""

    topic: str = text("", "topic that says which computer drives; empty: none")
    type: str = text("tier4_system_msgs/msg/ActiveControlUnit", "its type, package/msg/Name")
    field: str = text("unit_ids", "its field: the number of the active unit, or a list of them")
    units: str = text("0=main 1=sub", "the number of each unit, and the source that it is")
    hold_s: float = real(
        0.5,
        "after a change of the selection the next one counts after this time [s]",
        at_least=0,
        at_most=10,
    )


def units_of(parameters: SelectorParameters, sources: Collection[str]) -> Mapping[int, str]:
    """Return the source of each unit."""
    units: dict[int, str] = {}
    rule = f"must be like '0=main 1=sub', each a source ({', '.join(sources)}), none twice"
    for word in parameters.units.split():
        number, _, name = word.partition("=")
        if not number.isdecimal() or name not in sources:
            raise ParameterError("selector.units", parameters.units, rule)
        if int(number) in units or name in units.values():
            raise ParameterError("selector.units", parameters.units, rule)
        units[int(number)] = name
    if len(units) < 2:
        raise ParameterError("selector.units", parameters.units, "must name two units at least")
    return units


class Selector:
    """The latest selection that counts: `CommandMux.selection`."""

    def __init__(self, parameters: SelectorParameters, sources: Collection[str]) -> None:
        self._hold_s = parameters.hold_s
        self._units = units_of(parameters, sources)
        self._wanted: str | None = None
        self._changed_at = -math.inf
        self._notices: tuple[Notice, ...] = ()
        self.selected: str | None = None
        """The source that may drive; None before the first selection."""

    def allows(self, name: str) -> bool:
        """Whether a source may drive as far as the selection is concerned."""
        return name == self.selected or name not in self._units.values()

    @property
    def reason(self) -> str:
        """Why another source may not."""
        return f"{self.selected or 'nobody'} was selected"

    def on_selection(self, numbers: Sequence[int]) -> None:
        """Receive the numbers of the active units; `step` makes the selection count."""
        named = {self._units[n] for n in numbers[:LARGEST_LIST] if n in self._units}
        if len(numbers) <= LARGEST_LIST and len(named) == 1:
            [self._wanted] = named
            return
        shown = ", ".join(str(number) for number in numbers[:8])
        text = f"the selection [{shown}] names {len(named)} sources: {self.selected} stays"
        self._notices = (Notice(UNCLEAR, text),)

    def step(self, now: float, sources: Mapping[str, Source]) -> tuple[Notice, ...]:
        """Let the latest selection count when it may."""
        notices, self._notices = self._notices, ()
        if self._wanted in (None, self.selected):
            return notices
        selected = sources.get(self.selected or "")
        may_wait = selected is not None and selected.alive(now)
        if may_wait and 0.0 <= now - self._changed_at < self._hold_s:
            return notices
        before, self.selected, self._changed_at = self.selected, self._wanted, now
        text = f"{self.selected} is selected, before it was {before or 'nobody'}"
        return (*notices, Notice(SELECTED, text))

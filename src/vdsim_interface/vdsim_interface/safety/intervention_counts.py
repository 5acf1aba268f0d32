"""Counts the interventions of the rules, and issues a notice when one starts."""

from collections.abc import Iterable

from vdsim_interface.values import Change, Notice, NoticeKind
from vdsim_interface.values.sentences import change_sentence


class InterventionCounts:
    """Which rules act now, and in how many periods each has acted since the start.

    `acting`: those of the last period.
    """

    def __init__(self) -> None:
        self.acting: frozenset[NoticeKind] = frozenset()
        self._counts: dict[NoticeKind, int] = {}

    @property
    def counts(self) -> tuple[tuple[NoticeKind, int], ...]:
        """Periods (rules) or occurrences (events) by kind."""
        return tuple(sorted(self._counts.items()))

    def count(self, kind: NoticeKind, text: str) -> Notice:
        """Count one event and return its notice."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return Notice(kind, text)

    def restore(self, counts: Iterable[tuple[NoticeKind, int]]) -> None:
        """Continue the counts of a previous activation or process."""
        for kind, count in counts:
            self._counts[kind] = self._counts.get(kind, 0) + count

    def step(self, changes: tuple[Change, ...]) -> tuple[Notice, ...]:
        """Count one period's changes; return a notice for every rule that starts to act."""
        first: dict[NoticeKind, Change] = {}
        for change in changes:
            first.setdefault(change.kind, change)
        for kind in first:
            self._counts[kind] = self._counts.get(kind, 0) + 1
        notices = tuple(
            Notice(kind, change_sentence(change))
            for kind, change in first.items()
            if kind not in self.acting
        )
        self.acting = frozenset(first)
        return notices

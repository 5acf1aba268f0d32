"""The line `graph` of /diagnostics: a node runs the doctor's checks on its own topics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from vdsim_interface.extras.doctor.examine import NODE_CHECKS, examine
from vdsim_interface.extras.doctor.name_checks import likeness
from vdsim_interface.extras.doctor.ros.ends import ends_of
from vdsim_interface.extras.doctor.snapshot import Endpoint, Finding, Side, Snapshot
from vdsim_interface.extras.doctor.time_checks import CLOCK
from vdsim_interface.ros.messages.status import ERROR, OK, WARN, diagnostic
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.values import Severity

_LEVELS = {Severity.INFO: OK, Severity.WARN: WARN, Severity.ERROR: ERROR}
_LOGGED_BY_THE_MIDDLEWARE = frozenset({"qos"})
_MOST_ALIKE = 3
"""How many topics of another name one call looks at."""
_UNNAMED_POLLS = 2
"""A finding must be there twice in a row: the middleware names a node later than its topics."""


class GraphHealth:
    """Looks at one of the topics with each call, so that a call costs little."""

    def __init__(self, node: Node, topics: Sequence[str]) -> None:
        """`topics`: names as the node uses them; /clock is looked at too."""
        self._node = node
        self._name = node.get_fully_qualified_name()
        resolved = dict.fromkeys([*(node.resolve_topic_name(name) for name in topics), CLOCK])
        self._next = cycle(resolved)
        # Found in two looks at the same topics: meanwhile the node may have subscribed to the other
        # name, as the arbitration does to a source that begins.
        self._polls = {"other_name": len(resolved) + 1}
        self._ends: dict[str, list[Endpoint]] = {}
        self._alike: dict[str, list[Endpoint]] = {}
        self._seen: dict[Finding, int] = {}
        self._suspects: tuple[str, ...] = ()

    def line(self) -> DiagnosticStatus:
        """Look at the next topic; return what does not fit. Logs each new finding once.

        What did not fit is looked at with each call: the line ends when its cause does.
        """
        for topic in {next(self._next), *self._suspects}:
            self._ends[topic] = ends_of(self._node, topic)
            self._alike[topic] = self._of_equal_type(topic)
        findings = self._findings()
        words = " ".join(finding.what for finding in findings).replace(",", " ").split()
        self._suspects = tuple(topic for topic in self._ends if topic in words)
        found = self._settled(findings)
        sentences = [finding.sentence for finding in found]
        severities = [finding.severity for finding in found]
        discarded_n = 0
        if isinstance(self._node, CheckedNode) and (discarded_n := self._node.discarded.total):
            sentences.append(self._node.discarded.text())
            severities.append(Severity.WARN)
        level = max(severities, default=Severity.INFO)
        text = "; ".join(sentences) or "the ends of all topics fit"
        values = {"findings": len(found), "discarded": discarded_n}
        return diagnostic("graph", _LEVELS[level], text, values, node=self._node.get_name())

    def _findings(self) -> tuple[Finding, ...]:
        looked_at = (*self._ends.values(), *self._alike.values())
        ends = dict.fromkeys(end for ends in looked_at for end in ends)
        return examine(Snapshot(endpoints=tuple(ends)), NODE_CHECKS)

    def _settled(self, found: tuple[Finding, ...]) -> list[Finding]:
        self._seen = {finding: self._seen.get(finding, 0) + 1 for finding in found}
        for finding, times in self._seen.items():
            if times == self._needed(finding) and finding.kind not in _LOGGED_BY_THE_MIDDLEWARE:
                self._node.get_logger().warning(finding.sentence)
        return [finding for finding in found if self._seen[finding] >= self._needed(finding)]

    def _needed(self, finding: Finding) -> int:
        return self._polls.get(finding.kind, _UNNAMED_POLLS)

    def _of_equal_type(self, topic: str) -> list[Endpoint]:
        """The ends of other topics with the type of an input of ours that nobody publishes on."""
        ends = self._ends[topic]
        own = [end for end in ends if end.node == self._name and end.side is Side.SUBSCRIPTION]
        if topic == CLOCK or not own or any(end.side is Side.PUBLISHER for end in ends):
            return []
        types = {end.type_name for end in own}
        names = [
            other
            for other, kinds in self._node.get_topic_names_and_types()
            if other not in self._ends and types & set(kinds) and likeness(other, topic) > 0.0
        ]
        names.sort(key=lambda other: -likeness(other, topic))
        return [end for other in names[:_MOST_ALIKE] for end in ends_of(self._node, other)]

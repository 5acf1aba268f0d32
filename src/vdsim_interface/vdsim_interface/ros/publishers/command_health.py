"""The lines `mode`, `plausibility` and `command` of /diagnostics, by the safety stage's node."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.graph import best_effort_publishers, publisher_names
from vdsim_interface.ros.messages.status import (
    command_diagnostic,
    mode_diagnostic,
    plausibility_diagnostic,
    several_publishers,
)
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import SafetyStatus


class LogOnChange:
    """Selects when to log a state that is polled: once for each new state.

    Two polls in a row must agree: the middleware reports a publisher up to half a second before the
    name of its node.
    """

    def __init__(self) -> None:
        self._previous = ""
        self._logged = ""

    def update(self, text: str) -> str:
        """Return the text to log now, mostly an empty one; an empty `text` is the normal state."""
        settled = text == self._previous
        self._previous = text
        if not settled or text == self._logged:
            return ""
        self._logged = text
        return text


class CommandHealth:
    """Checks who drives and who commands; two commanding nodes are logged, too."""

    def __init__(self, node: StageNode) -> None:
        self._node = node
        self._several = LogOnChange()

    def lines(self, status: SafetyStatus, blocked: str, rejected: str) -> list[DiagnosticStatus]:
        """The lines, as of now.

        `blocked` is why commands do not pass, `rejected` what arrives instead of commands.
        """
        parameters = self._node.parameters
        topic = COMMANDS[parameters.level].topic
        publishers = publisher_names(self._node, topic)
        several = self._several.update(several_publishers(publishers, topic))
        if several:
            self._node.get_logger().warning(several)
        timeout_s = parameters.command_timeout_s
        return [
            mode_diagnostic(status, blocked, parameters.safety.rules_off),
            plausibility_diagnostic(status),
            command_diagnostic(
                status.command_age_s,
                timeout_s,
                publishers,
                topic,
                rejected or best_effort_publishers(self._node, topic),
            ),
        ]

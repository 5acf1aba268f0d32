"""The lines `mode` and `command` of /diagnostics, by the node that holds the safety stage."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.graph import best_effort_publishers, publisher_names
from vdsim_interface.ros.log_on_change import SettledLine
from vdsim_interface.ros.messages.status import (
    command_diagnostic,
    mode_diagnostic,
    several_publishers,
)
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import SafetyStatus


class CommandHealth:
    """Checks who drives and who commands; two commanding nodes are logged, too."""

    def __init__(self, node: StageNode) -> None:
        self._node = node
        self._several = SettledLine()

    def lines(self, status: SafetyStatus, blocked: str, rejected: str) -> list[DiagnosticStatus]:
        """Both lines, as of now.

        `blocked` is why commands do not pass, `rejected` what arrives instead of commands.
        """
        parameters = self._node.parameters
        topic = COMMANDS[parameters.level].topic
        publishers = publisher_names(self._node, topic)
        several = self._several.look(several_publishers(publishers, topic))
        if several:
            self._node.get_logger().warning(several)
        timeout_s = parameters.command_timeout_s
        return [
            mode_diagnostic(status, blocked),
            command_diagnostic(
                status.command_age_s,
                timeout_s,
                publishers,
                topic,
                rejected or best_effort_publishers(self._node, topic),
            ),
        ]

"""From the adapter of Autoware to the vehicle interface: by topics, or within one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Any, Protocol

from rclpy.node import Node
from rclpy.task import Future
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.values import ControlLevel

from vdsim_autoware.adapter import Ask
from vdsim_msgs.msg import VehicleStateCommand
from vdsim_msgs.srv import ChangeMode

ANSWER_TIMEOUT_S = 1.0
"""How long the interface may take to answer a change of mode [s]."""
Finish = Callable[[bool, str], None]
"""Called once with the answer: success, reason."""
_REQUESTS = {
    Ask.ENGAGE: ChangeMode.Request.REQUEST_ENGAGE,
    Ask.DISENGAGE: ChangeMode.Request.REQUEST_DISENGAGE,
}


class InterfaceLink(Protocol):
    """What the adapter sends. `others`: groups of parameters of nodes in the same process."""

    others: Collection[str]

    def command(self, message: Any) -> None:
        """Pass a command of the adapter's level on."""

    def state(self, message: VehicleStateCommand) -> None:
        """Pass a VehicleStateCommand on."""

    def ask(self, ask: Ask, finish: Finish) -> None:
        """Request a change of mode."""

    def check_answers(self) -> None:
        """Give up on answers that are late; for about 10 Hz."""


class TopicLink:
    """By topics and a service, to a vehicle interface in another process."""

    def __init__(self, node: Node, level: ControlLevel) -> None:
        self.others: Collection[str] = ()
        kind, topic, *_ = COMMANDS[level]
        self._commands = node.create_publisher(kind, topic, topics.COMMAND_QOS)
        self._states = node.create_publisher(
            VehicleStateCommand, topics.STATE_COMMAND, topics.STATE_COMMAND_QOS
        )
        self._change_mode = node.create_client(ChangeMode, topics.CHANGE_MODE)
        self._waiting: list[tuple[float, Future]] = []

    def command(self, message: Any) -> None:
        """Publish a command."""
        self._commands.publish(message)

    def state(self, message: VehicleStateCommand) -> None:
        """Publish a VehicleStateCommand."""
        self._states.publish(message)

    def ask(self, ask: Ask, finish: Finish) -> None:
        """Call the service; calls `finish` once, at the latest after ANSWER_TIMEOUT_S."""
        if not self._change_mode.service_is_ready():
            finish(False, "the vehicle interface is not running")
            return
        asked = self._change_mode.call_async(ChangeMode.Request(request=_REQUESTS[ask]))

        def on_done(done: Future) -> None:
            answer = done.result()
            if answer is None:
                late = f"the vehicle interface did not answer within {ANSWER_TIMEOUT_S:g} s"
                finish(False, late)
            else:
                finish(answer.success, answer.reason)

        asked.add_done_callback(on_done)
        self._waiting.append((time.monotonic() + ANSWER_TIMEOUT_S, asked))

    def check_answers(self) -> None:
        """Give up on answers that are late."""
        for deadline_s, asked in self._waiting:
            if deadline_s <= time.monotonic() and not asked.done():
                self._change_mode.remove_pending_request(asked)
                asked.set_result(None)
        self._waiting = [one for one in self._waiting if not one[1].done()]


class DirectLink:
    """Within the process of the node vehicle_interface: its own callbacks, at once."""

    def __init__(self, interface: Any, level: ControlLevel) -> None:
        self._interface = interface
        self._command = interface.command_callback(COMMANDS[level].value, level)
        # What the process was given for the interface, which has checked it.
        given = interface._parameter_overrides
        self.others: Collection[str] = {name.partition(".")[0] for name in given}

    def command(self, message: Any) -> None:
        """Process a command as if its topic had brought it."""
        self._command(message)

    def state(self, message: VehicleStateCommand) -> None:
        """Process a VehicleStateCommand as if its topic had brought it."""
        if self._interface.is_active:
            self._interface.safety_port.on_state(message)

    def ask(self, ask: Ask, finish: Finish) -> None:
        """Request a change of mode; answered at once."""
        if not self._interface.is_active:
            finish(False, "the vehicle interface is not active")
            return
        request = ChangeMode.Request(request=_REQUESTS[ask])
        answer = self._interface.safety_port.on_change_mode(request, ChangeMode.Response())
        finish(answer.success, answer.reason)

    def check_answers(self) -> None:
        """Nothing waits."""

"""Tells the interface which command level to listen to: that of the source in control."""

from __future__ import annotations

import time
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node

from vdsim_interface.values import LEVEL_OF, Command, ControlLevel

_PARAMETER = "control_command"
_LOOK_PERIOD_S = 1.0


class LevelFollower:
    """Keeps `control_command` of the interface at the level of the commands that are sent.

    A new level is set at once. From then on the interface is asked now and then whether it still
    has it: one that was restarted begins with the level of its own parameters.
    """

    def __init__(self, node: Node, interface: str) -> None:
        self._logger = node.get_logger()
        self._interface = interface
        self._setter: Any = None
        if interface:
            self._setter = node.create_client(SetParameters, f"{interface}/set_parameters")
            self._getter = node.create_client(GetParameters, f"{interface}/get_parameters")
        self._wanted: ControlLevel | None = None
        self._confirmed: ControlLevel | None = None
        self._asked_s = 0.0
        self._request: tuple[Any, Any] | None = None
        self._refusal = ""

    def follow(self, command: Command) -> None:
        """A command of some level is being sent."""
        level = LEVEL_OF[type(command)]
        now_s = time.monotonic()
        same = level is self._wanted and now_s - self._asked_s < _LOOK_PERIOD_S
        if self._setter is None or same:
            return
        if not (self._setter.service_is_ready() and self._getter.service_is_ready()):
            self._wanted = self._confirmed = self._request = None
            return
        self._wanted, self._asked_s = level, now_s
        if level is self._confirmed:
            self._send(self._getter, GetParameters.Request(names=[_PARAMETER]), self._compare)
        else:
            self._set(level)

    def _set(self, level: ControlLevel) -> None:
        self._confirmed = None
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=level.value)
        parameter = Parameter(name=_PARAMETER, value=value)
        self._send(self._setter, SetParameters.Request(parameters=[parameter]), self._conclude)

    def _send(self, client: Any, request: Any, take: Any) -> None:
        """Ask; an answer to what was asked before, which may never come, is not waited for."""
        if self._request is not None:
            before, future = self._request
            before.remove_pending_request(future)
        future = client.call_async(request)
        self._request = (client, future)

        def answered(done: Any) -> None:
            if self._request is None or self._request[1] is not done:
                return
            self._request = None
            take(None if done.exception() is not None else done.result())

        future.add_done_callback(answered)

    def _compare(self, answer: GetParameters.Response | None) -> None:
        """Set the level anew where the interface has another one."""
        level = self._wanted
        values = [] if answer is None else [value.string_value for value in answer.values]
        if level is not None and values != [level.value]:
            self._set(level)

    def _conclude(self, answer: SetParameters.Response | None) -> None:
        """Remember what has been set; what was refused is told once, and asked for again."""
        reasons = (
            ["no answer"]
            if answer is None
            else [result.reason for result in answer.results if not result.successful]
        )
        self._confirmed = None if reasons else self._wanted
        refusal = "; ".join(reasons)
        if refusal and refusal != self._refusal:
            self._logger.error(f"{self._interface} keeps its command level: {refusal}")
        self._refusal = refusal

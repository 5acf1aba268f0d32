"""Keeps the interface's `control_command` at the level of the source in control."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from vdsim_interface.values import LEVEL_OF, Command, ControlLevel

_PARAMETER = "control_command"
_CHECK_PERIOD_S = 1.0
_DISCOVERY_S = 10.0

_Response = TypeVar("_Response")


class CommandLevelSync:
    """Sets `control_command` of the interface to the level of the published commands.

    A new level is set at once. Then the parameter is read once a second and set again when it
    differs: an interface that was restarted starts with the level of its own parameters.
    """

    def __init__(self, node: Node, interface: str) -> None:
        self._logger = node.get_logger()
        self._interface = interface
        self._enabled = bool(interface)
        if interface:
            self._setter = node.create_client(SetParameters, f"{interface}/set_parameters")
            self._getter = node.create_client(GetParameters, f"{interface}/get_parameters")
        self._target: ControlLevel | None = None
        self._confirmed: ControlLevel | None = None
        self._requested_s = 0.0
        self._pending: tuple[Client, Future] | None = None
        self._refusal = ""
        self._unready_s = math.inf
        self._has_warned = False

    def update(self, command: Command) -> None:
        """For every published command: set or check the level when that is due."""
        level = LEVEL_OF[type(command)]
        now_s = time.monotonic()
        recent = level is self._target and now_s - self._requested_s < _CHECK_PERIOD_S
        if not self._enabled or recent:
            return
        if not (self._setter.service_is_ready() and self._getter.service_is_ready()):
            self._target = self._confirmed = self._pending = None
            self._on_unready(now_s)
            return
        self._unready_s = math.inf
        self._target, self._requested_s = level, now_s
        if level is self._confirmed:
            self._call(self._getter, GetParameters.Request(names=[_PARAMETER]), self._on_read)
        else:
            self._set(level)

    def _on_unready(self, now_s: float) -> None:
        """Discovery takes a moment; after it, say once what is missing."""
        self._unready_s = min(self._unready_s, now_s)
        if now_s - self._unready_s > _DISCOVERY_S and not self._has_warned:
            self._has_warned = True
            self._logger.warning(
                f"{self._interface} does not run or has no parameter services "
                "(process.parameter_services:=in_process): it keeps its command level"
            )

    def _set(self, level: ControlLevel) -> None:
        self._confirmed = None
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=level.value)
        parameter = Parameter(name=_PARAMETER, value=value)
        self._call(self._setter, SetParameters.Request(parameters=[parameter]), self._on_set)

    def _call(
        self,
        client: Client,
        request: GetParameters.Request | SetParameters.Request,
        on_response: Callable[[_Response | None], None],
    ) -> None:
        """Send a request and cancel the previous one, which may never receive a response."""
        if self._pending is not None:
            previous_client, previous = self._pending
            previous_client.remove_pending_request(previous)
        future = client.call_async(request)
        self._pending = (client, future)

        def on_done(done: Future) -> None:
            if self._pending is None or self._pending[1] is not done:
                return
            self._pending = None
            on_response(None if done.exception() is not None else done.result())

        future.add_done_callback(on_done)

    def _on_read(self, response: GetParameters.Response | None) -> None:
        """Set the level again where the interface has another one."""
        level = self._target
        values = [] if response is None else [value.string_value for value in response.values]
        if level is not None and values != [level.value]:
            self._set(level)

    def _on_set(self, response: SetParameters.Response | None) -> None:
        """Confirm the level; a refusal is logged once, and the level is requested again."""
        reasons = (
            ["no answer"]
            if response is None
            else [result.reason for result in response.results if not result.successful]
        )
        self._confirmed = None if reasons else self._target
        refusal = "; ".join(reasons)
        if refusal and refusal != self._refusal:
            self._logger.error(f"{self._interface} keeps its command level: {refusal}")
        self._refusal = refusal

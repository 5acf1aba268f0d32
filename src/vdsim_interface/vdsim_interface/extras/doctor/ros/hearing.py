"""Hears one vehicle interface: the topics that are evidence for `vdsim_protocol.why`. Shell."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from rclpy.node import Node
from vdsim_protocol.why.evidence import Evidence
from vdsim_protocol.why.heard import Heard
from vdsim_protocol.why.messages import body_of, in_control_of, status_of, way_of
from vdsim_protocol.why.steps import Step

from vdsim_interface.ros import topics
from vdsim_msgs.msg import (
    CommandTrace,
    ControlSource,
    SafetyStatus,
    VehicleOdometry,
    VehicleStateReport,
)

PLANT = "/plant"
"""The simulated car's node."""


class Hearing:
    """Subscribes to the interface of one namespace."""

    def __init__(self, node: Node, namespace: str, interface: str) -> None:
        """`interface`: the node that publishes the status."""
        self._interface = interface
        self._heard = Heard(namespace, PLANT)
        self._speed_mps: float | None = None
        now = time.monotonic
        for kind, name, take, qos in (
            (
                SafetyStatus,
                topics.SAFETY_STATUS,
                lambda m: self._heard.on_status(status_of(m), now()),
                topics.REPORT_QOS,
            ),
            (
                ControlSource,
                topics.CONTROL_SOURCE,
                lambda m: self._heard.on_control(in_control_of(m), now()),
                topics.REPORT_QOS,
            ),
            (
                VehicleStateReport,
                topics.STATE_REPORT,
                lambda m: self._heard.on_body(body_of(m)),
                topics.REPORT_QOS,
            ),
            (
                CommandTrace,
                topics.COMMAND_TRACE,
                lambda m: self._heard.on_way(way_of(m), now()),
                topics.SENSOR_QOS,
            ),
            (VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS),
        ):
            node.create_subscription(kind, f"{namespace}/{name}", take, qos)

    def evidence(self, *, is_paused: bool) -> Evidence:
        """What is known now. `is_paused`: whether the simulated car says so."""
        now = time.monotonic()
        known = self._heard.evidence(now, speed_mps=self._speed_mps, is_paused=is_paused)
        return replace(known, node=self._interface)

    def steps(self) -> tuple[Step, ...]:
        """The way of the latest command."""
        return self._heard.steps(time.monotonic())

    def _on_odometry(self, message: Any) -> None:
        self._speed_mps = float(message.velocity_mps)
        self._heard.on_speed(self._speed_mps, time.monotonic())

"""Pedals by the messages of two packages: the other end of the topic decides."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import TwistStamped, WrenchStamped
from rclpy.node import Node
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.ros.actuation import (
    COMMAND,
    DIALECTS,
    STATUS,
    ActuationCommands,
    ActuationStatus,
    Dialect,
    actuation_value,
    installed_dialects,
    spoken,
    status_message,
)
from vdsim_autoware.adapter.ros.topics import COMMAND_QOS
from vdsim_interface_kit.teleop_ros import Lab

TIER4, NEWER = DIALECTS
TOPIC = "/control/command/actuation_cmd"


def test_the_numbers_of_both_packages_are_the_same() -> None:
    pedals = SimpleNamespace(accel_cmd=0.2, brake_cmd=0.1, steer_cmd=-0.3)
    for dialect in DIALECTS:
        message = SimpleNamespace(**{dialect.of_command: pedals})
        assert actuation_value(dialect, message, 7.0) == Actuation(7.0, 0.2, 0.1, -0.3)


def test_the_status_of_the_newer_package_has_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("autoware_vehicle_msgs.msg")

    class Numbers:
        __slots__ = ("accel_report", "brake_report", "steer_report")

    module.ActuationReportStamped = lambda: SimpleNamespace(actuation_report=Numbers())
    monkeypatch.setitem(sys.modules, "autoware_vehicle_msgs.msg", module)
    numbers = status_message(NEWER, 0.2, 0.1, -0.3).actuation_report
    assert (numbers.accel_report, numbers.brake_report, numbers.steer_report) == (0.2, 0.1, -0.3)
    assert status_message(TIER4, 0.2, 0.1, -0.3).status.steer_status == -0.3


def test_only_packages_that_have_the_messages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert TIER4 in installed_dialects()
    monkeypatch.setitem(sys.modules, "tier4_vehicle_msgs.msg", None)
    assert TIER4 not in installed_dialects()


@pytest.mark.parametrize(
    ("present", "seen", "wanted"),
    [
        (TIER4, set(), TIER4),
        (NEWER, set(), NEWER),
        (TIER4, {"autoware_vehicle_msgs/msg/ActuationCommandStamped"}, NEWER),
        (NEWER, {"tier4_vehicle_msgs/msg/ActuationCommandStamped"}, TIER4),
        (TIER4, {"some_msgs/msg/Other"}, TIER4),
        (
            NEWER,
            {
                "tier4_vehicle_msgs/msg/ActuationCommandStamped",
                "autoware_vehicle_msgs/msg/ActuationCommandStamped",
            },
            NEWER,
        ),
    ],
)
def test_the_other_end_decides(present: Dialect, seen: set[str], wanted: Dialect) -> None:
    assert spoken(present, DIALECTS, seen, COMMAND) is wanted


def test_a_status_is_told_apart_by_its_own_type() -> None:
    seen = {"autoware_vehicle_msgs/msg/ActuationReportStamped"}
    assert spoken(TIER4, DIALECTS, seen, STATUS) is NEWER


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab()
    yield made
    made.close()


def test_a_subscription_follows_its_publisher_to_another_type(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the wire: two types that are installed stand for the two packages."""
    one = Dialect("geometry_msgs", "TwistStamped", "twist", "TwistStamped", "twist", "status")
    two = Dialect("geometry_msgs", "WrenchStamped", "wrench", "WrenchStamped", "wrench", "report")
    module = "vdsim_autoware.adapter.ros.actuation"
    monkeypatch.setattr(f"{module}.installed_dialects", lambda: (one, two))
    monkeypatch.setattr(
        f"{module}.actuation_value",
        lambda dialect, message, now: Actuation(now, len(dialect.of_command), 0.0, 0.0),
    )
    got: list[Actuation] = []
    node = lab.add(Node("vehicle"))
    commands = ActuationCommands(node, got.append, lambda: 0.0, TOPIC)
    status = ActuationStatus(node, "/vehicle/status/actuation_status")
    context = rclpy.Context()  # a participant of its own: one has each topic with one type
    rclpy.init(context=context)
    stack = Node("stack", context=context)
    for dialect, kind in ((two, WrenchStamped), (one, TwistStamped)):
        publisher = stack.create_publisher(kind, TOPIC, COMMAND_QOS)
        got.clear()

        def arrives(kind: type = kind, publisher: Any = publisher) -> bool:
            commands.follow()
            status.follow(commands.dialect)
            publisher.publish(kind())
            return bool(got)

        lab.until(arrives, dialect.command)
        assert commands.dialect is dialect
        assert status.dialect is dialect
        assert got[-1].accel == len(dialect.of_command)
        stack.destroy_publisher(publisher)
    stack.destroy_node()
    rclpy.shutdown(context=context)

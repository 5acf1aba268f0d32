"""A lifecycle node follows the requests of a launch, and the launch its states."""

from __future__ import annotations

from typing import Any

import pytest
from launch.actions import EmitEvent, LogInfo, RegisterEventHandler, Shutdown, TimerAction
from launch.event_handlers import OnProcessIO
from launch.events import matches_action
from launch_ros.actions import LifecycleNode
from launch_ros.event_handlers import OnStateTransition
from launch_ros.events.lifecycle import ChangeState
from lifecycle_msgs.msg import Transition

MANAGED = """
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn


class Managed(LifecycleNode):
    def on_deactivate(self, state):
        return TransitionCallbackReturn.FAILURE


rclpy.init()
try:
    rclpy.spin(Managed("managed"))
except (KeyboardInterrupt, ExternalShutdownException):
    pass
"""

DEAF_AT_FIRST = """
import rclpy
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile

rclpy.init()
node = rclpy.create_node("deaf")
topic = "/car/given/transition_event"


def change(request, response):
    print(f"REQUEST with {node.count_publishers(topic)} publishers of events", flush=True)
    response.success = True
    return response


def listen():
    node.destroy_timer(timer)
    node.events = node.create_publisher(TransitionEvent, topic, QoSProfile(depth=10))
    node.states = node.create_service(GetState, "/car/given/get_state", lambda _, answer: answer)


node.changes = node.create_service(ChangeState, "/car/given/change_state", change)
timer = node.create_timer(1.0, listen)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
"""


@pytest.fixture(autouse=True)
def graph_of_its_own(monkeypatch: pytest.MonkeyPatch, install: Any) -> None:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    install("managed", MANAGED)


def managed(**options: Any) -> LifecycleNode:
    return LifecycleNode(
        package="demo", executable="managed", name="given", namespace="car", **options
    )


def change(node: LifecycleNode, transition_id: int) -> EmitEvent:
    return EmitEvent(
        event=ChangeState(lifecycle_node_matcher=matches_action(node), transition_id=transition_id)
    )


def on_state(node: LifecycleNode, state: str, *entities: Any) -> RegisterEventHandler:
    return RegisterEventHandler(
        OnStateTransition(
            target_lifecycle_node=node,
            goal_state=state,
            entities=[LogInfo(msg=f"now {state}"), *entities],
        )
    )


LIMIT = TimerAction(period=180.0, actions=[LogInfo(msg="too late"), Shutdown()])


def test_requests_and_transitions(start: Any) -> None:
    node = managed()
    started = start(
        LIMIT,
        on_state(node, "inactive", change(node, Transition.TRANSITION_ACTIVATE)),
        on_state(node, "active", Shutdown()),
        node,
        change(node, Transition.TRANSITION_CONFIGURE),
    )
    assert (started.code, started.printed("too late")) == (0, False)
    assert [line.rpartition("now ")[2] for line in started.lines if "now " in line] == [
        "inactive",
        "active",
    ]
    assert node.node_name == "/car/given"


def test_autostart(start: Any) -> None:
    node = managed(autostart=True)
    started = start(LIMIT, on_state(node, "active", Shutdown()), node)
    assert (started.code, started.printed("now active")) == (0, True)


def test_nothing_is_requested_before_the_node_hears_the_launch(start: Any, install: Any) -> None:
    install("managed", DEAF_AT_FIRST)
    node = managed(autostart=True, output="screen")
    seen = RegisterEventHandler(OnProcessIO(on_stdout=lambda event: [Shutdown()]))
    started = start(LIMIT, seen, node)
    assert started.printed("REQUEST with 1 publishers of events")


def test_a_refused_transition_is_reported(start: Any) -> None:
    node = managed(autostart=True)
    refused = OnStateTransition(
        target_lifecycle_node=node,
        start_state="deactivating",
        entities=[TimerAction(period=3.0, actions=[Shutdown()])],
    )
    activated = OnStateTransition(
        target_lifecycle_node=node,
        start_state="activating",
        entities=[change(node, Transition.TRANSITION_DEACTIVATE)],
    )
    handlers = [RegisterEventHandler(handler) for handler in (activated, refused)]
    started = start(LIMIT, *handlers, node)
    assert not started.printed("too late")
    assert started.printed(
        "Failed to make transition 'TRANSITION_DEACTIVATE' for LifecycleNode '/car/given'"
    )


def test_a_request_without_a_service_ends_with_the_node(start: Any) -> None:
    node = LifecycleNode(package="demo", executable="show", name="given", namespace="")
    assert start(node, change(node, Transition.TRANSITION_CONFIGURE)).code == 0

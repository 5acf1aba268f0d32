"""A real rclpy node gets what the launch file says."""

from __future__ import annotations

from typing import Any

from launch.actions import GroupAction
from launch_ros.actions import Node, PushRosNamespace, SetParameter, SetRemap

NODE = """
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

rclpy.init()
node = Node("own_name", automatically_declare_parameters_from_overrides=True)
publisher = node.create_publisher(String, "chatter", 1)
print("NAME", node.get_fully_qualified_name(), "TOPIC", publisher.topic_name, flush=True)
for name in ("speed", "text", "deep.er", "array", "use_sim_time", "shared"):
    print("PARAM", name, repr(node.get_parameter(name).value), flush=True)
rclpy.shutdown()
"""


def test_names_parameters_and_remappings(start: Any, install: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    install("real", NODE)
    started = start(
        GroupAction(
            [
                PushRosNamespace("car"),
                SetParameter("use_sim_time", False),
                SetParameter("shared", 1),
                SetRemap("chatter", "talk"),
                Node(
                    package="demo",
                    executable="real",
                    name="given",
                    output="screen",
                    parameters=[
                        {"speed": 2.0, "text": "100", "deep": {"er": True}, "array": [1, 2]},
                        {"shared": 2},
                    ],
                ),
            ]
        )
    )
    assert started.code == 0
    for expected in (
        "NAME /car/given TOPIC /car/talk",
        "PARAM speed 2.0",
        "PARAM text '100'",
        "PARAM deep.er True",
        "PARAM array [1, 2]",
        "PARAM use_sim_time False",
        "PARAM shared 2",
    ):
        assert started.printed(expected), (expected, started.lines)

"""The nodes that the tests query with `ros2`: a separate program, ended by a signal."""

from __future__ import annotations

from typing import Any

import rclpy
from composition_interfaces.srv import ListNodes, LoadNode, UnloadNode
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Header, String
from std_srvs.srv import SetBool


class Target(Node):
    """Publishes at 20 Hz, latches a header, answers a service, has parameters."""

    def __init__(self) -> None:
        super().__init__("target", namespace="/ns")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._latched = self.create_publisher(Header, "latched", latched)
        self._latched.publish(Header(frame_id="map"))
        self._odometry = self.create_publisher(Odometry, "odom", 10)
        self.create_subscription(String, "/heard", lambda msg: None, 10)
        self.create_service(SetBool, "set_it", self._on_set)
        self.create_timer(0.05, self._on_timer)
        half_steps = FloatingPointRange(from_value=0.0, to_value=10.0, step=0.5)
        descriptor = ParameterDescriptor(description="a gain", floating_point_range=[half_steps])
        self.declare_parameter("gain", 1.5, descriptor)
        self.declare_parameter("group.names", ["a", "b"])
        self.declare_parameter("group.limits", [1.0, 2.5])
        self.declare_parameter("unset", Parameter.Type.DOUBLE)

    def _on_set(self, request: Any, response: Any) -> Any:
        response.success = request.data
        response.message = "answered"
        return response

    def _on_timer(self) -> None:
        msg = Odometry()
        msg.header.stamp = self.get_clock().now().to_msg()
        msg.header.frame_id = "odom"
        msg.pose.pose.position.x = 7.5
        self._odometry.publish(msg)


class Container(Node):
    """Answers as a container with one node that can be unloaded."""

    def __init__(self) -> None:
        super().__init__("box", namespace="/ns")
        self._names = {1: "/ns/first"}
        self._last_id = 1
        self.create_service(ListNodes, "~/_container/list_nodes", self._on_list)
        self.create_service(LoadNode, "~/_container/load_node", self._on_load)
        self.create_service(UnloadNode, "~/_container/unload_node", self._on_unload)

    def _on_list(self, request: Any, response: Any) -> Any:
        response.unique_ids = list(self._names)
        response.full_node_names = list(self._names.values())
        return response

    def _on_load(self, request: Any, response: Any) -> Any:
        values = {each.name: each.value.integer_value for each in request.parameters}
        if request.plugin_name == "broken":
            response.error_message = f"broken: {values} {request.remap_rules} {request.log_level}"
            return response
        self._last_id += 1
        response.success, response.unique_id = True, self._last_id
        name = request.node_name or request.plugin_name
        response.full_node_name = f"{request.node_namespace}/{name}"
        self._names[self._last_id] = response.full_node_name
        return response

    def _on_unload(self, request: Any, response: Any) -> Any:
        response.success = self._names.pop(request.unique_id, None) is not None
        response.error_message = "" if response.success else "no such id"
        return response


def main() -> None:
    rclpy.init()
    executor = SingleThreadedExecutor()
    for node in (Target(), LifecycleNode("managed"), Container()):
        executor.add_node(node)
    print("ready", flush=True)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()

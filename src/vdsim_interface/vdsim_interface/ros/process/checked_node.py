"""The base of every node of this package: its process, its parameter services.

A test finds every node by the entry points of the packages and refuses one without this base.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from rcl_interfaces import srv
from rcl_interfaces.msg import SetParametersResult
from rclpy import parameter_service
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from vdsim_protocol.checked_node import AUTO, OFF
from vdsim_protocol.data_limit import DataLimit
from vdsim_protocol.parameter_requests import ChecksRequests

from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.limits import ProcessParameters
from vdsim_protocol import checked_node

_OF_PARAMETERS = (
    *(srv.DescribeParameters, srv.GetParameters, srv.GetParameterTypes),
    *(srv.ListParameters, srv.SetParameters, srv.SetParametersAtomically),
)


class ParameterService(ChecksRequests, parameter_service.ParameterService):
    """The six services; every request is measured and answered."""

    RESULT = SetParametersResult
    FROM_MESSAGE = Parameter.from_parameter_msg
    NOW = time.monotonic


class CheckedNode(checked_node.CheckedNode):
    """Base of a node, before rclpy's Node or LifecycleNode."""

    RESULT = SetParametersResult
    SERVICE = ParameterService
    PARAMETER = Parameter
    DECODE = staticmethod(deserialize_message)
    PROCESS: ClassVar[ProcessParameters] = ProcessParameters()
    """The defaults of the parameters of the node's process."""
    has_failed = False
    """Whether the process ends by an exception: what must outlive a crash then stays."""
    data_limit: DataLimit | None = None
    """The limit on the memory of the process, once it serves."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        node: Any = self
        self.process = declare(node, self.PROCESS)

    @property
    def parameter_services(self) -> str:
        """The parameter process.parameter_services of this node."""
        return self.process.parameter_services

    def on_memory(self, why: str) -> None:
        """`why`: the process has used more than half of what it may allocate; empty: no longer."""

    def own_work(self) -> AbstractContextManager[None]:
        """For what this process does by itself, and may take memory: imports, a component."""
        return nullcontext() if self.data_limit is None else self.data_limit.own_work()


class PrivateNode(CheckedNode, Node):
    """The node of a program that looks and ends: its parameters are nobody's business."""

    LARGEST_MESSAGE = 16 << 20
    """It looks at topics of whole stacks."""

    @property
    def parameter_services(self) -> str:
        """Off."""
        return OFF


class _Foreign:
    """A node of another package in a process of ours: rclpy's parameter services are taken off."""

    is_closed = False
    parameter_services = AUTO

    def __init__(self, node: Node) -> None:
        self._node = node
        own = [each for each in node.services if each.srv_type in _OF_PARAMETERS]
        for service in own:
            node.destroy_service(service)

    def offer_parameters(self) -> None:
        """Open services that no request can end the process with."""
        ParameterService(self._node)


def checked(node: Node) -> checked_node.OffersParameters:
    """A node of this process, which may be of another package."""
    return node if isinstance(node, CheckedNode) else _Foreign(node)

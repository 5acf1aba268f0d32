"""The names of rospy that the shell uses, as types; the shell gets the module as an argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Publisher(Protocol):
    """rospy.Publisher."""

    def publish(self, message: Any) -> None:
        """Send a message."""


class Rospy(Protocol):
    """The module rospy."""

    Time: Any
    ROSException: type[Exception]

    def init_node(self, name: str) -> None:
        """Register the node; arguments of the command line set its private parameters."""

    def get_param(self, name: str, default: Any) -> Any:
        """Return a parameter, or a tree of them."""

    def get_name(self) -> str:
        """Return the full name of the node."""

    def is_shutdown(self) -> bool:
        """Whether the node ends: Ctrl-C, or a newer node with its name."""

    def loginfo(self, text: str) -> None:
        """Log."""

    def logwarn(self, text: str) -> None:
        """Log."""

    def logerr(self, text: str) -> None:
        """Log."""

    def Publisher(  # noqa: N802
        self, name: str, kind: type, *, queue_size: int, latch: bool = False
    ) -> Publisher:
        """Advertise a topic."""

    def Subscriber(  # noqa: N802
        self,
        name: str,
        kind: type,
        callback: Callable[[Any], None],
        *,
        queue_size: int,
        tcp_nodelay: bool,
    ) -> Any:
        """Subscribe; the callback runs in a thread of the connection."""


class Messages(Protocol):
    """The message classes, from the ROS 1 packages autohyu_msgs and std_msgs."""

    Float32: type
    Reference: type
    VehicleState: type


class Logger:
    """What the log of notices writes to."""

    def __init__(self, rospy: Rospy) -> None:
        self.info, self.warning, self.error = rospy.loginfo, rospy.logwarn, rospy.logerr

"""ROS node twist_adapter: cmd_vel (Twist or TwistStamped) -> high_level_command."""

from __future__ import annotations

import sys
from operator import attrgetter

from geometry_msgs.msg import Twist, TwistStamped

from vdsim_interface.extras.adapters import motion
from vdsim_interface.extras.adapters.ros.node import AdapterNode
from vdsim_interface.ros.node_main import run


class TwistAdapter(AdapterNode):
    """Speed and yaw rate in."""

    def __init__(self) -> None:
        super().__init__(
            "twist_adapter",
            "cmd_vel",
            Twist,
            TwistStamped,
            adapt=adapt,
            content_of=attrgetter("twist"),
        )


def adapt(adapter: motion.MotionAdapter, message: Twist, now: float) -> motion.Adapted:
    """Convert a Twist."""
    linear, angular = message.linear, message.angular
    return adapter.on_twist(motion.Twist(linear.x, linear.y, angular.z), now)


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("twist_adapter", lambda: [TwistAdapter()], arguments)


if __name__ == "__main__":
    sys.exit(main())

"""ROS node ackermann_adapter: ackermann_cmd (AckermannDrive) -> high_level_command."""

from __future__ import annotations

import sys
from operator import attrgetter

from ackermann_msgs.msg import AckermannDrive, AckermannDriveStamped

from vdsim_interface.extras.adapters import motion
from vdsim_interface.extras.adapters.ros.node import AdapterNode
from vdsim_interface.ros.node_main import run

RATES = ("acceleration", "jerk", "steering_angle_velocity")
"""Fields that the interface does not take: its own limits hold."""


class AckermannAdapter(AdapterNode):
    """Speed and front wheel angle in."""

    def __init__(self) -> None:
        super().__init__(
            "ackermann_adapter",
            "ackermann_cmd",
            AckermannDrive,
            AckermannDriveStamped,
            adapt=adapt,
            content_of=attrgetter("drive"),
        )


def adapt(adapter: motion.MotionAdapter, message: AckermannDrive, now: float) -> motion.Adapted:
    """Convert an AckermannDrive."""
    rates = tuple(name for name in RATES if getattr(message, name) != 0.0)
    drive = motion.Ackermann(message.speed, message.steering_angle, rates)
    return adapter.on_ackermann(drive, now)


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("ackermann_adapter", lambda: [AckermannAdapter()], arguments)


if __name__ == "__main__":
    sys.exit(main())

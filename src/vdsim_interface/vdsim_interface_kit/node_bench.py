"""A node on a clock of the test's own: its callbacks and its timer are called, nothing waits."""

from __future__ import annotations

from typing import Any

from vdsim_interface.ros.messages.conversions import time_message
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode

from vdsim_interface_kit.teleop_ros import Lab
from vdsim_msgs.msg import PlatformReport, VehicleStateReport

PERIOD_S = 0.01
ARGUMENTS = ("control_command:=vehicle", "safety.auto_engage:=true", "platform:=fake")


def report_of_a_ready_car(stamp_s: float) -> PlatformReport:
    """A report of the platform's stage: the car stands in DRIVE."""
    message = PlatformReport(ready=True)
    message.odometry.stamp = time_message(stamp_s)
    message.body = VehicleStateReport(gear=VehicleStateReport.GEAR_DRIVE)
    return message


class NodeBench:
    """One node, driven through its callbacks in the test's own time.

    `said`: for what it published. `texts`: its notices.
    """

    def __init__(self) -> None:
        self.lab = Lab(*(word for each in ARGUMENTS for word in ("-p", each)))
        self.now = 1000.0
        self.said: list[Any] = []
        self.texts: list[str] = []

    def put(self, make: type[StageNode]) -> Any:
        """Start a node of this class, without its timer."""
        node: Any = make()
        node.now = lambda: self.now
        node.ros_time = SimulatedTime()
        self.lab.add(node)
        node.start()
        node.destroy_timer(node._tick_timer)
        write = node.notice_log.write

        def note(notices: Any, now: float) -> None:
            self.texts += [report.text for report in notices]
            write(notices, now)

        node.notice_log.write = note
        return node

    def run(self, node: Any, duration_s: float, *each_period: Any) -> None:
        """Call everything once a period, and what the timer calls."""
        for _ in range(round(duration_s / PERIOD_S)):
            self.now += PERIOD_S
            for call in each_period:
                call()
            node._on_poll()

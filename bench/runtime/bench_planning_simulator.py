"""What Autoware's planning simulator with the simulated car costs, as one process with ROS 2.

    ./ws bench runtime/planning_simulator [--seconds 20]

real time: share of a core at 100 Hz (`timer_sampling_time_ms: 10`), driven by control_cmd at 33 Hz.
/clock: simulated time per second, as fast as the node follows, at Autoware's 40 Hz; by the wall and
by the CPU time of the node, which other load does not change. The reference publishes the same
messages at the same rate from a timer and computes nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import rclpy
from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import GearCommand
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

SHARE_LIMIT, FASTEST_LEAST = 0.25, 5.0
INFO = {
    "wheel_base": 2.97,
    "wheel_tread": 1.635,
    "front_overhang": 0.845,
    "rear_overhang": 0.82,
    "left_overhang": 0.1,
    "right_overhang": 0.1,
    "max_steer_angle": 0.55,
}
PATIENCE_S = 120.0
AHEAD_NS = 50_000_000
TICK_NS = 10_000_000
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Simulator:
    """The process."""

    def __init__(self, *, is_reference: bool, **parameters: object) -> None:
        words = [sys.executable, __file__, "--reference"]
        if not is_reference:
            words = ["ros2", "run", "vdsim_autoware", "planning_simulator"]
        given = {"vehicle_model_type": "vdsim_l2", **INFO, **parameters}
        options = [word for name, value in given.items() for word in ("-p", f"{name}:={value}")]
        self.process = subprocess.Popen([*words, "--ros-args", *options], start_new_session=True)

    def cpu_s(self) -> float:
        """CPU time of the process and what it has started."""
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == os.getpgid(self.process.pid):
                total += int(fields[11]) + int(fields[12])
        return total / _TICKS_PER_S

    def end(self) -> None:
        """Ctrl-C."""
        os.killpg(self.process.pid, 2)
        self.process.wait(PATIENCE_S)


class Client:
    """Autoware."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("bench_client")
        self.seen_ns = -1
        create = self.node.create_publisher
        self.control = create(Control, "input/ackermann_control_command", 1)
        self.gear = create(GearCommand, "input/gear_command", 1)
        self.pose = create(PoseWithCovarianceStamped, "input/initialpose", 1)
        self.clock = create(Clock, "/clock", 1)
        self.node.create_subscription(Odometry, "output/odometry", self._on_odometry, 1)

    def _on_odometry(self, message: Odometry) -> None:
        self.seen_ns = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec

    def publish_pose(self) -> None:
        """Put the car."""
        message = PoseWithCovarianceStamped()
        message.pose.pose.orientation.w = 1.0
        self.pose.publish(message)
        self.gear.publish(GearCommand(command=GearCommand.DRIVE))

    def publish_control(self) -> None:
        """Drive in a circle."""
        message = Control()
        message.longitudinal.acceleration = 0.2
        message.lateral.steering_tire_angle = 0.05
        self.control.publish(message)

    def publish_clock(self, time_ns: int) -> None:
        """Set simulated time."""
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(time_ns, 10**9)
        self.clock.publish(message)

    def spin(self, timeout_s: float = 0.0) -> None:
        """Take a message."""
        rclpy.spin_once(self.node, timeout_sec=timeout_s)


def in_real_time(client: Client, seconds: float, *, is_reference: bool) -> float:
    """Return the share of a core."""
    client.seen_ns = -1
    simulator = Simulator(is_reference=is_reference, timer_sampling_time_ms=10.0)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while client.seen_ns < 0 and time.monotonic() < deadline:
            client.publish_pose()
            client.spin(0.1)
        begin_s, begin_cpu_s = time.monotonic(), simulator.cpu_s()
        while time.monotonic() < begin_s + seconds:
            client.publish_control()
            until_s = time.monotonic() + 0.03
            while time.monotonic() < until_s:
                client.spin(0.005)
        return (simulator.cpu_s() - begin_cpu_s) / (time.monotonic() - begin_s)
    finally:
        simulator.end()


def by_clock(client: Client, seconds: float) -> tuple[float, float]:
    """Return simulated seconds per second of the wall, and of the node's CPU time."""
    client.seen_ns = -1
    simulator = Simulator(is_reference=False, use_sim_time="true")
    try:
        now_ns = 10**12
        while not 0 <= client.seen_ns <= now_ns:  # or one of the simulator before
            client.publish_pose()
            now_ns += TICK_NS
            client.publish_clock(now_ns)
            client.spin(0.05)
        begin_ns, begin_s, begin_cpu_s = now_ns, time.monotonic(), simulator.cpu_s()
        while time.monotonic() < begin_s + seconds:
            now_ns += TICK_NS
            client.publish_clock(now_ns)
            if now_ns % (3 * TICK_NS) == 0:
                client.publish_control()
            while now_ns - client.seen_ns > AHEAD_NS:
                client.spin(0.01)
                if time.monotonic() > begin_s + seconds + PATIENCE_S:
                    raise RuntimeError("the simulator does not follow /clock")
        simulated_s = (now_ns - begin_ns) * 1e-9
        cpu_s = simulator.cpu_s() - begin_cpu_s
        return simulated_s / (time.monotonic() - begin_s), simulated_s / cpu_s
    finally:
        simulator.end()


def reference() -> None:
    """A node that publishes the same messages and computes nothing."""
    from vdsim_autoware.adapter.enums import ControlMode
    from vdsim_autoware.model.parameters import SimulatorParameters
    from vdsim_autoware.ros.publishers import Publishers
    from vdsim_autoware.simulator import Motion
    from vdsim_interface.ros.node_main import run
    from vdsim_interface.values import (
        Blinker,
        Gear,
        Headlight,
        Mode,
        StateReport,
        Wiper,
    )

    def make() -> list[Node]:
        node: Any = Node("reference")
        out = Publishers(node, SimulatorParameters(), pedals=False)
        motion = Motion(*(0.0,) * 11)
        report = StateReport(
            fuel=100,
            blinker=Blinker.OFF,
            headlight=Headlight.OFF,
            wiper=Wiper.OFF,
            gear=Gear.DRIVE,
            mode=Mode.AUTONOMOUS,
            hand_brake=False,
            horn=False,
        )

        def publish() -> None:
            stamp = node.get_clock().now().to_msg()
            out.mode(ControlMode.AUTONOMOUS, stamp)
            out.motion(motion, stamp)
            out.state(report, stamp)

        node.create_timer(0.01, publish)
        return [node]

    sys.exit(run("reference", make))


def main() -> int:
    """Print the figures; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    rclpy.init()
    client = Client()
    share = in_real_time(client, options.seconds, is_reference=False)
    floor = in_real_time(client, options.seconds, is_reference=True)
    by_wall, by_cpu = by_clock(client, options.seconds)
    client.node.destroy_node()
    rclpy.try_shutdown()
    print(f"real time, 100 Hz: {100 * share:5.1f} % of a core (target {100 * SHARE_LIMIT:g})")
    print(f"    the messages alone (reference): {100 * floor:5.1f} %, ratio {share / floor:.2f}")
    print(
        f"by /clock: {by_wall:5.1f} times real time by the wall, {by_cpu:.1f} by the node's CPU "
        f"time (target {FASTEST_LEAST:g})"
    )
    return int(share > SHARE_LIMIT or by_cpu < FASTEST_LEAST)


if __name__ == "__main__":
    if "--reference" in sys.argv:
        reference()
    sys.exit(main())

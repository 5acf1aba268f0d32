"""What a message costs through the wall of a node of ours, beside rclpy's own subscription.

Both in one process and in turn, CPU time of the thread that spins; the best of the rounds, because
other load only adds. The last rows are of lists of short texts: the largest that is decoded, and
one of 16 MB.

    ./ws bench interface/messages [--rounds 9]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/vdsim_interface"))
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from vdsim_interface.ros.node_main import _events_executor
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_protocol.message_wall import LARGEST

from vdsim_msgs.msg import AuxiliaryCommand, HighLevelControlCommand, VehicleStateCommand

LIMIT_US = 8.0
"""More for each message of usual size."""
LIMIT_MS = 10.0
"""Of the largest message that is decoded."""
A_TEXT_BYTES = 8
"""Of a list of empty texts."""
ROUND = 200


class Walled(CheckedNode, Node):
    """A node of ours."""


class Bench:
    """Two subscriptions to one topic after the other, and the thread's time in each."""

    def __init__(self) -> None:
        self.lab = Lab("--log-level", "fatal")
        self.nodes = {"rclpy": Node("bare"), "wall": Walled("walled")}
        self.heard = 0

    def _on_message(self, message: Any) -> None:
        self.heard += 1

    def take_us(self, through: str, message: Any, count: int) -> float:
        """CPU time of the spinning thread for each message [us]."""
        node, topic = self.nodes[through], f"{through}_{type(message).__name__}"
        qos = QoSProfile(depth=count)
        subscription = node.create_subscription(type(message), topic, self._on_message, qos)
        publisher = self.lab.publisher(type(message), topic, qos)
        self.heard = 0
        before = getattr(node, "discarded", None) and node.discarded.total

        def received() -> int:
            return self.heard + (node.discarded.total - before if through == "wall" else 0)

        executor = _events_executor()
        executor.add_node(node)
        for _ in range(count):
            publisher.publish(message)
        begun = time.thread_time()
        while received() < count:
            executor.spin_once(timeout_sec=0.01)
        spent_s = time.thread_time() - begun
        executor.remove_node(node)
        node.destroy_subscription(subscription)
        self.lab.probe.destroy_publisher(publisher)
        return 1e6 * spent_s / count


def cases() -> dict[str, tuple[Any, int]]:
    """Each message, and how many of it a round has."""
    usual: dict[str, tuple[Any, int]] = {
        type(message).__name__: (message, ROUND)
        for message in (
            HighLevelControlCommand(velocity_mps=3.0),
            VehicleStateCommand(),
            Joy(axes=[0.1] * 8, buttons=[0] * 17),
            Odometry(),
        )
    }
    most = LARGEST // A_TEXT_BYTES - 8
    return usual | {
        f"{most} texts": (AuxiliaryCommand(names=[""] * most), 5),
        "2000000 texts": (AuxiliaryCommand(names=[""] * 2_000_000), 1),
    }


def main() -> int:
    """Print a row for each message; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    os.environ.setdefault("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    bench = Bench()
    best: dict[tuple[str, str], float] = {}
    for number in range(rounds):
        for name, (message, count) in cases().items():
            if count == 1 and number > 0:
                continue
            for through in bench.nodes:
                spent = bench.take_us(through, message, count)
                best[name, through] = min(spent, best.get((name, through), spent))
    for node in bench.nodes.values():
        node.destroy_node()
    bench.lab.close()
    print(f"{'message':<28}{'rclpy':>12}{'wall':>12}  [us of CPU]")
    is_missed = False
    for name, (_, count) in cases().items():
        bare, walled = best[name, "rclpy"], best[name, "wall"]
        is_missed |= count == ROUND and walled - bare > LIMIT_US
        is_missed |= walled > 1e3 * LIMIT_MS and count != 1
        print(f"{name:<28}{bare:12.1f}{walled:12.1f}")
    word = "missed" if is_missed else "met"
    print(f"limits: {LIMIT_US:g} us more for a usual one, {LIMIT_MS:g} ms for the largest: {word}")
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())

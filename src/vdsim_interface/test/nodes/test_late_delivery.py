"""A command that the middleware delivers some time after a stall is not fresh, on real DDS.

The executor does not spin while the message waits in the reader's queue, as it would on a machine
that is too busy to deliver it.
"""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.pipeline.stall_watch import PROOF_S, SETTLE_S
from vdsim_interface.ros import topics
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import VehicleControlCommand

STALL_S = 1.0
LIMIT_S = 60.0
KINDS: tuple[type[StageNode], ...] = (VehicleInterface, SafetyStateMachineNode, LowPassFilterNode)


class Late:
    """A node that runs in the test's own time, and when its messages count as received."""

    def __init__(self, kind: type[StageNode]) -> None:
        self.lab = Lab("-p", "platform:=fake", "-p", "control_command:=vehicle")
        self.node: Any = self.lab.add(kind())
        self.node.start()
        # The test ticks the node, so that nothing but its messages makes the executor busy.
        self.node._tick_timer.cancel()
        self.received: list[tuple[float, float]] = []
        given = self.node.rounds.received_s

        def received_s(now: float, stream: str) -> float:
            self.received.append((now, given(now, stream)))
            return self.received[-1][1]

        self.node.rounds.received_s = received_s

    def tick_for(self, duration_s: float) -> None:
        """Let the node run, and deliver nothing."""
        end_s = time.monotonic() + duration_s
        while time.monotonic() < end_s:
            self.node._on_poll()
            time.sleep(0.002)

    def deliver(self, number: int) -> None:
        """Deliver what waits, until so many messages in all were received."""

        def arrived() -> bool:
            self.node._on_poll()
            return len(self.received) >= number

        self.lab.until(arrived, "a message")

    def stall(self) -> None:
        """The process does not run, and has settled after."""
        time.sleep(STALL_S)
        self.tick_for(2.0 * SETTLE_S)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def late(request: pytest.FixtureRequest) -> Iterator[Late]:
    made = Late(request.param)
    yield made
    made.lab.close()


def test_a_command_that_is_delivered_late_counts_from_before_the_stall(late: Late) -> None:
    qos = topics.COMMAND_QOS
    commands = late.lab.publisher(VehicleControlCommand, topics.VEHICLE_COMMAND, qos)

    def first() -> bool:
        # The publisher may know of the subscription before that knows of the publisher.
        commands.publish(VehicleControlCommand(long_accel_mps2=1.0))
        return bool(late.received)

    late.lab.until(first, "the first message")
    late.lab.run(0.1)  # until those that were too many are through
    late.tick_for(0.05)
    before_s = time.monotonic()
    commands.publish(VehicleControlCommand(long_accel_mps2=1.0))
    late.stall()
    late.deliver(len(late.received) + 1)
    resumed_s, counted_s = late.received[-1]
    assert counted_s < before_s + 0.05
    limit_s = resumed_s + LIMIT_S
    while late.received[-1][0] != late.received[-1][1]:
        # A machine that stalls here again makes the stream prove itself once more.
        assert late.received[-1][0] < limit_s
        commands.publish(VehicleControlCommand(long_accel_mps2=1.0))
        late.deliver(len(late.received) + 1)
    assert late.received[-1][0] >= resumed_s + PROOF_S

"""What safety_status says, and how often, in the test's own time."""

from typing import Any

import pytest
from teleop_ros_kit import Lab
from vdsim_interface.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.stage_node import StageNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface

DOMAIN_ID = 75
PERIOD_S = 0.01


class Told:
    """A node that is ticked by the test, and the safety_status that it tells."""

    def __init__(self, kind: type[StageNode], *parameters: str) -> None:
        given = ("platform:=fake", *parameters)
        self.lab = Lab(DOMAIN_ID, *(word for each in given for word in ("-p", each)))
        self.now = 1000.0
        self.node: Any = self.lab.add(kind())
        self.node.now = lambda: self.now
        self.node.start()
        self.statuses: list[Any] = []
        self.node._status._publisher.publish = self.statuses.append

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / PERIOD_S)):
            self.now += PERIOD_S
            self.node.tick(self.now)


@pytest.fixture(params=[VehicleInterface, SafetyStateMachineNode], ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> type[StageNode]:
    made: type[StageNode] = request.param
    return made


@pytest.mark.parametrize(("rate_hz", "number"), [("10.0", 20), ("50.0", 100), ("1.0", 2)])
def test_it_is_told_at_its_rate(kind: type[StageNode], rate_hz: str, number: int) -> None:
    told = Told(kind, f"output.state_report_hz:={rate_hz}")
    try:
        told.run(1.0)
        told.statuses.clear()
        told.run(2.0)
        assert abs(len(told.statuses) - number) <= 1
    finally:
        told.lab.close()

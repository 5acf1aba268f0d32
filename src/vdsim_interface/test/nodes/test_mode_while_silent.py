"""The end of autonomy is published while the vehicle reports nothing: an arbiter waits for it."""

import pytest
import rclpy
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.conversions import seconds_of
from vdsim_interface_kit.lockstep import COMPOSITIONS, Composition

from vdsim_msgs.msg import HighLevelControlCommand, VehicleStateReport

ARGUMENTS = ("platform:=vds1", "control_command:=high_level", "safety.auto_engage:=true")
AUTONOMOUS, DISENGAGED = VehicleStateReport.MODE_AUTONOMOUS, VehicleStateReport.MODE_DISENGAGED
COMMAND = HighLevelControlCommand(velocity_mps=5.0, curvature=0.01)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_an_end_of_autonomy_is_published_while_no_report_comes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rclpy.init(args=["--ros-args", *(word for each in ARGUMENTS for word in ("-p", each))])
    states: list[VehicleStateReport] = []
    composition = Composition(name, monkeypatch)
    composition.bus.listen(VehicleStateReport, topics.STATE_REPORT, states.append)

    def drive(periods_n: int) -> None:
        for _ in range(periods_n):
            composition.period((topics.HIGH_LEVEL_COMMAND, COMMAND))

    try:
        drive(300)
        assert states[-1].mode == AUTONOMOUS
        silent_s = composition.now
        monkeypatch.setattr(composition.car, "drain", lambda now: iter(()))
        drive(200)  # no report for link_lost_s ends autonomy
        assert states[-1].mode == DISENGAGED
        assert states[-1].gear == VehicleStateReport.GEAR_DRIVE
        assert seconds_of(states[-1].stamp) <= silent_s + 0.02
    finally:
        composition.close()
        rclpy.try_shutdown()

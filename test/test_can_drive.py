"""A car file of one's own in the launch, under the guard, by the commands of docs/can.md."""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
import vdsim_can_kit
from launch.actions import ExecuteProcess
from vdsim_kit.driving import AUTONOMOUS, DISENGAGED, Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import PATIENCE_S

from launch import LaunchDescription
from vdsim_msgs.msg import VehicleStateReport

KIT = Path(vdsim_can_kit.__file__).parent
PAGE = Path(__file__).resolve().parents[1] / "docs" / "can.md"


def users_files(port: int) -> tuple[Path, Path]:
    """The van's two files as a user has them, and the parameters that the page shows."""
    folder = Path(tempfile.mkdtemp(prefix="vdsim_can_"))
    atexit.register(shutil.rmtree, folder)
    car = folder / "car.yaml"
    shutil.copy(KIT / "van.yaml", car)
    shutil.copy(KIT / "van.dbc", folder)
    found = re.search(r"<!-- my_car.yaml -->\n```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    own = folder / "my_car.yaml"
    own.write_text(found[1].replace("car: car.yaml", f"car: {car}\n      port: {port}"))
    return car, own


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    (port,) = free_ports(1)
    car, own = users_files(port)
    program = [sys.executable, "-m", "vdsim_can.cli.car"]  # it is no node: no --ros-args
    ecus = ExecuteProcess(cmd=[*program, str(car), "--port", str(port)])
    interface = shipped("vdsim", platform="can", car_params_file=own)
    description = LaunchDescription([ecus, interface, launch_testing.actions.ReadyToTest()])
    return description, {"ecus": ecus}


class TestOwnCar(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Stack()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def test_1_a_person_engages_and_the_car_reaches_its_speed(self, proc_output) -> None:
        stack = self.stack
        stack.drive(5.0, 0.02)
        stack.wait(lambda: stack.link is not None and stack.link.alive, "a working link")
        assert stack.mode != AUTONOMOUS
        stack.wait(lambda: stack.change_mode(True).success, "an accepted request")
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: abs(stack.speed - 5.0) < 0.3, "5 m/s")
        proc_output.assertWaitFor("an interface drives", timeout=PATIENCE_S)
        assert stack.odometry is not None
        assert stack.odometry.front_wheel_angle_rad == pytest.approx(0.02 * 2.97, abs=0.01)
        assert stack.state is not None
        assert stack.state.gear == VehicleStateReport.GEAR_DRIVE

    def test_2_a_silent_stack_is_a_stop(self) -> None:
        stack = self.stack
        stack.fall_silent()
        stack.wait(lambda: abs(stack.speed) < 0.05, "standstill")
        stack.wait(lambda: stack.mode == DISENGAGED, "the end of autonomy")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_every_process_ends_in_order(self, proc_info) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)

"""A bad link in a running drive, set and cleared by the service set_fault."""

from __future__ import annotations

import unittest
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import PATIENCE_S

from launch import LaunchDescription
from vdsim_msgs.srv import SetFault

PORTS = (
    *("plant_port", "state_port"),
    *("relay_command_port", "relay_state_port", "relay_control_port"),
)


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    system = shipped("vdsim", faults="true", dashboard="off", **ports)
    return LaunchDescription([system, launch_testing.actions.ReadyToTest()])


class TestBadLink(unittest.TestCase):
    """One drive; the methods are its stages, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Stack()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def set_fault(self, **fields: Any) -> SetFault.Response:
        answer = self.stack.call(SetFault, "/vehicle/set_fault", **fields)
        assert answer.success, answer.reason
        return answer

    def test_1_the_relay_lets_everything_pass_at_first(self) -> None:
        stack = self.stack
        stack.drive(5.0)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.wait(lambda: stack.speed > 4.5, "speed")

    def test_2_without_commands_the_car_stops_and_says_why(self, proc_output: Any) -> None:
        stack = self.stack
        self.set_fault(link="command", names=["loss"], values=[1.0])
        proc_output.assertWaitFor("fail-safe, no command for 100 ms", timeout=PATIENCE_S)
        stack.wait(lambda: abs(stack.speed) < 0.05, "a stop")

    def test_3_with_them_it_drives_on(self) -> None:
        stack = self.stack
        self.set_fault(clear=True)
        stack.wait(lambda: stack.speed > 4.5, "speed on the restored link")

    def test_4_without_reports_the_interface_says_so(self) -> None:
        stack = self.stack
        self.set_fault(link="state", names=["loss"], values=[1.0])
        stack.wait(lambda: bool(stack.safety and not stack.safety.vehicle_link_ok), "the alarm")
        assert stack.safety is not None
        assert "no report from the vehicle" in stack.safety.vehicle_link_reason
        answer = self.set_fault(link="state", clear=True)
        assert not answer.names
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "reports again")


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After Ctrl-C."""

    def test_all_processes_end_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)

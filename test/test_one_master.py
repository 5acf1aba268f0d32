"""A second sender on this machine never moves a car that a launch file started."""

from __future__ import annotations

import os
import signal
import socket
import threading
import unittest
from contextlib import suppress

import launch_testing
import launch_testing.actions
import launch_testing.markers
import pytest
from vdsim_kit.driving import Stack
from vdsim_kit.launch import shipped
from vdsim_kit.ports import free_ports
from vdsim_protocol.vds1 import Command, encode_command

from launch import LaunchDescription
from vdsim_msgs.msg import VdsState

STRANGERS_STEER_RAD = 0.4
VISIBLE_RAD = 0.02
STOPPED_S = 5.0


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    command_port, state_port = free_ports(2)
    stack = shipped("vdsim", plant_port=command_port, state_port=state_port, dashboard="off")
    description = LaunchDescription([stack, launch_testing.actions.ReadyToTest()])
    return description, {"command_port": command_port}


class _Stranger:
    """Sends valid CMD at 100 Hz, with numbers that jump ahead and begin again."""

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._port = port
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self) -> None:
        hostile = Command(
            steering_tire_angle_rad=STRANGERS_STEER_RAD,
            throttle=1.0,
            brake=0.0,
            gear=1,
            handbrake=False,
        )
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            while not self._done.wait(0.01):
                number = self.sent % 3 * (1 << 29)
                datagram = encode_command(hostile, seq=number, timestamp_s=float(self.sent))
                sock.sendto(datagram, ("127.0.0.1", self._port))
                self.sent += 1

    def end(self) -> None:
        self._done.set()
        self._thread.join()


class TestOneMaster(unittest.TestCase):
    """The methods are stages of one drive, run in the order of their names."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = Stack()
        cls.steer_rad: list[float] = []
        cls.stack.listen(
            VdsState,
            "/plant/vds_state",
            lambda state: cls.steer_rad.append(state.steering_tire_angle_applied_rad),
        )

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()

    def strangers_samples(self) -> int:
        return sum(abs(steer_rad) > VISIBLE_RAD for steer_rad in self.steer_rad)

    def test_1_it_changes_nothing_while_the_interface_drives(self, command_port) -> None:
        stack = self.stack
        stack.drive(4.0)
        stack.wait(lambda: stack.speed > 3.5, "speed")
        self.steer_rad.clear()
        stranger = _Stranger(command_port)
        try:
            stack.wait(lambda: stranger.sent > 300 and len(self.steer_rad) > 200, "its packets")
        finally:
            stranger.end()
        assert self.strangers_samples() == 0
        stack.wait(lambda: abs(stack.speed - 4.0) < 0.5, "the speed of the stack")

    def test_2_it_changes_nothing_while_the_interface_is_stopped(
        self, command_port, proc_info
    ) -> None:
        stack = self.stack
        interface = proc_info["vehicle_interface"].pid
        self.steer_rad.clear()
        stranger = _Stranger(command_port)
        os.kill(interface, signal.SIGSTOP)
        try:
            stack.spin(STOPPED_S)  # the stopped process is what is under test here
            stack.wait(lambda: stranger.sent > 100 and len(self.steer_rad) > 100, "its packets")
        finally:
            with suppress(ProcessLookupError):
                os.kill(interface, signal.SIGCONT)
            stranger.end()
        assert self.strangers_samples() == 0

    def test_3_the_interface_drives_on(self) -> None:
        stack = self.stack
        stack.wait(lambda: stack.change_mode(True).success, "an accepted request")
        stack.wait(lambda: stack.speed > 3.5, "speed again")

"""In every composition: a server that speaks one version and answers only whom it accepted."""

from __future__ import annotations

import pytest
import rclpy
from vdsim_interface.platforms.spec import Datagram
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import link_diagnostic
from vdsim_interface_kit import lockstep
from vdsim_interface_kit.lockstep import COMPOSITIONS, PERIOD_S, Car, Composition
from vdsim_kit.one_version_server import ADDRESS, OneVersionServer

from vdsim_msgs.msg import SafetyStatus, VehicleControlCommand, VehicleStateReport
from vdsim_msgs.srv import ChangeMode

ENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_ENGAGE)
GO = topics.VEHICLE_COMMAND, VehicleControlCommand(long_accel_mps2=1.0)


class ServedCar(Car):
    """The server in the place of the test's own car."""

    def __init__(self) -> None:
        super().__init__()
        self.server = OneVersionServer(5)
        self.now = 0.0

    def move(self, now: float) -> None:
        """One period of the server."""
        self.now = now
        self._waiting += [(d, ADDRESS, "vds1") for d in self.server.step(now, PERIOD_S)]

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """CMD on its way to the server."""
        for datagram in datagrams:
            self.server.receive(datagram.data, self.now)
        super().send(datagrams)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_car_drives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rclpy.init(args=["--ros-args", "-p", "platform:=vds1", "-p", "control_command:=vehicle"])
    monkeypatch.setattr(lockstep, "Car", ServedCar)
    composition = Composition(name, monkeypatch)
    modes: list[int] = []
    composition.bus.listen(
        SafetyStatus, topics.SAFETY_STATUS, lambda status: modes.append(status.mode)
    )
    try:
        for n in range(800):
            asks = n in (20, 320)
            composition.period(GO, *(((topics.CHANGE_MODE, ENGAGE),) if asks else ()))
    finally:
        composition.close()
        rclpy.try_shutdown()
    assert composition.answers == [False, True]
    assert isinstance(composition.car, ServedCar)
    assert composition.car.server.speeds_mps[0] > 0.5
    assert modes[-1] == VehicleStateReport.MODE_AUTONOMOUS


@pytest.mark.parametrize(
    ("state", "command", "level", "text"),
    [
        (0.0, 3.0, b"\0", "reports arrive"),
        (5.0, 5.0, b"\0", "reports arrive"),
        (5.0, 3.0, b"\1", "reports arrive in version 5 and commands are sent in version 3"),
    ],
)
def test_a_difference_is_in_the_diagnostics(
    state: float, command: float, level: bytes, text: str
) -> None:
    line = link_diagnostic("", {"state_version": state, "command_version": command})
    assert line.level == level
    assert line.message.startswith(text)
    assert link_diagnostic("no report", {"state_version": state}).message == "no report"
    assert link_diagnostic("", {"accepted": 1.0}).message == "reports arrive"

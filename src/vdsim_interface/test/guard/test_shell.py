"""The shell's half without ROS: which frame follows from what, and when the guard is lost."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.guard.shell import SHORTEST_PATIENCE_S, Shell
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.values import HighLevelCommand, Mode, VehicleCommand

NOW = 100.0
GO = HighLevelCommand(NOW, 3.0)


class Link:
    """Keeps what goes to the guard."""

    def __init__(self) -> None:
        self.sent: list[frames.Payload] = []
        parameters = InterfaceParameters(control_command="high_level")
        self.shell = Shell(parameters, (), self.sent.append, self.ask, NOW)

    def ask(self, payload: frames.Payload) -> frames.Answer:
        self.sent.append(payload)
        return frames.Answer(0, True, "", Mode.MANUAL)


def test_an_accepted_command_goes_once_by_the_period_or_by_itself() -> None:
    link = Link()
    assert link.shell.on_command(GO, NOW)
    link.shell.tick(NOW)
    link.shell.flush()
    [front] = link.sent
    assert isinstance(front, frames.Front)
    assert front.received == GO
    assert link.shell.on_command(GO, NOW)
    link.shell.flush()
    link.shell.flush()
    assert link.sent[1:] == [frames.CommandReceived(GO)]


@pytest.mark.parametrize(
    "command", [VehicleCommand(NOW, 1.0), GO._replace(velocity_mps=math.nan)], ids=["level", "nan"]
)
def test_what_the_guard_will_reject_goes_to_it_at_once(
    command: HighLevelCommand | VehicleCommand,
) -> None:
    link = Link()
    assert not link.shell.on_command(command, NOW)
    [sent] = link.sent
    assert isinstance(sent, frames.CommandReceived)


def test_an_emergency_stop_reaches_the_guard_as_a_request_to_stand() -> None:
    link = Link()
    link.shell.override(VehicleCommand(NOW, -6.0), NOW)
    [sent] = link.sent
    assert isinstance(sent, frames.CommandReceived)
    assert sent.command == HighLevelCommand(NOW, 0.0)
    link.shell.tick(NOW + 0.01)
    front = link.sent[-1]
    assert isinstance(front, frames.Front)
    assert front.filtered is not None
    assert front.filtered.long_accel_mps2 < 0.0


def test_a_guard_that_is_silent_is_lost_after_the_patience() -> None:
    link = Link()
    assert not link.shell.guard_is_silent(NOW + SHORTEST_PATIENCE_S)
    assert link.shell.guard_is_silent(NOW + SHORTEST_PATIENCE_S + 0.001)
    link.shell.on_guard_lost()
    assert link.shell.vehicle_side.mode is not Mode.AUTONOMOUS
    assert link.shell.motion()[1] is None

"""What is said of the vehicle's link is the same in one node and in stages."""

import json
import math
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.ros.sides import safe_command_message
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    SafeCommand,
    VehicleCommand,
)
from vdsim_interface_kit.documented_platform import write_documented_platform
from vdsim_interface_kit.teleop_ros import Lab

PERIOD_S = 0.01
DELAY_N = 12


class Link:
    """A node on the documented platform, which says nothing of the age of what it hears."""

    def __init__(self, kind: type[StageNode], folder: Path) -> None:
        write_documented_platform(folder)
        given = ("platform:=my_car", f"platform_path:={folder}", "my_car.listen_port:=0")
        self.lab = Lab(*(word for each in given for word in ("-p", each)))
        self.now = 1000.0
        self.car = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.node: Any = self.lab.add(kind())
        self.node.now = lambda: self.now
        self.node.ros_time = SimulatedTime()
        self.texts: list[str] = []
        self.node.notice_log.write = lambda notices, now: self.texts.extend(
            report.text for report in notices
        )
        self.node.start()
        self.status: list[Any] = []
        self.node.vehicle_port._health._link.publish = self.status.append

    def receive_state(self, angle_rad: float = 0.0) -> None:
        names = ("v", "steer", "accel", "x", "y", "yaw")
        report = dict.fromkeys(names, 0.0) | {"t": self.now, "gear": "D", "steer": angle_rad}
        [address] = self.node.vehicle_port.sockets.bound().values()
        self.car.sendto(json.dumps(report).encode(), address)
        self.node.poll(self.now)

    def told(self) -> Any:
        self.node._on_slow()
        return self.status[-1]

    def close(self) -> None:
        self.lab.close()
        self.car.close()


@pytest.fixture(params=[VehicleInterface, PlatformInterfaceNode], ids=lambda kind: kind.__name__)
def link(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Link]:
    made = Link(request.param, tmp_path)
    yield made
    made.close()


def test_alive_follows_the_reports_and_changes_are_told(link: Link) -> None:
    assert link.texts == []
    link.now += 1.0
    link.node.tick(link.now)
    assert link.texts == ["waiting for the vehicle's first report"]
    assert not link.told().alive
    link.receive_state()
    link.node.tick(link.now)
    assert link.texts[1:] == ["vehicle link up"]
    told = link.told()
    assert (told.alive, told.age_s, told.accepted) == (True, 0.0, 1)
    link.now += 0.2
    assert not link.told().alive
    link.receive_state()
    link.now -= 30.0
    assert not link.told().alive


@pytest.mark.parametrize("link", [PlatformInterfaceNode], indirect=True)
def test_the_stage_too_sees_the_round_trip(link: Link) -> None:
    """In the pipeline it is tested with the follow monitor."""
    angles: list[float] = [0.0] * DELAY_N
    for number in range(round(link.node.parameters.tracking.window_s / PERIOD_S)):
        link.now += PERIOD_S
        angles.append(0.2 * math.sin(0.03 * number))
        link.receive_state(angles[-1 - DELAY_N])
        wanted = VehicleCommand(link.now, 0.0, angles[-1], 0.0)
        command = PlatformCommand(
            Authority.COMMAND, Mode.AUTONOMOUS, wanted, BodyCommand(Gear.DRIVE)
        )
        link.node._on_safe(safe_command_message(SafeCommand(link.now, command)))
        link.node._on_poll()
    told = link.told()
    assert told.round_trip_s == pytest.approx(DELAY_N * PERIOD_S, abs=1.5 * PERIOD_S)
    assert told.round_trip_source


@pytest.mark.parametrize("link", [PlatformInterfaceNode], indirect=True)
def test_while_the_vehicle_is_silent_a_change_of_mode_is_told_all_the_same(link: Link) -> None:
    states: list[Any] = []
    link.node.vehicle_port.vehicle._state.publish = states.append

    def told(mode: Mode) -> list[int]:
        command = PlatformCommand(
            Authority.COMMAND, mode, VehicleCommand(link.now), BodyCommand(Gear.DRIVE)
        )
        link.node._on_safe(safe_command_message(SafeCommand(link.now, command)))
        link.node.tick(link.now)
        return [state.mode for state in states]

    link.receive_state()
    assert told(Mode.AUTONOMOUS) == [Mode.AUTONOMOUS]
    heard_s = states[0].stamp
    link.now += 0.2
    assert told(Mode.AUTONOMOUS) == [Mode.AUTONOMOUS]
    assert told(Mode.DISENGAGED) == [Mode.AUTONOMOUS, Mode.DISENGAGED]
    assert told(Mode.DISENGAGED) == [Mode.AUTONOMOUS, Mode.DISENGAGED]
    assert (states[1].stamp, states[1].gear) == (heard_s, Gear.DRIVE)

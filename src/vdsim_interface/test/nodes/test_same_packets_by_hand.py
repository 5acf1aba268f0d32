"""A person takes over, lets go, stops hard and gives back: every composition does the same.

Single node and guard send equal packets. A stage of its own repeats what the arbiter commands by
itself (a stop) one period later: there the drive is compared, not the bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

import pytest
import rclpy
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from vdsim_interface.ros import topics
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface_kit.lockstep import PERIOD_S, Composition
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad

from vdsim_msgs.msg import HighLevelControlCommand, VehicleStateReport
from vdsim_msgs.srv import ChangeMode

ENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_ENGAGE)
GIVE_BACK = "give_back"
Said = tuple[str, Any]
MAPPING = load_mapping(GAMEPADS / "game_controller.yaml")


def stack(speed_mps: float) -> Said:
    return topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand(velocity_mps=speed_mps)


def keyboard(speed_mps: float, curvature: float = 0.05) -> Said:
    message = HighLevelControlCommand(velocity_mps=speed_mps, curvature=curvature)
    return f"keyboard/{topics.HIGH_LEVEL_COMMAND}", message


def dashboard(pad: PlayedPad) -> Said:
    axes, buttons = pad.joy()
    return "dashboard/joy", Joy(axes=list(axes), buttons=list(buttons))


def script() -> Iterator[list[Said]]:
    """What stack and persons send in each period."""

    def periods(seconds: float, *said: Said) -> Iterator[list[Said]]:
        yield from (list(said) for _ in range(round(seconds / PERIOD_S)))

    yield from periods(0.3, stack(0.0))
    yield [stack(0.0), (topics.CHANGE_MODE, ENGAGE)]
    yield from periods(2.5, stack(4.0))
    yield from periods(1.5, stack(4.0), keyboard(2.0))  # takes over
    yield from periods(3.5, stack(4.0))  # lets go: a stop, and the stack waits
    yield [stack(4.0), (GIVE_BACK, Trigger.Request())]
    yield from periods(2.5, stack(4.0))  # the stack drives again
    pad = PlayedPad(MAPPING)
    yield from periods(0.2, stack(4.0), dashboard(pad))
    pad.hold("deadman")
    yield from periods(0.3, stack(4.0), dashboard(pad))  # the dashboard takes over
    yield [stack(4.0), (topics.EMERGENCY_STOP, Bool(data=True))]
    yield from periods(2.5, stack(4.0), dashboard(pad))
    pad.hold("deadman", False)
    yield [stack(4.0), (GIVE_BACK, Trigger.Request())]  # resets the stop
    yield from periods(1.5, stack(4.0), dashboard(pad))
    yield [stack(4.0), (GIVE_BACK, Trigger.Request())]
    yield from periods(2.0, stack(4.0))


class Drive:
    """The script in a composition: packets, and who drove in each quarter of a second."""

    def __init__(self, name: str, *, is_traced: bool = False) -> None:
        rclpy.init(args=["--ros-args", "-p", "platform:=vds1"])
        self.drivers: list[str] = []
        self.given: list[str] = []
        with pytest.MonkeyPatch.context() as monkeypatch:
            composition = Composition(name, monkeypatch, is_traced=is_traced)
            if name == "stages":
                composition.select_by_safety_stage()
            [port] = [n.intake_port for n in composition.nodes if hasattr(n, "intake_port")]
            for source in ("keyboard", "dashboard"):
                port.listen(source)
            try:
                for n, said in enumerate(script()):
                    for _, request in (each for each in said if each[0] == GIVE_BACK):
                        answer = port._on_give_back(request, Trigger.Response())
                        self.given.append(answer.message)
                    composition.period(*(each for each in said if each[0] != GIVE_BACK))
                    if n % 25 == 24:
                        mux = port.intake.status(composition.now)
                        driver = mux.in_control.name if mux.in_control else mux.state.value
                        if self.drivers[-1:] != [driver]:
                            self.drivers.append(driver)
            finally:
                composition.close()
                rclpy.try_shutdown()
        self.commands = composition.car.commands
        self.modes = [trace.mode for trace in composition.traces]


@pytest.fixture(scope="module")
def single() -> Drive:
    """The drive that the others are compared with."""
    return Drive("single", is_traced=True)


WHO = ["autonomy", "keyboard", "safe_stop", "autonomy", "dashboard", "safe_stop", "autonomy"]


def test_the_drive_is_one(single: Drive) -> None:
    assert single.drivers == WHO
    assert single.given == [
        "control is given back to autonomy",
        "the emergency stop is reset; give_back again lets autonomy drive",
        "control is given back to autonomy",
    ]
    autonomous = VehicleStateReport.MODE_AUTONOMOUS
    assert single.modes[40:] == [autonomous] * len(single.modes[40:])
    brakes = [command.brake for command in single.commands]
    hard = [late > 0.2 and early == 0.0 for early, late in zip(brakes, brakes[20:], strict=False)]
    assert any(hard), "the emergency stop builds up within 0.2 s: no controller softens it"


def test_the_guard_sends_the_same_packets(single: Drive) -> None:
    guarded = Drive("guarded")
    assert guarded.drivers == WHO
    assert guarded.given == single.given
    assert len(guarded.commands) == len(single.commands)
    for n, (here, there) in enumerate(zip(guarded.commands, single.commands, strict=True)):
        assert repr(astuple(here)) == repr(astuple(there)), f"packet {n}"


def test_stages_of_their_own_drive_alike(single: Drive) -> None:
    stages = Drive("stages")
    assert stages.drivers == WHO
    assert stages.given == single.given
    assert len(stages.commands) == len(single.commands)
    for n, here in enumerate(stages.commands):
        near = single.commands[max(n - 1, 0) : n + 2]  # a report may be used a period later
        for name, off in (("throttle", 0.1), ("brake", 0.15), ("steering_tire_angle_rad", 0.02)):
            values = [getattr(there, name) for there in near]
            value = getattr(here, name)
            assert min(values) - off <= value <= max(values) + off, f"packet {n}: {name}"

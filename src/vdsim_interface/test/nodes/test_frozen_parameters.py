"""Parameters of a driving car, through the nodes: refused with parameter, mode and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import rclpy
from rclpy.parameter import Parameter
from std_msgs.msg import Bool
from vdsim_interface.ros import topics
from vdsim_interface_kit.lockstep import COMPOSITIONS, Composition

from vdsim_msgs.msg import HighLevelControlCommand, SafetyStatus, VehicleStateReport
from vdsim_msgs.srv import ChangeMode

ARGUMENTS = ("platform:=vds1", "control_command:=high_level")
ENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_ENGAGE)
DISENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_DISENGAGE)
GO = (topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand(velocity_mps=5.0))
FROZEN = {
    "single": {
        "VehicleInterface": ("safety.stop_decel_mps2", "vehicle.wheelbase_m", "control_command")
    },
    "guarded": {
        "GuardedInterface": ("safety.stop_decel_mps2", "vehicle.wheelbase_m", "control_command")
    },
    "stages": {
        "VelocityControllerNode": ("vehicle.wheelbase_m",),
        "SafetyStateMachineNode": ("safety.stop_decel_mps2", "vehicle.wheelbase_m"),
        "PlatformInterfaceNode": ("safety.stop_decel_mps2",),
    },
}
VALUES = {
    "safety.stop_decel_mps2": 1.5,
    "vehicle.wheelbase_m": 2.5,
    "control_command": "raw",
}


class Car:
    """A composition in virtual time."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name = name
        self.composition = Composition(name, monkeypatch)
        self.states: list[SafetyStatus] = []
        self.composition.bus.listen(SafetyStatus, topics.SAFETY_STATUS, self.states.append)

    @property
    def mode(self) -> int:
        return int(self.states[-1].mode)

    def node(self, kind: str) -> Any:
        [node] = [each for each in self.composition.nodes if type(each).__name__ == kind]
        return node

    def run(self, periods_n: int, *messages: tuple[str, Any]) -> None:
        for _ in range(periods_n):
            self.composition.period(*messages)

    def drive(self) -> None:
        """Engage, and drive until the car moves."""
        self.run(20, GO)
        self.composition.period(GO, (topics.CHANGE_MODE, ENGAGE))
        self.run(150, GO)
        assert self.mode == VehicleStateReport.MODE_AUTONOMOUS

    def set(self, kind: str, name: str, value: object) -> Any:
        [answer] = self.node(kind).set_parameters([Parameter(name, value=value)])
        return answer


@contextmanager
def car_of(name: str, *arguments: str) -> Iterator[Car]:
    """A composition with its parameters."""
    given = (*ARGUMENTS, *arguments)
    rclpy.init(args=["--ros-args", *(word for each in given for word in ("-p", each))])
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Car(name, monkeypatch)
        try:
            yield made
        finally:
            made.composition.close()
            rclpy.try_shutdown()


@pytest.fixture(params=sorted(COMPOSITIONS))
def car(request: pytest.FixtureRequest) -> Iterator[Car]:
    """Nobody sits in it: our stop brakes it whenever the stack does not drive."""
    with car_of(request.param, "safety.rig:=driverless") as made:
        yield made


def test_what_is_frozen_is_refused_while_the_car_is_driven_or_stopped(car: Car) -> None:
    frozen = FROZEN[car.name]
    car.drive()

    def answers() -> dict[tuple[str, str], Any]:
        return {
            (kind, name): car.set(kind, name, VALUES[name])
            for kind, names in frozen.items()
            for name in names
        }

    for (_, name), answer in answers().items():
        assert not answer.successful
        assert answer.reason.startswith(f"{name}={VALUES[name]}: disengage first; it cannot change")
        assert "AUTONOMOUS" in answer.reason
    before = car.states[-1].parameters_hash
    car.composition.period(GO, (topics.CHANGE_MODE, DISENGAGE))
    car.run(5)
    for (_, name), answer in answers().items():
        assert not answer.successful, name
        assert "wait until the car stands" in answer.reason
        assert "during a safe stop" in answer.reason
    car.run(500)
    for (kind, name), answer in answers().items():
        assert answer.successful, (kind, name, answer.reason)
    car.run(20)
    assert car.states[-1].parameters_hash != before


def test_gains_stay_live(car: Car) -> None:
    car.drive()
    kind = type(car.composition.nodes[0]).__name__
    assert car.set(kind, "controller.kp_1ps", 0.7).successful
    assert car.set(kind, "safety.stop_decel_mps2", 2.5).successful  # as it is
    car.run(10, GO)
    assert car.mode == VehicleStateReport.MODE_AUTONOMOUS


@pytest.mark.parametrize("name", sorted(COMPOSITIONS))
def test_a_person_who_drives_freezes_nothing(name: str) -> None:
    with car_of(name) as car:
        car.drive()
        car.composition.period((topics.DRIVER_OVERRIDE, Bool(data=True)))
        car.run(5)
        for kind, names in FROZEN[name].items():
            for each in names:
                answer = car.set(kind, each, VALUES[each])
                assert answer.successful, (kind, each, answer.reason)


@pytest.mark.parametrize("name", sorted(COMPOSITIONS))
def test_rules_that_are_off_do_not_act_and_are_named(name: str) -> None:
    """[VI-3.5] By name, in every composition; the watchdogs cannot be off."""
    with car_of(name, "safety.disabled_rules:=rate,standstill_hold") as car:
        car.drive()
        assert list(car.states[-1].disabled_rules) == ["rate", "standstill_hold"]
        acted = {each.rule for each in car.states[-1].interventions}
        assert "shift_hold" in acted
        assert not acted & {"rate", "standstill_hold"}
        kind = next(each for each, names in FROZEN[name].items() if "safety." in str(names))
        assert not car.set(kind, "safety.disabled_rules", "").successful
    with car_of(name) as car:
        car.drive()
        assert not car.states[-1].disabled_rules
        assert {"rate", "standstill_hold"} <= {each.rule for each in car.states[-1].interventions}


@pytest.mark.parametrize("name", sorted(COMPOSITIONS))
def test_a_driver_can_be_ignored_in_every_composition(name: str) -> None:
    arguments = ("safety.rig:=driverless", "safety.driver_override:=ignored")
    with car_of(name, *arguments) as car:
        car.drive()
        car.composition.period(GO, (topics.DRIVER_OVERRIDE, Bool(data=True)))
        car.run(20, GO)
        assert car.mode == VehicleStateReport.MODE_AUTONOMOUS
        assert "driver_ignored" in {each.rule for each in car.states[-1].interventions}


def test_the_guard_decides_even_if_the_shell_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with car_of("guarded") as car:
        car.drive()
        monkeypatch.setattr(car.node("GuardedInterface"), "frozen_because", lambda: "")
        answer = car.set("GuardedInterface", "safety.stop_decel_mps2", 1.5)
        assert not answer.successful
        assert "disengage first" in answer.reason
        assert car.node("GuardedInterface").parameters.safety.stop_decel_mps2 == 2.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("guard.fifo_priority", 50),
        ("guard.lock_memory", True),
        ("guard.answer_timeout_s", 1.0),
        ("guard.socket", "/tmp/other.sock"),
    ],
)
def test_what_the_guard_takes_at_the_start_is_refused_later(name: str, value: object) -> None:
    with car_of("guarded") as car:
        answer = car.set("GuardedInterface", name, value)
        assert not answer.successful
        assert answer.reason == f"{name}={value}: is decided when the node starts"


def test_the_hash_is_the_same_in_all_compositions() -> None:
    hashes = {}
    for name in COMPOSITIONS:
        with car_of(name) as car:
            car.run(20)
            hashes[name] = car.states[-1].parameters_hash
    assert len(set(hashes.values())) == 1
    assert all(len(each) == 16 for each in hashes.values())

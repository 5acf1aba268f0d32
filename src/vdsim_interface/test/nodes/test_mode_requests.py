"""Requests of a mode that are no requests, and requests by topic, in every composition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from vdsim_interface.ros import topics
from vdsim_interface_kit.lockstep import COMPOSITIONS, Composition

from vdsim_msgs.msg import HighLevelControlCommand, ModeAnswer, ModeRequest, SafetyStatus
from vdsim_msgs.srv import ChangeMode

ENGAGE, DISENGAGE = ChangeMode.Request.REQUEST_ENGAGE, ChangeMode.Request.REQUEST_DISENGAGE
GO = (topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand(velocity_mps=5.0))
REQUESTS, ANSWERS = topics.twin_of(topics.CHANGE_MODE)
AUTONOMOUS, MANUAL = 2, 0
WRONG = 12345


class Car:
    """A composition in virtual time, and the answers on the twin's topic."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.composition = Composition(name, monkeypatch)
        self.answers: list[ModeAnswer] = []
        self.states: list[SafetyStatus] = []
        self.composition.bus.listen(ModeAnswer, ANSWERS, self.answers.append)
        self.composition.bus.listen(SafetyStatus, topics.SAFETY_STATUS, self.states.append)
        self.run(20)

    @property
    def mode(self) -> int:
        return int(self.states[-1].mode)

    def run(self, periods_n: int, *messages: tuple[str, Any]) -> None:
        for _ in range(periods_n):
            self.composition.period(GO, *messages)

    def ask(self, request: int, **fields: int) -> None:
        """Publish a request by topic, and let the handshake pass."""
        message = ModeRequest(client=3, request=request, **fields)
        self.composition.period(GO, (REQUESTS, message))
        self.run(100)


@pytest.fixture(params=sorted(COMPOSITIONS))
def car(request: pytest.FixtureRequest) -> Iterator[Car]:
    arguments = ("platform:=vds1", "control_command:=high_level")
    rclpy.init(args=["--ros-args", *(word for each in arguments for word in ("-p", each))])
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Car(request.param, monkeypatch)
        try:
            yield made
        finally:
            made.composition.close()
            rclpy.try_shutdown()


def test_engaging_needs_the_check_and_disengaging_does_not(car: Car) -> None:
    composition = car.composition
    for number in (0, WRONG, 2**32 - 1):
        car.run(100, (topics.CHANGE_MODE, ChangeMode.Request(check=number, request=ENGAGE)))
        assert car.mode == MANUAL
    assert not any(composition.answers)
    assert "check=" in car.states[-1].last_refusal_reason
    car.run(1, (topics.CHANGE_MODE, ChangeMode.Request(request=ENGAGE)))
    car.run(100)
    assert car.mode == AUTONOMOUS
    composition.period(GO, (topics.CHANGE_MODE, ChangeMode.Request(check=WRONG, request=DISENGAGE)))
    assert composition.answers[-1]
    car.run(20)
    assert car.mode != AUTONOMOUS


def test_a_mode_is_requested_by_topic(car: Car) -> None:
    car.ask(ENGAGE, sequence=1)
    assert car.mode == AUTONOMOUS
    [answer] = car.answers
    assert (answer.client, answer.sequence, answer.success) == (3, 1, True)
    car.ask(DISENGAGE, sequence=2)
    assert car.mode != AUTONOMOUS
    car.ask(ENGAGE, sequence=1)
    assert car.mode != AUTONOMOUS, "a delayed request does not engage"
    assert car.answers[-1].reason == "sequence=1: must be ahead of 2"


def test_by_topic_too_engaging_needs_the_check(car: Car) -> None:
    car.ask(ENGAGE, sequence=1, check=WRONG)
    assert car.mode == MANUAL
    assert not car.answers[-1].success
    assert f"check={WRONG}: must be 1297302614" in car.answers[-1].reason
    car.ask(ENGAGE, sequence=2)
    assert car.mode == AUTONOMOUS
    car.ask(DISENGAGE, sequence=0, check=WRONG)
    assert car.mode != AUTONOMOUS
    assert car.answers[-1].success


def test_a_number_that_is_no_request_is_refused(car: Car) -> None:
    car.ask(7, sequence=1)
    assert car.answers[-1].reason == "request=7: must be 0 (disengage) or 1 (engage)"

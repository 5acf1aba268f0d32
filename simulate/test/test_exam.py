"""A quick part of `./ws exam`: planted causes get the right answer, and a wrong one is marked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import CabinState
from vdsim_protocol.why.causes import CABIN
from vdsim_simulate import stack
from vdsim_simulate.cli import exam
from vdsim_simulate.exam.drive import DRIVE_QUESTIONS
from vdsim_simulate.exam.graph import GRAPH_QUESTIONS
from vdsim_simulate.exam.marks import Mark, mark, names
from vdsim_simulate.exam.pairs import PAIRS, both, healthy
from vdsim_simulate.exam.public import PUBLIC_QUESTIONS
from vdsim_simulate.exam.question import DRIVE, key
from vdsim_simulate.exam.room import Room
from vdsim_simulate.exam.ros.watching import Watch, doctor_answers, named_in, page_answer
from vdsim_simulate.scene import Leg

BY_NAME = {each.name: each for each in (*DRIVE_QUESTIONS, *GRAPH_QUESTIONS)}
QUICK = (
    *("nobody_engaged", "engage_with_open_door", "emergency_stop", "door_opens", "wrong_level"),
    *("planner_not_finite", "command_link_silent", "hand_brake", "park_while_moving"),
)


@pytest.mark.parametrize("name", QUICK)
def test_a_cause_in_a_drive_is_named_first(name: str) -> None:
    question = BY_NAME[name]
    assert mark(question.key, doctor_answers(question)) is Mark.RIGHT


@pytest.mark.parametrize("name", [each.name for each in GRAPH_QUESTIONS if each.is_doctored])
def test_a_cause_in_the_graph_is_named_first(name: str) -> None:
    question = BY_NAME[name]
    assert mark(question.key, doctor_answers(question)) is Mark.RIGHT


def test_two_causes_at_once_are_both_named() -> None:
    one, other = (BY_NAME[name] for name in PAIRS[0])
    answers = doctor_answers(both(one, other))
    assert names(one.key, answers)
    assert names(other.key, answers)


def test_nothing_is_named_while_nothing_is_wrong() -> None:
    scene = replace(DRIVE, legs=(Leg(1.0, 6.0), Leg(6.0, 2.0), Leg(9.0, 2.0, 2.0, 0.05)))
    assert named_in(scene, until_s=14.0) == []


def test_a_door_that_is_shut_again_is_not_open() -> None:
    """Autonomy has ended by it, and a request was refused for it."""
    room = Room(DRIVE, 0.5)
    watch = Watch(room)
    for at_s, is_open in ((4.0, True), (12.0, False)):
        room.agenda.at(at_s, partial(room.people.door, is_open=is_open))
    room.agenda.at(10.0, lambda: room.people.change_mode(engage=True))
    for at_s, cause in ((11.0, "cabin_unsecured"), (14.0, "refused")):
        room.agenda.run_until(at_s)
        assert page_answer(watch).cause == cause


@pytest.mark.parametrize(
    "changed",
    [
        {"legs": (Leg(1.0, 6.0), Leg(5.0, 0.0))},
        {"legs": (Leg(1.0, -2.0), Leg(5.0, 0.0))},
        {"level": "vehicle", "grade": -0.2, "legs": (Leg(1.0, 3.0), Leg(8.0, 0.0))},
    ],
    ids=["stops", "stops in reverse", "its stack compensates a slope"],
)
def test_no_alarm_is_given_for_a_drive_that_ends_at_rest(changed: dict[str, Any]) -> None:
    assert named_in(replace(DRIVE, **changed), until_s=13.0) == []


def test_a_healthy_drive_asks_for_nothing_beyond_a_limit() -> None:
    """Else an answer that names the limit would be right, and counted as wrong."""
    limits = SafetyParameters()
    for seed in range(200):
        scene = healthy(seed)
        asked_mps2 = stack._MOST_ACCEL_MPS2 + stack.G_MPS2 * scene.grade
        assert asked_mps2 <= limits.accel_max_mps2
        for before, leg in pairwise(scene.legs):
            assert leg.speed_mps**2 * abs(leg.curvature_1pm) < 0.3 * limits.lateral_accel_max_mps2
            step_1pm = abs(leg.curvature_1pm - before.curvature_1pm)
            assert step_1pm < 0.002
            assert step_1pm < 1e-9 or leg.speed_mps == before.speed_mps


def test_another_answer_is_wrong_and_not_knowing_is_neither() -> None:
    answers = doctor_answers(BY_NAME["gate_paused"])
    assert mark(key("gate_paused", says="pause"), answers) is Mark.RIGHT
    assert mark(key("gate_paused", says="of another thing"), answers) is Mark.WRONG
    assert mark(key("no_gear", says="pause"), answers) is Mark.WRONG
    unknown = (replace(answers[0], cause="unknown"),)
    assert mark(key("no_gear", says="pause"), unknown) is Mark.UNKNOWN


def test_the_exam_is_large_enough_and_each_name_is_one() -> None:
    assert len(BY_NAME) == len(DRIVE_QUESTIONS) + len(GRAPH_QUESTIONS) >= 60
    assert len(PUBLIC_QUESTIONS) == 30
    assert all(each.source.startswith("https://") for each in PUBLIC_QUESTIONS)
    assert len(PAIRS) == 20
    assert {name for pair in PAIRS for name in pair} <= BY_NAME.keys()


def test_the_words_of_the_cabin_are_those_of_its_state() -> None:
    assert CabinState(False, False, False).unsecured() == CABIN


def test_a_question_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert exam.main(["--only", "no_such"]) == 2
    assert "exam: only=no_such: must be one of" in capsys.readouterr().err

"""Every cause is provoked, the right one comes first, and each says what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from vdsim_protocol.why import (
    CAUSES,
    Control,
    Evidence,
    Level,
    ModeEnd,
    Rule,
    Source,
    all_causes,
    beside,
    every_cause,
    explained,
)
from vdsim_protocol.why.causes import UNKNOWN
from vdsim_protocol.why.evidence import Answered, Finding

HEALTHY = Evidence(
    namespace="/car",
    status_age_s=0.05,
    mode="AUTONOMOUS",
    command_age_s=0.02,
    control=Control.SOURCE,
    source="autonomy",
    control_reason="autonomy is the only source",
    sources=(Source("autonomy", 0.02, "high_level"),),
    gear="DRIVE",
    speed_mps=4.0,
    asked_mps=4.0,
)
"""Autonomy drives, and nothing acts."""
OFF = replace(HEALTHY, mode="MANUAL", speed_mps=0.0)


def ruled(name: str, reason: str = "why") -> Evidence:
    """A drive with one rule that acts."""
    return replace(HEALTHY, active=(Rule(name, reason),))


def unfit(kind: str, *, is_error: bool = False) -> Finding:
    """What the doctor has found."""
    return Finding(kind, f"{kind} was seen", "mend it", is_error)


CASES = {
    "plant_paused": replace(HEALTHY, is_plant_paused=True, is_link_well=False),
    "two_interfaces": replace(
        HEALTHY, findings=(Finding("two_interfaces", "two interfaces", "end one", True),)
    ),
    "not_heard": replace(HEALTHY, status_age_s=None, mode=""),
    "silent": replace(HEALTHY, status_age_s=3.0),
    "emergency_stop": replace(
        HEALTHY, locks=("emergency_stop",), control=Control.SAFE_STOP, source=""
    ),
    "lock": replace(HEALTHY, locks=("stop_all",), control=Control.SAFE_STOP, source=""),
    "link": replace(HEALTHY, is_link_well=False, link_reason="no report for 0.4 s"),
    "cabin_unsecured": ruled("cabin_unsecured", "a door is open"),
    "input_lost": ruled("input_lost", "cabin_state is lost"),
    "give_back": replace(
        HEALTHY,
        control=Control.NONE,
        source="",
        control_reason="gamepad timed out; autonomy waits for give_back: gamepad had control",
    ),
    "engaging": replace(OFF, mode="NOT_READY", blocked="engaging waits: no valid command"),
    "no_command": replace(OFF, command_age_s=None, control=Control.NONE, source=""),
    "refused": replace(OFF, refused=ModeEnd("engage refused: a door is open", 2.0)),
    "not_engaged": OFF,
    "stale_command": replace(HEALTHY, command_age_s=0.9, is_command_stale=True),
    "safe_stop": replace(
        HEALTHY, control=Control.SAFE_STOP, source="", control_reason="gamepad timed out"
    ),
    "released": replace(
        HEALTHY, control=Control.SAFE_STOP, source="", control_reason="emergency stop by x"
    ),
    "not_finite": replace(HEALTHY, rejected=Rule("non_finite_command", "dropped: not finite")),
    "wrong_level": replace(HEALTHY, rejected=Rule("wrong_level", "vehicle_command ignored")),
    "other_domain": replace(OFF, command_age_s=None, findings=(unfit("other_domain"),)),
    "gate_paused": replace(HEALTHY, speed_mps=0.0, asked_mps=0.0, findings=(unfit("gate_paused"),)),
    "other_vendor": replace(OFF, findings=(unfit("other_vendor"),)),
    "two_publishers": replace(HEALTHY, findings=(unfit("two_publishers"),)),
    "implausible": ruled("implausible_report", "the speed jumped"),
    "not_applied": ruled("implausible_report", "3 m/s2 sent, the car does not answer: -4 m/s2"),
    "request_refused": replace(HEALTHY, refused=ModeEnd("PARK refused: the car moves", 2.0)),
    "hand_brake_set": ruled("hand_brake_set"),
    "gear_no_drive": ruled("gear_no_drive"),
    "not_slowing": ruled("not_slowing"),
    "start_refused": ruled("start_refused"),
    "limited": ruled("lateral_accel", "at this speed it would exceed the limit"),
    "person_drives": replace(HEALTHY, source="gamepad"),
    "asks_for_rest": replace(HEALTHY, speed_mps=0.0, asked_mps=0.0),
    "drives": HEALTHY,
    "unknown": Evidence(status_age_s=0.1, command_age_s=0.1),
}


@pytest.mark.parametrize("cause", CASES)
def test_the_right_cause_comes_first_and_has_words(cause: str) -> None:
    answer = explained(CASES[cause])
    assert answer.cause == cause
    assert answer.title
    assert answer.sentence
    assert len(answer.lines) in (1, 2)


def test_every_row_of_the_table_is_provoked() -> None:
    provoking = {
        row.__name__ if row.__name__ != "cause" else row.__doc__
        for row in CAUSES
        for evidence in CASES.values()
        if row(evidence) is not None
    }
    rows = {row.__name__ if row.__name__ != "cause" else row.__doc__ for row in CAUSES}
    assert provoking == rows


@pytest.mark.parametrize("cause", sorted(CASES.keys() - {"engaging", "two_interfaces"}))
def test_what_is_not_good_says_what_to_do(cause: str) -> None:
    answer = explained(CASES[cause])
    if answer.level is not Level.GOOD:
        assert answer.action
    if answer.command:
        assert answer.command.startswith("ros2 ")


@pytest.mark.parametrize(
    ("answered", "cause"),
    [
        (Answered(-2.7, -0.1, 6.7), "not_slowing"),
        (Answered(-2.7, -2.5, 6.7), "drives"),
        (Answered(-1.0, 0.0, 6.7), "drives"),
        (Answered(2.7, -0.3, -2.0), "start_refused"),
        (Answered(2.7, 0.0, 0.0), "start_refused"),
        (Answered(2.7, 2.5, 0.05), "drives"),
        (Answered(2.7, 0.1, 12.0), "drives"),
    ],
)
def test_a_car_that_does_not_do_what_is_sent_is_named(answered: Answered, cause: str) -> None:
    assert explained(replace(HEALTHY, answered=answered)).cause == cause


def test_a_car_that_rolls_back_is_an_alarm() -> None:
    rolls = replace(HEALTHY, speed_mps=-2.0, answered=Answered(2.7, -0.3, -1.5))
    assert explained(rolls).level is Level.ALARM
    assert "rolls back" in explained(rolls).sentence


@pytest.mark.parametrize(
    ("evidence", "cause"),
    [
        (replace(HEALTHY, speed_mps=0.0, asked_mps=0.0), "asks_for_rest"),
        (replace(HEALTHY, asked_mps=None, asked_mps2=-2.0), "drives"),
    ],
    ids=["stands by now", "compensates a slope"],
)
def test_a_car_that_has_slowed_down_as_it_was_meant_to_is_no_alarm(
    evidence: Evidence, cause: str
) -> None:
    assert explained(replace(evidence, answered=Answered(-1.9, -0.1, 1.1))).cause == cause


def test_a_brake_in_reverse_is_no_start() -> None:
    held = replace(HEALTHY, gear="REVERSE", speed_mps=0.0, asked_mps=0.0)
    assert explained(replace(held, answered=Answered(2.0, 0.0, 0.0))).cause == "asks_for_rest"


def test_a_stack_that_brakes_at_rest_is_told_how_to_reverse() -> None:
    brakes = replace(HEALTHY, speed_mps=0.0, asked_mps=None, asked_mps2=-1.0)
    assert explained(brakes).cause == "asks_for_rest"
    assert "-1 m/s2 is a brake" in explained(brakes).evidence


def test_who_stopped_is_told_after_autonomy_has_ended_too() -> None:
    """The reason of control_source is then about the mode, and about the stop where it waits."""
    asked = "a person requested the emergency stop"
    reason = f"the interface is DISENGAGED; autonomy waits for give_back: {asked}"
    stopped = replace(CASES["emergency_stop"], control_reason=reason)
    assert explained(stopped).evidence == asked


@pytest.mark.parametrize(
    ("known", "topic"),
    [
        ({"sources": (Source("autonomy", 0.9, "raw"),)}, "raw_command"),
        ({"sources": (), "asked_mps": None, "asked_mps2": 1.0}, "vehicle_command"),
        ({"sources": (Source("autonomy", -1.0),)}, "high_level_command"),
    ],
)
def test_the_topic_to_look_at_is_that_of_the_stacks_level(
    known: dict[str, Any], topic: str
) -> None:
    stale = replace(CASES["stale_command"], **known)
    assert explained(stale).command == f"ros2 topic hz /car/{topic}"


@pytest.mark.parametrize("level", ["high_level", "vehicle", "raw"])
def test_the_command_to_publish_is_one_of_the_level_that_is_awaited(level: str) -> None:
    blocked = f"no command of level {level} has come; engage was not asked for since"
    none = replace(CASES["no_command"], sources=(), asked_mps=None, blocked=blocked)
    assert f" /car/{level}_command vdsim_msgs/msg/" in explained(none).command


@pytest.mark.parametrize("cause", ["silent", "wrong_level"])
def test_a_command_names_the_node_that_publishes_the_status(cause: str) -> None:
    """With `processes` it is another one."""
    assert " /car/vehicle_interface" in explained(CASES[cause]).command
    nameless = replace(CASES[cause], node="a program without a ROS name")
    assert " /car/vehicle_interface" in explained(nameless).command
    stages = replace(CASES[cause], node="/car/safety_state_machine")
    assert " /car/safety_state_machine" in explained(stages).command


def test_a_lock_does_not_hold_a_car_that_still_moves() -> None:
    assert "still moves" in explained(replace(CASES["lock"], speed_mps=3.0)).sentence
    assert "is held" in explained(replace(CASES["lock"], speed_mps=0.0)).sentence


def test_an_open_door_counts_after_autonomy_has_ended_by_it() -> None:
    ended = replace(OFF, blocked="engage was not asked for; a door is open")
    assert explained(ended).cause == "cabin_unsecured"


@pytest.mark.parametrize(
    "then",
    [
        "the mode has changed: a door is open; nothing shows a motion",
        "the last request to engage was refused: a door is open",
    ],
)
def test_a_door_that_was_open_then_is_not_open_now(then: str) -> None:
    ended = replace(OFF, blocked=f"{then}; engage was not asked for")
    assert explained(ended).cause == "not_engaged"
    assert explained(replace(ended, blocked=f"a door is open; {then}")).cause == "cabin_unsecured"


def test_who_drives_from_the_page_needs_no_stack() -> None:
    person = replace(HEALTHY, source="dashboard", findings=(unfit("no_command"),))
    assert explained(person).cause == "person_drives"


def test_without_an_interface_any_finding_is_the_answer() -> None:
    assert explained(Evidence(findings=(unfit("no_gear"),))).cause == "no_gear"


def test_what_else_holds_is_told_beside_the_first() -> None:
    stopped = replace(CASES["emergency_stop"], findings=(unfit("two_publishers"),))
    answers = every_cause(stopped)
    assert answers[0].cause == "emergency_stop"
    assert [each.cause for each in beside(answers)] == ["two_publishers", "safe_stop"]


@pytest.mark.parametrize("cause", ["emergency_stop", "give_back", "not_engaged", "refused", "lock"])
def test_a_command_names_the_namespace_of_this_car(cause: str) -> None:
    assert " /car/" in explained(CASES[cause]).command


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("plant_paused", "link"),
        ("emergency_stop", "not_engaged"),
        ("link", "refused"),
        ("refused", "not_engaged"),
        ("no_command", "not_engaged"),
        ("cabin_unsecured", "limited"),
    ],
)
def test_the_graver_of_two_causes_is_the_answer_and_both_are_named(first: str, second: str) -> None:
    one, other = CASES[first], CASES[second]
    changed = {
        name: value
        for name, value in vars(other).items()
        if value != getattr(HEALTHY, name) and getattr(one, name) == getattr(HEALTHY, name)
    }
    both = replace(one, **changed, active=one.active + other.active)
    assert explained(both).cause == first
    assert second in [answer.cause for answer in all_causes(both)]


def test_a_refusal_from_before_autonomy_ended_is_not_the_reason_now() -> None:
    ended = replace(
        OFF,
        refused=ModeEnd("engage refused: a door is open", 60.0),
        disengaged=ModeEnd("the driver braked", 3.0),
    )
    answer = explained(ended)
    assert answer.cause == "not_engaged"
    assert "the driver braked" in answer.evidence


def test_a_stop_names_who_asked_for_it() -> None:
    stopped = replace(
        CASES["emergency_stop"],
        control_reason="emergency stop by dashboard; autonomy waits for give_back: it had control",
    )
    assert explained(stopped).evidence == "emergency stop by dashboard"


def test_what_nobody_knows_is_said() -> None:
    assert explained(CASES["unknown"]) is UNKNOWN

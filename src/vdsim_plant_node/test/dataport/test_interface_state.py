"""What the page shows of a vehicle interface, on virtual time."""

from __future__ import annotations

import pytest
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.interface.state import CONFIRM_S, StopRequest, checked_request
from vdsim_plant_node_kit.interfaces import STACK_DRIVES, STOPPED, WELL
from vdsim_protocol.why import ModeEnd, Rule
from vdsim_protocol.why.heard import Body, Heard
from vdsim_protocol.why.steps import Stage, Way


def heard(status: object = WELL, control: object = STACK_DRIVES) -> Heard:
    state = Heard("/car", "/plant")
    state.on_status(status, 0.0)  # type: ignore[arg-type]
    state.on_control(control, 0.0)  # type: ignore[arg-type]
    return state


def texts(state: Heard, now: float = 0.0) -> list[str]:
    view = state.view(now)
    assert view is not None
    return [event["text"] for event in view["events"]]


def test_without_an_interface_there_is_nothing_to_show() -> None:
    state = Heard("/car", "/plant")
    state.on_control(STACK_DRIVES, 0.0)
    assert state.view(0.0) is None
    assert not state.is_heard(0.0)


def test_an_interface_that_falls_silent_is_an_alarm_and_then_gone() -> None:
    state = heard()
    view = state.view(2.0)
    assert view is not None
    assert (view["why"]["cause"], view["fresh"]) == ("silent", False)
    assert state.view(11.0) is None


def test_a_latched_emergency_stop_is_the_answer_and_says_how_to_release_it() -> None:
    view = heard(control=STOPPED).view(0.1, speed_mps=3.0)
    assert view is not None
    why = view["why"]
    assert (view["stopped"], why["cause"], why["level"]) == (True, "emergency_stop", "alarm")
    assert "still moves" in why["sentence"]
    assert why["command"] == "ros2 service call /car/give_back std_srvs/srv/Trigger"


def test_a_paused_car_is_named_before_anything_that_follows_from_it() -> None:
    status = WELL._replace(is_link_well=False, link_reason="no report from the vehicle for 0.2 s")
    view = heard(status).view(0.1, is_paused=True)
    assert view is not None
    assert view["why"]["cause"] == "plant_paused"


def test_the_timeline_has_each_change_once() -> None:
    state = heard()
    state.on_status(WELL, 0.1)
    state.on_control(STACK_DRIVES, 0.1)
    assert texts(state, 0.1) == ["mode AUTONOMOUS"]
    state.on_control(STOPPED, 0.2)
    ended = WELL._replace(mode="DISENGAGED", disengaged=ModeEnd("the link was lost", 0.0))
    state.on_status(ended, 0.3)
    state.on_status(ended._replace(disengaged=ModeEnd("the link was lost", 0.1)), 0.4)
    state.on_control(STACK_DRIVES, 0.5)
    assert texts(state, 0.5)[1:] == [
        "emergency stop",
        "emergency stop by topic emergency_stop",
        "AUTONOMOUS to DISENGAGED: the link was lost",
        "emergency stop released",
        "autonomy is the only source",
    ]


def test_the_same_refusal_again_is_a_line_again_and_its_growing_age_is_not() -> None:
    state = heard()
    for now, age_s in ((1.0, 0.0), (1.1, 0.1), (4.0, 3.0), (4.1, 0.0), (4.2, 0.1)):
        refused = ModeEnd("engage refused: a door is open", age_s)
        state.on_status(WELL._replace(mode="MANUAL", refused=refused), now)
    assert texts(state, 4.2).count("engage refused: a door is open") == 2


def test_a_rule_that_begins_to_act_is_a_line_and_one_that_always_acts_is_not() -> None:
    state = heard()
    rules = (Rule("rate", "it changes too fast"), Rule("lateral_accel", "too fast for the bend"))
    state.on_status(WELL._replace(active=rules), 0.1)
    state.on_status(WELL._replace(active=rules), 0.2)
    assert texts(state, 0.2)[1:] == ["too fast for the bend"]


def test_the_timeline_is_bounded() -> None:
    state = heard()
    for n in range(1000):
        state.on_control(STACK_DRIVES._replace(reason=f"source {n}"), 0.1)
    assert texts(state, 0.1)[-1] == "source 999"
    assert len(texts(state, 0.1)) < 50


def test_a_trace_is_shown_while_it_is_fresh_and_says_why_commands_are_blocked() -> None:
    state = heard(WELL._replace(mode="MANUAL"))
    state.on_body(Body("PARK", True, "OFF", "OFF", "OFF", False))
    stages = (("requested", Stage(velocity_mps=4.0)), ("sent", Stage(brake=0.2)))
    state.on_way(Way(stages, ("gear 0 -> 2 by gear_stop",), "a door is open"), 0.1)
    view = state.view(0.2)
    assert view is not None
    assert view["stages"]["requested"]["velocity_mps"] == 4.0
    assert view["body"]["gear"] == "PARK"
    assert view["why"]["cause"] == "cabin_unsecured"
    assert "a door is open" in view["why"]["evidence"]
    late = state.view(5.0)
    assert late is not None
    assert late["stages"] is None


def test_a_stop_is_repeated_until_it_is_confirmed() -> None:
    stop = StopRequest()
    assert not stop.is_due((), 0.0), "nobody has asked"
    stop.ask(0.0)
    assert stop.is_due((), 0.1)
    assert stop.is_due(("hold_autonomy",), 0.2), "another lock confirms nothing"
    assert not stop.is_due(("emergency_stop",), 0.3)
    assert not stop.is_due((), 0.4), "a release by somebody is not answered by another stop"


def test_a_stop_that_nobody_confirms_ends() -> None:
    stop = StopRequest()
    stop.ask(0.0)
    assert stop.is_due((), CONFIRM_S)
    assert not stop.is_due((), CONFIRM_S + 0.1)
    stop.ask(9.0)
    assert stop.is_due((), 9.1)


@pytest.mark.parametrize("wrong", ["engaged", "", None, 1, ["engage"]])
def test_a_request_that_there_is_not_is_refused_by_name(wrong: object) -> None:
    with pytest.raises(ParameterError, match=r"request.*engage, disengage, give_back"):
        checked_request(wrong)

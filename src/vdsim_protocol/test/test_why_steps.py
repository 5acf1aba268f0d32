"""The way of a command: each change at its step, with its rule, its bound and its age."""

from __future__ import annotations

from vdsim_protocol.why import explained
from vdsim_protocol.why.evidence import ModeEnd, Rule
from vdsim_protocol.why.heard import Heard, Status
from vdsim_protocol.why.steps import Stage, Way, steps

WAY = Way(
    stages=(
        ("requested", Stage(velocity_mps=12.0, curvature_1pm=0.2)),
        ("filtered", Stage(accel_mps2=1.0)),
        ("limited", Stage(accel_mps2=1.0, wheel_angle_rad=0.165)),
        ("sent", Stage(throttle=0.25, brake=0.0)),
        ("applied", Stage()),
    ),
    reasons=(
        "long_accel_mps2 1.2 -> 1 by low_pass",
        "front_wheel_angle_rad 0.55 -> 0.1653 by lateral_accel",
        "front_wheel_angle_rad 0.1653 -> 0.16 by gate_steer",
        "throttle 0.3 -> 0.25 by platform_limit",
    ),
    blocked="",
)


def test_each_change_stands_at_the_step_that_made_it() -> None:
    found = {step.name: [each.rule for each in step.changes] for step in steps(WAY, {})}
    assert found == {
        "requested": [],
        "filtered": ["low_pass"],
        "limited": ["lateral_accel"],
        "gate": ["gate_steer"],
        "sent": ["platform_limit"],
        "applied": [],
    }


def test_a_step_says_its_values_and_a_change_its_rule_bound_and_age() -> None:
    by_name = {step.name: step for step in steps(WAY, {"lateral_accel": 3.0})}
    assert by_name["requested"].text == "speed 12 m/s, curvature 0.2 1/m"
    assert by_name["applied"].text == "nothing"
    (change,) = by_name["limited"].changes
    assert change.line == (
        "front wheel angle [rad] 0.55 -> 0.1653 by the rule lateral_accel, for 3.0 s"
    )
    assert change.bounds == ("safety.lateral_accel_max_mps2",)


def bounds_of(reason: str) -> tuple[str, ...]:
    way = Way((("limited", Stage()),), (reason,), "")
    (change,) = steps(way, {})[0].changes
    return change.bounds


def test_a_bound_is_that_of_the_channel() -> None:
    angle = "front_wheel_angle_rad 0.6 -> 0.55 by"
    accel = "long_accel_mps2 4 -> 3 by"
    assert bounds_of(f"{angle} range") == ("vehicle.front_wheel_angle_max_rad",)
    assert bounds_of(f"rear_{angle.removeprefix('front_')} range") == (
        "vehicle.rear_wheel_angle_max_rad",
    )
    assert bounds_of(f"{accel} range") == ("safety.accel_max_mps2", "safety.decel_max_mps2")
    assert bounds_of(f"{accel} rate") == ("safety.jerk_max_mps3", "safety.brake_jerk_max_mps3")
    assert "safety.steer_rate_max_radps" in bounds_of(f"{angle} rate")


def test_figures_that_do_not_differ_are_one() -> None:
    way = Way((("limited", Stage()),), ("front_wheel_angle_rad 0.55 -> 0.55 by range",), "")
    (change,) = steps(way, {})[0].changes
    assert change.line == "front wheel angle [rad] held at 0.55 by the rule range"


def test_a_rule_acts_since_the_status_that_first_named_it() -> None:
    def status(*names: str) -> Status:
        rules = tuple(Rule(name, "why") for name in names)
        return Status("AUTONOMOUS", ModeEnd(), ModeEnd(), 0.0, False, True, "", rules)

    heard = Heard("/car", "/plant")
    for now, names in ((1.0, ()), (2.0, ("lateral_accel",)), (3.0, ("lateral_accel",))):
        heard.on_status(status(*names), now)
    heard.on_way(WAY, 5.0)
    limited = next(step for step in heard.steps(5.0) if step.name == "limited")
    assert limited.changes[0].since_s == 3.0
    heard.on_status(status(), 5.1)
    heard.on_status(status("lateral_accel"), 5.5)
    limited = next(step for step in heard.steps(5.5) if step.name == "limited")
    assert limited.changes[0].since_s == 0.0


def test_what_the_platform_limits_is_the_answer_though_no_status_names_it() -> None:
    heard = Heard("/car", "/plant")
    heard.on_status(Status("AUTONOMOUS", ModeEnd(), ModeEnd(), 0.0, False, True, "", ()), 1.0)
    stages = (("requested", Stage(throttle=4.0, brake=0.0)), ("sent", Stage(throttle=1.0)))
    heard.on_way(Way(stages, (), ""), 1.0)
    assert explained(heard.evidence(1.0)).cause == "drives"
    heard.on_way(Way(stages, ("throttle 4 -> 1 by platform_limit",), ""), 1.0)
    answer = explained(heard.evidence(1.0))
    assert answer.cause == "limited"
    assert answer.sentence == "throttle 4 -> 1 by the rule platform_limit"


def test_without_a_trace_there_is_no_way() -> None:
    assert Heard("/car", "/plant").steps(1.0) == ()


def test_what_was_sent_before_raw_commands_is_not_compared_with_what_the_car_does() -> None:
    heard = Heard("/car", "/plant")
    heard.on_status(Status("AUTONOMOUS", ModeEnd(), ModeEnd(), 0.0, False, True, "", ()), 0.0)
    for n in range(40):
        now = 0.1 * n
        sent = Stage(accel_mps2=-4.0) if now < 1.5 else Stage(throttle=100.0)
        heard.on_way(Way((("requested", Stage()), ("limited", sent)), (), ""), now)
        heard.on_speed(3.0, now)
        heard.on_status(Status("AUTONOMOUS", ModeEnd(), ModeEnd(), 0.0, False, True, "", ()), now)
        cause = explained(heard.evidence(now, speed_mps=3.0)).cause
        if n in (14, 30):
            assert cause == ("not_slowing" if n == 14 else "drives")

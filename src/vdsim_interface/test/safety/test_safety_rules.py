"""A case table for every motion rule: motion in, context, motion out. `SAME`: unchanged."""

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.safety import rules
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import MotionCommand, RuleContext, Special
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.safety.rules import RULES, Rule, RuleFunction, kind_named, rules_for
from vdsim_interface.safety.stops import standing_stops
from vdsim_interface.values import Gear, NoticeKind, Stop, Until, VehicleCommand
from vdsim_interface_kit.safety import LIMITS, STILL, at_rest, context

NAN, INF = math.nan, math.inf
ASK = MotionCommand(1.0, 0.1, 0.05)
SAME = None
TURN = 0.01 * 15.0 * 3.0 / 10.0**2 * math.cos(0.3) ** 2
"""What the lateral jerk permits in a period at 10 m/s, wheels at 0.3 rad."""
# jerk 2.5 m/s3 for 0.01 s
STOP_STEP = 0.025
LEAD = LIMITS.steer_lead_max_rad


def prev(drive: float = 0.0, front: float = 0.0, rear: float = 0.0) -> dict[str, MotionCommand]:
    return {"previous": MotionCommand(drive, front, rear)}


BEFORE = prev(-1.0, 0.2, 0.02)
Case = tuple[RuleFunction, MotionCommand, RuleContext, MotionCommand | None]
EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)


def stopping(**changes: Any) -> RuleContext:
    """A situation in which something stops the car, with the stops that stand."""
    situation = context(**changes)
    return situation._replace(stops=standing_stops(situation, LIMITS))


def stopping_at_rest(**changes: Any) -> RuleContext:
    """The same, of a car that stands."""
    return stopping(speed_mps=0.0, at_rest=True, **changes)


CASES: list[Case] = [
    # rear wheels that nobody can steer
    (
        rules.no_rear_steering,
        MotionCommand(1.0, 0.1, 0.05),
        context(rear_steering_unsupported=True),
        MotionCommand(1.0, 0.1, 0.0),
    ),
    # manual block, watchdogs: stop from here, smoothly, steering held ([VI-5.1])
    (
        rules.stopped,
        ASK,
        stopping(blocked=True, **BEFORE),
        MotionCommand(-1.0 - STOP_STEP, 0.2, 0.02),
    ),
    (
        rules.stopped,
        ASK,
        stopping(command_fresh=False, **BEFORE),
        MotionCommand(-1.0 - STOP_STEP, 0.2, 0.02),
    ),
    (  # throttle is let go at once
        rules.stopped,
        ASK,
        stopping(command_fresh=False, **prev(2.0, 0.3)),
        MotionCommand(-STOP_STEP, 0.3, 0.0),
    ),
    (  # no more than the stop's own deceleration
        rules.stopped,
        ASK,
        stopping(command_fresh=False, **prev(-2.49)),
        MotionCommand(-2.5, 0.0, 0.0),
    ),
    (  # harder braking stays as hard while the car moves
        rules.stopped,
        ASK,
        stopping(command_fresh=False, **prev(-5.0)),
        MotionCommand(-5.0, 0.0, 0.0),
    ),
    (  # at rest it is let go to the stop's own
        rules.stopped,
        ASK,
        stopping_at_rest(command_fresh=False, **prev(-5.0)),
        MotionCommand(-2.5, 0.0, 0.0),
    ),
    (  # a sender that still commands may brake harder than a stop that it does not cause
        rules.stopped,
        MotionCommand(-4.0, 0.1, 0.0),
        stopping(link_fresh=False, **prev(-1.0, 0.2)),
        MotionCommand(-4.0, 0.2, 0.0),
    ),
    (  # with the jerk of the hardest stop that stands
        rules.stopped,
        ASK,
        stopping(emergency=EMERGENCY, cabin_secured=False, **prev(-3.0)),
        MotionCommand(-3.2, 0.1, 0.05),
    ),
    (
        rules.stopped,
        ASK,
        stopping(emergency=EMERGENCY, **prev(-5.9)),
        MotionCommand(-6.0, 0.1, 0.05),
    ),
    (
        rules.stopped,
        ASK,
        stopping(link_fresh=False, **BEFORE),
        MotionCommand(-1.025, 0.2, 0.02),
    ),
    # cabin: brake, but steer as commanded ([VI-3.3])
    (
        rules.stopped,
        ASK,
        stopping(cabin_secured=False, **BEFORE),
        MotionCommand(-1.025, 0.1, 0.05),
    ),
    (  # whoever brakes harder may
        rules.stopped,
        MotionCommand(-4.0, 0.1, 0.0),
        stopping(cabin_secured=False, **BEFORE),
        SAME,
    ),
    (  # as hard as the stop: nothing was changed, so nothing is reported
        rules.stopped,
        MotionCommand(-2.5, 0.1, 0.0),
        stopping(cabin_secured=False, **prev(-2.5)),
        SAME,
    ),
    (
        rules.stopped,
        ASK,
        stopping(input_lost=True, **BEFORE),
        MotionCommand(-1.025, 0.1, 0.05),
    ),
    (
        rules.stopped,
        MotionCommand(-2.5, 0.1, 0.0),
        stopping(input_lost=True, **prev(-2.5)),
        SAME,
    ),
    # range
    (rules.in_range, ASK, context(), SAME),
    (rules.in_range, MotionCommand(3.0, 0.5, 0.1), context(), SAME),
    (rules.in_range, MotionCommand(-6.0, -0.5, -0.1), context(), SAME),
    (rules.in_range, MotionCommand(3.01, 0.0, 0.0), context(), MotionCommand(3.0, 0.0, 0.0)),
    (rules.in_range, MotionCommand(-6.01, 0.0, 0.0), context(), MotionCommand(-6.0, 0.0, 0.0)),
    (rules.in_range, MotionCommand(0.0, 0.51, 0.0), context(), MotionCommand(0.0, 0.5, 0.0)),
    (rules.in_range, MotionCommand(0.0, -0.51, 0.0), context(), MotionCommand(0.0, -0.5, 0.0)),
    (rules.in_range, MotionCommand(0.0, 0.0, 0.11), context(), MotionCommand(0.0, 0.0, 0.1)),
    (rules.in_range, MotionCommand(0.0, 0.0, -0.11), context(), MotionCommand(0.0, 0.0, -0.1)),
    # lateral acceleration: v^2 (tan f - tan r) / L <= 5 m/s2
    (rules.lateral_accel, MotionCommand(0.0, 0.14, 0.0), context(), SAME),
    (
        rules.lateral_accel,
        MotionCommand(0.0, 0.3, 0.0),
        context(),
        MotionCommand(0.0, math.atan(0.15), 0.0),
    ),
    (
        rules.lateral_accel,
        MotionCommand(0.0, -0.3, 0.0),
        context(),
        MotionCommand(0.0, -math.atan(0.15), 0.0),
    ),
    (
        rules.lateral_accel,
        MotionCommand(1.0, math.atan(0.2), -math.atan(0.1)),
        context(),
        MotionCommand(1.0, math.atan(0.1), -math.atan(0.05)),
    ),
    (rules.lateral_accel, MotionCommand(0.0, 0.3, 0.3), context(), SAME),  # crab: no curvature
    (rules.lateral_accel, MotionCommand(0.0, 0.5, 0.0), at_rest(), SAME),
    # wheels across a standing car: whatever its lock, nothing accelerates sideways
    (rules.lateral_accel, MotionCommand(0.0, 1.55, 0.0), at_rest(), SAME),
    # exactly at the limit: 5 m/s2 at 1 m/s, of a car as long as tan(0.4) / 5
    (
        rules.lateral_accel,
        MotionCommand(0.0, 0.4, 0.0),
        context(speed_mps=1.0, wheelbase_m=math.tan(0.4) / 5.0),
        SAME,
    ),
    (
        rules.lateral_accel,
        MotionCommand(0.0, 0.3, 0.0),
        context(speed_mps=-10.0),
        MotionCommand(0.0, math.atan(0.15), 0.0),
    ),
    # no throttle: whatever takes it away, a standing car is held
    (rules.no_throttle, ASK, context(), MotionCommand(0.0, 0.1, 0.05)),
    (rules.no_throttle, ASK, at_rest(), MotionCommand(-2.0, 0.1, 0.05)),
    (rules.no_throttle, MotionCommand(-1.0, 0.0, 0.0), context(), SAME),
    (rules.no_throttle, MotionCommand(0.0, 0.0, 0.0), context(), SAME),
    # rate: jerk up 10, brake jerk 20 m/s3; steer 0.8 rad/s at 10 m/s is cut by lateral jerk 0.45
    (rules.rate, MotionCommand(0.1, 0.0, 0.0), context(), SAME),
    (rules.rate, MotionCommand(0.2, 0.0, 0.0), context(), MotionCommand(0.1, 0.0, 0.0)),
    (rules.rate, MotionCommand(-0.2, 0.0, 0.0), context(), SAME),
    (rules.rate, MotionCommand(-0.3, 0.0, 0.0), context(), MotionCommand(-0.2, 0.0, 0.0)),
    (rules.rate, MotionCommand(0.5, 0.0, 0.0), context(**prev(2.0)), SAME),
    (
        rules.rate,
        MotionCommand(-1.0, 0.0, 0.0),
        context(**prev(2.0)),
        MotionCommand(-0.2, 0.0, 0.0),
    ),
    (
        rules.rate,
        MotionCommand(-2.0, 0.0, 0.0),
        context(**prev(-1.0)),
        MotionCommand(-1.2, 0.0, 0.0),
    ),
    (
        rules.rate,
        MotionCommand(0.0, 0.0, 0.0),
        context(**prev(-1.0)),
        MotionCommand(-0.9, 0.0, 0.0),
    ),
    (rules.rate, MotionCommand(0.0, 0.1, 0.0), context(), MotionCommand(0.0, 0.0045, 0.0)),
    (rules.rate, MotionCommand(0.0, -0.1, 0.0), context(), MotionCommand(0.0, -0.0045, 0.0)),
    (rules.rate, MotionCommand(0.0, 0.0, 0.1), context(), MotionCommand(0.0, 0.0, 0.0045)),
    (rules.rate, MotionCommand(0.0, 0.0, -0.1), context(), MotionCommand(0.0, 0.0, -0.0045)),
    (rules.rate, MotionCommand(0.0, 0.004, -0.004), context(), SAME),
    # from either side, towards the middle and away from it
    (
        rules.rate,
        MotionCommand(0.0, -0.1, 0.1),
        context(**prev(0.0, -0.3, 0.05)),
        MotionCommand(0.0, -0.3 + TURN, 0.05 + TURN),
    ),
    (
        rules.rate,
        MotionCommand(0.0, -0.5, -0.1),
        context(**prev(0.0, -0.3, 0.05)),
        MotionCommand(0.0, -0.3 - TURN, 0.05 - TURN),
    ),
    (
        rules.rate,
        MotionCommand(0.0, 0.5, -0.1),
        context(**prev(0.0, 0.3, -0.05)),
        MotionCommand(0.0, 0.3 + TURN, -0.05 - TURN),
    ),
    (
        rules.rate,
        MotionCommand(0.0, 0.1, 0.1),
        context(**prev(0.0, 0.3, -0.05)),
        MotionCommand(0.0, 0.3 - TURN, -0.05 + TURN),
    ),
    # a standing car starts from zero whatever the brake held, and brakes without limit
    (rules.rate, MotionCommand(1.0, 0.0, 0.0), at_rest(**prev(-2.0)), MotionCommand(0.1, 0.0, 0.0)),
    (rules.rate, MotionCommand(1.0, 0.0, 0.0), at_rest(**prev(0.5)), MotionCommand(0.6, 0.0, 0.0)),
    (rules.rate, MotionCommand(-5.0, 0.0, 0.0), at_rest(), SAME),
    (rules.rate, MotionCommand(0.0, 0.1, 0.0), at_rest(), MotionCommand(0.0, 0.008, 0.0)),
    # steer lead: within 0.3 rad of the measured angles
    (rules.steer_lead, MotionCommand(0.0, 0.3, -0.3), context(), SAME),
    (rules.steer_lead, MotionCommand(0.0, -0.3, 0.3), context(), SAME),
    (rules.steer_lead, MotionCommand(0.0, 0.5, 0.5), context(front_rad=0.25, rear_rad=0.25), SAME),
    (rules.steer_lead, MotionCommand(1.0, 0.4, 0.0), context(), MotionCommand(1.0, 0.3, 0.0)),
    (rules.steer_lead, MotionCommand(1.0, -0.4, 0.0), context(), MotionCommand(1.0, -0.3, 0.0)),
    (
        rules.steer_lead,
        MotionCommand(1.0, 0.0, 0.4),
        context(rear_rad=0.05),
        MotionCommand(1.0, 0.0, 0.35),
    ),
    (
        rules.steer_lead,
        MotionCommand(1.0, 0.0, -0.4),
        context(rear_rad=0.05),
        MotionCommand(1.0, 0.0, -0.25),
    ),
    (rules.steer_lead, MotionCommand(1.0, 0.4, 0.4), context(link_fresh=False), SAME),
    # lead: each axle by its own measured angle
    (
        rules.steer_lead,
        MotionCommand(0.0, 0.4, -0.4),
        context(front_rad=0.4, rear_rad=-0.4),
        SAME,
    ),
    (
        rules.steer_lead,
        MotionCommand(0.0, 1.0, -1.0),
        context(front_rad=0.1, rear_rad=-0.2),
        MotionCommand(0.0, 0.1 + LEAD, -0.2 - LEAD),
    ),
    # a shift: the brake holds a standing car, a rolling one is not pushed
    (rules.shift_hold, ASK, at_rest(), MotionCommand(-2.0, 0.1, 0.05)),
    (rules.shift_hold, MotionCommand(-3.0, 0.0, 0.0), at_rest(), SAME),
    (rules.shift_hold, MotionCommand(-2.0, 0.0, 0.0), at_rest(), SAME),
    (rules.shift_hold, ASK, context(), MotionCommand(0.0, 0.1, 0.05)),
    (rules.shift_hold, MotionCommand(-1.0, 0.0, 0.0), context(), SAME),
    (rules.shift_hold, MotionCommand(0.0, 0.0, 0.0), context(), SAME),
    # standstill: held until a request to drive
    (rules.standstill_hold, MotionCommand(0.0, 0.1, 0.0), at_rest(), MotionCommand(-2.0, 0.1, 0.0)),
    (
        rules.standstill_hold,
        MotionCommand(0.05, 0.0, 0.0),
        at_rest(),
        MotionCommand(-2.0, 0.0, 0.0),
    ),
    (
        rules.standstill_hold,
        MotionCommand(-1.0, 0.0, 0.0),
        at_rest(),
        MotionCommand(-2.0, 0.0, 0.0),
    ),
    (rules.standstill_hold, MotionCommand(0.06, 0.0, 0.0), at_rest(), SAME),
    (rules.standstill_hold, MotionCommand(-2.0, 0.0, 0.0), at_rest(), SAME),
    (rules.standstill_hold, MotionCommand(-3.0, 0.0, 0.0), at_rest(), SAME),
]
IDS = [f"{case[0].__name__}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize(("rule", "motion", "situation", "expected"), CASES, ids=IDS)
def test_rule(
    rule: RuleFunction,
    motion: MotionCommand,
    situation: RuleContext,
    expected: MotionCommand | None,
) -> None:
    got = rule(motion, situation, LIMITS)
    if expected is SAME:
        assert got is motion
    else:
        assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("channel", range(3))
def test_smoothing_moves_a_swinging_channel_by_its_share_only(channel: int) -> None:
    """[VI-3.1] A first-order low-pass of 0.5 Hz: 2 pi 0.5 0.01 / (1 + that) of the way."""
    flags = tuple(index == channel for index in range(3))
    before = MotionCommand(-1.0, 0.2, 0.02)
    got = rules.high_frequency(ASK, context(oscillating=flags, previous=before), LIMITS)
    turn = math.pi * 0.01
    share = turn / (1.0 + turn)
    for index, (old, new) in enumerate(zip(before, ASK, strict=True)):
        expected = old + share * (new - old) if index == channel else new
        assert got[index] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("asked", "held_back"), [(-6.0, False), (0.0, True), (1.0, True)])
def test_more_brake_is_never_smoothed_and_less_throttle_is(asked: float, held_back: bool) -> None:
    situation = context(oscillating=(True, False, False), previous=MotionCommand(2.0, 0.0, 0.0))
    got = rules.high_frequency(MotionCommand(asked, 0.0, 0.0), situation, LIMITS).drive_mps2
    assert (got > asked) is held_back


@pytest.mark.parametrize(
    ("speed", "expected"),
    [
        (0.0, 0.8),
        (10.0, 0.8),
        (12.5, 0.725),
        (-12.5, 0.725),
        (15.0, 0.65),
        (20.0, 0.5),
        (25.0, 0.4),
        (30.0, 0.3),
        (60.0, 0.3),
    ],
)
def test_steer_rate_table(speed: float, expected: float) -> None:
    """Linear between the speeds of the table; the last value beyond it."""
    free = SafetyParameters(lateral_jerk_max_mps3=200.0)
    table = rules.steer_rate(speed, 0.0, 1000.0, free)
    assert table == pytest.approx(expected, abs=1e-12)


def test_steer_rate_with_one_speed_is_constant() -> None:
    one = SafetyParameters(steer_rate_speeds_mps=(5.0,), steer_rate_max_radps=(0.7,))
    assert [rules.steer_rate(v, 0.0, 1000.0, one) for v in (0.0, 5.0, 9.0)] == [0.7] * 3


def test_a_standing_car_has_no_lateral_jerk() -> None:
    assert rules.steer_rate(0.0, 1.55, 3.0, LIMITS) == LIMITS.steer_rate_max_radps[0]


@pytest.mark.parametrize(("speed", "angle"), [(10.0, 0.0), (10.0, 0.4), (-20.0, 0.2)])
def test_steer_rate_by_lateral_jerk(speed: float, angle: float) -> None:
    """d/dt (v^2 tan(angle) / L) stays below the limit."""
    rate = rules.steer_rate(speed, angle, 3.0, LIMITS)
    jerk = speed**2 / 3.0 * rate / math.cos(angle) ** 2
    assert jerk == pytest.approx(LIMITS.lateral_jerk_max_mps3)


def test_the_order_of_the_rules() -> None:
    """What smooths is first, then what stops, what bounds follows, what holds has the last word."""
    kinds = [rule.kind for rule in RULES]
    assert kinds == [
        "no_rear_steering",
        "high_frequency",
        "manual_block",
        "command_timeout",
        "link_timeout",
        "cabin_unsecured",
        "input_lost",
        "emergency",
        "range",
        "lateral_accel",
        "rate",
        "steer_lead",
        "range",
        "hand_brake_set",
        "gear_no_drive",
        "shift_hold",
        "standstill_hold",
    ]


def test_what_stays_when_safety_is_switched_off() -> None:
    """[VI-3.5]"""
    assert [rule.kind for rule in RULES if rule.stays] == [
        "no_rear_steering",
        "manual_block",
        "command_timeout",
        "link_timeout",
        "input_lost",
        "emergency",
    ]


SITUATIONS: tuple[tuple[Special, dict[str, object]], ...] = (
    (Special.BLOCKED, {"blocked": True}),
    (Special.COMMAND_STALE, {"command_fresh": False}),
    (Special.LINK_STALE, {"link_fresh": False}),
    (Special.CABIN_UNSECURED, {"cabin_secured": False}),
    (Special.OSCILLATING, {"oscillating": (True, False, False)}),
    (Special.OSCILLATING, {"oscillating": (False, True, False)}),
    (Special.OSCILLATING, {"oscillating": (False, False, True)}),
    (Special.HAND_BRAKE, {"hand_brake": True}),
    (Special.NO_DRIVE_GEAR, {"gear": Gear.PARK}),
    (Special.NO_DRIVE_GEAR, {"gear": Gear.NEUTRAL}),
    (Special.SHIFTING, {"shifting": True}),
    (Special.AT_REST, {"at_rest": True}),
    (Special.REAR_STEERING_UNSUPPORTED, {"rear_steering_unsupported": True}),
    (Special.INPUT_LOST, {"input_lost": True}),
    (Special.EMERGENCY, {"emergency": EMERGENCY}),
)


@pytest.mark.parametrize(("special", "changes"), SITUATIONS, ids=str)
def test_each_special_situation_is_recognised(special: Special, changes: dict[str, object]) -> None:
    assert context().special() == Special.NOTHING
    assert context(**changes).special() == special


def test_every_special_situation_can_be_recognised() -> None:
    """A rule for a situation that no context reports would never run."""
    assert {special for special, _ in SITUATIONS} == set(Special)


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.LOW, Gear.REVERSE])
def test_driving_is_plain_in_every_gear_that_drives(gear: Gear) -> None:
    assert context(gear=gear).special() == Special.NOTHING


def test_a_misspelt_field_of_the_situation_is_an_error() -> None:
    """The stage sets one field after the others; a rule would never see a misspelt one."""
    with pytest.raises(AttributeError):
        context().wants_motions = True  # type: ignore[attr-defined]


@pytest.mark.parametrize("special", Special)
def test_a_rule_is_called_in_its_situation_alone(special: Special) -> None:
    called = rules_for(special, True)
    for rule in RULES:
        assert (rule[:2] in called) is (not rule.only_when or bool(rule.only_when & special))


def test_a_rule_whose_row_names_no_situation_always_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An appended rule counts in plain driving without being listed anywhere else."""

    def half_speed_up(
        motion: MotionCommand, context: RuleContext, limits: SafetyParameters
    ) -> MotionCommand:
        return motion._replace(drive_mps2=min(motion.drive_mps2, 0.5))

    monkeypatch.setattr(rules, "RULES", (*RULES, Rule(NoticeKind("half"), half_speed_up)))
    rules_for.cache_clear()
    try:
        runner = RuleRunner(0.01)
        command = VehicleCommand(0.0, long_accel_mps2=2.0)
        fast = replace(LIMITS, jerk_max_mps3=1000.0)
        out, changes = runner.step(command, context(), fast, 0.0, context().special())
    finally:
        rules_for.cache_clear()
    assert out.long_accel_mps2 == 0.5
    assert [change.kind for change in changes] == ["half"]


def test_no_rule_touches_a_quiet_drive() -> None:
    quiet = context()
    for _, apply in rules_for(quiet.special(), True):
        assert apply(STILL, quiet, LIMITS) is STILL


def test_every_rule_says_what_it_does_and_why() -> None:
    for rule in RULES:
        assert rule.kind.why
        assert rule.apply.__doc__


def test_a_kind_is_found_by_its_name() -> None:
    assert kind_named("rate").why == "it changes faster than the rate limit"
    unknown = kind_named("rule_of_another_version")
    assert (unknown, unknown.why) == ("rule_of_another_version", "")

"""A case table for every motion rule: motion in, what is seen, motion out. `SAME`: untouched."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safety_kit import LIMITS, STILL, at_rest, seen
from vdsim_interface.safety import rules
from vdsim_interface.safety.motion import CALM, Motion, Seen
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rules import PLAIN, RULES, WATCHDOGS, RuleFunction
from vdsim_interface.values import Gear, ReportKind

NAN, INF = math.nan, math.inf
ASK = Motion(1.0, 0.1, 0.05)
SAME = None
# jerk 2.5 m/s3 for 0.01 s
STOP_STEP = 0.025


def prev(drive: float = 0.0, front: float = 0.0, rear: float = 0.0) -> dict[str, Motion]:
    return {"previous": Motion(drive, front, rear)}


BEFORE = prev(-1.0, 0.2, 0.02)
Case = tuple[RuleFunction, Motion, Seen, Motion | None]
CASES: list[Case] = [
    # finite: each channel on its own keeps its previous value
    (rules.finite, ASK, seen(), SAME),
    (rules.finite, Motion(NAN, 0.1, 0.05), seen(**BEFORE), Motion(-1.0, 0.1, 0.05)),
    (rules.finite, Motion(1.0, INF, 0.05), seen(**BEFORE), Motion(1.0, 0.2, 0.05)),
    (rules.finite, Motion(1.0, 0.1, -INF), seen(**BEFORE), Motion(1.0, 0.1, 0.02)),
    (rules.finite, Motion(INF, -INF, NAN), seen(**BEFORE), Motion(-1.0, 0.2, 0.02)),
    # rear wheels that nobody can steer
    (rules.no_rear_steering, Motion(1.0, 0.1, 0.05), seen(), SAME),
    (rules.no_rear_steering, Motion(1.0, 0.1, 0.0), seen(rear_in_vain=True), SAME),
    (
        rules.no_rear_steering,
        Motion(1.0, 0.1, 0.05),
        seen(rear_in_vain=True),
        Motion(1.0, 0.1, 0.0),
    ),
    # manual block, watchdogs: stop from here, smoothly, steering held ([VI-5.1])
    (rules.manual_block, ASK, seen(), SAME),
    (rules.manual_block, ASK, seen(blocked=True, **BEFORE), Motion(-1.0 - STOP_STEP, 0.2, 0.02)),
    (rules.command_timeout, ASK, seen(), SAME),
    (
        rules.command_timeout,
        ASK,
        seen(command_fresh=False, **BEFORE),
        Motion(-1.0 - STOP_STEP, 0.2, 0.02),
    ),
    (  # throttle is let go at once
        rules.command_timeout,
        ASK,
        seen(command_fresh=False, **prev(2.0, 0.3)),
        Motion(-STOP_STEP, 0.3, 0.0),
    ),
    (  # no more than the stop's own deceleration
        rules.command_timeout,
        ASK,
        seen(command_fresh=False, **prev(-2.49)),
        Motion(-2.5, 0.0, 0.0),
    ),
    (  # harder braking is let go to it
        rules.command_timeout,
        ASK,
        seen(command_fresh=False, **prev(-5.0)),
        Motion(-2.5, 0.0, 0.0),
    ),
    (rules.link_timeout, ASK, seen(), SAME),
    (rules.link_timeout, ASK, seen(link_fresh=False, **BEFORE), Motion(-1.025, 0.2, 0.02)),
    # cabin: brake, but steer as commanded ([VI-3.3])
    (rules.cabin_unsecured, ASK, seen(), SAME),
    (rules.cabin_unsecured, ASK, seen(cabin_secured=False, **BEFORE), Motion(-1.025, 0.1, 0.05)),
    (  # whoever brakes harder may
        rules.cabin_unsecured,
        Motion(-4.0, 0.1, 0.0),
        seen(cabin_secured=False, **BEFORE),
        SAME,
    ),
    # range
    (rules.in_range, ASK, seen(), SAME),
    (rules.in_range, Motion(3.0, 0.5, 0.1), seen(), SAME),
    (rules.in_range, Motion(-6.0, -0.5, -0.1), seen(), SAME),
    (rules.in_range, Motion(3.01, 0.0, 0.0), seen(), Motion(3.0, 0.0, 0.0)),
    (rules.in_range, Motion(-6.01, 0.0, 0.0), seen(), Motion(-6.0, 0.0, 0.0)),
    (rules.in_range, Motion(0.0, 0.51, 0.0), seen(), Motion(0.0, 0.5, 0.0)),
    (rules.in_range, Motion(0.0, -0.51, 0.0), seen(), Motion(0.0, -0.5, 0.0)),
    (rules.in_range, Motion(0.0, 0.0, 0.11), seen(), Motion(0.0, 0.0, 0.1)),
    (rules.in_range, Motion(0.0, 0.0, -0.11), seen(), Motion(0.0, 0.0, -0.1)),
    # lateral acceleration: v^2 (tan f - tan r) / L <= 5 m/s2
    (rules.lateral_accel, Motion(0.0, 0.14, 0.0), seen(), SAME),
    (rules.lateral_accel, Motion(0.0, 0.3, 0.0), seen(), Motion(0.0, math.atan(0.15), 0.0)),
    (rules.lateral_accel, Motion(0.0, -0.3, 0.0), seen(), Motion(0.0, -math.atan(0.15), 0.0)),
    (
        rules.lateral_accel,
        Motion(1.0, math.atan(0.2), -math.atan(0.1)),
        seen(),
        Motion(1.0, math.atan(0.1), -math.atan(0.05)),
    ),
    (rules.lateral_accel, Motion(0.0, 0.3, 0.3), seen(), SAME),  # crab: no curvature
    (rules.lateral_accel, Motion(0.0, 0.5, 0.0), at_rest(), SAME),
    (
        rules.lateral_accel,
        Motion(0.0, 0.3, 0.0),
        seen(speed_mps=-10.0),
        Motion(0.0, math.atan(0.15), 0.0),
    ),
    # oscillation: only the channels that swing are smoothed ([VI-3.1])
    (rules.high_frequency, ASK, seen(), SAME),
    (rules.hand_brake_set, ASK, seen(), SAME),
    (rules.hand_brake_set, ASK, seen(hand_brake=True), Motion(0.0, 0.1, 0.05)),
    (rules.hand_brake_set, ASK, at_rest(hand_brake=True), Motion(-2.0, 0.1, 0.05)),
    (rules.hand_brake_set, Motion(-1.0, 0.0, 0.0), seen(hand_brake=True), SAME),
    (rules.hand_brake_set, Motion(0.0, 0.0, 0.0), seen(hand_brake=True), SAME),
    # rate: jerk up 10, brake jerk 20 m/s3; steer 0.8 rad/s at 10 m/s is cut by lateral jerk 0.45
    (rules.rate, Motion(0.1, 0.0, 0.0), seen(), SAME),
    (rules.rate, Motion(0.2, 0.0, 0.0), seen(), Motion(0.1, 0.0, 0.0)),
    (rules.rate, Motion(-0.2, 0.0, 0.0), seen(), SAME),
    (rules.rate, Motion(-0.3, 0.0, 0.0), seen(), Motion(-0.2, 0.0, 0.0)),
    (rules.rate, Motion(0.5, 0.0, 0.0), seen(**prev(2.0)), SAME),
    (rules.rate, Motion(-1.0, 0.0, 0.0), seen(**prev(2.0)), Motion(-0.2, 0.0, 0.0)),
    (rules.rate, Motion(-2.0, 0.0, 0.0), seen(**prev(-1.0)), Motion(-1.2, 0.0, 0.0)),
    (rules.rate, Motion(0.0, 0.0, 0.0), seen(**prev(-1.0)), Motion(-0.9, 0.0, 0.0)),
    (rules.rate, Motion(0.0, 0.1, 0.0), seen(), Motion(0.0, 0.0045, 0.0)),
    (rules.rate, Motion(0.0, -0.1, 0.0), seen(), Motion(0.0, -0.0045, 0.0)),
    (rules.rate, Motion(0.0, 0.0, 0.1), seen(), Motion(0.0, 0.0, 0.0045)),
    (rules.rate, Motion(0.0, 0.0, -0.1), seen(), Motion(0.0, 0.0, -0.0045)),
    (rules.rate, Motion(0.0, 0.004, -0.004), seen(), SAME),
    # a standing car starts from zero whatever the brake held, and brakes without limit
    (rules.rate, Motion(1.0, 0.0, 0.0), at_rest(**prev(-2.0)), Motion(0.1, 0.0, 0.0)),
    (rules.rate, Motion(1.0, 0.0, 0.0), at_rest(**prev(0.5)), Motion(0.6, 0.0, 0.0)),
    (rules.rate, Motion(-5.0, 0.0, 0.0), at_rest(), SAME),
    (rules.rate, Motion(0.0, 0.1, 0.0), at_rest(), Motion(0.0, 0.008, 0.0)),
    # steer lead: within 0.3 rad of the measured angles
    (rules.steer_lead, Motion(0.0, 0.3, -0.3), seen(), SAME),
    (rules.steer_lead, Motion(0.0, -0.3, 0.3), seen(), SAME),
    (rules.steer_lead, Motion(0.0, 0.5, 0.5), seen(front_rad=0.25, rear_rad=0.25), SAME),
    (rules.steer_lead, Motion(1.0, 0.4, 0.0), seen(), Motion(1.0, 0.3, 0.0)),
    (rules.steer_lead, Motion(1.0, -0.4, 0.0), seen(), Motion(1.0, -0.3, 0.0)),
    (rules.steer_lead, Motion(1.0, 0.0, 0.4), seen(rear_rad=0.05), Motion(1.0, 0.0, 0.35)),
    (rules.steer_lead, Motion(1.0, 0.0, -0.4), seen(rear_rad=0.05), Motion(1.0, 0.0, -0.25)),
    (rules.steer_lead, Motion(1.0, 0.4, 0.4), seen(link_fresh=False), SAME),
    # gear: no throttle in P and N
    *[(rules.gear_no_drive, ASK, seen(gear=g), SAME) for g in (Gear.DRIVE, Gear.LOW)],
    (rules.gear_no_drive, ASK, seen(gear=Gear.REVERSE), SAME),
    (rules.gear_no_drive, ASK, seen(gear=Gear.PARK), Motion(0.0, 0.1, 0.05)),
    (rules.gear_no_drive, ASK, seen(gear=Gear.NEUTRAL), Motion(0.0, 0.1, 0.05)),
    (rules.gear_no_drive, ASK, at_rest(gear=Gear.NEUTRAL), Motion(-2.0, 0.1, 0.05)),
    (rules.gear_no_drive, Motion(-1.0, 0.0, 0.0), seen(gear=Gear.NEUTRAL), SAME),
    (rules.gear_no_drive, Motion(0.0, 0.0, 0.0), seen(gear=Gear.NEUTRAL), SAME),
    # a shift: the brake holds a standing car, a rolling one is not pushed
    (rules.shift_hold, ASK, seen(), SAME),
    (rules.shift_hold, ASK, at_rest(shifting=True), Motion(-2.0, 0.1, 0.05)),
    (rules.shift_hold, Motion(-3.0, 0.0, 0.0), at_rest(shifting=True), SAME),
    (rules.shift_hold, Motion(-2.0, 0.0, 0.0), at_rest(shifting=True), SAME),
    (rules.shift_hold, ASK, seen(shifting=True), Motion(0.0, 0.1, 0.05)),
    (rules.shift_hold, Motion(-1.0, 0.0, 0.0), seen(shifting=True), SAME),
    (rules.shift_hold, Motion(0.0, 0.0, 0.0), seen(shifting=True), SAME),
    # standstill: held unless asked to go
    (rules.standstill_hold, Motion(0.0, 0.1, 0.0), at_rest(), Motion(-2.0, 0.1, 0.0)),
    (rules.standstill_hold, Motion(0.05, 0.0, 0.0), at_rest(), Motion(-2.0, 0.0, 0.0)),
    (rules.standstill_hold, Motion(-1.0, 0.0, 0.0), at_rest(), Motion(-2.0, 0.0, 0.0)),
    (rules.standstill_hold, Motion(0.06, 0.0, 0.0), at_rest(), SAME),
    (rules.standstill_hold, Motion(-2.0, 0.0, 0.0), at_rest(), SAME),
    (rules.standstill_hold, Motion(-3.0, 0.0, 0.0), at_rest(), SAME),
    (rules.standstill_hold, Motion(0.0, 0.0, 0.0), seen(), SAME),
]
IDS = [f"{case[0].__name__}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize(("rule", "motion", "situation", "expected"), CASES, ids=IDS)
def test_rule(rule: RuleFunction, motion: Motion, situation: Seen, expected: Motion | None) -> None:
    got = rule(motion, situation, LIMITS)
    if expected is SAME:
        assert got is motion
    else:
        assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("channel", range(3))
def test_smoothing_moves_a_swinging_channel_by_its_share_only(channel: int) -> None:
    """[VI-3.1] A first-order low-pass of 0.5 Hz: 2 pi 0.5 0.01 / (1 + that) of the way."""
    flags = tuple(index == channel for index in range(3))
    before = Motion(-1.0, 0.2, 0.02)
    got = rules.high_frequency(ASK, seen(oscillating=flags, previous=before), LIMITS)
    turn = math.pi * 0.01
    share = turn / (1.0 + turn)
    for index, (old, new) in enumerate(zip(before, ASK, strict=True)):
        expected = old + share * (new - old) if index == channel else new
        assert got[index] == pytest.approx(expected, abs=1e-15)


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
        ReportKind.NON_FINITE_COMMAND,
        ReportKind.NO_REAR_STEERING,
        ReportKind.HIGH_FREQUENCY,
        ReportKind.MANUAL_BLOCK,
        ReportKind.COMMAND_TIMEOUT,
        ReportKind.LINK_TIMEOUT,
        ReportKind.CABIN_UNSECURED,
        ReportKind.RANGE,
        ReportKind.LATERAL_ACCEL,
        ReportKind.RATE,
        ReportKind.STEER_LEAD,
        ReportKind.RANGE,
        ReportKind.HAND_BRAKE_SET,
        ReportKind.GEAR_NO_DRIVE,
        ReportKind.SHIFT_HOLD,
        ReportKind.STANDSTILL_HOLD,
    ]


def test_what_stays_when_safety_is_switched_off() -> None:
    """[VI-3.5]"""
    assert [rule.kind for rule in WATCHDOGS] == [
        ReportKind.NON_FINITE_COMMAND,
        ReportKind.NO_REAR_STEERING,
        ReportKind.MANUAL_BLOCK,
        ReportKind.COMMAND_TIMEOUT,
        ReportKind.LINK_TIMEOUT,
    ]


SPECIAL_SITUATIONS: tuple[dict[str, object], ...] = (
    {"blocked": True},
    {"command_fresh": False},
    {"link_fresh": False},
    {"cabin_secured": False},
    {"oscillating": (True, False, False)},
    {"oscillating": (False, True, False)},
    {"oscillating": (False, False, True)},
    {"hand_brake": True},
    {"gear": Gear.PARK},
    {"gear": Gear.NEUTRAL},
    {"shifting": True},
    {"at_rest": True},
    {"rear_in_vain": True},
)


@pytest.mark.parametrize("situation", SPECIAL_SITUATIONS, ids=str)
def test_each_special_situation_is_not_plain_driving(situation: dict[str, object]) -> None:
    assert seen().is_plain
    assert not replace(seen(), **situation).is_plain  # type: ignore[arg-type]


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.LOW, Gear.REVERSE])
def test_driving_is_plain_in_every_gear_that_drives(gear: Gear) -> None:
    assert seen(gear=gear).is_plain


NUMBERS = st.floats(-30.0, 30.0)
MOTIONS = st.builds(Motion, NUMBERS, NUMBERS, NUMBERS)


@given(MOTIONS, MOTIONS, NUMBERS, st.sampled_from([Gear.DRIVE, Gear.LOW, Gear.REVERSE]))
def test_what_plain_driving_leaves_out_would_change_nothing(
    motion: Motion, previous: Motion, speed_mps: float, gear: Gear
) -> None:
    plain = seen(speed_mps=speed_mps, previous=previous, gear=gear)
    assert plain.is_plain
    left_out = [rule for rule in RULES if rule not in PLAIN]
    assert len(left_out) == 10
    for rule in left_out:
        assert rule.apply(motion, plain, LIMITS) is motion, rule.kind


def test_no_rule_touches_a_quiet_drive() -> None:
    motion = STILL
    for rule in RULES:
        assert rule.apply(motion, seen(oscillating=CALM), LIMITS) is motion
        assert rule.doc

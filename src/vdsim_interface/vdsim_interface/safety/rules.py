"""The motion rules: an ordered tuple of pure functions (motion, context, limits) -> motion.

Each rule returns its input object when it has nothing to change; the runner turns every difference
into a Change that names the rule.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from vdsim_interface.safety.limits import SafetyLimits as Limits
from vdsim_interface.safety.limits import names_in
from vdsim_interface.safety.rule_context import MotionCommand, RuleContext, Special
from vdsim_interface.safety.stops import stopped
from vdsim_interface.values import Change, NoticeKind, RawCommand, Severity, notice_kinds
from vdsim_interface.values.records import record
from vdsim_interface.values.speeds import REST_MPS

RuleFunction = Callable[[MotionCommand, RuleContext, Limits], MotionCommand]
Acting = tuple[NoticeKind, RuleFunction]

HOLD_ZONE_MPS2 = 0.05
"""Drive up to this at standstill is no request to drive; above it the brake is released."""


class Rule(NamedTuple):
    """One row of the table: everything that is specific to a rule.

    `kind`: its name, severity and reason. `apply`: the function; the first line of its docstring
    becomes its row in docs/safety.md, with the reason where rows share it. `only_when`: the rule is
    called only in these situations, which the function takes for granted; without them it always
    runs. `off`: what happens while it is off. `stays`: of a rule that stays
    on, also with `safety.enabled: false`, the reason ([VI-3.5]). Each has one of the two.
    """

    kind: NoticeKind
    apply: RuleFunction
    only_when: Special = Special.NOTHING
    off: str = ""
    stays: str = ""


TINY = 1e-9
"""Replaces a squared speed of zero in a division."""


def no_rear_steering(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Set the rear wheel angle to zero on a platform that cannot steer the rear wheels."""
    return motion._replace(rear_rad=0.0)


def in_range(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Limit every channel to the range of the car."""
    drive, front, rear = motion
    front_max, rear_max = context.front_max_rad, context.rear_max_rad
    drives = -limits.decel_max_mps2 <= drive <= limits.accel_max_mps2
    if drives and abs(front) <= front_max and abs(rear) <= rear_max:
        return motion
    return MotionCommand(
        min(max(drive, -limits.decel_max_mps2), limits.accel_max_mps2),
        min(max(front, -front_max), front_max),
        min(max(rear, -rear_max), rear_max),
    )


def lateral_accel(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Limit v^2 * curvature, the lateral acceleration that the wheel angles would cause."""
    speed_mps = context.speed_mps
    _, front, rear = motion
    tan_front = math.tan(front)
    tan_rear = math.tan(rear) if rear else 0.0
    bend = abs(tan_front - tan_rear)
    square = speed_mps * speed_mps or TINY
    bend_max = limits.lateral_accel_max_mps2 * context.wheelbase_m / square
    if bend <= bend_max:
        return motion
    share = bend_max / bend
    return motion._replace(
        front_rad=math.atan(tan_front * share), rear_rad=math.atan(tan_rear * share)
    )


def high_frequency(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Smooth a channel while its command oscillates ([VI-3.1]); more brake is never held back."""
    if context.blocked:
        return motion
    angle_rad = 2.0 * math.pi * limits.oscillation_cutoff_hz * context.period_s
    share = angle_rad / (1.0 + angle_rad)
    channels = zip(motion, context.previous, context.oscillating, strict=True)
    drive, front, rear = (
        old + share * (new - old) if oscillates else new for new, old, oscillates in channels
    )
    if motion.drive_mps2 < 0.0:
        drive = min(drive, motion.drive_mps2)
    return MotionCommand(drive, front, rear)


def steer_rate(speed_mps: float, angle_rad: float, wheelbase_m: float, limits: Limits) -> float:
    """Return the largest steer rate [rad/s] at a speed: by the table, and by lateral jerk."""
    speeds, rates = limits.steer_rate_speeds_mps, limits.steer_rate_max_radps
    speed = abs(speed_mps)
    upper = bisect_right(speeds, speed)
    if upper == 0 or upper == len(speeds):
        allowed = rates[min(upper, len(speeds) - 1)]
    else:
        below, slower = speeds[upper - 1], rates[upper - 1]
        allowed = slower + (speed - below) / (speeds[upper] - below) * (rates[upper] - slower)
    by_jerk = limits.lateral_jerk_max_mps3 * wheelbase_m * math.cos(angle_rad) ** 2
    largest = by_jerk / (speed * speed or TINY)
    return largest if largest < allowed else allowed


def rate(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Limit jerk and steer rate ([VI-3.1]).

    A standing car starts without delay, and releasing the throttle is never delayed.
    """
    drive, front, rear = motion
    drive_before, front_before, rear_before = context.previous
    dt = context.period_s
    if context.at_rest:
        drive = min(drive, max(drive_before, 0.0) + limits.jerk_max_mps3 * dt)
    else:
        most = drive_before + limits.jerk_max_mps3 * dt
        least = drive_before if drive_before < 0.0 else 0.0
        least -= limits.brake_jerk_max_mps3 * dt
        if drive > most:
            drive = most
        if drive < least:
            drive = least
    if front != front_before or rear != rear_before:
        step = dt * steer_rate(context.speed_mps, front_before, context.wheelbase_m, limits)
        least, most = front_before - step, front_before + step
        if front < least:
            front = least
        if front > most:
            front = most
        least, most = rear_before - step, rear_before + step
        if rear < least:
            rear = least
        if rear > most:
            rear = most
    if motion == (drive, front, rear):
        return motion
    return record(MotionCommand, (drive, front, rear))


def steer_lead(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Keep the commanded angles near the measured ones, so that the command does not run away."""
    if not context.link_fresh:
        return motion
    lead = limits.steer_lead_max_rad
    _, front, rear = motion
    if abs(front - context.front_rad) <= lead and abs(rear - context.rear_rad) <= lead:
        return motion
    front = min(max(front, context.front_rad - lead), context.front_rad + lead)
    rear = min(max(rear, context.rear_rad - lead), context.rear_rad + lead)
    return motion._replace(front_rad=front, rear_rad=rear)


def no_throttle(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Remove the throttle."""
    if motion.drive_mps2 <= 0.0:
        return motion
    return motion._replace(drive_mps2=_without_throttle(context, limits))


def shift_hold(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Hold a standing car with the brake during a shift; a command asks for no drive in any."""
    drive = _without_throttle(context, limits)
    return motion._replace(drive_mps2=drive) if motion.drive_mps2 > drive else motion


def _without_throttle(context: RuleContext, limits: Limits) -> float:
    """Return the drive that replaces a removed throttle: at standstill the holding brake."""
    return -limits.standstill_hold_mps2 if context.at_rest else 0.0


def standstill_hold(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Hold a standing car with the brake, on any slope, until the command requests to drive."""
    hold = -limits.standstill_hold_mps2
    if context.wants_motion or not hold < motion.drive_mps2 <= HOLD_ZONE_MPS2:
        return motion
    if motion.drive_mps2 < 0.0 and abs(context.speed_mps) > REST_MPS:
        return motion  # it brakes to rest as softly as it is asked to
    return motion._replace(drive_mps2=hold)


_INFO, _WARN = Severity.INFO, Severity.WARN
_RANGE = NoticeKind("range", _WARN, "it is outside the car's range")
_BEYOND = "a command beyond the range of the car reaches the platform, which may clamp it"

RULES: tuple[Rule, ...] = (
    Rule(
        notice_kinds.NO_REAR_STEERING,
        no_rear_steering,
        only_when=Special.REAR_STEERING_UNSUPPORTED,
        stays="it removes what the platform cannot do",
    ),
    Rule(
        NoticeKind("high_frequency", _WARN, "the command oscillates; it is smoothed"),
        high_frequency,
        only_when=Special.OSCILLATING,
        off="a command that oscillates reaches the actuators",
    ),
    Rule(
        notice_kinds.MANUAL_BLOCK,
        stopped,
        only_when=Special.BLOCKED,
        stays="it keeps the stack's commands from a car that it does not drive",
    ),
    Rule(
        notice_kinds.COMMAND_TIMEOUT,
        stopped,
        only_when=Special.COMMAND_STALE,
        stays="it stops the car when the stack is silent; see command_timeout_s",
    ),
    Rule(
        notice_kinds.LINK_TIMEOUT,
        stopped,
        only_when=Special.LINK_STALE,
        stays="it stops the car when the vehicle does not report; see report_timeout_s",
    ),
    Rule(
        notice_kinds.CABIN_UNSECURED,
        stopped,
        only_when=Special.CABIN_UNSECURED,
        off="an open cabin neither stops the car nor prevents autonomy",
    ),
    Rule(
        notice_kinds.INPUT_LOST,
        stopped,
        only_when=Special.INPUT_LOST,
        stays="it acts on inputs that are required; set cabin_required or "
        "driver_switch_required to false",
    ),
    Rule(
        notice_kinds.EMERGENCY,
        stopped,
        only_when=Special.EMERGENCY,
        stays="it is what a person relies on; give_back ends it",
    ),
    Rule(_RANGE, in_range, off=_BEYOND),
    Rule(
        NoticeKind(
            "lateral_accel",
            _WARN,
            "at this speed it would exceed the lateral acceleration limit",
        ),
        lateral_accel,
        off="curves are limited by the tyres alone",
    ),
    Rule(
        NoticeKind("rate", _INFO, "it changes faster than the rate limit"),
        rate,
        off="acceleration and wheel angle may jump",
    ),
    Rule(
        NoticeKind("steer_lead", _WARN, "it is too far from the measured angle"),
        steer_lead,
        off="the command may run far ahead of the measured wheel angle",
    ),
    # Again: the limits of rate and lead start from the previous output.
    Rule(_RANGE, in_range, off=_BEYOND),
    Rule(
        NoticeKind("hand_brake_set", _WARN, "the hand brake is set"),
        no_throttle,
        only_when=Special.HAND_BRAKE,
        off="throttle acts against the hand brake",
    ),
    Rule(
        NoticeKind("gear_no_drive", _WARN, "the gear is PARK or NEUTRAL; request DRIVE or REVERSE"),
        no_throttle,
        only_when=Special.NO_DRIVE_GEAR,
        off="throttle is sent in PARK and NEUTRAL",
    ),
    Rule(
        NoticeKind("shift_hold", _INFO, "a shift is under way, or it has braked in another gear"),
        shift_hold,
        only_when=Special.SHIFTING,
        off="throttle is sent during a shift, and nothing holds the car",
    ),
    Rule(
        NoticeKind("standstill_hold", _INFO, "no drive request at standstill; the brake holds"),
        standstill_hold,
        only_when=Special.AT_REST,
        off="the brake does not hold a standing car; it may roll on a slope",
    ),
)
"""In the order in which they are applied. The runner, the notices, the severities, the sentences
and the table in docs/safety.md derive from the rows."""

SWITCHABLE: Mapping[str, str] = {
    **{str(rule.kind): rule.off for rule in RULES if rule.off},
    str(notice_kinds.GEAR_PARK_MOVING): "PARK is set at any speed",
    str(notice_kinds.GEAR_DIRECTION_MOVING): "D and R are set against the motion",
    str(notice_kinds.GEAR_SPEED_UNKNOWN): "a gear is set while the speed is not known",
    str(notice_kinds.HAND_BRAKE_MOVING): "the hand brake is set at any speed",
    str(notice_kinds.WIPER_HEADLIGHT): "the headlights do not follow the wipers",
}
"""The rules that `safety.disabled_rules` may switch off, each with what happens while it is off:
those of the motion, and those of gear and body."""

ALWAYS_ON: Mapping[str, str] = {
    **{str(rule.kind): rule.stays for rule in RULES if rule.stays},
    str(notice_kinds.NON_FINITE_COMMAND): "what is not a number must never reach the vehicle",
    str(notice_kinds.HAZARD_PRIORITY): "it warns others of a safe stop",
    str(notice_kinds.HAND_BRAKE_STOP): "it holds the car after a safe stop",
    str(notice_kinds.GEAR_STOP): "it holds the car after a safe stop",
}
"""Rules that stay on, also with `safety.enabled: false`, with the reason."""

NOTICE_KINDS = tuple(dict.fromkeys((*notice_kinds.ALL, *(rule.kind for rule in RULES))))
"""Every kind of notice that the interface issues."""
_BY_NAME = {str(kind): kind for kind in NOTICE_KINDS}


def kind_named(name: str) -> NoticeKind:
    """Return the kind with its reason; for the name of another version's rule one without."""
    return _BY_NAME.get(name) or NoticeKind(name)


@cache
def rules_for(situations: int, enabled: bool, disabled: str = "") -> tuple[Acting, ...]:
    """Return kind and function of each rule that can act in the situations (a sum of `Special`).

    `enabled`, `disabled`: `safety.enabled` and `safety.disabled_rules`.
    """
    off = names_in(disabled)
    return tuple(
        (rule.kind, rule.apply)
        for rule in RULES
        if (rule.stays or (enabled and rule.kind not in off))
        and (not rule.only_when or rule.only_when & situations)
    )


def blocked_raw_changes(raw: RawCommand, kind: NoticeKind) -> tuple[Change, ...]:
    """Name what a blocked raw command would have done; our own stop goes out in its place."""
    channels = ("throttle", "brake", "front_steer", "rear_steer")
    values = ((name, float(getattr(raw, name))) for name in channels)
    return tuple(Change(kind, name, value, 0.0) for name, value in values if value)


def raw_changes(raw: RawCommand, *, rear_steering: bool) -> tuple[Change, ...]:
    """Name what the platform cannot do with a raw command; no rule changes it."""
    if rear_steering or not raw.rear_steer:
        return ()
    return (Change(notice_kinds.NO_REAR_STEERING, "rear_steer", raw.rear_steer, 0.0),)

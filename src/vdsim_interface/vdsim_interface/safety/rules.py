"""The motion rules: an ordered tuple of pure functions (motion, seen, limits) -> motion.

Each rule returns its input object when it has nothing to change; the stage turns every difference
into a Change that names the rule.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import CALM, Motion, Seen
from vdsim_interface.values import FORWARD_GEARS, Gear, ReportKind

RuleFunction = Callable[[Motion, Seen, SafetyParameters], Motion]

HOLD_ZONE_MPS2 = 0.05
"""Drive below this at standstill means: stay. Above it the brake is released."""


class Rule(NamedTuple):
    """One rule: what it is called and what it does."""

    kind: ReportKind
    apply: RuleFunction
    doc: str


TINY = 1e-9
"""Stands in for a speed of zero in a division."""


def _safe_stop(seen: Seen, limits: SafetyParameters) -> Motion:
    """Brake smoothly, hold the steering where it is commanded now."""
    from_here = min(seen.previous.drive_mps2, 0.0)
    drive = max(from_here - limits.stop_jerk_mps3 * seen.period_s, -limits.stop_decel_mps2)
    return Motion(drive, seen.previous.front_rad, seen.previous.rear_rad)


def finite(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """A channel that is not a number keeps its previous value."""
    is_finite = math.isfinite
    if is_finite(motion[0]) and is_finite(motion[1]) and is_finite(motion[2]):
        return motion
    pairs = zip(motion, seen.previous, strict=True)
    return Motion(*(new if math.isfinite(new) else old for new, old in pairs))


def no_rear_steering(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Rear wheels that the platform cannot steer are said to stay straight."""
    return motion._replace(rear_rad=0.0) if seen.rear_in_vain and motion.rear_rad else motion


def manual_block(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """No command of the stack passes while autonomy is off ([VI-5.1])."""
    return _safe_stop(seen, limits) if seen.blocked else motion


def command_timeout(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """The commands stopped coming: stop smoothly, hold the steering."""
    return motion if seen.command_fresh else _safe_stop(seen, limits)


def link_timeout(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """The vehicle's reports stopped coming: stop smoothly, hold the steering."""
    return motion if seen.link_fresh else _safe_stop(seen, limits)


def cabin_unsecured(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """The cabin was opened on the way: stop smoothly, still steering as commanded ([VI-3.3])."""
    if seen.cabin_secured:
        return motion
    stop = _safe_stop(seen, limits).drive_mps2
    return motion._replace(drive_mps2=stop) if stop < motion.drive_mps2 else motion


def in_range(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Keep every channel within what the car may be asked to do."""
    drive, front, rear = motion
    front_max, rear_max = seen.front_max_rad, seen.rear_max_rad
    if (
        -limits.decel_max_mps2 <= drive <= limits.accel_max_mps2
        and -front_max <= front <= front_max
        and -rear_max <= rear <= rear_max
    ):
        return motion
    return Motion(
        min(max(drive, -limits.decel_max_mps2), limits.accel_max_mps2),
        min(max(front, -front_max), front_max),
        min(max(rear, -rear_max), rear_max),
    )


def lateral_accel(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Bound v^2 * curvature, the lateral acceleration that the wheel angles would cause."""
    square = seen.speed_mps * seen.speed_mps
    tan_front = math.tan(motion.front_rad)
    tan_rear = math.tan(motion.rear_rad) if motion.rear_rad else 0.0
    bend = abs(tan_front - tan_rear)
    bend_max = limits.lateral_accel_max_mps2 * seen.wheelbase_m / (square or TINY)
    if bend <= bend_max:
        return motion
    share = bend_max / bend
    return motion._replace(
        front_rad=math.atan(tan_front * share), rear_rad=math.atan(tan_rear * share)
    )


def high_frequency(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Smooth a channel while its command oscillates ([VI-3.1]); no stop is ever smoothed."""
    if seen.oscillating == CALM or seen.blocked:
        return motion
    turn = 2.0 * math.pi * limits.oscillation_cutoff_hz * seen.period_s
    share = turn / (1.0 + turn)
    channels = zip(motion, seen.previous, seen.oscillating, strict=True)
    return Motion(*(old + share * (new - old) if swings else new for new, old, swings in channels))


def steer_rate(
    speed_mps: float, angle_rad: float, wheelbase_m: float, p: SafetyParameters
) -> float:
    """Return the fastest steering [rad/s] at a speed: by the table, and by lateral jerk."""
    speeds, rates = p.steer_rate_speeds_mps, p.steer_rate_max_radps
    speed = abs(speed_mps)
    upper = bisect_right(speeds, speed)
    if upper == 0 or upper == len(speeds):
        allowed = rates[min(upper, len(speeds) - 1)]
    else:
        share = (speed - speeds[upper - 1]) / (speeds[upper] - speeds[upper - 1])
        allowed = rates[upper - 1] + share * (rates[upper] - rates[upper - 1])
    by_jerk = p.lateral_jerk_max_mps3 * wheelbase_m * math.cos(angle_rad) ** 2
    return min(allowed, by_jerk / (speed * speed or TINY))


def rate(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Bound jerk and steer rate ([VI-3.1]).

    A standing car starts without delay, and letting go of the throttle is never delayed.
    """
    drive, front, rear = motion
    drive_before, front_before, rear_before = seen.previous
    dt = seen.period_s
    if seen.at_rest:
        drive = min(drive, max(drive_before, 0.0) + limits.jerk_max_mps3 * dt)
    elif drive > drive_before:
        drive = min(drive, drive_before + limits.jerk_max_mps3 * dt)
    else:
        drive = max(drive, min(drive_before, 0.0) - limits.brake_jerk_max_mps3 * dt)
    if front != front_before or rear != rear_before:
        step = dt * steer_rate(seen.speed_mps, front_before, seen.wheelbase_m, limits)
        front = min(max(front, front_before - step), front_before + step)
        rear = min(max(rear, rear_before - step), rear_before + step)
    if drive == motion[0] and front == motion[1] and rear == motion[2]:
        return motion
    return Motion(drive, front, rear)


def steer_lead(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Keep the commanded angles near the measured ones, so that nothing winds up."""
    if not seen.link_fresh:
        return motion
    lead = limits.steer_lead_max_rad
    if (
        -lead <= motion.front_rad - seen.front_rad <= lead
        and -lead <= motion.rear_rad - seen.rear_rad <= lead
    ):
        return motion
    front = min(max(motion.front_rad, seen.front_rad - lead), seen.front_rad + lead)
    rear = min(max(motion.rear_rad, seen.rear_rad - lead), seen.rear_rad + lead)
    return motion._replace(front_rad=front, rear_rad=rear)


def hand_brake_set(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """No throttle against the hand brake."""
    if seen.hand_brake and motion.drive_mps2 > 0.0:
        return motion._replace(drive_mps2=_at_most_resting(seen, limits))
    return motion


def gear_no_drive(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """No throttle in PARK and NEUTRAL."""
    drives = seen.gear is Gear.REVERSE or seen.gear in FORWARD_GEARS
    if not drives and motion.drive_mps2 > 0.0:
        return motion._replace(drive_mps2=_at_most_resting(seen, limits))
    return motion


def shift_hold(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """Hold the brake while a standing car changes gear; never push during a shift."""
    if not seen.shifting:
        return motion
    drive = _at_most_resting(seen, limits)
    return motion._replace(drive_mps2=drive) if motion.drive_mps2 > drive else motion


def _at_most_resting(seen: Seen, limits: SafetyParameters) -> float:
    """What is left of a throttle that is not given: the brake that holds a standing car."""
    return -limits.standstill_hold_mps2 if seen.at_rest else 0.0


def standstill_hold(motion: Motion, seen: Seen, limits: SafetyParameters) -> Motion:
    """A car that stands and is not asked to go is held by the brake, on any slope."""
    hold = -limits.standstill_hold_mps2
    if seen.at_rest and hold < motion.drive_mps2 <= HOLD_ZONE_MPS2:
        return motion._replace(drive_mps2=hold)
    return motion


K = ReportKind
RULES: tuple[Rule, ...] = (
    Rule(K.NON_FINITE_COMMAND, finite, "a channel that is no number keeps its last value"),
    Rule(K.NO_REAR_STEERING, no_rear_steering, "no rear wheel angle where none is steered"),
    Rule(K.HIGH_FREQUENCY, high_frequency, "an oscillating channel is smoothed"),
    Rule(K.MANUAL_BLOCK, manual_block, "nothing passes while autonomy is off"),
    Rule(K.COMMAND_TIMEOUT, command_timeout, "commands stale: smooth stop, steering held"),
    Rule(K.LINK_TIMEOUT, link_timeout, "reports stale: smooth stop, steering held"),
    Rule(K.CABIN_UNSECURED, cabin_unsecured, "cabin opened: smooth stop, still steering"),
    Rule(K.RANGE, in_range, "acceleration and angles within the car's range"),
    Rule(K.LATERAL_ACCEL, lateral_accel, "lateral acceleration bounded by speed"),
    Rule(K.RATE, rate, "jerk, steer rate and lateral jerk bounded"),
    Rule(K.STEER_LEAD, steer_lead, "commanded angle stays near the measured one"),
    Rule(K.RANGE, in_range, "and again, whatever the previous output was"),
    Rule(K.HAND_BRAKE_SET, hand_brake_set, "no throttle against the hand brake"),
    Rule(K.GEAR_NO_DRIVE, gear_no_drive, "no throttle in PARK and NEUTRAL"),
    Rule(K.SHIFT_HOLD, shift_hold, "brake held while shifting"),
    Rule(K.STANDSTILL_HOLD, standstill_hold, "brake held at standstill"),
)
WATCHDOGS = tuple(
    r
    for r in RULES
    if r.apply in (finite, no_rear_steering, manual_block, command_timeout, link_timeout)
)
"""The rules that stay when the safety functions are switched off (requirement [VI-3.5])."""
PLAIN = tuple(r for r in RULES if r.apply in (finite, in_range, lateral_accel, rate, steer_lead))
"""The rules that can act in plain driving (`Seen.is_plain`): each other waits for its situation."""

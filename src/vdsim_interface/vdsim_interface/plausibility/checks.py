"""The table of checks: which signals contradict each other, for how long, and what follows.

A check is a pure function of a window of half a second (moment.py). It returns the contradiction in
words, or an empty text. Its limits leave room for what a car does beyond rolling: wheels that lock
or spin, skids, ice, hills, and the noise of usual sensors.

SPEED_JUMP and STAMP_FROZEN have no window: they look at every report (watch.py).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from vdsim_interface.plausibility.moment import WINDOW_S, Window
from vdsim_interface.values import VehicleReport, drive_direction, travel_direction
from vdsim_interface.values.speeds import AGAINST_GEAR_MPS, COMPARED_MPS, FAST_MPS, STILL_MPS

STEERED_RAD = 0.05
"""A steering angle up to this says nothing about the yaw rate."""
JUMP_MPS, JUMP_MPS2 = 0.6, 20.0
"""A change of speed beyond both, noise and twice the grip of a road tyre, is a jump."""
RETURN_MPS2 = 12.0
"""A jump is over when the speed is where this acceleration could have brought it."""
FASTEST_MPS = 100.0
SLIDES_RAD = 0.06
"""A rear axle with a larger slip angle slides, or soon will."""


class Consequence(Enum):
    """What a contradiction causes, in addition to its notice."""

    NOTICE = "notice"
    ENDS_AUTONOMY = "ends autonomy above 3 m/s, else notice"


@dataclass(frozen=True)
class Check:
    """One row. `signals`: names of Capabilities.signals that the vehicle must report.

    `varied`: those that must have varied; a field that is never filled would contradict.
    `judge`: the contradiction in words, None where every report is looked at. `hold_s`: how long it
    must last. `detects_s`: the longest time from the first wrong report to the consequence, while
    the car does what the contradiction needs to show. `compares`, `limit`: for people.
    """

    name: str
    compares: str
    limit: str
    hold_s: float
    detects_s: float
    signals: tuple[str, ...] = ()
    consequence: Consequence = Consequence.ENDS_AUTONOMY
    judge: Callable[[Window], str] | None = None
    varied: tuple[str, ...] = ()


# ---- single values -------------------------------------------------------------------------------


def out_of_range(window: Window) -> str:
    """No road vehicle has such a value: degrees for radians, per cent for shares."""
    report = window.new.report
    if abs(report.velocity_mps) > FASTEST_MPS:
        return f"speed {report.velocity_mps:.4g} m/s"
    largest = window.geometry.front_wheel_angle_max_rad
    most = max(1.5 * largest, largest + 0.3)
    if abs(report.front_wheel_angle_rad) > most:
        return f"front wheel angle {report.front_wheel_angle_rad:.3g} rad, at most {most:.2g}"
    applied = report.applied
    for name, pedal in (("throttle", applied.throttle), ("brake", applied.brake)):
        if not -0.02 <= pedal <= 1.02 and not math.isnan(pedal):
            return f"{name} {pedal:.3g}, 0 to 1 is possible"
    return ""


# ---- speed ---------------------------------------------------------------------------------------


def speed_against_position(window: Window) -> str:
    """The way that the speed gives, and the way between two positions."""
    new, old = window.new, window.old
    way, chord = new.way_m - old.way_m, window.chord_m
    if abs(way - chord) > 0.25 + 0.3 * max(way, chord):
        return (
            f"speed {way / window.duration_s:.3g} m/s, but the position moves with "
            f"{chord / window.duration_s:.3g} m/s{_time_scale(window, chord / way if way else 0.0)}"
        )
    along = new.along_m - old.along_m
    turned = abs(new.turn_rad - old.turn_rad)
    if abs(along) < 0.5 or turned > 0.3 or abs(along) < 0.9 * way:
        return ""
    heading = old.report.yaw_rad
    dx, dy = new.report.x_m - old.report.x_m, new.report.y_m - old.report.y_m
    forward = dx * math.cos(heading) + dy * math.sin(heading)
    if forward * along >= 0.0 or abs(forward) < 0.25:
        return ""
    return f"speed {along / window.duration_s:+.3g} m/s, but the position moves the other way"


def _time_scale(window: Window, ratio: float) -> str:
    """Name the cause when speed and wheels agree, and only the position has another pace."""
    speed, wheels = window.new.report.velocity_mps, wheel_speeds(window.new.report)
    if ratio < 0.05 or not 0.8 * speed < wheels[0] <= wheels[1] < 1.25 * speed:
        return ""
    pace = f"the vehicle's time runs about {ratio:.2g} times as fast as its stamps"
    return f": {pace}, as with a simulator's time scale that is not 1"


def wheel_speeds(report: VehicleReport) -> tuple[float, float]:
    """Return the lowest and the highest speed of the wheels [m/s]."""
    radius, spins = report.sensors.wheel_radius_m, report.sensors.wheel_spin_radps
    return radius * min(spins), radius * max(spins)


def speed_against_wheels(window: Window) -> str:
    """All wheels are slower, or all are faster, than the car; tyres that slide brake or drive it.

    On a surface with a tenth of the grip of dry asphalt that is still about 1 m/s2. A car that
    slides sideways spends its grip there.
    """
    report = window.new.report
    speed = report.velocity_mps
    least, most = wheel_speeds(report)
    if speed < 0.0:
        speed, least, most = -speed, -most, -least
    turn = abs(report.yaw_rate_radps) * window.geometry.wheelbase_m
    margin = 0.5 + 0.25 * max(speed, abs(least)) + turn
    slower, faster = most < speed - margin, least > speed + margin
    if not (slower or faster) or _slides(window):
        return ""
    force = math.copysign(1.0, report.velocity_mps) * window.force_mps2
    if (slower and force < -0.4) or (faster and force > 0.4):
        return ""
    wheels = most if slower else least
    return f"speed {speed:.3g} m/s, wheels {wheels:.3g} m/s, and nothing slows or drives the car"


def speed_against_acceleration(window: Window) -> str:
    """The change of speed, and the integral of the acceleration."""
    new, old = window.new, window.old
    gained = window.gained_mps
    measured = new.gain_mps - old.gain_mps
    if abs(gained - measured) <= 1.5 + 0.25 * max(abs(gained), abs(measured)):
        return ""
    seconds = window.duration_s
    change = f"the speed changes with {gained / seconds:.3g} m/s2"
    return f"{change}, acceleration {measured / seconds:.3g} m/s2"


def speed_that_stands_still(window: Window) -> str:
    """The speed of a moving car stays the same to the bit, the acceleration says otherwise.

    So a speed that stands still is found before the stop that follows it has gone wrong for long.
    """
    new, old = window.new, window.old
    speed = new.report.velocity_mps
    if speed != old.report.velocity_mps or abs(speed) < COMPARED_MPS:
        return ""
    gained, measured = window.gained_mps, new.gain_mps - old.gain_mps
    if abs(gained - measured) <= STILL_MPS:
        return ""
    rate = (measured - gained) / window.duration_s
    return f"the speed stands still at {speed:.4g} m/s, acceleration {rate:.3g} m/s2"


# ---- yaw -----------------------------------------------------------------------------------------


def yaw_rate_against_heading(window: Window) -> str:
    """The change of the heading, and the integral of the yaw rate."""
    new, old = window.new, window.old
    turned = math.remainder(new.report.yaw_rad - old.report.yaw_rad, 2.0 * math.pi)
    claimed = new.turn_rad - old.turn_rad
    apart = abs(turned - math.remainder(claimed, 2.0 * math.pi))
    if abs(claimed) < 2.0 * math.pi and apart <= 0.06 + 0.3 * abs(turned):
        return ""
    seconds = window.duration_s
    rate = f"yaw rate {claimed / seconds:+.3g} rad/s"
    return f"{rate}, but the heading turns with {turned / seconds:+.3g} rad/s"


def _slides(window: Window) -> bool:
    """Whether the rear axle slips sideways, or the car moves against its gear."""
    return _slides_at(window.new.report, window) or _slides_at(window.old.report, window)


def _slides_at(report: VehicleReport, window: Window) -> bool:
    speed, side = report.velocity_mps, report.lateral_velocity_mps
    if drive_direction(report.body.gear) * speed < -AGAINST_GEAR_MPS:
        return True
    # Wherever on the wheelbase the side speed is measured, the rear axle is not far from it.
    turn = window.geometry.wheelbase_m * report.yaw_rate_radps
    slip = side - min(max(side, min(turn, 0.0)), max(turn, 0.0))
    return abs(slip) > SLIDES_RAD * abs(speed)


def yaw_rate_against_steering(window: Window) -> str:
    """The car turns against its wheels, which roll, and its rear axle does not slide.

    In a skid a driver steers against the yaw rate. Front wheels that lock or spin do not steer.
    """
    report = window.new.report
    speed, yaw_rate = report.velocity_mps, report.yaw_rate_radps
    front, rear = report.front_wheel_angle_rad, report.rear_wheel_angle_rad
    if abs(front - rear) <= STEERED_RAD or speed <= FAST_MPS:
        return ""  # backwards a car on ice may turn either way
    # A bend cannot be tighter than the grip of a good road allows.
    gradient = window.geometry.understeer_gradient_rad_s2pm
    length_m = window.geometry.wheelbase_m + gradient * speed * speed
    bend = (math.tan(front) - math.tan(rear)) / length_m
    expected = math.copysign(min(abs(speed * bend), 10.0 / speed), bend)
    apart = abs(yaw_rate / expected)
    if yaw_rate * expected >= 0.0 or not 0.3 < apart < 1.6 or abs(yaw_rate) < 0.03:
        return ""
    if _slides(window) or _wheels_slip(window):
        return ""
    return f"the front wheels steer by {front:+.3g} rad, but the yaw rate is {yaw_rate:+.3g} rad/s"


def _wheels_slip(window: Window) -> bool:
    """Whether a wheel turns otherwise than the car moves, as far as wheels are reported."""
    report = window.new.report
    speed = report.velocity_mps
    least, most = wheel_speeds(report)
    room = 0.3 + 0.1 * abs(speed) + abs(report.yaw_rate_radps) * window.geometry.wheelbase_m
    return least < speed - room or most > speed + room


# ---- pedals --------------------------------------------------------------------------------------


def pedals_without_effect(window: Window) -> str:
    """The pedals were sent for a while; the car neither changes its speed nor slips its wheels."""
    new, old = window.new, window.old
    effort = (new.effort_mps - old.effort_mps) / window.duration_s
    if abs(effort) < 1.5 or new.effort_since_s > old.clock_s:
        return ""
    if min(new.effort_mps2 * effort, old.effort_mps2 * effort) <= 0.0:
        return ""
    report = new.report
    speed = report.velocity_mps
    direction = travel_direction(report.body.gear, speed)
    if effort < 0.0 and direction * speed < COMPARED_MPS:
        return ""
    force = direction * window.force_mps2
    if force * math.copysign(1.0, effort) >= 0.2 * abs(effort):
        return ""
    if _slides(window) or _wheels_slip(window):
        return ""
    pedal = "throttle" if effort > 0.0 else "brake"
    return f"{pedal} for {abs(effort):.2g} m/s2 sent, the car does not answer: {force:+.2g} m/s2"


SPEED_JUMP = Check(
    name="speed_jump",
    compares="speed against physics",
    limit=f"change beyond {JUMP_MPS:g} m/s + {JUMP_MPS2:g} m/s² x time, and it does not return",
    hold_s=0.3,
    detects_s=0.35,
)
STAMP_FROZEN = Check(
    name="stamp_frozen",
    compares="the vehicle's time against its motion",
    limit="the motion changes, the stamp does not",
    signals=("vehicle_time",),
    hold_s=0.3,
    detects_s=0.35,
)
CHECKS: tuple[Check, ...] = (
    SPEED_JUMP,
    STAMP_FROZEN,
    Check(
        name="out_of_range",
        compares="speed, wheel angle, pedals against any road vehicle",
        limit="100 m/s; 1.5 x the largest wheel angle; pedals 0 to 1",
        hold_s=0.3,
        detects_s=0.45,
        judge=out_of_range,
    ),
    Check(
        name="speed_position",
        compares="speed against position",
        limit=f"0.25 m + 30 % within {WINDOW_S:g} s, or the other way",
        signals=("position", "heading", "lateral_velocity"),
        hold_s=0.3,
        detects_s=0.9,
        judge=speed_against_position,
        varied=("position",),
    ),
    Check(
        name="speed_wheels",
        compares="speed against wheel spin",
        limit="all wheels 0.5 m/s + 25 % slower or faster, and less than 0.4 m/s² from it",
        signals=("wheel_speeds", "slope", "yaw_rate", "lateral_velocity"),
        hold_s=0.5,
        detects_s=1.2,
        judge=speed_against_wheels,
        varied=("wheel_speeds",),
    ),
    Check(
        name="speed_acceleration",
        compares="speed against acceleration",
        limit=f"1.5 m/s + 25 % within {WINDOW_S:g} s",
        signals=("acceleration", "yaw_rate", "lateral_velocity"),
        hold_s=0.3,
        detects_s=0.9,
        judge=speed_against_acceleration,
        varied=("acceleration",),
    ),
    Check(
        name="speed_frozen",
        compares="a speed that stays the same against acceleration",
        limit=f"{STILL_MPS:g} m/s within {WINDOW_S:g} s, above {COMPARED_MPS:g} m/s",
        signals=("acceleration", "yaw_rate", "lateral_velocity"),
        hold_s=0.3,
        detects_s=0.9,
        judge=speed_that_stands_still,
        varied=("acceleration",),
    ),
    Check(
        name="yaw_heading",
        compares="yaw rate against heading",
        limit=f"0.06 rad + 30 % within {WINDOW_S:g} s",
        signals=("yaw_rate", "heading"),
        hold_s=0.35,
        detects_s=0.8,
        judge=yaw_rate_against_heading,
        varied=("yaw_rate", "heading"),
    ),
    Check(
        name="yaw_steering",
        compares="yaw rate against steering",
        limit=f"opposite signs beyond {STEERED_RAD:g} rad, forward, tyres neither slide nor slip",
        signals=("yaw_rate", "lateral_velocity"),
        hold_s=0.5,
        detects_s=0.75,
        judge=yaw_rate_against_steering,
        varied=("yaw_rate",),
    ),
    Check(
        name="pedals_no_effect",
        compares="pedals sent against speed and wheels",
        limit="less than 20 % of an effort of 1.5 m/s² or more arrives, wheels do not slip",
        signals=("wheel_speeds", "slope", "yaw_rate", "lateral_velocity"),
        hold_s=0.7,
        detects_s=1.5,
        consequence=Consequence.NOTICE,
        judge=pedals_without_effect,
    ),
)
"""Every check, in the order of the documentation."""

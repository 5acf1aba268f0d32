"""The gate: (state, wanted, facts) -> (what is sent, state, reasons). See the package's docstring.

Signs and frames. Efforts and measured accelerations are along the travel direction of the gear that
is sent (`travel_direction`: -1 in REVERSE, and in PARK or NEUTRAL while the car rolls back; else
+1): an effort above 0 drives, one below 0 brakes. A demand, a brake and a hold are >= 0 and brake.
The speed of `Facts` and the accelerations in a command and in a `Change` are along the body,
positive forwards. Wheel angles are positive to the left. `effort`: the acceleration that the pedals
give on level ground.
"""

from dataclasses import dataclass, replace
from math import inf, isfinite, nan, sqrt
from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rules import steer_rate
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    BodyCommand,
    Change,
    DriverActivity,
    Gear,
    PlatformCommand,
    Stop,
    Until,
    VehicleCommand,
    drive_direction,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record
from vdsim_interface.values.speeds import HOLD_BELOW_MPS

COMMAND, IDLE, SILENT = Authority.COMMAND, Authority.IDLE, Authority.SILENT
RELEASED, ENGAGED = Until.RELEASED, Until.ENGAGED
SOFT_END_MPS, SOFT_END_M = 1.5, 0.5
"""A stop may ease where its demand ends the motion within this distance, at most at this speed."""
ARRIVED_SHARE, ARRIVED_MPS2, RESPONSE_S = 0.9, 0.1, 0.3
"""The car decelerates as demanded where it measures ARRIVED_SHARE times what it can have answered,
less ARRIVED_MPS2. What it can have answered follows the demand with a lag of RESPONSE_S."""
BLIND_SHARE = 1.2
"""Without a fresh report a brake is at most so many times the demand: nothing tells of a wheel that
locks."""
PERSON_S, PRESSED_S = 1.0, 0.3
"""A person counts as present for PERSON_S after a report of one. Accelerator or take-over switch
must be newly pressed for PRESSED_S to take an emergency stop."""
NEVER_S = -inf
NO_STOP = -inf
"""`GateState.settled_mps2` while no stop stands and none is being released: any other value says
that the effort is still to rise by the jerk."""
GIVEN_S, HELD_BEFORE_S, NOT_PRESSED_S = -inf, inf, nan
"""Values of `GateState.pressed_s` beside a time: the person has the stop; pressed since before the
stop began, which does not count; not pressed."""
ANGLE_TOLERANCE_RAD = 1e-6
"""Commands are rounded to float32."""
NO_CHANGES: tuple[Change, ...] = ()


class GateState(NamedTuple):
    """What the gate remembers from packet to packet.

    `sent_s`: time of the last packet, -inf while nothing is sent. `demand_mps2`: the deceleration
    that is demanded. `settled_mps2`: the same as the car can have answered it, or NO_STOP.
    `effort_mps2`, `front_rad`, `rear_rad`: as sent. `engagement`: the latest number. `needs_later`:
    no drive until it rises. `emergency_n`: the latest count of requests and releases.
    `emergency_mps2`: deceleration of the emergency stop that is latched, 0 for none. `person_s`:
    when the platform last reported a person at the controls. `pressed_s`: since when accelerator
    or take-over switch are newly pressed; GIVEN_S once that has lasted: the stop is the person's.
    """

    sent_s: float = -inf
    demand_mps2: float = 0.0
    settled_mps2: float = NO_STOP
    effort_mps2: float = 0.0
    front_rad: float = 0.0
    rear_rad: float = 0.0
    engagement: int = 0
    needs_later: bool = False
    emergency_n: int = 0
    emergency_mps2: float = 0.0
    person_s: float = -inf
    pressed_s: float = NOT_PRESSED_S


START = GateState()


class Wanted(NamedTuple):
    """What the rooms before want to send.

    `command`: its acceleration is the effort; its `hold_mps2` is a brake beside a drive, at a start
    on a slope, where the platform takes both pedals. `asked_mps2`: the acceleration that was asked
    of the rooms, along the travel direction. `stops`: those that stand for the safety side.
    `engagement`, `emergency_n`: the sender's counts of engagements, and of requests and releases of
    an emergency stop.
    """

    command: PlatformCommand
    asked_mps2: float
    stops: tuple[Stop, ...]
    engagement: int
    emergency_n: int


class Facts(NamedTuple):
    """What is known now. `command_s`, `report_s`: when the command and the vehicle's report came;
    the clocks of two processes may differ by less than the time-outs.

    `speed_mps`: reported, positive forwards. `accel_mps2`: measured change of the speed, along the
    travel direction. `hold_mps2`: brake that holds the car on its slope, >= 0. `slips`: wheels slip
    at the limit. `front_rad`, `rear_rad`, `gear`, `hand_brake`, `driver`: as the platform reports;
    what was sent of the body since the last report counts as reported.
    """

    now: float
    command_s: float
    report_s: float
    speed_mps: float
    accel_mps2: float
    hold_mps2: float
    slips: bool
    front_rad: float
    rear_rad: float
    gear: Gear | None
    hand_brake: bool
    driver: DriverActivity


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The parameters in force. `understeer_rad_s2pm`: the car's gradient, at least 0."""

    safety: SafetyParameters
    period_s: float
    command_timeout_s: float
    wheelbase_m: float
    understeer_rad_s2pm: float
    front_max_rad: float
    rear_max_rad: float


BODY_TABLE: dict[str, str] = {
    "PARK": "standstill_speed_mps",
    "DRIVE": "gear_change_speed_mps",
    "LOW": "gear_change_speed_mps",
    "REVERSE": "gear_change_speed_mps",
    "hand_brake": "gear_change_speed_mps",
}
"""The parameter of the largest speed at which each may be set: a direction counts against the
motion only, and NEUTRAL always may."""


def gate(
    state: GateState, wanted: Wanted, facts: Facts, limits: GateLimits
) -> tuple[PlatformCommand, GateState, tuple[Change, ...]]:
    """Return the command to send, the next state, and what was changed and why."""
    command, asked, stops, engagement, emergency_n = wanted
    now, speed_mps, driver = facts.now, facts.speed_mps, facts.driver
    safety, authority, body = limits.safety, command.authority, command.body
    fresh = abs(now - facts.report_s) <= safety.report_timeout_s
    if stops or state.emergency_mps2 or state.emergency_n != emergency_n or driver is not NO_DRIVER:
        state = _latched(state, wanted, facts, safety, fresh)
    if authority is SILENT:
        if not brakes_for_emergency(state):
            state = without_packet(state)
            if engagement != state.engagement:
                waits = state.needs_later and engagement < state.engagement
                state = state._replace(engagement=engagement, needs_later=waits)
            return command, state, NO_CHANGES
        command = command._replace(authority=IDLE, meaning=AccelMeaning.STOP, raw=None)
    (sent_s, _, settled, effort_before, front_from, rear_from, latest_n, needs_later,
     counted_n, latched_mps2, person_s, pressed_s) = state  # fmt: skip
    since_s = now - sent_s
    # After a backward jump of time nobody knows how long ago a packet was sent.
    dt_s = limits.period_s if since_s >= limits.period_s else max(since_s, 0.0)
    needs_later = needs_later and engagement <= latest_n
    at_rest = fresh and abs(speed_mps) <= safety.standstill_speed_mps
    changes = NO_CHANGES
    if body.gear is not facts.gear or body.hand_brake is not facts.hand_brake:
        command, changes = _with_body_in_order(command, facts, safety, fresh=fresh)
    direction = travel_direction(command.body.gear, speed_mps)
    raw, (_, accel, front, rear) = command.raw, command.vehicle
    may_drive = fresh and authority is COMMAND and not (stops or needs_later or latched_mps2)
    in_time = may_drive and abs(now - facts.command_s) <= limits.command_timeout_s
    if in_time and (raw is not None or isfinite(accel)):
        effort, pedals_hold = direction * accel, command.hold_mps2
        demand = -asked if -inf < asked < 0.0 else 0.0
        if effort <= 0.0 < pedals_hold:
            effort = min(effort, -pedals_hold)
        releases = settled != NO_STOP and not (at_rest or facts.slips or pedals_hold or raw)
        settled = NO_STOP
        if releases and effort > (most := effort_before + safety.jerk_max_mps3 * dt_s):
            rise = direction * effort, direction * most
            changes += (Change(notice_kinds.GATE_STOP, "long_accel_mps2", *rise),)
            vehicle = command.vehicle._replace(long_accel_mps2=direction * most)
            command, effort = command._replace(vehicle=vehicle), most
            demand = settled = max(demand, -most)
    else:
        rests = abs(speed_mps) <= safety.standstill_speed_mps  # by the last report, however old
        needs_later = needs_later or (rests and any(stop.until is ENGAGED for stop in stops))
        stopped = _stopped(state, command, wanted, direction, facts, safety, dt_s, fresh)
        command, demand, settled, effort, changed = stopped
        changes, raw = changes + changed, None
    starts = sent_s == NEVER_S or engagement != latest_n
    if starts or raw is not None:
        front_from = _in_range(facts.front_rad, limits.front_max_rad)
        rear_from = _in_range(facts.rear_rad, limits.rear_max_rad)
    if raw is not None:
        front, rear = front_from, rear_from
    elif front != front_from or rear != rear_from:
        command, turned = _steered(command, front_from, rear_from, speed_mps, limits, dt_s)
        if turned:
            changes, (_, _, front, rear) = changes + turned, command.vehicle
    state = record(GateState, (now, demand, settled, effort, front, rear, engagement, needs_later,
                               counted_n, latched_mps2, person_s, pressed_s))  # fmt: skip
    return command, state, changes


# ---- b: no stop brakes less than before ----------------------------------------------------------


def _stopped(
    state: GateState,
    command: PlatformCommand,
    request: Wanted,
    direction: int,
    facts: Facts,
    safety: SafetyParameters,
    dt_s: float,
    fresh: bool,
) -> tuple[PlatformCommand, float, float, float, tuple[Change, ...]]:
    """Return the command of a stop, demand, settled demand, effort, and what it changed."""
    asked, stops, effort_before = request.asked_mps2, request.stops, state.effort_mps2
    demand_before, settled_before = state.demand_mps2, state.settled_mps2
    decel, jerk = safety.stop_decel_mps2, safety.stop_jerk_mps3
    for _, stop_decel, stop_jerk, _ in stops:
        decel = stop_decel if stop_decel > decel else decel
        jerk = stop_jerk if stop_jerk > jerk else jerk
    emergency = brakes_for_emergency(state)
    if emergency:
        decel, jerk = max(decel, state.emergency_mps2), max(jerk, safety.brake_jerk_max_mps3)
    speed, step = direction * facts.speed_mps, jerk * dt_s
    pace = abs(speed)
    demand = decel if demand_before + step > decel else demand_before + step
    if demand < demand_before and not (fresh and pace <= safety.standstill_speed_mps):
        demand = demand_before
    demand = -asked if demand < -asked < inf else demand  # what the sender asks comes at once
    settled_before = demand_before if settled_before == NO_STOP else settled_before
    share = dt_s / RESPONSE_S if dt_s < RESPONSE_S else 1.0
    settled = settled_before + (demand - settled_before) * share
    hold, wanted = command.hold_mps2, direction * command.vehicle.long_accel_mps2
    if command.raw is not None or not isfinite(wanted):  # ours, which is made below
        command, wanted = command._replace(no_drive=False), -demand
    brake = -wanted if wanted <= 0.0 else 0.0
    brake = hold if hold > brake else brake
    before = -effort_before if effort_before < 0.0 else 0.0
    # A wanted effort above 0, as the trim of a rise, counts as no brake.
    if not fresh:  # as before at least: on a descent that is more than the demand
        brake = max(min(max(brake, demand, facts.hold_mps2), BLIND_SHARE * demand), before)
    elif not _may_brake_less(pace, demand, settled, facts):
        least = demand if demand < before + step else before + step
        brake = least if least > brake else brake
    if pace < HOLD_BELOW_MPS:  # it may come to rest by the next packet, and must not roll then
        at_once = effort_before > 0.0 or speed < 0.0 or not fresh  # unseen it may rest by now
        brake = max(brake, min(facts.hold_mps2, inf if at_once else before + step))
    effort, changes = -brake, NO_CHANGES
    if effort != wanted:
        kind = notice_kinds.GATE_EMERGENCY if emergency else notice_kinds.GATE_STOP
        changes = (Change(kind, "long_accel_mps2", direction * wanted, direction * effort),)
    if changes or hold or not command.no_drive:
        command = _with_effort(command, direction * effort)
    return command, demand, settled, effort, changes


def _may_brake_less(pace: float, demand: float, settled: float, facts: Facts) -> bool:
    """Whether the effort may be below the demand at this speed, whatever its direction."""
    soft = pace < SOFT_END_MPS and pace < sqrt(2.0 * demand * SOFT_END_M)
    return soft or facts.slips or -facts.accel_mps2 >= ARRIVED_SHARE * settled - ARRIVED_MPS2


def _with_effort(command: PlatformCommand, accel_mps2: float) -> PlatformCommand:
    stamp_s, _, front_rad, rear_rad = command.vehicle
    vehicle = record(VehicleCommand, (stamp_s, accel_mps2, front_rad, rear_rad))
    return record(PlatformCommand, (
        command.authority, command.mode, vehicle, command.body, None, command.meaning, 0.0,
        command.past_map, True, command.engage_wanted, command.standing))  # fmt: skip


# ---- c: the emergency stop -----------------------------------------------------------------------


def brakes_for_emergency(state: GateState) -> bool:
    """Whether an emergency stop is latched that no person has taken."""
    return state.emergency_mps2 > 0.0 and state.pressed_s != GIVEN_S


def _latched(
    state: GateState, wanted: Wanted, facts: Facts, safety: SafetyParameters, fresh: bool
) -> GateState:
    """Return the state with the emergency stop latched, released, or given to a person."""
    driver, now = facts.driver, facts.now
    before, pressed_s = state.emergency_mps2, state.pressed_s
    uses = driver is not NO_DRIVER and bool(driver.active_controls())
    asked, emergency_n = 0.0, wanted.emergency_n
    for _, decel_mps2, _, until in wanted.stops:
        asked = decel_mps2 if until is RELEASED and decel_mps2 > asked else asked
    if not (asked or before or uses or emergency_n != state.emergency_n):
        return state
    person_s = now if uses and fresh else state.person_s
    presses = fresh and (driver.accelerator or driver.switch)
    is_new = emergency_n > state.emergency_n  # a request of the stop, or its release
    if before and not asked and is_new:
        if fresh and abs(facts.speed_mps) <= safety.standstill_speed_mps:
            before, pressed_s = 0.0, NOT_PRESSED_S
        else:  # the release waits: the count stays behind, and is new again in the next packet
            emergency_n = state.emergency_n
    if asked and (is_new or not before):
        with_person = state.sent_s == NEVER_S and now - person_s <= PERSON_S
        unknown = presses or not fresh
        pressed_s = GIVEN_S if with_person else HELD_BEFORE_S if unknown else NOT_PRESSED_S
    elif before and pressed_s != GIVEN_S and (fresh or pressed_s != HELD_BEFORE_S):
        pressed_s = _pressed_s(pressed_s, now) if presses else NOT_PRESSED_S
    return record(GateState, (*state[:8], emergency_n, max(asked, before), person_s, pressed_s))


def _pressed_s(since_s: float, now: float) -> float:
    """Return `GateState.pressed_s` of accelerator or take-over switch that are pressed now."""
    if since_s != since_s:  # not pressed until now
        return now
    return GIVEN_S if since_s != HELD_BEFORE_S and now - since_s >= PRESSED_S else since_s


def without_packet(state: GateState) -> GateState:
    """Return what outlives silence and an activation."""
    return GateState(*START[:6], *state[6:])


def after_time_jump(state: GateState) -> GateState:
    """Return the state without the times from before a backward jump."""
    pressed_s = NOT_PRESSED_S if isfinite(state.pressed_s) else state.pressed_s
    return state._replace(person_s=NEVER_S, pressed_s=pressed_s)


# ---- e: steering, gear and hand brake ------------------------------------------------------------


def _steered(
    command: PlatformCommand,
    front_from: float,
    rear_from: float,
    speed_mps: float,
    limits: GateLimits,
    dt_s: float,
) -> tuple[PlatformCommand, tuple[Change, ...]]:
    """Return the command with its wheel angles finite, in range and within the steering rate."""
    safety, front_max, rear_max = limits.safety, limits.front_max_rad, limits.rear_max_rad
    stamp_s, accel_mps2, front, rear = command.vehicle
    step, changes = inf, NO_CHANGES
    if safety.applies("rate"):
        wheelbase_m = limits.wheelbase_m + limits.understeer_rad_s2pm * speed_mps * speed_mps
        step = steer_rate(speed_mps, front_from, wheelbase_m, safety) * dt_s + ANGLE_TOLERANCE_RAD
    near = abs(front - front_from) <= step and abs(rear - rear_from) <= step
    if near and abs(front) <= front_max and abs(rear) <= rear_max:
        return command, NO_CHANGES
    front_to = _turned(front, front_from, step, front_max)
    rear_to = _turned(rear, rear_from, step, rear_max)
    if front_to != front:
        changes += (Change(notice_kinds.GATE_STEER, "front_wheel_angle_rad", front, front_to),)
    if rear_to != rear:
        changes += (Change(notice_kinds.GATE_STEER, "rear_wheel_angle_rad", rear, rear_to),)
    vehicle = record(VehicleCommand, (stamp_s, accel_mps2, front_to, rear_to))
    return command._replace(vehicle=vehicle), changes


def _turned(angle_rad: float, from_rad: float, step_rad: float, most_rad: float) -> float:
    """Return the angle: a number, within one step, in range."""
    near_rad = min(max(angle_rad, from_rad - step_rad), from_rad + step_rad)
    return _in_range(near_rad, most_rad) if isfinite(angle_rad) else from_rad


def _in_range(angle: float, most: float) -> float:
    """Return an angle in range; straight where the vehicle does not know its own."""
    return max(-most, min(angle, most)) if angle == angle else 0.0


def _with_body_in_order(
    command: PlatformCommand, facts: Facts, safety: SafetyParameters, *, fresh: bool
) -> tuple[PlatformCommand, tuple[Change, ...]]:
    """Return the command without a gear or hand brake that the speed forbids; the pedals follow."""
    body, gear, changes = command.body, facts.gear, NO_CHANGES
    if gear is None:  # before the first report the body is what we assume
        return command, changes
    if body.gear is not gear and not _gear_may_be_set(body.gear, facts, safety, fresh=fresh):
        changes += (Change(notice_kinds.GATE_BODY, "gear", body.gear, gear),)
        body = replace(body, gear=gear)
    if body.hand_brake and not facts.hand_brake:
        most_mps: float = getattr(safety, BODY_TABLE["hand_brake"])
        if not fresh or abs(facts.speed_mps) > most_mps:
            changes += (Change(notice_kinds.GATE_BODY, "hand_brake", True, False),)
            body = replace(body, hand_brake=False)
    return (_with_body(command, body, facts.speed_mps) if changes else command), changes


def _gear_may_be_set(gear: Gear, facts: Facts, safety: SafetyParameters, *, fresh: bool) -> bool:
    if gear is Gear.NEUTRAL:
        return True
    most_mps: float = getattr(safety, BODY_TABLE[gear.name])
    speed = facts.speed_mps
    against = abs(speed) if gear is Gear.PARK else -drive_direction(gear) * speed
    return fresh and against <= most_mps


def _with_body(command: PlatformCommand, body: BodyCommand, speed_mps: float) -> PlatformCommand:
    """Return the command with another body: braking in one gear stays braking in the other.

    A drive in a direction whose gear is refused has no number: the gate stops the car.
    """
    vehicle, asked = command.vehicle, travel_direction(command.body.gear, speed_mps)
    if travel_direction(body.gear, speed_mps) != asked:
        accel, raw = vehicle.long_accel_mps2, command.raw
        drives = asked * accel > 0.0 or (raw is not None and raw.throttle > 0)
        command = command._replace(raw=None if drives else raw)
        vehicle = vehicle._replace(long_accel_mps2=nan if drives else -accel)
    return command._replace(vehicle=vehicle, body=body)

"""The gate: (state, wanted, facts) -> (what is sent, state, reasons). See the package's docstring.

Everything longitudinal is along the travel direction: positive drives, negative brakes. `effort` is
the acceleration that the pedals give on level ground.
"""

from dataclasses import replace
from math import inf, isfinite, nan, sqrt
from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rules import steer_rate
from vdsim_interface.standstill.speeds import HOLD_BELOW_MPS
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

COMMAND, IDLE, SILENT = Authority.COMMAND, Authority.IDLE, Authority.SILENT
RELEASED, ENGAGED = Until.RELEASED, Until.ENGAGED
SOFT_END_MPS, SOFT_END_M = 1.5, 0.5
"""A stop may ease where its demand ends the motion within this distance, at most at this speed."""
ARRIVED_SHARE, ARRIVED_MPS2, RESPONSE_S = 0.9, 0.1, 0.3
"""The car decelerates as demanded: by this share of the demand less this, so much later."""
BLIND_SHARE = 1.2
PERSON_S, PRESSED_S = 1.0, 0.3
NEVER_S = -inf
NO_STOP = -inf
"""`GateState.settled_mps2` while no stop stands and none is being released."""
GIVEN_S, HELD_BEFORE_S, NOT_PRESSED_S = -inf, inf, nan
"""Values of `GateState.pressed_s` beside a time."""
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
    """What the rooms before want to send. `command`: its acceleration is the effort. `asked_mps2`:
    the acceleration that was asked of them. `stops`: those that stand for the safety side."""

    command: PlatformCommand
    asked_mps2: float
    stops: tuple[Stop, ...]
    engagement: int
    emergency_n: int


class Facts(NamedTuple):
    """What is known now. `command_s`, `report_s`: when the command and the vehicle's report came;
    the clocks of two processes may differ by less than the time-outs.

    `speed_mps`: reported, positive forwards. `accel_mps2`: measured, along the travel direction.
    `hold_mps2`: brake that holds the car on its slope, as an effort >= 0. `slips`: wheels slip at
    the limit. `front_rad`, `rear_rad`, `gear`, `hand_brake`, `driver`: as reported by the platform.
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


class GateLimits(NamedTuple):
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
    state = _latched(state, stops, emergency_n, facts, limits)
    authority, now = command.authority, facts.now
    safety = limits.safety
    emergency = brakes_for_emergency(state)
    if authority is SILENT:
        if not emergency:
            state = without_packet(state)
            if engagement != state.engagement:
                waits = state.needs_later and engagement < state.engagement
                state = state._replace(engagement=engagement, needs_later=waits)
            return command, state, NO_CHANGES
        command = command._replace(authority=IDLE, meaning=AccelMeaning.STOP, raw=None)
    fresh = abs(now - facts.report_s) <= safety.report_timeout_s
    since_s = now - state.sent_s
    dt_s = limits.period_s if not 0.0 <= since_s < limits.period_s else since_s
    needs_later = state.needs_later and engagement <= state.engagement
    at_rest = fresh and abs(facts.speed_mps) <= safety.standstill_speed_mps
    drives = _may_drive(command, stops, facts, limits, fresh) and not needs_later
    if at_rest and any(stop.until is ENGAGED for stop in stops):
        needs_later = True
    changes = NO_CHANGES
    if command.body.gear is not facts.gear or command.body.hand_brake is not facts.hand_brake:
        command, changes = _with_body_in_order(command, facts, safety, fresh=fresh)
    direction = travel_direction(command.body.gear, facts.speed_mps)
    if drives and not state.emergency_mps2:
        demand, settled = -asked if -inf < asked < 0.0 else 0.0, NO_STOP
        effort = direction * command.vehicle.long_accel_mps2
        if effort <= 0.0 < command.hold_mps2:
            effort = min(effort, -command.hold_mps2)
        if state.settled_mps2 != NO_STOP and not (at_rest or facts.slips or command.hold_mps2):
            most = state.effort_mps2 + safety.jerk_max_mps3 * dt_s
            if effort > most and command.raw is None:  # a stop has ended: it is released
                rise = direction * effort, direction * most
                changes += (Change(notice_kinds.GATE_STOP, "long_accel_mps2", *rise),)
                vehicle = command.vehicle._replace(long_accel_mps2=direction * most)
                command, effort = command._replace(vehicle=vehicle), most
                demand = settled = max(demand, -most)
    else:
        stopped = _stopped(state, command, direction, asked, stops, facts, limits, dt_s, fresh)
        command, demand, settled, effort, changed = stopped
        if changed:
            kind = notice_kinds.GATE_EMERGENCY if emergency else notice_kinds.GATE_STOP
            changes += (Change(kind, "long_accel_mps2", *changed),)
    if command.raw is None:
        starts = engagement != state.engagement or state.sent_s == NEVER_S
        command, turned = _steered(state, command, facts, limits, dt_s, starts=starts)
        changes += turned
        front, rear = command.vehicle.front_wheel_angle_rad, command.vehicle.rear_wheel_angle_rad
    else:
        front = _in_range(facts.front_rad, limits.front_max_rad)
        rear = _in_range(facts.rear_rad, limits.rear_max_rad)
    numbers = (now, demand, settled, effort, front, rear, engagement, needs_later)
    return command, record(GateState, (*numbers, *state[8:])), changes


# ---- a, d: who may drive -----------------------------------------------------------------------


def _may_drive(
    command: PlatformCommand, stops: tuple[Stop, ...], facts: Facts, limits: GateLimits, fresh: bool
) -> bool:
    """Whether a sender with authority commands now, and nothing stops the car."""
    if stops or not fresh or command.authority is not COMMAND:
        return False
    is_finite = command.raw is not None or isfinite(command.vehicle.long_accel_mps2)
    return abs(facts.now - facts.command_s) <= limits.command_timeout_s and is_finite


# ---- b: no stop brakes less than before ----------------------------------------------------------


def _stopped(
    state: GateState,
    command: PlatformCommand,
    direction: int,
    asked: float,
    stops: tuple[Stop, ...],
    facts: Facts,
    limits: GateLimits,
    dt_s: float,
    fresh: bool,
) -> tuple[PlatformCommand, float, float, float, tuple[float, float] | None]:
    """Return the command of a stop, demand, settled demand, effort, and what it changed."""
    safety = limits.safety
    decel, jerk = safety.stop_decel_mps2, safety.stop_jerk_mps3
    for stop in stops:
        decel, jerk = max(decel, stop.decel_mps2), max(jerk, stop.jerk_mps3)
    if brakes_for_emergency(state):
        decel, jerk = max(decel, state.emergency_mps2), max(jerk, safety.brake_jerk_max_mps3)
    speed = direction * facts.speed_mps
    moves = not (fresh and abs(speed) <= safety.standstill_speed_mps)
    rising = state.demand_mps2 + jerk * dt_s
    demand = max(min(decel, rising), state.demand_mps2 if moves else 0.0)
    if isfinite(asked):
        demand = max(demand, -asked)
    before = state.demand_mps2 if state.settled_mps2 == NO_STOP else state.settled_mps2
    settled = before + (demand - before) * min(dt_s / RESPONSE_S, 1.0)
    wanted = direction * command.vehicle.long_accel_mps2
    if command.raw is not None or not isfinite(wanted):
        wanted = -demand
    brake = max(-wanted, command.hold_mps2, 0.0)
    before = max(-state.effort_mps2, 0.0)
    if not fresh:
        brake = min(max(brake, demand), max(BLIND_SHARE * demand, before))
    elif not _may_brake_less(speed, demand, settled, facts):
        brake = max(brake, min(demand, before + jerk * dt_s))
    if abs(speed) < HOLD_BELOW_MPS:
        at_once = state.effort_mps2 > 0.0 or speed < 0.0
        brake = max(brake, min(facts.hold_mps2, inf if at_once else before + jerk * dt_s))
    effort = -brake
    changed = (direction * wanted, direction * effort) if effort != wanted else None
    if changed or command.hold_mps2 or not command.no_drive or command.raw is not None:
        command = _with_effort(command, direction * effort)
    return command, demand, settled, effort, changed


def _may_brake_less(speed: float, demand: float, settled: float, facts: Facts) -> bool:
    """Whether the effort may be below the demand."""
    if abs(speed) < min(SOFT_END_MPS, sqrt(2.0 * demand * SOFT_END_M)) or facts.slips:
        return True
    return -facts.accel_mps2 >= ARRIVED_SHARE * settled - ARRIVED_MPS2


def _with_effort(command: PlatformCommand, accel_mps2: float) -> PlatformCommand:
    stamp_s, _, front_rad, rear_rad = command.vehicle
    vehicle = record(VehicleCommand, (stamp_s, accel_mps2, front_rad, rear_rad))
    head = (*command[:2], vehicle, command.body, None, command.meaning)
    return record(PlatformCommand, (*head, 0.0, command.past_map, True, *command[9:]))


# ---- c: the emergency stop -----------------------------------------------------------------------


def brakes_for_emergency(state: GateState) -> bool:
    """Whether an emergency stop is latched that no person has taken."""
    return state.emergency_mps2 > 0.0 and state.pressed_s != GIVEN_S


def _latched(
    state: GateState, stops: tuple[Stop, ...], emergency_n: int, facts: Facts, limits: GateLimits
) -> GateState:
    """Return the state with the emergency stop latched, released, or given to a person."""
    driver, now = facts.driver, facts.now
    before, pressed_s = state.emergency_mps2, state.pressed_s
    uses = driver is not NO_DRIVER and bool(driver.active_controls())
    asked = max([s.decel_mps2 for s in stops if s.until is RELEASED], default=0.0) if stops else 0.0
    if not (asked or before or uses or emergency_n != state.emergency_n):
        return state
    fresh = abs(now - facts.report_s) <= limits.safety.report_timeout_s
    person_s = now if uses and fresh else state.person_s
    presses = fresh and (driver.accelerator or driver.switch)
    is_new = emergency_n > state.emergency_n  # a request, or a release
    if before and not asked and is_new:
        if fresh and abs(facts.speed_mps) <= limits.safety.standstill_speed_mps:
            before, pressed_s = 0.0, NOT_PRESSED_S
        else:  # it counts once the car is known to stand
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
    state: GateState,
    command: PlatformCommand,
    facts: Facts,
    limits: GateLimits,
    dt_s: float,
    *,
    starts: bool,
) -> tuple[PlatformCommand, tuple[Change, ...]]:
    """Return the command with its wheel angles finite, in range and within the steering rate."""
    stamp_s, accel_mps2, front, rear = command.vehicle
    front_from, rear_from, safety = state.front_rad, state.rear_rad, limits.safety
    if starts:
        front_from = _in_range(facts.front_rad, limits.front_max_rad)
        rear_from = _in_range(facts.rear_rad, limits.rear_max_rad)
    if front == front_from and rear == rear_from:
        return command, NO_CHANGES
    step, speed = inf, facts.speed_mps
    if safety.applies("rate"):
        wheelbase_m = limits.wheelbase_m + limits.understeer_rad_s2pm * speed * speed
        step = steer_rate(speed, front_from, wheelbase_m, safety) * dt_s + ANGLE_TOLERANCE_RAD
    front_to = _turned(front, front_from, step, limits.front_max_rad)
    rear_to = _turned(rear, rear_from, step, limits.rear_max_rad)
    changes = NO_CHANGES
    if front_to != front:
        changes += (Change(notice_kinds.GATE_STEER, "front_wheel_angle_rad", front, front_to),)
    if rear_to != rear:
        changes += (Change(notice_kinds.GATE_STEER, "rear_wheel_angle_rad", rear, rear_to),)
    if not changes:
        return command, changes
    vehicle = record(VehicleCommand, (stamp_s, accel_mps2, front_to, rear_to))
    return record(PlatformCommand, (*command[:2], vehicle, *command[3:])), changes


def _turned(angle_rad: float, from_rad: float, step_rad: float, most_rad: float) -> float:
    """Return the angle: a number, within one step, in range."""
    if abs(angle_rad - from_rad) <= step_rad and -most_rad <= angle_rad <= most_rad:
        return angle_rad
    if not isfinite(angle_rad):
        return from_rad
    return _in_range(min(max(angle_rad, from_rad - step_rad), from_rad + step_rad), most_rad)


def _in_range(angle_rad: float, most_rad: float) -> float:
    return min(max(angle_rad, -most_rad), most_rad)


def _with_body_in_order(
    command: PlatformCommand, facts: Facts, safety: SafetyParameters, *, fresh: bool
) -> tuple[PlatformCommand, tuple[Change, ...]]:
    """Return the command without a gear or hand brake that the speed forbids; the pedals follow."""
    body, changes = command.body, NO_CHANGES
    gear = facts.gear
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
    """Return the command with another body: braking in one gear stays braking in the other."""
    vehicle = command.vehicle
    if travel_direction(body.gear, speed_mps) != travel_direction(command.body.gear, speed_mps):
        vehicle = vehicle._replace(long_accel_mps2=-vehicle.long_accel_mps2)
    return command._replace(vehicle=vehicle, body=body)

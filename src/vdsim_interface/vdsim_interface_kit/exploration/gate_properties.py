"""The gate's promises a to e, as formulas over one packet and what a witness noted before it."""

import math
from collections.abc import Callable
from typing import NamedTuple

from vdsim_interface.values import Authority, Gear, travel_direction

from vdsim_interface_kit.exploration.gate_scene import (
    EMERGENCY,
    HELD_BEFORE_S,
    UNPRESSED_S,
    Packet,
    Witness,
)

SILENT = Authority.SILENT
EPSILON = 1e-5
HOLD_BELOW_MPS, SOFT_MPS, SOFT_M = 1.0, 1.5, 0.5
BLIND_SHARE, PERSON_S, PRESSED_S, ANSWER_S = 1.2, 1.0, 0.3, 0.3
RATE_RADPS = 0.8


class Judged(NamedTuple):
    """One packet in the words of the promises. `stops`: no drive is allowed, it is a stop.

    `most`: the largest effort while a stop is being released.
    """

    packet: Packet
    after: Witness
    fresh: bool
    at_rest: bool
    stops: bool
    jerk: float
    step_s: float
    drive: float
    brake: float
    most: float


class GateProperty(NamedTuple):
    """One thing that must hold of every packet."""

    name: str
    formula: str
    holds: Callable[[Judged], bool]


def judge(packet: Packet) -> Judged:
    """Follow the packet by the words of the promises, without the gate's state."""
    inputs, witness, safety = packet.inputs, packet.witness, packet.limits.safety
    posed = packet.posed
    fresh, at_rest = posed.fresh, posed.at_rest
    if posed.uses or posed.requested or witness.latched or witness.person_s < math.inf:
        witness = _with_person(witness, packet, fresh=fresh, at_rest=at_rest)
    later = witness.later and inputs.number <= 0
    in_order = (
        inputs.authority is Authority.COMMAND
        and fresh
        and posed.in_time
        and (inputs.raw or math.isfinite(inputs.effort))
        and not _drives_the_other_way(packet)
    )
    stops = not in_order or bool(inputs.stops) or later or witness.latched
    if posed.interlocked and posed.rested:
        later = later or packet.sent.authority is not SILENT
    step_s = packet.limits.period_s
    if witness.sends and inputs.after_s < step_s:
        step_s = max(inputs.after_s, 0.0)
    decel, jerk, asked = posed.decel, posed.jerk, posed.asked
    if witness.latched and not witness.theirs:
        decel = max(decel, EMERGENCY.decel_mps2)
        jerk = max(jerk, safety.brake_jerk_max_mps3)
    silent = packet.sent.authority is SILENT
    demand = answered = 0.0
    if not silent:
        demand = answered = asked
        if stops:
            least = 0.0 if at_rest else witness.demand
            demand = max(min(decel, witness.demand + jerk * step_s), least, asked)
            share = min(step_s / ANSWER_S, 1.0)
            answered = witness.answered + (demand - witness.answered) * share
    drive, brake = (0.0, 0.0) if silent else _parts(packet)
    front, rear = (0.0, 0.0) if silent else _wheels(packet)
    most = math.inf
    if witness.eases and not (stops or silent or posed.free):
        most = witness.effort + safety.jerk_max_mps3 * step_s
        if inputs.effort > most + EPSILON:
            demand = answered = max(demand, -most)
    after = witness._replace(
        sends=not silent,
        drive=max(drive, 0.0),
        brake=brake,
        demand=demand,
        answered=answered,
        front=front,
        rear=rear,
        later=later,
        eases=not silent and (stops or inputs.effort > most + EPSILON),
        new_number=silent and (witness.new_number or inputs.number != 0),
    )
    return Judged(packet, after, fresh, at_rest, stops, jerk, step_s, drive, brake, most)


def _drives_the_other_way(packet: Packet) -> bool:
    """Whether a drive is asked for in a gear that was refused, for the other direction."""
    inputs = packet.inputs
    asked = travel_direction(inputs.gear, inputs.speed)
    turns = travel_direction(packet.sent.body.gear, inputs.speed) != asked
    return turns and (inputs.raw or inputs.effort > 0.0)


def _parts(packet: Packet) -> tuple[float, float]:
    """Return drive and brake of what is sent."""
    sent = packet.sent
    if sent.raw is not None:
        drive = float(sent.raw.throttle - sent.raw.brake)
        return drive, max(-packet.inputs.effort, 0.0)
    direction = travel_direction(sent.body.gear, packet.inputs.speed)
    accel = direction * sent.vehicle.long_accel_mps2
    return accel, max(-accel, sent.hold_mps2, 0.0)


def _wheels(packet: Packet) -> tuple[float, float]:
    """Return the angles of the front and rear wheels that are sent."""
    _, _, front, rear = packet.sent.vehicle
    return _reported(packet) if packet.sent.raw is not None else (front, rear)


def _reported(packet: Packet) -> tuple[float, float]:
    """Return the angles that the vehicle reports, within its ranges."""
    inputs, limits = packet.inputs, packet.limits
    front = _in_range(inputs.reported_front, limits.front_max_rad)
    return front, _in_range(inputs.reported_rear, limits.rear_max_rad)


def _in_range(angle: float, most: float) -> float:
    return 0.0 if math.isnan(angle) else min(max(angle, -most), most)


def _wheels_before(packet: Packet) -> tuple[float, float]:
    """Return the angles from which the packet may turn."""
    before = packet.witness
    starts = not before.sends or before.new_number or packet.inputs.number != 0
    return _reported(packet) if starts else (before.front, before.rear)


def _with_person(witness: Witness, packet: Packet, *, fresh: bool, at_rest: bool) -> Witness:
    """Return what stands of an emergency stop, and what a person does about it."""
    inputs = packet.inputs
    presses, requested = packet.posed.presses, packet.posed.requested
    person_s = 0.0 if packet.posed.uses else witness.person_s + inputs.after_s
    latched, theirs, back = witness.latched, witness.theirs, witness.back
    pressed_s = witness.pressed_s
    if latched:
        if inputs.counted:
            back = inputs.counted > 0
        back = back and not requested
        if back and at_rest:
            latched = theirs = back = False
            pressed_s = UNPRESSED_S
    if requested and (not latched or witness.counted > 0):
        latched = True
        theirs = not witness.sends and person_s <= PERSON_S + EPSILON
        pressed_s = UNPRESSED_S if fresh and not presses else HELD_BEFORE_S
    elif latched and fresh:
        if not presses:
            pressed_s = UNPRESSED_S
        elif pressed_s == UNPRESSED_S:
            pressed_s = 0.0
        else:
            pressed_s += inputs.after_s
            theirs = theirs or PRESSED_S - EPSILON <= pressed_s < HELD_BEFORE_S
    elif latched and pressed_s != HELD_BEFORE_S:
        pressed_s = UNPRESSED_S
    return witness._replace(
        latched=latched, theirs=theirs, back=back, person_s=person_s, pressed_s=pressed_s
    )


def _no_drive(step: Judged) -> bool:
    sent = step.packet.sent
    if not step.stops or sent.authority is SILENT:
        return True
    return step.drive <= 0.0 and sent.raw is None and sent.no_drive and sent.hold_mps2 == 0.0


def _held(step: Judged) -> bool:
    inputs, before = step.packet.inputs, step.packet.witness
    sent = step.packet.sent
    if not step.stops or sent.authority is SILENT or abs(inputs.speed) >= HOLD_BELOW_MPS:
        return True
    speed = travel_direction(sent.body.gear, inputs.speed) * inputs.speed
    at_once = before.drive > 0.0 or speed < 0.0 or not step.fresh
    least = inputs.hold if at_once else min(inputs.hold, before.brake + step.jerk * step.step_s)
    return step.brake >= least - EPSILON


def _no_less(step: Judged) -> bool:
    inputs, before = step.packet.inputs, step.packet.witness
    if not step.stops or step.packet.sent.authority is SILENT or step.at_rest:
        return True
    demand = step.after.demand
    if not step.fresh:  # on a descent it may be more than the demand, which nothing measures
        holds = min(inputs.hold, BLIND_SHARE * demand)  # unseen, the car may rest by now
        return step.brake >= max(demand, before.brake, holds) - EPSILON
    soft = abs(inputs.speed) < min(SOFT_MPS, math.sqrt(2.0 * demand * SOFT_M))
    answers = -inputs.measured >= 0.9 * step.after.answered - 0.1 - EPSILON
    if soft or inputs.slips or answers:
        return True
    return step.brake >= min(demand, before.brake + step.jerk * step.step_s) - EPSILON


def _blind(step: Judged) -> bool:
    inputs, before = step.packet.inputs, step.packet.witness
    if step.fresh or not step.stops:
        return True
    hold = inputs.hold if abs(inputs.speed) < HOLD_BELOW_MPS else 0.0
    return step.brake <= max(BLIND_SHARE * step.after.demand, before.brake, hold) + EPSILON


def _released(step: Judged) -> bool:
    """A stop that has ended lets the effort rise by the jerk, and no slower."""
    if step.most == math.inf:
        return True
    effort = step.drive if step.drive > 0.0 else -step.brake
    return abs(effort - min(step.packet.inputs.effort, step.most)) <= 2.0 * EPSILON


def _emergency(step: Judged) -> bool:
    mine = step.after.latched and not step.after.theirs
    return not mine or step.packet.sent.authority is not SILENT


def _person(step: Judged) -> bool:
    asks_silence = step.packet.inputs.authority is SILENT
    mine = step.after.latched and not step.after.theirs
    return not asks_silence or mine or step.packet.sent.authority is SILENT


def _later(step: Judged) -> bool:
    waits = step.packet.witness.later and step.packet.inputs.number <= 0
    return (
        not waits
        or (step.drive <= 0.0 and step.packet.sent.raw is None)
        or (step.packet.sent.authority is SILENT)
    )


def _steers(step: Judged) -> bool:
    packet = step.packet
    sent = packet.sent
    if sent.raw is not None or sent.authority is SILENT:
        return True
    if not packet.limits.safety.applies("rate"):
        return True
    most = RATE_RADPS * step.step_s + EPSILON
    (front, rear), (front_from, rear_from) = sent.vehicle[2:], _wheels_before(packet)
    return abs(front - front_from) <= most and abs(rear - rear_from) <= most


def _finite(step: Judged) -> bool:
    sent, limits = step.packet.sent, step.packet.limits
    if sent.raw is not None or sent.authority is SILENT:
        return True
    _, accel, front, rear = sent.vehicle
    within = abs(front) <= limits.front_max_rad and abs(rear) <= limits.rear_max_rad
    return math.isfinite(accel) and within


def _body(step: Judged) -> bool:
    inputs, body = step.packet.inputs, step.packet.sent.body
    safety, speed = step.packet.limits.safety, inputs.speed
    if step.packet.sent.authority is SILENT:
        return True
    slow = safety.gear_change_speed_mps
    gears = {
        Gear.NEUTRAL: True,
        Gear.PARK: step.at_rest,
        Gear.REVERSE: step.fresh and speed <= slow,
        Gear.DRIVE: step.fresh and speed >= -slow,
        Gear.LOW: step.fresh and speed >= -slow,
    }
    if inputs.reported_gear is None:
        return True
    in_order = body.gear is inputs.reported_gear or gears[body.gear]
    brakes = body.hand_brake and not inputs.reported_hand_brake
    return in_order and (not brakes or (step.fresh and abs(speed) <= slow))


def _passes(step: Judged) -> bool:
    """A command in order is the very object that is sent."""
    packet = step.packet
    inputs, limits, wanted = packet.inputs, packet.limits, packet.wanted
    released = inputs.effort > step.most - EPSILON
    if step.stops or inputs.authority is SILENT or released:
        return True
    front_from, rear_from = _wheels_before(packet)
    most = RATE_RADPS * step.step_s if limits.safety.applies("rate") else math.inf
    near = abs(inputs.front - front_from) <= most and abs(inputs.rear - rear_from) <= most
    steers = near and abs(inputs.front) <= limits.front_max_rad
    steers = steers and abs(inputs.rear) <= limits.rear_max_rad
    body = inputs.gear is inputs.reported_gear and inputs.hand_brake is inputs.reported_hand_brake
    return not body or not (steers or inputs.raw) or packet.sent is wanted


GATE_PROPERTIES = (
    GateProperty("a: no drive", "G (a cause stands -> no drive in this packet)", _no_drive),
    GateProperty(
        "a: held",
        "G (a cause, |v| < 1 m/s -> the brake holds the slope: at once after drive "
        "and where it rolls back, else by the jerk)",
        _held,
    ),
    GateProperty(
        "b: no less",
        "G (stop, moves, no reason -> brake >= min(demand, brake before + jerk dt))",
        _no_less,
    ),
    GateProperty("b: blind", "G (blind stop -> brake <= max(1.2 demand, before))", _blind),
    GateProperty(
        "b: release",
        "G (a stop has ended, moves -> effort = min(wanted, effort before + jerk dt))",
        _released,
    ),
    GateProperty("c: brakes", "G (emergency, no person's -> a packet is sent)", _emergency),
    GateProperty("c: a person", "G (silence is asked, no emergency of ours -> silence)", _person),
    GateProperty(
        "d: later", "G (an interlock held the car -> no drive until a later number)", _later
    ),
    GateProperty("e: rate", "G (|angle - before| <= rate min(dt, period))", _steers),
    GateProperty("e: range", "G (finite, in range)", _finite),
    GateProperty("e: body", "G (gear and hand brake change at their speeds only)", _body),
    GateProperty("passes", "G (no cause -> the command itself is sent)", _passes),
)

"""What a person or the stack asks for: each request has the effect that the pages state, no other.

docs/safety.md (gears and body, held at rest), docs/control-levels.md, docs/teleop.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import wishes
from vdsim_simulate.oracles.calm import (
    SHOWN_S,
    calm_spans,
    is_autonomous,
    is_calm,
    is_upset,
    shown_spans,
)
from vdsim_simulate.oracles.causes import causes
from vdsim_simulate.oracles.motion import ahead_of, motion_of
from vdsim_simulate.oracles.stops import FAILSAFE_S, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Fact, Record, Wanted

GEAR_OF = {"DRIVE": 1, "LOW": 1, "REVERSE": -1, "PARK": 0, "NEUTRAL": 0}
OBEYS_S = 0.3
"""A request passes a process, a topic and a period."""
CHOOSES_S = 0.5
"""What chose a gear was asked for at most so long before it is sent."""
MOVES_MPS, RESTS_MPS, ROLLS_MPS = 0.5, 0.02, 0.25
PARKS_S = 1.0
"""PARK of a stop comes with its hand brake, but for the time of a shift."""
ASKED_S = 2.0
"""A request to drive that waits for a gear, and what is left of the leg before."""
GIVES_UP_S = 1.5
"""A source counts for its time-out; the car that it drove is stopped, and stands for a second."""


def _said(record: Record, what: str) -> list[tuple[Fact, str]]:
    """What state messages say, each with what the message before it said."""
    said = [fact for fact in record.facts if fact.what == what]
    names = ["", *(fact.who for fact in said)]
    return [(fact, before) for before, fact in zip(names, said, strict=False)]


def _gear_asked_at(record: Record, time_s: float) -> str:
    """The gear of the latest state message."""
    said = [f.who for f in record.facts if f.what == facts.GEAR_SAID and f.time_s <= time_s]
    return said[-1] if said else ""


@oracle
def braking_never_ends_in_reverse(record: Record) -> Iterator[Violation]:
    """A direction is chosen by a request, or by a sign after the dead zone of a car at rest."""
    if record.scene.platform != "vds1":
        return
    driven_gear = 0
    for before, packet in pairwise(record.packets):
        is_other = packet.gear and packet.gear != driven_gear
        first_gear, driven_gear = driven_gear, packet.gear or driven_gear
        is_change = is_other and (first_gear or packet.gear < 0)
        if not is_change or not is_autonomous(record, packet.time_s, packet.time_s):
            continue
        if packet.time_s - before.time_s > FAILSAFE_S:
            continue
        if not _is_direction_asked(record, packet.gear, packet.time_s):
            speed_mps = motion_of(record).at(packet.time_s).vx_mps
            text = f"gear {packet.gear:+d} at {speed_mps:.2f} m/s, and nobody has asked for it"
            yield Violation(packet.time_s, text)
            return


def _is_direction_asked(record: Record, gear: int, time_s: float) -> bool:
    recent = (time_s - CHOOSES_S - SHOWN_S, time_s)
    if is_upset(record, time_s - 2.0 * CHOOSES_S, time_s):
        return True
    said_s = time_s - record.parameters.safety.shift_time_s - 2.0 * CHOOSES_S
    spans, ended_s = shown_spans(record, "AUTONOMOUS"), 0.0
    for began_s, ends_s in spans:  # what is asked for while autonomy is off waits for it
        if said_s < began_s <= time_s:
            said_s = min(said_s, ended_s)
        ended_s = ends_s
    for fact in record.facts:
        is_recent = fact.what == facts.GEAR_SAID and said_s < fact.time_s < time_s
        if is_recent and GEAR_OF[fact.who] == gear:
            return True
        is_source = gear > 0 and fact.what == facts.COMMAND and fact.who
        if is_source and recent[0] < fact.time_s < time_s:
            return True
    asked = [w for w in record.wanted if recent[0] < w.time_s <= recent[1]]
    if any(gear * w.speed_mps > 0.0 or (gear > 0 and w.throttle > 0.0) for w in asked):
        return True
    if not any(gear * w.accel_mps2 > 0.0 for w in asked):
        return False
    return _passed_the_dead_zone(record, gear, time_s)


def _passed_the_dead_zone(record: Record, gear: int, time_s: float) -> bool:
    """Whether the stack asked for nothing since the car stands; forward, an engagement counts."""
    most_mps = record.parameters.safety.standstill_speed_mps
    moves = (c.time_s for c in motion_of(record).between(0.0, time_s) if abs(c.vx_mps) > most_mps)
    rests_s = max(moves, default=0.0) - SHOWN_S
    if gear > 0 and any(rests_s < t < time_s for t in record.times(facts.ENGAGED)):
        return True
    dead_mps2 = record.parameters.safety.auto_gear_deadzone_mps2
    silent = any(c.begins_s < time_s and c.ends_s > rests_s for c in causes(record))
    return silent or any(
        rests_s < w.time_s < time_s and abs(w.accel_mps2) <= dead_mps2 for w in record.wanted
    )


@oracle
def a_gear_that_is_asked_for_is_taken(record: Record) -> Iterator[Violation]:
    """In motion, a gear that fits is sent soon after the request, and PARK or NEUTRAL stays."""
    if record.scene.platform != "vds1":
        return
    motion, takes_s = motion_of(record), record.parameters.safety.shift_time_s + OBEYS_S
    said = _said(record, facts.GEAR_SAID)
    for number, (fact, before) in enumerate(said):
        gear, due_s = GEAR_OF[fact.who], fact.time_s + takes_s
        later_s = [f.time_s for f, _ in said[number + 1 :]]
        if fact.who in ("PARK", before) or any(t < due_s for t in later_s):
            continue
        # Of a request just before, the shift may still be under way.
        if not is_calm(record, fact.time_s - SHOWN_S, due_s):
            continue
        speeds = [c.vx_mps for c in motion.between(fact.time_s - OBEYS_S, due_s)]
        fits = [gear * v > MOVES_MPS if gear else abs(v) > MOVES_MPS for v in speeds]
        if not fits or not all(fits):
            continue
        for packet in sent_between(record, due_s, due_s + OBEYS_S)[:1]:
            if packet.gear != gear:
                text = f"gear {packet.gear:+d} {takes_s:.1f} s after {fact.who} was asked for"
                yield Violation(packet.time_s, f"{text} at {speeds[0]:.1f} m/s")
                return


@oracle
def no_gear_is_left_without_a_request(record: Record) -> Iterator[Violation]:
    """Autonomy goes to PARK or NEUTRAL by request or with the hand brake, and stays while asked."""
    if record.scene.platform != "vds1":
        return
    for before, packet in pairwise(record.packets):
        if packet.gear == before.gear or packet.time_s - before.time_s > FAILSAFE_S:
            continue
        time_s = packet.time_s
        if not is_autonomous(record, time_s - 2.0 * SHOWN_S, time_s + SHOWN_S):
            continue
        if is_upset(record, time_s - PARKS_S, time_s):
            continue
        asked = _gear_asked_at(record, time_s)
        if packet.gear == 0 and GEAR_OF.get(asked, 1):
            near = sent_between(record, time_s - PARKS_S, time_s + PARKS_S)
            if not any(each.hand_brake for each in near):
                yield Violation(time_s, "PARK or NEUTRAL, and nobody has asked for it")
                return
        held = any(each.hand_brake for each in sent_between(record, time_s - ASKED_S, time_s))
        if before.gear == 0 and asked == "NEUTRAL" and not held:
            since_s = max(t for t, who in _gears_said(record) if t <= time_s and who == asked)
            engaged_s = max((t for t in record.times(facts.ENGAGED) if t <= time_s), default=0.0)
            if engaged_s < since_s and is_calm(record, since_s, time_s):
                yield Violation(time_s, f"gear {packet.gear:+d} although NEUTRAL was asked for")
                return


def _gears_said(record: Record) -> list[tuple[float, str]]:
    return [(f.time_s, f.who) for f in record.facts if f.what == facts.GEAR_SAID]


@oracle
def a_hand_brake_that_is_asked_for_is_set(record: Record) -> Iterator[Violation]:
    """At rest in autonomy, who asks for the hand brake has it, until somebody asks otherwise."""
    if record.scene.platform != "vds1":
        return
    motion = motion_of(record)
    said = _said(record, facts.HAND_BRAKE_SAID)
    for number, (fact, before) in enumerate(said):
        if fact.who != "on" or before == "on":
            continue
        due_s = fact.time_s + OBEYS_S
        later_s = [f.time_s for f, _ in said[number + 1 :] if f.who == "off"]
        until_s = min([*later_s, record.scene.ends_s])
        if until_s < due_s or not is_calm(record, fact.time_s - SHOWN_S, due_s):
            continue
        near = motion.between(fact.time_s - OBEYS_S, due_s)
        if any(abs(car.vx_mps) > RESTS_MPS for car in near):
            continue
        for packet in sent_between(record, due_s, until_s):
            if not is_calm(record, fact.time_s, packet.time_s):
                break
            if not packet.hand_brake:
                text = f"no hand brake {packet.time_s - fact.time_s:.1f} s after it was asked for"
                yield Violation(packet.time_s, text)
                return


@oracle
def a_hand_brake_is_released_to_drive(record: Record) -> Iterator[Violation]:
    """The hand brake is released by a request to drive or for it, not by a command to brake."""
    if record.scene.platform != "vds1" or not record.scene.holds:
        return
    motion = motion_of(record)
    for before, packet in pairwise(record.packets):
        if packet.hand_brake or not before.hand_brake:
            continue
        time_s = packet.time_s
        if time_s - before.time_s > FAILSAFE_S or is_upset(record, time_s - ASKED_S, time_s):
            continue
        if abs(motion.at(time_s - SHOWN_S).vx_mps) > ROLLS_MPS:
            continue
        if not _is_release_asked(record, time_s):
            yield Violation(time_s, "the hand brake is released, and nobody has asked to drive")
            return


def _is_release_asked(record: Record, time_s: float) -> bool:
    from_s = time_s - ASKED_S
    if any(w.from_s < time_s and w.until_s > from_s and w.leg.speed_mps for w in wishes(record)):
        return True
    for fact in record.facts:
        if from_s < fact.time_s <= time_s:
            if fact.what == facts.HAND_BRAKE_SAID and fact.who == "off":
                return True
            if fact.what == facts.COMMAND and fact.who:
                return True
            if fact.what == facts.GEAR_SAID and GEAR_OF[fact.who]:
                return True
    return any(_asks_to_drive(w) for w in _asked(record, from_s, time_s))


def _asked(record: Record, from_s: float, to_s: float) -> list[Wanted]:
    return [w for w in record.wanted if from_s < w.time_s <= to_s]


def _asks_to_drive(wanted: Wanted) -> bool:
    drives = wanted.accel_mps2 > 0.0 or wanted.throttle > 0.0
    return bool(drives or abs(wanted.speed_mps) > 0.0)


@oracle
def the_turn_signal_is_the_one_that_is_asked(record: Record) -> Iterator[Violation]:
    """In autonomy without a stop, the turn signal is that of the latest state message."""
    if record.times(facts.KILLED):
        return  # a new process knows the lamps from the vehicle alone
    said = [(f.time_s, f.who) for f in record.facts if f.what == facts.LAMPS_SAID]
    lamps = [(0.0, "OFF"), *record.lamps]
    for from_s, to_s in calm_spans(record, 2.0 * GIVES_UP_S):
        changes = [t for t, _ in said if from_s < t < to_s]
        for begin_s, end_s in pairwise([from_s, *changes, to_s]):
            due_s = begin_s + GIVES_UP_S
            before = [who for t, who in said if t <= due_s]
            asked = before[-1] if before else "OFF"
            shown = [name for t, name in lamps if t <= due_s][-1]
            taken = all(is_calm(record, t - SHOWN_S, t + OBEYS_S) for t, _ in said if t <= due_s)
            if due_s < end_s and taken and shown != asked:
                text = f"{shown} is shown {due_s - begin_s:.1f} s after {asked} was asked for"
                yield Violation(due_s, text)
                return


@oracle
def who_may_drive_drives(record: Record) -> Iterator[Violation]:
    """In autonomy, where nothing forbids it, a car that is asked to drive does not stand."""
    scene, motion = record.scene, motion_of(record)
    if not scene.holds or not _can_start(record):
        return
    for from_s, to_s in calm_spans(record, STARTS_S):
        for wish in wishes(record):
            begins_s = max(from_s, wish.from_s)
            until_s = min(to_s, wish.until_s)
            if not wish.leg.speed_mps or until_s - begins_s < STARTS_S:
                continue
            turns = wish.before.speed_mps * wish.leg.speed_mps < 0.0 or wish.leg.speed_mps < 0.0
            begins_s += TURNS_S * turns
            due_s = begins_s + STARTS_S
            if due_s > until_s or _body_forbids(record, wish.leg.speed_mps, due_s):
                continue
            ahead = ahead_of(wish.leg.speed_mps)
            fastest = max(ahead * c.vx_mps for c in motion.between(due_s - 1.0, due_s))
            if fastest < STARTED_MPS:
                text = f"{wish.leg.speed_mps:g} m/s is asked for since {due_s - begins_s:.1f} s in"
                yield Violation(due_s, f"{text} autonomy, and the car stands")
                return


STARTS_S, STARTED_MPS, TURNS_S = 5.0, 0.3, 5.0
GRIPS = 0.5


def _can_start(record: Record) -> bool:
    scene = record.scene
    return scene.least_mu >= GRIPS and not scene.kerb_m and abs(scene.grade) < 0.15


def _body_forbids(record: Record, speed_mps: float, time_s: float) -> bool:
    """Whether the latest state messages asked for another gear, or for the hand brake."""
    gear = _gear_asked_at(record, time_s)
    brakes = [f.who for f in record.facts if f.what == facts.HAND_BRAKE_SAID]
    ahead = math.copysign(1.0, speed_mps)
    return "on" in brakes or (bool(gear) and GEAR_OF[gear] * ahead <= 0.0)

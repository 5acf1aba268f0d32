"""Who may drive: the car never moves without an engagement since what ended the last one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

from vdsim_plant.parameters import load_vehicle

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.causes import NO_COMMAND, Cause, arbiter_acts, causes, spans
from vdsim_simulate.oracles.motion import (
    G_MPS2,
    SLIP_LIMIT,
    ahead_of,
    motion_of,
    spins_unseen,
)
from vdsim_simulate.oracles.stops import GRACE_S, sent_between, silence_s
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record
from vdsim_simulate.scene import HOLDS, Scene

RESTS_MPS = 0.02
RESTS_S = 0.5
DRIVES_MPS = 1.5
WITHIN_S = 7.9
AXLE_LOAD_SHARE = 0.45
"""At least this share of the weight is on a car's one driven axle."""
SETS_OUT_G = 0.04
"""What a start takes beside the grade: the acceleration, and the tyres' rolling resistance."""
ROLLS_G, SETS_OUT_S = 0.015, 3.0
"""Rolling resistance; a gear, a drive that grows under the brake, and a wheel that spins."""
SPINS_UP_S = 1.0
UNSEEN_MPS = 1.0
"""Above this speed nothing shows wheels that spin, where the car does not report them."""
RUN_UP_M = 0.3
"""A wheel nearer to a kerb than this meets it without speed."""
DECIDER = {"single": "interface", "guarded": "shell", "processes": "safety"}
DECIDER["two_computers"] = DECIDER["single"]
SAFETY = {**DECIDER, "guarded": "interface"}
"""The process with the safety stage."""
PATIENCE_S = 0.3
"""So long the safety stage waits for reports of the platform stage (docs/safety.md)."""
PAUSED_S, PAUSED_MPS, UNSTAMPED = 0.55, 0.3, "21"
"""What shows a pause of the simulator, and the release whose status has no time."""
STALLS_S = 0.1
"""A stall is the time between two looks at the input, on a clock of its own."""


@oracle
def no_drive_without_an_engagement(record: Record) -> Iterator[Violation]:
    """After what ends an engagement, no packet drives until a person has engaged again."""
    engages = record.times(facts.ENGAGED)
    for since_s, why in sorted(ends_of_engagements(record)):
        again_s = min((t for t in engages if t >= since_s), default=record.scene.ends_s)
        for packet in sent_between(record, since_s + GRACE_S, again_s):
            if packet.throttle > 0.0:
                text = f"throttle {packet.throttle:.3f}: nobody has engaged since {why}"
                yield Violation(packet.time_s, f"{text} ({since_s:.2f} s)")


def ends_of_engagements(record: Record) -> Iterator[tuple[float, str]]:
    """When an engagement ends, and why. Where `auto_engage` is on: what it may not engage after."""
    if record.scene.auto_engage:
        yield from _ends_for_a_person(record)
        return
    is_guarded = record.scene.composition == "guarded"
    for fact in record.facts:
        if fact.what == facts.DISENGAGE:
            yield fact.time_s, "somebody asked to disengage"
        elif fact.what == facts.SWITCH_ON:
            yield fact.time_s, "the driver's switch was used"
        elif fact.what == facts.MEMORY:
            yield fact.time_s + STALLS_S, "memory ran short"
        elif fact.what == facts.CLOCK and fact.who:
            yield fact.time_s + STALLS_S, "the clock was set back"
        elif fact.what == facts.KILLED and fact.who == DECIDER[record.scene.composition]:
            # What it sent last counts until its silence is noticed.
            yield fact.time_s + silence_s(record), "the process that decides was killed"
        elif fact.what == facts.KILLED and is_guarded and fact.who == "interface":
            yield fact.time_s, "the guard was killed"
    # Where the safety stage is: a stall that is longer than any command is young.
    at_least_s = record.parameters.command_timeout_s + STALLS_S
    for begins_s, ends_s in record.intervals(SAFETY[record.scene.composition]):
        if ends_s - begins_s > at_least_s:
            yield ends_s, f"a process did not run for {ends_s - begins_s:.2f} s"
    yield from _silent_processes(record)
    yield from _pauses(record)
    motion = motion_of(record)
    for cause in causes(record):
        if cause.of == NO_COMMAND and not arbiter_acts(record, cause.ends_s):
            yield from _silent_at_rest(record, cause)
        # A cause that holds a car at rest ends the engagement: the door must not start the car.
        if cause.name == facts.DOOR_OPEN:
            last = motion.between(cause.ends_s - RESTS_S, cause.ends_s)
            if last and all(abs(s.vx_mps) < RESTS_MPS for s in last):
                yield cause.ends_s, "the open door held the car at rest"
        if cause.of == "no STATE":
            safety = record.parameters.safety
            lost_s = cause.begins_s + safety.link_lost_s - safety.report_timeout_s
            if lost_s + GRACE_S < cause.ends_s:
                yield lost_s, "no STATE has come for too long"


def _ends_for_a_person(record: Record) -> Iterator[tuple[float, str]]:
    """When an engagement ends after which only a person or the stack may ask for the next one."""
    driven_s = min((t for t, mode in record.shown if mode == "AUTONOMOUS"), default=math.inf)
    driverless = record.scene.rig == "driverless"
    for fact in record.facts:
        if fact.what == facts.DISENGAGE:
            yield fact.time_s, "somebody asked to disengage"
        # Without a driver a control that is used before autonomy has driven only delays it.
        elif fact.what == facts.SWITCH_ON and (not driverless or fact.time_s > driven_s):
            yield fact.time_s, "the driver's switch was used"
    if driverless:
        return
    for cause in causes(record):
        if cause.of == NO_COMMAND and not arbiter_acts(record, cause.ends_s):
            yield from _silent_at_rest(record, cause)


def _pauses(record: Record) -> Iterator[tuple[float, str]]:
    """When a simulator has been paused for so long that its status shows it (docs/morai.md).

    Of a release without time stamps a car that stands and repeats its numbers shows nothing.
    """
    for pause in spans(record, facts.PAUSED, facts.GOES_ON, "the simulator is paused"):
        moves = abs(motion_of(record).at(pause.begins_s).vx_mps) > PAUSED_MPS
        seen_s = pause.begins_s + PAUSED_S
        if seen_s < pause.ends_s and (moves or record.scene.release != UNSTAMPED):
            yield seen_s, "the simulator was paused"


def _silent_processes(record: Record) -> Iterator[tuple[float, str]]:
    """When a process that must be heard has not sent for the time that its page states."""
    limits_s = {"guarded": record.parameters.command_timeout_s, "processes": PATIENCE_S}
    limit_s = limits_s.get(record.scene.composition, math.inf) + 2.0 * STALLS_S
    who = {"guarded": "shell", "processes": "interface"}.get(record.scene.composition, "")
    for begins_s, ends_s in record.intervals(who):
        if ends_s - begins_s > limit_s:
            yield begins_s + limit_s, f"the {who} did not send"


def _silent_at_rest(record: Record, cause: Cause) -> Iterator[tuple[float, str]]:
    """When the car has stood without a command for so long that another engagement is needed.

    A handshake waits for a command for its own time: it is no autonomy yet.
    """
    wait_s = record.parameters.safety.command_lost_s + RESTS_S
    since_s = cause.begins_s
    waits = list(_handshakes(record))
    for car in motion_of(record).between(cause.begins_s, cause.ends_s):
        waiting = any(a <= car.time_s <= b for a, b in waits)
        if abs(car.vx_mps) > RESTS_MPS or waiting:
            since_s = car.time_s
        elif car.time_s - since_s > wait_s:
            yield car.time_s, "the car stood without a command"
            return


def _handshakes(record: Record) -> Iterator[tuple[float, float]]:
    """From each request to engage until the mode is shown that follows the handshake."""
    for asked_s in record.times(facts.ENGAGED):
        later = [(t, mode) for t, mode in record.shown if t >= asked_s]
        ends = [t for t, mode in later if mode != "NOT_READY"]
        is_shown = bool(later) and later[0][0] - asked_s <= 2.0 * STALLS_S
        yield asked_s, ends[0] if is_shown and ends else asked_s


@cache
def _drives_one_axle(car: str) -> bool:
    return load_vehicle(car).drivetrain.drive_split_front in (0.0, 1.0)


def can_set_out(scene: Scene) -> bool:
    """Whether the tyres that drive can push the car up its grade."""
    share = AXLE_LOAD_SHARE if _drives_one_axle(scene.car) else 1.0
    return share * scene.least_mu > HOLDS * abs(scene.grade) + SETS_OUT_G


def _reaches_mps(scene: Scene) -> float:
    """Return what a car must reach at the least: what half of its tyres' push gives in a while."""
    share = AXLE_LOAD_SHARE if _drives_one_axle(scene.car) else 1.0
    pushes_mps2 = (share * scene.least_mu - abs(scene.grade) - ROLLS_G) * G_MPS2
    return min(DRIVES_MPS, 0.5 * pushes_mps2 * (WITHIN_S - SETS_OUT_S))


def _stands_at_the_kerb(record: Record, at_s: float) -> bool:
    """Whether the kerb lies between the car's ends, where a wheel may have to climb it from rest.

    Its rise is as steep as the tyre's friction is large: what drives one axle may not climb it.
    """
    kerb_m, before = record.scene.kerb_m, motion_of(record).between(at_s - RESTS_S, at_s)
    if not kerb_m or not before:
        return False
    body = load_vehicle(record.scene.car).body
    ahead, behind = body.cg_to_front_axle_m + RUN_UP_M, body.cg_to_rear_axle_m + RUN_UP_M
    return before[-1].x_m - behind < kerb_m < before[-1].x_m + ahead


def _stops_still(record: Record, since_s: float) -> bool:
    """Whether the arbiter's stop, which a slope makes long, has not brought the car to rest yet."""
    cars = motion_of(record).between(record.scene.heals_s, since_s)
    return arbiter_acts(record, since_s) and all(abs(car.vx_mps) > RESTS_MPS for car in cars)


def _spins_by_its_own_throttle(record: Record, since_s: float) -> bool:
    """Whether a raw throttle, which is the sender's own, lets the wheels spin all the time."""
    cars = motion_of(record).between(since_s + SPINS_UP_S, since_s + WITHIN_S - 1.0)
    return record.scene.is_raw and all(car.slip > SLIP_LIMIT for car in cars)


@oracle
def drives_again(record: Record) -> Iterator[Violation]:
    """When everything has healed and a person has engaged, the car drives."""
    if not (record.scene.holds and can_set_out(record.scene)):
        return
    for since_s in record.times(facts.DRIVES_NOW):
        if since_s + WITHIN_S > record.scene.ends_s:
            return
        if _stands_at_the_kerb(record, since_s) or _stops_still(record, since_s):
            continue
        if _spins_by_its_own_throttle(record, since_s):
            continue
        if spins_unseen(record, since_s, since_s + WITHIN_S, UNSEEN_MPS):
            continue
        later = motion_of(record).between(since_s, since_s + WITHIN_S)
        asked_mps = record.scene.resumes_mps
        fastest = max((ahead_of(asked_mps) * s.vx_mps for s in later), default=0.0)
        if fastest < _reaches_mps(record.scene):
            text = f"asked for {asked_mps:g} m/s, the car reaches {fastest:.2f} m/s within"
            text = f"{text} {WITHIN_S:g} s"
            yield Violation(since_s + WITHIN_S, text)

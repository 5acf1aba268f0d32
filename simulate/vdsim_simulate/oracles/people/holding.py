"""Who has the car while autonomy is off: the table of docs/safety.md, on the wire.

With a driver in the car nothing is sent once that person has taken over. A process that ended in
autonomy is followed by one that holds the car, until a person acts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import unmatched
from vdsim_simulate.oracles.causes import emergencies, spans
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.people import ACTS
from vdsim_simulate.oracles.people.engaging import DECIDER
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.promptness import FAILSAFE_BRAKE
from vdsim_simulate.oracles.stops import sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Sent

KEPT_S = 0.5
"""A process keeps who drove five times a second."""
TAKEN_S = 0.15
"""An act passes a process, a topic, and the packet that is under way."""
BEFORE_S, HEARD_S = 1.0, 0.3
DISTURBS = (facts.KILLED, facts.STALLED, facts.MEMORY, facts.CLOCK, facts.EMERGENCY)
TAKES_HOLD_S, HOLDS_S = 2.0, 0.5
"""A new process opens its link and asks for a report; from then on packets follow each other."""
REPORTS_S = 0.1
STANDS_MPS, ASKS_S = 0.01, 12.0


@oracle
def a_person_who_has_the_car_has_it_alone(record: Record) -> Iterator[Violation]:
    """With a driver in the car, no packet leaves from when that person takes over until engaged.

    Nor while a process does not run any more that decides, and not sends (docs/safety.md: silent).
    """
    if record.scene.rig != "driver":
        return
    disturbs = (name for name in DISTURBS if name != facts.KILLED)
    ends = record.times(facts.ENGAGED, facts.STARTED, *disturbs)
    killed = [(f.time_s, f.who) for f in record.facts if f.what == facts.KILLED]
    emergency = [(cause.begins_s, cause.ends_s) for cause in emergencies(record)]
    for act_s in record.times(*ACTS):
        if any(begins_s <= act_s <= ends_s for begins_s, ends_s in emergency):
            continue
        if _is_disturbed(record, act_s):
            continue
        # Who sends has heard of the act: a process that decides may end then, and stay away.
        ends_here = [t for t, who in killed if who == "interface" or t < act_s + HEARD_S]
        until_s = min((t for t in [*ends, *ends_here] if t >= act_s), default=record.scene.ends_s)
        sent = sent_between(record, act_s + TAKEN_S, until_s)
        for packet in [each for each in sent if not _asks_for_state(record, each)][:1]:
            text = f"brake {packet.brake:.2f}, throttle {packet.throttle:.2f}"
            yield Violation(packet.time_s, f"{text}: a person has taken over at {act_s:.2f} s")


def _asks_for_state(record: Record, packet: Sent) -> bool:
    """Whether it keeps an asked server of an older version reporting, while the car stands."""
    asked = any(
        kind == "version_asked" and 0.0 <= packet.time_s - time_s < ASKS_S
        for time_s, kind, _ in record.told
    )
    stands = abs(motion_of(record).at(packet.time_s).vx_mps) < STANDS_MPS
    return asked and stands and packet.throttle == 0.0 and abs(packet.brake - FAILSAFE_BRAKE) < 1e-3


@oracle
def a_new_process_leaves_a_person_alone(record: Record) -> Iterator[Violation]:
    """A process that starts after a person has taken over sends nothing until engaged."""
    if record.scene.rig != "driver":
        return
    started = [f for f in record.facts if f.what == facts.STARTED]
    emergency = [(cause.begins_s, cause.ends_s) for cause in emergencies(record)]
    names = (facts.ENGAGED, facts.MEMORY, facts.CLOCK, facts.EMERGENCY, facts.STALLED)
    for act_s in record.times(*ACTS):
        if _is_disturbed(record, act_s) or any(a <= act_s <= b for a, b in emergency):
            continue
        until_s = min((t for t in record.times(*names) if t >= act_s), default=math.inf)
        for start in started:
            killed = [f.time_s for f in record.facts if f.what == facts.KILLED]
            is_kept = all(t - act_s > KEPT_S for t in killed if act_s < t < start.time_s)
            if not (act_s < start.time_s < until_s and is_kept):
                continue
            for packet in sent_between(record, start.time_s + TAKEN_S, until_s)[:1]:
                text = f"brake {packet.brake:.2f} by a process that has started again"
                text += f": a person has taken over at {act_s:.2f} s"
                yield Violation(packet.time_s, text)


def _is_disturbed(record: Record, time_s: float) -> bool:
    """Whether a process did not run then, or a moment before."""
    names = (*DISTURBS, facts.STARTED, facts.RUNS_AGAIN)
    near = any(time_s - BEFORE_S < t <= time_s for t in record.times(*names))
    out = [each for who in ("interface", "shell", "safety") for each in record.intervals(who)]
    return near or any(a <= time_s <= b for a, b in (*out, *unmatched(record)))


@oracle
def a_new_process_holds_what_autonomy_drove(record: Record) -> Iterator[Violation]:
    """After a process that ended in AUTONOMOUS a new one sends, until a person acts."""
    scene = record.scene
    if scene.platform != "vds1":
        return  # there a person or the car itself has to enable the car first
    who = {DECIDER[scene.composition], "interface"}
    acts = record.times(*ACTS, facts.ENGAGE, *DISTURBS, facts.GIVE_BACK)
    for killed in record.facts:
        if killed.what != facts.KILLED or killed.who not in who:
            continue
        started_s = _started_s(record, killed.time_s, killed.who)
        recent = any(killed.time_s - BEFORE_S < t < killed.time_s for t in record.times(*ACTS))
        if recent or not autonomous_at(record, killed.time_s):
            continue
        from_s = started_s + TAKES_HOLD_S
        until_s = min((t for t in acts if t > killed.time_s), default=scene.ends_s)
        if from_s > until_s or not _is_told(record, started_s, until_s):
            continue
        times = [packet.time_s for packet in sent_between(record, from_s, until_s)]
        for before_s, next_s in pairwise([from_s, *times, until_s]):
            if next_s - before_s > HOLDS_S:
                text = f"no packet for {next_s - before_s:.2f} s; the process that ended at"
                yield Violation(before_s + HOLDS_S, f"{text} {killed.time_s:.2f} s drove the car")
                break


@oracle
def a_hold_lasts_until_a_person_acts(record: Record) -> Iterator[Violation]:
    """Where autonomy ended without a person, or nobody is aboard, packets leave and hold the car.

    With a driver aboard until that person acts, else until autonomy drives again.
    """
    if record.scene.platform != "vds1":
        return  # there frames end where the car has not been enabled
    motion = motion_of(record)
    for begins_s, ends_s in _holds(record):
        sent = sent_between(record, begins_s, ends_s)
        for before_s, next_s in pairwise([begins_s, *(p.time_s for p in sent), ends_s]):
            if next_s - before_s > HOLDS_S:
                text = f"no packet for {next_s - before_s:.2f} s while the interface must hold"
                yield Violation(before_s + HOLDS_S, f"{text} the car since {begins_s:.2f} s")
                return
        for packet in sent:
            is_late = packet.time_s > begins_s + HOLDS_S
            stands = abs(motion.at(packet.time_s).vx_mps) < STANDS_MPS
            if is_late and stands and packet.brake <= 0.0:
                text = f"no brake while the interface must hold the car since {begins_s:.2f} s"
                yield Violation(packet.time_s, text)
                return


def _holds(record: Record) -> Iterator[tuple[float, float]]:
    """Return the times in which the interface must hold the car, and can."""
    driverless = record.scene.rig == "driverless"
    upsets = record.times(*DISTURBS, facts.STARTED, facts.RUNS_AGAIN)
    acts = record.times(*ACTS)
    out = [*record.intervals("interface"), *_deaf(record)]
    first_s = min(record.times(facts.STATE), default=math.inf)
    shown = [(0.0, ""), *record.shown, (record.scene.ends_s, "")]
    for (_, before), (since_s, mode), (until_s, _) in zip(
        shown, shown[1:], shown[2:], strict=False
    ):
        near = any(since_s - BEFORE_S < t < since_s + TAKEN_S for t in acts)
        held = before == "AUTONOMOUS" and mode == "DISENGAGED" and not near
        if mode == "AUTONOMOUS" or not (driverless or held):
            continue
        begins_s = max(since_s, first_s) + TAKEN_S
        until_s -= TAKEN_S * record.scene.auto_engage
        engaged = record.times(facts.ENGAGED)  # autonomy drives before it is shown
        ends = sorted([*upsets, *engaged, *(() if driverless else acts)])
        ends_s = [t for t in ends if since_s - BEFORE_S < t < until_s]
        last_s = begins_s
        for end_s in [*ends_s, until_s]:
            if last_s < end_s and not any(a <= end_s and b >= last_s for a, b in out):
                yield last_s, end_s
            if not driverless:
                break
            last_s = end_s + TAKES_HOLD_S


def _deaf(record: Record) -> list[tuple[float, float]]:
    deaf = spans(record, facts.DEAF, facts.HEARS, "nothing is decided")
    return [(each.begins_s, each.ends_s) for each in deaf]


def _started_s(record: Record, killed_s: float, who: str) -> float:
    starts = (f.time_s for f in record.facts if f.what == facts.STARTED and f.who == who)
    return min((t for t in starts if t > killed_s), default=math.inf)


def _is_told(record: Record, from_s: float, to_s: float) -> bool:
    """Whether reports reach the process all the time, as soon as it can hear."""
    times = [t for t in record.times(facts.STATE) if from_s < t < to_s]
    if not times or times[0] - from_s > TAKES_HOLD_S - BEFORE_S:
        return False
    return all(b - a < REPORTS_S for a, b in pairwise((*times, to_s)))

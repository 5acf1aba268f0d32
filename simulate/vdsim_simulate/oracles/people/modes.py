"""Each mode and each change of who commands follows as the tables say, and is published.

docs/safety.md (who drives), docs/arbitration.md (loss in motion), docs/events.md (the records).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from vdsim_interface.arbitration.interface_parameters import DASHBOARD, STACK
from vdsim_interface.extras.events.occurrences import (
    BEGIN,
    DEACTIVATION,
    EMERGENCY,
    OVERRIDE,
    TRANSITION_DEMAND,
)

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import SHOWN_S, emergency_at, is_upset, shown_spans
from vdsim_simulate.oracles.causes import NO_COMMAND, arbiter_acts, broken, causes, spans
from vdsim_simulate.oracles.motion import G_MPS2, motion_of
from vdsim_simulate.oracles.people.authority import TIMEOUTS_S
from vdsim_simulate.oracles.stops import sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Wanted
from vdsim_simulate.scene import ENGAGES_S

FOLLOWS_S = 0.4
"""A mode is looked at ten times a second, and passes a topic or a frame."""
RESTS_MPS, MOVES_MPS, STANDS_MPS = 0.01, 0.3, 0.12
RESTS_S, ENDS_S = 0.4, 0.5
STOOD_S, RECOVERS_S = 1.0, 0.5
"""docs/arbitration.md: a lower source waits until the car has stood, a lost one sends as long."""
EARLY_S = 0.1
LOST_S = 0.7
"""A source's time-out, and until that is shown."""
PRIORITIES = ("gamepad", "keyboard", DASHBOARD, "remote", STACK)
REASONS = {
    "link_lost": "no STATE",
    "command_lost": NO_COMMAND,
    "secured_lost": "the door is open",
}
"""By the event of the mode: the cause that has to be there."""
REASON_S = 0.5
EVEN, GRIPS = 0.05, 0.6
STOPS_S, REACTS_S, MARGIN, MARGIN_M = 8.0, 0.9, 1.15, 0.5
"""docs/teleop.md, what happens when something is lost: 0.9 s for a time-out."""
PHASE_S = 0.25


@oracle
def the_status_says_no_mode_that_is_over(record: Record) -> Iterator[Violation]:
    """While the report has another mode, the safety status does not say AUTONOMOUS."""
    ends_s = record.scene.ends_s
    others = [(a, b, mode) for (a, mode), (b, _) in pairwise([*record.shown, (ends_s, "")])]
    for (a, said), (b, _) in pairwise([*record.statuses, (ends_s, "")]):
        for c, d, mode in others:
            from_s, to_s = max(a, c), min(b, d)
            if said != "AUTONOMOUS" or mode == said or to_s - from_s < FOLLOWS_S:
                continue
            # A guard that is gone is what its shell tells; a stage hears nothing from another one.
            if record.scene.composition == "guarded" or not is_upset(record, from_s, to_s):
                text = f"the status says {said} for {to_s - from_s:.1f} s, and the report {mode}"
                yield Violation(from_s + FOLLOWS_S, text)


@oracle
def each_mode_follows_as_the_table_says(record: Record) -> Iterator[Violation]:
    """MANUAL follows AUTONOMOUS by request only, DISENGAGED never by request, AUTONOMOUS by one."""
    asked, ended = record.times(facts.ENGAGE), record.times(facts.DISENGAGE)
    gives_up_s = record.parameters.safety.engage_timeout_s + FOLLOWS_S
    for (since_s, before), (time_s, mode) in pairwise(record.shown):
        if is_upset(record, time_s - FOLLOWS_S, time_s):
            continue
        is_asked = any(time_s - FOLLOWS_S < t <= time_s for t in asked)
        is_ended = any(time_s - FOLLOWS_S < t <= time_s for t in ended)
        if mode == "MANUAL" and before == "AUTONOMOUS" and not is_ended:
            yield Violation(time_s, "MANUAL after AUTONOMOUS, and nobody asked to disengage")
        is_left = mode == "DISENGAGED" and before == "AUTONOMOUS"
        if is_left and is_ended and not _ends_otherwise(record, time_s):
            yield Violation(time_s, "DISENGAGED after somebody asked to disengage")
        if mode == "MANUAL" and before == "DISENGAGED" and not is_ended:
            is_new = any(since_s < t < time_s for t in record.times(facts.STARTED))
            is_tried = record.scene.auto_engage or is_new  # a process begins in MANUAL
            if not is_tried and not any(time_s - gives_up_s < t <= time_s for t in asked):
                yield Violation(time_s, "MANUAL after DISENGAGED, and nobody asked for anything")
        tries = record.scene.auto_engage or is_asked
        if mode == "DISENGAGED" and before in ("MANUAL", "NOT_READY") and not tries:
            yield Violation(time_s, f"DISENGAGED after {before}, and autonomy had not driven")
        begins = mode in ("NOT_READY", "AUTONOMOUS") and before in ("MANUAL", "DISENGAGED")
        if begins and not tries:
            yield Violation(time_s, f"{mode} after {before}, and nobody asked to engage")


def _ends_otherwise(record: Record, time_s: float) -> bool:
    if any(time_s - FOLLOWS_S < t <= time_s for t in record.times(facts.SWITCH_ON)):
        return True
    return any(c.begins_s < time_s and c.ends_s > time_s - FOLLOWS_S for c in causes(record))


@oracle
def an_open_door_at_rest_ends_autonomy(record: Record) -> Iterator[Violation]:
    """Autonomy ends where the cabin is open and reports show that the car stands."""
    motion = motion_of(record)
    for cause in spans(record, facts.DOOR_OPEN, facts.DOOR_SHUT, "the door is open"):
        moves = [
            car.time_s
            for car in motion.between(cause.begins_s - RESTS_S, cause.ends_s)
            if abs(car.vx_mps) > RESTS_MPS
        ]
        due_s = max([cause.begins_s, *(t + RESTS_S for t in moves[-1:])]) + ENDS_S
        if due_s >= cause.ends_s or is_upset(record, cause.begins_s - ENDS_S, due_s):
            continue
        if any(a < due_s < b for a, b in shown_spans(record, "AUTONOMOUS")):
            text = f"AUTONOMOUS is shown {due_s - cause.begins_s:.1f} s after a door was opened"
            yield Violation(due_s, f"{text}, and the car stands")
            return


@oracle
def auto_engage_engages_where_it_may(record: Record) -> Iterator[Violation]:
    """With `auto_engage` the first valid command engages; after a failure it waits for its time."""
    if not record.scene.auto_engage or record.scene.platform != "vds1":
        return
    first = [min(record.times(name), default=math.inf) for name in (facts.COMMAND, facts.STATE)]
    due_s = max(first) + FOLLOWS_S
    is_early = any(event.at_s < due_s for event in record.scene.events)
    is_late = is_early or due_s >= ENGAGES_S or record.scene.discovery_s > 0.0
    if not is_late and not any(a <= due_s for a, _ in shown_spans(record, "AUTONOMOUS")):
        yield Violation(due_s, f"no AUTONOMOUS {FOLLOWS_S:g} s after the first command")
    waits_s = record.parameters.safety.engage_hold_off_s
    asked = record.times(facts.ENGAGE)
    tries = sorted((*shown_spans(record, "NOT_READY"), *shown_spans(record, "AUTONOMOUS")))
    for (began_s, ended_s), (again_s, _) in pairwise(tries):
        fails = ended_s - began_s < waits_s - 2.0 * EARLY_S and again_s > ended_s
        if any(began_s - FOLLOWS_S < t <= again_s for t in asked) or not fails:
            continue
        if is_upset(record, began_s, again_s):
            continue
        if again_s - ended_s < waits_s - 2.0 * EARLY_S:
            text = f"it engages again {again_s - ended_s:.2f} s after an engagement of"
            yield Violation(again_s, f"{text} {ended_s - began_s:.2f} s ended")
            return


@oracle
def a_door_that_closes_is_no_request_to_drive(record: Record) -> Iterator[Violation]:
    """After a door at rest `auto_engage` needs a second of standstill asked for, then motion."""
    if not record.scene.auto_engage:
        return
    for before, (since_s, mode) in pairwise(record.shown):
        if mode not in ("AUTONOMOUS", "NOT_READY") or before[1] != "DISENGAGED":
            continue
        doors = spans(record, facts.DOOR_OPEN, facts.DOOR_SHUT, "the door is open")
        shut_s = [c.ends_s for c in doors if c.begins_s < before[0] < c.ends_s + FOLLOWS_S]
        if not shut_s or shut_s[-1] > since_s or is_upset(record, before[0], since_s):
            continue
        if any(before[0] < t <= since_s for t in record.times(facts.ENGAGE)):
            continue
        moves = [w.time_s for w in record.wanted if shut_s[-1] < w.time_s < since_s and _moves(w)]
        times = [shut_s[-1], *moves, since_s]
        if max(b - a for a, b in pairwise(times)) < STOOD_S - EARLY_S:
            text = f"{mode} {since_s - shut_s[-1]:.2f} s after the door was shut"
            yield Violation(since_s, f"{text}, and motion was asked for all the time")
            return


def _moves(wanted: Wanted) -> bool:
    drives = wanted.accel_mps2 > 0.0 or wanted.throttle > 0.0
    return bool(drives or abs(wanted.speed_mps) > 0.0)


# ---- the arbiter ---------------------------------------------------------------------------------


@oracle
def after_a_loss_in_motion_lower_sources_wait(record: Record) -> Iterator[Violation]:
    """A source lost in motion: lower ones wait for a car that has stood, it sends for its time."""
    motion = motion_of(record)
    drivers = [*record.drivers, (record.scene.ends_s, "")]
    given = record.times(facts.GIVEN_BACK)
    for number, (lost_s, now_who) in enumerate(drivers[1:], start=1):
        who = drivers[number - 1][1]
        if who not in TIMEOUTS_S or not _is_lost(record, who, lost_s):
            continue
        if any(lost_s - LOST_S - FOLLOWS_S < t <= lost_s for t in given):
            continue
        if abs(motion.at(lost_s - FOLLOWS_S).vx_mps) < MOVES_MPS:
            continue
        first = number if now_who else number + 1
        for taken_s, next_who in drivers[first:][:1]:
            if next_who not in PRIORITIES or is_upset(record, lost_s - 1.0, taken_s):
                continue
            autonomous = shown_spans(record, "AUTONOMOUS")
            if not any(a < lost_s and taken_s <= b - SHOWN_S for a, b in autonomous):
                continue
            if PRIORITIES.index(next_who) > PRIORITIES.index(who):
                # It may have taken over earlier: nothing is shown while it drives alone.
                rests_s = STOOD_S - EARLY_S - SHOWN_S
                if not motion.stands_for(rests_s, STANDS_MPS, lost_s, taken_s - SHOWN_S):
                    text = f"{next_who} takes over from {who}, which was lost in motion"
                    yield Violation(taken_s, f"{text}, before the car has stood")
                    return
            if next_who == who:
                begins_s = _stream_begins_s(record, who, taken_s)
                if taken_s - begins_s < RECOVERS_S - EARLY_S:
                    text = f"{who} was lost in motion, and drives {taken_s - begins_s:.2f} s after"
                    yield Violation(taken_s, f"{text} it sends again")
                    return


@oracle
def a_source_that_is_lost_stops_the_car(record: Record) -> Iterator[Violation]:
    """Who falls silent in motion, or lets go, has the car stopped within the page's distance."""
    motion, scene = motion_of(record), record.scene
    even = abs(scene.grade) <= EVEN and scene.least_mu >= GRIPS and not scene.kerb_m
    if not even:
        return
    for number, (_, who) in enumerate(record.drivers):
        later = [t for t, _ in record.drivers[number + 1 :][:1]]
        if who not in (*TIMEOUTS_S, DASHBOARD) or not later:
            continue
        sent = [t for t in _sent_s(record, who) if t <= later[0]]
        if not sent:
            continue
        from_s, until_s = sent[-1], sent[-1] + STOPS_S
        acts = record.times(facts.GIVE_BACK, facts.DISENGAGE, facts.SWITCH_ON, facts.EMERGENCY)
        others = [f.time_s for f in record.facts if f.what == facts.COMMAND and f.who]
        if any(from_s < t < until_s for t in (*acts, *others)) or until_s > scene.ends_s:
            continue
        if is_upset(record, from_s - 1.0, until_s) or emergency_at(record, from_s):
            continue
        if not any(a < from_s and until_s < b for a, b in shown_spans(record, "AUTONOMOUS")):
            continue
        speed_mps, decel_mps2 = abs(motion.at(from_s).vx_mps), 2.5
        if scene.level == "vehicle":  # its accelerations are those of an even road, and of the map
            decel_mps2 = decel_mps2 / max(scene.laden, 1.0) - G_MPS2 * abs(scene.grade)
        most_m = speed_mps * (REACTS_S + 0.125) + speed_mps**2 / (2.0 * decel_mps2)
        most_m = MARGIN * (most_m + 0.5 * min(speed_mps, 1.25)) + MARGIN_M
        cars = motion.between(from_s, until_s)
        went_m = sum(abs(a.vx_mps) * (b.time_s - a.time_s) for a, b in pairwise(cars))
        if went_m > most_m:
            text = f"{went_m:.1f} m within {STOPS_S:g} s after {who} was lost at"
            yield Violation(until_s, f"{text} {speed_mps:.1f} m/s; {most_m:.1f} m were promised")
            return


def _is_lost(record: Record, who: str, lost_s: float) -> bool:
    """Whether it fell silent just before."""
    sent = [t for t in _sent_s(record, who) if t <= lost_s]
    if emergency_at(record, lost_s) or not sent:
        return False
    locks = [t for t in record.times(facts.LOCKED) if lost_s - 1.0 < t <= lost_s]
    return not locks and TIMEOUTS_S[who] - EARLY_S < lost_s - sent[-1] < LOST_S


def _sent_s(record: Record, who: str) -> list[float]:
    return [f.time_s for f in record.facts if f.what == facts.COMMAND and f.who == who]


def _stream_begins_s(record: Record, who: str, time_s: float) -> float:
    begins_s = last_s = -math.inf
    for sent_s in _sent_s(record, who):
        if sent_s > time_s:
            break
        if sent_s - last_s > TIMEOUTS_S[who]:
            begins_s = sent_s
        last_s = sent_s
    return begins_s


# ---- the event log -------------------------------------------------------------------------------


@oracle
def what_ended_autonomy_is_in_the_event_log(record: Record) -> Iterator[Violation]:
    """A record of an end of autonomy, or of an emergency stop, names what has happened."""
    used_s = [each.begins_s for each in broken(record) if each.kind == "override"]
    acts = {
        OVERRIDE: [*record.times(facts.SWITCH_ON, facts.KEYBOARD), *used_s],
        DEACTIVATION: record.times(facts.DISENGAGE, facts.KILLED, facts.STARTED),
    }
    upsets_s = record.times(facts.KILLED, facts.CLOCK, facts.MEMORY)
    pressed_s = [*record.times(facts.EMERGENCY, facts.STARTED)]
    # A process that stood still when it was pressed records it when it runs again.
    stalls = [(a, b) for a, b in record.intervals("interface") if any(a < t < b for t in pressed_s)]
    pressed_s += [ends_s for _, ends_s in stalls]
    for line in record.events:
        each = json.loads(line)
        kind, cause = each["kind"], each["cause"]
        time_s = _time_s(each["time"])
        if any(abs(t - time_s) < 4.0 for t in upsets_s):
            continue
        if kind in acts and not _is_near(acts[kind], time_s):
            yield Violation(time_s, f"{kind} by {cause} is recorded, and nobody did so")
        is_stop = kind == EMERGENCY and each["phase"] == BEGIN
        if is_stop and not _is_near(pressed_s, time_s):
            yield Violation(time_s, f"an emergency stop by {cause} is recorded; nobody asked")
        if kind == TRANSITION_DEMAND and cause in REASONS and not is_upset(record, time_s, time_s):
            of = REASONS[cause]
            if of == NO_COMMAND and arbiter_acts(record, time_s):
                continue  # it passes none while the stack waits for give_back
            if not any(
                c.of == of and c.begins_s < time_s + REASON_S and c.ends_s > time_s - REASON_S
                for c in causes(record)
            ):
                yield Violation(time_s, f"{cause} is recorded, and it was not so that {of}")


@oracle
def an_emergency_stop_is_in_the_event_log(record: Record) -> Iterator[Violation]:
    """Each emergency stop that is requested, and each that is reset, is a record."""
    recorded = [(_time_s(e["time"]), e["phase"]) for e in _lines(record) if e["kind"] == EMERGENCY]
    for cause in spans(record, facts.EMERGENCY, facts.GIVEN_BACK, "the emergency stop is on"):
        if is_upset(record, cause.begins_s - 1.0, cause.begins_s + 1.0):
            continue
        if cause.begins_s + 1.0 > record.scene.ends_s:
            continue
        if not any(phase == BEGIN and abs(t - cause.begins_s) < REASON_S for t, phase in recorded):
            yield Violation(cause.begins_s, "an emergency stop is not in the event log")
            return


def _lines(record: Record) -> Iterator[dict[str, str]]:
    for line in record.events:
        yield json.loads(line)


def _time_s(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _is_near(times_s: Sequence[float], time_s: float) -> bool:
    return any(abs(t - time_s) < REASON_S for t in times_s)


# ---- the processes -------------------------------------------------------------------------------


@oracle
def a_shell_that_ends_ends_autonomy_at_once(record: Record) -> Iterator[Violation]:
    """The guard notices within a period that its shell has ended: nothing drives any more."""
    if record.scene.composition != "guarded":
        return
    out = record.intervals("interface")
    for fact in record.facts:
        if fact.what != facts.KILLED or fact.who != "shell":
            continue
        due_s = fact.time_s + 2.0 * record.parameters.period_s
        if any(a < due_s and b > fact.time_s for a, b in out):
            continue
        for packet in sent_between(record, due_s, due_s + PHASE_S):
            if packet.throttle > 0.0:
                text = f"throttle {packet.throttle:.3f} {packet.time_s - fact.time_s:.2f} s after"
                yield Violation(packet.time_s, f"{text} the shell has ended")
                return

"""When nothing is wrong but what is named: what an oracle of a person's request needs."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.draw import length_s
from vdsim_simulate.oracles.causes import causes, emergencies, spans
from vdsim_simulate.record import Record, once
from vdsim_simulate.scene import Event

SHOWN_S = 0.15
"""The mode is looked at ten times a second."""
LATE_S = 10.2
"""docs/safety.md: a simulator that stalled counts as late for up to 10 s."""
LAGS_S = 0.15
"""A lag above 0.2 s is a stale report, on a clock of its own."""
SETTLES_S = 1.0
REPORTS_S = 0.1
PROCESSES = ("interface", "shell", "safety", "velocity_controller", "low_pass_filter")
HARMS = (
    *("link_harmed", "reports_late", "commands_late", "stranger_commands", "stranger_reports"),
    *("sample_late", "state_lost", "commands_lost", "memory_runs_short", "planner_oscillates"),
    *("planner_talks_nonsense", "two_stacks", "clock_runs_wrong", "clock_jumps_ahead"),
    *("clock_jumps_back", "memory_fails", "main_dies", "main_dies_and_sub_is_selected"),
    *("simulator_pauses", "scenario_is_loaded"),
    *("sub_dies", "sub_shouts", "switcher_dies", "switcher_babbles", "switcher_flaps"),
)
"""What lets commands, reports or time be other ones than they look."""
NEEDS_N = {facts.EMERGENCY: 2}
"""How often one must give back after something; a source or a lock: once."""


def shown_spans(record: Record, mode: str) -> list[tuple[float, float]]:
    """Return when a mode was shown."""
    changes = [*record.shown, (record.scene.ends_s, "")]
    return [(a, b) for (a, name), (b, _) in pairwise(changes) if name == mode]


def is_autonomous(record: Record, from_s: float, to_s: float) -> bool:
    """Whether AUTONOMOUS is shown all the time."""
    return any(a <= from_s and to_s <= b for a, b in shown_spans(record, "AUTONOMOUS"))


@once
def behind(record: Record) -> tuple[tuple[float, float], ...]:
    """Return when reports count as late, because the car's process has stood still."""
    stalls = record.intervals("car")
    found = []
    for begins_s, ends_s in stalls:
        lag_s = sum(b - a for a, b in stalls if ends_s - LATE_S < b <= ends_s)
        found.append((begins_s, ends_s + (LATE_S if lag_s > LAGS_S else SHOWN_S)))
    return tuple(found)


@once
def upsets(record: Record) -> tuple[tuple[float, float], ...]:
    """Return when a process does not run, has just started, does not hear, or something lies."""
    found = [each for name in PROCESSES for each in record.intervals(name)]
    found = [(a, b + SETTLES_S) for a, b in found]
    deaf = spans(record, facts.DEAF, facts.HEARS, "nothing is decided")
    found += [(each.begins_s, each.ends_s + SETTLES_S) for each in deaf]
    found += behind(record)
    found += [(at_s, at_s + 4.0 * SETTLES_S) for at_s in record.times(facts.MEMORY, facts.CLOCK)]
    found += [_lasting(event) for event in record.scene.events if event.name in HARMS]
    found += [(a, b + SETTLES_S) for a, b in unmatched(record)]
    reports_s = [0.0, *record.times(facts.STATE), record.scene.ends_s]
    found += [(a, b + SHOWN_S) for a, b in pairwise(reports_s) if b - a > REPORTS_S]
    return tuple(sorted(found))


def has_fault(record: Record, names: Container[str], from_s: float, to_s: float) -> bool:
    """Whether a fault of one of these names reaches into an interval."""
    events = (event for event in record.scene.events if event.name in names)
    return any(e.at_s < to_s and e.at_s + length_s(e) > from_s for e in events)


def _lasting(event: Event) -> tuple[float, float]:
    return event.at_s, event.at_s + length_s(event) + SETTLES_S


@once
def unmatched(record: Record) -> list[tuple[float, float]]:
    """Return when a stage runs again that hears nothing yet, or that nobody hears (faults.py)."""
    found = []
    for event in record.scene.events if record.scene.composition == "processes" else ():
        if event.name in ("decider_dies", "memory_fails", "another_process_dies"):
            down_s = float(event.values["down_s"])
            names = ("hears_s", "heard_s", "matches_s")
            matches_s = [float(event.values[name]) for name in names if name in event.values]
            starts_s = event.at_s + down_s
            found.append((starts_s, starts_s + max(matches_s, default=down_s)))
    return found


@once
def left(record: Record) -> tuple[tuple[float, float], ...]:
    """Return when the car's ECUs let no command drive it, and a while after."""
    return tuple((a, b + SETTLES_S) for a, b in record.left_alone()) if record.driven else ()


def is_upset(record: Record, from_s: float, to_s: float, *, left_too: bool = True) -> bool:
    """Whether something of that reaches into an interval; `left_too`: a car that has left, too."""
    found = (*upsets(record), *left(record)) if left_too else upsets(record)
    return any(a < to_s and b > from_s for a, b in found)


@once
def held_by_others(record: Record) -> tuple[tuple[float, float], ...]:
    """Return when the stack does not command, because another one did, until it is given back.

    A page that is open, and another source, make the arbiter watch: it stops the car by commands.
    """
    found: list[tuple[float, float]] = []
    given = record.times(facts.GIVEN_BACK)
    rested_s = min(record.times(facts.JOY), default=math.inf)
    for fact in record.facts:
        is_source = fact.what == facts.COMMAND and bool(fact.who)
        # A button counts as held from before only where no page has shown it released.
        is_source = is_source or (fact.what == facts.HELD and fact.time_s > rested_s)
        if not is_source and fact.what not in (facts.EMERGENCY, facts.LOCKED, facts.UNLOCKED):
            continue
        later = [t for t in given if t > fact.time_s]
        needs_n = NEEDS_N.get(fact.what, 1)
        ends_s = later[needs_n - 1] if len(later) >= needs_n else record.scene.ends_s
        if found and found[-1][1] == ends_s + SETTLES_S:
            continue
        found.append((fact.time_s, ends_s + SETTLES_S))
    return tuple(found)


def is_held_by_others(record: Record, from_s: float, to_s: float) -> bool:
    """Whether another one than the stack has a hand in it, or had."""
    return any(a < to_s and b > from_s for a, b in held_by_others(record))


def stops_between(record: Record, from_s: float, to_s: float) -> bool:
    """Whether a cause of a stop stands at some time of an interval."""
    return any(c.begins_s < to_s and c.ends_s > from_s for c in causes(record))


def is_calm(record: Record, from_s: float, to_s: float) -> bool:
    """Whether the stack drives in autonomy, no stop stands, and nothing is wrong."""
    return (
        is_autonomous(record, from_s, to_s)
        and not stops_between(record, from_s, to_s)
        and not is_upset(record, from_s, to_s)
        and not is_held_by_others(record, from_s, to_s)
    )


def emergency_at(record: Record, time_s: float) -> bool:
    """Whether an emergency stop is latched."""
    return any(c.begins_s <= time_s <= c.ends_s for c in emergencies(record))


def calm_spans(record: Record, least_s: float) -> Iterator[tuple[float, float]]:
    """Yield the longest intervals in which all of `is_calm` holds, of at least this length."""
    disturbed = [*upsets(record), *left(record), *held_by_others(record)]
    disturbed += [(c.begins_s, c.ends_s) for c in causes(record)]
    for begins_s, ends_s in shown_spans(record, "AUTONOMOUS"):
        from_s = begins_s
        for a, b in sorted(disturbed):
            if b <= from_s or a >= ends_s:
                continue
            if a - from_s >= least_s:
                yield from_s, a
            from_s = max(from_s, b)
        if ends_s - from_s >= least_s:
            yield from_s, ends_s

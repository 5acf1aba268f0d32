"""Plots: what happens to a car, and what a person or the stack then does, so that a state shows.

A fault that begins anywhere rarely leaves a state behind, and what would show the state comes more
rarely still. A plot is a few steps, each one of several faults, with the times between them: a hold
and a person who takes over, a crash in autonomy and nothing else, a report that comes late for
seconds. It names kinds of what may happen and promises of pages, and no part of the product.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from vdsim_simulate.fault_table import Fault
from vdsim_simulate.scene import Event, Value

DRIVES, RESTS, EARLY = "drives", "rests", "early"
"""Where a plot begins: in a leg, once the car has come to rest, before anybody has engaged."""
LENGTHS = ("late_s", "for_s", "down_s")


class Step(NamedTuple):
    """One of some faults. `lasts_s`: how long, where that is narrowed.

    `waits_s`: from the begin, or from the end (`after`), of the step before.
    """

    names: tuple[str, ...]
    lasts_s: tuple[float, float] | None = None
    waits_s: tuple[float, float] = (0.2, 1.5)
    after: bool = False


class Plot(NamedTuple):
    """Steps in their order. `quiet_s`: nobody does anything for so long after the last one.

    `drives`: the stack asks to drive with the last step, and with each request to engage. `turns`:
    it drives a bend before the first step, and asks for another one after each of them. `fast`: it
    drives so fast that what begins then lasts.
    """

    begins: str
    steps: tuple[Step, ...]
    quiet_s: float = 0.0
    drives: bool = False
    turns: bool = False
    fast: bool = False


TAKES_OVER = ("driver_switch", "disengage")
ENGAGES = ("engage_again", "page_asks")
CRASHES = ("decider_dies", "decider_dies", "memory_fails", "guard_dies", "another_process_dies")
STOPS = ("emergency_stop", "page_stops")
SOURCES = ("somebody_drives", "somebody_drives", "page_drives", "page_lets_go")
STALLS = ("interface_stalls", "decider_stalls", "car_stalls")
LATE = ("reports_late", "commands_late")
OF_A_BUS = (
    *("message_lost", "counter_stands", "checksum_wrong", "ecu_silent", "ecu_starts_again"),
    *("car_off_the_bus", "controller_off_the_bus", "stranger_on_the_bus"),
    *("car_reports_a_fault", "person_uses", "car_tells_of_a_fault", "person_turns_right"),
)
BLIND = ("state_lost", "planner_silent", "decider_stalls", "decider_dies", "guard_dies")
PERSONS = ("person_uses", "person_turns_right")
ENDS_AND_HEALS = (
    *("state_lost", "commands_lost", "interface_stalls", "planner_silent", "door_opens"),
    *("driver_switch", "disengage", "decider_dies", "another_process_dies", "guard_dies"),
    *("memory_runs_short", "clock_jumps_back"),
)


def _again_and_again(names: tuple[str, ...], lasts_s: tuple[float, float]) -> Plot:
    """One thing after another, each in a drive that a person has engaged again."""
    engages = Step(("engage_again",), None, (1.0, 1.6), True)
    thing = Step(names, lasts_s, (1.6, 2.6))
    return Plot(DRIVES, (Step(names, lasts_s), engages, thing, engages, thing), 1.0, drives=True)


PLOTS = {
    "one thing after another": _again_and_again(ENDS_AND_HEALS, (0.4, 1.4)),
    "one thing of the bus after another": _again_and_again(OF_A_BUS, (0.7, 1.4)),
    "one thing of the bus after another, long": _again_and_again(OF_A_BUS, (1.7, 2.6)),
    # A hold, and a person who takes over.
    "link lost, taken over": Plot(
        DRIVES, (Step(("state_lost",), (1.2, 2.5)), Step(TAKES_OVER, None, (0.3, 1.2), True)), 2.0
    ),
    "silent at rest, taken over": Plot(
        RESTS,
        (Step(("planner_silent",), (2.5, 4.0)), Step(TAKES_OVER, None, (-0.9, 0.8), True)),
        2.0,
    ),
    "door at rest, taken over": Plot(
        RESTS, (Step(("door_opens",), (1.0, 2.5)), Step(TAKES_OVER, None, (0.3, 1.0), True)), 2.0
    ),
    "crash, taken over": Plot(
        DRIVES, (Step(CRASHES), Step(TAKES_OVER, None, (1.0, 2.0), True)), 2.0
    ),
    # A crash, and nobody does anything.
    "crash": Plot(DRIVES, (Step(CRASHES, (0.3, 1.0)),), 3.0),
    "taken over, crash": Plot(
        DRIVES, (Step(TAKES_OVER), Step(CRASHES, (0.3, 1.0), (0.6, 1.5))), 2.5, drives=True
    ),
    "long away": Plot(DRIVES, (Step(("decider_dies", "guard_dies"), (3.0, 6.0)),), 1.0),
    # Something is there before anybody has engaged.
    "stopped before the first engage": Plot(
        EARLY, (Step(STOPS), Step(("engage_again",), None, (0.8, 2.0))), 1.5, drives=True
    ),
    "before the first engage": Plot(
        EARLY,
        (Step((*STOPS, "door_opens", "driver_switch", "state_lost", *SOURCES)),),
        1.5,
    ),
    # An emergency stop, given back, and who then drives.
    "given back once": Plot(
        DRIVES,
        (
            Step(STOPS),
            Step(("gives_back", "page_asks"), None, (4.0, 6.0)),
            Step(ENGAGES, None, (0.3, 0.8)),
        ),
        1.5,
        drives=True,
    ),
    "stopped at rest": Plot(
        RESTS,
        (
            Step(STOPS),
            Step(("gives_back", "page_asks", "decider_dies", "disengage"), None, (0.5, 1.5)),
            Step(ENGAGES, None, (0.3, 1.5), True),
        ),
        1.5,
        drives=True,
    ),
    "stopped, crash": Plot(
        DRIVES,
        (
            Step(STOPS),
            Step(CRASHES, (0.3, 0.8), (0.3, 2.0)),
            Step(ENGAGES, None, (0.5, 1.5), True),
        ),
        1.5,
        drives=True,
    ),
    "stopped, somebody acts": Plot(
        DRIVES,
        (
            Step(STOPS),
            Step((*TAKES_OVER, *SOURCES, "gear_asked", "old_state_repeated"), None, (0.2, 2.5)),
        ),
        2.0,
        drives=True,
    ),
    # Another source, until it falls silent.
    "another source": Plot(DRIVES, (Step(SOURCES, (0.6, 2.0)),), 2.0, drives=True),
    "two sources": Plot(
        DRIVES, (Step(SOURCES, (1.0, 2.0)), Step(SOURCES, (0.6, 2.0), (0.1, 1.0))), 1.5
    ),
    "another source at rest": Plot(
        RESTS,
        (
            Step(SOURCES, (0.6, 2.0)),
            Step(("gives_back", *ENGAGES), None, (0.3, 1.5), True),
        ),
        1.5,
        drives=True,
    ),
    "locked": Plot(
        DRIVES,
        (Step(("lock_is_set",), (1.2, 3.0)), Step(ENGAGES, None, (0.2, 0.8), True)),
        1.5,
        drives=True,
    ),
    "given back on the move, taken again": Plot(
        DRIVES, (Step(("gives_back_and_drives_again",)),), 2.0, drives=True
    ),
    "one who drives nothing": Plot(
        DRIVES, (Step(("page_was_held", "somebody_talks_nonsense"), (0.8, 2.0)),), 1.0, drives=True
    ),
    "given back blind": Plot(
        RESTS,
        (
            Step(STOPS),
            Step(("state_lost", "state_lost", "guard_dies", "interface_stalls"), (0.5, 1.2)),
            Step(("gives_back", "page_asks"), None, (0.15, 0.4)),
            Step(("gives_back", "page_asks"), None, (1.2, 2.0)),
            Step(ENGAGES, None, (0.2, 0.5)),
        ),
        3.0,
        drives=True,
    ),
    "taken over, stopped": Plot(DRIVES, (Step(TAKES_OVER), Step(STOPS, None, (0.5, 2.0))), 1.5),
    # What waits for a process that does not run.
    "stall, and what waits": Plot(
        DRIVES,
        (
            Step(STALLS[:2], (0.6, 1.2)),
            Step(
                ("driver_switch", "driver_switch", "door_opens", "lock_is_set", *STOPS),
                (2.0, 3.0),
                (0.05, 0.4),
            ),
            Step(("engage_again",), None, (1.1, 1.8)),
        ),
        1.0,
        drives=True,
    ),
    # Gears and lamps.
    "neutral in motion": Plot(DRIVES, (Step(("neutral_and_back",)),), 1.5),
    "lamps in a stop": Plot(
        RESTS,
        (
            Step(("planner_silent", "door_opens", "state_lost"), (1.5, 2.2)),
            Step(("turn_signal_asked",), None, (0.5, 1.8)),
            Step(("engage_again",), None, (0.5, 1.0), True),
        ),
        2.0,
        drives=True,
    ),
    # Late, overtaken, silent, frozen: alone, and for long.
    "late": Plot(DRIVES, (Step(LATE, (0.25, 0.9)),), 1.0),
    "harmed for long": Plot(DRIVES, (Step(("link_harmed",), (2.0, 5.0)),), 0.5),
    "nothing arrives": Plot(DRIVES, (Step(("state_lost", "commands_lost"), (0.3, 1.2)),), 1.0),
    "stall": Plot(DRIVES, (Step(STALLS, (0.25, 1.2)),), 1.5),
    "stall, engage": Plot(
        DRIVES,
        (Step(STALLS, (0.25, 1.2)), Step(ENGAGES, None, (-0.2, 0.3), True)),
        1.5,
    ),
    "stall, and a request that waits": Plot(
        DRIVES, (Step(STALLS[:2], (0.6, 1.2)), Step(ENGAGES, None, (0.05, 0.4))), 1.0, drives=True
    ),
    "pauses at rest": Plot(
        RESTS,
        tuple(Step(("planner_silent",), (1.0, 1.7), (0.3, 0.6), True) for _ in range(3)),
        1.0,
        drives=True,
    ),
    "silent for long at rest": Plot(
        RESTS, (Step(("planner_silent",), (2.2, 4.0)),), 1.5, drives=True
    ),
    "silent for long in motion": Plot(DRIVES, (Step(("planner_silent",), (2.6, 5.0)),), 1.0),
    "blind at rest": Plot(
        RESTS,
        (
            Step(("planner_silent", "door_opens", *STOPS), (2.5, 4.0)),
            Step(("state_lost",), (0.8, 1.5), (0.2, 0.9)),
        ),
        1.5,
    ),
    "away for long": Plot(
        RESTS, (Step(("decider_stalls", "planner_silent", "decider_dies"), (1.8, 3.5)),), 1.0
    ),
    "time and memory": Plot(
        DRIVES, (Step(("clock_jumps_back", "clock_jumps_ahead", "memory_runs_short")),), 1.5
    ),
    # A stop in a bend, in which the stack goes on to steer.
    "blind in a bend": Plot(DRIVES, (Step(BLIND, (0.6, 2.0)),), 0.5, turns=True, fast=True),
    "silent in a bend": Plot(
        DRIVES, (Step(("decider_stalls", "decider_dies"), (0.8, 2.0)),), 0.5, turns=True
    ),
    "stopped in a bend": Plot(
        DRIVES, (Step((*STOPS, "door_opens"), (1.5, 4.0)),), 2.5, turns=True, fast=True
    ),
    "away in a bend": Plot(
        DRIVES, (Step(("commands_lost", "interface_stalls"), (0.4, 2.0)),), 0.5, turns=True
    ),
    "a stranger waits": Plot(DRIVES, (Step(("stranger_waits",), (2.6, 4.5)),), 0.5, fast=True),
    # A stop that lasts, with whatever load.
    "a long stop": Plot(
        DRIVES, (Step((*STOPS, "planner_silent", "door_opens"), (4.0, 6.0)),), 3.0, fast=True
    ),
    # A person at the controls, who then needs the interface's stop.
    "used, stopped": Plot(
        DRIVES, (Step(PERSONS, (0.2, 0.6)), Step(STOPS, None, (1.5, 3.5), True)), 3.0
    ),
    "used, stopped at speed": Plot(
        DRIVES, (Step(PERSONS, (0.2, 0.4)), Step(STOPS, None, (1.2, 1.8), True)), 3.0, fast=True
    ),
    # On a bus one thing is wrong, alone.
    "one thing of the bus": Plot(DRIVES, (Step(OF_A_BUS, (0.6, 3.0)),), 1.0),
    "one thing of the bus, for long": Plot(DRIVES, (Step(OF_A_BUS, (1.6, 3.0)),), 1.0),
    "one thing of the bus at rest": Plot(
        RESTS,
        (Step(OF_A_BUS, (0.6, 3.0)), Step(("engage_again",), None, (-0.8, 0.5), True)),
        1.5,
        drives=True,
    ),
    "one thing of the bus, engage meanwhile": Plot(
        DRIVES,
        (Step(OF_A_BUS, (1.8, 3.0)), Step(("engage_again",), None, (0.7, 1.6))),
        1.0,
        drives=True,
    ),
    "one thing of the bus, early": Plot(EARLY, (Step(OF_A_BUS, (0.6, 3.0)),), 1.5),
}


_SOON_BACK = {"down_s": 0.3, "hears_s": 0.05, "heard_s": 0.05}
ENCORE_S = (11.0, 12.0)
"""When an encore begins, after everything has healed: the stack drives again since six seconds."""
ENCORES: dict[str, tuple[Event, ...]] = {
    "silent": (Event(0.0, "planner_silent", {"for_s": 2.0}),),
    "crash": (Event(0.0, "decider_dies", _SOON_BACK),),
    "engaged again": (Event(0.0, "disengage"), Event(2.5, "engage_again")),
    "taken over, engaged again": (
        Event(0.0, "driver_switch", {"for_s": 0.3}),
        Event(2.5, "engage_again"),
    ),
    "taken over, crash": (
        Event(0.0, "disengage"),
        Event(0.8, "decider_dies", {**_SOON_BACK, "down_s": 1.0}),
    ),
    "held, taken over": (
        Event(0.0, "state_lost", {"for_s": 1.4}),
        Event(2.5, "driver_switch", {"for_s": 0.3}),
    ),
    "locked": (Event(0.0, "lock_is_set", {"lock": "stop_all", "for_s": 1.0}),),
    "trigger first": (Event(0.0, "page_was_held", {"first": "trigger", "for_s": 2.0}),),
}
"""What happens to a healthy car that drives, with nothing else before or beside it; times from its
begin on. Many oracles ask only where nothing else has a hand in it, which faults in a row leave
rarely."""


def encore_of(draws: random.Random, names: set[str], heals_s: float) -> tuple[Event, ...]:
    """Draw an encore of faults that can happen there."""
    among = [each for each in ENCORES.values() if all(event.name in names for event in each)]
    begins_s = heals_s + draws.uniform(*ENCORE_S)
    if not among:
        return ()
    events = draws.choice(among)
    return tuple(replace(event, at_s=round(begins_s + event.at_s, 2)) for event in events)


def possible(rows: list[Fault]) -> list[tuple[str, tuple[tuple[Fault, ...], ...]]]:
    """Return the plots of which each step can happen there, with what each step may be."""
    found, named = [], {row.name: row for row in rows}
    for name, plot in PLOTS.items():
        among = [tuple(named[n] for n in step.names if n in named) for step in plot.steps]
        if all(among):
            found.append((name, tuple(among)))
    return found


def values_of(draws: random.Random, row: Fault, step: Step) -> dict[str, Value]:
    """Draw the values of a step; its length from its own range."""
    values = row.draw(draws)
    if step.lasts_s is not None:
        for name in LENGTHS:
            if name in values:
                values[name] = float(f"{draws.uniform(*step.lasts_s):.3g}")
                break
    return values


def seconds(values: Mapping[str, Value]) -> float:
    """Return what all that is named as a time adds up to [s]."""
    return sum(float(value) for name, value in values.items() if name.endswith("_s"))

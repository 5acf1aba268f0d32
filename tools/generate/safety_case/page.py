"""The parts of docs/safety-case.md."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from vdsim_interface_kit.exploration.properties import NO_DEAD_END, PROPERTIES
from vdsim_simulate.known import known_defects
from vdsim_simulate.oracles import ORACLES

from generate.safety_case import checks
from generate.safety_case.control_actions import ACTIONS, UNSAFE, WAYS, Unsafe
from generate.safety_case.goals import GOALS, HAZARDS
from generate.safety_case.parameters import PARAMETERS, declared
from generate.safety_case.processes import PROCESSES, processes
from generate.safety_case.rows import Goal, Row
from generate.safety_case.signals import SIGNALS, signals
from generate.tables import table

_LINE = "<br>"


def hazard_table() -> str:
    """The hazards, with the goals that answer them."""
    rows = [(number, text, ", ".join(goals_of(number))) for number, text in HAZARDS.items()]
    return table(("", "hazard", "goals"), rows)


def goals_of(hazard: str) -> list[str]:
    """The numbers of the goals for a hazard; ValueError when there is none."""
    numbers = [goal.number for goal in GOALS if hazard in goal.hazard.split()]
    if not numbers:
        raise ValueError(f"safety case: no goal for {hazard}")
    return numbers


def goal_table() -> str:
    """The goals with their mechanisms, tests and measured times."""
    rows = [
        (
            goal.number,
            f"{goal.goal} ({goal.hazard})",
            goal.safe_state,
            f"{goal.tolerable_s:g} s" if goal.tolerable_s else "never",
            measured(goal),
            _cell(map(checks.mechanism, goal.mechanisms)),
            _cell(map(checks.test, goal.tests)),
        )
        for goal in GOALS
    ]
    head = ("", "goal", "safe state", "tolerable", "measured", "mechanism", "test")
    return table(head, rows)


@cache
def measured(goal: Goal) -> str:
    """How long the fault takes; ValueError when it is longer than tolerable."""
    took_s = goal.measured()
    if took_s > goal.tolerable_s:
        raise ValueError(f"safety case: {goal.number} takes {took_s:g} s")
    return f"{took_s:g} s"


def action_table() -> str:
    """The control structure: who acts on whom, and what comes back."""
    head = ("control action", "from", "to", "what comes back")
    return table(head, ACTIONS)


def unsafe_action_table() -> str:
    """Each action that harms, with the properties that rule it out, seeds and figures."""
    checks.complete(
        "control_actions.py",
        [f"{action.name}/{way}".replace(" ", "_") for action in ACTIONS for way in WAYS],
        dict.fromkeys(f"{row.action}/{row.way}".replace(" ", "_") for row in UNSAFE),
    )
    goals = {goal.number: goal for goal in GOALS}
    return table(
        (
            "action",
            "unsafe when",
            "in this context",
            "hazards",
            "what must hold",
            "seeds",
            "figure",
        ),
        [_unsafe_row(row, goals.get(row.goal)) for row in UNSAFE],
    )


def _unsafe_row(row: Unsafe, goal: Goal | None) -> tuple[str, ...]:
    if goal is None:
        return row.action, row.way, row.context, "none", "", "", ""
    names = [*row.oracles.split(), *filter(None, row.formulas.split(", "))]
    unknown = sorted(set(names) - set(properties()))
    if unknown or not names:
        raise ValueError(f"safety case, {row.action} {row.way}: no property {unknown or names}")
    tolerable = f"{goal.tolerable_s:g} s" if goal.tolerable_s else "never"
    found = [
        f"{known.name}: {known.composition} {known.seed}"
        for known in known_defects()
        if known.oracle in names
    ]
    return (
        row.action,
        row.way,
        row.context,
        goal.hazard,
        _cell(f"`{name}`" if name in ORACLES else name for name in names),
        _cell(found),
        f"{goal.number}: {measured(goal)} ({tolerable})",
    )


def properties() -> list[str]:
    """Every property that a row may name: the simulator's oracles, what is explored."""
    return [*ORACLES, *(item.name for item in PROPERTIES), "no dead end"]


def signal_table() -> str:
    """FMEA by signal."""
    checks.complete("signals.py", signals(), (row.names for row in SIGNALS))
    return _fmea("signal", SIGNALS)


def process_table() -> str:
    """FMEA by process."""
    checks.complete("processes.py", processes(), (row.names for row in PROCESSES))
    return _fmea("process", PROCESSES)


def parameter_table() -> str:
    """FMEA by parameter, with what is allowed."""
    known = declared()
    checks.complete("parameters.py", known, (row.names for row in PARAMETERS))
    rows = []
    for row in PARAMETERS:
        items = [known[name] for name in row.names.split()]
        allowed = [f"{_value(item.default)} ({_words(item.allowed.words())})" for item in items]
        frozen = all(not item.live for item in items)
        rows.append(
            (
                _names(row),
                _cell(allowed),
                "yes" if frozen else "no",
                row.failure,
                row.effect,
                row.left,
            )
        )
    head = ("parameter", "default (allowed)", "fixed while active", "if", "then", "remains")
    return table(head, rows)


def _fmea(kind: str, rows: tuple[Row, ...]) -> str:
    cells = [
        (
            _names(row),
            row.failure,
            row.effect,
            _cell(map(checks.mechanism, row.mechanisms)),
            _cell(map(checks.test, row.tests)),
            row.left,
        )
        for row in rows
    ]
    return table(
        (kind, "failure", "effect without the mechanism", "mechanism", "test", "remains"), cells
    )


def named_tests() -> list[str]:
    """Every test that the page names, as pytest does."""
    rows: list[Row | Goal] = [*GOALS, *SIGNALS, *PROCESSES]
    return sorted({checks.path_of(test) for row in rows for test in row.tests})


def _names(row: Row) -> str:
    return _cell(f"`{name}`" for name in row.names.split())


def _cell(parts: Iterable[str]) -> str:
    return _LINE.join(parts)


def _value(default: object) -> str:
    if isinstance(default, tuple):
        return ", ".join(f"{number:g}" for number in default)
    return str(default).lower() if isinstance(default, bool) else str(default) or '""'


def _words(rule: str) -> str:
    return {"must be finite": "any"}.get(rule, rule.removeprefix("must be "))


def property_table() -> str:
    """What holds in every step of the exploration."""
    rows = [(item.name, f"`{item.formula}`") for item in PROPERTIES]
    return table(("property", "formula"), [*rows, ("no dead end", f"`{NO_DEAD_END}`")])


PARTS = {
    "hazard table": hazard_table,
    "goal table": goal_table,
    "control actions": action_table,
    "unsafe control actions": unsafe_action_table,
    "property table": property_table,
    "signal table": signal_table,
    "parameter table": parameter_table,
    "process table": process_table,
}

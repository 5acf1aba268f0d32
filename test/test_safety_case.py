"""The safety case: it is complete, what it names exists, and no fault takes too long."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from generate.command import main
from generate.files import made
from generate.paths import ROOT
from generate.safety_case import checks, measured_world, page
from generate.safety_case.control_actions import UNSAFE
from generate.safety_case.goals import GOALS, HAZARDS
from generate.safety_case.parameters import PARAMETERS, declared
from generate.safety_case.processes import PROCESSES, processes
from generate.safety_case.rows import Goal
from generate.safety_case.signals import SIGNALS, signals
from generate.threats import page as threats
from vdsim_interface.pipeline.intake import Intake, IntakeOutput
from vdsim_interface_kit.exploration.explored_code import hash_of
from vdsim_interface_kit.exploration.gate_explore import explored_code
from vdsim_simulate.planted import PLANTED, planted


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.number)
def test_the_safe_command_is_in_time(goal: Goal) -> None:
    assert page.measured(goal)  # a ValueError where it is not; measured once for page and test


def test_a_goal_that_is_missed_is_an_error() -> None:
    late = GOALS[0]._replace(measured=lambda: 2.0 * GOALS[0].tolerable_s)
    with pytest.raises(ValueError, match="G1 takes"):
        page.measured(late)


@pytest.mark.parametrize(
    ("figure", "defect"),
    [
        (measured_world.interface_falls_silent, "car_without_fail_safe"),
        (measured_world.stranger_drives, "stranger_owns"),
        (measured_world.wheel_locks, "wheels_lock"),
    ],
)
def test_a_figure_of_the_world_shows_a_defect(figure: Callable[[], float], defect: str) -> None:
    with planted(PLANTED[defect]):
        assert figure() > 1.0


def test_the_figure_of_two_senders_shows_a_mux_that_passes_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Intake, "on_stack", lambda self, command, now: IntakeOutput(command))
    assert measured_world.stack_commands_beside_a_person() > 1.0


def test_every_property_and_every_hazard_has_an_unsafe_action() -> None:
    named = {
        name for row in UNSAFE for name in (*row.oracles.split(), *row.formulas.split(", ")) if name
    }
    assert named == set(page.properties())
    goals = {goal.number: goal for goal in GOALS}
    harmed = {hazard for row in UNSAFE if row.goal for hazard in goals[row.goal].hazard.split()}
    assert harmed == set(HAZARDS)


def test_a_way_without_a_row_and_a_row_without_a_property_are_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "UNSAFE", UNSAFE[1:])
    with pytest.raises(ValueError, match="no row for drive/missing"):
        page.unsafe_action_table()
    wrong = UNSAFE[0]._replace(oracles="drives_somewhere")
    monkeypatch.setattr(page, "UNSAFE", (wrong, *UNSAFE[1:]))
    with pytest.raises(ValueError, match=r"drive missing: no property .*drives_somewhere"):
        page.unsafe_action_table()


def test_every_hazard_has_a_goal() -> None:
    assert all(page.goals_of(hazard) for hazard in HAZARDS)
    with pytest.raises(ValueError, match="no goal for H99"):
        page.goals_of("H99")


@pytest.mark.parametrize(
    ("kind", "names", "rows"),
    [
        ("signals.py", list(signals()), [row.names for row in SIGNALS]),
        ("parameters.py", list(declared()), [row.names for row in PARAMETERS]),
        ("processes.py", list(processes()), [row.names for row in PROCESSES]),
    ],
)
def test_nothing_is_left_out(kind: str, names: list[str], rows: list[str]) -> None:
    assert len(names) > 15
    assert len(set(names)) == len(names)
    checks.complete(kind, names, rows)
    with pytest.raises(ValueError, match=f"{kind}: no row for {rows[0].split()[0]}"):
        checks.complete(kind, names, rows[1:])
    with pytest.raises(ValueError, match="no such weather"):
        checks.complete(kind, names, [*rows, "weather"])
    with pytest.raises(ValueError, match="two rows for"):
        checks.complete(kind, names, [*rows, rows[0]])


@pytest.mark.parametrize(
    ("wrong", "look_up"),
    [
        ("safety.rules:brake_harder", checks.mechanism),
        ("safety.weather:rain", checks.mechanism),
        ("test_modes.py::test_the_weather", checks.test),
        ("test_weather.py::test_rain", checks.test),
        ("test_modes.py::reported", checks.test),
    ],
)
def test_what_does_not_exist_is_an_error(wrong: str, look_up: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match=wrong):
        look_up(wrong)


def test_the_command_names_what_is_missing_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "PROCESSES", PROCESSES[1:])
    made.cache_clear()
    try:
        assert main(["--check"]) == 1
    finally:
        made.cache_clear()
    assert capsys.readouterr().err == (
        "docs/safety-case.md: tools/generate/safety_case/processes.py: no row for vehicle_guard\n"
    )


def collected(file: Path) -> Counter[str]:
    """The tests that pytest finds in a file by their names; twice where one hides another."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    body += [each for x in body if isinstance(x, ast.If) for each in x.body]  # `if` a tool is there
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found: Counter[str] = Counter(x.name for x in body if isinstance(x, functions))
    for group in (x for x in body if isinstance(x, ast.ClassDef)):
        bases = {ast.unparse(base) for base in group.bases}
        if group.name.startswith("Test") or "unittest.TestCase" in bases:
            found.update(f"{group.name}::{x.name}" for x in group.body if isinstance(x, functions))
    return found


def test_a_test_that_another_one_hides_is_found_twice(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(
        "def test_a(): ...\ndef test_a(): ...\nif True:\n    def test_b(): ...\n"
        "class TestC:\n    def test_c(self): ...\nclass Helper:\n    def test_d(self): ...\n"
    )
    assert collected(file) == {"test_a": 2, "test_b": 1, "TestC::test_c": 1}


def test_pytest_collects_every_test_that_is_named() -> None:
    """By the files' text: that they can be imported shows in the run of the tests themselves."""
    named = sorted({*page.named_tests(), *threats.named_tests()})
    files = {name.partition("::")[0] for name in named}
    tests = {f"{file}::{test}": n for file in files for test, n in collected(ROOT / file).items()}
    missing = [name for name in named if tests.get(name) != 1 or "::test_" not in name]
    assert len(named) > 50
    assert not missing


def test_the_gate_that_was_explored_is_the_one_that_is_shipped() -> None:
    """Else the table is of another gate: ./ws bench interface/explore_gate --page writes it."""
    text = (ROOT / "docs" / "safety-case.md").read_text(encoding="utf-8")
    [measured] = re.findall(r"Code of gate, grids and properties: `(\w+)`", text)
    assert measured == explored_code(), (
        "./ws bench interface/explore_gate --page docs/safety-case.md"
    )


def test_the_hash_of_explored_code_is_of_what_runs(tmp_path: Path) -> None:
    def of(text: str) -> str:
        module = ModuleType("explored")
        module.__file__ = str(tmp_path / "explored.py")
        Path(module.__file__).write_text(text, encoding="utf-8")
        return hash_of([module])

    plain = of("LIMIT = 1.0\n")
    assert plain == of('"""What it is."""\n\nLIMIT = 1.0  # m/s\n"""At most."""\n')
    assert plain != of("LIMIT = 1.1\n")

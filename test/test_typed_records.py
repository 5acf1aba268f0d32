"""mypy checks order, number and types of a record's values (tools/typed_records)."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from size.source_tree import Module, modules_of

ROOT = Path(__file__).resolve().parents[1]
HEAD = """
from vdsim_interface.values import Authority, PlatformCommand, WireCommand
from vdsim_interface.values.records import record

def made(command: PlatformCommand, steer: float, throttle: float, brake: float) -> object:
    authority, mode, vehicle, body, raw, meaning, x, a, b, c, parks = command
    return record({})
"""
CASES = {
    "as the fields": (
        "PlatformCommand, (authority, mode, vehicle, body, raw, meaning, x, a, b, c, parks)",
        "",
    ),
    "two values swapped": (
        "PlatformCommand, (mode, authority, vehicle, body, raw, meaning, x, a, b, c, parks)",
        "PlatformCommand.authority is",
    ),
    "a value of another type": (
        'PlatformCommand, (authority, mode, "none", body, raw, meaning, x, a, b, c, parks)',
        "PlatformCommand.vehicle is",
    ),
    "a value left out": (
        "PlatformCommand, (authority, mode, vehicle, body, raw, meaning, x, a, b, c)",
        "PlatformCommand has 10 values for 11 fields",
    ),
    "two floats in order": ("WireCommand, (steer, throttle, brake, 0.0)", ""),
    "two floats swapped": (
        "WireCommand, (steer, brake, throttle, 0.0)",
        "WireCommand.throttle gets what is named brake",
    ),
}

SWAPS = """
from {module} import {kind}
from vdsim_interface.values.records import record
"""
SWAP = """
def swapped_{number}(whole: {kind}) -> object:
    {names} = whole
    return record({kind}, ({values}))
"""


def products() -> Iterator[Module]:
    """Every module of our packages."""
    for folder in sorted((ROOT / "src").glob("vdsim_*")):
        if (folder / folder.name).is_dir():
            yield from modules_of(folder / folder.name)


def made_in(module: Module) -> Iterator[ast.Call]:
    """Each call of `record` in a module that imports ours."""
    if "vdsim_interface.values.records" not in module.modules_imported({RECORDS}):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "record":
            yield node


RECORDS = "vdsim_interface.values.records"
KINDS: dict[str, Any] = {
    kind.__name__: kind
    for module in products()
    for call in made_in(module)
    for kind in [eval(ast.unparse(call.args[0]), vars(importlib.import_module(module.name)))]
}
"""Each class of which `record` makes one."""


def swaps(kind: Any) -> str:
    """A module that makes the record right, then with each two neighbours swapped."""
    fields = list(kind._fields)
    text = SWAPS.format(module=kind.__module__, kind=kind.__name__)
    for number in range(len(fields)):
        order = fields.copy()
        if number:
            order[number - 1 : number + 1] = reversed(order[number - 1 : number + 1])
        text += SWAP.format(
            number=number,
            kind=kind.__name__,
            names=", ".join(fields),
            values=", ".join(order),
        )
    return text


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy says of each case, all in one run."""
    folder = tmp_path_factory.mktemp("records")
    sources = {name: HEAD.format(case) for name, (case, _) in CASES.items()}
    sources |= {name: swaps(kind) for name, kind in KINDS.items()}
    files = {name: folder / f"case_{i}.py" for i, name in enumerate(sources)}
    for name, file in files.items():
        file.write_text(sources[name])
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(folder / "cache"), *map(str, files.values())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return {
        name: "\n".join(line for line in lines if file.name in line) for name, file in files.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_mypy_says_what_is_wrong(name: str, answers: dict[str, str]) -> None:
    expected = CASES[name][1]
    assert expected in answers[name]
    assert bool(expected) == bool(answers[name]), answers[name]


@pytest.mark.parametrize("name", KINDS)
def test_mypy_refuses_each_two_neighbours_swapped(name: str, answers: dict[str, str]) -> None:
    source = swaps(KINDS[name])
    lines = [n for n, line in enumerate(source.splitlines(), 1) if "return record(" in line]
    refused = {int(line.split(":")[1]) for line in answers[name].splitlines()}
    assert refused == set(lines[1:]), answers[name]


def test_no_product_makes_a_record_past_the_check() -> None:
    assert {"PlatformCommand", "CommandValues", "GateState", "Facts", "VehicleReport"} <= set(KINDS)
    past = [
        f"{module.path}:{node.lineno}"
        for module in products()
        if module.name != RECORDS
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and (ast.unparse(node) == "tuple.__new__" or node.attr == "_make")
    ]
    assert not past

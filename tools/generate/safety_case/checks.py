"""Whether what the safety case names exists: code that can be imported, tests that pytest finds."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from generate.paths import ROOT

TEST_FOLDERS = (
    "src/vdsim_protocol/test",
    "src/vdsim_plant/test",
    "src/vdsim_plant_node/test",
    "src/vdsim_interface/test",
    "src/vdsim_autoware/test",
    "src/vdsim_can/test",
    "src/vdsim_record/test",
    "test",
)


def mechanism(name: str) -> str:
    """Return the mechanism as a cell; ValueError when it cannot be imported."""
    module, _, symbol = name.partition(":")
    full = module if module.startswith("vdsim_") else f"vdsim_interface.{module}"
    try:
        found: object = importlib.import_module(full)
        for part in symbol.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"safety case: no mechanism {name}: {error}") from None
    return f"`{module.removeprefix('vdsim_interface.').replace('.', '/')}` `{symbol}`"


def test(name: str) -> str:
    """Return the test as a cell; ValueError when there is none."""
    file, _, function = name.partition("::")
    if not function.startswith("test_") or function not in _tests().get(file, {}):
        raise ValueError(f"safety case: no test {name}")
    return f"`{file}` `{function}`"


def path_of(name: str) -> str:
    """Return a test as pytest names it."""
    file, _, function = name.partition("::")
    return f"{_paths()[file].relative_to(ROOT)}::{_tests()[file][function]}"


def complete(file: str, names: Iterable[str], rows: Iterable[str]) -> None:
    """Raise ValueError unless each name has exactly one row in the file, and each row a name."""
    wanted, listed = list(names), [name for row in rows for name in row.split()]
    missing = [name for name in wanted if name not in listed]
    unknown = [name for name in listed if name not in wanted]
    twice = sorted({name for name in listed if listed.count(name) > 1})
    for problem, found in (("no row for", missing), ("no such", unknown), ("two rows for", twice)):
        if found:
            raise ValueError(f"tools/generate/safety_case/{file}: {problem} {', '.join(found)}")


@cache
def _paths() -> dict[str, Path]:
    return {
        path.name: path
        for folder in TEST_FOLDERS
        for path in (ROOT / folder).rglob("test_*.py")
        if "lanes" not in path.relative_to(ROOT).parts
    }


@cache
def _tests() -> dict[str, dict[str, str]]:
    """File name -> function -> how pytest names it within the file."""
    return {name: dict(_functions(path)) for name, path in _paths().items()}


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a module, and those that it has where a machine has what they need."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _statements(node.body)
        else:
            yield node


def _functions(path: Path) -> Iterator[tuple[str, str]]:
    for node in _statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.name
        elif isinstance(node, ast.ClassDef):
            methods = (item for item in node.body if isinstance(item, ast.FunctionDef))
            yield from ((item.name, f"{node.name}::{item.name}") for item in methods)

"""The layout of portable/: imports without circles, tests without namesakes."""

from __future__ import annotations

import ast
import collections
import graphlib
from collections.abc import Iterator, Mapping
from pathlib import Path

PORTABLE = Path(__file__).parents[1]


def modules() -> dict[str, Path]:
    """Return every module of the distribution, packages under the name of the package."""
    found = {}
    for path in PORTABLE.glob("*/**/*.py"):
        relative = path.relative_to(PORTABLE)
        if relative.parts[0] not in ("test", "build"):
            found[".".join(relative.with_suffix("").parts).removesuffix(".__init__")] = path
    return found


def imported(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules that a module imports: anywhere in it, functions and type checks too."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in known else base


def with_packages(target: str, importer: str) -> Iterator[str]:
    """Yield a module and the packages whose import it brings; not those the importer is in."""
    while target:
        if not f"{importer}.".startswith(f"{target}."):
            yield target
        target = target.rpartition(".")[0]


def import_graph() -> dict[str, set[str]]:
    """Return what each module imports of the distribution."""
    known = modules()
    return {
        name: {
            part
            for target in imported(name, path, known)
            for part in (*with_packages(target, name), target)
            if part in known and part != name
        }
        for name, path in known.items()
    }


def test_graph_sees_imports() -> None:
    graph = import_graph()
    assert len(graph) > 50
    assert "launch.actions" in graph["launch_ros.actions.node"]
    assert "launch" in graph["launch_ros.actions.node"]


def test_no_import_circle() -> None:
    """A circle makes the order of imports matter: what works from one entry fails from another."""
    circle: list[str] = []
    try:
        graphlib.TopologicalSorter(import_graph()).prepare()
    except graphlib.CycleError as error:
        circle = error.args[1]
    assert circle == []


def test_no_two_test_files_share_a_name() -> None:
    """Upstream's launch_testing plug-in for pytest imports test files by their bare names."""
    names = collections.Counter(path.name for path in PORTABLE.glob("test/**/test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []

"""Which module imports which, read from the sources without importing anything."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_CLAIMS_PURITY = re.compile(r"\bpure\b", re.IGNORECASE)


@dataclass(frozen=True)
class Module:
    """One source file of a package."""

    package: str
    path: str
    """From the folder that holds the package, as `package/folder/module.py`."""
    file: Path

    @property
    def name(self) -> str:
        """The name by which it is imported."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def tree(self) -> ast.Module:
        """Its source, parsed."""
        return ast.parse(self.file.read_text(encoding="utf-8"))

    @property
    def claims_purity(self) -> bool:
        """Whether its docstring states that it is pure."""
        return bool(_CLAIMS_PURITY.search(ast.get_docstring(self.tree) or ""))

    @cached_property
    def _imports(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The module of each import, and the names imported from it."""
        return tuple(self._read_imports())

    @cached_property
    def top_level_imports(self) -> frozenset[str]:
        """The packages that it imports anywhere."""
        return frozenset(name.partition(".")[0] for name, _ in self._imports)

    @cached_property
    def used(self) -> frozenset[str]:
        """The packages that it imports, and `print` if it prints."""
        names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return self.top_level_imports | (names & {"print"})

    def modules_imported(self, known: Set[str], *, at_run_time: bool = False) -> set[str]:
        """The modules of `known` that it imports anywhere, or not for type checkers alone."""
        imported: set[str] = set()
        skipped = self._for_type_checkers if at_run_time else frozenset()
        for name, parts in self._read_imports(skipped) if skipped else self._imports:
            # `from package import module` needs the module; anything else needs the package.
            of_parts = {f"{name}.{part}" for part in parts} & known
            imported |= of_parts or {name}
        return (imported & known) - {self.name}

    @cached_property
    def _for_type_checkers(self) -> frozenset[ast.AST]:
        """What stands under `if TYPE_CHECKING`."""
        return frozenset(
            part
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for statement in node.body
            for part in ast.walk(statement)
        )

    def _read_imports(
        self, skipped: Set[ast.AST] = frozenset()
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        for node in ast.walk(self.tree):
            if node in skipped:
                continue
            if isinstance(node, ast.Import):
                yield from ((alias.name, ()) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                name = ".".join(filter(None, [self._base(node.level), node.module]))
                yield name, tuple(alias.name for alias in node.names)

    def _base(self, level: int) -> str:
        """The package that the dots of a relative import mean; empty for an absolute one."""
        if level == 0:
            return ""
        folders = self.path.split("/")[:-1]
        return ".".join(folders[: len(folders) - level + 1])


def modules_of(folder: Path) -> list[Module]:
    """Every module of the package in a folder."""
    return [
        Module(folder.name, f"{folder.name}/{file.relative_to(folder)}", file)
        for file in sorted(folder.rglob("*.py"))
    ]


def import_circles(modules: Iterable[Module]) -> list[str]:
    """Every circle of imports; an import inside a function counts, too."""
    by_name = {module.name: module for module in modules}
    graph = {name: module.modules_imported(by_name.keys()) for name, module in by_name.items()}
    circles = []
    while circle := _circle(graph):
        circles.append(" -> ".join(circle))
        graph[circle[1]].discard(circle[0])
    return circles


def _circle(graph: Mapping[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []

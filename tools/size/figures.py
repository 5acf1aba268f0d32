"""The figures of `./ws size`: each with its goal, and with what test/test_size.py holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from size.lines import NONE, Lines, count_lines
from size.plan import closure, plan_of, room_of
from size.source_tree import Module, modules_of

PACKAGES = (
    "vdsim_protocol", "vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_autoware",
)  # fmt: skip
EXTRAS, STUDY = "extras", "study"
PIPELINE = "vdsim_interface.pipeline.pipeline"

MAX_METHODS, MAX_MODULES, MAX_LINES = 25, 20, 400
"""Of a class, a folder, a module: what exceeds them is printed."""


@dataclass(frozen=True)
class Figure:
    """One figure of the house; smaller is better, but for the share of docstrings."""

    name: str
    value: float
    goal: float
    held: float | None
    """What test/test_size.py allows: as far as this house has come. None: printed only."""
    more_is_better: bool = False

    @property
    def is_held(self) -> bool:
        """Whether it is no worse than what is held."""
        if self.held is None:
            return True
        return self.value >= self.held if self.more_is_better else self.value <= self.held


class House:
    """The sources of our packages, read once."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, tuple[Module, ...]] = {
            name: tuple(modules_of(root / "src" / name / name)) for name in PACKAGES
        }
        self._lines: dict[str, Lines] = {}

    def without(self, package: str, folder: str) -> list[Module]:
        """The modules of a package that are not in one of its folders."""
        return [module for module in self.modules[package] if room_of(module) != folder]

    def lines_of(self, modules: Iterable[Module]) -> Lines:
        """The lines of some modules together."""
        total = NONE
        for module in modules:
            if module.name not in self._lines:
                source = module.file.read_text(encoding="utf-8")
                self._lines[module.name] = count_lines(source, module.tree)
            total += self._lines[module.name]
        return total

    @property
    def everything(self) -> list[Module]:
        """All modules of all packages."""
        return [module for modules in self.modules.values() for module in modules]

    @property
    def by_name(self) -> Mapping[str, Module]:
        """All modules by the name under which they are imported."""
        return {module.name: module for module in self.everything}


def figures(house: House) -> list[Figure]:
    """Measure the house."""
    core = house.without("vdsim_interface", EXTRAS)
    interface = plan_of(core)
    plant = plan_of(house.without("vdsim_plant", STUDY))
    by_name = house.by_name
    pipeline = closure(PIPELINE, by_name)
    whole = house.lines_of(house.everything)
    return [
        Figure("interface core: code lines", house.lines_of(core).code, 18_000, 17_012),
        Figure("interface core: rooms", len(interface.floors), 20, 18),
        Figure("interface core: floors", interface.height, 7, 7),
        Figure("interface core: arrows", len(interface.arrows), 65, 56),
        Figure("interface core: arrows upward", len(interface.upward), 0, 0),
        Figure("pure pipeline: modules", len(pipeline), 70, 70),
        Figure(
            "pure pipeline: code lines",
            house.lines_of(by_name[name] for name in pipeline).code, 6_500, 6_500,
        ),
        Figure("plant without study: floors", plant.height, 9, 9),
        Figure("plant without study: arrows upward", len(plant.upward), 0, 0),
        # Not held: it grows with every car, peer and tool that is added beside the core.
        Figure("all packages: code lines", whole.code, 56_100, None),
        Figure(
            "all packages: % of lines in docstrings",
            round(100 * whole.docstrings / whole.all, 2), 10.66, 11.0, more_is_better=True,
        ),
    ]  # fmt: skip


def large_parts(house: House) -> list[str]:
    """What is larger than a reader likes; printed, not enforced."""
    folders: dict[str, int] = {}
    parts = []
    for module in house.everything:
        folder = module.path.rpartition("/")[0]
        folders[folder] = folders.get(folder, 0) + (not module.path.endswith("__init__.py"))
        if (lines := house.lines_of([module]).all) > MAX_LINES:
            parts.append(f"{module.path}: {lines} lines")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and (count := _methods(node)) > MAX_METHODS:
                parts.append(f"{module.path}: {node.name} has {count} methods")
    parts += [f"{name}/: {n} modules" for name, n in folders.items() if n > MAX_MODULES]
    return sorted(parts)


def _methods(node: ast.ClassDef) -> int:
    return sum(isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) for item in node.body)

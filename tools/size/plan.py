"""The plan of a package: its rooms, the arrows between them, the floors on which they stand.

A room is a folder or a module directly below the package. Arrow A -> B: a module of A imports one
of B, also inside a function or for type checkers, or names it in a text (an entry point). A room
stands one floor above the highest that it imports. Where rooms import each other in a circle, the
arrow with the fewest imports of the circle runs upward and counts for no floor.
"""

from __future__ import annotations

import ast
import graphlib
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from size.source_tree import Module

Arrow = tuple[str, str]


@dataclass(frozen=True)
class Plan:
    """Rooms by floor, and how many imports make each arrow."""

    floors: Mapping[str, int]
    arrows: Mapping[Arrow, int]
    upward: frozenset[Arrow]

    @property
    def height(self) -> int:
        """The number of floors."""
        return max(self.floors.values(), default=0)


def room_of(module: Module) -> str:
    """The folder or module directly below the package; empty for the package's own face."""
    parts = module.name.split(".")
    return parts[1] if len(parts) > 1 else ""


def plan_of(modules: Iterable[Module]) -> Plan:
    """Draw the plan of these modules of one package."""
    by_name = {module.name: module for module in modules}
    weights: Counter[Arrow] = Counter()
    for module in by_name.values():
        named = module.modules_imported(by_name.keys()) | _named_in_texts(module, by_name)
        for target in named:
            arrow = (room_of(module), room_of(by_name[target]))
            if arrow[0] != arrow[1] and all(arrow):
                weights[arrow] += 1
    rooms = {room_of(module) for module in by_name.values()} - {""}
    upward = _upward(rooms, weights)
    return Plan(_floors(rooms, weights.keys() - upward), dict(weights), frozenset(upward))


def _named_in_texts(module: Module, by_name: Mapping[str, Module]) -> set[str]:
    """Modules that a text names, as `package.module` or `package.module:function`."""
    texts = {
        node.value.partition(":")[0]
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value
    }
    return (texts & by_name.keys()) - {module.name}


def _upward(rooms: set[str], weights: Mapping[Arrow, int]) -> set[Arrow]:
    upward: set[Arrow] = set()
    while circle := _circle(rooms, weights.keys() - upward):
        arrows = [(a, b) for b, a in itertools.pairwise(circle)]
        upward.add(min(arrows, key=lambda arrow: (weights[arrow], arrow)))
    return upward


def _graph(rooms: set[str], arrows: Iterable[Arrow]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {room: set() for room in sorted(rooms)}
    for source, target in sorted(arrows):
        graph[source].add(target)
    return graph


def _circle(rooms: set[str], arrows: Iterable[Arrow]) -> list[str]:
    """One circle, each room after one that it imports; empty when there is none."""
    try:
        graphlib.TopologicalSorter(_graph(rooms, arrows)).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def _floors(rooms: set[str], arrows: Iterable[Arrow]) -> dict[str, int]:
    graph = _graph(rooms, arrows)
    floors: dict[str, int] = {}
    for room in graphlib.TopologicalSorter(graph).static_order():
        floors[room] = 1 + max((floors[below] for below in graph[room]), default=0)
    return floors


def closure(start: str, modules: Mapping[str, Module]) -> set[str]:
    """Every module that importing one loads, of those given; with the packages above them."""
    waiting, seen = {start}, set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        above = name.rpartition(".")[0]
        reached = modules[name].modules_imported(modules.keys(), at_run_time=True)
        waiting |= (reached | ({above} & modules.keys())) - seen
    return seen

"""The search over the gate: breadth first over every packet that a grid can bring."""

import sys
from typing import NamedTuple

from vdsim_interface.gate import gate

from vdsim_interface_kit.exploration import gate_properties, gate_scene
from vdsim_interface_kit.exploration.explored_code import hash_of
from vdsim_interface_kit.exploration.gate_properties import (
    GATE_PROPERTIES,
    GateProperty,
    Judged,
    judge,
)
from vdsim_interface_kit.exploration.gate_scene import (
    Gate,
    Grid,
    Inputs,
    Places,
    apply,
)


class GateViolation(NamedTuple):
    """A packet that breaks a promise, after the packets that lead there."""

    name: str
    formula: str
    packets: tuple[Inputs, ...]
    found: Judged

    def __str__(self) -> str:
        path = "\n  ".join(_named(inputs) for inputs in self.packets)
        sent = self.found.packet.sent
        return (
            f"{self.name}: {self.formula} does not hold after\n  {path}\n  sent {sent}\n"
            f"  before {self.found.packet.witness}\n  after {self.found.after}"
        )


class GateExplored(NamedTuple):
    """What a search has covered. `violations`: the first of each property."""

    inputs: int
    states: int
    transitions: int
    depth: int
    violations: tuple[GateViolation, ...]


def explored_code() -> str:
    """Return the hash of the gate, its grids and its properties."""
    return hash_of((sys.modules[gate.__module__], gate_scene, gate_properties))


def explore_gate(
    grid: Grid,
    properties: tuple[GateProperty, ...] = GATE_PROPERTIES,
    *,
    short: bool,
    judges: Gate = gate,
    states_max: int = 20_000,
) -> GateExplored:
    """Explore to the end; a property that is broken is not asked any more.

    More than `states_max` states are an error.
    """
    alphabet = grid.posed(short=short)
    places = Places(grid.digits)
    parents, depths = [(-1, -1)], [0]
    pending = list(properties)
    found: list[GateViolation] = []
    number = transitions = 0
    while number < len(places.found) and pending:
        if number >= states_max:
            raise ValueError(f"{grid.name}: more than {states_max} states")
        place = places.at(number)
        for which, posed in enumerate(alphabet):
            step = judge(apply(place, posed, grid.limits, judges))
            for item in pending:
                if not item.holds(step):
                    pending = [other for other in pending if other is not item]
                    way = (*_way(parents, number), which)
                    path = tuple(alphabet[index].inputs for index in way)
                    found.append(GateViolation(item.name, item.formula, path, step))
            if places.add(step.packet, step.after):
                parents.append((number, which))
                depths.append(depths[number] + 1)
        transitions += len(alphabet)
        number += 1
    return GateExplored(len(alphabet), len(places.found), transitions, max(depths), tuple(found))


def _way(parents: list[tuple[int, int]], number: int) -> tuple[int, ...]:
    way = []
    while number > 0:
        number, which = parents[number]
        way.append(which)
    return tuple(reversed(way))


def _named(inputs: Inputs) -> str:
    """Only what is not the default."""
    pairs = zip(Inputs._fields, inputs, Inputs(), strict=True)
    return ", ".join(f"{name}={value}" for name, value, usual in pairs if value != usual) or "-"

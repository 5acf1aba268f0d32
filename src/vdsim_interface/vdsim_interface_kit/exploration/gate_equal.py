"""Whether another gate is the same one: every packet of the grids, given to both."""

from collections.abc import Iterable

from vdsim_interface.gate import GateState, Wanted, gate

from vdsim_interface_kit.exploration.gate_properties import judge
from vdsim_interface_kit.exploration.gate_scene import (
    GRIDS,
    Gate,
    Grid,
    Places,
    Posed,
    apply,
    counted,
    thawed,
)

Reached = tuple[GateState, int, int]
"""A state of the gate, and the counts of the sender from it."""
_REACHED: dict[tuple[str, bool], tuple[Reached, ...]] = {}


def reached(grid: Grid, *, short: bool) -> tuple[Reached, ...]:
    """Return all that the shipped gate reaches on a grid; searched for once in a process."""
    known = _REACHED.get((grid.name, short))
    if known is None:
        alphabet, places = grid.posed(short=short), Places(grid.digits)
        for number, _ in enumerate(places.found):
            place = places.at(number)
            for posed in alphabet:
                packet = apply(place, posed, grid.limits)
                places.add(packet, judge(packet).after)
        states = (thawed(place) for place in places.found)
        every = dict.fromkeys((at.state, at.witness.number, at.witness.counted) for at in states)
        known = _REACHED[grid.name, short] = tuple(every)
    return known


def difference(other: Gate, grids: Iterable[Grid] = GRIDS, *, short: bool) -> str:
    """Return the first packet for which the other gate gives something else; empty: none.

    What is sent, the next state and the reasons are compared. The states are all that the shipped
    gate reaches: while both give the same, the other reaches no other ones.
    """
    for grid in grids:
        alphabet, limits = grid.posed(short=short), grid.limits
        for state, number, asked_n in reached(grid, short=short):
            for posed in alphabet:
                wanted = _wanted(posed, number, asked_n)
                ours = gate(state, wanted, posed.facts, limits)
                theirs = other(state, wanted, posed.facts, limits)
                # A nan of a calculation equals nothing; its text does.
                if ours != theirs and repr(ours) != repr(theirs):
                    return f"{grid.name}: {posed.inputs} in {state}: {theirs} in place of {ours}"
    return ""


def _wanted(posed: Posed, number: int, asked_n: int) -> Wanted:
    inputs = posed.inputs
    return posed.wanted[counted(number, inputs.number), counted(asked_n, inputs.counted)]

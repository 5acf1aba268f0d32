"""Whether another gate is the same one: every packet of the grids, given to both."""

from collections.abc import Iterable

from vdsim_interface.gate import GateState, gate
from vdsim_interface.values import PlatformCommand

from vdsim_interface_kit.exploration.gate_properties import judge
from vdsim_interface_kit.exploration.gate_scene import (
    BEGIN,
    GRIDS,
    Gate,
    Grid,
    Inputs,
    Packet,
    Place,
    apply,
    placed,
    thawed,
)


def difference(other: Gate, grids: Iterable[Grid] = GRIDS, *, short: bool) -> str:
    """Return the first packet for which the other gate gives something else; empty: none.

    The places are all that the shipped gate reaches: while both give the same, the other reaches no
    other ones.
    """
    for grid in grids:
        alphabet = tuple(grid.inputs(short=short))
        known: set[Place] = {BEGIN}
        places = [BEGIN]
        for frozen in places:
            place = thawed(frozen)
            for inputs in alphabet:
                ours = apply(place, inputs, grid.limits, gate)
                theirs = apply(place, inputs, grid.limits, other)
                if given(ours) != given(theirs) and repr(given(ours)) != repr(given(theirs)):
                    return _words(grid, place, inputs, ours, theirs)
                target = placed(ours, place, judge(ours).after)
                if target not in known:
                    known.add(target)
                    places.append(target)
    return ""


def given(packet: Packet) -> tuple[PlatformCommand, GateState]:
    """What the gate gave: the packet, and its state for the next one."""
    return packet.sent, packet.state


def _words(grid: Grid, place: Place, inputs: Inputs, ours: Packet, theirs: Packet) -> str:
    return f"{grid.name}: {inputs} in {place.state}: {given(theirs)} in place of {given(ours)}"

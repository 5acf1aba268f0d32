"""The limits in force, and where each comes from. Pure: files are read by the caller.

Later sources override earlier ones, as ROS applies the parameter files of a command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.flat import to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters


@dataclass(frozen=True)
class Limit:
    """One parameter."""

    name: str
    value: object
    source: str

    @property
    def line(self) -> str:
        """For a terminal."""
        return f"{self.name} = {shown_value(self.value)}  ({self.source})"


PARAMETERS = InterfaceParameters()
LIMITS: Sequence[Parameters] = (PARAMETERS.safety,)
BOUNDS: Sequence[Parameters] = (*LIMITS, PARAMETERS.vehicle)
"""Where every bound of a rule is: a car's own range, too."""
DEFAULT = "default"
CHANGED = "changed while it runs"


def limits(
    defaults: Sequence[Parameters],
    files: Iterable[tuple[str, Mapping[str, object]]],
    running: Mapping[str, object],
) -> tuple[Limit, ...]:
    """Every limit: the code's default, the last file that sets it, what the node itself answers.

    `files`: the name of each file of the node's command line, and its values for the node;
    `running`: the values that the node has, empty where it does not answer.
    """
    found = {
        name: Limit(name, value, DEFAULT)
        for part in defaults
        for name, value in to_flat(part).items()
    }
    for file, values in files:
        for name, value in values.items():
            if name in found:
                found[name] = Limit(name, value, file)
    for name, value in running.items():
        if name in found and not _is_same(found[name].value, value):
            found[name] = Limit(name, value, CHANGED)
    return tuple(found[name] for name in sorted(found))


def changed_n(found: Iterable[Limit], defaults: Sequence[Parameters]) -> int:
    """How many have another value than by default, whoever set it."""
    by_code = {one.name: one.value for one in limits(defaults, (), {})}
    return sum(not _is_same(one.value, by_code[one.name]) for one in found)


def shown_value(value: object) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(shown_value(each) for each in value)}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_same(one: object, other: object) -> bool:
    numbers = (int, float)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return float(one) == float(other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other

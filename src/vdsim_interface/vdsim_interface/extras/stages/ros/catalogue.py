"""Finds components: installed packages name them as entry points.

    [project.entry-points."vdsim_interface.components"]
    my_stage = "my_package.my_stage:MyStage"

The object is a class of nodes, or a function that returns a node.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from vdsim_protocol.parameter_names import nearest

GROUP = "vdsim_interface.components"


class ComponentError(ValueError):
    """A component cannot be found, made, loaded or unloaded; the text is one line."""


class Component(NamedTuple):
    """An entry point, and the package that has it."""

    package: str
    entry: EntryPoint

    @property
    def name(self) -> str:
        """The name by which the package registers it."""
        return self.entry.name


def find_all() -> tuple[Component, ...]:
    """Return every installed component, in the order of packages and names."""
    found = {
        (_plain(entry.dist.name if entry.dist else ""), entry.name): entry
        for entry in entry_points(group=GROUP)
    }
    return tuple(Component(package, entry) for (package, _), entry in sorted(found.items()))


def find(name: str, package: str = "") -> Component:
    """Return one component; the name may be PACKAGE/NAME. Raises ComponentError."""
    if "/" in name and not package:
        package, _, name = name.partition("/")
    every = find_all()
    of_package = [each for each in every if not package or each.package == _plain(package)]
    matching = [each for each in of_package if each.name == name]
    if len(matching) == 1:
        return matching[0]
    if matching:
        choices = ", ".join(f"{each.package}/{each.name}" for each in matching)
        raise ComponentError(f"{name}: several packages have it, choose one of {choices}")
    if package and not of_package:
        if package == "vdsim_interface":
            why = "the stages of vdsim_interface are loaded together, by composition:=container"
            raise ComponentError(f"{name}: {why}")
        known = sorted({each.package for each in every})
        raise ComponentError(f"{package}: no package with components{_hint(package, known)}")
    raise ComponentError(f"{name}: no such component{_hint(name, [each.name for each in every])}")


def _plain(package: str) -> str:
    """PyPI's names take - for _, and any case."""
    return package.replace("-", "_").lower()


def _hint(name: str, known: list[str]) -> str:
    if not known:
        return f"; no installed package has an entry point in {GROUP}"
    return nearest(name, known) or f"; there are {', '.join(sorted(set(known)))}"

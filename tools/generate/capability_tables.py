"""The tables of docs/sensors.md: what is real on each platform, from the platforms themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from vdsim_interface.platforms.sources import modelled_by_default, table_of
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.values import Source

from generate.shipped_platforms import shipped_platforms
from generate.tables import table

WORD = {Source.ABSENT: "-", Source.MODELLED: "modelled", Source.VEHICLE: "vehicle"}


def entries(group: str) -> str:
    """One table: a row for each command, state or sensor, a column for each platform."""
    specs = shipped_platforms()
    found = {name: histories(spec, group) for name, spec in specs.items()}
    names = list(dict.fromkeys(name for of_one in found.values() for name in of_one))
    rows = [
        (f"`{name}`", *(in_words(found[platform].get(name, [])) for platform in specs))
        for name in names
    ]
    return table([group, *(f"`{platform}`" for platform in specs)], rows)


def histories(spec: PlatformSpec, group: str) -> dict[str, list[tuple[int, Source]]]:
    """The source of each entry, with every version of the wire."""
    found: dict[str, list[tuple[int, Source]]] = {}
    for version in spec.wire_versions:
        for full, source in table_of(spec, version, modelled_by_default(spec)).items():
            of_group, _, name = full.partition(".")
            if of_group == group:
                found.setdefault(name, []).append((version, source))
    return found


def in_words(history: list[tuple[int, Source]]) -> str:
    """What it is, and from which version of the wire: `modelled; vehicle from 3`."""
    if not history:
        return WORD[Source.ABSENT]
    parts = [] if history[0][1] is Source.ABSENT and len(history) > 1 else [WORD[history[0][1]]]
    for (_, before), (version, source) in pairwise(history):
        if source is not before:
            parts.append(f"{WORD[source]} from {version}")
    return "; ".join(parts) or WORD[Source.ABSENT]


def _part(group: str) -> Callable[[], str]:
    return lambda: entries(group)


PARTS = {f"real {group}s": _part(group) for group in ("command", "state", "sensor")}

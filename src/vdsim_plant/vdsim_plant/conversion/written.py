"""The text of converted files: every key with where its value comes from."""

from __future__ import annotations

import json
from typing import Any

from vdsim_plant.conversion.flat_tyre import ConvertedTyre
from vdsim_plant.conversion.flat_vehicle import ConvertedVehicle

_COLUMN = 52


def vehicle_text(vehicle: ConvertedVehicle, *, name: str, source: str) -> str:
    """Return a vehicle file."""
    lines = [_head(source), *_title(name, source)]
    for group, entries in vehicle.groups.items():
        lines += ["", f"{group}:"]
        lines += [_line("  ", *entry) for entry in entries]
    return "\n".join([*lines, *_notes(vehicle.notes)]) + "\n"


def tyre_text(tyre: ConvertedTyre, *, name: str, source: str, property_file: str) -> str:
    """Return a tyre file; `property_file` is the name of the one that belongs to it."""
    lines = [
        _head(source),
        *_title(name, source),
        "model: pac2002",
        f"tir_file: {json.dumps(property_file)}",
    ]
    lines += [_line("", *entry) for entry in tyre.keys]
    return "\n".join([*lines, *_notes(tyre.notes)]) + "\n"


def property_text(tyre: ConvertedTyre, source: str) -> str:
    """Return the tyre's property file."""
    return f"$ Made by vdsim_vehicle import from {_plain(source)}.\n{tyre.property_file}"


def _head(source: str) -> str:
    return (
        f"# Made by vdsim_vehicle import from {_plain(source)}. "
        "Behind each value: the key it comes from."
    )


def _title(name: str, source: str) -> tuple[str, str]:
    description = f"Converted from {_plain(source)} of VDSim"
    return f"name: {json.dumps(_plain(name))}", f"description: {json.dumps(description)}"


def _plain(text: str) -> str:
    """A name of a file, which may hold anything, within one line."""
    return " ".join(text.split())


def _line(indent: str, key: str, value: Any, source: str) -> str:
    text = f"{indent}{key}: {json.dumps(value)}"
    return f"{text:{_COLUMN}}  # {source}"


def _notes(notes: tuple[str, ...]) -> list[str]:
    return (
        ["", "# Left out or read otherwise:", *(f"#   {_plain(note)}" for note in notes)]
        if notes
        else []
    )

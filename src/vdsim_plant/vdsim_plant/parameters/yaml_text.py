"""Reads YAML strictly: no duplicate keys, and 2.2e5 is a number as everywhere else.

Any text is answered in bounded time and memory, by a value or by one ParameterError that names the
line (parameters/checked_file.py).
"""

from __future__ import annotations

from typing import Any

from vdsim_plant.parameters import checked_file
from vdsim_plant.parameters.checked_file import LARGEST_YAML_BYTES, MOST_VALUES, FileError, Repeated
from vdsim_plant.parameters.input_file import as_parameter

__all__ = ["LARGEST_YAML_BYTES", "MOST_VALUES", "parse_yaml"]


def parse_yaml(content: str, *, source: str, repeated: Repeated | None = None) -> Any:
    """Return the document's value; a fault is one ParameterError that names the line.

    `repeated`: called with a key that is given twice, its earlier line and the line that counts;
    without it such a key is a fault.
    """
    try:
        return checked_file.parse_yaml(content, source=source, unique=repeated or True)
    except FileError as fault:
        raise as_parameter(fault, source) from None

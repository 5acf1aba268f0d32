"""What the last gate judged, as text: JSON from which every number can be read back exactly. Pure.

A record is made in every period, its text only for whom reads a trace.
"""

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from math import isfinite
from typing import Any

from vdsim_interface.gate import GateLimits
from vdsim_interface.pipeline.output import GateRecord


def to_text(record: GateRecord) -> str:
    """Write a record as JSON from which every number can be read back exactly."""
    parts = [json.dumps(_plain(part)) for part in record[:4]]
    return f"[{', '.join(parts)}, {_limits_text(record.limits)}]"


@lru_cache(maxsize=4)
def _limits_text(limits: GateLimits) -> str:
    return json.dumps(_plain(limits))


def _plain(value: Any) -> Any:
    """Return what JSON can hold: records as objects, names for enumerations, words for nan."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return {name: _plain(part) for name, part in zip(value._fields, value, strict=True)}
        return [_plain(part) for part in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value

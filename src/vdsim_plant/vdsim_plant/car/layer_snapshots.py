"""The parts of a plant's snapshot as bytes: its layers' identity, its car, its layers' states."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.sensor import SensorLayer

_LENGTH = struct.Struct("<Q")


def layer_identity(actuators: ActuatorLayer | None, sensors: SensorLayer | None) -> bytes:
    """Return a fingerprint of the layers' parameters; a seed's noise is part of their state."""
    parameters = [layer and layer.parameters for layer in (actuators, sensors)]
    return hashlib.blake2b(repr(parameters).encode(), digest_size=16).digest()


def joined(parts: Sequence[bytes]) -> bytes:
    """Return the parts as one."""
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def parts_of(snapshot: bytes) -> list[bytes]:
    """Return what `joined` put together; none where it is something else."""
    parts = []
    at = 0
    while at < len(snapshot):
        if len(snapshot) < at + _LENGTH.size:
            break
        (length,) = _LENGTH.unpack_from(snapshot, at)
        at += _LENGTH.size + length
        parts.append(snapshot[at - length : at])
    return parts if at == len(snapshot) else []

"""A car's state as bytes, which only a car with the same parameters, level and road takes up."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError

Buffer = NDArray[np.float64]

# Counts the changes of the equations that give other states for the same inputs. It belongs to
# snapshots and recordings, which hold only within one version.
MODEL_VERSION = 3

_HEADER = struct.Struct("<8s16s")
_PEDALS = struct.Struct("<2d")
_FAMILY = b"vdsim-v"
_MAGIC = b"vdsim-v%d" % MODEL_VERSION


def packed(identity: bytes, pedals: tuple[float, float], car: Buffer) -> bytes:
    """Return the bytes of a car; `identity` is that of everything that is not state."""
    return _HEADER.pack(_MAGIC, identity) + _PEDALS.pack(*pedals) + car.tobytes()


def unpacked(snapshot: bytes, identity: bytes, car: Buffer) -> tuple[float, float]:
    """Put a snapshot into the car's numbers and return the pedals, or raise."""
    size = _HEADER.size + _PEDALS.size + car.nbytes
    if snapshot.startswith(_FAMILY) and not snapshot.startswith(_MAGIC):
        raise ParameterError("snapshot", "is of another version of the car's equations")
    if len(snapshot) != size or not snapshot.startswith(_MAGIC):
        raise ParameterError("snapshot", f"has {len(snapshot)} bytes: not a snapshot of a car")
    if _HEADER.unpack_from(snapshot)[1] != identity:
        raise ParameterError("snapshot", "is of a car with other parameters, level or road")
    throttle, brake = _PEDALS.unpack_from(snapshot, _HEADER.size)
    car[:] = np.frombuffer(snapshot, dtype=np.float64, offset=size - car.nbytes)
    return throttle, brake

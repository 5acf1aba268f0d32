"""The signals of a log: frames and a network -> series of physical values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vdsim_can.dbc.codec import codec_of
from vdsim_can.dbc.network import Network
from vdsim_can.learn.candump import LoggedFrame
from vdsim_can.learn.likeness import Series


def series_of(frames: Iterable[LoggedFrame], network: Network) -> list[Series]:
    """Return a series of each signal that is in the log, in physical values.

    Frames that the network does not know, or that have another length, are left out; so is what is
    no finite number.
    """
    codecs = {key: codec_of(message) for key, message in network.by_id.items()}
    times: dict[str, list[float]] = {}
    values: dict[str, list[float]] = {}
    for frame in frames:
        codec = codecs.get((frame.can_id, frame.extended))
        unpacked = codec.unpack_physical(frame.data) if codec is not None else None
        if codec is None or unpacked is None:
            continue
        for name, value in unpacked.items():
            full = f"{codec.message.name}.{name}"
            if value - value == 0.0:
                times.setdefault(full, []).append(frame.time_s)
                values.setdefault(full, []).append(value)
    found = []
    for name, stamps in times.items():
        order = np.argsort(np.array(stamps), kind="stable")
        found.append(Series(name, np.array(stamps)[order], np.array(values[name])[order]))
    return found

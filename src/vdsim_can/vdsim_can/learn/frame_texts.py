"""Frames of a recording, decoded by DBC, one after the other: what `vdsim_dump --dbc` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from vdsim_protocol.checked_file import FileError

from vdsim_can.bus.recording import Recorded, RecordingError, recorded
from vdsim_can.dbc.codec import Codec, codec_of
from vdsim_can.dbc.network import Signal
from vdsim_can.dbc.reading import read_dbc
from vdsim_can.frame import shown

MOST_BUSES = 256
Texts = Mapping[str, object]
"""One frame, by name; signals stand in a mapping of their own."""


def frame_lines(path: Path, dbc: Path) -> Iterator[Texts]:
    """Return what each frame says; ValueError with one line where a file cannot be read."""
    try:
        network = read_dbc(dbc).network
        codecs = {key: codec_of(message) for key, message in network.by_id.items()}
        # Channels of .asc and .blf are numbers: they keep them as names.
        for each in recorded(path, tuple(str(number) for number in range(MOST_BUSES))):
            yield _texts(each, codecs.get((each.frame.can_id, each.frame.extended)))
    except (FileError, RecordingError) as error:
        raise ValueError(str(error)) from error


def _texts(each: Recorded, codec: Codec | None) -> Texts:
    texts: dict[str, object] = {
        "time_s": each.stamp_s,
        "bus": each.bus,
        "direction": "Tx" if each.is_sent else "Rx",
        "frame": shown(each.frame),
    }
    if each.frame.error:
        return {**texts, "message": "", "reject": "an error frame of the controller"}
    if codec is None:
        return {**texts, "message": "", "reject": "the DBC has no message with this id"}
    texts["message"] = codec.message.name
    raws = codec.unpack(each.frame.data)
    if raws is None:
        bytes_n = len(each.frame.data)
        return {**texts, "reject": f"{bytes_n} bytes; the DBC says {codec.message.length}"}
    signals = {signal.name: signal for signal in codec.message.signals}
    texts["signals"] = {name: _value(signals[name], raw) for name, raw in raws.items()}
    return texts


def _value(signal: Signal, raw: float) -> object:
    """Return the word of a value that has one, else its number in the unit of the DBC."""
    word = signal.values.get(int(raw)) if raw == int(raw) else None
    return signal.physical(raw) if word is None else word

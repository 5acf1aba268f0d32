"""The tapes in a recording: messages of std_msgs/UInt8MultiArray on /vdsim_tape/N."""

from __future__ import annotations

import struct
from pathlib import Path

from mcap.reader import make_reader
from vdsim_protocol.checked_file import open_checked

TOPIC = "/vdsim_tape/"
TYPE = "std_msgs/msg/UInt8MultiArray"
_CDR = struct.Struct("<4sIII")
_LARGEST_FILE = 1 << 40
_CDR_LE = b"\0\1\0\0"


class NoTapeError(ValueError):
    """A file has no tape; the text is one line for the user."""


def as_message(packet: bytes) -> bytes:
    """Return a packet as a message of TYPE."""
    return _CDR.pack(_CDR_LE, 0, 0, len(packet)) + packet


def tapes_of(path: Path) -> dict[str, list[bytes]]:
    """Return the packets of each tape by its topic; raises FileError, or NoTapeError."""
    found: dict[str, list[tuple[int, bytes]]] = {}
    with open_checked(path, largest_bytes=_LARGEST_FILE) as stream:
        try:
            reader = make_reader(stream)
            summary = reader.get_summary()
            channels = {} if summary is None else summary.channels
            topics = [each.topic for each in channels.values() if each.topic.startswith(TOPIC)]
            for _, channel, message in reader.iter_messages(topics=topics or [TOPIC]):
                packet = message.data[_CDR.size :]
                found.setdefault(channel.topic, []).append((message.sequence, packet))
        except Exception as error:  # whatever a damaged file makes of the reader
            raise NoTapeError(f"{path}: is no MCAP recording: {type(error).__name__}") from None
    if not found:
        raise NoTapeError(
            f"{path}: has no tape of the interface: record it with record:= (docs/record.md)"
        )
    return {topic: [data for _, data in sorted(items)] for topic, items in found.items()}

"""Recordings of buses: candump (.log), Vector's .asc and .blf, with direction and time stamps.

ASAM's .mf4 too, where asammdf is installed.

A frame is Tx where the interface sends it and Rx where the car does, whoever records.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vdsim_can.bus.channels import NOT_INSTALLED
from vdsim_can.frame import Frame

KINDS = (".log", ".asc", ".blf", ".mf4")
CANDUMP = ".log"
TEXTS = (".log", ".asc")
NO_ASAMMDF = "an .mf4 needs asammdf: pip install asammdf"


class Recorded(NamedTuple):
    """A frame of a recording. `stamp_s`: since 1970; of an .asc, since its first frame."""

    stamp_s: float
    bus: str
    frame: Frame
    is_sent: bool


class RecordingError(ValueError):
    """A recording that cannot be written or read, in one line."""


class Recording:
    """A file that is written frame by frame; `close` completes it."""

    def __init__(self, path: Path, buses: tuple[str, ...]) -> None:
        """`buses`: their names; .asc and .blf number them in this order, from 1."""
        can = _python_can()
        _check_kind(path)
        try:
            self._writer = can.Logger(str(path))
        except NotImplementedError as error:
            raise RecordingError(f"{path}: {NO_ASAMMDF}") from error
        except (can.CanError, OSError, ValueError) as error:
            raise RecordingError(f"{path}: {error}") from error
        self._can = can
        named = path.suffix == CANDUMP
        self._channels = {name: name if named else place for place, name in enumerate(buses)}

    def add(self, bus: str, frame: Frame, stamp_s: float, *, is_sent: bool) -> None:
        """Write a frame; raises OSError when the disk is full."""
        self._writer.on_message_received(
            self._can.Message(
                timestamp=stamp_s,
                arbitration_id=frame.can_id,
                is_extended_id=frame.extended,
                is_fd=frame.fd,
                is_error_frame=frame.error,
                is_rx=not is_sent,
                data=frame.data,
                channel=self._channels[bus],
            )
        )

    def close(self) -> None:
        """Complete the file."""
        self._writer.stop()


def recorded(path: Path, buses: tuple[str, ...]) -> Iterator[Recorded]:
    """Return the frames of a recording in its order; raises RecordingError."""
    can = _python_can()
    _check_kind(path)
    kinds = {
        ".log": can.CanutilsLogReader,
        ".asc": can.ASCReader,
        ".blf": can.BLFReader,
        ".mf4": can.MF4Reader,
    }
    try:
        # The file is ours: a reader that refuses it leaves it open.
        with path.open("r" if path.suffix in TEXTS else "rb") as file:
            for message in kinds[path.suffix](file):
                yield _recorded(message, buses)
    except NotImplementedError as error:
        raise RecordingError(f"{path}: {NO_ASAMMDF}") from error
    except Exception as error:  # whatever a foreign reader raises at a file of somebody else
        raise RecordingError(f"{path}: {type(error).__name__}: {error}") from error


def _recorded(message: Any, buses: tuple[str, ...]) -> Recorded:
    channel = message.channel
    if isinstance(channel, int):
        channel = buses[channel] if 0 <= channel < len(buses) else str(channel)
    extended = message.is_extended_id and not message.is_error_frame
    data = bytes(message.data)
    frame = Frame(
        message.arbitration_id, data, extended, bool(message.is_fd), bool(message.is_error_frame)
    )
    return Recorded(float(message.timestamp), str(channel), frame, not message.is_rx)


def _check_kind(path: Path) -> None:
    if path.suffix not in KINDS:
        raise RecordingError(f"{path}: the name of a recording must end with {', '.join(KINDS)}")


def _python_can() -> Any:
    try:
        import can
    except ImportError:
        raise RecordingError(NOT_INSTALLED) from None
    return can

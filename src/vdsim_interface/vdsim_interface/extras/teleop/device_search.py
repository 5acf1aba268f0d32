"""Which joystick to open: by path, by name or the first one; and when to try again. Pure.

The caller passes the list of devices (see `device_io`). js nodes are preferred: on most systems
every user of the owning group may read them, and their axes are numbered by the kernel.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from vdsim_interface.extras.teleop.linux_input import Protocol

SEARCHED = "/dev/input/js* and /dev/input/event*"


@dataclass(frozen=True)
class DeviceNode:
    """One input device in the file system."""

    path: str
    name: str


@dataclass(frozen=True)
class DeviceQuery:
    """The device that the user selects: `auto`, a path, or a part of the device's name."""

    text: str

    @property
    def is_path(self) -> bool:
        """True when the text is a path, which is opened without a search."""
        return self.text.startswith(("/", "./"))

    def choose(self, nodes: tuple[DeviceNode, ...]) -> str | None:
        """Return the path of the device to open, None while there is none."""
        if self.is_path:
            return self.text
        pattern = "" if self.text == "auto" else self.text.casefold()
        matches = [node for node in nodes if pattern in node.name.casefold()]
        return min(matches, key=_preference).path if matches else None

    def missing(self, nodes: tuple[DeviceNode, ...]) -> str:
        """Return one line for the user: what was not found, and which devices are connected."""
        connected = ", ".join(f"{node.path} ({node.name})" for node in nodes)
        name = "" if self.text == "auto" else f" named *{self.text}*"
        where = f"; connected: {connected}" if connected else f" (searched {SEARCHED})"
        return f"no joystick{name} found{where}"


def _preference(node: DeviceNode) -> tuple[int, int, str]:
    stem = node.path.rsplit("/", 1)[-1]
    number = "".join(character for character in stem if character.isdigit())
    return (0 if stem.startswith("js") else 1, int(number or 0), node.path)


def protocol_of(path: str, protocol: str = "auto") -> Protocol:
    """Return the event format of a device; `auto`: by the name that the kernel gives such nodes."""
    if protocol != "auto":
        return Protocol(protocol)
    return Protocol.EVDEV if path.rsplit("/", 1)[-1].startswith("event") else Protocol.JS


class LinkState(enum.Enum):
    """State of the connection to the device."""

    SEARCHING = "searching"
    OPEN = "open"


class HotPlug:
    """When to search for the device again; returns each failure's text once."""

    def __init__(self, retry_s: float = 1.0) -> None:
        self.state = LinkState.SEARCHING
        self._retry_s = retry_s
        self._next_try_at = 0.0
        self._last_failure = ""

    def due(self, now: float) -> bool:
        """True when a search is due."""
        return self.state is LinkState.SEARCHING and now >= self._next_try_at

    def next_deadline(self) -> float:
        """Return the time of the next search, while searching."""
        return self._next_try_at

    def opened(self) -> None:
        """Record that the device was opened."""
        self.state = LinkState.OPEN
        self._last_failure = ""

    def failed(self, why: str, now: float) -> str | None:
        """Record a failed search; returns the text to log, None when it was logged before."""
        self._next_try_at = now + self._retry_s
        text = None if why == self._last_failure else why
        self._last_failure = why
        return text

    def lost(self, now: float) -> None:
        """Record that the open device was disconnected: search again at once."""
        self.state = LinkState.SEARCHING
        self._next_try_at = now

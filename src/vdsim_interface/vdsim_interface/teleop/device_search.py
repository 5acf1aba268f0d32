"""Which joystick to open: by path, by name or simply the first one. Pure; also the hot plug logic.

The list of devices comes from outside (see `device_io`). js nodes are preferred: every user of the
group that owns them may read them on most systems, and they number their axes themselves.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from vdsim_interface.teleop.linux_input import Protocol


@dataclass(frozen=True)
class DeviceNode:
    """One input device in the file system."""

    path: str
    name: str


@dataclass(frozen=True)
class Wanted:
    """What the user asked for: `auto`, a path, or a part of the device's name."""

    text: str

    @property
    def is_path(self) -> bool:
        """True when the text is a path, which is opened whatever is found there."""
        return self.text.startswith(("/", "./"))

    def choose(self, nodes: tuple[DeviceNode, ...]) -> str | None:
        """Path of the device to open, None while there is none."""
        if self.is_path:
            return self.text
        pattern = "" if self.text == "auto" else self.text.casefold()
        found = [node for node in nodes if pattern in node.name.casefold()]
        return min(found, key=_preference).path if found else None

    def missing(self, nodes: tuple[DeviceNode, ...]) -> str:
        """One line for the user: what was looked for and what is there instead."""
        there = ", ".join(f"{node.path} ({node.name})" for node in nodes) or "none"
        wanted = "a joystick" if self.text == "auto" else f"a joystick named *{self.text}*"
        return f"waiting for {wanted} to be plugged in; joysticks here: {there}"


def _preference(node: DeviceNode) -> tuple[int, int, str]:
    stem = node.path.rsplit("/", 1)[-1]
    number = "".join(character for character in stem if character.isdigit())
    return (0 if stem.startswith("js") else 1, int(number or 0), node.path)


def protocol_of(path: str, wanted: str = "auto") -> Protocol:
    """The event format spoken at `path`: as told, else by the name the kernel gives such nodes."""
    if wanted != "auto":
        return Protocol(wanted)
    return Protocol.EVDEV if path.rsplit("/", 1)[-1].startswith("event") else Protocol.JS


class LinkState(enum.Enum):
    """Where the connection to the device stands."""

    SEARCHING = "searching"
    OPEN = "open"


class HotPlug:
    """When to look for the device again, and what to tell the user, each thing once."""

    def __init__(self, retry_s: float = 1.0) -> None:
        self.state = LinkState.SEARCHING
        self._retry_s = retry_s
        self._next_try_at = 0.0
        self._told = ""

    def due(self, now: float) -> bool:
        """True when the device should be looked for now."""
        return self.state is LinkState.SEARCHING and now >= self._next_try_at

    def next_deadline(self) -> float:
        """Time of the next look; only of use while searching."""
        return self._next_try_at

    def opened(self) -> None:
        """The device was found and opened."""
        self.state = LinkState.OPEN
        self._told = ""

    def failed(self, why: str, now: float) -> str | None:
        """The look failed; gives the text to tell when it is news."""
        self._next_try_at = now + self._retry_s
        news = None if why == self._told else why
        self._told = why
        return news

    def lost(self, now: float) -> None:
        """The open device went away: look again at once."""
        self.state = LinkState.SEARCHING
        self._next_try_at = now

"""State commands of several sources -> one stream that names only what somebody asked for.

VehicleStateCommand has no "unset": the interface takes a message to ask for the fields in which it
differs from the one before. Two senders on one topic would undo each other's wishes with every
message, so the difference is taken per source here and laid over what was sent last.
"""

from __future__ import annotations

from dataclasses import fields, replace

from vdsim_interface.values import StateMessage

_EVENTS = frozenset({"autonomous", "mode"})
"""Fields that ask by a change only: their default in a first message asks for nothing."""


class StateMerge:
    """The merged stream; remembers what it sent last."""

    def __init__(self) -> None:
        self._sent: StateMessage | None = None

    def merge(self, before: StateMessage | None, message: StateMessage) -> StateMessage:
        """The message to send when a source says `message` after it said `before`."""
        if self._sent is None:
            self._sent = message
            return message
        blank = StateMessage()
        asked = {}
        for item in fields(StateMessage):
            old = before if before is not None else (blank if item.name in _EVENTS else None)
            value = getattr(message, item.name)
            if old is None or value != getattr(old, item.name):
                asked[item.name] = value
        self._sent = replace(self._sent, **asked)
        return self._sent

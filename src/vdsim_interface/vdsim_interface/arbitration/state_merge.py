"""State commands of several sources -> one stream that carries each source's changes.

VehicleStateCommand has no "unset": the interface acts on the fields in which a message differs from
the previous one. On one shared topic, two senders would revert each other with every message.
So the difference is computed per source here and applied to the message published last.
"""

from __future__ import annotations

from dataclasses import fields, replace

from vdsim_interface.values.state_message import StateMessage

_EVENTS = frozenset({"autonomous", "mode"})
"""Fields that request something only when they change; a default in a first message does not."""


class StateMerge:
    """The merged stream; keeps the message that it published last."""

    def __init__(self) -> None:
        self._sent: StateMessage | None = None

    def merge(self, previous: StateMessage | None, message: StateMessage) -> StateMessage:
        """Return the message to publish for `message` of a source whose last was `previous`."""
        if self._sent is None:
            self._sent = message
            return message
        blank = StateMessage()
        changes = {}
        for item in fields(StateMessage):
            base = previous if previous is not None else (blank if item.name in _EVENTS else None)
            value = getattr(message, item.name)
            if base is None or value != getattr(base, item.name):
                changes[item.name] = value
        self._sent = replace(self._sent, **changes)
        return self._sent

"""The base of the events that a launch reacts to."""


class Event:
    """Something that happened or that is asked for."""

    name = "launch.Event"

    def __repr__(self) -> str:
        """Return the upstream style name of the event."""
        return f"<{self.name}>"

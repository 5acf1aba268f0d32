"""The launch is to end."""

from ..event import Event


class Shutdown(Event):
    """Everything that the launch started is to end, and then the launch."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Return why."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Return whether a person pressed Ctrl-C."""
        return self.__due_to_sigint

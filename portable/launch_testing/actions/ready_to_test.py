"""The moment from which the active tests may run."""

from __future__ import annotations

from launch import Action, Event, LaunchContext


class Ready(Event):
    """The processes under test are ready."""

    name = "launch_testing.actions.Ready"


class ReadyToTest(Action):
    """Starts the active tests when the launch reaches it."""

    def execute(self, context: LaunchContext) -> None:
        """Tell the runner of the test."""
        context.emit_event_sync(Ready())

"""Actions for launch tests."""

from __future__ import annotations

from launch._upstream_names import refuse_names

from launch import Action, Event, LaunchContext

__all__ = ["ReadyToTest"]


class Ready(Event):
    """The processes under test are ready."""

    name = "launch_testing.actions.Ready"


class ReadyToTest(Action):
    """Starts the active tests when the launch reaches it."""

    def execute(self, context: LaunchContext) -> None:
        """Notify the test runner."""
        context.emit_event_sync(Ready())


__getattr__ = refuse_names(__name__, ("GTest", "PyTest", "Test"), "launch_testing")

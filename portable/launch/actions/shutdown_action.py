"""End the launch."""

from __future__ import annotations

from ..action import Action
from ..condition import Condition
from ..events import Shutdown as ShutdownEvent
from ..events.process import ProcessExited
from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities.substitutions import normalize_to_list_of_substitutions, perform_substitutions


class Shutdown(Action):
    """End the launch; as ``on_exit`` of a process it makes that process a required one."""

    def __init__(
        self,
        *,
        reason: SomeSubstitutionsType = "reason not given",
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__reason = normalize_to_list_of_substitutions(reason)

    def execute(self, context: LaunchContext) -> None:
        """Emit the event that ends the launch, and say so when a required process is the cause."""
        event = context.get_locals_as_dict().get("event")
        if isinstance(event, ProcessExited) and not context.is_shutdown:
            get_logger().info(
                f"process[{event.process_name}] was required: shutting down launched system"
            )
            if event.returncode != 0:
                context._fail()
        context.emit_event_sync(ShutdownEvent(reason=perform_substitutions(context, self.__reason)))

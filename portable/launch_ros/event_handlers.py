"""Event handlers for ROS nodes."""

from __future__ import annotations

from launch.some_substitutions_type import SomeEntitiesType

from launch import Action, Event, EventHandler

from .events.lifecycle import StateTransition


class OnStateTransition(EventHandler):
    """When a lifecycle node changes its state, visit ``entities``.

    Each of target, transition and states restricts the reaction; None matches all.
    """

    def __init__(
        self,
        *,
        entities: SomeEntitiesType,
        target_lifecycle_node: Action | None = None,
        transition: str | None = None,
        start_state: str | None = None,
        goal_state: str | None = None,
        handle_once: bool = False,
    ) -> None:
        def matches(event: Event) -> bool:
            return (
                isinstance(event, StateTransition)
                and target_lifecycle_node in (None, event.action)
                and transition in (None, event.transition)
                and start_state in (None, event.start_state)
                and goal_state in (None, event.goal_state)
            )

        super().__init__(matcher=matches, entities=entities, handle_once=handle_once)

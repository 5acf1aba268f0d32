"""Events of lifecycle nodes: the request of a transition, and the report of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch import Action, Event


class ChangeState(Event):
    """A request of the transition ``transition_id`` to the lifecycle nodes that match."""

    name = "launch_ros.events.lifecycle.ChangeState"

    def __init__(
        self, *, lifecycle_node_matcher: Callable[[Action], bool], transition_id: int
    ) -> None:
        self.__matcher = lifecycle_node_matcher
        self.__transition_id = transition_id

    @property
    def lifecycle_node_matcher(self) -> Callable[[Action], bool]:
        """Return the predicate over lifecycle nodes."""
        return self.__matcher

    @property
    def transition_id(self) -> int:
        """Return the number of the transition, as in lifecycle_msgs/msg/Transition."""
        return self.__transition_id


class StateTransition(Event):
    """A lifecycle node went from one state to another."""

    name = "launch_ros.events.lifecycle.StateTransition"

    def __init__(self, *, action: Action, msg: Any) -> None:
        self.__action = action
        self.__msg = msg

    @property
    def action(self) -> Action:
        """Return the action that started the node."""
        return self.__action

    @property
    def msg(self) -> Any:
        """Return the message, a lifecycle_msgs/msg/TransitionEvent."""
        return self.__msg

    @property
    def timestamp(self) -> int:
        """Return the time of the transition in ns."""
        return int(self.__msg.timestamp)

    @property
    def transition(self) -> str:
        """Return the label of the transition, such as 'configure'."""
        return str(self.__msg.transition.label)

    @property
    def start_state(self) -> str:
        """Return the label of the state before, such as 'unconfigured'."""
        return str(self.__msg.start_state.label)

    @property
    def goal_state(self) -> str:
        """Return the label of the state after, such as 'inactive'."""
        return str(self.__msg.goal_state.label)

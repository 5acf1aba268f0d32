"""Run a lifecycle node, and change its state."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from launch.actions import EmitEvent, RegisterEventHandler
from launch.event_handlers import OnShutdown, RespondingHandler
from launch.events import matches_action
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType

from launch import Event, LaunchContext, LaunchDescriptionEntity

from ..adapter import RosAdapter, ros_adapter
from ..event_handlers import OnStateTransition
from ..events.lifecycle import ChangeState, StateTransition
from .node import Node

_POLL_S = 0.05
_ANSWER_S = 1.0
"""How long an answer about the state takes at most; then it is asked for again."""
# The constants of lifecycle_msgs/msg/Transition, which is imported only where a node is started.
_CONFIGURE, _ACTIVATE = 1, 3
_NAMES = {
    _CONFIGURE: "TRANSITION_CONFIGURE",
    2: "TRANSITION_CLEANUP",
    _ACTIVATE: "TRANSITION_ACTIVATE",
    4: "TRANSITION_DEACTIVATE",
    5: "TRANSITION_UNCONFIGURED_SHUTDOWN",
    6: "TRANSITION_INACTIVE_SHUTDOWN",
    7: "TRANSITION_ACTIVE_SHUTDOWN",
}


class LifecycleNode(Node):
    """A node with a lifecycle.

    It performs the transitions that ``ChangeState`` events request, and emits a ``StateTransition``
    event at each change. With ``autostart`` it is configured and activated after its start.
    """

    def __init__(
        self,
        *,
        name: SomeSubstitutionsType,
        namespace: SomeSubstitutionsType,
        autostart: bool = False,
        **node_options: Any,
    ) -> None:
        super().__init__(name=name, namespace=namespace, **node_options)
        self.__autostart = autostart
        self.__adapter: RosAdapter | None = None
        self.__client: Any = None
        self.__state_client: Any = None

    @property
    def node_autostart(self) -> bool:
        """Return whether the node is configured and activated after its start."""
        return self.__autostart

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Start the node and the handling of requests; with ``autostart`` request the first."""
        super().execute(context)
        process = self.get_asyncio_future()
        if process is None or context.is_shutdown:
            return None
        requests: asyncio.Queue[int] = asyncio.Queue()
        worker = asyncio.ensure_future(self._perform(requests))
        process.add_done_callback(lambda _: worker.cancel())

        def stop(event: Event, context: LaunchContext) -> None:
            worker.cancel()

        def request(event: ChangeState, context: LaunchContext) -> None:
            requests.put_nowait(event.transition_id)

        context.register_event_handler(OnShutdown(on_shutdown=stop, handle_once=True))
        context.register_event_handler(
            RespondingHandler(matcher=self._is_request, response=request, handle_once=False)
        )
        return self._autostart_actions() if self.__autostart else None

    def _perform_cmd(self, context: LaunchContext) -> list[str]:
        """Return the command, and connect: the name is known now, the process not yet started."""
        from lifecycle_msgs.msg import TransitionEvent
        from lifecycle_msgs.srv import ChangeState as ChangeStateService
        from lifecycle_msgs.srv import GetState

        cmd = super()._perform_cmd(context)
        adapter = self.__adapter = ros_adapter(context)

        def report(msg: Any) -> None:
            context.emit_event_sync(StateTransition(action=self, msg=msg))

        adapter.node.create_subscription(
            TransitionEvent, f"{self.node_name}/transition_event", adapter.in_loop(report), 10
        )
        self.__client = adapter.node.create_client(
            ChangeStateService, f"{self.node_name}/change_state"
        )
        self.__state_client = adapter.node.create_client(GetState, f"{self.node_name}/get_state")
        return cmd

    def _is_request(self, event: Event) -> bool:
        return isinstance(event, ChangeState) and event.lifecycle_node_matcher(self)

    async def _perform(self, requests: asyncio.Queue[int]) -> None:
        """Perform the requested transitions one after the other, once the node hears this side."""
        await self._is_heard()
        while True:
            transition_id = await requests.get()
            if not await self._change_state(transition_id):
                name = _NAMES.get(transition_id, str(transition_id))
                get_logger(self.name).error(
                    f"Failed to make transition '{name}' for LifecycleNode '{self.node_name}'"
                )

    async def _change_state(self, transition_id: int) -> bool:
        """Return whether the node made the transition; wait for its service first."""
        request = self.__client.srv_type.Request()
        request.transition.id = transition_id
        return bool((await self._answer(self.__client, request)).success)

    async def _is_heard(self) -> None:
        """Wait until the node knows the subscription to its transition events.

        A service that is ready says that this side knows the node. The node learns of this side in
        the order in which it was created: the subscription, then the client whose answer arrives.
        Without this wait the event of the first transition can be lost.
        """
        while True:
            request = self.__state_client.srv_type.Request()
            with contextlib.suppress(asyncio.TimeoutError):
                return await asyncio.wait_for(self._answer(self.__state_client, request), _ANSWER_S)

    async def _answer(self, client: Any, request: Any) -> Any:
        """Return what the service answers; wait for the service first."""
        assert self.__adapter is not None
        while not client.service_is_ready():
            await asyncio.sleep(_POLL_S)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def receive(future: Any) -> None:
            if not answer.done():
                answer.set_result(future.result())

        client.call_async(request).add_done_callback(self.__adapter.in_loop(receive))
        return await answer

    def _autostart_actions(self) -> list[LaunchDescriptionEntity]:
        configure, activate = (
            EmitEvent(
                event=ChangeState(
                    lifecycle_node_matcher=matches_action(self), transition_id=transition_id
                )
            )
            for transition_id in (_CONFIGURE, _ACTIVATE)
        )
        configured = OnStateTransition(
            target_lifecycle_node=self,
            start_state="configuring",
            goal_state="inactive",
            entities=[activate],
            handle_once=True,
        )
        return [RegisterEventHandler(configured), configure]

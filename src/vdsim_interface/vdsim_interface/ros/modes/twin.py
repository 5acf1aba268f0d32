"""The topics `<service>_twin/request` and `<service>_twin/answer` beside a service of modes."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from vdsim_protocol.request_check import refusal

from vdsim_interface.arbitration.mode_twin import ModeTwin, TwinAnswer, TwinRequest, Verdict
from vdsim_interface.ros import topics
from vdsim_interface.ros.stage_node import StageNode
from vdsim_msgs.msg import ModeAnswer, ModeRequest

Finish = Callable[[TwinAnswer], None]
Handle = Callable[[int, Finish], None]
"""Called with the request and the function that takes the answer, now or later."""


class TwinTopics:
    """Receives requests, and publishes the answers of `handle`."""

    def __init__(
        self, node: Node, service: str, ends_autonomy: frozenset[int], handle: Handle
    ) -> None:
        stage = isinstance(node, StageNode)
        publisher = node.create_checked_publisher if stage else node.create_publisher
        subscription = node.create_checked_subscription if stage else node.create_subscription
        self._clock = node.get_clock()
        self._handle = handle
        self._twin = ModeTwin(ends_autonomy)
        request, answer = topics.twin_of(service)
        self._answers = publisher(ModeAnswer, answer, topics.RELIABLE_QOS)
        subscription(ModeRequest, request, self._on_request, topics.RELIABLE_QOS)

    def _on_request(self, message: ModeRequest) -> None:
        request = TwinRequest(
            client=message.client,
            sequence=message.sequence,
            request=message.request,
            refusal=refusal(message),
        )
        verdict, why = self._twin.on_request(request)
        if verdict is Verdict.ANSWER:
            answer = TwinAnswer(success=False, mode=0, reason=why)
            self._publish(request, answer if why else self._twin.answer(request))
        elif verdict is Verdict.ACT:
            self._handle(request.request, lambda done: self._finish(request, done))

    def _finish(self, request: TwinRequest, answer: TwinAnswer) -> None:
        self._twin.on_answer(request, answer)
        self._publish(request, answer)

    def _publish(self, request: TwinRequest, answer: TwinAnswer | None) -> None:
        if answer is None:
            return
        self._answers.publish(
            ModeAnswer(
                stamp=self._clock.now().to_msg(),
                client=request.client,
                sequence=request.sequence,
                success=answer.success,
                mode=answer.mode,
                reason=answer.reason,
            )
        )

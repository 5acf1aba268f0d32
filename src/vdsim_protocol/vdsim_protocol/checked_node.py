"""The base of every node of ours: what a request or a message from anywhere may do to its process.

rclpy's own parameter service is never started: one request can end or freeze a process with it. A
node offers one of its own (parameter_requests.py), and only where its process says so: no service
whose request holds texts or lists is open by itself. Messages arrive as bytes (message_wall.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from vdsim_protocol.contract_ports import LeavesContractPorts
from vdsim_protocol.message_wall import LARGEST, Discarded, MessageWall
from vdsim_protocol.parameter_names import no_such_parameter
from vdsim_protocol.parameter_requests import WHILE_DRIVING_S

AUTO, IN_PROCESS, OFF = SERVICE_CHOICES = ("auto", "in_process", "off")
"""The values of the parameter process.parameter_services."""


class CheckedNode(LeavesContractPorts):
    """Base of a node, before rclpy's. A change of a parameter that it does not have is named."""

    RESULT: ClassVar[Callable[..., Any]]
    """rcl_interfaces' SetParametersResult, by the class that derives from this one."""
    SERVICE: ClassVar[Callable[[Any], Any]]
    """The parameter service: ChecksRequests before rclpy's."""
    PARAMETER: ClassVar[Callable[..., Any]]
    """rclpy's Parameter."""
    DECODE: ClassVar[Callable[[bytes, type], Any]]
    """rclpy's deserialize_message."""
    LARGEST_MESSAGE: ClassVar[int] = LARGEST
    """So many bytes of a message are decoded."""
    IS_CLOSED: ClassVar[bool] = False
    """Whether no node of this process offers parameter services unless the user says so."""

    parameter_service: Any = None

    def __init__(self, *args: Any, **options: Any) -> None:
        self.discarded = Discarded()
        # The request of rclpy's type service is a text, and nobody asks for our types.
        own = type(self).PARAMETER("start_type_description_service", value=False)
        options["parameter_overrides"] = [own, *(options.get("parameter_overrides") or ())]
        super().__init__(*args, start_parameter_services=False, **options)

    @property
    def is_closed(self) -> bool:
        """As IS_CLOSED; a node may know it by its parameters."""
        return self.IS_CLOSED

    @property
    def parameter_services(self) -> str:
        """The parameter process.parameter_services of this node."""
        return AUTO

    def create_subscription(
        self,
        msg_type: Any,
        topic: str,
        callback: Callable[..., None],
        qos_profile: Any,
        *,
        raw: bool = False,
        largest: int = 0,
        unreadable_is: Any = None,
        **options: Any,
    ) -> Any:
        """As rclpy's; every message is measured before it is decoded.

        `largest`: so many bytes are decoded, 0: LARGEST_MESSAGE. `unreadable_is`: what the
        callback receives in place of a message that cannot be read.
        """
        if not raw:
            callback = MessageWall(
                lambda data: type(self).DECODE(data, msg_type),
                callback,
                lambda why: self.note_discarded(topic, why),
                largest=largest or self.LARGEST_MESSAGE,
                unreadable_is=unreadable_is,
            )
        make = super().create_subscription  # type: ignore[misc]
        return make(msg_type, topic, callback, qos_profile, raw=True, **options)

    def note_discarded(self, topic: str, why: str) -> None:
        """Count a message that is not used, and say so."""
        node: Any = self
        if line := self.discarded.add(topic, why):
            node.get_logger().error(line)

    def note_lost(self) -> None:
        """The executor had no memory for a message or a request that arrived."""
        self.note_discarded("a topic", "a message for which there was no memory")

    def time_for_parameters_s(self) -> float:
        """How long one request that sets parameters may take."""
        return WHILE_DRIVING_S

    def offer_parameters(self) -> None:
        """Open the parameter services."""
        if self.parameter_service is None:
            self.parameter_service = type(self).SERVICE(self)

    def set_parameters_atomically(self, parameter_list: Sequence[Any]) -> Any:
        """Reject unknown names with the nearest known one; rclpy's reason names neither."""
        node: Any = self
        for parameter in parameter_list:
            if not node.has_parameter(parameter.name):
                why = no_such_parameter(parameter.name, node._parameters)
                return type(self).RESULT(successful=False, reason=f"{parameter.name}: {why}")
        return super().set_parameters_atomically(parameter_list)  # type: ignore[misc]


class OffersParameters(Protocol):
    """What the decision needs of a node."""

    @property
    def is_closed(self) -> bool:
        """Whether the process is closed by default."""

    @property
    def parameter_services(self) -> str:
        """The user's choice."""

    def offer_parameters(self) -> None:
        """Open the services."""


def offer_parameters(nodes: Sequence[OffersParameters]) -> None:
    """Open the parameter services of the nodes of one process, where they are to be open.

    A request is decoded by the process, not by a node of it: one closed node closes all.
    """
    is_closed = any(node.is_closed for node in nodes)
    for node in nodes:
        choice = node.parameter_services
        if choice == IN_PROCESS or (choice == AUTO and not is_closed):
            node.offer_parameters()

"""Node `link_faults`: the service SetFault, in front of a running `vdsim_chaos --control`."""

from __future__ import annotations

import socket
import sys

from rclpy.node import Node
from vdsim_protocol.faults import parse_address

from vdsim_interface.link_faults import (
    BOTH,
    READ,
    FaultParameters,
    FaultRefusedError,
    FaultRequest,
    Snapshot,
    faults_set,
    order,
    read_answer,
)
from vdsim_interface.ros import topics
from vdsim_interface.ros.fixed_parameters import seal
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_msgs.srv import SetFault

_LARGEST_DATAGRAM = 65535


class LinkFaultsNode(Node):
    """One request after the other: ask the relay, check, order, answer."""

    def __init__(self) -> None:
        super().__init__("link_faults")
        self._settings = declare(self, FaultParameters())
        seal(self)
        self.create_service(SetFault, topics.SET_FAULT, self._on_request)
        self.get_logger().info(f"faults of the relay with --control {self._settings.relay}")

    def _on_request(
        self, request: SetFault.Request, response: SetFault.Response
    ) -> SetFault.Response:
        try:
            asked = FaultRequest(
                request.link or BOTH, tuple(request.names), tuple(request.values), request.clear
            )
            seen = self._ask(READ)
            change = order(asked, seen, self._settings)
            if change is not None:
                seen = self._ask(change)
            found = faults_set(asked, seen, self._settings)
        except FaultRefusedError as refusal:
            response.success, response.reason = False, str(refusal)
            return response
        response.success = True
        response.names = [name for name, _ in found]
        response.values = [value for _, value in found]
        said = ", ".join(f"{name}={value:g}" for name, value in found) or "none"
        self.get_logger().info(f"faults on {asked.link}: {said}")
        return response

    def _ask(self, request: bytes) -> Snapshot:
        """One request and its answer; a new socket each time, so that no late answer is taken."""
        address = parse_address(self._settings.relay, "relay")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(self._settings.answer_timeout_s)
            try:
                sock.connect(address)
                sock.send(request)
                answer = sock.recv(_LARGEST_DATAGRAM)
            except OSError as error:
                why = error.strerror or f"silent for {self._settings.answer_timeout_s:g} s"
                raise FaultRefusedError(
                    f"no relay answers at {self._settings.relay}: {why}; "
                    "is vdsim_chaos running with --control?"
                ) from None
        return read_answer(answer)


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("link_faults", lambda: [LinkFaultsNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())

"""ROS node link_faults: the service SetFault for a running `vdsim_chaos --control`."""

from __future__ import annotations

import socket
import sys

from rclpy.node import Node
from vdsim_protocol.faults import parse_address

from vdsim_interface.extras.link_faults.requests import (
    BOTH,
    READ,
    FaultParameters,
    FaultRefusedError,
    FaultRequest,
    Snapshot,
    active_faults,
    parse_response,
    relay_request,
)
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.ros import topics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_msgs.srv import SetFault
from vdsim_protocol import request_check

_LARGEST_DATAGRAM = 65535


class LinkFaultsNode(CheckedNode, Node):
    """For each service call: read the relay's faults, check, change them, respond."""

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
            if why := request_check.refusal(request):
                raise FaultRefusedError(why)
            faults = FaultRequest(
                link=request.link or BOTH,
                names=tuple(request.names),
                values=tuple(request.values),
                clear=request.clear,
            )
            snapshot = self._call_relay(READ)
            change = relay_request(faults, snapshot, self._settings)
            if change is not None:
                snapshot = self._call_relay(change)
            active = active_faults(faults, snapshot, self._settings)
        except FaultRefusedError as refusal:
            response.success, response.reason = False, str(refusal)
            return response
        response.success = True
        response.names = [name for name, _ in active]
        response.values = [value for _, value in active]
        text = ", ".join(f"{name}={value:g}" for name, value in active) or "none"
        self.get_logger().info(f"faults on {faults.link}: {text}")
        return response

    def _call_relay(self, request: bytes) -> Snapshot:
        """Send a request, return the response; a new socket each time excludes late ones."""
        address = parse_address(self._settings.relay, "relay")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(self._settings.answer_timeout_s)
            try:
                sock.connect(address)
                sock.send(request)
                datagram = sock.recv(_LARGEST_DATAGRAM)
            except OSError as error:
                why = error.strerror or f"no response within {self._settings.answer_timeout_s:g} s"
                raise FaultRefusedError(
                    f"no relay answers at {self._settings.relay}: {why}; "
                    "is vdsim_chaos running with --control?"
                ) from None
        return parse_response(datagram)


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("link_faults", lambda: [LinkFaultsNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())

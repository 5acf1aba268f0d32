"""The service set_fault on real ROS, in front of a real relay on loopback."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from rclpy.parameter import Parameter
from vdsim_interface.extras.link_faults.nodes.link_faults import LinkFaultsNode
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_protocol.cli.chaos import ChaosRelay
from vdsim_protocol.faults import RelayPlan, Route

from vdsim_msgs.srv import SetFault

LOCAL = ("127.0.0.1", 0)
NOWHERE = ("127.0.0.1", 9)


@contextmanager
def running_relay() -> Iterator[ChaosRelay]:
    """The relay as a process would run it, in a thread."""
    plan = RelayPlan((Route("cmd", LOCAL, NOWHERE), Route("state", LOCAL, NOWHERE)))
    stop = threading.Event()

    def turn() -> None:
        while not stop.is_set():
            relay.step(0.02)

    with closing(ChaosRelay(plan, LOCAL, time.monotonic())) as relay:
        thread = threading.Thread(target=turn)
        thread.start()
        try:
            yield relay
        finally:
            stop.set()
            thread.join()


class Desk:
    """The node and a user who calls its service."""

    def __init__(self, control: tuple[str, int]) -> None:
        self.lab = Lab("-p", f"relay:={control[0]}:{control[1]}")
        self.node = self.lab.add(LinkFaultsNode())
        self.client = self.lab.probe.create_client(SetFault, topics.SET_FAULT)
        self.lab.until(self.client.service_is_ready, "the service")

    def call(self, **fields: Any) -> Any:
        future = self.client.call_async(SetFault.Request(**fields))
        self.lab.until(future.done, "an answer")
        return future.result()


@pytest.fixture
def relay() -> Iterator[ChaosRelay]:
    with running_relay() as made:
        yield made


@pytest.fixture
def desk(relay: ChaosRelay) -> Iterator[Desk]:
    control = relay.control_address()
    assert control is not None
    made = Desk(control)
    yield made
    made.lab.close()


def loss(relay: ChaosRelay, route: str) -> float:
    return float(relay.control.snapshot()[f"{route}/to"]["faults"]["loss"])


def test_a_fault_is_set_read_and_taken_away(desk: Desk, relay: ChaosRelay) -> None:
    answer = desk.call(link="command", names=["loss"], values=[0.5])
    assert (answer.success, answer.reason) == (True, "")
    assert (list(answer.names), list(answer.values)) == (["loss"], [0.5])
    assert (loss(relay, "cmd"), loss(relay, "state")) == (0.5, 0.0)
    assert list(desk.call().names) == ["command.loss"]
    assert loss(relay, "cmd") == 0.5, "an empty request only reads"
    cleared = desk.call(clear=True)
    assert (cleared.success, list(cleared.names)) == (True, [])
    assert loss(relay, "cmd") == 0.0


def test_a_refusal_says_why(desk: Desk, relay: ChaosRelay) -> None:
    answer = desk.call(link="both", names=["loss"], values=[2.0])
    assert not answer.success
    assert answer.reason == "command.loss=2.0: must be in 0..1"
    assert loss(relay, "cmd") == 0.0
    assert desk.call(link="sideways").reason.startswith("link='sideways': must be one of")


def test_what_is_no_request_changes_nothing(desk: Desk, relay: ChaosRelay) -> None:
    answer = desk.call(check=5, link="command", names=["loss"], values=[0.5])
    assert not answer.success
    assert answer.reason.startswith("check=5: must be 1297302614, the default")
    assert loss(relay, "cmd") == 0.0


def refusal_at(control: tuple[str, int]) -> str:
    desk = Desk(control)
    try:
        answer = desk.call(link="both", clear=True)
    finally:
        desk.lab.close()
    assert not answer.success
    return str(answer.reason)


def test_a_relay_that_is_gone_is_said() -> None:
    with running_relay() as relay:
        control = relay.control_address()
    assert control is not None
    reason = refusal_at(control)
    assert f"no relay answers at 127.0.0.1:{control[1]}: Connection refused" in reason


def test_a_relay_without_a_response_is_reported() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(LOCAL)
        assert "no response within 1 s" in refusal_at(mute.getsockname())


def test_parameters_are_fixed_at_start(desk: Desk) -> None:
    (result,) = desk.node.set_parameters([Parameter("relay", value="127.0.0.1:1")])
    assert not result.successful
    assert "relay: cannot change while the node runs" in result.reason

"""Hosts that are names or nonsense, at every node with a socket, and activations that fail."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.parameter import Parameter
from vdsim_interface.extras.autohyu.nodes.autohyu_bridge import AutohyuBridgeNode
from vdsim_interface.extras.morai.nodes.morai_bridge import MoraiBridgeNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import VehicleReport
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.ports import free_ports, is_free

from vdsim_protocol import morai, vds1

NO_HOST = "no.such.host.invalid"
PLACES = {
    "vehicle_interface": "nodes",
    "platform_interface": "extras.stages.nodes",
    "autohyu_bridge": "extras.autohyu.nodes",
}
RULE = "cannot be resolved: must be an IPv4 address or a name that has one"


class Link:
    """A node, and the socket at the other end of its link."""

    def __init__(self, *parameters: str) -> None:
        self.plant = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.plant.bind(("127.0.0.1", 0))
        self.plant.settimeout(60.0)
        self.port = self.plant.getsockname()[1]
        given = list(parameters)
        if "platform:=vds1" in given:
            given += ["vds1.listen_port:=0", f"vds1.plant_port:={self.port}"]
        self.lab = Lab(*(word for each in given for word in ("-p", each)))
        self.texts: list[str] = []

    def make(self, kind: type[StageNode]) -> Any:
        """The node in time of the test; its reports are noted."""
        node: Any = kind()
        self.lab.add(node)
        node.now = lambda: 1000.0
        node.ros_time = SimulatedTime()
        node.notice_log.write = lambda notices, _: self.texts.extend(r.text for r in notices)
        return node

    def close(self) -> None:
        self.lab.close()
        self.plant.close()


STAGES = [VehicleInterface, PlatformInterfaceNode]
NAMED = ("platform:=vds1", "vds1.plant_host:=localhost", "vds1.listen_host:=localhost")


@pytest.fixture
def link(request: pytest.FixtureRequest) -> Iterator[Link]:
    made = Link(*request.param)
    yield made
    made.close()


@pytest.mark.parametrize("link", [(*NAMED, "safety.rig:=driverless")], indirect=True)
@pytest.mark.parametrize("kind", STAGES)
def test_a_plant_given_by_name_is_told_and_heard(link: Link, kind: type[StageNode]) -> None:
    node = link.make(kind)
    node.start()
    [(_, address)] = node.vehicle_port.sockets.bound().items()
    for datagram, _ in Peer().report(PeerMotion(3.0), 1000.0):
        link.plant.sendto(datagram.data, address)
    node.poll(1000.0)
    if kind == VehicleInterface:
        assert node.pipeline.vehicle.velocity_mps == 3.0
    else:
        assert node.side.report.velocity_mps == 3.0
    node.tick(1000.0)
    assert isinstance(vds1.decode(link.plant.recv(2048)), vds1.Packet)


MORAI = ("platform:=morai", "morai.sim_host:=localhost", "morai.status_port:=0")


@pytest.mark.parametrize("link", [MORAI], indirect=True)
def test_a_simulator_given_by_name_is_heard(link: Link) -> None:
    node = link.make(VehicleInterface)
    node.start()
    link.plant.sendto(b"#nonsense", node.vehicle_port.sockets.bound()["morai"])
    node.poll(1000.0)
    assert not any("does not come from the simulator" in text for text in link.texts)
    assert any("dropped" in text for text in link.texts), "it came, and is judged by its content"


@pytest.mark.parametrize("link", [("platform:=vds1",)], indirect=True)
@pytest.mark.parametrize("kind", STAGES)
@pytest.mark.parametrize("field", ["plant_host", "listen_host"])
@pytest.mark.parametrize("host", ["", NO_HOST])
def test_a_host_that_is_none_is_named_and_nothing_begins(
    link: Link, kind: type[StageNode], field: str, host: str
) -> None:
    node = link.make(kind)
    [answer] = node.set_parameters([Parameter(f"vds1.{field}", value=host)])
    assert answer.successful
    with pytest.raises(ParameterError) as refused:
        node.start()
    assert str(refused.value) == f"vds1.{field}={host}: {RULE}"
    assert not node.is_active
    assert node._tick_timer is None
    assert node.vehicle_port.sockets is None
    [answer] = node.set_parameters([Parameter(f"vds1.{field}", value="localhost")])
    node.trigger_activate()
    assert node.is_active, "a lifecycle manager may try again"


@pytest.mark.parametrize("link", [("platform:=vds1",)], indirect=True)
@pytest.mark.parametrize("kind", STAGES)
@pytest.mark.parametrize("error", [OSError("first tick"), RuntimeError("first tick")])
def test_a_first_tick_that_fails_leaves_nothing_half_started(
    link: Link, kind: type[StageNode], error: Exception
) -> None:
    node = link.make(kind)
    whole, ports = node.tick, []

    def fail(now: float) -> None:
        ports.append(node.vehicle_port.sockets.bound()["vds1"][1])
        raise error

    node.tick = fail
    with pytest.raises(type(error), match="first tick"):
        node.start()
    node.tick = whole
    assert not node.is_active
    assert node._tick_timer is None
    assert node.vehicle_port.sockets is None
    assert is_free(ports[0])


@pytest.mark.parametrize(
    "link",
    [("platform:=vds1", "vds1.plant_host:=255.255.255.255", "safety.rig:=driverless")],
    indirect=True,
)
@pytest.mark.parametrize("kind", STAGES)
def test_a_plant_that_may_not_be_sent_to_is_reported_and_the_node_goes_on(
    link: Link, kind: type[StageNode]
) -> None:
    node = link.make(kind)
    node.start()
    assert node.is_active
    for now in (1001.0, 1001.01):  # the first packet waits no longer for a report
        node.tick(now)
    assert any("sending to 255.255.255.255" in text for text in link.texts), link.texts
    told: list[Any] = []
    node.vehicle_port._health.publish = lambda lines, statistics, *_: told.append(statistics)
    node._on_slow()
    assert told[0]["send_failed"] >= 2.0
    node.end()
    assert node.vehicle_port.sockets is None


@pytest.mark.parametrize("link", [("platform:=vds1",)], indirect=True)
def test_only_a_packet_that_is_accepted_is_published(link: Link) -> None:
    node = link.make(VehicleInterface)
    node.start()
    heard: list[VehicleReport] = []
    node.vehicle_port.publish_report = heard.append
    [(_, address)] = node.vehicle_port.sockets.bound().items()
    [(good, _)] = Peer().report(PeerMotion(3.0), 1000.0)
    broken = good.data[:-1] + bytes([good.data[-1] ^ 0xFF])
    link.plant.sendto(good.data, address)
    node.poll(1000.0)
    assert len(heard) == 1
    # Apart from each other: of one kind, ten a second are named.
    for n, rejected in enumerate((broken, good.data, b"stranger"), 1):
        link.plant.sendto(rejected, address)
        node.poll(1000.0 + n)
    assert len(heard) == 1
    assert sum("dropped" in text for text in link.texts) == 3


def test_autohyu_takes_names_and_names_what_is_none() -> None:
    link = Link("link.plant_host:=localhost", "link.listen_port:=0")
    try:
        node: Any = link.lab.add(AutohyuBridgeNode())
        [(_, address)] = node._sockets.bound().items()
        for datagram, _ in Peer().report(PeerMotion(3.0), node.now()):
            link.plant.sendto(datagram.data, address)
        node._on_tick()
        assert node._bridge.link(node.now()).accepted == 1
    finally:
        link.close()
    link = Link(f"link.plant_host:={NO_HOST}", "link.listen_port:=0")
    try:
        with pytest.raises(ParameterError, match=rf"link\.plant_host={NO_HOST}: {RULE}"):
            AutohyuBridgeNode()
    finally:
        link.close()


def test_the_morai_bridge_takes_names_and_names_what_is_none() -> None:
    names = ("objects", "traffic_light", "collisions", "npc_collisions", "intersection")
    ports = [
        f"ports.{name}:={port}" for name, port in zip(names, free_ports(len(names)), strict=True)
    ]
    link = Link("sim_host:=localhost", *ports)
    try:
        node: Any = link.lab.add(MoraiBridgeNode())
        texts: list[str] = []
        node._log.write = lambda notices, _: texts.extend(report.text for report in notices)
        link.plant.sendto(b"#nonsense", node._sockets.bound()["objects"])
        node._on_poll()
        assert len(texts) == 1
        assert "does not come from the simulator" not in texts[0]
        assert node._sockets.send((node._bridge.encode(morai.LampControl(0, 1)),)) == 0
    finally:
        link.close()
    link = Link(f"sim_host:={NO_HOST}", *ports)
    try:
        with pytest.raises(ParameterError, match=rf"sim_host={NO_HOST}: {RULE}"):
            MoraiBridgeNode()
    finally:
        link.close()


@pytest.mark.parametrize(
    ("module", "parameter"),
    [
        ("vehicle_interface", "vds1.plant_host"),
        ("platform_interface", "vds1.plant_host"),
        ("autohyu_bridge", "link.plant_host"),
    ],
)
def test_a_process_ends_with_2_and_the_line(module: str, parameter: str) -> None:
    words = ["--ros-args", "-p", f"{parameter}:={NO_HOST}"]
    if module != "autohyu_bridge":
        words += ["-p", "platform:=vds1"]
    ended = subprocess.run(
        [sys.executable, "-m", f"vdsim_interface.{PLACES[module]}.{module}", *words],
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.splitlines()[-1] == f"{module}: {parameter}={NO_HOST}: {RULE}"
    assert "Traceback" not in ended.stderr

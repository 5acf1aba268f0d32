"""What both ends say of their link: one policy, and a round trip that is measured."""

from __future__ import annotations

import math
import re
import socket
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from vdsim_interface.extras.autohyu import AutohyuBridge, AutohyuParameters, load_torque_map
from vdsim_interface.extras.autohyu.parameters import LinkParameters, PedalParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.ros.publishers.diagnostics import timeout_policy
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    VehicleCommand,
)
from vdsim_interface_kit.interface import Drive
from vdsim_plant.motion import PedalInput
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.settings.options import server_settings
from vdsim_protocol.vds1.probe import PROBE, Probe, encode_probe

WORDS = re.compile(
    r"no (?P<what>command|report) for (?P<ms>[\d.]+) ms: throttle 0, "
    r"brake (?P<brake>[\d.]+)( m/s2)?, steering (?P<steering>held|straight), gear (?P<gear>kept)"
)
MAP = files("vdsim_interface.extras.autohyu") / "maps" / "ioniq5_awd.csv"
DRIVING = PedalInput(0.2, 0.7, 0.0, -1, False)


def said(policy: str) -> dict[str, str]:
    found = WORDS.match(policy)
    assert found is not None, policy
    return found.groupdict()


def test_both_ends_state_the_same_policy() -> None:
    plant, interface = (
        said(FailsafePolicy().describe()),
        said(timeout_policy(InterfaceParameters())),
    )
    assert (plant.pop("what"), interface.pop("what")) == ("command", "report")
    assert float(plant.pop("brake")) > 0.0
    assert float(interface.pop("brake")) > 0.0
    assert plant == interface == {"ms": "100", "steering": "held", "gear": "kept"}


@pytest.mark.parametrize("timeout_s", [0.1, 0.25])
def test_the_plant_does_what_it_states(timeout_s: float) -> None:
    policy = FailsafePolicy(timeout_s=timeout_s)
    words, safe = said(policy.describe()), policy.input_after(DRIVING)
    assert float(words["ms"]) == 1e3 * timeout_s
    assert (safe.throttle, safe.brake) == (0.0, float(words["brake"]))
    assert (safe.steer_rad, safe.gear) == (DRIVING.steer_rad, DRIVING.gear)


@pytest.mark.parametrize("timeout_s", [0.1, 0.25])
def test_the_interface_does_what_it_states(timeout_s: float) -> None:
    safety = SafetyParameters(auto_engage=True, report_timeout_s=timeout_s)
    words = said(timeout_policy(InterfaceParameters(safety=safety)))
    drive = Drive("vehicle", safety)
    go = VehicleCommand(0.0, 1.0, 0.1)
    before = drive.run(3.0, go).safe.command
    drive.platform.muted = True
    silent_s = float(words["ms"]) / 1e3
    drive.run(silent_s - 0.02, go)
    assert drive.outputs[-1].safe.command.vehicle.long_accel_mps2 > 0.0, "not yet"
    after = drive.run(0.9, go).safe.command
    assert after.vehicle.long_accel_mps2 < 0.0
    assert min(
        output.safe.command.vehicle.long_accel_mps2 for output in drive.outputs
    ) >= -float(words["brake"])  # fmt: skip
    assert after.vehicle.front_wheel_angle_rad == before.vehicle.front_wheel_angle_rad
    assert after.body.gear is before.body.gear is Gear.DRIVE


class Loop:
    """A plant in lockstep and a platform that sends to it, each packet delayed as asked."""

    def __init__(self, *, measures: bool = True) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        state_port = self.socket.getsockname()[1]
        settings = server_settings({"cmd_port": 0, "state_port": state_port})
        self.plant = PlantServer(settings, build_wire_vehicles(settings))
        self.port = self.plant.ports[0].address[1]
        parameters = Vds1Parameters(plant_port=self.port, measure_round_trip=measures)
        self.platform = Vds1Platform(parameters, PlatformSetup(VehicleGeometry(), 0.01))
        self.now = 100.0

    def run(self, periods: int, authority: Authority = Authority.COMMAND) -> None:
        """In each period of 10 ms: CMD, two ticks of the plant, and 3 ms later its STATE."""
        body = BodyCommand(Gear.DRIVE)
        for _ in range(periods):
            command = PlatformCommand(authority, Mode.AUTONOMOUS, VehicleCommand(self.now), body)
            for datagram in self.platform.encode(command, self.now).datagrams:
                self.socket.sendto(datagram.data, ("127.0.0.1", self.port))
            self.plant.advance(2)
            for data, source in self.arrived():
                self.platform.receive(data, source, "vds1", self.now + 0.003)
            self.now += 0.01

    def arrived(self) -> list[tuple[bytes, tuple[str, int]]]:
        found = []
        while True:
            try:
                found.append(self.socket.recvfrom(2048))
            except BlockingIOError:
                return found

    def close(self) -> None:
        self.plant.close()
        self.socket.close()


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def test_the_round_trip_is_measured_while_the_car_stands_still(loop: Loop) -> None:
    loop.run(25)
    assert loop.platform.link_statistics(loop.now)["measured_round_trip_s"] == pytest.approx(0.003)
    status = loop.plant.snapshot().vehicles[0].status
    assert status.round_trip_s == pytest.approx(0.003), "the plant knows it from the next probe"
    assert loop.plant.snapshot().ports[0].counters.rejected_total == 0


def test_the_plant_forgets_a_round_trip_that_nobody_measures_any_more(loop: Loop) -> None:
    loop.run(25)
    loop.plant.advance(500)
    assert math.isnan(loop.plant.snapshot().vehicles[0].status.round_trip_s)


@pytest.mark.parametrize("measured_s", [-1.0, math.inf, -math.inf, math.nan])
def test_a_round_trip_that_is_none_is_not_known(loop: Loop, measured_s: float) -> None:
    loop.run(25)
    probe = encode_probe(Probe(PROBE, 7, 0.0, measured_s))
    loop.socket.sendto(probe, ("127.0.0.1", loop.port))
    loop.plant.advance(1)
    assert math.isnan(loop.plant.snapshot().vehicles[0].status.round_trip_s)


def test_probes_disturb_neither_end(loop: Loop) -> None:
    loop.run(100)
    figures = loop.platform.link_statistics(loop.now)
    assert sum(count for name, count in figures.items() if name.startswith("rejected_")) == 0
    assert figures["accepted"] == 200.0
    assert figures["lost"] == 0.0
    counters = loop.plant.snapshot().ports[0].counters
    assert (counters.accepted, counters.rejected_total) == (100, 0)


def test_without_the_parameter_nothing_but_commands_is_sent() -> None:
    loop = Loop(measures=False)
    try:
        loop.run(30)
        assert "measured_round_trip_s" not in loop.platform.link_statistics(loop.now)
        assert math.isnan(loop.plant.snapshot().vehicles[0].status.round_trip_s)
    finally:
        loop.close()


def test_silence_stays_silence(loop: Loop) -> None:
    command = PlatformCommand(
        Authority.SILENT, Mode.MANUAL, VehicleCommand(loop.now), BodyCommand(Gear.DRIVE)
    )
    assert loop.platform.encode(command, loop.now).datagrams == ()


def test_nobody_but_the_driver_gets_an_answer(loop: Loop) -> None:
    loop.run(5)
    probe = encode_probe(Probe(PROBE, 7, 0.0, 123.0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.setblocking(False)
        stranger.sendto(probe, ("127.0.0.1", loop.port))
        loop.plant.advance(2)
        assert len(probe) not in {len(data) for data, _ in loop.arrived()}
        with pytest.raises(BlockingIOError):
            stranger.recv(2048)
    counters = loop.plant.snapshot().ports[0].counters
    assert counters.rejected_total == 1, "counted as what it is to a plant: no packet"
    assert loop.plant.snapshot().vehicles[0].status.round_trip_s != 123.0


def test_a_flood_of_probes_is_answered_by_a_few(loop: Loop) -> None:
    loop.run(5)
    loop.arrived()
    for number in range(200):
        probe = encode_probe(Probe(PROBE, number, 0.0, math.nan))
        loop.socket.sendto(probe, ("127.0.0.1", loop.port))
    loop.plant.advance(1)
    answers = [data for data, _ in loop.arrived() if len(data) == len(probe)]
    assert 1 <= len(answers) <= 4


def test_the_autohyu_bridge_measures_it_too(loop: Loop) -> None:
    link = LinkParameters(plant_port=loop.port, measure_round_trip=True)
    bridge = AutohyuBridge(
        AutohyuParameters(link=link), load_torque_map(Path(str(MAP)), PedalParameters())
    )
    for _ in range(20):
        for datagram in bridge.tick(loop.now).datagrams:
            loop.socket.sendto(datagram.data, ("127.0.0.1", loop.port))
        loop.plant.advance(2)
        for data, source in loop.arrived():
            assert bridge.on_datagram(data, source, loop.now + 0.004) == ()
        loop.now += 0.01
    assert bridge.round_trip(loop.now)["measured_round_trip_s"] == pytest.approx(0.004)

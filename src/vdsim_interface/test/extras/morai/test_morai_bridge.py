"""The bridge's core: every message has its endpoint, and what does not belong is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from vdsim_interface.extras.morai.bridge import (
    ENDPOINT_OF,
    FROM_SIMULATOR,
    GPS,
    TO_SIMULATOR,
    BridgeParameters,
    MoraiBridge,
    PortParameters,
)
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import flatten, from_flat, to_flat
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters

from vdsim_protocol import morai

ROOT = Path(__file__).resolve().parents[5]
SOURCE = ("127.0.0.1", 9091)
PARAMETERS = BridgeParameters()


def test_every_message_is_the_platforms_or_the_bridges() -> None:
    platforms = {morai.EgoCtrlCmd, morai.EgoVehicleStatus}
    assert set(ENDPOINT_OF) | platforms == {message.table for message in morai.MESSAGES}
    assert not set(ENDPOINT_OF) & platforms
    assert (len(TO_SIMULATOR), len(FROM_SIMULATOR)) == (9, 7)


def test_each_endpoint_has_its_documented_port() -> None:
    found = {item.name: item for item in MoraiBridge(PARAMETERS).endpoints()}
    assert set(found) == set(ENDPOINT_OF.values()) | {GPS}
    for name in FROM_SIMULATOR:
        assert found[name].listen == ("127.0.0.1", getattr(PARAMETERS.ports, name))
        assert found[name].send_to == ()
    for name in TO_SIMULATOR:
        assert found[name].listen is None
        assert found[name].send_to == (("127.0.0.1", getattr(PARAMETERS.ports, name)),)


def test_a_request_goes_to_its_own_endpoint() -> None:
    datagram = MoraiBridge(PARAMETERS).encode(morai.SetTrafficLight("C1", 16))
    assert datagram.endpoint == "set_traffic_light"
    assert len(datagram.data) == 46
    with pytest.raises(morai.EncodeError, match="index="):
        MoraiBridge(PARAMETERS).encode(morai.SetTrafficLight("x" * 13, 16))


def test_a_captured_message_is_decoded() -> None:
    data = "23496e745374617475732408000000000000000000000000000000070000005afe10420d0a"
    bridge = MoraiBridge(PARAMETERS)
    (body,), notices = bridge.receive(bytes.fromhex(data), SOURCE, "intersection", 1.0)
    assert isinstance(body, morai.IntersectionStatus)
    assert (body.index, notices) == (7, ())


COLLISIONS = morai.encode(morai.CollisionData(()))


@pytest.mark.parametrize(
    ("data", "source", "endpoint", "reason", "words"),
    [
        (b"hello", SOURCE, "objects", "identifier", "identifier"),
        (b"hello", SOURCE, "gps", "sentence", "is neither RMC nor GGA"),
        (COLLISIONS, SOURCE, "gps", "message", "is Collision Data, which has another port"),
        (morai.encode(morai.SetTrafficLight("C1", 16)), SOURCE, "traffic_light", "message",
         "is Set TrafficLight Ctrl, which has another port"),
        (COLLISIONS, ("10.0.0.9", 1), "collisions", "source", "not come from the simulator"),
        (COLLISIONS[:15] + b"\x8d" + COLLISIONS[16:], SOURCE, "collisions", "data_length",
         "data length 141"),
    ],
)  # fmt: skip
def test_foreign_datagrams_are_rejected_with_a_reason(
    data: bytes, source: tuple[str, int], endpoint: str, reason: str, words: str
) -> None:
    bridge = MoraiBridge(PARAMETERS)
    bodies, (report,) = bridge.receive(data, source, endpoint, 1.0)
    assert bodies == ()
    assert words in report.text
    assert f"from {source[0]}:{source[1]} dropped" in report.text
    assert bridge.health[endpoint].rejected == {reason: 1}


def test_every_drop_has_a_counter_and_a_line_of_its_own() -> None:
    """Drops of one message do not hide those of another, in the log or in /diagnostics."""
    bridge = MoraiBridge(PARAMETERS)
    kinds = set()
    for _ in range(20):
        for endpoint in ("objects", "collisions"):
            for data in (b"junk", COLLISIONS[:-2]):
                _, (notice,) = bridge.receive(data, SOURCE, endpoint, 1.0)
                kinds.add(notice.kind)
    assert len(kinds) == 4, "each is logged by itself"
    assert all(kind.severity.name == "WARN" for kind in kinds)
    bridge.receive(morai.encode(morai.TrafficLightStatus("C1", 0, 1)), SOURCE, "traffic_light", 1.0)
    lines = {line.name: line for line in bridge.lines(1.5, 1.0)}
    assert len(lines) == len(FROM_SIMULATOR)
    collisions = lines["Collision Data"]
    assert collisions.warns
    assert collisions.text.startswith("40 dropped, the last: Collision Data: datagram from 127.0")
    assert collisions.values["rejected_identifier"] == 20.0
    assert collisions.values["rejected_size"] == 20.0
    light = lines["Get TrafficLight Status"]
    assert (light.warns, light.text, light.values["rate_hz"]) == (False, "arrives", 1.0)
    assert lines["GPS"].text == "nothing received yet"
    later = {line.name: line for line in bridge.lines(9.0, 1.0)}
    assert later["Collision Data"].text == "nothing received yet", "only what is new is named"
    assert later["Collision Data"].values["rejected_size"] == 20.0, "the counters stay"
    assert (later["Get TrafficLight Status"].warns, later["GPS"].warns) == (True, False)
    assert later["Get TrafficLight Status"].text == "silent for 8.0 s"


def test_both_sentences_of_a_gps_datagram_are_used() -> None:
    bridge = MoraiBridge(PARAMETERS)
    both = morai.encode_nmea(morai.Rmc(1.0, 37.0, 127.0)) + morai.encode_nmea(
        morai.Gga(1.0, 37.0, 127.0, 12.5)
    )
    (rmc, gga), notices = bridge.receive(both + bytes(800), SOURCE, "gps", 1.0)
    assert isinstance(rmc, morai.Rmc)
    assert isinstance(gga, morai.Gga)
    assert (gga.altitude_m, notices) == (12.5, ())
    bodies, (notice,) = bridge.receive(both.replace(b"3700", b"3701", 1), SOURCE, "gps", 2.0)
    assert isinstance(bodies[0], morai.Gga), "the good one of two is used"
    assert "checksum" in notice.text


def test_other_senders_are_accepted_when_configured() -> None:
    bridge = MoraiBridge(replace(PARAMETERS, only_from_sim=False))
    (body,), _ = bridge.receive(COLLISIONS, ("10.0.0.9", 1), "collisions", 1.0)
    assert isinstance(body, morai.CollisionData)


def test_two_messages_cannot_come_to_one_port() -> None:
    taken = r"ports\.collisions=7505: must not be the port of ports\.objects \(7505\)"
    with pytest.raises(ParameterError, match=taken):
        PortParameters(collisions=7505)


def test_two_requests_cannot_go_to_one_port() -> None:
    taken = r"ports\.lamps=7604: must not be the port of ports\.multi_ego \(7604\)"
    with pytest.raises(ParameterError, match=taken):
        PortParameters(lamps=7604)


def test_a_request_cannot_go_to_a_port_of_our_own() -> None:
    ports = PortParameters(objects=7604)  # the simulator may be another machine
    assert BridgeParameters(sim_host="10.0.0.5", ports=ports).ports is ports
    taken = r"ports\.objects=7604: must not be the port of ports\.multi_ego \(7604\)"
    with pytest.raises(ParameterError, match=taken):
        BridgeParameters(ports=ports)


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        ({"lamp_port": 9093}, r"morai\.lamp_port=9093: must not be the port of morai\.control"),
        ({"status_port": 9093}, r"morai\.status_port=9093: must not be the port of morai\.contr"),
        ({"status_port": 9097}, r"morai\.status_port=9097: must not be the port of morai\.lamp_"),
    ],
)
def test_the_platforms_messages_have_a_port_each(ports: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MoraiParameters(**ports)


def test_a_vds1_link_does_not_send_to_itself() -> None:
    with pytest.raises(ParameterError, match=r"vds1\.listen_port=7001: must not be vds1\.plant_po"):
        Vds1Parameters(listen_port=7001)
    with pytest.raises(ParameterError, match=r"vds1\.listen_port=7002: must not be vds1\.plant_st"):
        Vds1Parameters(plant_state_port=7002, listen_host="0.0.0.0")
    assert Vds1Parameters(listen_port=7001, plant_host="10.0.0.5", listen_host="0.0.0.0")


def test_the_file_holds_every_default() -> None:
    text = (ROOT / "src/vdsim_interface/config/morai.yaml").read_text(encoding="utf-8")
    values = flatten(yaml.safe_load(text)["/**"]["ros__parameters"])
    assert set(values) == set(to_flat(BridgeParameters()))
    assert from_flat(BridgeParameters, values) == BridgeParameters()

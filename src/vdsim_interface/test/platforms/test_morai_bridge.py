"""The bridge's core: every message has its endpoint, and what does not belong is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from vdsim_interface.parameters import ParameterError, flatten, from_flat, to_flat
from vdsim_interface.platforms.morai.bridge import (
    ENDPOINT_OF,
    FROM_SIMULATOR,
    TO_SIMULATOR,
    BridgeParameters,
    MoraiBridge,
    PortParameters,
)
from vdsim_interface.platforms.morai.parameters import MoraiParameters
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters

from vdsim_protocol import morai

ROOT = Path(__file__).resolve().parents[4]
SOURCE = ("127.0.0.1", 9091)
PARAMETERS = BridgeParameters()


def test_every_message_is_the_platforms_or_the_bridges() -> None:
    platforms = {morai.EgoCtrlCmd, morai.EgoVehicleStatus}
    assert set(ENDPOINT_OF) | platforms == {message.table for message in morai.MESSAGES}
    assert not set(ENDPOINT_OF) & platforms
    assert (len(TO_SIMULATOR), len(FROM_SIMULATOR)) == (7, 5)


def test_each_endpoint_has_its_documented_port() -> None:
    found = {item.name: item for item in MoraiBridge(PARAMETERS).endpoints()}
    assert set(found) == set(ENDPOINT_OF.values())
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
    body, notices = MoraiBridge(PARAMETERS).receive(bytes.fromhex(data), SOURCE)
    assert isinstance(body, morai.IntersectionStatus)
    assert (body.index, notices) == (7, ())


@pytest.mark.parametrize(
    ("data", "source", "words"),
    [
        (b"hello", SOURCE, "identifier"),
        (morai.encode(morai.SetTrafficLight("C1", 16)), SOURCE, "is not for this node"),
        (morai.encode(morai.CollisionData(())), ("10.0.0.9", 1), "not come from the simulator"),
    ],
)
def test_foreign_datagrams_are_rejected_with_a_reason(
    data: bytes, source: tuple[str, int], words: str
) -> None:
    body, (report,) = MoraiBridge(PARAMETERS).receive(data, source)
    assert body is None
    assert words in report.text


def test_other_senders_are_accepted_when_configured() -> None:
    bridge = MoraiBridge(replace(PARAMETERS, only_from_sim=False))
    body, _ = bridge.receive(morai.encode(morai.CollisionData(())), ("10.0.0.9", 1))
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

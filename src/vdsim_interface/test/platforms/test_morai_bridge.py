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
    with pytest.raises(ParameterError, match=r"ports\.collisions=7505: is there twice"):
        PortParameters(collisions=7505)


def test_the_file_holds_every_default() -> None:
    text = (ROOT / "config" / "morai.yaml").read_text(encoding="utf-8")
    values = flatten(yaml.safe_load(text)["/**"]["ros__parameters"])
    assert set(values) == set(to_flat(BridgeParameters()))
    assert from_flat(BridgeParameters, values) == BridgeParameters()

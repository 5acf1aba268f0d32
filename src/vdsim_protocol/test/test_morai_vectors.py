"""MORAI golden vectors, two of them captured, decode to their values and re-encode exactly."""

import json
import struct
from typing import Any

import pytest
from vdsim_protocol_kit.vds1 import VECTORS

from vdsim_protocol import morai

GOLDEN: dict[str, dict[str, Any]] = json.loads((VECTORS / "morai.json").read_text())


def float32(value: Any) -> Any:
    return struct.unpack("<f", struct.pack("<f", value))[0] if isinstance(value, float) else value


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_vector(name: str) -> None:
    # [VS-3.2]
    vector = GOLDEN[name]
    datagram = bytes.fromhex(vector["hex"])
    packet = morai.decode(datagram)
    assert isinstance(packet, morai.Packet)
    assert type(packet.body).__name__ == vector["message"]
    for field, expected in vector["fields"].items():
        assert getattr(packet.body, field) == float32(expected), field
    assert morai.encode(packet.body, packet.generation) == datagram

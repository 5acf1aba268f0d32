"""Golden vectors: every message in every version, and what single-bit damage does to them."""

import math
from typing import Any

import pytest
from vdsim_protocol_kit.vds1 import GOLDEN, captured_frames, encode_packet, golden_frames

from vdsim_protocol import vds1

FRAMES = captured_frames() + golden_frames()
IDS = [name for name, _ in FRAMES]


@pytest.mark.parametrize("vector", GOLDEN, ids=[name for name, _ in golden_frames()])
def test_golden_frame_holds_its_values(vector: dict[str, Any]) -> None:
    # [VS-0.5.1]
    frame = bytes.fromhex(vector["hex"])
    packet = vds1.decode(frame)
    assert isinstance(packet, vds1.Packet)
    assert type(packet.body).__name__ == vector["message"]
    header = packet.header
    for name in ("version", "seq", "vehicle_id", "timestamp_s"):
        assert getattr(header, name) == vector[name]
    for name, value in vector["fields"].items():
        decoded = getattr(packet.body, name)
        assert (list(decoded) if isinstance(decoded, tuple) else decoded) == value, name
    assert encode_packet(packet) == frame


@pytest.mark.parametrize("vector", GOLDEN, ids=[name for name, _ in golden_frames()])
def test_fields_of_later_versions_are_nan(vector: dict[str, Any]) -> None:
    # [VS-0.5.1]
    packet = vds1.decode(bytes.fromhex(vector["hex"]))
    assert isinstance(packet, vds1.Packet)
    for name in type(packet.body).__slots__:
        if name not in vector["fields"]:
            value = getattr(packet.body, name)
            elements = value if isinstance(value, tuple) else (value,)
            assert len(elements) in (1, 4)
            assert all(map(math.isnan, elements)), name


@pytest.mark.parametrize("frame", [frame for _, frame in FRAMES], ids=IDS)
def test_every_single_bit_flip_is_rejected(frame: bytes) -> None:
    # [VS-0.3.2]
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        outcome = vds1.decode(bytes(damaged))
        assert isinstance(outcome, vds1.Reject), f"bit {bit}"
        if bit >= 64:  # beyond magic, version and type only the CRC can notice
            assert outcome.reason is vds1.Reason.CRC


@pytest.mark.parametrize("frame", [frame for _, frame in FRAMES], ids=IDS)
def test_every_truncation_and_extension_is_rejected(frame: bytes) -> None:
    for size in range(len(frame)):
        assert isinstance(vds1.decode(frame[:size]), vds1.Reject), size
    for size in range(len(frame) + 1, 600):
        assert isinstance(vds1.decode(frame.ljust(size, b"\0")), vds1.Reject), size


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_byte_buffer_is_read(kind: Any) -> None:
    frame = FRAMES[0][1]
    assert repr(vds1.decode(kind(frame))) == repr(vds1.decode(frame))  # repr: NaN is not NaN
    assert isinstance(vds1.decode(kind(frame[:-1])), vds1.Reject)

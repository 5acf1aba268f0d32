"""The array path sees and sends the same bytes as the typed one."""

import math
from array import array

import pytest
from vdsim_protocol.vds1.view import doubles, little_endian
from vdsim_protocol_kit.vds1 import COMMAND, STATE, captured_frames, encode, golden_frames, patched

from vdsim_protocol import vds1

STATES = [(n, f) for n, f in captured_frames() + golden_frames() if len(f) > 76]
FRAMES = [frame for _, frame in STATES]
IDS = [name for name, _ in STATES]


@pytest.mark.parametrize("frame", FRAMES, ids=IDS)
def test_view_shows_what_decode_shows(frame: bytes) -> None:
    packet, view = vds1.decode(frame), vds1.view_state(frame)
    assert isinstance(packet, vds1.Packet)
    assert isinstance(view, vds1.StateView)
    for name in vds1.State.__slots__:
        assert repr(view[name]) == repr(getattr(packet.body, name)), name
    header = packet.header
    assert (view.version, view.seq, view.vehicle_id, view.timestamp_s) == (
        *(header.version, header.seq),
        *(header.vehicle_id, header.timestamp_s),
    )


@pytest.mark.parametrize("frame", FRAMES, ids=IDS)
def test_values_go_back_on_the_wire(frame: bytes) -> None:
    view = vds1.view_state(frame)
    assert isinstance(view, vds1.StateView)
    again = vds1.encode_state_values(
        array("d", view.values),
        seq=view.seq,
        timestamp_s=view.timestamp_s,
        version=view.version,
        vehicle_id=view.vehicle_id,
    )
    assert again == frame


def test_version_3_is_the_default() -> None:
    frame = encode(STATE)
    assert vds1.encode_state_values(array("d", frame[24:-4]), seq=0, timestamp_s=0.0) == frame


def test_reserved_word_is_no_vehicle_before_version_4() -> None:
    view = vds1.view_state(patched(encode(STATE), 12, b"\x07\0\0\0"))
    assert isinstance(view, vds1.StateView)
    assert view.vehicle_id == 0


def test_missing_fields_are_nan() -> None:
    view = vds1.view_state(encode(STATE, version=1))
    assert isinstance(view, vds1.StateView)
    assert math.isnan(view["rack_torque_nm"])  # type: ignore[arg-type]
    assert repr(view["tire_fx_n"]) == "(nan, nan, nan, nan)"
    with pytest.raises(KeyError):
        view["no_such_field"]


@pytest.mark.parametrize("frame", FRAMES[:2])
def test_every_bit_flip_and_truncation_is_rejected(frame: bytes) -> None:
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        outcome = vds1.view_state(bytes(damaged))
        assert isinstance(outcome, vds1.Reject)
        assert outcome == vds1.decode(bytes(damaged))
    for size in range(len(frame)):
        assert vds1.view_state(frame[:size]) == vds1.decode(frame[:size])
    assert isinstance(vds1.view_state(frame + b"\0"), vds1.Reject)


def test_a_command_is_no_state() -> None:
    outcome = vds1.view_state(encode(COMMAND))
    assert isinstance(outcome, vds1.Reject)
    assert outcome.reason is vds1.Reason.TYPE


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (array("d", [0.0]), "must be 51 float64, is 8 bytes of format 'd'"),
        (array("f", [0.0] * 102), "must be 51 float64, is 408 bytes of format 'f'"),
    ],
)
def test_other_arrays_are_refused(values: "array[float]", message: str) -> None:
    with pytest.raises(vds1.EncodeError, match=message):
        vds1.encode_state_values(values, seq=0, timestamp_s=0.0)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"version": 9}, "version=9"),
        ({"seq": -1}, "seq=-1"),
        ({"seq": 2**32}, "seq=4294967296"),
        ({"timestamp_s": math.nan}, "timestamp_s=nan"),
        ({"vehicle_id": 1}, "vehicle_id=1"),
    ],
)
def test_bad_headers_are_refused(header: dict[str, float], message: str) -> None:
    with pytest.raises(vds1.EncodeError, match=message):
        vds1.encode_state_values(
            array("d", bytes(408)),
            **{"seq": 0, "timestamp_s": 0.0, **header},  # type: ignore[arg-type]
        )


def test_extreme_numbers_are_sent() -> None:
    frame = vds1.encode_state_values(array("d", bytes(408)), seq=2**32 - 1, timestamp_s=-1.0)
    packet = vds1.decode(frame)
    assert isinstance(packet, vds1.Packet)
    assert (packet.seq, packet.timestamp_s) == (2**32 - 1, -1.0)


def test_a_big_endian_machine_swaps() -> None:
    """The wire is little-endian whatever the machine: seen from the other side it is swapped."""
    block = array("d", [1.0, -2.5])
    swapped = array("d", block)
    swapped.byteswap()
    assert list(doubles(swapped.tobytes(), "big")) == [1.0, -2.5]
    assert list(doubles(block.tobytes(), "little")) == [1.0, -2.5]
    assert bytes(little_endian(memoryview(block), "big")) == swapped.tobytes()
    assert bytes(little_endian(memoryview(block), "little")) == block.tobytes()

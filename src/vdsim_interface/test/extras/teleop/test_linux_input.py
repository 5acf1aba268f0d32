"""Event formats of the kernel: bytes in, events out."""

import pytest
from vdsim_interface.extras.teleop.linux_input import (
    AxisMoved,
    AxisRange,
    ButtonChanged,
    DeviceLayout,
    EvdevDecoder,
    EventsLost,
    Protocol,
    RecordReader,
    ReportComplete,
    bits_set,
    decode_js,
    joystick_button_order,
)
from vdsim_interface_kit.teleop import input_event, js_axis, js_button

LAYOUT = DeviceLayout(
    "pad",
    axis_codes=(0, 2),
    button_codes=(0x130, 0x131),
    axis_ranges=(AxisRange(-32768, 32767), AxisRange(0, 255)),
)


@pytest.mark.parametrize(
    ("record", "event"),
    [
        (js_axis(3, 32767), AxisMoved(3, 1.0)),
        (js_axis(3, -32767), AxisMoved(3, -1.0)),
        (js_axis(3, -32768), AxisMoved(3, -1.0)),
        (js_axis(0, 0, init=True), AxisMoved(0, 0.0)),
        (js_button(5, 1), ButtonChanged(5, True)),
        (js_button(5, 0, init=True), ButtonChanged(5, False)),
        (b"\0\0\0\0\1\0\x04\0", None),
    ],
)
def test_js_records(record: bytes, event: object) -> None:
    assert decode_js(record) == event


@pytest.mark.parametrize(
    ("record", "event"),
    [
        (input_event(3, 0, 32767), AxisMoved(0, 1.0)),
        (input_event(3, 2, 0), AxisMoved(1, -1.0)),
        (input_event(3, 2, 999), AxisMoved(1, 1.0)),
        (input_event(1, 0x131, 1), ButtonChanged(1, True)),
        (input_event(1, 0x131, 2), ButtonChanged(1, True)),
        (input_event(1, 0x130, 0), ButtonChanged(0, False)),
        (input_event(0, 0, 0), ReportComplete()),
        (input_event(0, 3, 0), EventsLost()),
        (input_event(0, 1, 0), None),
        (input_event(3, 5, 1), None),
        (input_event(1, 30, 1), None),
        (input_event(4, 4, 589825), None),
    ],
)
def test_evdev_records(record: bytes, event: object) -> None:
    assert EvdevDecoder(LAYOUT).decode(record) == event


@pytest.mark.parametrize("protocol", list(Protocol))
def test_records_survive_any_cut(protocol: Protocol) -> None:
    stream = bytes(range(protocol.record_size)) * 3
    for cut in range(len(stream) + 1):
        reader = RecordReader(protocol)
        records = reader.feed(stream[:cut]) + reader.feed(stream[cut:])
        assert records == [bytes(range(protocol.record_size))] * 3


def test_record_sizes_are_those_of_the_kernel() -> None:
    assert Protocol.JS.record_size == 8
    assert Protocol.EVDEV.record_size in (16, 24)  # 32 and 64 bit machines


def test_a_range_without_width_reads_the_centre() -> None:
    assert AxisRange(7, 7).normalised(7) == 0.0


def test_buttons_are_numbered_as_joydev_does() -> None:
    # A keyboard key (30) is no button, BTN_0 (0x100) comes after the gamepad's own.
    assert joystick_button_order((30, 0x100, 0x131, 0x130, 0x2C0)) == (0x130, 0x131, 0x2C0, 0x100)


def test_bitmaps_count_from_the_lowest_bit() -> None:
    assert bits_set(b"\x27\x00\x03") == (0, 1, 2, 5, 16, 17)

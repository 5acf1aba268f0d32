"""Device events -> Joy samples, on virtual time."""

import itertools
import math

import pytest
from vdsim_interface.extras.teleop.joystick import (
    JoySample,
    Joystick,
    JoystickParameters,
    without_dead_zone,
)
from vdsim_interface.extras.teleop.linux_input import AxisRange, DeviceLayout, Protocol
from vdsim_interface_kit.teleop import input_event, js_axis, js_button

UNKNOWN = DeviceLayout("pipe")
QUIET = JoystickParameters(deadzone=0.0, autorepeat_rate_hz=0.0)
EVDEV = DeviceLayout(
    "pad",
    axis_codes=(0, 2),
    button_codes=(0x130,),
    axis_ranges=(AxisRange(-100, 100, 0), AxisRange(0, 255, 0)),
)


def test_a_pipe_announces_its_axes_and_buttons_by_its_first_events() -> None:
    stick = Joystick(Protocol.JS, UNKNOWN, QUIET, now=0.0)
    assert stick.poll(0.0) is None
    stick.on_bytes(js_axis(0, 0, init=True) + js_axis(1, -32767, init=True), 0.0)
    stick.on_bytes(js_button(2, 1, init=True), 0.0)
    assert stick.poll(0.0) is None, "the first sample waits for the whole burst"
    assert stick.poll(0.005) == JoySample((0.0, 1.0), (0, 0, 1))


def test_left_and_up_are_positive() -> None:
    stick = Joystick(Protocol.EVDEV, EVDEV, QUIET, now=0.0)
    stick.on_bytes(input_event(3, 0, -100) + input_event(0, 0, 0), 0.0)
    sample = stick.poll(0.01)
    assert sample is not None
    assert sample.axes[0] == 1.0


def test_an_evdev_device_starts_with_the_kernels_values_so_a_trigger_is_at_rest() -> None:
    sample = Joystick(Protocol.EVDEV, EVDEV, QUIET, now=0.0).poll(0.01)
    assert sample == JoySample((0.0, 1.0), (0,))


def test_changes_close_together_come_as_one_sample() -> None:
    stick = Joystick(Protocol.JS, UNKNOWN, QUIET, now=0.0)
    stick.on_bytes(js_axis(0, 100), -1.0)
    assert stick.poll(0.0) is not None
    stick.on_bytes(js_axis(0, 200), 0.001)
    stick.on_bytes(js_axis(1, 300), 0.002)
    assert stick.poll(0.002) is None
    assert stick.next_deadline() == pytest.approx(0.005)
    sample = stick.poll(0.005)
    assert sample is not None
    assert sample.axes == pytest.approx((-200 / 32767, -300 / 32767))
    assert stick.poll(0.1) is None


def test_a_device_that_is_unplugged_leaves_its_last_sample() -> None:
    stick = Joystick(Protocol.JS, UNKNOWN, QUIET, now=0.0)
    assert stick.take_pending(0.0) is None
    stick.on_bytes(js_axis(0, -32767), 0.0)
    assert stick.poll(0.001) is None
    assert stick.take_pending(0.001) == JoySample((1.0,), ())
    assert stick.take_pending(0.001) is None


def test_an_event_that_changes_nothing_is_no_news() -> None:
    stick = Joystick(Protocol.JS, UNKNOWN, QUIET, now=0.0)
    stick.on_bytes(js_button(0, 1), 0.0)
    assert stick.poll(0.01) is not None
    stick.on_bytes(js_button(0, 1), 1.0)
    assert stick.poll(1.0) is None


def test_auto_repeat_keeps_the_rate_while_nothing_moves() -> None:
    stick = Joystick(Protocol.JS, UNKNOWN, JoystickParameters(autorepeat_rate_hz=20.0), now=0.0)
    assert stick.next_deadline() == math.inf  # nothing to repeat before the first sample
    stick.on_bytes(js_button(0, 1), 0.0)
    sent = [step / 1000 for step in range(1001) if stick.poll(step / 1000) is not None]
    assert len(sent) in (20, 21)
    assert max(b - a for a, b in itertools.pairwise(sent)) <= 0.0511


@pytest.mark.parametrize(
    ("value", "result"), [(0.05, 0.0), (-0.1, 0.0), (0.1, 0.0), (0.55, 0.5), (-1.0, -1.0)]
)
def test_dead_zone_starts_without_a_jump(value: float, result: float) -> None:
    assert without_dead_zone(value, 0.1) == pytest.approx(result)


def test_only_sticks_have_a_dead_zone() -> None:
    parameters = JoystickParameters(deadzone=0.1, autorepeat_rate_hz=0.0)
    layout = DeviceLayout("pad", axis_codes=(0, 2))  # a stick and a trigger half pressed
    stick = Joystick(Protocol.JS, layout, parameters, now=0.0)
    stick.on_bytes(js_axis(0, 3000) + js_axis(1, 3000), 0.0)
    sample = stick.poll(0.01)
    assert sample is not None
    assert sample.axes == (0.0, pytest.approx(-3000 / 32767))


def test_after_lost_events_the_state_is_read_again() -> None:
    stick = Joystick(Protocol.EVDEV, EVDEV, QUIET, now=0.0)
    stick.poll(0.01)
    lost = input_event(0, 3, 0) + input_event(1, 0x130, 1)  # dropped, then events of no use
    stick.on_bytes(lost, 1.0)
    assert not stick.needs_resync
    stick.on_bytes(input_event(0, 0, 0), 1.0)
    assert stick.needs_resync
    assert stick.poll(1.0) is None
    stick.resync((100, 255), (True,), 1.0)
    assert not stick.needs_resync
    assert stick.poll(1.0) == JoySample((-1.0, -1.0), (1,))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("deadzone", 1.0),
        ("deadzone", -0.1),
        ("autorepeat_rate_hz", -1.0),
        ("coalesce_interval_s", 1.0),
    ],
)
def test_wrong_parameters_are_named(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{field}={value}: must be"):
        JoystickParameters(**{field: value})

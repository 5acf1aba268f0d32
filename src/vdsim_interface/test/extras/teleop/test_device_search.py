"""Which device is opened, and how a device comes back."""

import pytest
from vdsim_interface.extras.teleop.device_search import (
    DeviceNode,
    DeviceQuery,
    HotPlug,
    LinkState,
    protocol_of,
)
from vdsim_interface.extras.teleop.linux_input import Protocol

NODES = (
    DeviceNode("/dev/input/event20", "Xbox Wireless Controller"),
    DeviceNode("/dev/input/js10", "Logitech G29 Driving Force Racing Wheel"),
    DeviceNode("/dev/input/js2", "Xbox Wireless Controller"),
)


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("auto", "/dev/input/js2"),
        ("xbox", "/dev/input/js2"),
        ("G29", "/dev/input/js10"),
        ("/dev/input/js7", "/dev/input/js7"),
        ("dualsense", None),
    ],
)
def test_choice_by_path_name_or_order(wanted: str, path: str | None) -> None:
    assert DeviceQuery(wanted).choose(NODES) == path


def test_what_is_missing_is_said_with_what_is_there() -> None:
    text = DeviceQuery("dualsense").missing(NODES[:1])
    assert "*dualsense*" in text
    assert "/dev/input/event20 (Xbox Wireless Controller)" in text
    assert (
        DeviceQuery("auto").missing(())
        == "no joystick found (searched /dev/input/js* and /dev/input/event*)"
    )


@pytest.mark.parametrize(
    ("path", "wanted", "protocol"),
    [
        ("/dev/input/js0", "auto", Protocol.JS),
        ("/dev/input/event3", "auto", Protocol.EVDEV),
        ("/tmp/pipe", "auto", Protocol.JS),
        ("/tmp/pipe", "evdev", Protocol.EVDEV),
    ],
)
def test_protocol_by_name_or_as_given(path: str, wanted: str, protocol: Protocol) -> None:
    assert protocol_of(path, wanted) is protocol


def test_search_is_repeated_and_each_reason_returned_once() -> None:
    plug = HotPlug(retry_s=1.0)
    assert plug.due(0.0)
    assert plug.failed("no such device", 0.0) == "no such device"
    assert not plug.due(0.5)
    assert plug.next_deadline() == 1.0
    assert plug.failed("no such device", 1.0) is None
    assert plug.failed("permission denied", 2.0) == "permission denied"


def test_a_lost_device_is_searched_at_once() -> None:
    plug = HotPlug()
    plug.opened()
    assert plug.state is LinkState.OPEN
    assert not plug.due(100.0)
    plug.lost(100.0)
    assert plug.due(100.0)
    assert plug.failed("no such device", 100.0) == "no such device"

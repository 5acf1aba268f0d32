"""System calls on real files: fifo, pty, sysfs look-alikes."""

import errno
import os
import pty
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.extras.teleop import device_io
from vdsim_interface.extras.teleop.device_search import DeviceNode
from vdsim_interface.extras.teleop.linux_input import DeviceLayout, Protocol
from vdsim_interface_kit.teleop import js_axis, js_button

LAYOUT = DeviceLayout("stand-in")


@pytest.fixture
def wake() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_request_codes_are_those_of_the_kernel_headers() -> None:
    # JSIOCGAXES, JSIOCGBUTTONS, JSIOCGNAME(128), JSIOCGAXMAP; EVIOCGNAME(128), EVIOCGABS(0)
    assert device_io._ioctl_read("j", 0x11, 1) == 0x80016A11
    assert device_io._ioctl_read("j", 0x12, 1) == 0x80016A12
    assert device_io._ioctl_read("j", 0x13, 128) == 0x80806A13
    assert device_io._ioctl_read("j", 0x32, 0x40) == 0x80406A32
    assert device_io._ioctl_read("E", 0x06, 128) == 0x80804506
    assert device_io._ioctl_read("E", 0x40, 24) == 0x80184540


def test_a_fifo_gives_its_bytes_and_its_end_is_a_loss(
    tmp_path: Path, wake: tuple[int, int]
) -> None:
    path = tmp_path / "joystick"
    os.mkfifo(path)
    fd = device_io.open_device(str(path))
    writer = os.open(path, os.O_WRONLY)
    assert device_io.describe(fd, Protocol.JS, LAYOUT) is LAYOUT
    assert device_io.read_device(fd, 0.0, wake[0]) == b""
    os.write(writer, js_axis(0, 5) + js_button(1, 1))
    assert device_io.read_device(fd, 5.0, wake[0]) == js_axis(0, 5) + js_button(1, 1)
    os.close(writer)
    assert device_io.read_device(fd, 5.0, wake[0]) is None
    os.close(fd)


def test_a_pty_whose_other_end_closes_is_a_loss(wake: tuple[int, int]) -> None:
    master, slave = pty.openpty()
    fd = device_io.open_device(os.ttyname(slave))
    os.close(slave)
    assert device_io.describe(fd, Protocol.EVDEV, LAYOUT) is LAYOUT
    assert device_io.describe(fd, Protocol.JS, LAYOUT) is LAYOUT
    os.close(master)
    assert device_io.read_device(fd, 5.0, wake[0]) is None
    os.close(fd)


def test_waiting_for_events_can_be_ended(tmp_path: Path, wake: tuple[int, int]) -> None:
    path = tmp_path / "joystick"
    os.mkfifo(path)
    fd = device_io.open_device(str(path))
    writer = os.open(path, os.O_WRONLY)
    timer = threading.Timer(0.05, os.write, (wake[1], b"x"))
    timer.start()
    assert device_io.read_device(fd, 30.0, wake[0]) == b""
    timer.join()
    os.close(writer)
    os.close(fd)


def test_joysticks_are_found_with_their_names(tmp_path: Path) -> None:
    dev, sysfs = tmp_path / "dev", tmp_path / "sys"
    dev.mkdir()
    _device(dev, sysfs, "js0", "Logitech G29 Driving Force Racing Wheel")
    # Capability words as the kernel prints them for a G29 and for a keyboard.
    g29 = "1ff 0 0 0 0 0 0 ffff00000000 0 0 0 0"
    _device(dev, sysfs, "event6", "Logitech G29", absolute="30027", keys=g29)
    _device(dev, sysfs, "event1", "Keyboard", absolute="0", keys="fffffffffffffffe")
    (dev / "js1").touch()  # no entry in sysfs
    assert device_io.list_devices(dev, sysfs) == (
        DeviceNode(str(dev / "js0"), "Logitech G29 Driving Force Racing Wheel"),
        DeviceNode(str(dev / "js1"), "js1"),
        DeviceNode(str(dev / "event6"), "Logitech G29"),
    )
    assert device_io.list_devices(tmp_path / "nowhere", sysfs) == ()


def _device(
    dev: Path, sysfs: Path, node: str, name: str, absolute: str = "", keys: str = ""
) -> None:
    (dev / node).touch()
    about = sysfs / node / "device"
    (about / "capabilities").mkdir(parents=True)
    (about / "name").write_text(f"{name}\n")
    if absolute:
        (about / "capabilities/abs").write_text(f"{absolute}\n")
        (about / "capabilities/key").write_text(f"{keys}\n")


def test_permission_problems_name_the_group(tmp_path: Path) -> None:
    import grp

    node = tmp_path / "js0"
    node.touch(mode=0o660)
    node.chmod(0o660)
    group = grp.getgrgid(node.stat().st_gid).gr_name
    denied = PermissionError(errno.EACCES, "Permission denied")
    text = device_io.why_not_open(str(node), denied)
    assert "\n" not in text
    assert f"usermod -aG {group} $USER" in text
    node.chmod(0o600)
    assert "not even its group" in device_io.why_not_open(str(node), denied)
    assert device_io.why_not_open(str(tmp_path / "gone"), denied).endswith("permission denied")


def test_other_reasons_for_not_opening() -> None:
    missing = FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert device_io.why_not_open("/dev/input/js9", missing) == "/dev/input/js9: no such device"
    busy = OSError(errno.EBUSY, "Device or resource busy")
    assert device_io.why_not_open("/dev/input/js9", busy).endswith("Device or resource busy")

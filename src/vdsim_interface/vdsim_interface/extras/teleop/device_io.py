"""The operating system's side of joystick devices: find, open, describe, read. Linux only.

The shell under `joystick`: system calls without decisions.
A pipe or pty can replace a device; it has no ioctl, so the caller gives its layout.
"""

from __future__ import annotations

import array
import errno
import fcntl
import grp
import os
import select
import stat
from pathlib import Path

from vdsim_interface.extras.teleop.device_search import DeviceNode
from vdsim_interface.extras.teleop.linux_input import (
    ABS_COUNT,
    BTN_MISC,
    EV_ABS,
    EV_KEY,
    KEY_COUNT,
    KEY_MAX,
    AxisRange,
    DeviceLayout,
    Protocol,
    bits_set,
    joystick_button_order,
)

_NAME_SIZE = 128
_READ_SIZE = 4096


def _ioctl_read(group: str, number: int, size: int) -> int:
    """Return the code of an ioctl that reads `size` bytes (_IOR of asm-generic/ioctl.h)."""
    return (2 << 30) | (size << 16) | (ord(group) << 8) | number


def _read_ioctl(fd: int, group: str, number: int, size: int) -> bytes:
    buffer = array.array("B", bytes(size))
    fcntl.ioctl(fd, _ioctl_read(group, number, size), buffer)
    return buffer.tobytes()


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def list_devices(
    dev: Path = Path("/dev/input"), sysfs: Path = Path("/sys/class/input")
) -> tuple[DeviceNode, ...]:
    """List joysticks and event devices with joystick axes; no device is opened."""
    found = []
    for node in sorted(dev.glob("js*")) + sorted(dev.glob("event*")):
        sysfs_device = sysfs / node.name / "device"
        if node.name.startswith("event") and not _has_joystick_axes(sysfs_device):
            continue
        name_file = sysfs_device / "name"
        name = name_file.read_text("utf-8").strip() if name_file.is_file() else node.name
        found.append(DeviceNode(str(node), name))
    return tuple(found)


def _has_joystick_axes(sysfs_device: Path) -> bool:
    """True for a device with two absolute axes and joystick or gamepad buttons."""
    absolute = _capability(sysfs_device, "abs")
    buttons = _capability(sysfs_device, "key") >> 0x120
    return absolute & 0b11 == 0b11 and buttons & ((1 << 0x20) - 1) != 0


def _capability(sysfs_device: Path, kind: str) -> int:
    """Read a capability bitmap of sysfs: hexadecimal words of the machine's size, highest first."""
    path = sysfs_device / "capabilities" / kind
    if not path.is_file():
        return 0
    bits = 0
    for word in path.read_text("ascii").split():
        bits = bits << 64 | int(word, 16)
    return bits


def describe(fd: int, protocol: Protocol, fallback: DeviceLayout) -> DeviceLayout:
    """Read name, axes and buttons of the open device; `fallback` without ioctl (pipe, pty)."""
    if not stat.S_ISCHR(os.fstat(fd).st_mode):
        return fallback
    try:
        return _describe_js(fd) if protocol is Protocol.JS else _describe_evdev(fd)
    except OSError as error:
        if error.errno in (errno.ENOTTY, errno.EINVAL):
            return fallback
        raise


def _describe_js(fd: int) -> DeviceLayout:
    axes = _read_ioctl(fd, "j", 0x11, 1)[0]
    buttons = _read_ioctl(fd, "j", 0x12, 1)[0]
    button_words = array.array("H")
    button_words.frombytes(_read_ioctl(fd, "j", 0x34, 2 * (KEY_MAX - BTN_MISC + 1)))
    return DeviceLayout(
        name=_text(_read_ioctl(fd, "j", 0x13, _NAME_SIZE)),
        axis_codes=tuple(_read_ioctl(fd, "j", 0x32, ABS_COUNT)[:axes]),
        button_codes=tuple(button_words[:buttons]),
    )


def _describe_evdev(fd: int) -> DeviceLayout:
    axes = bits_set(_read_ioctl(fd, "E", 0x20 + EV_ABS, (ABS_COUNT + 7) // 8))
    keys = bits_set(_read_ioctl(fd, "E", 0x20 + EV_KEY, (KEY_COUNT + 7) // 8))
    return DeviceLayout(
        name=_text(_read_ioctl(fd, "E", 0x06, _NAME_SIZE)),
        axis_codes=axes,
        button_codes=joystick_button_order(keys),
        axis_ranges=tuple(_absolute_range(fd, code) for code in axes),
    )


def _absolute_range(fd: int, code: int) -> AxisRange:
    words = array.array("i")
    words.frombytes(_read_ioctl(fd, "E", 0x40 + code, 24))
    return AxisRange(minimum=words[1], maximum=words[2], value=words[0])


def read_whole_state(fd: int, layout: DeviceLayout) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Read the axes (raw) and buttons of an evdev device, after its queue overflowed."""
    axes = tuple(_absolute_range(fd, code).value for code in layout.axis_codes)
    pressed = set(bits_set(_read_ioctl(fd, "E", 0x18, (KEY_COUNT + 7) // 8)))
    return axes, tuple(code in pressed for code in layout.button_codes)


def open_device(path: str) -> int:
    """Open the device for reading without blocking; returns the file descriptor."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)


def read_device(fd: int, timeout_s: float, also: int) -> bytes | None:
    """Read within `timeout_s`; b"" without data (or when `also` is readable), None when lost."""
    readable, _, _ = select.select([fd, also], [], [], max(0.0, timeout_s))
    if fd not in readable:
        return b""
    try:
        return os.read(fd, _READ_SIZE) or None
    except BlockingIOError:
        return b""
    except OSError:  # ENODEV: disconnected; EIO: the other end of a pty is closed
        return None


def wait(also: int, timeout_s: float) -> None:
    """Wait until `also` becomes readable, for at most `timeout_s`."""
    select.select([also], [], [], max(0.0, timeout_s))


def why_not_open(path: str, error: OSError) -> str:
    """Return one line for the user: why the device does not open and what to do about it."""
    if error.errno == errno.ENOENT:
        return f"{path}: no such device"
    if error.errno != errno.EACCES:
        return f"{path}: {error.strerror}"
    owner = _owner(path)
    if owner is None:
        return f"{path}: permission denied"
    group, readable_by_group = owner
    if readable_by_group:
        return (
            f"{path}: permission denied; it may be read by group '{group}': "
            f"run 'sudo usermod -aG {group} $USER', then log out and in again"
        )
    return f"{path}: permission denied; not even its group '{group}' may read it (udev rule?)"


def _owner(path: str) -> tuple[str, bool] | None:
    """Return the node's group and whether it may read the node; None when unknown."""
    try:
        status = Path(path).stat()
        group = grp.getgrgid(status.st_gid).gr_name
    except (OSError, KeyError):
        return None
    return group, bool(status.st_mode & stat.S_IRGRP)

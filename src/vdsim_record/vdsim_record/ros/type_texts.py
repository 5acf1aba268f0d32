"""The definition of a message type with those of all types it uses, as ROS 2 recordings have it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from vdsim_protocol.checked_file import FileError, read_text

_BORDER = "=" * 80
_FIELD = re.compile(r"^\s*(?:(\w+)/)?(?:msg/)?([A-Z]\w*)(?:\[[^\]]*\])?\s+\w+", re.MULTILINE)
_LARGEST_BYTES = 1 << 20


class NoDefinitionError(Exception):
    """The definition of a type is not installed."""


def type_text(type_name: str) -> str:
    """Return the text for a type such as `sensor_msgs/msg/Imu`; raises NoDefinitionError."""
    own, *others = _closure(type_name)
    parts = [_definition(own)]
    for name in others:
        package, _, short = name.partition("/msg/")
        parts.append(f"{_BORDER}\nMSG: {package}/{short}\n{_definition(name)}")
    return "\n".join(parts)


def _closure(type_name: str) -> list[str]:
    found, at = [type_name], 0
    while at < len(found):
        found = list(dict.fromkeys([*found, *_used(found[at])]))
        at += 1
    return found


def _used(type_name: str) -> list[str]:
    package = type_name.partition("/")[0]
    return [
        f"{other or package}/msg/{name}" for other, name in _FIELD.findall(_definition(type_name))
    ]


@cache
def _definition(type_name: str) -> str:
    package, _, name = type_name.partition("/msg/")
    try:
        path = Path(get_package_share_directory(package)) / "msg" / f"{name}.msg"
        return read_text(path, largest_bytes=_LARGEST_BYTES)
    except (PackageNotFoundError, FileError, OSError, ValueError):
        raise NoDefinitionError(f"{type_name}: its definition is not installed") from None

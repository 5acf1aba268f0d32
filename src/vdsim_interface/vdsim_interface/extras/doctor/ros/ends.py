"""Endpoints of the graph -> plain values."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rclpy.node import Node
from vdsim_protocol.checked_file import read_json

from vdsim_interface.extras.doctor.snapshot import Endpoint, Qos, Side, is_observer

_UNKNOWN = ("", "_NODE_NAME_UNKNOWN_", "_CREATED_BY_BARE_DDS_APP_")
"""Names that the middleware has for a program outside of ROS."""
_NANOSECONDS = 1e-9
_LONGEST_S = 1e6
"""A deadline above it is none."""


def full_name(namespace: str, name: str) -> str:
    """Return a node's name with its namespace; empty for a program that has none."""
    return "" if name in _UNKNOWN else f"{namespace.rstrip('/')}/{name}"


def _qos(profile: Any) -> Qos:
    deadline_s = profile.deadline.nanoseconds * _NANOSECONDS
    return Qos(
        reliability=profile.reliability.name,
        durability=profile.durability.name,
        deadline_s=deadline_s if deadline_s < _LONGEST_S else 0.0,
    )


def _endpoint(info: Any, topic: str, side: Side) -> Endpoint:
    return Endpoint(
        node=full_name(info.node_namespace, info.node_name),
        topic=topic,
        type_name=info.topic_type,
        side=side,
        qos=_qos(info.qos_profile),
        type_hash=_hash_text(getattr(info, "topic_type_hash", None)),
        gid=bytes(info.endpoint_gid),
    )


def _hash_text(type_hash: Any) -> str:
    """Return RIHS01_...; empty where the peer announced none, or this ROS 2 has no hashes."""
    version, value = getattr(type_hash, "version", 0), getattr(type_hash, "value", b"")
    if not version or version < 0:
        return ""
    return f"RIHS{version:02d}_{bytes(value).hex()}"


def ends_of(node: Node, topic: str) -> list[Endpoint]:
    """All ends of one topic, this node's own ones too, without the subscriptions of who looks on.

    Who looks on may publish: `ros2 topic pub`, a bag that is played, a panel of Foxglove.
    """
    publishers = node.get_publishers_info_by_topic(topic)
    subscriptions = node.get_subscriptions_info_by_topic(topic)
    ends = [
        *(_endpoint(info, topic, Side.PUBLISHER) for info in publishers),
        *(_endpoint(info, topic, Side.SUBSCRIPTION) for info in subscriptions),
    ]
    own = node.get_fully_qualified_name()
    return [
        end
        for end in ends
        if end.side is Side.PUBLISHER or end.node == own or not is_observer(end.node)
    ]


def installed_hashes(type_names: Iterable[str]) -> dict[str, str]:
    """Return the type hashes of the messages of this installation; what it lacks is left out."""
    found = {}
    for name in type_names:
        package, _, rest = name.partition("/")
        try:
            path = Path(get_package_share_directory(package), rest).with_suffix(".json")
            described = read_json(path)
        except (PackageNotFoundError, OSError, ValueError):
            continue
        for item in described.get("type_hashes", ()):
            if item.get("type_name") == name:
                found[name] = str(item.get("hash_string", ""))
    return found


def installed_type(type_name: str) -> Any:
    """Return the class of a message; None where its package is not installed here."""
    try:
        package, _, name = type_name.split("/")
        return getattr(import_module(f"{package}.msg"), name)
    except (AttributeError, ImportError, ValueError):
        return None

"""ROS names as the command line shows them."""

from __future__ import annotations

from collections.abc import Iterable


def is_hidden(name: str) -> bool:
    """Return whether any part of a name starts with an underscore."""
    return any(part.startswith("_") for part in name.split("/"))


def absolute(name: str) -> str:
    """Return a name as seen from the root namespace."""
    return name if name.startswith("/") else f"/{name}"


def full_node_name(name: str, namespace: str) -> str:
    """Join a node's name and namespace."""
    return f"{namespace.rstrip('/')}/{name}"


def split_node_name(full_name: str) -> tuple[str, str]:
    """Return (name, namespace) of a full node name."""
    namespace, _, name = absolute(full_name).rpartition("/")
    return name, namespace or "/"


def with_types(name: str, types: Iterable[str]) -> str:
    """Return `name [type, type]`."""
    return f"{name} [{', '.join(types)}]"

"""Names and namespaces of nodes, and the keys under which a scope holds what belongs to ROS."""

from __future__ import annotations

import re

NAMESPACE = "ros_namespace"  # a launch configuration, as users may ask for it
GLOBAL_PARAMETERS = "ros_global_parameters"  # arguments, a list of strings each
GLOBAL_REMAPS = "ros_global_remaps"  # pairs of names


_NODE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def join_namespace(base: str, own: str) -> str:
    """Return ``own`` below ``base``; an absolute one replaces it, an empty one changes nothing."""
    if not own or own.startswith("/"):
        return own or base
    return f"{base.rstrip('/')}/{own}" if base else own


def absolute_namespace(namespace: str) -> str:
    """Return the namespace with a leading and no trailing slash, and check it."""
    absolute = "/" + namespace.strip("/")
    parts = [part for part in absolute[1:].split("/") if absolute != "/"]
    if not all(_NODE_NAME.match(part) for part in parts):
        raise ValueError(
            f"namespace='{namespace}': its parts must be letters, digits and underscores, "
            "not beginning with a digit"
        )
    return absolute


def check_node_name(name: str) -> str:
    """Return the name if it is valid in ROS."""
    if not _NODE_NAME.match(name):
        raise ValueError(
            f"name='{name}': must be letters, digits and underscores, not beginning with a digit"
        )
    return name

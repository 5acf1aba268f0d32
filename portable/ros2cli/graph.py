"""What the other nodes have: topics, services, nodes, sorted and without the hidden ones."""

from __future__ import annotations

from collections.abc import Iterable

from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros2cli.errors import CliError
from ros2cli.names import absolute, full_node_name, is_hidden
from ros2cli.session import Session

NamesAndTypes = list[tuple[str, list[str]]]


def topics(node: Node, *, include_hidden: bool = False) -> NamesAndTypes:
    """Return (name, types) of the topics."""
    return _shown(node.get_topic_names_and_types(), include_hidden)


def services(node: Node, *, include_hidden: bool = False) -> NamesAndTypes:
    """Return (name, types) of the services."""
    return _shown(node.get_service_names_and_types(), include_hidden)


def node_names(node: Node, *, include_hidden: bool = False) -> list[str]:
    """Return the full names of the nodes; a name that is used twice stands there twice."""
    names = (full_node_name(*pair) for pair in node.get_node_names_and_namespaces())
    return sorted(name for name in names if include_hidden or not is_hidden(name))


def find_node(session: Session, name: str) -> str:
    """Return the full name of a node once it is there; raise CliError when it does not come."""
    wanted = absolute(name)

    def look() -> str | None:
        return wanted if wanted in node_names(session.node, include_hidden=True) else None

    if session.wait_for(look) is None:
        raise CliError(f"Unable to find node '{name}'")
    return wanted


def find_topic(session: Session, name: str) -> list[str] | None:
    """Return the types of a topic once somebody has it; None when it does not come."""
    validate_full_topic_name(absolute(name))
    return session.wait_for(lambda: topic_types(session.node, name))


def find_service(session: Session, name: str) -> list[str] | None:
    """Return the types of a service once somebody has it; None when it does not come."""
    wanted = absolute(name)
    validate_full_topic_name(wanted, is_service=True)
    return session.wait_for(lambda: dict(services(session.node, include_hidden=True)).get(wanted))


def topic_types(node: Node, name: str) -> list[str] | None:
    """Return the types of a topic that is there now."""
    return dict(topics(node, include_hidden=True)).get(absolute(name))


def _shown(entries: Iterable[tuple[str, list[str]]], include_hidden: bool) -> NamesAndTypes:
    return sorted((name, types) for name, types in entries if include_hidden or not is_hidden(name))

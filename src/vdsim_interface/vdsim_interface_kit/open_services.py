"""Which services of a node take a request whose size is in the request."""

from __future__ import annotations

from importlib import import_module

from rclpy.node import Node


def is_open(type_name: str) -> bool:
    """Whether a message, or one inside it, has a field whose size is in the message."""
    bare = type_name.partition("[")[0]
    if "sequence" in type_name or "string" in bare:
        return True
    if "/" not in bare:
        return False
    package, name = bare.split("/")[0], bare.split("/")[-1]
    message = getattr(import_module(f"{package}.msg"), name)
    return any(is_open(kind) for kind in message.get_fields_and_field_types().values())


def open_services(probe: Node, name: str, namespace: str) -> set[str]:
    """The services of a node, as the graph lists them, that take such a request."""
    found = set()
    for service, kinds in probe.get_service_names_and_types_by_node(name, namespace):
        package, _, kind = kinds[0].split("/")
        request = getattr(import_module(f"{package}.srv"), kind).Request
        if any(is_open(field) for field in request.get_fields_and_field_types().values()):
            prefix = f"{namespace.rstrip('/')}/"
            found.add(service.removeprefix(f"{prefix}{name}/").removeprefix(prefix))
    return found

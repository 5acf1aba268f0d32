"""The messages as they are built: everything that rclpy does with them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from workspace.wheel_route.messages import packages

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(
    file.parent
    for folder in (ROOT / "src", ROOT / "portable" / "interfaces")
    for file in folder.glob("*/CMakeLists.txt")
)
FOUND = [packages.read(folder) for folder in FOLDERS]
INTERFACES = [
    pytest.param(package.name, interface, id=f"{package.name}/{interface.stem}")
    for package in FOUND
    for interface in package.interfaces
]
MESSAGES = [case for case in INTERFACES if case.values[1].parent.name == "msg"]  # type: ignore[union-attr]
SERVICES = [case for case in INTERFACES if case.values[1].parent.name == "srv"]  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node("messages_test", context=context, enable_rosout=False)
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)


def _class(package: str, interface: Path) -> type:
    module = importlib.import_module(f"{package}.{interface.parent.name}")
    return getattr(module, interface.stem)


@pytest.mark.parametrize(("package", "interface"), MESSAGES)
def test_a_message_is_converted_there_and_back(package: str, interface: Path) -> None:
    message_type = _class(package, interface)
    message = message_type()
    assert deserialize_message(serialize_message(message), message_type) == message


@pytest.mark.parametrize(("package", "interface"), MESSAGES)
def test_fast_dds_takes_the_type_of_a_message(package: str, interface: Path, node: Node) -> None:
    message_type = _class(package, interface)
    topic = f"{package}_{interface.stem}"
    node.destroy_publisher(node.create_publisher(message_type, topic, 1))
    node.destroy_subscription(node.create_subscription(message_type, topic, print, 1))


@pytest.mark.parametrize(("package", "interface"), SERVICES)
def test_fast_dds_takes_the_types_of_a_service(package: str, interface: Path, node: Node) -> None:
    service_type = _class(package, interface)
    service = node.create_service(service_type, interface.stem, lambda _, response: response)
    client = node.create_client(service_type, interface.stem)
    node.destroy_client(client)
    node.destroy_service(service)


@pytest.mark.parametrize(("package", "interface"), INTERFACES)
def test_its_text_and_its_description_are_installed(package: str, interface: Path) -> None:
    share = Path(get_package_share_directory(package))
    source = next(p.folder for p in FOUND if p.name == package) / interface
    if share.is_relative_to(ROOT / ".ros"):  # else an installed ROS 2 has it, with its own comments
        assert (share / interface).read_text() == source.read_text()
    description = json.loads((share / interface.with_suffix(".json")).read_text())
    name = description["type_description_msg"]["type_description"]["type_name"]
    assert name == f"{package}/{interface.parent.name}/{interface.stem}"

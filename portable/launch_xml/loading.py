"""Read an XML launch file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from launch.launch_description_sources import InvalidLaunchFileError
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.frontend import Element, description_of

from launch import LaunchDescription, LaunchDescriptionSource


class XMLLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads an XML launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted XML launch file")

    def _load(self, location: str) -> LaunchDescription:
        return load(location)


def load(location: str) -> LaunchDescription:
    """Return the launch description in a file."""
    try:
        root = ElementTree.fromstring(Path(location).read_text(encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise InvalidLaunchFileError(f"launch file '{location}': {error}") from error
    return description_of(_element(root), location)


def _element(node: ElementTree.Element) -> Element:
    return Element(node.tag, dict(node.attrib), tuple(_element(child) for child in node))

"""Read a YAML launch file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from launch.launch_description_sources import InvalidLaunchFileError
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.frontend import Element, description_of

from launch import LaunchDescription, LaunchDescriptionSource


class YAMLLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads a YAML launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted YAML launch file")

    def _load(self, location: str) -> LaunchDescription:
        return load(location)


def load(location: str) -> LaunchDescription:
    """Return the launch description in a file."""
    try:
        document = yaml.safe_load(Path(location).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise InvalidLaunchFileError(f"launch file '{location}': {reason}") from error
    if not isinstance(document, dict) or list(document) != ["launch"]:
        raise InvalidLaunchFileError(f"launch file '{location}': must have the one key 'launch'")
    try:
        root = _element("launch", document["launch"])
    except InvalidLaunchFileError as error:
        raise InvalidLaunchFileError(f"launch file '{location}': {error}") from error
    return description_of(root, location)


def _element(name: str, body: Any) -> Element:
    """Return an element: its scalars are attributes, its lists and mappings are children."""
    if not isinstance(body, (dict, list, type(None))):
        raise InvalidLaunchFileError(f"<{name}>: must be a mapping or a list, is {body!r}")
    if isinstance(body, list):
        return Element(name, {}, tuple(_entries(body)))
    attributes: dict[str, Any] = {}
    children: list[Element] = []
    for key, value in (body or {}).items():
        if key == "children":
            children += _entries(value)
        elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
            children += (_element(key, item) for item in value)
        elif isinstance(value, dict):
            children.append(_element(key, value))
        else:
            attributes[key] = value
    return Element(name, attributes, tuple(children))


def _entries(body: list[Any]) -> Iterator[Element]:
    for entry in body:
        if not isinstance(entry, dict):
            raise InvalidLaunchFileError(f"{entry!r}: must be a mapping, an element by its name")
        for name, value in entry.items():
            yield _element(name, value)

"""A launch description in a file of any format."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from .launch_file_loading import InvalidLaunchFileError
from .python_launch_description_source import PythonLaunchDescriptionSource

if TYPE_CHECKING:
    from ..launch_description import LaunchDescription

_UPSTREAM_OF_FORMAT = {".xml": "launch_xml", ".yaml": "launch_yaml", ".yml": "launch_yaml"}


class AnyLaunchDescriptionSource(PythonLaunchDescriptionSource):
    """Loads Python launch files, and says what the other formats need."""

    def _load(self, location: str) -> LaunchDescription:
        suffix = PurePath(location).suffix.lower()
        if suffix in _UPSTREAM_OF_FORMAT:
            raise InvalidLaunchFileError(
                f"launch file '{location}': the format {suffix} is not supported here; it needs "
                f"the ROS 2 package '{_UPSTREAM_OF_FORMAT[suffix]}'"
            )
        return super()._load(location)

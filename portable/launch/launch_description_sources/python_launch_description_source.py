"""A launch description in a Python file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..launch_description_source import LaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType
from .launch_file_loading import get_launch_description_from_python_launch_file

if TYPE_CHECKING:
    from ..launch_description import LaunchDescription


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads ``generate_launch_description()`` of a Python file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted python launch file")

    def _load(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)

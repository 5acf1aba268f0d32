"""A launch description in a Python file."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ..launch_description_source import LaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitutions.text_substitution import TextSubstitution
from ..utilities.substitutions import normalize_to_list_of_substitutions
from .launch_file_loading import get_launch_description_from_python_launch_file

if TYPE_CHECKING:
    from ..launch_description import LaunchDescription


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads ``generate_launch_description()`` of a Python file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted python launch file")
        self.__path = normalize_to_list_of_substitutions(launch_file_path)
        self.__peeked: LaunchDescription | None = None

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description when the path is plain text, so that arguments can be shown."""
        found = super().try_get_launch_description_without_context() or self.__peeked
        texts = [part.text for part in self.__path if isinstance(part, TextSubstitution)]
        if found is None and len(texts) == len(self.__path):
            # A file that cannot be loaded is an error only when the launch reaches it.
            with contextlib.suppress(Exception):
                found = self.__peeked = self._load("".join(texts))
        return found

    def _load(self, location: str) -> LaunchDescription:
        return self.__peeked or get_launch_description_from_python_launch_file(location)

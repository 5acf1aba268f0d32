"""Where a launch description comes from: an object at hand, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .some_substitutions_type import SomeSubstitutionsType
from .substitution import Substitution
from .utilities.substitutions import normalize_to_list_of_substitutions, perform_substitutions

if TYPE_CHECKING:
    from .launch_context import LaunchContext
    from .launch_description import LaunchDescription


class LaunchDescriptionSource:
    """A launch description, loaded on the first demand."""

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<script>",
        method: str = "unspecified mechanism from a script",
    ) -> None:
        self.__launch_description = launch_description
        self.__location: list[Substitution] = normalize_to_list_of_substitutions(location)
        self.__expanded_location: str | None = None
        self.__loaded_from: str | None = None
        self.__method = method

    @property
    def method(self) -> str:
        """Return by which means the description is loaded."""
        return self.__method

    @property
    def location(self) -> str:
        """Return the place it comes from: the path once known, else its description."""
        if self.__expanded_location is not None:
            return self.__expanded_location
        return " + ".join(part.describe() for part in self.__location)

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if it can be had before the launch runs."""
        from .launch_context import LaunchContext

        try:
            return self._loaded(perform_substitutions(LaunchContext(), self.__location))
        except Exception:  # the file is the user's; what is wrong with it is said when it is run
            return self.__launch_description

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description, loading it if need be."""
        self.__expanded_location = perform_substitutions(context, self.__location)
        return self._loaded(self.__expanded_location)

    def _loaded(self, location: str) -> LaunchDescription:
        # By its path: what the launch sets may lead to another one than was found before.
        if self.__launch_description is None or self.__loaded_from not in (None, location):
            self.__launch_description = self._load(location)
            self.__loaded_from = location
        return self.__launch_description

    def _load(self, location: str) -> LaunchDescription:
        raise TypeError(f"{self.__class__.__name__} cannot load {location!r}")

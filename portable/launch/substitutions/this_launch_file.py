"""Where the launch file that is being performed lies."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..substitution import Substitution
from .substitution_failure import SubstitutionFailure


class _FileLocal(Substitution):
    """A local that an included launch file sets."""

    _local = ""

    def describe(self) -> str:
        """Return a description for people."""
        return f"{self.__class__.__name__}()"

    def perform(self, context: LaunchContext) -> str:
        """Return the value for the launch file at hand."""
        try:
            return str(context.get_locals_as_dict()[self._local])
        except KeyError:
            raise SubstitutionFailure(
                f"{self.__class__.__name__} used outside of a launch file (in a script)"
            ) from None


class ThisLaunchFile(_FileLocal):
    """The path of the launch file."""

    _local = "current_launch_file_path"


class ThisLaunchFileDir(_FileLocal):
    """The folder of the launch file."""

    _local = "current_launch_file_directory"

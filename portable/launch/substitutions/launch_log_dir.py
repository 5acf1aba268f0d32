"""The folder with the logs of this launch."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..logging import launch_config
from ..substitution import Substitution


class LaunchLogDir(Substitution):
    """The log folder of this launch; it is made when first asked for."""

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return launch_config.log_dir

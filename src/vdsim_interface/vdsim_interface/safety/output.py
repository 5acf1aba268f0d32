"""What one period of the safety stage gives."""

from typing import NamedTuple

from vdsim_interface.values import Change, Notice, PlatformCommand


class SafetyOutput(NamedTuple):
    """What one period gave: the command for the platform, what was changed, what to tell."""

    command: PlatformCommand
    changes: tuple[Change, ...]
    notices: tuple[Notice, ...]

"""The base of everything in a launch description whose text is known only at launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Substitution:
    """A piece of text that is worked out when the launch reaches it."""

    def describe(self) -> str:
        """Return a description for people."""
        return f"{self.__class__.__name__}()"

    def perform(self, context: LaunchContext) -> str:
        """Return the text, in the present state of ``context``."""
        raise TypeError(f"{self.__class__.__name__} does not define perform()")

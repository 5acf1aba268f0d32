"""Plain text."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..substitution import Substitution


class TextSubstitution(Substitution):
    """Text that is what it is."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expects 'text' to be str, got {text!r}")
        self.__text = text

    @property
    def text(self) -> str:
        """Return the text."""
        return self.__text

    def describe(self) -> str:
        """Return a description for people."""
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.text

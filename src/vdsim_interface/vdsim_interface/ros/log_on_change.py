"""When to log a state that is looked at now and then."""

from __future__ import annotations


class SettledLine:
    """One line for each new state, once two looks in a row agree on it.

    The middleware knows of a publisher up to half a second before it knows its node's name.
    """

    def __init__(self) -> None:
        self._seen = ""
        self._told = ""

    def look(self, text: str) -> str:
        """What to log now, mostly nothing; an empty `text` means that all is well."""
        settled = text == self._seen
        self._seen = text
        if not settled or text == self._told:
            return ""
        self._told = text
        return text

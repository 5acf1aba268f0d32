"""OneCaller: refuses a call of an object while another call of it still runs."""

from __future__ import annotations

from types import TracebackType


class OneCaller:
    """Stands round what changes an object: a second thread in there is refused, not mixed in.

    Without it both would write the same state, and one of the steps would be lost without a word.
    Taking the one token from a list is a single operation for every thread.
    """

    def __init__(self, owner: str) -> None:
        """`owner`: what the error calls the object."""
        self._owner = owner
        self._free = [True]

    def __enter__(self) -> None:
        try:
            self._free.pop()
        except IndexError:
            problem = "is used by two threads at once: give each its own, or share one by a lock"
            raise RuntimeError(f"{self._owner} {problem}") from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._free.append(True)

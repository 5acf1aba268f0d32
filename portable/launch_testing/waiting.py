"""Let the thread of the tests wait for what the thread of the launch records."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


class Waiting:
    """A condition that also knows that nothing more will come."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._has_ended = False

    @contextlib.contextmanager
    def changed(self) -> Iterator[None]:
        """Change what is waited for inside of this context."""
        with self._condition:
            yield
            self._condition.notify_all()

    def end(self) -> None:
        """Wake everybody: nothing will change any more."""
        with self.changed():
            self._has_ended = True

    def wait_for(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether the predicate becomes true in time."""
        with self._condition:
            self._condition.wait_for(lambda: predicate() or self._has_ended, timeout_s)
            return predicate()

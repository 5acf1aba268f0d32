"""Ctrl-C during the start of a program: it ends at once, also while it compiles."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")
_SHORT_S = 0.2


class _Task(Generic[Result]):
    """An action on a thread of its own, with what came of it."""

    def __init__(self, action: Callable[[], Result]) -> None:
        self._action = action
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name="start", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._action())
        except BaseException as error:  # belongs to the caller
            self._error = error

    def result(self) -> Result:
        """What the action returned, or what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]


def interruptibly(action: Callable[[], Result]) -> Result:
    """Run an action that computes for long outside Python, as a compiler does.

    Python handles a signal on the main thread, between two of its instructions: the action is on
    another thread, so that the handler runs at once.
    """
    task = _Task(action)
    while task.thread.is_alive():
        task.thread.join(_SHORT_S)
    return task.result()

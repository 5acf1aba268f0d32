"""The order of what a process wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..expected_output import ExpectedOutput, as_matcher
from ..io_handler import IoHandler
from ..output_matching import text_of
from ..process_matching import SomeProcess, resolve_processes

_NEARBY_LINES = 3


class SequentialTextChecker:
    """Checks that texts follow one another."""

    def __init__(self, output: Sequence[str]) -> None:
        self._lines = [line for text in output for line in text.splitlines()]
        self._next = 0

    def assertInText(self, msg: ExpectedOutput) -> None:  # noqa: N802 (the name is upstream's)
        """Fail unless ``msg`` is in a line behind the one found last."""
        matches = as_matcher(msg)
        for index in range(self._next, len(self._lines)):
            if matches(self._lines[index]):
                self._next = index + 1
                return
        nearby = "\n".join(self.get_nearby_lines())
        raise AssertionError(
            f"'{msg}' not found in sequence after previous match. "
            f"The output near the last matched line:\n{nearby}"
        )

    def assertInStdout(self, msg: ExpectedOutput) -> None:  # noqa: N802 (the name is upstream's)
        """Fail unless ``msg`` is in a line behind the one found last."""
        self.assertInText(msg)

    def get_nearby_lines(self) -> list[str]:
        """Return the lines around the one found last."""
        last = max(self._next - 1, 0)
        return self._lines[max(last - _NEARBY_LINES, 0) : last + _NEARBY_LINES + 1]


@contextlib.contextmanager
def assertSequentialStdout(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler, process: SomeProcess, cmd_args: Any = None
) -> Iterator[SequentialTextChecker]:
    """Check, with the object given, that texts come in order on the standard output."""
    matching = resolve_processes(proc_output, process=process, cmd_args=cmd_args)
    if len(matching) != 1:
        raise AssertionError(f"the order of the output of {len(matching)} processes is not known")
    yield SequentialTextChecker([text_of(proc_output[matching[0]], "stdout")])

"""The order of what a process wrote."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..io_handler import IoHandler
from ..output_matching import text_of
from ..process_matching import SomeProcess, resolve_processes

_NEARBY_LINES = 3


class SequentialTextChecker:
    """Checks that texts follow one another, within a line or over several."""

    def __init__(self, output: Sequence[str]) -> None:
        self._text = "\n".join(output)
        self._position = 0

    def assertInText(self, msg: str | re.Pattern[str]) -> None:  # noqa: N802 (upstream's name)
        """Fail unless ``msg`` comes behind what was found last."""
        pattern = re.compile(re.escape(msg)) if isinstance(msg, str) else msg
        match = pattern.search(self._text, self._position)
        if match is None:
            raise AssertionError(
                f"'{msg}' not found in sequence after previous match. "
                f"The output near the last matched line:\n{self.get_nearby_lines()}"
            )
        self._position = match.end()

    def assertInStdout(self, msg: str | re.Pattern[str]) -> None:  # noqa: N802 (upstream's name)
        """Fail unless ``msg`` comes behind what was found last."""
        self.assertInText(msg)

    def get_nearby_lines(self) -> str:
        """Return the lines around what was found last."""
        last = self._text.count("\n", 0, max(self._position - 1, 0))
        lines = self._text.splitlines()
        return "\n".join(lines[max(last - _NEARBY_LINES, 0) : last + _NEARBY_LINES + 1])


@contextlib.contextmanager
def assertSequentialStdout(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler, process: SomeProcess, cmd_args: Any = None
) -> Iterator[SequentialTextChecker]:
    """Check, with the object given, that texts come in order on the standard output."""
    matching = resolve_processes(proc_output, process=process, cmd_args=cmd_args)
    if len(matching) != 1:
        raise AssertionError(f"the order of the output of {len(matching)} processes is not known")
    yield SequentialTextChecker([text_of(proc_output[matching[0]], "stdout")])

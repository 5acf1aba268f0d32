"""Assertions about processes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from launch._upstream_names import refuse_names
from launch.events.process import ProcessExited

from .handlers import IoHandler, ProcInfoHandler
from .output import ExpectedOutput, OutputFilter, as_matcher, is_in_output, text_of
from .util import NO_CMD_ARGS, SomeProcess, name_of, resolve_processes

__all__ = [
    "EXIT_OK",
    "EXIT_SIGINT",
    "EXIT_SIGKILL",
    "EXIT_SIGQUIT",
    "EXIT_SIGSEGV",
    "NO_CMD_ARGS",
    "SequentialTextChecker",
    "assertExitCodes",
    "assertInStderr",
    "assertInStdout",
    "assertInStream",
    "assertSequentialStdout",
]


EXIT_OK = 0
EXIT_SIGINT = 130
EXIT_SIGQUIT = 131
EXIT_SIGKILL = 137
EXIT_SIGSEGV = 139


def assertExitCodes(  # noqa: N802 (the name is upstream's)
    proc_info: ProcInfoHandler,
    allowable_exit_codes: Iterable[int] = (EXIT_OK,),
    process: SomeProcess = None,
    cmd_args: Any = None,
    *,
    strict_proc_matching: bool = True,
) -> None:
    """Fail unless the processes ended with one of the codes.

    A process that a signal ended has the negative number of the signal as its code.
    """
    allowed = list(allowable_exit_codes)
    for item in resolve_processes(
        proc_info, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching
    ):
        event = proc_info[item]
        assert isinstance(event, ProcessExited), f"Proc {event.process_name} has not exited"
        assert event.returncode in allowed, (
            f"Proc {event.process_name} exited with code {event.returncode}"
        )


def assertInStream(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler,
    expected_output: ExpectedOutput,
    process: SomeProcess,
    cmd_args: Any = None,
    *,
    output_filter: OutputFilter | None = None,
    strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True,
    stream: str = "stderr",
) -> None:
    """Fail unless one of the processes wrote the expected output to the stream."""
    matching = resolve_processes(
        proc_output, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching
    )
    matcher = as_matcher(expected_output)
    for item in matching:
        events = proc_output[item]
        if is_in_output(events, matcher, stream, output_filter, strip_ansi_escape_sequences):
            return
    names = ", ".join(name_of(item) for item in matching)
    raise AssertionError(
        f"Did not find '{expected_output}' in output for any of the matching processes: {names}"
    )


def assertInStdout(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler,
    expected_output: ExpectedOutput,
    process: SomeProcess,
    cmd_args: Any = None,
    **options: Any,
) -> None:
    """Fail unless the output is on the standard output; options as of ``assertInStream``."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stdout", **options)


def assertInStderr(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler,
    expected_output: ExpectedOutput,
    process: SomeProcess,
    cmd_args: Any = None,
    **options: Any,
) -> None:
    """Fail unless the output is on the standard error; options as of ``assertInStream``."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stderr", **options)


_NEARBY_LINES = 3


class SequentialTextChecker:
    """Checks that texts occur in order, within one line or across lines."""

    def __init__(self, output: Sequence[str]) -> None:
        self._text = "\n".join(output)
        self._position = 0

    def assertInText(self, msg: str | re.Pattern[str]) -> None:  # noqa: N802 (upstream's name)
        """Fail unless ``msg`` occurs after the last match."""
        pattern = re.compile(re.escape(msg)) if isinstance(msg, str) else msg
        match = pattern.search(self._text, self._position)
        if match is None:
            raise AssertionError(
                f"'{msg}' not found in sequence after previous match. "
                f"The output near the last matched line:\n{self.get_nearby_lines()}"
            )
        self._position = match.end()

    def assertInStdout(self, msg: str | re.Pattern[str]) -> None:  # noqa: N802 (upstream's name)
        """Fail unless ``msg`` occurs after the last match."""
        self.assertInText(msg)

    def get_nearby_lines(self) -> str:
        """Return the lines around the last match."""
        last = self._text.count("\n", 0, max(self._position - 1, 0))
        lines = self._text.splitlines()
        return "\n".join(lines[max(last - _NEARBY_LINES, 0) : last + _NEARBY_LINES + 1])


@contextlib.contextmanager
def assertSequentialStdout(  # noqa: N802 (the name is upstream's)
    proc_output: IoHandler, process: SomeProcess, cmd_args: Any = None
) -> Iterator[SequentialTextChecker]:
    """Check, with the yielded object, that texts occur in order on the standard output."""
    matching = resolve_processes(proc_output, process=process, cmd_args=cmd_args)
    if len(matching) != 1:
        raise AssertionError(f"the order of the output of {len(matching)} processes is not known")
    yield SequentialTextChecker([text_of(proc_output[matching[0]], "stdout")])


__getattr__ = refuse_names(__name__, ("assertDefaultStream",), "launch_testing")

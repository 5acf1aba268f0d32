"""What processes wrote."""

from __future__ import annotations

from typing import Any

from ..expected_output import ExpectedOutput, as_matcher
from ..io_handler import IoHandler
from ..output_matching import OutputFilter, is_in_output
from ..process_matching import SomeProcess, name_of, resolve_processes


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

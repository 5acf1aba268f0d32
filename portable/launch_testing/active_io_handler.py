"""Output while the processes run: waiting for a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.events.process import ProcessIO

from .expected_output import ExpectedOutput, as_matcher
from .io_handler import IoHandler
from .output_matching import OutputFilter, is_in_output, text_of
from .process_matching import NoMatchingProcessException, SomeProcess, resolve_processes
from .waiting import Waiting


class ActiveIoHandler(IoHandler):
    """An IoHandler that the launch fills while tests read it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = Waiting()

    def append(self, process_io: ProcessIO) -> None:
        """Record output, and wake who waits for it."""
        with self._waiting.changed():
            super().append(process_io)

    def end(self) -> None:
        """Note that nothing will be recorded any more."""
        self._waiting.end()

    def assertWaitFor(  # noqa: N802 (the name is upstream's)
        self,
        expected_output: ExpectedOutput,
        process: SomeProcess = None,
        cmd_args: Any = None,
        **options: Any,
    ) -> None:
        """Fail unless the output comes in time; the options are those of ``waitFor``."""
        if self.waitFor(expected_output, process, cmd_args, **options):
            return
        stream = options.get("stream", "stderr")
        strips = options.get("strip_ansi_escape_sequences", True)
        seen = [
            text_of([event for event in self if event.action is item], stream, strips)
            for item in self._matching(process, cmd_args, False)
        ]
        raise AssertionError(
            f"Waiting for output timed out: {expected_output!r} is not in the {stream} of "
            f"process '{process}', which is:\n" + "\n".join(seen)
        )

    def waitFor(  # noqa: N802 (the name is upstream's)
        self,
        expected_output: ExpectedOutput,
        process: SomeProcess = None,
        cmd_args: Any = None,
        *,
        strict_proc_matching: bool = True,
        output_filter: OutputFilter | None = None,
        timeout: float = 10,
        strip_ansi_escape_sequences: bool = True,
        stream: str = "stderr",
    ) -> bool:
        """Return whether a matching process writes the output within ``timeout`` seconds."""
        matcher = as_matcher(expected_output)

        def is_there() -> bool:
            return any(
                is_in_output(
                    [event for event in self._sequence if event.action is item],
                    matcher,
                    stream,
                    output_filter,
                    strip_ansi_escape_sequences,
                )
                for item in self._matching(process, cmd_args, strict_proc_matching)
            )

        return self._waiting.wait_for(is_there, timeout)

    def wait_until(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether ``predicate`` becomes true, asked after each output, within the time."""
        return self._waiting.wait_for(predicate, timeout_s)

    def _matching(self, process: SomeProcess, cmd_args: Any, strict: bool) -> list[Any]:
        try:
            return resolve_processes(
                self, process=process, cmd_args=cmd_args, strict_proc_matching=strict
            )
        except NoMatchingProcessException:
            return []

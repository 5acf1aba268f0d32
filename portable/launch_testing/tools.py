"""Start processes from within a test, and filter their output."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from launch._upstream_names import refuse_names
from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, ShutdownProcess, matches_action

from launch import LaunchDescription, LaunchService

from .handlers import ActiveIoHandler, ActiveProcInfoHandler
from .output import OutputFilter, text_of

__all__ = ["ProcessProxy", "basic_output_filter", "launch_process"]


def basic_output_filter(
    filtered_prefixes: Iterable[str] | None = None,
    filtered_patterns: Iterable[str | re.Pattern[str]] | None = None,
) -> Callable[[str], str]:
    """Return a filter that drops lines with one of the prefixes or matching one of the patterns."""
    prefixes = tuple(filtered_prefixes or ())
    patterns = [re.compile(pattern) for pattern in filtered_patterns or ()]

    def is_kept(line: str) -> bool:
        return not line.startswith(prefixes) and not any(
            pattern.match(line) for pattern in patterns
        )

    return lambda output: "".join(
        line for line in output.splitlines(keepends=True) if is_kept(line)
    )


class ProcessProxy:
    """One process under test: what it wrote, whether it runs, how it ended."""

    def __init__(
        self,
        process_action: ExecuteProcess,
        proc_info: ActiveProcInfoHandler,
        proc_output: ActiveIoHandler,
        *,
        output_filter: OutputFilter | None = None,
    ) -> None:
        self._action = process_action
        self._info = proc_info
        self._output = proc_output
        self._filter = output_filter

    @property
    def target_process_action(self) -> ExecuteProcess:
        """Return the action that started the process."""
        return self._action

    def _text(self, *streams: str) -> str:
        try:
            events = self._output[self._action]
        except KeyError:
            return ""
        text = "".join(text_of(events, stream) for stream in streams)
        return text if self._filter is None else self._filter(text)

    @property
    def stdout(self) -> str:
        """Return the standard output."""
        return self._text("stdout")

    @property
    def stderr(self) -> str:
        """Return the standard error."""
        return self._text("stderr")

    @property
    def output(self) -> str:
        """Return the standard output followed by the standard error."""
        return self._text("stdout", "stderr")

    @property
    def terminated(self) -> bool:
        """Return whether the process has ended."""
        return self._exit_event() is not None

    @property
    def running(self) -> bool:
        """Return whether the process runs."""
        return self._action in self._info.processes() and not self.terminated

    @property
    def exit_code(self) -> int | None:
        """Return the exit code once the process has ended."""
        event = self._exit_event()
        return None if event is None else event.returncode

    def _exit_event(self) -> ProcessExited | None:
        if self._action not in self._info.processes():
            return None
        event = self._info[self._action]
        return event if isinstance(event, ProcessExited) else None

    def wait_for_shutdown(self, timeout: float = 10.0) -> bool:
        """Return whether the process ends within ``timeout`` seconds."""
        with contextlib.suppress(AssertionError):
            self._info.assertWaitForShutdown(self._action, timeout=timeout)
        return self.terminated

    def wait_for_output(
        self, condition: Callable[[str], bool] | None = None, timeout: float = 10.0
    ) -> bool:
        """Return whether such output (or any) arrives on a stream within ``timeout`` seconds."""
        holds = bool if condition is None else condition
        if not callable(holds):
            raise TypeError(f"condition={condition!r}: must be a function of the output's text")
        return self._output.wait_until(lambda: bool(holds(self.output)), timeout)


@contextlib.contextmanager
def launch_process(
    launch_service: LaunchService,
    process_action: ExecuteProcess,
    proc_info: ActiveProcInfoHandler,
    proc_output: ActiveIoHandler,
    **kwargs: Any,
) -> Iterator[ProcessProxy]:
    """Start a process in the running launch; the end of the context ends it."""
    launch_service.include_launch_description(LaunchDescription([process_action]))
    proc_info.assertWaitForStartup(process=process_action, timeout=10)
    proxy = ProcessProxy(process_action, proc_info, proc_output, **kwargs)
    try:
        yield proxy
    finally:
        if not proxy.terminated:
            launch_service.emit_event(
                ShutdownProcess(process_matcher=matches_action(process_action))
            )
            proxy.wait_for_shutdown(timeout=15.0)


__getattr__ = refuse_names(
    __name__, ("expect_output", "expected_output_from_file"), "launch_testing"
)

"""The life of one process of a launch: start, output, signals, respawn, end."""

from __future__ import annotations

import asyncio
import shlex
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._child_process import ChildProcess, Command
from ._process_output import OutputOption, OutputWriter, parse_output
from .base import BaseEventHandler, Event, LaunchContext
from .event_handlers import OnShutdown, RespondingHandler
from .events.general import Shutdown
from .events.process import (
    ProcessAction,
    ProcessExited,
    ProcessStarted,
    ProcessStderr,
    ProcessStdout,
    ProcessTargetedEvent,
    SignalProcess,
)
from .logging import get_logger


@dataclass(frozen=True)
class Step:
    """Send ``signal``, then wait up to ``patience_s`` for the exit (None: no limit)."""

    signal: signal.Signals
    patience_s: float | None


@dataclass(frozen=True)
class Escalation:
    """SIGINT, after ``sigterm_timeout_s`` SIGTERM, after ``sigkill_timeout_s`` more SIGKILL."""

    sigterm_timeout_s: float = 5.0
    sigkill_timeout_s: float = 5.0

    def __post_init__(self) -> None:
        for name in ("sigterm_timeout", "sigkill_timeout"):
            value = getattr(self, f"{name}_s")
            if not value >= 0.0:
                raise ValueError(f"{name}={value}: must be >= 0")

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order."""
        yield Step(signal.SIGINT, self.sigterm_timeout_s)
        yield Step(signal.SIGTERM, self.sigkill_timeout_s)
        yield Step(signal.SIGKILL, None)


@dataclass(frozen=True)
class RespawnPolicy:
    """Whether a process that exited is started again; -1 retries means no limit."""

    wanted: bool = False
    delay_s: float = 0.0
    max_retries: int = -1

    def allows(self, retries_so_far: int) -> bool:
        """Return whether one more start is due."""
        return self.wanted and (self.max_retries < 0 or retries_so_far < self.max_retries)


@dataclass(frozen=True)
class RunnerOptions:
    """The options of one process, performed."""

    name: str
    cmd: list[str]
    cwd: str | None
    env: dict[str, str]
    shell: bool
    emulate_tty: bool
    output: OutputOption
    output_format: str
    keeps_output: bool
    logs_cmd: bool
    escalation: Escalation
    respawn: RespawnPolicy


class ProcessRunner:
    """Runs the process of one action, with respawns, until its last exit."""

    def __init__(
        self, action: ProcessAction, context: LaunchContext, options: RunnerOptions
    ) -> None:
        self._action = action
        self._context = context
        self._options = options
        self._logger = get_logger(options.name)
        self._child: ChildProcess | None = None
        self._stop = asyncio.Event()
        self._escalation: asyncio.Task[None] | None = None
        routes = parse_output(options.output, options.name)
        self._writers = {
            1: OutputWriter(options.name, options.output_format, routes.stdout),
            2: OutputWriter(options.name, options.output_format, routes.stderr),
        }
        self.cache: dict[int, list[bytes]] = {1: [], 2: []}
        self.name = options.name
        self.return_code: int | None = None
        self.is_over = False
        self.details: dict[str, Any] | None = None

    def handlers(self) -> list[BaseEventHandler]:
        """Return the handlers of events for this process."""
        return [
            RespondingHandler(
                matcher=self._is_meant_by, response=self._on_request, handle_once=False
            ),
            OnShutdown(on_shutdown=self._on_shutdown),
        ]

    def _is_meant_by(self, event: Event) -> bool:
        return isinstance(event, ProcessTargetedEvent) and event.process_matcher(self._action)

    def _on_request(self, event: ProcessTargetedEvent, context: LaunchContext) -> None:
        if isinstance(event, SignalProcess):
            self._signal(event.signal)
        else:
            self._begin_stop()

    def _on_shutdown(self, event: Shutdown, context: LaunchContext) -> None:
        self._begin_stop()

    # -- start and end ------------------------------------------------------------------------

    def start(self) -> None:
        """Start the process; a failure is an error of the launch."""
        options = self._options
        command = Command(
            cmd=options.cmd,
            cwd=options.cwd,
            env=options.env,
            shell=options.shell,
            emulate_tty=options.emulate_tty,
        )
        try:
            self._child = ChildProcess(command, self._take_output)
        except OSError as error:
            raise RuntimeError(_why_not_started(options, error)) from error
        pid = self._child.pid
        self.details = {
            "name": options.name,
            "cmd": options.cmd,
            "cwd": options.cwd,
            "env": options.env,
            "pid": pid,
        }
        cmd = f", cmd '{shlex.join(options.cmd)}'" if options.logs_cmd else ""
        self._logger.info(f"process started with pid [{pid}]{cmd}")
        self._context.emit_event_sync(ProcessStarted(action=self._action, **self.details))

    async def follow(self, handlers: list[BaseEventHandler]) -> None:
        """Wait for the exit, respawn where configured, and clean up after the last exit."""
        retries = 0
        try:
            while True:
                await self._follow_once()
                if not await self._wait_before_respawn(retries):
                    break
                retries += 1
                self.start()
        finally:
            self.is_over = True
            for handler in handlers:
                if self._context._is_registered(handler):
                    self._context.unregister_event_handler(handler)

    async def _follow_once(self) -> None:
        assert self._child is not None
        assert self.details is not None
        code = await self._child.finish(self._options.escalation.sigkill_timeout_s)
        if self._escalation is not None:
            self._escalation.cancel()
        for writer in self._writers.values():
            writer.close()
        self.return_code = code
        pid = self._child.pid
        if code == 0:
            self._logger.info(f"process has finished cleanly [pid {pid}]")
        else:
            cmd = " ".join(self._options.cmd)
            self._logger.error(f"process has died [pid {pid}, exit code {code}, cmd '{cmd}'].")
        handled = ProcessExited(action=self._action, returncode=code, **self.details)
        self._context.emit_event_sync(handled)
        await self._context._wait_until_handled(handled)

    async def _wait_before_respawn(self, retries: int) -> bool:
        """Return whether to respawn, after the delay; a shutdown of the launch ends the delay."""
        if not self._options.respawn.allows(retries) or self._stop.is_set():
            return False
        waiting = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({waiting}, timeout=self._options.respawn.delay_s)
        waiting.cancel()
        return not self._stop.is_set() and not self._context.is_shutdown

    # -- signals --------------------------------------------------------------------------------

    def _signal(self, number: signal.Signals) -> None:
        if self._child is None or self._child.has_ended:
            return
        self._logger.info(f"sending signal '{number.name}' to process[{self.name}]")
        self._child.send_signal(number)

    def _begin_stop(self) -> None:
        self._stop.set()
        if self._escalation is None and self._child is not None and not self._child.has_ended:
            self._escalation = asyncio.ensure_future(self._escalate(self._child))

    async def _escalate(self, child: ChildProcess) -> None:
        steps = list(self._options.escalation.steps())
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            self._signal(step.signal)
            if await child.wait_for_exit(step.patience_s) or following is None:
                return
            self._logger.error(
                f"process[{self.name}] failed to terminate '{step.patience_s}' seconds after "
                f"receiving '{step.signal.name}', escalating to '{following.signal.name}'"
            )

    # -- output ---------------------------------------------------------------------------------

    def _take_output(self, stream: int, data: bytes) -> None:
        assert self.details is not None
        self._writers[stream].feed(data)
        if self._options.keeps_output:
            self.cache[stream].append(data)
        event_type = ProcessStdout if stream == 1 else ProcessStderr
        self._context.emit_event_sync(event_type(text=data, action=self._action, **self.details))


def _why_not_started(options: RunnerOptions, error: OSError) -> str:
    if options.cwd is not None and error.filename == options.cwd:
        return f"process[{options.name}]: cwd '{options.cwd}': {error.strerror}"
    return f"process[{options.name}]: executable '{options.cmd[0]}': {error.strerror}"

"""Runs launch descriptions: the entry point for programs and other threads."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from ._launch_loop import LaunchLoop
from .actions.include_launch_description import IncludeLaunchDescription
from .base import Event, LaunchContext
from .events.general import Shutdown
from .launch_description import LaunchDescription
from .launch_description_sources import LaunchDescriptionSource
from .logging import launch_config

_T = TypeVar("_T")


class LaunchService:
    """Performs the included descriptions until nothing runs any more.

    Call ``run()`` in the main thread so that it receives Ctrl-C; ``emit_event()`` and
    ``shutdown()`` may be called from any thread.
    """

    def __init__(
        self,
        *,
        argv: Iterable[str] | None = None,
        noninteractive: bool = False,
        debug: bool = False,
    ) -> None:
        if debug:
            launch_config.level = logging.DEBUG
        self.__context = LaunchContext(argv=argv, noninteractive=noninteractive)
        self.__loop_of_events = LaunchLoop(self.__context)
        self.__task: asyncio.Task[int] | None = None

    @property
    def context(self) -> LaunchContext:
        """Return the state of the launch."""
        return self.__context

    @property
    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the asyncio loop while the launch runs."""
        return self.__context.asyncio_loop

    @property
    def task(self) -> asyncio.Task[int] | None:
        """Return the task of the launch while it runs."""
        return self.__task

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Perform a description, now or when the launch starts."""
        source = LaunchDescriptionSource(launch_description)
        self._call_in_loop(self.__loop_of_events.add, IncludeLaunchDescription(source))

    def emit_event(self, event: Event) -> None:
        """Put an event into the queue, from any thread."""
        self._call_in_loop(self.__context.emit_event_sync, event)

    def shutdown(self, force_sync: bool = False) -> None:
        """Shut down the launch, from any thread; no effect on a launch that does not run."""
        if self.__context.asyncio_loop is not None:
            self.emit_event(Shutdown(reason="LaunchService.shutdown() called"))

    def _call_in_loop(self, function: Callable[[_T], None], argument: _T) -> None:
        loop = self.__context.asyncio_loop
        if loop is None or _runs_in(loop):
            function(argument)
            return
        with contextlib.suppress(RuntimeError):  # the loop has just closed
            loop.call_soon_threadsafe(function, argument)

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until the end; return 0, or 1 when the launch failed."""
        return asyncio.run(self.run_async(shutdown_when_idle=shutdown_when_idle))

    async def run_async(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until the end, in the asyncio loop of the caller."""
        if self.__context.asyncio_loop is not None:
            raise RuntimeError("this LaunchService is running already")
        loop = self.__loop_of_events
        self.__task = asyncio.ensure_future(loop.run(shutdown_when_idle=shutdown_when_idle))
        try:
            return await asyncio.shield(self.__task)
        except asyncio.CancelledError:
            loop.begin_shutdown("the task of the launch was cancelled")
            await self.__task
            raise
        finally:
            self.__task = None


def _runs_in(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False

"""The loop of a running launch: it visits entities, handles events and signals, and waits."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .base import Event, LaunchContext, LaunchDescriptionEntity
from .events.general import Shutdown
from .logging import get_logger

# SIGHUP too: the processes have their own sessions, so closing the terminal does not end them.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


@contextlib.contextmanager
def caught_signals(on_signal: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call ``on_signal`` in the running loop for each signal (in the main thread only).

    SIGHUP that is ignored stays ignored: ``nohup`` keeps a launch when its terminal is closed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


class LaunchLoop:
    """Visits entities and handles events until nothing runs and nothing is queued.

    An error anywhere ends the launch in order: one log line, then the shutdown.
    """

    def __init__(self, context: LaunchContext) -> None:
        self._context = context
        self._to_visit: list[LaunchDescriptionEntity] = []
        self._futures: set[asyncio.Future[None]] = set()
        self._wake = asyncio.Event()
        self._logger = get_logger("launch")
        self._was_interrupted = False

    def add(self, entity: LaunchDescriptionEntity) -> None:
        """Visit ``entity`` at the next opportunity."""
        self._to_visit.append(entity)
        self._wake.set()

    def begin_shutdown(self, reason: str, *, due_to_sigint: bool = False) -> None:
        """Shut down everything that runs, then the loop."""
        self._context.emit_event_sync(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    async def run(self, *, shutdown_when_idle: bool) -> int:
        """Run to the end; return 0, or 1 when something failed."""
        context = self._context
        self._wake = asyncio.Event()
        context._begin(asyncio.get_running_loop(), self._wake.set)
        try:
            with caught_signals(self._on_signal):
                await self._run_until_over(shutdown_when_idle)
        finally:
            context._end()
        return int(context._has_failed)

    async def _run_until_over(self, shutdown_when_idle: bool) -> None:
        while True:
            self._wake.clear()
            self._perform_all_pending()
            if self._forget_finished():
                continue
            if not self._futures:
                if self._context.is_shutdown:
                    return
                if shutdown_when_idle:
                    self.begin_shutdown("idle")
                    continue
            waiter = asyncio.ensure_future(self._wake.wait())
            waited: set[asyncio.Future[Any]] = {waiter, *self._futures}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()

    def _perform_all_pending(self) -> None:
        while True:
            if self._to_visit:
                self._guarded_visit([self._to_visit.pop(0)])
                continue
            event = self._context._next_event()
            if event is None:
                self._futures.update(self._context._take_completion_futures())
                return
            try:
                self._handle(event)
            finally:
                self._context._note_handled(event)

    def _forget_finished(self) -> bool:
        """Remove the finished futures; return whether one of them failed."""
        finished = {future for future in self._futures if future.done()}
        self._futures -= finished
        errors = [
            error
            for future in finished
            if not future.cancelled() and (error := future.exception()) is not None
        ]
        for error in errors:
            self._fail(error)
        return bool(errors)

    # -- events and entities -----------------------------------------------------------------

    def _handle(self, event: Event) -> None:
        context = self._context
        if isinstance(event, Shutdown):
            context._set_is_shutdown(True)
        for handler in context._handlers_of(event):
            if not context._is_registered(handler):
                continue  # removed by an earlier handler
            context._push_locals()
            try:
                self._visit(handler.handle(event, context) or ())
            except Exception as error:
                self._fail(error)
            finally:
                context._pop_locals()

    def _guarded_visit(self, entities: Iterable[LaunchDescriptionEntity]) -> None:
        try:
            self._visit(entities)
        except Exception as error:
            self._fail(error)

    def _visit(self, entities: Iterable[LaunchDescriptionEntity]) -> None:
        ahead = list(entities)[::-1]
        while ahead:
            entity = ahead.pop()
            following = entity.visit(self._context)
            future = entity.get_asyncio_future()
            if future is not None:
                self._futures.add(future)
            ahead.extend(list(following or ())[::-1])

    # -- errors and signals --------------------------------------------------------------------

    def _fail(self, error: BaseException) -> None:
        text = str(error) or type(error).__name__
        if isinstance(error, (SyntaxError, KeyError, AttributeError, NameError, TypeError)):
            text = f"{type(error).__name__}: {text}"  # their text alone is not clear
        self._logger.debug("".join(traceback.format_exception(error)).rstrip())
        self._logger.error(f"Caught exception in launch (see debug for traceback): {text}")
        self._context._fail()
        self.begin_shutdown(f"Caught exception in launch: {text}")

    def _on_signal(self, number: signal.Signals) -> None:
        # The shutdown first: no failure to write the log line may prevent it.
        if number != signal.SIGINT:
            self.begin_shutdown(f"received {number.name}")
            self._logger.warning(f"received {number.name}, shutting down")
        elif self._was_interrupted:
            self._logger.warning("user interrupted with ctrl-c (SIGINT) again, ignoring...")
        else:
            self._was_interrupted = True
            self.begin_shutdown("ctrl-c (SIGINT)", due_to_sigint=True)
            self._logger.warning("user interrupted with ctrl-c (SIGINT)")

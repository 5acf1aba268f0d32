"""Signals to the launch itself."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

# SIGHUP too: the processes have sessions of their own, so a terminal that closes does not end them.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


@contextlib.contextmanager
def caught_signals(on_signal: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call ``on_signal`` in the running loop for each signal; only the main thread can do that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)

"""The signals on which a program of ours ends in order: at its start, as it runs, at its end."""

from __future__ import annotations

import os
import signal


def ending_signals() -> list[signal.Signals]:
    """Ctrl-C, a request to end, and a closed terminal, unless nohup has that ignored."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers


def end_on_signals(exit_code: int = 0) -> None:
    """End the process on a signal, until it has handlers of its own. Ignored signals stay so."""

    def end(number: int, frame: object) -> None:
        os._exit(exit_code)

    for number in ending_signals():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def restore_signals() -> None:
    """Undo `end_on_signals`: as in a process that Python has just started."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_repeated_signals() -> None:
    """Called at the end of a program: nothing of Ctrl-C or of a closed terminal kills it any more.

    Both signals often come twice, from the terminal and from the launch. Python's shutdown sets the
    handlers of its own code back, so the second one would kill a program that has ended in order;
    an ignored signal stays ignored. SIGTERM still ends a shutdown that hangs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

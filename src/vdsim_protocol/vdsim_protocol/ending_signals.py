"""The signals on which a program of ours ends in order."""

from __future__ import annotations

import signal


def ending_signals() -> list[signal.Signals]:
    """Ctrl-C, a request to end, and a closed terminal, unless nohup has that ignored."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers


def ignore_repeated_signals() -> None:
    """Called at the end of a program: nothing of Ctrl-C or of a closed terminal kills it any more.

    Both signals often come twice, from the terminal and from the launch. Python's shutdown sets the
    handlers of its own code back, so the second one would kill a program that has ended in order;
    an ignored signal stays ignored. SIGTERM still ends a shutdown that hangs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

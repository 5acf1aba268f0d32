"""The signals on which a program of ours ends in order."""

from __future__ import annotations

import signal


def ending_signals() -> list[signal.Signals]:
    """Ctrl-C, a request to end, and a closed terminal, unless nohup has that ignored."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers

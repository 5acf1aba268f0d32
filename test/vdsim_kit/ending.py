"""What ends a run of pytest by SIGTERM ends what its tests have started, too."""

from __future__ import annotations

import os
import signal
from types import FrameType


def end_in_order() -> None:
    """Let SIGTERM interrupt this process as Ctrl-C does, so that each test ends its processes.

    Without it the launches of a test live on: each is a session of its own.
    """
    process = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        if os.getpid() == process:
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_DFL)  # a fork of it ends as any process
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, interrupt)

"""What an injector works with: the processes, the wire, the stack, and the cell's values."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from vdsim_campaign.cells import OfCell
from vdsim_campaign.driver import Driver
from vdsim_campaign.system import System


@dataclass
class Trial(OfCell):
    """One cell that runs.

    `injected`: how often the fault was injected, where that is counted. `began_s`: from when the
    fault can be seen, on the monotonic clock.
    """

    system: System
    driver: Driver
    injected: int = 0
    began_s: float = 0.0
    killed: set[str] = field(default_factory=set)

    @contextmanager
    def repeated(self, work: Callable[[], None], rate_hz: float) -> Iterator[None]:
        """Repeat some work in a thread of its own; `injected` counts how often."""
        stop = threading.Event()

        def run() -> None:
            due_s = time.monotonic()
            while not stop.is_set():
                work()
                self.injected += 1
                due_s = max(due_s + 1.0 / rate_hz, time.monotonic() - 0.1)
                stop.wait(max(0.0, due_s - time.monotonic()))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

"""Receives the Joy messages of a page in place of a vehicle interface."""

from __future__ import annotations

import time
from collections.abc import Callable

from vdsim_plant_node.dataport.joy import JoySample

_LIMIT_S = 120.0


class Pads:
    """Keeps every sample, with its vehicle."""

    def __init__(self) -> None:
        self.subscribed = True
        self.samples: list[tuple[int, JoySample]] = []
        self._seen = 0

    def is_subscribed(self, vehicle_id: int) -> bool:
        """Whether somebody takes them."""
        return self.subscribed

    def publish(self, vehicle_id: int, sample: JoySample) -> None:
        """Take one; on the data port's thread."""
        self.samples.append((vehicle_id, sample))

    def wait_for(
        self,
        condition: Callable[[JoySample], bool],
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait for a sample that satisfies the condition, after the one found before."""
        end = time.monotonic() + _LIMIT_S
        while True:
            while self._seen < len(self.samples):
                self._seen += 1
                if condition(self.samples[self._seen - 1][1]):
                    return
            assert time.monotonic() < end, self.samples[-3:]
            meanwhile()
            time.sleep(0.01)

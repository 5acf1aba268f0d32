"""Detector of high-frequency oscillation in a command channel ([VI-3.1]).

A reversal counts when the swing since the last turning point reaches the amplitude. Enough
reversals within the window set the flag of the channel; it clears when fewer than half remain.
"""

from collections import deque


class OscillationDetector:
    """Counts the reversals of one channel; one `step` is one period.

    `extreme`: the latest; `reversals`: the steps of those in the window. A period at the extreme
    changes nothing while there are none.
    """

    def __init__(self) -> None:
        self.reversals: deque[int] = deque()
        self._step_n = 0
        self.extreme = 0.0
        self._rising = True
        self._flagged = False

    def reset(self) -> None:
        """Discard all samples."""
        self.__init__()  # type: ignore[misc]

    def step(self, value: float, amplitude: float, reversals: int, window_n: int) -> bool:
        """Process one sample; return whether the channel oscillates."""
        self._step_n += 1
        reversal_steps = self.reversals
        if self._rising:
            if self.extreme < value:
                self.extreme = value
        elif self.extreme > value:
            self.extreme = value
        if abs(value - self.extreme) >= amplitude:
            self._reverse(value)
        if not reversal_steps:
            return False
        while reversal_steps and reversal_steps[0] <= self._step_n - window_n:
            reversal_steps.popleft()
        needed = reversals // 2 if self._flagged else reversals
        self._flagged = len(reversal_steps) >= needed
        return self._flagged

    def _reverse(self, value: float) -> None:
        self.reversals.append(self._step_n)
        self._rising = not self._rising
        self.extreme = value

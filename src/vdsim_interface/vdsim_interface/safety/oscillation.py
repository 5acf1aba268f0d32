"""Detector of high-frequency oscillation in a command channel ([VI-3.1]).

A reversal counts when the swing since the last turning point reaches the amplitude. Enough
reversals within the window flag the channel; the flag falls when fewer than half are left.
"""

from collections import deque


class OscillationDetector:
    """Counts the reversals of one channel; one `step` is one period."""

    def __init__(self) -> None:
        self._turns: deque[int] = deque()
        self._step_n = 0
        self._extreme = 0.0
        self._rising = True
        self._flagged = False

    def reset(self) -> None:
        """Forget everything."""
        self.__init__()  # type: ignore[misc]

    def step(self, value: float, amplitude: float, reversals: int, window_n: int) -> bool:
        """Take one sample; tell whether the channel oscillates."""
        self._step_n += 1
        turns = self._turns
        swing = value - self._extreme
        if swing:
            if self._rising:
                if swing > 0.0:
                    self._extreme = value
                elif swing <= -amplitude:
                    self._turn(value)
            elif swing < 0.0:
                self._extreme = value
            elif swing >= amplitude:
                self._turn(value)
        if not turns:
            return False
        while turns and turns[0] <= self._step_n - window_n:
            turns.popleft()
        self._flagged = len(turns) >= (reversals // 2 if self._flagged else reversals)
        return self._flagged

    def _turn(self, value: float) -> None:
        self._turns.append(self._step_n)
        self._rising = not self._rising
        self._extreme = value

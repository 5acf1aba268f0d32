"""A world in virtual time: events that repeat, each with a period and a phase of its own."""

from __future__ import annotations

import math
import random
from typing import ClassVar

LIMIT_S = 10.0


class NotSafeError(AssertionError):
    """The command did not become safe."""


class World:
    """What drives a core through its inputs. A subclass says what happens at each event.

    `PERIODS_S` names the events; each is a method. `safe_s` is when the last command left before
    which every command since had been safe; infinite while the last one was not.
    """

    PERIODS_S: ClassVar[dict[str, float]]

    def __init__(self, fault: str, draws: random.Random) -> None:
        self.fault = fault
        self.is_faulty = False
        self.warm_up_s = 0.1
        self.draws = draws
        self.now = 1000.0
        self.safe_s = math.inf
        self._due_s = {
            name: self.now + draws.uniform(0.0, period_s)
            for name, period_s in self.PERIODS_S.items()
        }

    @property
    def has(self) -> str:
        """The fault that is there now; empty: none."""
        return self.fault if self.is_faulty else ""

    def begin_fault(self) -> None:
        """The fault begins now; a subclass adds what happens at this moment."""
        self.is_faulty = True

    def sent(self, *, safe: bool) -> None:
        """A command has left."""
        if not safe:
            self.safe_s = math.inf
        elif math.isinf(self.safe_s):
            self.safe_s = self.now

    @property
    def is_safe(self) -> bool:
        """Whether the last command was safe."""
        return math.isfinite(self.safe_s)

    def run_until(self, end_s: float) -> None:
        """Let everything happen that is due."""
        while (due_s := self._next_s()) <= end_s:
            self._step(due_s)
        self.now = end_s

    def run_until_safe(self) -> None:
        """Let time pass until a safe command leaves."""
        end_s = self.now + LIMIT_S
        while not self.is_safe:
            due_s = self._next_s()
            if due_s > end_s:
                raise NotSafeError(f"{self.fault}: no safe command within {LIMIT_S:g} s")
            self._step(due_s)

    def _next_s(self) -> float:
        return min(self._due_s.values())

    def _step(self, due_s: float) -> None:
        name = min(self._due_s, key=self._due_s.__getitem__)
        self._due_s[name] += self.PERIODS_S[name]
        self.now = due_s
        getattr(self, name)()


def time_to_safe(world: World) -> float:
    """Drive, let the fault begin at any moment, return the time until the command is safe [s]."""
    world.run_until(world.now + world.warm_up_s + world.draws.uniform(0.0, 0.05))
    if world.is_safe:
        raise NotSafeError(f"{world.fault}: the car does not drive before the fault")
    begin_s = world.now
    world.begin_fault()
    if not world.is_safe:
        world.run_until_safe()
    return world.safe_s - begin_s

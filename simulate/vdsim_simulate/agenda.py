"""The one clock of a simulated world and what happens on it, in a fixed order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Generic, TypeVar

V = TypeVar("V")
Action = Callable[[], None]


class Agenda:
    """What is due, by time; of two things at one time, the one that was entered first."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Action]] = []
        self._entered_n = 0

    def at(self, time_s: float, action: Action) -> None:
        """Let something happen; what lies in the past happens now."""
        self._entered_n += 1
        heappush(self._due, (time_s if time_s > self.now else self.now, self._entered_n, action))

    def after(self, delay_s: float, action: Action) -> None:
        """Let something happen `delay_s` from now."""
        self._entered_n += 1
        due_s = self.now + delay_s if delay_s > 0.0 else self.now
        heappush(self._due, (due_s, self._entered_n, action))

    def run_until(self, end_s: float) -> None:
        """Let everything happen that is due until then."""
        due = self._due
        while due and due[0][0] <= end_s:
            self.now, _, action = heappop(due)
            action()
        self.now = end_s


class Clock:
    """A machine's own clock: an origin and a rate that is not quite one; both may change."""

    def __init__(self, agenda: Agenda, origin_s: float, drift_ppm: float) -> None:
        self._agenda = agenda
        self._origin_s = origin_s
        self.rate = 1.0 + 1e-6 * drift_ppm

    def now(self) -> float:
        """The time on this clock [s]."""
        return self._origin_s + self.rate * self._agenda.now

    def jump(self, by_s: float) -> None:
        """From now on the clock shows so much more, or less."""
        self._origin_s += by_s

    def run_at(self, rate: float) -> None:
        """From now on the clock runs at another rate; it does not jump."""
        self._origin_s += (self.rate - rate) * self._agenda.now
        self.rate = rate

    def to_world_s(self, duration_s: float) -> float:
        """Return how long a duration on this clock takes."""
        return duration_s / self.rate


class Process:
    """A virtual process: timers and deliveries on a clock of its own.

    While it is stalled nothing in it runs. When it runs again, each timer that was due fires once,
    and what waited in its queues is delivered, in an order that the seed draws.
    """

    def __init__(self, agenda: Agenda, name: str, clock: Clock, draws: random.Random) -> None:
        self.agenda = agenda
        self.name = name
        self.clock = clock
        self.is_running = True
        self.is_alive = True
        self.wakes_s = 0.0
        self._draws = draws
        self._missed: list[Action] = []
        self._timers_n = 0
        self._inboxes: list[Inbox] = []  # type: ignore[type-arg]

    def every(self, period_s: float, phase_s: float, action: Action) -> None:
        """Call `action` with a period on the process's clock, until the process ends."""
        after, to_world_s = self.agenda.after, self.clock.to_world_s

        def fire() -> None:
            if not self.is_alive:
                return
            if self.is_running:
                action()
            elif action not in self._missed:
                self._missed.append(action)
            after(to_world_s(period_s), fire)

        after(phase_s, fire)

    def wake_after(self, delay_s: float, action: Action) -> None:
        """Call `action` once, so much later on the process's clock; replaces the call before."""
        self._timers_n = number = self._timers_n + 1

        def fire() -> None:
            if self._timers_n != number or not self.is_alive:
                return
            if self.is_running:
                action()
            else:
                self._missed.append(action)

        self.agenda.after(self.clock.to_world_s(delay_s), fire)

    def inbox(self, receive: Callable[[V], None], depth_n: int) -> Inbox[V]:
        """Return a queue into the process."""
        box = Inbox(self, receive, depth_n)
        self._inboxes.append(box)
        return box

    def stall(self, for_s: float) -> None:
        """Do not run for a while; a stall within another one lasts until the later end."""
        self.is_running = False
        self.wakes_s = max(self.wakes_s, self.agenda.now + for_s)
        self.agenda.at(self.wakes_s, self._wake)

    def end(self) -> None:
        """The process is killed: nothing of it runs any more, what waits in it is gone."""
        self.is_alive = self.is_running = False

    def _wake(self) -> None:
        if not self.is_alive or self.is_running or self.agenda.now < self.wakes_s:
            return
        self.is_running = True
        missed, self._missed = self._missed, []
        waiting: list[Action] = [*missed, *(box.drain for box in self._inboxes)]
        self._draws.shuffle(waiting)
        for action in waiting:
            action()


class Inbox(Generic[V]):
    """What arrives for a process: delivered at once while it runs, else the newest few wait."""

    def __init__(self, process: Process, receive: Callable[[V], None], depth_n: int) -> None:
        self._process = process
        self._receive = receive
        self._waiting: deque[V] = deque(maxlen=depth_n)

    def put(self, value: V) -> None:
        """Something arrives."""
        if self._process.is_running:
            self._receive(value)
        elif self._process.is_alive:
            self._waiting.append(value)

    @property
    def is_heard(self) -> bool:
        """Whether what arrives is received, now or later."""
        return self._process.is_alive

    def drain(self) -> None:
        """Deliver what has waited."""
        while self._waiting:
            self._receive(self._waiting.popleft())

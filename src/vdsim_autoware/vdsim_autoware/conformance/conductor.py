"""Plays a script of Autoware's side: streams of commands, requests, waits. Time is an argument.

A script is a generator: it yields what it waits for and receives whether that has happened. Between
two waits it changes the streams of commands, which the conductor repeats at their rates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.record import WARN, Answer, Joined, Probe, Record

STATE_RATE_HZ = 10.0
GAIN_1PS = 1.0
ACCEL_MAX_MPS2, DECEL_MAX_MPS2 = 1.0, 2.0
LARGEST_BURST = 50
COMMAND_LIMIT_S = 30.0
PAUSE_S = 0.2
"""A kit that is not called for so long has let its commands pause: vehicles stop after 0.5 s."""


class Publish(NamedTuple):
    """Send a command. Control: velocity [m/s], acceleration [m/s2], front wheel angle [rad].

    `stamp_offset_s` is added to the time of sending.
    """

    topic: str
    values: tuple[float, ...]
    stamp_offset_s: float = 0.0


class Call(NamedTuple):
    """Request a control mode; the answer goes to `Conductor.answered`."""

    name: str
    mode: int


class Join(NamedTuple):
    """Subscribe late to a latched topic; the outcome goes to `Conductor.joined`."""

    topic: str


class Provoke(NamedTuple):
    """Start a cause that the caller's command provokes, or end it."""

    cause: str
    begins: bool


Action = Publish | Call | Join | Provoke


class Until(NamedTuple):
    """Wait until something is true, `limit_s` at most."""

    condition: Callable[[], bool]
    limit_s: float


Script = Generator[Until, bool, None]
Step = Generator[Until, bool, bool]


@dataclass(frozen=True)
class Options:
    """What the caller says about the vehicle. `patience` multiplies every limit of time."""

    patience: float = 1.0
    speed_mps: float = 2.5
    steer_rad: float = 0.15
    too_low_hz: float = 4.0
    too_high_hz: float = 500.0
    without: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()
    by_hand: bool = False


@dataclass
class Stream:
    """A command that is repeated; None: silent. `every_other`: in place of every other one."""

    rate_hz: float
    values: tuple[float, ...] | None = None
    every_other: tuple[float, ...] | None = None
    stamp_offset_s: float = 0.0
    due_s: float = -math.inf

    def count(self, now: float) -> int:
        """Return how many messages are due."""
        if self.values is None or now < self.due_s:
            return 0
        period_s = 1.0 / self.rate_hz
        if now - self.due_s > LARGEST_BURST * period_s:
            self.due_s = now
        count = int((now - self.due_s) / period_s) + 1
        self.due_s += count * period_s
        return count


@dataclass
class Conductor:
    """Autoware's side of one drive; fills the record's probes and answers."""

    record: Record
    options: Options
    script: Callable[[Conductor], Script]
    now: float = 0.0
    is_done: bool = False
    target_mps: float = 0.0
    accel_mps2: float | None = None
    steer_rad: float = 0.0
    codes: dict[str, int] = field(default_factory=dict)
    _actions: list[Action] = field(default_factory=list)
    _sent: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.streams: Mapping[str, Stream] = {
            names.CONTROL: Stream(names.CONTROL_RATE_HZ),
            **{t: Stream(STATE_RATE_HZ) for t in (names.GEAR, names.TURN, names.HAZARD)},
            names.MANUAL_CONTROL: Stream(names.CONTROL_RATE_HZ),
            names.MANUAL_GEAR: Stream(STATE_RATE_HZ),
        }
        self._play: Script | None = None
        self._wait = Until(lambda: True, 0.0)
        self._since_s = 0.0

    # ---- for whoever runs it ---------------------------------------------------------------------

    def step(self, now: float) -> list[Action]:
        """Return what to do now."""
        if self._play is not None and now - self.now > PAUSE_S:
            self.record.pauses.append((self.now, now))
        self.now = now
        if self._play is None:
            self._play = self.script(self)
            self._advance(first=True)
        while not self.is_done:
            happened = self._wait.condition()
            if not happened and now - self._since_s < self._wait.limit_s:
                break
            self._advance(happened)
        self._repeat()
        actions, self._actions = self._actions, []
        return actions

    def answered(self, name: str, mode: int, success: bool | None) -> None:
        """Store an answer of the service."""
        self.record.answers[name] = Answer(name, mode, success)

    def provoked(self, cause: str, code: int) -> None:
        """Store how the caller's command ended."""
        self.codes[cause] = code

    def joined(self, topic: str, received: bool) -> None:
        """Store what a late subscriber received."""
        self.record.joined[topic] = Joined(topic, received)

    def _advance(self, happened: bool = False, *, first: bool = False) -> None:
        assert self._play is not None
        try:
            self._wait = next(self._play) if first else self._play.send(happened)
            self._since_s = self.now
        except StopIteration:
            self.is_done = True

    def _repeat(self) -> None:
        for topic, stream in self.streams.items():
            if topic == names.CONTROL and stream.values is not None:
                stream.values = self._control()
            for _ in range(stream.count(self.now)):
                assert stream.values is not None
                self._sent[topic] = self._sent.get(topic, 0) + 1
                # Never two at once: a queue of depth 1 would keep the wrong one alone.
                wrong = stream.every_other if self._sent[topic] % 2 else None
                values = stream.values if wrong is None else wrong
                self._actions.append(Publish(topic, values, stream.stamp_offset_s))

    def _control(self) -> tuple[float, float, float]:
        """Velocity and acceleration that agree: a proportional controller of the speed."""
        if self.accel_mps2 is not None:
            return self.target_mps, self.accel_mps2, self.steer_rad
        velocity_mps = self.record.latest(names.VELOCITY_STATUS)
        backward = self.record.latest(names.GEAR_STATUS) == names.REVERSE
        if not math.isfinite(velocity_mps):
            velocity_mps = 0.0
        error_mps = self.target_mps - velocity_mps
        wanted = GAIN_1PS * (-error_mps if backward else error_mps)
        if self.target_mps == 0.0:  # a car at rest is held
            wanted = -DECEL_MAX_MPS2
        return self.target_mps, min(max(wanted, -DECEL_MAX_MPS2), ACCEL_MAX_MPS2), self.steer_rad

    # ---- for scripts -----------------------------------------------------------------------------

    def drive(
        self, target_mps: float, steer_rad: float = 0.0, accel_mps2: float | None = None
    ) -> None:
        """Command a speed; without `accel_mps2` the acceleration that leads there."""
        self.target_mps, self.steer_rad, self.accel_mps2 = target_mps, steer_rad, accel_mps2
        stream = self.streams[names.CONTROL]
        stream.values = stream.values or (0.0, 0.0, 0.0)

    def silence(self) -> None:
        """Send no more control commands."""
        self.streams[names.CONTROL].values = None

    def hold_by_hand(self, holds: bool) -> None:
        """With --by-hand: a person holds the car, straight on in DRIVE, or lets go of it."""
        if self.options.by_hand:
            person, gear = self.streams[names.MANUAL_CONTROL], self.streams[names.MANUAL_GEAR]
            person.values = (0.0, -DECEL_MAX_MPS2, 0.0) if holds else None
            gear.values = (float(names.DRIVE),) if holds else None

    def state(self, topic: str, number: int) -> None:
        """Repeat a gear, an indicator or hazard lights."""
        stream = self.streams[topic]
        stream.values, stream.due_s = (float(number),), self.now

    def wait(self, seconds: float) -> Step:
        """Wait."""
        yield Until(lambda: False, seconds)
        return True

    def hold(self, name: str, seconds: float) -> Step:
        """Wait, as a part of the drive with a name; the rate that was sent is stored."""
        begin_s, before = self.now, dict(self._sent)
        yield Until(lambda: False, seconds)
        self.record.probes[name] = Probe(name, begin_s, self.now)
        sent = self._sent.get(names.CONTROL, 0) - before.get(names.CONTROL, 0)
        self.record.sent_hz[name] = sent / max(self.now - begin_s, 1e-9)
        return True

    def until(self, name: str, condition: Callable[[], bool], limit_s: float) -> Step:
        """Wait for something, as a part of the drive with a name."""
        begin_s = self.now
        reached = yield Until(condition, limit_s * self.options.patience)
        self.record.probes[name] = Probe(name, begin_s, self.now, reached)
        return reached

    def reports(self, name: str, topic: str, number: int, limit_s: float) -> Step:
        """Wait for a number in a status."""
        done = yield from self.until(name, lambda: self.record.latest(topic) == number, limit_s)
        return done

    def quiet(self) -> Step:
        """Wait until /diagnostics shows no problem any more, some seconds at most."""
        current = self.record.current
        quiet = yield Until(lambda: all(a.level < WARN for a in current.values()), 6.0)
        return quiet

    def request(self, name: str, mode: int) -> Step:
        """Request a control mode; True when it was granted."""
        self._actions.append(Call(name, mode))
        answers = self.record.answers
        answers.pop(name, None)
        yield Until(lambda: name in answers, 5.0 * self.options.patience)
        if name not in answers:
            self.answered(name, mode, None)
        return answers[name].success is True

    def enter(self, name: str, mode: int, limit_s: float, refused_s: float) -> Step:
        """Request a control mode and wait until it is reported; `refused_s`: when it is refused.

        The part of the drive begins with the request.
        """
        begin_s = self.now
        granted = yield from self.request(name, mode)
        topic = names.MODE_STATUS
        limit_s = limit_s * self.options.patience if granted else refused_s
        reached = yield Until(lambda: granted and self.record.latest(topic) == mode, limit_s)
        self.record.probes[name] = Probe(name, begin_s, self.now, reached)
        return reached

    def join(self, topic: str) -> None:
        """Subscribe late."""
        self._actions.append(Join(topic))

    def provoke(self, cause: str, begins: bool) -> Step:
        """Start or end a cause; False when the caller's command failed."""
        self.codes.pop(cause, None)
        self._actions.append(Provoke(cause, begins))
        yield Until(lambda: cause in self.codes, COMMAND_LIMIT_S * self.options.patience)
        return self.codes.get(cause) == 0

    def fail_part(self, prefix: str, reason: str) -> None:
        """Take back a part of the drive that did not take place."""
        for name in [name for name in self.record.probes if name.startswith(prefix)]:
            del self.record.probes[name]
        self.skip(prefix, reason)

    def skip(self, prefix: str, reason: str) -> None:
        """Say why parts of the drive do not take place."""
        self.record.skipped[prefix] = reason

"""From device events to Joy samples: state, dead zone, coalescing and auto-repeat.

Second stage of the joystick device. Directions and numbering are those of ROS: +1 is left and up,
a trigger rests at +1 and is pressed at -1, buttons are numbered as the kernel's joydev does it.
A disconnected device gives no sample: repeating the last state would hide the loss.

A recorded drive is a text file of samples, one line each: `time_s; axes; buttons`; `#` begins a
comment. `vdsim_gamepad record` writes it, tests replay it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vdsim_interface.extras.teleop.linux_input import (
    STICK_CODES,
    AxisMoved,
    ButtonChanged,
    DeviceLayout,
    EvdevDecoder,
    Event,
    EventsLost,
    Protocol,
    RecordReader,
    ReportComplete,
    decode_js,
)
from vdsim_interface.parameters.fields import Parameters, choice, real, text


@dataclass(frozen=True)
class JoystickParameters(Parameters):
    """Which device, and how its events become Joy messages."""

    device: str = text("auto", "path, part of the device's name, or auto: the first joystick")
    protocol: str = choice(
        "auto", "event format; auto: by the path's name", ("auto", "js", "evdev")
    )
    deadzone: float = real(
        0.05,
        "part of a stick's travel around its centre that reads 0; none for triggers and wheels [-]",
        live=False,
        at_least=0,
        below=1,
    )
    autorepeat_rate_hz: float = real(
        20.0,
        "rate of repeated messages while nothing changes [Hz]; 0: none",
        live=False,
        at_least=0,
        at_most=1000,
    )
    coalesce_interval_s: float = real(
        0.005,
        "changes within this time are published as one message [s]",
        live=False,
        at_least=0,
        at_most=0.1,
    )
    retry_s: float = real(
        1.0, "period of the search for a missing device [s]", live=False, above=0, at_most=60
    )
    frame_id: str = text("joy", "frame of the messages' header")


@dataclass(frozen=True)
class JoySample:
    """Content of one sensor_msgs/Joy."""

    axes: tuple[float, ...]
    buttons: tuple[int, ...]


def without_dead_zone(value: float, deadzone: float) -> float:
    """Return 0 inside the dead zone, and the rest stretched so that it starts without a jump."""
    magnitude = abs(value)
    if magnitude <= deadzone:
        return 0.0
    return math.copysign((magnitude - deadzone) / (1.0 - deadzone), value)


@dataclass
class _State:
    axes: list[float] = field(default_factory=list)
    buttons: list[float] = field(default_factory=list)

    def apply(self, event: Event) -> bool:
        """Apply an event; true when it changed the state."""
        if isinstance(event, AxisMoved):
            return _set(self.axes, event.index, 0.0 - event.value)  # ROS: + is left and up
        if isinstance(event, ButtonChanged):
            return _set(self.buttons, event.index, float(event.pressed))
        return False


def _set(values: list[float], index: int, value: float) -> bool:
    values.extend([0.0] * (index + 1 - len(values)))
    changed = values[index] != value
    values[index] = value
    return changed


class Joystick:
    """One open device: bytes in, samples out when they are due."""

    def __init__(
        self, protocol: Protocol, layout: DeviceLayout, parameters: JoystickParameters, now: float
    ) -> None:
        self.layout = layout
        self.needs_resync = False
        self._parameters = parameters
        self._reader = RecordReader(protocol)
        self._decode = decode_js if protocol is Protocol.JS else EvdevDecoder(layout).decode
        self._state = _State([0.0] * len(layout.axis_codes), [0.0] * len(layout.button_codes))
        for index, axis in enumerate(layout.axis_ranges):
            self._state.apply(AxisMoved(index, axis.normalised(axis.value)))
        self._changed_at: float | None = now if layout.axis_codes or layout.button_codes else None
        self._sent_at = -math.inf
        self._discarding = False

    def on_bytes(self, data: bytes, now: float) -> None:
        """Receive bytes of the device file."""
        for record in self._reader.feed(data):
            event = self._decode(record)
            if event is not None:
                self._on_event(event, now)

    def resync(self, axes_raw: tuple[int, ...], buttons: tuple[bool, ...], now: float) -> None:
        """Set the whole state, read from the kernel after it had lost events."""
        for index, raw in enumerate(axes_raw):
            self._state.apply(AxisMoved(index, self.layout.axis_ranges[index].normalised(raw)))
        for index, pressed in enumerate(buttons):
            self._state.apply(ButtonChanged(index, pressed))
        self.needs_resync = False
        self._changed_at = now

    def poll(self, now: float) -> JoySample | None:
        """Return the sample that is due at `now`, if any."""
        if now < self.next_deadline():
            return None
        return self._take(now)

    def take_pending(self, now: float) -> JoySample | None:
        """Return the sample that is not due yet, if any: nothing follows it."""
        if self._changed_at is None:
            return None
        return self._take(now)

    def _take(self, now: float) -> JoySample:
        self._changed_at = None
        self._sent_at = now
        return self._sample()

    def next_deadline(self) -> float:
        """Return when the next sample is due; infinity when that needs an event."""
        deadline = math.inf
        interval_s = self._parameters.coalesce_interval_s
        if self._changed_at is not None and self._sent_at > -math.inf:
            deadline = max(self._changed_at, self._sent_at + interval_s)
        elif (
            self._changed_at is not None
        ):  # on open, a device reports its state in a burst of events
            deadline = self._changed_at + interval_s
        rate_hz = self._parameters.autorepeat_rate_hz
        if rate_hz > 0.0 and self._sent_at > -math.inf:
            deadline = min(deadline, self._sent_at + 1.0 / rate_hz)
        return deadline

    def _on_event(self, event: Event, now: float) -> None:
        if isinstance(event, EventsLost):
            self._discarding = True  # until the next mark the events belong to an unknown state
            return
        if self._discarding:
            if isinstance(event, ReportComplete):
                self._discarding = False
                self.needs_resync = True
            return
        if self._state.apply(event) and self._changed_at is None:
            self._changed_at = now

    def _sample(self) -> JoySample:
        codes = self.layout.axis_codes
        axes = tuple(
            without_dead_zone(value, self._parameters.deadzone)
            if index < len(codes) and codes[index] in STICK_CODES
            else value
            for index, value in enumerate(self._state.axes)
        )
        return JoySample(axes, tuple(int(pressed) for pressed in self._state.buttons))


# ---- a recorded drive ---------------------------------------------------------------------------


class RecordingError(ValueError):
    """A line of a recording is not valid."""


@dataclass(frozen=True)
class TimedSample:
    """A sample and its time [s] since the start of the recording."""

    time_s: float
    sample: JoySample


def format_sample(timed: TimedSample) -> str:
    """Return one line of the file."""
    axes = " ".join(f"{value:g}" for value in timed.sample.axes)
    buttons = "".join(str(pressed) for pressed in timed.sample.buttons)
    return f"{timed.time_s:.3f}; {axes}; {buttons}"


def parse_recording(lines: Iterable[str]) -> Iterator[TimedSample]:
    """Parse the samples of a file; RecordingError names the line."""
    for number, line in enumerate(lines, start=1):
        content = line.partition("#")[0].strip()
        if content:
            yield _parse_line(number, content)


def _parse_line(number: int, content: str) -> TimedSample:
    try:
        time_s, axes, buttons = content.split(";")
        sample = JoySample(
            tuple(float(value) for value in axes.split()),
            tuple(int(pressed) for pressed in buttons.strip()),
        )
        return TimedSample(float(time_s), sample)
    except ValueError as error:
        text = f"line {number}: must be 'time_s; axes; buttons', found {content!r}"
        raise RecordingError(text) from error


def replay(samples: tuple[TimedSample, ...], repeat_s: float) -> Iterator[TimedSample]:
    """Yield the samples, each repeated every `repeat_s` until the next one, as devices do."""
    for this, next_ in zip(samples, (*samples[1:], None), strict=True):
        yield this
        if next_ is None:
            return
        time_s = this.time_s + repeat_s
        while time_s < next_.time_s - 1e-9:
            yield TimedSample(time_s, this.sample)
            time_s += repeat_s

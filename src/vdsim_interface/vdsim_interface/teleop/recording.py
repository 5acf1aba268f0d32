"""A drive as a text file: one line per Joy sample, `time_s; axes; buttons`, `#` begins a comment.

Written by `vdsim_gamepad record`, replayed by tests and by whoever wants to see a drive again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vdsim_interface.teleop.joystick import JoySample


class RecordingError(ValueError):
    """A line of a recording cannot be read."""


@dataclass(frozen=True)
class TimedSample:
    """A sample and when it came, in s since the recording began."""

    time_s: float
    sample: JoySample


def format_sample(timed: TimedSample) -> str:
    """One line of the file."""
    axes = " ".join(f"{value:g}" for value in timed.sample.axes)
    buttons = "".join(str(pressed) for pressed in timed.sample.buttons)
    return f"{timed.time_s:.3f}; {axes}; {buttons}"


def parse_recording(lines: Iterable[str]) -> Iterator[TimedSample]:
    """The samples of a file; RecordingError names the line."""
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
    """The samples, and the last one again every `repeat_s` while nothing changes, as devices do."""
    for this, following in zip(samples, (*samples[1:], None), strict=True):
        yield this
        if following is None:
            return
        time_s = this.time_s + repeat_s
        while time_s < following.time_s - 1e-9:
            yield TimedSample(time_s, this.sample)
            time_s += repeat_s

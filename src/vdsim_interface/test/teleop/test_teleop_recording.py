"""Drives as text files."""

import itertools

import pytest
from vdsim_interface.extras.teleop.joystick import (
    JoySample,
    RecordingError,
    TimedSample,
    format_sample,
    parse_recording,
    replay,
)

FIRST = TimedSample(0.0, JoySample((0.0, 1.0), (0, 0)))
SECOND = TimedSample(0.25, JoySample((-0.5, 1.0), (1, 0)))


def test_a_sample_survives_the_file() -> None:
    lines = ["# a comment", "", format_sample(FIRST), format_sample(SECOND) + "  # note"]
    assert tuple(parse_recording(lines)) == (FIRST, SECOND)
    assert format_sample(SECOND) == "0.250; -0.5 1; 10"


@pytest.mark.parametrize("line", ["0.1; 0 1", "x; 0; 1", "0.1; a; 1", "0.1; 0; 2x", "1;2;3;4"])
def test_a_broken_line_is_named(line: str) -> None:
    with pytest.raises(RecordingError, match="line 2: must be 'time_s; axes; buttons'"):
        list(parse_recording(["# fine", line]))


def test_replay_repeats_the_last_sample_as_a_device_does() -> None:
    played = list(replay((FIRST, SECOND), repeat_s=0.1))
    assert [round(timed.time_s, 3) for timed in played] == [0.0, 0.1, 0.2, 0.25]
    assert [timed.sample for timed in played] == [FIRST.sample] * 3 + [SECOND.sample]
    assert max(b.time_s - a.time_s for a, b in itertools.pairwise(played)) <= 0.1 + 1e-9

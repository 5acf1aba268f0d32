"""The output of processes: its text, and what a test may expect of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from launch.events.process import ProcessIO

Matcher = Callable[[str], bool]
ExpectedOutput = str | re.Pattern[str] | Sequence["str | re.Pattern[str]"] | Matcher


def as_matcher(expected: ExpectedOutput) -> Matcher:
    """Return a predicate over the text of an output.

    A text must occur in it, a pattern must be found in it, and of several each must be found in a
    line after that of the one before.
    """
    if isinstance(expected, str):
        return lambda text: expected in text
    if isinstance(expected, re.Pattern):
        return lambda text: expected.search(text) is not None
    if callable(expected):
        return lambda text: bool(expected(text))
    if isinstance(expected, Sequence):
        line_matchers = [as_matcher(item) for item in expected]
        return lambda text: _in_order(line_matchers, text.splitlines())
    raise TypeError(
        f"{expected!r}: must be a text, a pattern, a list of them, or a function of the text"
    )


def _in_order(matchers: Sequence[Matcher], lines: Sequence[str]) -> bool:
    remaining = iter(lines)
    return all(any(matches(line) for line in remaining) for matches in matchers)


OutputFilter = Callable[[str], str]

_STREAMS = {"stdout": 1, "stderr": 2}
_ANSI_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")


def text_of(events: Iterable[ProcessIO], stream: str, strips_escapes: bool = True) -> str:
    """Return what was written to one stream."""
    if stream not in _STREAMS:
        raise ValueError(f"stream={stream!r}: must be one of {', '.join(_STREAMS)}")
    data = b"".join(event.text for event in events if event.fd == _STREAMS[stream])
    text = data.decode(errors="replace").replace("\r\n", "\n")
    return _ANSI_ESCAPE.sub("", text) if strips_escapes else text


def is_in_output(
    events: Iterable[ProcessIO],
    matcher: Matcher,
    stream: str,
    output_filter: OutputFilter | None,
    strips_escapes: bool,
) -> bool:
    """Return whether the output of one process is as expected."""
    text = text_of(events, stream, strips_escapes)
    return matcher(text if output_filter is None else output_filter(text))

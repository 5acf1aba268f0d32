"""Look for an expected text in what a process wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from launch.events.process import ProcessIO

from .expected_output import Matcher

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

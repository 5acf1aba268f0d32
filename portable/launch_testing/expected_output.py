"""What a test may expect of an output: text, lines, patterns, or a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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

"""Leave lines out of an output before it is compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable


def basic_output_filter(
    filtered_prefixes: Iterable[str] | None = None,
    filtered_patterns: Iterable[str | re.Pattern[str]] | None = None,
) -> Callable[[str], str]:
    """Return a filter that drops lines with one of the prefixes or matching one of the patterns."""
    prefixes = tuple(filtered_prefixes or ())
    patterns = [re.compile(pattern) for pattern in filtered_patterns or ()]

    def is_kept(line: str) -> bool:
        return not line.startswith(prefixes) and not any(
            pattern.match(line) for pattern in patterns
        )

    return lambda output: "".join(
        line for line in output.splitlines(keepends=True) if is_kept(line)
    )

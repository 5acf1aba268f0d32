"""A progress bar on the terminal for whatever takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

Item = TypeVar("Item")
_PATIENCE_S = 1.0
_WIDTH = 30


def with_progress(
    items: Iterable[Item], count: int, stream: TextIO | None = None
) -> Iterator[Item]:
    """Pass the items through; after a second show on a terminal how many of `count` are done."""
    out = sys.stderr if stream is None else stream
    if not out.isatty():
        yield from items
        return
    start = shown = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - start > _PATIENCE_S and now - shown > 0.1:
            shown = now
            share = min(1.0, done / max(count, 1))
            left_s = (now - start) * (1.0 - share) / share
            bar = "#" * round(_WIDTH * share)
            out.write(f"\r[{bar:<{_WIDTH}}] {share:4.0%}, {left_s:.0f} s left ")
            out.flush()
    if shown > start:
        out.write("\r" + " " * (_WIDTH + 24) + "\r")
        out.flush()

"""What is wrong with a car file although every row of it can be read."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One sentence about a line of the file; it names message and signal."""

    line: int
    text: str

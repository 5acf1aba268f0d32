"""Walks over thresholds: inputs that are held for a while, and sums of what came out.

A walk holds each input for a while at one of a few values: the thresholds themselves and what lies
beside them, where possible in numbers that are exact in binary, so that a `<` that becomes a `<=`
is seen. A test keeps the sums of what came out in a file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[float, ...]
Walk: TypeAlias = Callable[[int], list[Row]]


class Held:
    """Inputs by name, each one of a few values, which it keeps for a while."""

    def __init__(self, seed: str, choices: Mapping[str, tuple[Any, ...]]) -> None:
        self._random = random.Random(seed)
        self._choices = choices
        self._left_n = dict.fromkeys(choices, 0)
        self.values: dict[str, Any] = {}

    def next(self) -> dict[str, Any]:
        """Return the inputs of the next step."""
        for name, choices in self._choices.items():
            if not self._left_n[name]:
                self.values[name] = choices[int(self._random.random() * len(choices))]
                self._left_n[name] = 1 + int(self._random.random() ** 3 * 40)
            self._left_n[name] -= 1
        return self.values


def sums(rows: list[Row]) -> list[float]:
    """Return the sum of each column, in which the place of a value counts."""
    columns = zip(*rows, strict=True)
    return [round(sum(x * (1 + n % 7) for n, x in enumerate(column)), 5) for column in columns]


def sum_of(text: str) -> int:
    """Return a number that another text hardly has."""
    return sum(map(ord, text)) % 97


def store(file: Path, walks: Mapping[str, list[list[Row]]]) -> None:
    """Write the sums of the walks, a line for each name."""
    lines = [
        f'"{name}": {json.dumps([sums(rows) for rows in each])}' for name, each in walks.items()
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

"""One row of a car file, read key by key; every refusal names file, line and row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from vdsim_protocol.checked_file import FileError

Path = tuple[str | int, ...]
Lines = Mapping[Path, int]
_SWITCH = {True: "ON", False: "OFF"}
"""YAML reads the words on and off as values of logic."""


def word_of(value: Any) -> str:
    """Return a name as text, whatever YAML made of it."""
    return _SWITCH[value] if isinstance(value, bool) else str(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


class Row:
    """A mapping of the file, at a path of keys."""

    def __init__(self, source: str, lines: Lines, path: Path, value: Any) -> None:
        self.source, self._lines, self.path = source, lines, path
        self.name = word_of(path[-1]) if path else ""
        if not isinstance(value, Mapping):
            self.refuse("must be a group of keys")
        self._values: Mapping[Any, Any] = value
        self._taken: set[Any] = set()

    @property
    def line(self) -> int:
        """Where the row begins."""
        path = self.path
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error of this row."""
        shown = ".".join(word_of(part) for part in self.path)
        where = f"line {self.line}" + (f": {shown}" if shown else "")
        raise FileError(self.source, where, problem)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str) -> Any:
        """Return a value, whatever it is; None where it is not given."""
        self._taken.add(key)
        return self._values.get(key)

    def number(self, key: str, default: float | None = None, *, low: float = -math.inf) -> float:
        """Return a finite number that is at least `low`."""
        value = self.get(key)
        if value is None:
            if default is None:
                self.refuse(f"{key} is missing")
            return default
        if not is_number(value):
            self.refuse(f"{key}={value!r}: must be a finite number")
        if value < low:
            self.refuse(f"{key}={value:g}: must be >= {low:g}")
        return float(value)

    def integer(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        """Return a whole number of a range."""
        value = self.get(key)
        if value is None:
            if default is None:
                self.refuse(f"{key} is missing")
            return default
        return self.whole(key, value, low=low, high=high)

    def whole(self, key: str, value: Any, *, low: int, high: int) -> int:
        """Return a value that must be a whole number of a range."""
        if isinstance(value, bool):
            value = int(value)
        if not isinstance(value, int) or not low <= value <= high:
            self.refuse(f"{key}={value!r}: must be a whole number of {low} to {high}")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """Return a value of logic."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(f"{key}={value!r}: must be true or false")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text of one line."""
        value = self.get(key)
        if value is None:
            if default is None:
                self.refuse(f"{key} is missing")
            return default
        if isinstance(value, Mapping | list) or "\n" in str(value):
            self.refuse(f"{key}: must be a text of one line")
        return word_of(value)

    def choice(self, key: str, allowed: Sequence[str], default: str | None = None) -> str:
        """Return one of several words."""
        value = self.text(key, default)
        if value not in allowed:
            self.refuse(f"{key}={value}: must be one of {', '.join(allowed)}")
        return value

    def integers(self, key: str, *, low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers; a single number is a list of one."""
        value = self.get(key)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        return tuple(self.whole(key, item, low=low, high=high) for item in items)

    def group(self, key: str) -> Mapping[str, Any]:
        """Return a group of keys, by their words; empty where it is not given."""
        value = self.get(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.refuse(f"{key}: must be a group of keys")
        return {word_of(name): item for name, item in value.items()}

    def rows(self, key: str) -> list[Row]:
        """Return the rows of a group of rows, each by its name."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.refuse(f"{key}: must be a group of rows, each with its name")
        return [self._row((*self.path, key, name), item) for name, item in value.items()]

    def row_lists(self, key: str) -> list[tuple[str, Row]]:
        """Return the rows of a group in which a name may have a list of rows."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.refuse(f"{key}: must be a group of rows, each with its name")
        found = []
        for name, item in value.items():
            path = (*self.path, key, name)
            items = list(enumerate(item)) if isinstance(item, list) else [(None, item)]
            for index, one in items:
                place = path if index is None else (*path, index)
                found.append((word_of(name), self._row(place, one)))
        return found

    def listed(self, key: str) -> list[Row]:
        """Return the rows of a list."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(f"{key}: must be a list of rows")
        return [self._row((*self.path, key, index), item) for index, item in enumerate(value)]

    def sub(self, key: str) -> Row | None:
        """Return the group of a key as a row; None where it is not given."""
        value = self.get(key)
        return None if value is None else self._row((*self.path, key), value)

    def _row(self, path: Path, value: Any) -> Row:
        return Row(self.source, self._lines, path, value)

    def finish(self) -> None:
        """Refuse every key that nobody has taken."""
        for key in self._values:
            if key not in self._taken:
                line = self._lines.get((*self.path, key), self.line)
                known = ", ".join(sorted(self._taken))
                problem = f"there is no such key; known here: {known}"
                raise FileError(self.source, f"line {line}: {word_of(key)}", problem)

    def rows_n(self) -> int:
        """Return how many facts the file states: the rows of every section, and the car's name."""
        count = 0
        for section in self._values.values():
            items = section.values() if isinstance(section, Mapping) else section
            if isinstance(items, str | int | float):
                count += 1
                continue
            for item in items or ():
                is_section = isinstance(item, Mapping) and section is self._values.get("limits")
                count += len(item) if is_section or isinstance(item, list) else 1
        return count

    def group_of_all(self) -> Mapping[str, Any]:
        """Return every key with its value."""
        return {word_of(key): value for key, value in self._values.items()}

    def with_values(self, values: Mapping[str, Any]) -> Row:
        """Return a row at the same place with other values."""
        return Row(self.source, self._lines, self.path, values)

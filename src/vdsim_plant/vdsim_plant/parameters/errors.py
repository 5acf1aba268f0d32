"""The one error of wrong parameters: which key, which value, what is allowed."""

from __future__ import annotations

import reprlib

_LONGEST_KEY = 200
_LONGEST_VALUE = 60
_LONGEST_PROBLEM = 1000


class ParameterError(ValueError):
    """A parameter that is unknown, missing, of the wrong type or not physical.

    Its text is one line: `file.yaml: body.mass_kg=-3: must be > 0 kg`.
    """

    def __init__(self, key: str, problem: str, *, source: str = "") -> None:
        key = " ".join(key.split()) if len(key) <= _LONGEST_KEY else f"{key[:60]!r}..."
        problem = (
            problem if len(problem) <= _LONGEST_PROBLEM else f"{problem[:_LONGEST_PROBLEM]}..."
        )
        super().__init__(key, problem, source)
        self.key = key
        self.problem = problem
        self.source = source

    def __str__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        separator = ": " if self.key and not self.problem.startswith("=") else ""
        return f"{where}{self.key}{separator}{self.problem}"

    def within(self, group: str) -> ParameterError:
        """Return the same error with `group` put before its key."""
        joint = "" if self.key.startswith("[") or not self.key else "."
        key = f"{group}{joint}{self.key}"
        return ParameterError(key, self.problem, source=self.source)

    def in_file(self, source: str) -> ParameterError:
        """Return the same error with the name of the file that it was found in."""
        return ParameterError(self.key, self.problem, source=self.source or source)


def wrong_value(key: str, value: object, allowed: str) -> ParameterError:
    """Build the error of a value that is there but not allowed."""
    return ParameterError(key, f"={shown(value)}: must be {allowed}")


def shown(value: object) -> str:
    """A value for an error text: short, whatever it holds."""
    if isinstance(value, str):
        text = repr(value[: 2 * _LONGEST_VALUE])
    elif isinstance(value, (dict, list, tuple, set, frozenset, bytes)):
        text = _SHORT.repr(value)
    else:
        try:
            text = str(value)
        except ValueError:  # an integer of thousands of digits
            text = "a huge number"
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


_SHORT = reprlib.Repr()
_SHORT.maxlevel = 4
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = _LONGEST_VALUE

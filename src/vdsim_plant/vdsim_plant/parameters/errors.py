"""The one error of wrong parameters: which key, which value, what is allowed."""

from __future__ import annotations


class ParameterError(ValueError):
    """A parameter that is unknown, missing, of the wrong type or not physical.

    Its text is one line: `file.yaml: body.mass_kg=-3: must be > 0 kg`.
    """

    def __init__(self, key: str, problem: str, *, source: str = "") -> None:
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
    shown = repr(value) if isinstance(value, str) else f"{value}"
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return ParameterError(key, f"={shown}: must be {allowed}")

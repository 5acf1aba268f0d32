"""One part of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """What was found, as (name, value) rows, and what is wrong with it, a line each."""

    title: str
    rows: tuple[tuple[str, str], ...]
    problems: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the section as `ros2 doctor --report` prints it."""
        width = max((len(name) for name, _ in self.rows), default=0)
        lines = [f"   {self.title}", *(f"{name:{width}} : {value}" for name, value in self.rows)]
        return "\n".join([*lines, *(f"problem: {problem}" for problem in self.problems)])

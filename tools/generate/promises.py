"""test/data/promises.txt, what users type and import: a line is added here, and goes by hand."""

from __future__ import annotations

from vdsim_kit import promises
from workspace.cli import HELP


def promises_file() -> str:
    """The lines that are there, and those of what is new, but for parameters of running nodes."""
    found = {" ".join(words) for lines in promises.found(HELP).values() for words in lines}
    lines = {*promises.FILE.read_text(encoding="utf-8").splitlines(), *found}
    text: str = promises.text_of(lines)
    return text

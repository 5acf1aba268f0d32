"""Commands in the documentation, read so that a test can run them as a user would.

Every fenced block marked `bash` is run, line by line, in the workspace's environment. A comment
before a block states how to test it; the rendered page does not show the comment:

    <!-- test: until "text" -->   the command keeps running; wait for the text, then continue
    <!-- test: fails "text" -->   the command ends with an error that contains the text
    <!-- test: lane NAME -->      takes minutes: a test of that lane (./ws test NAME) runs it
    <!-- test: not run, REASON --> needs something that a test does not have; the reason is required
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- test: (?P<note>[^\n]*?) -->\n+)?^```bash\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NOTE = re.compile(
    r'(?:(?P<kind>until|fails) "(?P<text>[^"]+)"|lane (?P<lane>\w+)|not run, (?P<reason>.+))$'
)


@dataclass(frozen=True)
class DocCommand:
    """One command of a page."""

    text: str
    kind: str = "succeeds"  # or "until", "fails"
    expected: str = ""
    lane: str = ""  # whose tests run it; empty: those of the quick suite


def commands(page: Path, lane: str = "") -> list[DocCommand]:
    """Every command of a page that the quick suite runs, or that a lane runs, in order."""
    return [command for command in every_command(page) if command.lane == lane]


def every_command(page: Path) -> list[DocCommand]:
    """Every command of a page that any test runs, in order."""
    return list(_commands(page.read_text(encoding="utf-8"), page.name))


def _commands(text: str, name: str) -> Iterator[DocCommand]:
    for block in _BLOCK.finditer(text):
        note = block["note"]
        match = _NOTE.match(note) if note else None
        if note and not match:
            raise ValueError(f"{name}: <!-- test: {note} --> is none of the known forms")
        if match and match["reason"]:
            continue
        for line in _lines(block["body"]):
            if match and match["kind"]:
                yield DocCommand(line, match["kind"], match["text"])
            else:
                yield DocCommand(line, lane=match["lane"] if match else "")


def _lines(body: str) -> Iterator[str]:
    """Commands of a block: a trailing backslash continues a line, comments are skipped."""
    for line in body.replace("\\\n", " ").splitlines():
        command = line.strip()
        if command and not command.startswith("#"):
            yield command

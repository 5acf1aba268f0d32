"""Commands in the documentation, read so that a test can run them as a user would.

Every fenced block marked `bash` is run, line by line, in the workspace's environment. A comment
before a block states how to test it; the rendered page does not show the comment:

    <!-- test: until "text" -->   the command keeps running; wait for the text, then continue
    <!-- test: fails "text" -->   the command ends with an error that contains the text
    <!-- test: until "text", ended -->  no later command needs it: it ends when the text has come
    <!-- test: alone, ... -->     no command needs what runs before it: that ends first
    <!-- test: lane NAME -->      takes minutes: a test of that lane (./ws test NAME) runs it
    <!-- test: run by FILE -->       the test file FILE runs the same program, and judges more of it
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
    r"(?:(?P<alone>alone)(?:, |$))?"
    r'(?:(?P<kind>until|fails) "(?P<text>[^"]+)"(?P<ended>, ended)?|lane (?P<lane>\w+)'
    r"|run by (?P<file>\S+)|not run, (?P<reason>.+))?$"
)


@dataclass(frozen=True)
class DocCommand:
    """One command of a page."""

    text: str
    kind: str = "succeeds"  # or "until", "fails"
    expected: str = ""
    lane: str = ""  # whose tests run it; empty: those of the quick suite
    run_by: str = ""  # the file of the quick suite that runs it; empty: test_docs.py
    is_alone: bool = False
    is_ended: bool = False


def commands(page: Path, lane: str = "") -> list[DocCommand]:
    """Every command of a page that test_docs.py runs, or that a lane runs, in order."""
    found = every_command(page)
    return [command for command in found if command.lane == lane and not command.run_by]


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
        said = match.groupdict(default="") if match else dict.fromkeys(_NOTE.groupindex, "")
        for number, line in enumerate(_lines(block["body"])):
            yield DocCommand(
                line,
                kind=said["kind"] or "succeeds",
                expected=said["text"],
                lane=said["lane"],
                run_by=said["file"],
                is_alone=bool(said["alone"]) and number == 0,
                is_ended=bool(said["ended"]),
            )


def _lines(body: str) -> Iterator[str]:
    """Commands of a block: a trailing backslash continues a line, comments are skipped."""
    for line in body.replace("\\\n", " ").splitlines():
        command = line.strip()
        if command and not command.startswith("#"):
            yield command

"""The text of an interface file with the definitions of nested messages indented below."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from pathlib import Path

from rosidl_runtime_py import get_interface_path

INTEGERS = (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
PRIMITIVES = frozenset(
    ("bool", "byte", "char", "string", "wstring", "float32", "float64", *INTEGERS)
)
# The first word of a field: a type, its bound and its array suffix apart.
_TYPE = re.compile(r"\s*(?P<type>[A-Za-z][\w/]*)")
# A comment begins at the first # outside quotes.
_QUOTED_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|(?P<comment>\s*#.*)")


class Comments(enum.Enum):
    """Which comments and empty lines are shown."""

    TOP = enum.auto()  # only the interface's own
    ALL = enum.auto()
    NONE = enum.auto()


def definition_lines(name: str, comments: Comments) -> Iterator[str]:
    """Yield the lines of `package/kind/Name`; raise LookupError or ValueError."""
    yield from _lines(name, 0, comments)


def _lines(name: str, depth: int, comments: Comments) -> Iterator[str]:
    package = name.split("/")[0]
    shows_comments = comments is Comments.ALL or (comments is Comments.TOP and depth == 0)
    indent = "\t" * depth
    for line in Path(get_interface_path(name)).read_text(encoding="utf-8").splitlines():
        code = without_comment(line)
        text = line.rstrip() if shows_comments else code
        if text or shows_comments:
            yield indent + text if text else ""
        nested = nested_type(code, package)
        if nested:
            yield from _lines(nested, depth + 1, comments)


def without_comment(line: str) -> str:
    """Return a line's code alone."""
    for match in _QUOTED_OR_COMMENT.finditer(line):
        if match["comment"]:
            return line[: match.start()].rstrip()
    return line.rstrip()


def nested_type(code: str, package: str) -> str | None:
    """Return the full name of the message that a field consists of; None for primitive fields."""
    match = _TYPE.match(code)
    if match is None or match["type"] in PRIMITIVES:
        return None
    parts = match["type"].split("/")
    return f"{parts[0] if len(parts) > 1 else package}/msg/{parts[-1]}"

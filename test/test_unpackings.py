"""No unpacking skips three values or more: `_, _, _` takes a swap or a new field for granted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_SKIPPED = 2
FOLDERS = (
    "bench",
    "campaign",
    "examples",
    "extras",
    "portable",
    "simulate",
    "src",
    "test",
    "tools",
)


def careless(source: str) -> Iterator[int]:
    """Line of each unpacking that skips too many values."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store):
            parts = [part.value if isinstance(part, ast.Starred) else part for part in node.elts]
            skipped = [part for part in parts if isinstance(part, ast.Name) and part.id == "_"]
            if len(skipped) > MOST_SKIPPED:
                yield node.lineno


def test_no_unpacking_skips_three_values() -> None:
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        for line in careless(file.read_text(encoding="utf-8"))
    ]
    assert len(files) > 1000
    assert not found, "name the fields instead:\n" + "\n".join(found)


def test_one_that_does_is_found_wherever_it_stands() -> None:
    assert list(careless("a, _, _ = x")) == []
    assert list(careless("_, a, _, _ = x")) == [1]
    assert list(careless("_, a, _, *_ = x")) == [1]
    assert list(careless("for (_, _, _), a in x:\n    pass")) == [1]
    assert list(careless("[a for [_, _, _] in x]")) == [1]

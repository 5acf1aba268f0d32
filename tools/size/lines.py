"""Lines of code of a source: no blank, no comment, no docstring."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import NamedTuple

_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Lines(NamedTuple):
    """Counts of lines."""

    code: int
    docstrings: int
    """Of modules, classes and functions; a text below a field counts as code."""
    all: int

    def __add__(self, other: object) -> Lines:
        if not isinstance(other, Lines):
            return NotImplemented
        return Lines(*(a + b for a, b in zip(self, other, strict=True)))


NONE = Lines(0, 0, 0)


def count_lines(source: str, tree: ast.Module) -> Lines:
    """Count the lines of a source, whose tree is given too."""
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            docstrings.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return Lines(len(code - docstrings), len(docstrings), len(source.splitlines()))

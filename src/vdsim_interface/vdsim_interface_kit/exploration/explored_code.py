"""Which code a search has explored: a hash that changes with it, and not with what explains it."""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

DIGITS = 12


def hash_of(modules: Iterable[ModuleType]) -> str:
    """Return the hash of some modules, without comments, docstrings and texts below fields.

    It is of lines: a tree, or tokens, would differ from one Python to the next.
    """
    sources = (Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)
    text = "\n".join(line for source in sources for line in _code(source))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _code(source: str) -> Iterator[str]:
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if _explains(node):
            first_n, last_n = node.lineno, node.end_lineno or node.lineno
            lines[first_n - 1 : last_n] = [""] * (last_n - first_n + 1)
    return (line.rstrip() for line in lines if line.strip())


def _explains(node: ast.AST) -> bool:
    """Whether it is a statement of a text alone."""
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and isinstance(node.value.value, str)

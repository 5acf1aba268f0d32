"""Compiles the kernel's functions for float32: half as wide, so twice as many in a vector.

The functions are the same, from the same source. Their float literals and module constants become
float32; those that are too small or too exact for it, and the few functions that need another
order of operations, are replaced by name (narrow/loop.py). A compiled function takes the types of
its arguments, so nothing else has to be said, and no operation is left in float64 by accident: one
operand of that type would make it so for all that follows.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Set
from types import FunctionType
from typing import Any

import numpy as np

from vdsim_plant.compiled.remaking import (
    Remaking,
    function_from,
    globals_of,
    is_compiled,
    syntax_of,
)


def narrowed(
    loop: Callable[..., None], replaced: Mapping[str, Any], wide: Set[str]
) -> Callable[..., None]:
    """Return a loop, and all that it calls, for float32.

    `replaced`: what stands for constants and functions, by their names. `wide`: functions that
    compute in float64 all the same; what they call is left as it is.
    """
    made: Callable[..., None] = _Narrower(replaced, wide).of(loop)
    return made


class _Narrower(Remaking):
    def __init__(self, replaced: Mapping[str, Any], wide: Set[str]) -> None:
        super().__init__()
        self._replaced = replaced
        self._wide = wide

    def made(self, plain: FunctionType) -> FunctionType:
        """Return a function whose names and literals are narrow."""
        wide = plain.__name__ in self._wide
        tree = syntax_of(plain)
        names = {**plain.__globals__, **self._names(plain, wide=wide)}
        changed: ast.Module = tree if wide else _Literals(names).visit(tree)
        return function_from(changed, plain, names)

    def _names(self, plain: FunctionType, *, wide: bool) -> dict[str, Any]:
        """Return what the function finds under its global names instead of what they are."""
        names = {}
        for name, known in globals_of(plain):
            found = self._replaced.get(name, known)
            if is_compiled(found):
                if not wide or name in self._replaced:
                    names[name] = self.of(found)
            elif isinstance(found, float) and not wide:
                names[name] = np.float32(found)
            elif isinstance(found, int):
                names[name] = found
        return names


class _Literals(ast.NodeTransformer):
    """Makes the float literals of a function float32; they become constants of these names."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._narrow(node.value) if isinstance(node.value, float) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._narrow(math.inf) if ast.unparse(node) == "math.inf" else node

    def _narrow(self, value: float) -> ast.Name:
        name = f"_narrow_{len(self._names)}"
        self._names[name] = np.float32(value)
        return ast.Name(name, ast.Load())

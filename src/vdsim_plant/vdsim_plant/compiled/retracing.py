"""Runs the kernel's scalar equations with another arithmetic than that of floats.

The equations are straight lines of Python: sums, products, roots and choices `a if b else c`. With
expressions in place of numbers they therefore describe themselves: for a derivative
(differentiation.py), or for another tool's graph (casadi_model.py). Only the choice has to be taken
out of Python's own hands, and the names of a module replaced; both are done here on the source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, Protocol


class Arithmetic(Protocol):
    """What expressions need beside Python's operators."""

    @property
    def replaced(self) -> Mapping[str, Callable[..., Any]]:
        """Return what stands for functions of the kernel, by their names; `fma` is among them."""

    def sqrt(self, a: Any) -> Any:
        """Return the root."""

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return `yes` where the condition holds, else `no`."""


class _Choices(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        called = ast.Name("select", ast.Load())
        return ast.Call(called, [node.test, node.body, node.orelse], [])


def retraced(function: Callable[..., Any], arithmetic: Arithmetic) -> Callable[..., Any]:
    """Return the function, and all that it calls, with this arithmetic."""
    return _Retracer(arithmetic).function(function)


class _Retracer:
    def __init__(self, arithmetic: Arithmetic) -> None:
        self._names: Mapping[str, Any] = {
            "select": arithmetic.select,
            "math": SimpleNamespace(sqrt=arithmetic.sqrt),
            **arithmetic.replaced,
        }
        self._done: dict[str, Callable[..., Any]] = {}

    def function(self, given: Callable[..., Any]) -> Callable[..., Any]:
        plain: Any = getattr(given, "py_func", given)
        key = f"{plain.__module__}.{plain.__name__}"
        if key not in self._done:
            self._done[key] = self._made(plain)
        return self._done[key]

    def _made(self, plain: FunctionType) -> Callable[..., Any]:
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
        definition = tree.body[0]
        if not isinstance(definition, ast.FunctionDef):
            raise TypeError(f"{plain.__name__}: is no function")
        definition.decorator_list = []
        names = {**plain.__globals__, **self._names}
        for name in plain.__code__.co_names:
            called: Any = plain.__globals__.get(name)
            if hasattr(called, "py_func") and name not in self._names:
                names[name] = self.function(called)
        changed = ast.fix_missing_locations(_Choices().visit(tree))
        exec(compile(changed, plain.__code__.co_filename, "exec", dont_inherit=True), names)
        made: Callable[..., Any] = names[plain.__name__]
        return made

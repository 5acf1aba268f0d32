"""Runs the kernel's scalar equations with another arithmetic than that of floats.

The equations are straight lines of Python: sums, products, roots and choices `a if b else c`. With
expressions in place of numbers they therefore describe themselves: for a derivative
(differentiation.py), or for another tool's graph (casadi_model.py). Only the choice has to be taken
out of Python's own hands, and the names of a module replaced; both are done here on the source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, Protocol

from vdsim_plant.compiled.remaking import (
    Remaking,
    function_from,
    globals_of,
    is_compiled,
    syntax_of,
)


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
    made: Callable[..., Any] = _Retracer(arithmetic).of(function)
    return made


class _Retracer(Remaking):
    def __init__(self, arithmetic: Arithmetic) -> None:
        super().__init__()
        self._names: Mapping[str, Any] = {
            "select": arithmetic.select,
            "math": SimpleNamespace(sqrt=arithmetic.sqrt),
            **arithmetic.replaced,
        }

    def made(self, plain: FunctionType) -> FunctionType:
        names = {**plain.__globals__, **self._names}
        for name, called in globals_of(plain):
            if is_compiled(called) and name not in self._names:
                names[name] = self.of(called)
        return function_from(_Choices().visit(syntax_of(plain)), plain, names)

    def finished(self, made: FunctionType) -> Any:
        """Return the function as it is: expressions run in Python."""
        return made

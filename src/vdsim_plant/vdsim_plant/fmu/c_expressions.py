"""Expressions of the kernel in C: the same operations in the same order, so the same bits."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.fmu.c_types import ARRAY, DOUBLE, INTEGER, TRUTH, CType, number

Typed = tuple[str, CType]

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&&",
    ast.Or: "||",
}
# Functions of the C library: those of `math` take and return doubles.
_LIBRARY = {
    math.sqrt: "sqrt",
    math.sin: "sin",
    math.cos: "cos",
    math.tan: "tan",
    math.atan: "atan",
    math.exp: "exp",
    math.pow: "pow",
}


def function_behind(value: Any) -> FunctionType | None:
    """Return the Python function that a name of the kernel stands for, compiled or not."""
    value = getattr(value, "py_func", value)
    return value if isinstance(value, FunctionType) else None


class Expressions:
    """Translates the expressions of one function."""

    def __init__(
        self,
        names: Mapping[str, Any],
        variables: Mapping[str, CType],
        called: Callable[[FunctionType], tuple[str, list[CType], CType]],
    ) -> None:
        """`names`: the function's globals; `called`: C name, parameters and result of another."""
        self._names = names
        self._variables = variables
        self._called = called

    def of(self, node: ast.expr) -> Typed:
        """Return the C text of an expression and its type."""
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise NotImplementedError(f"line {node.lineno}: {ast.unparse(node)}")
        text, kind = handler(node)
        return str(text), kind

    def text(self, node: ast.expr) -> str:
        """Return the C text alone."""
        return self.of(node)[0]

    def _constant(self, node: ast.Constant) -> Typed:
        return self._literal(node.value)

    def _literal(self, value: Any) -> Typed:
        if isinstance(value, bool):
            return number(value), TRUTH
        if isinstance(value, int):
            return number(value), INTEGER
        if isinstance(value, float):
            return (f"({number(value)})" if value < 0.0 else number(value)), DOUBLE
        raise NotImplementedError(f"the constant {value!r}")

    def _name(self, node: ast.Name) -> Typed:
        if node.id in self._variables:
            return c_name(node.id), self._variables[node.id]
        return self._literal(self._names[node.id])

    def _attribute(self, node: ast.Attribute) -> Typed:
        return self._literal(self._object(node))

    def _object(self, node: ast.expr) -> Any:
        """Return what a global name or an attribute of a module is."""
        if isinstance(node, ast.Attribute):
            module = self._object(node.value)
            assert isinstance(module, ModuleType)
            return getattr(module, node.attr)
        assert isinstance(node, ast.Name)
        builtins = self._names["__builtins__"]
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        return self._names[node.id] if node.id in self._names else known[node.id]

    def _subscript(self, node: ast.Subscript) -> Typed:
        array, kind = self.of(node.value)
        index, whole = self.of(node.slice)
        assert (kind, whole) == (ARRAY, INTEGER)
        return f"{array}[{index}]", DOUBLE

    def _binop(self, node: ast.BinOp) -> Typed:
        (left, left_kind), (right, right_kind) = self.of(node.left), self.of(node.right)
        operator = _OPERATORS[type(node.op)]
        if (left_kind, right_kind) == (INTEGER, INTEGER):
            assert operator != "/"  # of whole numbers: a float in Python, a whole one in C
            return f"({left} {operator} {right})", INTEGER
        return f"({left} {operator} {right})", DOUBLE

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        text, kind = self.of(node.operand)
        if isinstance(node.op, ast.Not):
            return f"(!{text})", TRUTH
        assert isinstance(node.op, ast.USub)
        return f"(-{text})", kind

    def _compare(self, node: ast.Compare) -> Typed:
        places = [self.text(item) for item in (node.left, *node.comparators)]
        signs = [_OPERATORS[type(operator)] for operator in node.ops]
        pairs = [f"({a} {sign} {b})" for a, sign, b in zip(places, signs, places[1:], strict=False)]
        return (pairs[0] if len(pairs) == 1 else f"({' && '.join(pairs)})"), TRUTH

    def _boolop(self, node: ast.BoolOp) -> Typed:
        parts = [self.of(value) for value in node.values]
        assert {kind for _, kind in parts} == {TRUTH}
        return f"({f' {_OPERATORS[type(node.op)]} '.join(text for text, _ in parts)})", TRUTH

    def _ifexp(self, node: ast.IfExp) -> Typed:
        (yes, yes_kind), (no, no_kind) = self.of(node.body), self.of(node.orelse)
        kind = yes_kind if yes_kind == no_kind else DOUBLE
        return f"({self.text(node.test)} ? {yes} : {no})", kind

    def _call(self, node: ast.Call) -> Typed:
        target = self._object(node.func)
        arguments = [self.of(argument) for argument in node.args]
        texts = [text for text, _ in arguments]
        if target is fma:
            return f"fma({', '.join(texts)})", DOUBLE
        if target in (min, max):
            return self._extreme("min" if target is min else "max", arguments)
        if target is abs:
            return f"fabs({texts[0]})", DOUBLE
        if target is int:
            return f"(int64_t)({texts[0]})", INTEGER
        if target is math.floor:
            return f"(int64_t)floor({texts[0]})", INTEGER
        if target is math.isnan:
            return f"isnan({texts[0]})", TRUTH
        if target in _LIBRARY:
            return f"{_LIBRARY[target]}({', '.join(texts)})", DOUBLE
        function = function_behind(target)
        if function is None:
            raise NotImplementedError(f"line {node.lineno}: {ast.unparse(node)}")
        name, _, result = self._called(function)
        return f"{name}({', '.join(texts)})", result

    def _extreme(self, name: str, arguments: list[Typed]) -> Typed:
        """Python's min and max keep the first of equals; those of C library differ in NaN."""
        whole = {kind for _, kind in arguments} == {INTEGER}
        text = arguments[0][0]
        for other, _ in arguments[1:]:
            text = f"vd_{name}{'_whole' if whole else ''}({text}, {other})"
        return text, INTEGER if whole else DOUBLE


def c_name(name: str) -> str:
    """Return a variable's name in C, where some of Python's are taken."""
    return f"{name}_" if name in _TAKEN else name


_TAKEN = {"double", "float", "int", "long", "short", "static", "struct", "switch", "y0", "y1", "j0"}

"""The numeric core in C, translated from its own Python source: function by function.

The kernel is written in a small part of Python (kernel/, ground/lookup.py, tyres/): numbers, one
kind of array, loops over ranges. Each function becomes a C function with the same operations in
the same order. With contraction of a * b + c forbidden, as vdsim_kernel.c does, the same inputs
give the same bits as the kernel itself. What is not in that part of Python is refused here.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from vdsim_plant.fmu.c_expressions import Expressions, c_name, function_behind
from vdsim_plant.fmu.c_types import (
    ARRAY,
    DOUBLE,
    INTEGER,
    CType,
    name_of,
    of_annotation,
    tuple_definition,
)

_INDENT = "    "


def kernel_source(loop: Any) -> str:
    """Return the C text of a loop of kernel/single.py and of all that it calls.

    The including file defines VD_NAME(name), so that it can compile the text for two processors.
    """
    function = function_behind(loop)
    assert function is not None
    program = _Program()
    program.add(function)
    sizes = sorted(program.tuples)
    guarded = [
        "#ifndef VD_TUPLES",
        "#define VD_TUPLES",
        *map(tuple_definition, sizes),
        "#endif",
    ]
    return "\n".join((*guarded, "", *program.texts))


class _Program:
    """The functions translated so far, callees first."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.tuples: set[int] = set()
        self._known: dict[str, tuple[FunctionType, list[CType], CType]] = {}

    def add(self, function: FunctionType) -> tuple[str, list[CType], CType]:
        """Translate a function unless that is done; return C name, parameters and result."""
        name = function.__name__.lstrip("_")
        if name not in self._known:
            translated = _Function(function, self)
            self._known[name] = (function, translated.parameters, translated.result)
            self.texts.append(translated.text())
        known, parameters, result = self._known[name]
        if known.__code__ is not function.__code__:
            raise NotImplementedError(f"two functions named {name}")
        if isinstance(result, int):
            self.tuples.add(result)
        return f"VD_NAME({name})", parameters, result


class _Function:
    """One function: its types, then its text."""

    def __init__(self, function: FunctionType, program: _Program) -> None:
        source = textwrap.dedent(inspect.getsource(function))
        (definition,) = ast.parse(source).body
        assert isinstance(definition, ast.FunctionDef)
        self._definition = definition
        self._program = program
        self._variables: dict[str, CType] = {}
        arguments = [(item.arg, _annotation(item.annotation)) for item in definition.args.args]
        self._arguments = dict(arguments)
        self._variables.update(arguments)
        self.parameters = [kind for _, kind in arguments]
        self.result = _annotation(definition.returns)
        self._loops: list[str] = []
        self._temporaries = 0
        self._expressions = Expressions(function.__globals__, self._variables, program.add)
        self._statements = list(self._block(definition.body))

    def text(self) -> str:
        """Return the definition in C."""
        name = f"VD_NAME({self._definition.name.lstrip('_')})"
        taken = ", ".join(_declared(kind, name) for name, kind in self._arguments.items())
        local = [
            f"{_INDENT}{_declared(kind, name)};"
            for name, kind in self._variables.items()
            if name not in self._arguments and name not in self._loops
        ]
        head = f"VD_INLINE {name_of(self.result)} {name}({taken})\n{{"
        return "\n".join((head, *local, *self._statements, "}\n"))

    def _block(self, body: list[ast.stmt], depth: int = 1) -> Iterator[str]:
        for statement in body:
            for line in self._statement(statement, depth):
                yield line if line.startswith(_INDENT) else _INDENT * depth + line

    def _statement(self, node: ast.stmt, depth: int) -> Iterator[str]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise NotImplementedError(f"line {node.lineno}: {ast.unparse(node)}")
        yield from handler(node, depth)

    def _expr(self, node: ast.Expr, _depth: int) -> Iterator[str]:
        yield f"{self._expressions.text(node.value)};"

    def _return(self, node: ast.Return, _depth: int) -> Iterator[str]:
        if isinstance(node.value, ast.Tuple):
            parts = ", ".join(self._expressions.text(part) for part in node.value.elts)
            yield f"return ({name_of(self.result)}){{ {parts} }};"
        elif node.value is None:
            yield "return;"
        else:
            yield f"return {self._expressions.text(node.value)};"

    def _assign(self, node: ast.Assign, _depth: int) -> Iterator[str]:
        (target,) = node.targets
        value = node.value
        if isinstance(target, ast.Tuple):
            yield from self._unpacked(target, value)
        elif _is_array_of(value):
            assert isinstance(target, ast.Name)
            assert isinstance(value, ast.Call)
            self._variables[target.id] = ARRAY
            yield f"{c_name(target.id)} = {self._expressions.text(value.args[0])};"
        else:
            text, kind = self._expressions.of(value)
            yield f"{self._place(target, kind)} = {text};"

    def _unpacked(self, target: ast.Tuple, value: ast.expr) -> Iterator[str]:
        """A tuple from a call: into a struct first, then to where its parts belong."""
        text, kind = self._expressions.of(value)
        assert kind == len(target.elts)
        self._temporaries += 1
        whole = f"got{self._temporaries}"
        self._variables[whole] = kind
        yield f"{whole} = {text};"
        for k, part in enumerate(target.elts):
            if not (isinstance(part, ast.Name) and part.id == "_"):
                yield f"{self._place(part, DOUBLE)} = {whole}.f{k};"

    def _annassign(self, node: ast.AnnAssign, _depth: int) -> Iterator[str]:
        assert node.value is not None
        place = self._place(node.target, _annotation(node.annotation))
        yield f"{place} = {self._expressions.text(node.value)};"

    def _augassign(self, node: ast.AugAssign, _depth: int) -> Iterator[str]:
        usual = ast.BinOp(left=node.target, op=node.op, right=node.value)
        ast.copy_location(usual, node)
        text, kind = self._expressions.of(usual)
        yield f"{self._place(node.target, kind)} = {text};"

    def _place(self, target: ast.expr, kind: CType) -> str:
        """Return where a value goes; a name is declared with the type of what it gets first."""
        if isinstance(target, ast.Name):
            known = self._variables.setdefault(target.id, kind)
            if known != kind and (known, kind) != (DOUBLE, INTEGER):
                raise NotImplementedError(f"{target.id} is both {known} and {kind}")
        return self._expressions.text(target)

    def _for(self, node: ast.For, depth: int) -> Iterator[str]:
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        bounds = [self._expressions.text(bound) for bound in node.iter.args]
        first, last = bounds if len(bounds) == 2 else ("0", bounds[0])
        self._variables[node.target.id] = INTEGER
        self._loops.append(node.target.id)
        name = c_name(node.target.id)
        yield f"for (int64_t {name} = {first}; {name} < {last}; ++{name}) {{"
        yield from self._block(node.body, depth + 1)
        yield "}"

    def _while(self, node: ast.While, depth: int) -> Iterator[str]:
        yield f"while ({self._expressions.text(node.test)}) {{"
        yield from self._block(node.body, depth + 1)
        yield "}"

    def _if(self, node: ast.If, depth: int) -> Iterator[str]:
        yield f"if ({self._expressions.text(node.test)}) {{"
        yield from self._block(node.body, depth + 1)
        if node.orelse:
            yield "} else {"
            yield from self._block(node.orelse, depth + 1)
        yield "}"

    def _break(self, _node: ast.Break, _depth: int) -> Iterator[str]:
        yield "break;"

    def _pass(self, _node: ast.Pass, _depth: int) -> Iterator[str]:
        yield ";"


def _annotation(node: ast.expr | None) -> CType:
    assert node is not None
    return of_annotation(ast.unparse(node))


def _declared(kind: CType, name: str) -> str:
    return f"{name_of(kind)}{'' if kind == ARRAY else ' '}{c_name(name)}"


def _is_array_of(value: ast.expr) -> bool:
    """Whether this is `carray(address, (size,))`, the array at an address."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
        return False
    return value.func.id == "carray"

"""Other versions of a function and of all that it calls: the walk, and Python's own compiler."""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from vdsim_plant.compiled.inlining import inlined


class Remaking(ABC):
    """Makes another version of each function once, however often it is called."""

    def __init__(self) -> None:
        self._done: dict[Any, Any] = {}

    def of(self, function: Any) -> Any:
        """Return the other version of a function; what is compiled stays compiled."""
        if function not in self._done:
            plain = getattr(function, "py_func", function)
            made = self.made(plain)
            if made is plain:
                self._done[function] = function
            else:
                self._done[function] = made if function is plain else self.finished(made)
        return self._done[function]

    @abstractmethod
    def made(self, plain: FunctionType) -> FunctionType:
        """Return the other version of a function of Python, or itself where nothing changes."""

    def finished(self, made: FunctionType) -> Any:
        """Return what stands for a function that was compiled."""
        return inlined(made)


def globals_of(plain: FunctionType) -> Iterator[tuple[str, Any]]:
    """Return the names that a function takes from its module, with what they are."""
    for name in plain.__code__.co_names:
        if name in plain.__globals__:
            yield name, plain.__globals__[name]


def is_compiled(value: Any) -> bool:
    """Return whether a value is a function that is compiled into others."""
    return hasattr(value, "py_func")


def syntax_of(plain: FunctionType) -> ast.Module:
    """Return the source of a function, without its decorators."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError(f"{plain.__name__}: is no function")
    definition.decorator_list = []
    return tree


def function_from(tree: ast.Module, plain: FunctionType, names: dict[str, Any]) -> FunctionType:
    """Return the function that a changed source makes; `names` becomes its module."""
    later = __future__.annotations.compiler_flag  # the annotations' names are of no use here
    file = plain.__code__.co_filename
    code = compile(ast.fix_missing_locations(tree), file, "exec", later, dont_inherit=True)
    exec(code, names)
    made: FunctionType = names[plain.__name__]
    return made

"""Other versions of a function of the kernel: the same lines, with other functions called in them.

A loop that needs more than the usual one is not written twice, and the usual one does not pay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar, cast

from vdsim_plant.compiled.remaking import Remaking, globals_of, is_compiled

Function = TypeVar("Function", bound=Callable[..., Any])


def variant(function: Function, parts: Mapping[str, Any]) -> Function:
    """Return the function with `parts` in place of what it, or what it calls, knows by those names.

    A part that is compiled stays so; a function in which nothing changes is returned as it is.
    """
    return cast(Function, _Variant(parts).of(function))


class _Variant(Remaking):
    def __init__(self, parts: Mapping[str, Any]) -> None:
        super().__init__()
        self._parts = parts

    def made(self, plain: FunctionType) -> FunctionType:
        changed: dict[str, Any] = {}
        for name, known in globals_of(plain):
            if name in self._parts:
                changed[name] = self._parts[name]
            elif is_compiled(known) and self.of(known) is not known:
                changed[name] = self.of(known)
        if not changed:
            return plain
        made = FunctionType(plain.__code__, {**plain.__globals__, **changed}, plain.__name__)
        made.__annotations__ = plain.__annotations__
        made.__doc__ = plain.__doc__
        return made

"""Other versions of a function of the kernel: the same lines, with other functions called in them.

A loop that needs more than the usual one is not written twice, and the usual one does not pay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar, cast

from vdsim_plant.compiled.inlining import inlined

Function = TypeVar("Function", bound=Callable[..., Any])


def variant(function: Function, parts: Mapping[str, Any]) -> Function:
    """Return the function with `parts` in place of what it, or what it calls, knows by those names.

    A part that is compiled stays so; a function in which nothing changes is returned as it is.
    """
    return cast(Function, _Variant(parts).of(function))


class _Variant:
    def __init__(self, parts: Mapping[str, Any]) -> None:
        self._parts = parts
        self._done: dict[Any, Any] = {}

    def of(self, function: Any) -> Any:
        if function not in self._done:
            self._done[function] = self._made(function)
        return self._done[function]

    def _made(self, function: Any) -> Any:
        plain: FunctionType = getattr(function, "py_func", function)
        changed: dict[str, Any] = {}
        for name in plain.__code__.co_names:
            known = plain.__globals__.get(name)
            if name in self._parts:
                changed[name] = self._parts[name]
            elif hasattr(known, "py_func") and self.of(known) is not known:
                changed[name] = self.of(known)
        if not changed:
            return function
        made = FunctionType(plain.__code__, {**plain.__globals__, **changed}, plain.__name__)
        made.__annotations__ = plain.__annotations__
        made.__doc__ = plain.__doc__
        return made if function is plain else inlined(made)

"""`inlined` and `compiled_form`: how functions are compiled into the loops of the core."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

carray: Any = cast(Any, numba).carray  # (address, shape) -> array

# Nothing but other compiled code calls these functions, so they get no wrappers for Python and C,
# which would take a quarter of the time; their rewriting passes only serve expressions on arrays.
OPTIONS: dict[str, Any] = {
    "fastmath": False,
    "error_model": "numpy",
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}


def inlined(function: Function) -> Function:
    """Compile as part of the caller: no call is left, so a loop over lanes can be vectorised."""
    return cast(Function, njit(forceinline=True, **OPTIONS)(function))


def compiled_form(function: Function) -> Function:
    """Return a function that Python calls too in the form in which compiled code calls it.

    What it calls in its own module is compiled with it; the function itself stays as it is.
    """
    return cast(Function, _compiled_form(function))


@cache
def _compiled_form(function: FunctionType) -> Any:
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        called = names.get(name)
        if isinstance(called, FunctionType):
            names[name] = _compiled_form(called)
    return njit(**OPTIONS)(FunctionType(function.__code__, names, function.__name__))

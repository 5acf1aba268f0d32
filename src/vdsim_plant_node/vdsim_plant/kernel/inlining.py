"""`inlined`: how the functions of the core are compiled into its loops."""

from __future__ import annotations

from collections.abc import Callable
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

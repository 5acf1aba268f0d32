"""`inlined`: how the small functions of the core are compiled into the loops that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Compile as part of the caller: no call is left, so a loop over lanes can be vectorised."""
    return cast(
        Function, njit(forceinline=True, fastmath=False, error_model="numpy", nogil=True)(function)
    )

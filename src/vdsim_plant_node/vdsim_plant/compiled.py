"""The one way in which functions of the numeric core are compiled.

Strict IEEE arithmetic (no fastmath) is what makes a run the same to the bit in every process;
the cache on disk is what makes a second process start without compiling. Both only work for
functions at module level, so never apply this to a closure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a module-level function with numba; its Python signature stays."""
    return cast(Function, njit(cache=True, fastmath=False, error_model="numpy")(function))

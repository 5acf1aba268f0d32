"""The one way in which small functions are compiled that Python calls by themselves.

Strict IEEE arithmetic (no fastmath) is what makes a run the same to the bit in every process;
the cache on disk is what makes a second process start without compiling. Both only work for
functions at module level, so never apply this to a closure. The loops over substeps have a quicker
way: machine_code.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config as _config

from vdsim_plant.code_cache import CACHE_FOLDER

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = _config  # its names are made at run time


def compiled(function: Function) -> Function:
    """Compile a module-level function with numba; its Python signature stays."""
    options: dict[str, Any] = {"fastmath": False, "error_model": "numpy", "nogil": True}
    if CACHE_FOLDER is None:
        return cast(Function, njit(**options)(function))
    usual = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return cast(Function, njit(cache=True, **options)(function))
    finally:
        config.CACHE_DIR = usual

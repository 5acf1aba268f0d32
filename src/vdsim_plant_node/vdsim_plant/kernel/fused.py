"""fma: a * b + c with one rounding, as the CPU's own instruction.

Letting the compiler fuse where it likes would make results depend on how it was compiled. Asking
for it by name is faster all the same and gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from numba import types
from numba.extending import intrinsic


def _fused(_context: Any, _a: Any, _b: Any, _c: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


# The type is that of a call in compiled code; Python itself never calls it.
fma = cast(Callable[[float, float, float], float], intrinsic(_fused))

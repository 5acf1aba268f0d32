"""wide_vectors: lets one compiled function use the processor's widest vectors.

By default the compiler keeps to half of what processors with 512-bit vectors have, because mixed
code runs better so. A loop over many cars is nothing but vector arithmetic. The results are the
same bits; on processors without such vectors this changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic


def _prefer_512_bits(_context: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        # llvmlite knows only flags, not this key with a value; it prints what the set holds.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(), generate


# The type is that of a call in compiled code; Python itself never calls it.
wide_vectors = cast(Callable[[], int], intrinsic(_prefer_512_bits))

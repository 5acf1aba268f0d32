"""The two machine instructions that the kernel asks for by name: `fma` and wide vectors.

fma is a * b + c with one rounding. Letting the compiler fuse where it likes would make results
depend on how it was compiled; asking for it by name is faster all the same and gives the same bits
everywhere.

wide_vectors lets one compiled function use the processor's widest vectors. By default the compiler
keeps to half of what processors with 512-bit vectors have, because mixed code runs better that way;
a loop over many cars is nothing but vector arithmetic. The results are the same bits, and on
processors without such vectors this changes nothing. It also asks for a stack on which such a
vector is one cache line: otherwise each that is put aside for want of registers lies across two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic


def _fused(_context: Any, _a: Any, _b: Any, _c: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


def _prefer_512_bits(_context: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        # llvmlite knows only flags, not this key with a value; it prints what the set holds.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        set.add(builder.function.attributes, '"stackrealign"')
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(), generate


# The types are those of calls in compiled code; Python itself never calls these.
fma = cast(Callable[[float, float, float], float], intrinsic(_fused))
wide_vectors = cast(Callable[[], int], intrinsic(_prefer_512_bits))

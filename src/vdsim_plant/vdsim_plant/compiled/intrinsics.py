"""What the kernel asks for by name: the instruction `fma`, wide vectors, whole loops, rounding.

fma is a * b + c with one rounding. Letting the compiler fuse where it likes would make results
depend on how it was compiled; asking for it by name is faster all the same and gives the same bits
everywhere.

wide_vectors lets one compiled function use the processor's widest vectors. By default the compiler
keeps to half of what processors with 512-bit vectors have, because mixed code runs better that way;
a loop over many cars is nothing but vector arithmetic. The results are the same bits, and on
processors without such vectors this changes nothing. It also asks for a stack on which such a
vector is one cache line: otherwise each that is put aside for want of registers lies across two.

whole_loops keeps the compiler from writing a short loop out before it has looked whether one vector
does all of it.

rounded goes to the nearest whole number in two additions, which every vector unit has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from vdsim_plant.compiled.inlining import inlined

ROUNDING = 6755399441055744.0  # 1.5 * 2^52: adding and taking it away rounds to an integer


def _fused(_context: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    number = types.float32 if {a, b, c} == {types.float32} else types.float64
    return number(number, number, number), generate


def _no_unrolling(_context: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.function.attributes.add("optsize")
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(), generate


def _prefer_512_bits(_context: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        # llvmlite knows only flags, not this key with a value; it prints what the set holds.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        set.add(builder.function.attributes, '"stackrealign"')
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(), generate


# The types are those of calls in compiled code; Python itself never calls these.
fma = cast(Callable[[float, float, float], float], intrinsic(_fused))
whole_loops = cast(Callable[[], int], intrinsic(_no_unrolling))
wide_vectors = cast(Callable[[], int], intrinsic(_prefer_512_bits))


@inlined
def rounded(value: float) -> float:
    """Return the nearest whole number, of values up to 1e15."""
    return (value + ROUNDING) - ROUNDING

"""Compiles a loop of the core into an object file. Only this way loads numba at start-up."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba import njit
from numba import types as _types

from vdsim_plant.kernel import block, single
from vdsim_plant.kernel.inlining import OPTIONS
from vdsim_plant.machine_code import MachineCode

types: Any = _types

_ARRAY = (types.CPointer(types.float64), types.int64)
_CALL = re.compile(r"\bcall\b[^@\n]*@\"?([\w.$]+)\"?\(")
_DEFINITION = re.compile(r"(?m)^define [^@\n]*@\"?([\w.$]+)\"?\(")
# The compiler counts references to memory of its own, and calls this where a count comes to zero.
# The core's arrays are memory of Python and have no count, so an empty function will do.
_FREE = re.compile(r"(?m)^declare void @(NRT_MemInfo_call_dtor)\(([^)\n]*)\).*$")
_NOTHING = r"define internal void @\1(\2) { ret void }"


def compile_loop(name: str, machine: Any) -> MachineCode:
    """Return the object file of the loop called `name`, for the processor of `machine`."""
    loop, arrays, numbers = _LOOPS[name]
    signature = types.void(*(_ARRAY * arrays), *([types.int64] * numbers))
    compiled: Any = njit(signature, **OPTIONS)(loop)
    text = _FREE.sub(_NOTHING, compiled.inspect_llvm(compiled.signatures[0]))
    symbol = compiled.overloads[compiled.signatures[0]].fndesc.llvm_func_name
    return MachineCode(symbol, _imports(text), machine.emit_object(binding.parse_assembly(text)))


def _imports(text: str) -> tuple[str, ...]:
    """Return the functions that the code calls and does not contain."""
    called = set(_CALL.findall(text)) - set(_DEFINITION.findall(text))
    return tuple(sorted(name for name in called if not name.startswith("llvm.")))


# name -> (function, arrays, whole numbers), as in loops.py
_LOOPS: dict[str, tuple[Callable[..., None], int, int]] = {
    "advance": (single.advance, 2, 1),
    "advance_painted": (single.advance_painted, 2, 1),
    "advance_kinematic": (single.advance_kinematic, 2, 1),
    "advance_tir": (single.advance_tir, 3, 1),
    "advance_blocks": (block.advance_blocks, 2, 3),
}

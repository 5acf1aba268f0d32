"""Compiles a loop of the kernel into an object file. Only this way loads numba at start-up."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba import njit
from numba import types as _types
from numba.core import config as _config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from vdsim_plant.compiled.inlining import OPTIONS
from vdsim_plant.compiled.machine_code import MachineCode

types: Any = _types
config: Any = _config  # its names are made at run time

_ARRAY = (types.CPointer(types.float64), types.int64)
_NARROW_ARRAY = (types.CPointer(types.float32), types.int64)
_BUFFER = types.Array(types.float64, 1, "C")
_CALL = re.compile(r"\bcall\b[^@\n]*@\"?([\w.$]+)\"?\(")
_DEFINITION = re.compile(r"(?m)^define [^@\n]*@\"?([\w.$]+)\"?\(")
# The compiler counts references to memory of its own, and calls this where a count comes to zero.
# The kernel's arrays are memory of Python and have no count, so an empty function will do.
_FREE = re.compile(r"(?m)^declare void @(NRT_MemInfo_call_dtor)\(([^)\n]*)\).*$")
_NOTHING = r"define internal void @\1(\2) { ret void }"


def compile_loop(
    loop: Callable[..., None], *, buffers: int, numbers: int, machine: Any, narrow: int = 0
) -> MachineCode:
    """Return the object file of a function over buffers, for the processor of `machine`.

    The first `narrow` buffers are of float32.
    """
    arrays = _NARROW_ARRAY * narrow + _ARRAY * (buffers - narrow)
    signature = types.void(*arrays, *([types.int64] * numbers))
    with global_compiler_lock, _uncollected():
        if not narrow:
            _compile_parts(loop)
        compiled: Any = njit(signature, **OPTIONS)(loop)
        text = _FREE.sub(_NOTHING, compiled.inspect_llvm(compiled.signatures[0]))
        symbol = compiled.overloads[compiled.signatures[0]].fndesc.llvm_func_name
        return MachineCode(
            symbol, _imports(text), machine.emit_object(binding.parse_assembly(text))
        )


def _compile_parts(loop: Callable[..., None]) -> None:
    """Compile what the loop calls, quickly: it is optimised as a part of the loop anyway."""
    usual = config.OPT
    config.OPT = type(usual)(min(usual, 1))
    try:
        for name in loop.__code__.co_names:
            part = loop.__globals__.get(name)
            if isinstance(part, CPUDispatcher):
                taken = part.py_func.__code__.co_argcount
                kinds = list(part.py_func.__annotations__.values())[:taken]
                if set(kinds) == {"Buffer"}:
                    part.compile((_BUFFER,) * taken)
    finally:
        config.OPT = usual


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold the garbage collector back: the compiler makes millions of objects and keeps them."""
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if usual:
            gc.enable()


def _imports(text: str) -> tuple[str, ...]:
    """Return the functions that the code calls and does not contain."""
    called = set(_CALL.findall(text)) - set(_DEFINITION.findall(text))
    return tuple(sorted(name for name in called if not name.startswith("llvm.")))

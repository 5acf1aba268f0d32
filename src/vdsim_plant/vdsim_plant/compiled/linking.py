"""Runs the compiled loops of the kernel without loading their compiler.

Importing numba and preparing it for its first call takes longer than everything else that a car
needs to start. So the compiler's output is kept as an object file, which llvmlite alone can link
and ctypes can call. The compiler is imported only where no such file is found.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from llvmlite import binding  # type: ignore[import-untyped]
from numpy.typing import NDArray

from vdsim_plant.compiled.code_cache import CACHE_FOLDER, processor
from vdsim_plant.compiled.machine_code import MachineCode

Buffer = NDArray[np.float64]
_LINKING = Lock()  # the compiler is for one thread at a time, and a loop is linked once


class Loop:
    """The function `name` of a module, compiled: `loop(*buffers, *whole_numbers)`.

    It changes the buffers in place and lets other Python threads run meanwhile.
    """

    def __init__(
        self, module: str, name: str, *, buffers: int, numbers: int, narrow: int = 0
    ) -> None:
        """`buffers` and `numbers`: how many arrays and whole numbers the function takes.

        The first `narrow` of the arrays are of float32, the others of float64.
        """
        self.module = module
        self.name = name
        self.buffers = buffers
        self.numbers = numbers
        self.narrow = narrow
        self._engine: Any = None
        self._function: Callable[..., None] | None = None
        # Compiled functions first take where to put a result and an exception; there are none.
        self._unused = (ctypes.c_void_p * 2)()

    def __call__(self, *arguments: Any) -> None:
        """Run on contiguous arrays."""
        self.on(*arguments[: self.buffers])(*arguments[self.buffers :])

    def on(self, *buffers: Buffer | NDArray[np.float32]) -> Callable[..., None]:
        """Return the loop over these buffers, which it keeps; its arguments are the integers.

        Buffers that are not given here come first, each as address and size.
        """
        function = self.prepared()
        unused = ctypes.addressof(self._unused)
        # Made here once: ctypes would make them of plain numbers again in each call.
        arguments: list[Any] = [
            ctypes.c_void_p(unused),
            ctypes.c_void_p(unused + ctypes.sizeof(ctypes.c_void_p)),
        ]
        for k, buffer in enumerate(buffers):
            kind = np.float32 if k < self.narrow else np.float64
            if buffer.dtype != kind or not buffer.flags.c_contiguous:
                name = np.dtype(kind).name
                raise ValueError(f"{self.name}: buffer {k} must be a contiguous {name} array")
            arguments += (ctypes.c_void_p(buffer.ctypes.data), ctypes.c_int64(buffer.size))
        bound = partial(function, *arguments)
        bound.__dict__["buffers"] = buffers  # alive as long as their addresses are in use
        return bound

    def prepared(self) -> Callable[..., None]:
        """Return the function itself, linked or, where that was never done, compiled."""
        if self._function is None:
            with _LINKING:
                if self._function is None:  # another thread may have been first
                    self._engine, self._function = self._linked(self._kept() or self._compiled())
        return self._function

    @property
    def is_compiled(self) -> bool:
        """Whether `prepared` has only to link, or nothing to do."""
        return self._function is not None or self._kept() is not None

    def _kept(self) -> MachineCode | None:
        if CACHE_FOLDER is None:
            return None
        try:
            return MachineCode.from_bytes((CACHE_FOLDER / f"{self.name}.code").read_bytes())
        except OSError:
            return None

    def _compiled(self) -> MachineCode:
        kept = f"kept in {CACHE_FOLDER}" if CACHE_FOLDER else "no folder to keep it in"
        print(f"vdsim_plant: compiling {self.name}, once, a few seconds ({kept})", file=sys.stderr)
        from vdsim_plant.compiled.compiler import compile_loop  # loads numba

        source = getattr(import_module(self.module), self.name)
        made = compile_loop(
            source,
            buffers=self.buffers,
            numbers=self.numbers,
            narrow=self.narrow,
            machine=target_machine(),
        )
        if CACHE_FOLDER is not None:
            with suppress(OSError):  # a full disk costs time at the next start, nothing else
                _write_whole(CACHE_FOLDER / f"{self.name}.code", made.to_bytes())
        return made

    def _linked(self, made: MachineCode) -> tuple[Any, Callable[..., None]]:
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
        # From the first engine on LLVM finds what this Python has loaded, the C library too.
        missing = [name for name in made.imports if not binding.address_of_symbol(name)]
        if missing:  # linking would end the process
            raise ImportError(f"{self.name} calls {', '.join(missing)}: not in this Python")
        engine.add_object_file(binding.ObjectFileRef.from_data(made.code))
        engine.finalize_object()
        types = [ctypes.c_void_p] * 2 + [ctypes.c_void_p, ctypes.c_int64] * self.buffers
        prototype = ctypes.CFUNCTYPE(None, *types, *([ctypes.c_int64] * self.numbers))
        return engine, prototype(engine.get_function_address(made.entry))


def address_of(array: NDArray[Any]) -> int:
    """Return where the numbers of an array are, in a third of the time of `array.ctypes.data`."""
    if not array.flags.c_contiguous or not array.size:
        return array.ctypes.data
    memory: Any = array
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def target_machine() -> Any:
    """Return LLVM's description of this processor, for code that is linked where it runs."""
    with suppress(RuntimeError):  # needed by old versions of llvmlite, refused by new ones
        binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    name, features = processor()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=3, reloc="default", codemodel="jitdefault", jit=True
    )


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that other processes see all of it or nothing."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        written = Path(folder) / path.name
        written.write_bytes(content)
        written.replace(path)

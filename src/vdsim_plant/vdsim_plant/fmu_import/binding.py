"""Calls an FMU's shared library by the functions of FMI 2.0 or 3.0 for co-simulation."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from vdsim_plant.fmu_import.opened_fmu import ForeignVariable, OpenedFmu
from vdsim_plant.parameters.errors import ParameterError

_OK = (0, 1)  # fmiOK, fmiWarning
_TRUTH = {"2.0": ctypes.c_int, "3.0": ctypes.c_bool}
_LOG_2 = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p
)
_LOG_3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_LONGEST_MESSAGE = 200


class _Callbacks(ctypes.Structure):
    """fmi2CallbackFunctions."""

    _fields_ = (
        ("logger", _LOG_2),
        ("allocate", _ALLOCATE),
        ("free", _FREE),
        ("step_finished", ctypes.c_void_p),
        ("environment", ctypes.c_void_p),
    )


class Binding:
    """One instance of an FMU. A call that fails raises a ParameterError with its message."""

    def __init__(self, fmu: OpenedFmu) -> None:
        self._fmu = fmu
        self._new = fmu.version == "3.0"
        self._prefix = f"fmi{fmu.version[0]}"
        self._message = ""
        self._state = "FMUState" if self._new else "FMUstate"
        try:
            self._library = ctypes.CDLL(str(fmu.library))
        except OSError as error:
            raise ParameterError("fmu", f"={fmu.source}: cannot be loaded: {error}") from None
        self._instance: ctypes.c_void_p | None = None
        made = self._instantiate_3() if self._new else self._instantiate_2()
        if not made:
            raise self._failure("it refuses to be instantiated")
        self._instance = ctypes.c_void_p(made)

    def start(self, values: Sequence[tuple[ForeignVariable, float]]) -> None:
        """Initialize at time 0, with these values of parameters and inputs."""
        self.set(values)
        no, zero = _TRUTH[self._fmu.version](0), ctypes.c_double(0.0)
        if self._new:
            self._call("EnterInitializationMode", no, zero, zero, no, zero)
        else:
            self._call("SetupExperiment", no, zero, zero, no, zero)
            self._call("EnterInitializationMode")
        self._call("ExitInitializationMode")

    def reset(self) -> None:
        """Go back to before `start`."""
        self._call("Reset")

    def set(self, values: Sequence[tuple[ForeignVariable, float]]) -> None:
        """Set variables."""
        for kind in "dib":
            chosen = [(item, value) for item, value in values if item.kind == kind]
            if chosen:
                references = [item.reference for item, _ in chosen]
                numbers = [value if kind == "d" else round(value) for _, value in chosen]
                self._access("Set", kind, references, self._array(kind, len(chosen), numbers))

    def get(self, items: Sequence[ForeignVariable]) -> list[float]:
        """Read variables, in their order."""
        values = [0.0] * len(items)
        for kind in "dib":
            places = [k for k, item in enumerate(items) if item.kind == kind]
            if places:
                numbers = self._array(kind, len(places))
                self._access("Get", kind, [items[k].reference for k in places], numbers)
                for k, number in zip(places, numbers, strict=True):
                    values[k] = float(number)
        return values

    def step(self, now_s: float, duration_s: float) -> None:
        """Go on by a communication step."""
        times = (ctypes.c_double(now_s), ctypes.c_double(duration_s))
        no = _TRUTH[self._fmu.version](0)
        if not self._new:
            self._call("DoStep", *times, no)
            return
        flags = [ctypes.c_bool() for _ in range(3)]
        last_s = ctypes.c_double()
        self._call("DoStep", *times, no, *map(ctypes.byref, flags), ctypes.byref(last_s))
        if flags[1]:
            raise self._failure("it ends the simulation")

    def state(self) -> bytes:
        """Return its whole state."""
        state = ctypes.c_void_p()
        self._call(f"Get{self._state}", ctypes.byref(state))
        try:
            size = ctypes.c_size_t()
            self._call(f"Serialized{self._state}Size", state, ctypes.byref(size))
            kept = ctypes.create_string_buffer(size.value)
            self._call(f"Serialize{self._state}", state, kept, size)
        finally:
            self._call(f"Free{self._state}", ctypes.byref(state))
        return kept.raw

    def restore(self, kept: bytes) -> None:
        """Take up a state."""
        state = ctypes.c_void_p()
        name = f"Deserialize{self._state}" if self._new else f"DeSerialize{self._state}"
        self._call(name, kept, ctypes.c_size_t(len(kept)), ctypes.byref(state))
        try:
            self._call(f"Set{self._state}", state)
        finally:
            self._call(f"Free{self._state}", ctypes.byref(state))

    def close(self) -> None:
        """Free the instance."""
        if self._instance is not None:
            free = getattr(self._library, f"{self._prefix}FreeInstance")
            free.restype = None
            free(self._instance)
            self._instance = None

    def _instantiate_3(self) -> int | None:
        def log(_environment: Any, _status: int, _category: bytes, message: bytes) -> None:
            self._message = _text(message)

        self._log: Any = _LOG_3(log)
        create = self._function("InstantiateCoSimulation")
        create.restype = ctypes.c_void_p
        no, nothing = ctypes.c_bool(False), ctypes.c_void_p()
        resources = str(self._fmu.library.parents[2] / "resources") + "/"
        made: int | None = create(
            b"car", self._fmu.token.encode(), resources.encode(), no, no, no, no,
            nothing, ctypes.c_size_t(0), nothing, self._log, nothing,
        )  # fmt: skip
        return made

    def _instantiate_2(self) -> int | None:
        def log(
            _environment: Any, _name: bytes, _status: int, _category: bytes, message: bytes
        ) -> None:
            self._message = _text(message)

        windows = hasattr(ctypes, "windll")
        standard = ctypes.CDLL("msvcrt" if windows else None)
        self._log = _Callbacks(
            _LOG_2(log),
            ctypes.cast(standard.calloc, _ALLOCATE),
            ctypes.cast(standard.free, _FREE),
            None,
            None,
        )
        create = self._function("Instantiate")
        create.restype = ctypes.c_void_p
        resources = (self._fmu.library.parents[2] / "resources").as_uri()
        made: int | None = create(
            b"car", 1, self._fmu.token.encode(), resources.encode(),
            ctypes.byref(self._log), 0, 0,
        )  # fmt: skip
        return made

    def _array(self, kind: str, size: int, values: Sequence[float] = ()) -> Any:
        truth = _TRUTH[self._fmu.version]
        type_of: dict[str, Any] = {"d": ctypes.c_double, "i": ctypes.c_int32, "b": truth}
        return (type_of[kind] * size)(*values)

    def _access(self, verb: str, kind: str, references: Sequence[int], values: Any) -> None:
        names = {"d": "Float64", "i": "Int32", "b": "Boolean"}
        if not self._new:
            names = {"d": "Real", "i": "Integer", "b": "Boolean"}
        listed = (ctypes.c_uint32 * len(references))(*references)
        size = ctypes.c_size_t(len(references))
        rest = (values, size) if self._new else (values,)
        self._call(f"{verb}{names[kind]}", listed, size, *rest)

    def _function(self, name: str) -> Any:
        try:
            return getattr(self._library, f"{self._prefix}{name}")
        except AttributeError:
            raise self._failure(f"has no function {self._prefix}{name}") from None

    def _call(self, name: str, *arguments: Any) -> None:
        self._message = ""
        if self._function(name)(self._instance, *arguments) not in _OK:
            raise self._failure(f"{self._prefix}{name} fails")

    def _failure(self, problem: str) -> ParameterError:
        said = f": {self._message}" if self._message else ""
        return ParameterError("fmu", f"={self._fmu.source}: {problem}{said}")


def _text(message: bytes | None) -> str:
    words = (message or b"").decode("utf-8", "replace").split()
    return " ".join(words)[:_LONGEST_MESSAGE]

"""The library of an FMU in a process of its own: it may crash, and then only that process ends.

    ForeignVehicle ── LibraryProcess ──pipe, a line of JSON a call──▶ serve() ── Binding ── library

Numbers cross exactly: JSON holds the shortest text of a float that reads back the same. What the
library prints goes to stderr. The process ends with its parent, and where the library does not
return in time.
"""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vdsim_plant.fmu_import.binding import Binding
from vdsim_plant.fmu_import.library_file import fault_of_library
from vdsim_plant.fmu_import.opened_fmu import ForeignVariable, OpenedFmu
from vdsim_plant.parameters.errors import ParameterError

_PARENT_LOOK_S = 1.0
_READ_BYTES = 1 << 16
_END_S = 2.0
OPEN_S = 60.0
"""For loading, instantiating and initializing; a model may solve much before its first step."""
CALL_S = 10.0
"""For every other call: a step of milliseconds that takes so long will not end."""
_COMMAND = "from vdsim_plant.fmu_import.library_process import serve; serve()"


class LibraryProcess:
    """A Binding in another process; the same methods, and the same errors.

    `open_s`, `call_s`: how long the library may take [s]; then its process is ended.
    """

    def __init__(self, fmu: OpenedFmu, *, open_s: float = OPEN_S, call_s: float = CALL_S) -> None:
        self._source = fmu.source
        self._open_s, self._call_s = open_s, call_s
        self._received = b""
        fault = fault_of_library(fmu.library)
        if fault:
            problem = f"={fmu.source}: cannot be loaded: {fmu.library.name} {fault}"
            raise ParameterError("fmu", problem)
        # -c with the present path: whatever of it the parent has imported from, and no file of the
        # folder in which the user happens to be.
        places = [place for place in sys.path if place]
        command = [sys.executable, "-c", f"import sys; sys.path[:] = {places!r}; {_COMMAND}"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._end = weakref.finalize(self, _end, self._process)
        assert self._process.stdout is not None
        self._answers = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        try:
            given = asdict(fmu) | {"library": str(fmu.library), "variables": {}}
            self._ask("open", given, self._open_s)
        except BaseException:
            self._end()
            raise

    def start(self, values: Sequence[tuple[ForeignVariable, float]]) -> None:
        """As Binding."""
        self._ask("start", _plain(values), self._open_s)

    def reset(self) -> None:
        """As Binding."""
        self._ask("reset")

    def set(self, values: Sequence[tuple[ForeignVariable, float]]) -> None:
        """As Binding."""
        self._ask("set", _plain(values))

    def get(self, items: Sequence[ForeignVariable]) -> list[float]:
        """As Binding."""
        values: list[float] = self._ask("get", [asdict(item) for item in items])
        return values

    def step(self, now_s: float, duration_s: float) -> None:
        """As Binding."""
        self._ask("step", [now_s, duration_s])

    def state(self) -> bytes:
        """As Binding."""
        return base64.b64decode(self._ask("state"))

    def restore(self, kept: bytes) -> None:
        """As Binding."""
        self._ask("restore", base64.b64encode(kept).decode("ascii"))

    def close(self) -> None:
        """Free the instance, and end the process."""
        self._end()

    def _ask(self, call: str, argument: Any = None, within_s: float | None = None) -> Any:
        to = self._process.stdin
        assert to is not None
        try:
            to.write(json.dumps([call, argument]).encode() + b"\n")
            to.flush()
        except (OSError, ValueError):  # it has ended
            answer = None
        else:
            answer = self._answer(call, self._call_s if within_s is None else within_s)
        if not isinstance(answer, list) or len(answer) != 2:
            raise ParameterError("fmu", f"={self._source}: {self._how_it_ended()}")
        error, value = answer
        if error is not None:
            raise ParameterError(*error)
        return value

    def _answer(self, call: str, within_s: float) -> Any:
        """The answer; None when the process has ended."""
        received, limit_s = self._received, time.monotonic() + within_s
        while b"\n" not in received:
            left_s = limit_s - time.monotonic()
            if left_s <= 0.0 or not self._poll.poll(1e3 * left_s):
                self._process.kill()
                self._end()
                problem = f"its library has not returned from {call!r} within {within_s:g} s"
                raise ParameterError("fmu", f"={self._source}: {problem}; its process was ended")
            part = os.read(self._answers, _READ_BYTES)
            if not part:
                return None
            received += part
        line, _, self._received = received.partition(b"\n")
        try:
            return json.loads(line)
        except ValueError:  # the library has written into our pipe
            return None

    def _how_it_ended(self) -> str:
        self._end()
        code = self._process.returncode
        what = f"exit code {code}"
        if code < 0:
            what = signal.Signals(-code).name
        return f"its library has ended its process: {what}"


def _plain(values: Sequence[tuple[ForeignVariable, float]]) -> list[Any]:
    return [[asdict(item), float(value)] for item, value in values]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process: it frees the instance where it can, and is killed where it cannot."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was not sent yet
                continue
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# ---- in the other process ------------------------------------------------------------------------


def serve() -> None:
    """Answer calls until the parent closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # the library may print
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    binding: Binding | None = None
    for line in sys.stdin.buffer:
        call, argument = json.loads(line)
        try:
            if call == "open":
                binding, value = Binding(_fmu(argument)), None
            else:
                assert binding is not None
                value = _CALLS[call](binding, argument)
            answer = [None, value]
        except ParameterError as error:
            answer = [[error.key, error.problem], None]
        _write(answers, json.dumps(answer).encode() + b"\n")
    if binding is not None:
        binding.close()


def _write(answers: Any, data: bytes) -> None:
    while data:
        data = data[answers.write(data) :]


def _end_with_parent(parent: int) -> None:
    """A library that never returns must not outlive whoever called it."""
    while os.getppid() == parent:
        time.sleep(_PARENT_LOOK_S)
    os._exit(1)


def _fmu(given: dict[str, Any]) -> OpenedFmu:
    return OpenedFmu(**{**given, "library": Path(given["library"])})


def _values(given: list[Any]) -> list[tuple[ForeignVariable, float]]:
    return [(ForeignVariable(**item), value) for item, value in given]


def _set(binding: Binding, given: list[Any]) -> None:
    binding.set(_values(given))


_CALLS: dict[str, Callable[[Binding, Any], Any]] = {
    "start": lambda binding, given: binding.start(_values(given)),
    "reset": lambda binding, _: binding.reset(),
    "set": _set,
    "get": lambda binding, given: binding.get([ForeignVariable(**item) for item in given]),
    "step": lambda binding, given: binding.step(*given),
    "state": lambda binding, _: base64.b64encode(binding.state()).decode("ascii"),
    "restore": lambda binding, given: binding.restore(base64.b64decode(given)),
}
"""By the names of Binding's methods."""

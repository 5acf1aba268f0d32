"""Writes the calls of pure objects onto a tape, from outside of their classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vdsim_interface.guard.frames import Activate
from vdsim_interface.guard.guard import Guard
from vdsim_interface.pipeline.pipeline import Pipeline

from vdsim_record.tape.calls import (
    GUARD,
    PIPELINE,
    SAFETY,
    SENDING,
    VEHICLE,
    Call,
    NewGuard,
    NewPipeline,
    Send,
    Sent,
    calls,
    datagrams_of,
    methods_of,
    packet,
    written,
)

_ENDS_PACKET = frozenset({"after_send", "stop", "take_frames"})
_LARGEST = 32 << 10


class Taping:
    """One tape: of one process, in one thread. `send`: takes each packet."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: list[bytes] = []
        self._size = 0
        self._sent_n = 0
        self._is_inside = False

    def of_pipeline(self, pipeline: Pipeline, setup: Activate) -> None:
        """Write the calls of a pipeline that was made of this setup."""
        self._add(written(NewPipeline, setup))
        self._attach(PIPELINE, pipeline)
        self._attach(SAFETY, pipeline.safety_side)
        self._attach(VEHICLE, pipeline.vehicle_side)

    def of_guard(self, guard: Guard) -> None:
        """Write the calls of a guard."""
        self._add(written(NewGuard))
        self._attach(GUARD, guard)

    def flush(self) -> None:
        """Send what waits."""
        if self._waiting:
            self._send(packet(self._sent_n, self._waiting))
            self._sent_n += 1
            self._waiting, self._size = [], 0

    def _attach(self, role: str, made: object) -> None:
        for name in methods_of(role):
            setattr(made, name, self._taped(calls()[role, name], getattr(made, name)))

    def _taped(self, call: Call, method: Callable[..., Any]) -> Callable[..., Any]:
        sends, ends = call.method in SENDING, call.method in _ENDS_PACKET

        def taped(*arguments: Any) -> Any:
            if self._is_inside:
                return method(*arguments)
            self._is_inside = True
            try:
                self._add(call.written(arguments))
                result = method(*arguments)
                if sends:
                    self._add(written(Sent, datagrams_of(result)))
            finally:
                self._is_inside = False
            if ends:
                self.flush()
            return result

        return taped

    def _add(self, entry: bytes) -> None:
        if self._size + len(entry) > _LARGEST:
            self.flush()
        self._waiting.append(entry)
        self._size += len(entry)

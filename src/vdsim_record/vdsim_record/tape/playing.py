"""The calls of a tape again, on objects that the shipped code makes; what they send is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from vdsim_interface.guard.frames import (
    TO_GUARD,
    Activate,
    Configure,
    FrameReader,
    FrameWriter,
    Reject,
    Value,
)
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import from_values
from vdsim_interface.parameters.flat import changed
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import Datagram, Endpoint, PlatformSetup

from vdsim_record.tape.calls import (
    GUARD,
    PIPELINE,
    SAFETY,
    SENDING,
    TAPE,
    VEHICLE,
    Entry,
    NewGuard,
    NewPipeline,
    Sent,
    datagrams_of,
    entries,
)

Values = Mapping[str, Value]
NOTHING: Values = {}


class Tick(NamedTuple):
    """What one call that sends has given. `number`: counts them. `now`: its time [s].

    `recorded`, `played`: the datagrams then and now. `vehicle`: the side that encoded them now;
    None before there is one. `notices`: texts of the notices since the tick before.
    """

    number: int
    now: float
    recorded: tuple[Datagram, ...]
    played: tuple[Datagram, ...]
    vehicle: VehicleSide | None
    notices: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether every bit is the same."""
        return self.recorded == self.played


class _NoSockets:
    """The vehicle's sockets in a replay."""

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Nothing to open."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Nobody to send to."""

    def close(self) -> None:
        """Nothing to close."""

    def counts(self) -> Mapping[str, float]:
        """No trouble."""
        return {}


class Playing:
    """Plays one tape. `changes`: parameters of the interface by name, in place of the recorded."""

    def __init__(self, packets: Iterable[bytes], changes: Values = NOTHING) -> None:
        self._entries = entries(packets)
        self._changes = dict(changes)
        self._pipeline: Pipeline | None = None
        self._before: Pipeline | None = None
        self._guard: Guard | None = None
        self._now = 0.0
        self._played: tuple[Datagram, ...] = ()
        self._notices: list[str] = []
        self._ticks = 0

    def ticks(self) -> Iterator[Tick]:
        """Play; each call that sends is one tick. Raises MalformedError for a damaged tape."""
        for entry in self._entries:
            if entry.call.role != TAPE:
                self._call(entry)
            elif entry.call.method == Sent.__name__:
                yield self._tick(*entry.arguments)
            elif entry.call.method == NewPipeline.__name__:
                self._make_pipeline(*entry.arguments)
            elif entry.call.method == NewGuard.__name__:
                self._guard, self._pipeline = Guard(_NoSockets()), None

    def _tick(self, recorded: tuple[Datagram, ...]) -> Tick:
        self._ticks += 1
        notices, self._notices = tuple(self._notices), []
        return Tick(self._ticks, self._now, recorded, self._played, self._vehicle, notices)

    @property
    def _vehicle(self) -> VehicleSide | None:
        if self._guard is None:
            return None if self._pipeline is None else self._pipeline.vehicle_side
        return None if self._guard.sides is None else self._guard.sides.vehicle

    def _make_pipeline(self, setup: Activate) -> None:
        parameters = from_values(InterfaceParameters, {**setup.interface, **self._changes})
        spec = platform_spec(setup.platform, None)
        own = from_values(spec.parameters, setup.platform_values)
        spec = spec.with_parameters(own)
        platform = spec.create(own, PlatformSetup(parameters.vehicle, parameters.period_s))
        self._before, self._guard = self._pipeline, None
        self._pipeline = Pipeline(parameters, platform, spec.capabilities)

    def _call(self, entry: Entry) -> None:
        method, arguments = self._method(entry), entry.arguments
        if entry.call.method == "configure":
            assert self._pipeline is not None
            values = {**arguments[0], **self._changes}
            arguments = (changed(self._pipeline.parameters, values, active=False),)
        elif entry.call.method == "restore_from":
            arguments = (self._before,)
        elif entry.call.method == "on_frame" and self._changes:
            arguments = (self._with_changes(*arguments), arguments[1])
        result = method(*arguments)
        if entry.call.method in SENDING:
            self._now = arguments[0]
            self._played = datagrams_of(result)
        self._note(result)

    def _method(self, entry: Entry) -> Callable[..., Any]:
        pipeline = self._pipeline
        owners = {
            PIPELINE: pipeline,
            SAFETY: None if pipeline is None else pipeline.safety_side,
            VEHICLE: None if pipeline is None else pipeline.vehicle_side,
            GUARD: self._guard,
        }
        method: Callable[..., Any] = getattr(owners[entry.call.role], entry.call.method)
        return method

    def _note(self, result: Any) -> None:
        """Keep the notices that a call has returned."""
        found = getattr(result, "notices", result)
        for one in found if isinstance(found, tuple) else ():
            for each in one if isinstance(one, tuple) else (one,):
                if hasattr(each, "kind") and hasattr(each, "text"):
                    self._notices.append(f"{each.kind}: {each.text}")

    def _with_changes(self, data: bytes, now: float) -> bytes:
        """Return a frame of parameters with the changes in it; any other as it is."""
        frame = FrameReader(TO_GUARD).read(data, now)
        if isinstance(frame, Reject) or not isinstance(frame.payload, Activate | Configure):
            return data
        payload = frame.payload._replace(interface={**frame.payload.interface, **self._changes})
        writer = FrameWriter()
        writer._counter = frame.counter - 1
        return writer.write(payload, frame.sent_s)[1]

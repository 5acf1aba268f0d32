"""Plays a recording of a live run again and proves that it gives the same states, bit for bit.

What was latched at which tick is in the recording, so the replay depends neither on the wall clock
nor on the watchdog of the live run. Pure but for reading the file.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.fields import Number, require
from vdsim_plant.parameters.substep import LONGEST_SUBSTEP_S, check_substep
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import MODEL_VERSION

from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.live.wire_state import state_of
from vdsim_plant_node.runs.recording import (
    InputSource,
    Record,
    RecordingError,
    RecordingReader,
    RecordKind,
    unpack_input,
    unpack_reset,
)
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.settings.fleet import vehicle_from_mapping
from vdsim_plant_node.settings.server_settings import VehicleSettings, WorldOrigin
from vdsim_protocol import vds1

_TICK = Number(doc="tick of the plant", unit="s", above=0.0, at_most=1.0)
_SUBSTEP = Number(doc="step of the solver", unit="s", above=0.0, at_most=LONGEST_SUBSTEP_S)
MOST_SUBSTEPS = 1e6  # of a tick
LONGEST_GAP = 1_000_000
"""Ticks from one record of a vehicle to its next, at most."""
_WHOLE_TOLERANCE = 1e-9
_FIRST_MODEL = 1  # recordings did not name it


@dataclass(frozen=True)
class Difference:
    """A recorded STATE that the replay does not reproduce."""

    vehicle_id: int
    tick: int
    fields: tuple[str, ...]
    """Names of the values that differ."""


@dataclass
class Verdict:
    """What a replay has found so far."""

    states: int = 0
    different: int = 0
    first: Difference | None = None

    @property
    def same(self) -> bool:
        """Whether there were states and every one was reproduced to the bit."""
        return self.states > 0 and self.different == 0


@dataclass
class _Car:
    """A vehicle of the recording, built again."""

    settings: VehicleSettings
    session: SimSession
    tick: int = 0
    drive: Drive = Drive.WAITING


class RecordedRun:
    """A recording being played again."""

    def __init__(self, path: Path, *, allow_coarse_substep: bool = False) -> None:
        self.path = path
        self.reader = RecordingReader(path)
        self.verdict = Verdict()
        metadata = self.reader.metadata
        model = metadata.get("model", _FIRST_MODEL)
        if model != MODEL_VERSION:
            raise RecordingError(
                f"{path}: was recorded with version {model} of the car's equations, this program "
                f"has version {MODEL_VERSION}: its states cannot be reproduced"
            )
        try:
            self.tick_s, self.substep_s = _periods(metadata)
            allow = "" if allow_coarse_substep else "--allow-coarse-substep"
            check_substep("substep_s", self.substep_s, allow=allow)
            self._cars = dict(_car(entry, self.substep_s) for entry in metadata["vehicles"])
        except ParameterError as error:
            raise error.in_file(str(path)) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordingError(f"{path}: damaged metadata: {repr(error)[:200]}") from None

    @property
    def origins(self) -> dict[int, WorldOrigin]:
        """Where each vehicle's own origin lies in the world."""
        return {vehicle_id: car.settings.origin for vehicle_id, car in self._cars.items()}

    @property
    def vehicles(self) -> dict[int, tuple[VehicleSettings, SimSession]]:
        """The vehicles of the recording, built again."""
        return {number: (car.settings, car.session) for number, car in self._cars.items()}

    @property
    def ticks(self) -> int:
        """Ticks of all vehicles together."""
        last = max((record.tick for record in self.reader), default=0)
        return last * len(self._cars)

    def start(self) -> list[PlayedTick]:
        """Every vehicle before its first tick."""
        return [_played(car) for car in self._cars.values()]

    def __iter__(self) -> Iterator[PlayedTick]:
        """Play the whole recording; the verdict grows on the way."""
        for record in self.reader:
            car = self._cars.get(record.vehicle_id)
            if car is None:
                raise RecordingError(f"{self.path}: holds no vehicle {record.vehicle_id}")
            if record.kind is RecordKind.SNAPSHOT:
                self._apply(record, car)
                car.tick = record.tick
            if record.tick > car.tick + LONGEST_GAP:
                raise RecordingError(
                    f"{self.path}: damaged: tick {record.tick} follows tick {car.tick}"
                )
            while car.tick < record.tick:
                car.session.tick(self.tick_s)
                car.tick += 1
                yield _played(car)
            if record.kind is not RecordKind.SNAPSHOT:
                self._apply(record, car)

    def _apply(self, record: Record, car: _Car) -> None:
        """Do what a record asks for; its content may be nonsense though its CRC is right."""
        try:
            self._act_on(record, car)
        except RecordingError:
            raise
        except (struct.error, ValueError, TypeError, OverflowError) as error:
            what = f"damaged {record.kind.name} at tick {record.tick}"
            raise RecordingError(f"{self.path}: {what}: {repr(error)[:200]}") from None

    def _act_on(self, record: Record, car: _Car) -> None:
        if record.kind is RecordKind.SNAPSHOT:
            car.session.restore(record.payload)
        elif record.kind is RecordKind.INPUT:
            pedals, source = unpack_input(record.payload)
            car.session.set_input(pedals)
            car.drive = _drive_after(source, car.drive)
        elif record.kind is RecordKind.RESET:
            car.session.reset(unpack_reset(record.payload))
            car.drive = Drive.WAITING
        elif record.kind is RecordKind.STATE:
            self._compare(record, car)

    def _compare(self, record: Record, car: _Car) -> None:
        recorded = vds1.decode(record.payload)
        if isinstance(recorded, vds1.Reject):
            raise RecordingError(f"{self.path}: STATE of tick {record.tick}: {recorded}")
        header = recorded.header
        output = car.session.output()
        state = state_of(output, car.settings.origin)
        again = vds1.encode_state(
            state,
            seq=header.seq,
            timestamp_s=output.time_s,
            version=header.version,
            vehicle_id=header.vehicle_id,
        )
        self.verdict.states += 1
        if again != record.payload:
            self.verdict.different += 1
            names = _differing(recorded, vds1.decode(again))
            difference = Difference(car.settings.vehicle_id, record.tick, names)
            self.verdict.first = self.verdict.first or difference


def _periods(metadata: dict[str, Any]) -> tuple[float, float]:
    """Return tick and substep [s]."""
    tick_s = _TICK.checked("tick_s", metadata["tick_s"])
    substep_s = _SUBSTEP.checked("substep_s", metadata["substep_s"])
    ratio = tick_s / substep_s
    divides = ratio <= MOST_SUBSTEPS and abs(round(ratio) - ratio) <= _WHOLE_TOLERANCE * ratio
    allowed = f"must divide tick_s={tick_s:g} into a million at most"
    require(divides, "substep_s", f"={substep_s:g}: {allowed}")
    return tick_s, substep_s


def _car(entry: dict[str, Any], substep_s: float) -> tuple[int, _Car]:
    """Build a vehicle as it was, or refuse one that cannot be the same."""
    settings = vehicle_from_mapping(entry["settings"])
    session = build_session(settings, substep_s=substep_s)
    if session.fingerprint() != entry["fingerprint"]:
        raise ParameterError(
            "recording",
            f"was made with other parameters of vehicle {settings.vehicle!r}, its tyre, road, "
            "actuators or sensors than those found now",
        )
    return settings.vehicle_id, _Car(settings, session)


def _drive_after(source: InputSource, before: Drive) -> Drive:
    if source is not InputSource.FAILSAFE:
        return Drive.COMMANDED
    return Drive.WAITING if before is Drive.WAITING else Drive.FAILSAFE


def _played(car: _Car) -> PlayedTick:
    return PlayedTick(car.settings.vehicle_id, car.drive.value, car.session.output())


def _differing(recorded: Any, again: Any) -> tuple[str, ...]:
    names = [item.name for item in fields(vds1.State)]
    return tuple(
        itertools.chain(
            ["timestamp_s"] if recorded.timestamp_s != again.timestamp_s else [],
            (
                name
                for name in names
                if repr(getattr(recorded.body, name)) != repr(getattr(again.body, name))
            ),
        )
    )

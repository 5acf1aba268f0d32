"""A recording of a bus -> the channels from which `vdsim_identify` finds the car.

What the car file maps is read, commands and reports alike, by the same counters and checksums as in
a drive. A command counts while frames and reports say that the car lets itself be driven; what lies
between is a gap of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_interface.values import Gear, drive_direction
from vdsim_plant.parameters.errors import ParameterError
from vdsim_protocol.checked_file import FileError

from vdsim_can.bus.recording import Recorded, RecordingError, recorded
from vdsim_can.car import CarFile
from vdsim_can.car.reading import load_car
from vdsim_can.data import car_path
from vdsim_can.fields.decoding import FieldDecoder
from vdsim_can.fields.encoding import Value
from vdsim_can.fields.handshake_settings import settings_of
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.table import watcher

Array = NDArray[np.float64]
SPEED = "velocity_mps"
COMMANDS: Mapping[str, str] = {
    "front_wheel_angle_rad": "command_steer_rad",
    "throttle": "command_throttle",
    "brake": "command_brake",
    "gear": "command_gear",
}
REPORTS: Mapping[str, str] = {
    SPEED: "vx_mps",
    "lateral_velocity_mps": "vy_mps",
    "yaw_rate_radps": "yaw_rate_radps",
    "accel_x_mps2": "ax_mps2",
    "accel_y_mps2": "ay_mps2",
    "front_wheel_angle_rad": "steer_rad",
    **{f"wheel_{wheel}_radps": f"wheel_spin_radps_{wheel}" for wheel in ("fl", "fr", "rl", "rr")},
}
"""Fields of a car file, and the channels of `vdsim_identify --channels` that they are."""


def read_drive(path: Path, car: str) -> tuple[Array, dict[str, Array]]:
    """Return (time since the first frame [s], channels) of a recording; raises ParameterError."""
    try:
        file = load_car(car_path(car))
        return _Reading(file).of(path)
    except (FileError, RecordingError) as error:
        raise ParameterError("--car", f"={car}: {error}", source=path.name) from error


class _Reading:
    """Series by channel: each measured value when its frame came, each command when it changed."""

    def __init__(self, car: CarFile) -> None:
        self._car = car
        self._receiver: Receiver = watcher(car)
        self._reports = _by_message(car, reports=True)
        self._commands = _by_message(car, reports=False)
        self._series: dict[str, tuple[list[float], list[float]]] = {}
        self._driven: list[tuple[float, bool]] = []
        last = len(car.handshake) - 1
        self._settings = settings_of(car.handshake, last) if car.handshake else {}

    def of(self, path: Path) -> tuple[Array, dict[str, Array]]:
        """Read a recording."""
        buses = tuple(self._car.buses)
        first_s = last_s = None
        for each in recorded(path, buses):
            if first_s is None:
                first_s = each.stamp_s
            last_s = each.stamp_s - first_s
            self._add(each, buses, last_s)
        if REPORTS[SPEED] not in self._series:
            self._refuse(path, last_s)
        return self._on_one_clock(path)

    def _add(self, each: Recorded, buses: tuple[str, ...], now: float) -> None:
        # A log of the only bus may call it as it likes: can0.
        bus = buses[0] if len(buses) == 1 else each.bus
        if each.frame.error:
            return
        outcome = self._receiver.receive(bus, each.frame, now)
        name = outcome.message
        if outcome.text or name not in self._receiver.messages:
            return
        raws = self._receiver.messages[name].raws
        for channel, decoder in (*self._reports.get(name, ()), *self._commands.get(name, ())):
            value = _number(decoder.value(raws.get(decoder.signal)))
            if value is not None:
                times, values = self._series.setdefault(channel, ([], []))
                times.append(now)
                values.append(value)
        driven = self._is_driven(now)
        if not self._driven or self._driven[-1][1] is not driven:
            self._driven.append((now, driven))

    def _is_driven(self, now: float) -> bool:
        """Whether the car takes commands, as the last row of the handshake has it."""
        raw = self._receiver.raw
        if any(raw(name, now) != value for name, value in self._settings.items()):
            return False
        steps = self._car.handshake
        waits = steps[-1].wait_for if steps else ()
        return all(each.holds(self._receiver.physical(each.signal, now)) for each in waits)

    def _times(self) -> Array:
        """Return the times of the rows: of a command, which holds from its frame on, or the speed.

        What is measured lies on a line between two frames; a command that is moved to the next row
        would look as if the car had answered before.
        """
        times: Array = np.array(self._series[REPORTS[SPEED]][0])
        for channel in COMMANDS.values():
            sent: Array = np.array(self._series.get(channel, ([], []))[0])
            if 2 * len(sent) >= len(times):
                within: Array = sent[(times[0] <= sent) & (sent <= times[-1])]
                return within
        return times

    def _on_one_clock(self, path: Path) -> tuple[Array, dict[str, Array]]:
        times = self._times()
        kept = self._driven_at(times)
        if not kept.any():
            text = "nobody drives through the bus in this recording: the handshake never ends"
            raise ParameterError("--car", f"={self._car.source}: {text}", source=path.name)
        columns: dict[str, Array] = {}
        for channel, (stamps, values) in self._series.items():
            at, numbers = np.array(stamps), np.array(values)
            if channel in COMMANDS.values():
                place = np.searchsorted(at, times, side="right") - 1
                columns[channel] = numbers[np.clip(place, 0, None)][kept]
            else:
                columns[channel] = np.interp(times, at, numbers)[kept]
        return times[kept], columns

    def _driven_at(self, times: Array) -> NDArray[np.bool_]:
        begins = np.array([time_s for time_s, _ in self._driven])
        states = np.array([driven for _, driven in self._driven])
        kept: NDArray[np.bool_] = states[np.searchsorted(begins, times, side="right") - 1]
        return kept

    def _refuse(self, path: Path, last_s: float | None) -> None:
        if last_s is None:
            raise ParameterError("file", "holds no frame", source=path.name)
        reasons = [each.why for each in self._receiver.messages.values() if each.why]
        why = reasons[0] if reasons else "no frame has an id of the car file"
        text = f"={self._car.source}: no {SPEED} in this recording: {why}"
        raise ParameterError("--car", text, source=path.name)


def _by_message(car: CarFile, *, reports: bool) -> dict[str, list[tuple[str, FieldDecoder]]]:
    channels = REPORTS if reports else COMMANDS
    found: dict[str, list[tuple[str, FieldDecoder]]] = {}
    for row in car.reports if reports else car.commands:
        if row.field in channels:
            item = channels[row.field], FieldDecoder(car, row)
            found.setdefault(row.signal.message, []).append(item)
    return found


def _number(value: Value | None) -> float | None:
    """A gear is the direction that it drives in."""
    if isinstance(value, str):
        return float(drive_direction(Gear[value]))
    return value

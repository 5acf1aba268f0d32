"""The last look at what goes onto the bus: clamps commands, and judges the packed frames.

`bounded` clamps an angle to what may follow the last one. `refusal` decodes a frame again, from its
bytes, and names what must not be sent: an id that is not in the list, a value beyond its limits, a
drive while the car is not ours. It knows nothing of what was asked for, so that a fault of the
encoder, of the loops before it or of the car file's rows does not pass it. What is refused is not
counted as sent.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from typing import NamedTuple

from vdsim_can.car import MEASURED, CarFile, FieldRow
from vdsim_can.fields.encoding import line_of
from vdsim_can.frame import Frame
from vdsim_can.platform.bounds import WINDOW_S, angle_bounds, torque_bounds
from vdsim_can.traffic.wire_message import WireMessage

ANGLE, TORQUE = "front_wheel_angle_rad", "steering_torque_nm"
ACCEL, THROTTLE = "long_accel_mps2", "throttle"
JUDGED = (ANGLE, TORQUE, ACCEL, THROTTLE)
NEAR_MEASURED_RAD = 0.02
"""A car that is not ours yet is shown its own angle, no further away than this."""


class Situation(NamedTuple):
    """What limits depend on. `drives`: the handshake is complete and the interface commands."""

    now: float
    speed_mps: float
    measured_rad: float
    driver_nm: float
    drives: bool


class Checked(NamedTuple):
    """A row whose values are judged: value = raw * gain + bias."""

    row: FieldRow
    gain: float
    bias: float


class Limiter:
    """Of one car. `refused`: how many frames, by kind of limit."""

    def __init__(self, car: CarFile) -> None:
        self._limits = car.limits
        wires = [WireMessage(car, row) for row in car.send.values()]
        self._wires = {wire.key: wire for wire in wires}
        self._rows: dict[str, list[Checked]] = {wire.name: [] for wire in wires}
        for row in car.commands:
            if row.field in JUDGED:
                checked = Checked(row, *line_of(car.signal(row.signal), row))
                self._rows[row.signal.message].append(checked)
        self._angle_rad: float | None = None
        self._angle_s = -math.inf
        self._torque_nm = 0.0
        self._torques: deque[tuple[float, float]] = deque(maxlen=256)
        self.refused: Counter[str] = Counter()

    def bounded(self, angle_rad: float, at: Situation) -> float:
        """Return the nearest angle that may be sent now."""
        if self._limits.angle is None or not at.drives:
            return angle_rad
        low, high = self._angle_bounds(at)
        return min(max(angle_rad, low), high)

    def restart(self) -> None:
        """Nothing was sent yet: the next frames begin at the measured angle."""
        self._angle_rad, self._angle_s, self._torque_nm = None, -math.inf, 0.0
        self._torques.clear()

    def refusal(self, bus: str, frame: Frame, at: Situation) -> str:
        """Return why a frame must not be sent; empty when it may, and then it counts as sent."""
        kind, text = self._fault(bus, frame, at)
        if kind:
            self.refused[kind] += 1
        return text

    def _fault(self, bus: str, frame: Frame, at: Situation) -> tuple[str, str]:
        wire = self._wires.get((bus, frame.can_id, frame.extended))
        if wire is None:
            text = f"id 0x{frame.can_id:X} on {bus} is not in the list of what this car is sent"
            return "id", text
        if len(frame.data) != wire.message.length or frame.fd is not wire.is_fd:
            return "length", f"{wire.name} has {len(frame.data)} bytes, not {wire.message.length}"
        raws = wire.unpack(frame.data)
        found: dict[str, float] = {}
        for row, gain, bias in self._rows[wire.name]:
            raw = raws.get(row.signal.signal)
            if raw is None:
                continue
            value = raw * gain + bias
            fault = self._beyond(row, value, abs(gain), at)
            if fault:
                return row.field, f"{row.signal} carries {row.field} {value:.5g}: {fault}"
            found[row.field] = value
        if ANGLE in found:
            self._angle_rad, self._angle_s = found[ANGLE], at.now
        if TORQUE in found:
            self._torque_nm = found[TORQUE]
            self._torques.append((at.now, found[TORQUE]))
        return "", ""

    def _beyond(self, row: FieldRow, value: float, step: float, at: Situation) -> str:
        """Return which bound a value exceeds by more than its rounding."""
        low, high = -math.inf, math.inf
        field = row.field
        if field == ANGLE:
            if at.drives:
                low, high = self._angle_bounds(at)
            elif row.neutral != MEASURED:
                low = high = float(row.neutral)
            elif not math.isnan(at.measured_rad):
                low, high = at.measured_rad - NEAR_MEASURED_RAD, at.measured_rad + NEAR_MEASURED_RAD
        elif field == TORQUE:
            low, high = self._torque_bounds(at) if at.drives else (0.0, 0.0)
        elif field == ACCEL:
            low, high = self._accel_bounds() if at.drives else (-math.inf, 0.0)
        elif not at.drives:
            low, high = 0.0, 0.0
        rounding = 0.5 * step + 1e-9
        if low - rounding <= value <= high + rounding:
            return ""
        return f"not within {low:.5g} to {high:.5g}"

    def _angle_bounds(self, at: Situation) -> tuple[float, float]:
        limits = self._limits.angle
        if limits is None:
            return -math.inf, math.inf
        before, elapsed_s = self._angle_rad, at.now - self._angle_s
        if before is None or not elapsed_s >= 0.0:  # nothing sent yet, or time jumped back
            before, elapsed_s = at.measured_rad, WINDOW_S
        if math.isnan(before):
            before = None
        return angle_bounds(limits, at.speed_mps, before, elapsed_s)

    def _torque_bounds(self, at: Situation) -> tuple[float, float]:
        limits = self._limits.torque
        if limits is None:
            return -math.inf, math.inf
        low, high = torque_bounds(limits, at.speed_mps, self._torque_nm, at.driver_nm)
        if limits.window_ms:
            since_s = at.now - 1e-3 * limits.window_ms
            recent = [torque for sent_s, torque in self._torques if sent_s > since_s]
            if recent:
                high = min(high, max(min(recent), 0.0) + limits.window_delta_nm)
                low = max(low, min(max(recent), 0.0) - limits.window_delta_nm)
        return low, high

    def _accel_bounds(self) -> tuple[float, float]:
        least, most = self._limits.accel_min_mps2, self._limits.accel_max_mps2
        return (-math.inf if least is None else least), (math.inf if most is None else most)

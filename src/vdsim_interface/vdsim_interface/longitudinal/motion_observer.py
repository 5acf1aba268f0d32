"""Speed and pedals -> what slope, wind, load and a wrong pedal map do to the car together.

An observer of second order: it predicts the speed from the pedals' effort and from the slope, and
what remains between prediction and measurement is the disturbance. So the measured acceleration is
the filtered derivative of the speed, and never that of an accelerometer. The effort is what was
sent or applied, after every limit: a saturated pedal winds nothing up (back-calculation).

`EffortInEffect`: what the pedals give now, as the vehicle reports it, as far as that can be true.
A vehicle may brake by itself, in its fail-safe or by a person. It does not drive by itself: more
effort than was sent during the last second is not in effect, whatever the vehicle says. A claim of
that kind would be taken for a slope or for weak brakes, and the loop would add drive or ease the
brake against it. In its place counts what was sent, with the lag of the pedals.
"""

import math
from functools import lru_cache
from math import inf, isfinite

from vdsim_interface.values import VehicleReport

SLICE_S = 0.5
"""What was sent is kept for one to two such slices: a report answers an earlier packet."""
ROOM_MPS2 = 0.3
"""Noise of a pedal sensor, and the change of the pedal map between packet and report."""


class EffortInEffect:
    """`value_mps2`: along the travel direction; positive drives, negative brakes."""

    def __init__(self, lag_s: float) -> None:
        self._lag_s = lag_s
        self.reset()

    def reset(self) -> None:
        """Discard what was sent: someone else may have driven until now."""
        self.value_mps2 = 0.0
        self._most = self._most_before = inf
        self._slice_s = 0.0

    def on_sent(self, effort_mps2: float, dt_s: float) -> None:
        """Add the effort of one packet, `dt_s` after the last one."""
        self._slice_s += dt_s
        if self._slice_s >= SLICE_S:
            self._most_before, self._most, self._slice_s = self._most, effort_mps2, 0.0
        elif effort_mps2 > self._most:
            self._most = effort_mps2

    def report(self, reported_mps2: float, sent_mps2: float, dt_s: float) -> float:
        """Use a report, nan for one without pedals; return the effort in effect."""
        most = self._most if self._most > self._most_before else self._most_before
        if reported_mps2 <= most + ROOM_MPS2 and isfinite(reported_mps2):
            self.value_mps2 = reported_mps2
        else:
            self.value_mps2 += (sent_mps2 - self.value_mps2) * dt_s / (self._lag_s + dt_s)
        return self.value_mps2


GRAVITY_MPS2 = 9.80665
QUICK = 4.0
"""How much faster the acceleration is estimated than the disturbance."""
KNOWN_STEPS_N = 64
"""So many different time steps are kept with what depends on them."""


class MotionObserver:
    """All values are along the travel direction.

    `disturbance_mps2`: acceleration beyond effort and known slope, within `bound_mps2`.
    `accel_mps2`: the filtered derivative of the measured speed. `slope_from`: `pitch`,
    `specific_force` or empty.
    """

    def __init__(self, bandwidth_1ps: float, bound_mps2: float, slope_from: str) -> None:
        self._bandwidth_1ps = bandwidth_1ps
        self._slope_from = slope_from
        self.bound_mps2 = bound_mps2
        self.reset()
        self._measured_mps = math.nan  # the first measurement sets it before it is read

    def reset(self) -> None:
        """Discard every estimate."""
        self.disturbance_mps2 = self.accel_mps2 = 0.0
        self._speed_mps: float | None = None

    def turn(self) -> None:
        """Change the travel direction: a slope that is not reported now acts the other way."""
        self.disturbance_mps2 = -self.disturbance_mps2
        self.forget()
        self.accel_mps2 = -self.accel_mps2
        self._speed_mps = None

    def forget(self) -> None:
        """Forget the disturbance where the slope is reported: what else there was, a start has not.

        Such as weak brakes, tyres at the lock, or a brake of the car itself that nobody reports.
        """
        if self._slope_from:
            self.disturbance_mps2 = 0.0

    def slope_x_mps2(self, report: VehicleReport, direction: int) -> float:
        """Return what gravity adds along the body's x axis [m/s2], as far as it is reported."""
        if self._slope_from == "pitch":
            return GRAVITY_MPS2 * math.sin(report.pitch_rad)
        felt = report.sensors.accel_x_mps2
        if self._slope_from == "specific_force" and isfinite(felt):
            return direction * self.accel_mps2 - felt
        return 0.0

    def resume(self, speed_mps: float, gap_s: float) -> None:
        """Go on after a gap without reports: what the car did meanwhile teaches nothing."""
        if self._speed_mps is not None:
            self.accel_mps2 = (speed_mps - self._measured_mps) / gap_s
        self._speed_mps = self._measured_mps = speed_mps

    def expect(self, more_mps2: float) -> None:
        """Change the disturbance, within its bound, by what a report or an event has shown."""
        changed, bound = self.disturbance_mps2 + more_mps2, self.bound_mps2
        if not -bound <= changed <= bound:
            changed = math.copysign(bound, changed)
        self.disturbance_mps2 = changed

    def update(self, speed_mps: float, known_mps2: float, dt_s: float, learns: bool) -> None:
        """Use a measured speed, `dt_s` after the last one; `known_mps2`: effort and slope.

        Without `learns` the disturbance stays, for example while a brake holds the car.
        """
        before = self._speed_mps
        if before is None:
            self._speed_mps = self._measured_mps = speed_mps
            return
        if dt_s <= 0.0:
            return
        share, gain_1ps, correction = of_step(self._bandwidth_1ps, dt_s)
        self.accel_mps2 += share * ((speed_mps - self._measured_mps) / dt_s - self.accel_mps2)
        self._measured_mps = speed_mps
        if not learns:
            self._speed_mps = speed_mps
            return
        predicted = before + (known_mps2 + self.disturbance_mps2) * dt_s
        error = speed_mps - predicted
        self.expect(gain_1ps * error)
        self._speed_mps = predicted + correction * error


@lru_cache(KNOWN_STEPS_N)
def of_step(bandwidth_1ps: float, dt_s: float) -> tuple[float, float, float]:
    """Return the share of the acceleration, the gain of the disturbance, the correction.

    A vehicle has few time steps, which differ by rounding alone.
    """
    pole = math.exp(-bandwidth_1ps * dt_s)
    share = 1.0 - math.exp(-QUICK * bandwidth_1ps * dt_s)
    return share, (1.0 - pole) ** 2 / dt_s, 1.0 - pole * pole

"""Wheel speeds -> how much drive and brake the tyres take: no wheel locks or spins.

Past the peak of its tyre a wheel locks within tenths of a second, and pulls less. So the cap acts
on where the slip will be shortly: it falls in proportion to what is too much, and rises slowly.

A brake that lags is past the peak before a wheel shows it. So the brake rises only to what the slip
so far foresees: the share of a tyre's force over the share of its slip is a parabola, whatever the
friction, and the peak of that parabola is the force at the limit.
"""

from math import cos, inf, isfinite, nan, sin

from vdsim_interface.values import VehicleReport
from vdsim_interface.values.speeds import JUDGED_MPS, NO_SLIP_MPS

LEAST_SCALE_MPS = 0.3
"""Slip at lower speeds is that of this one."""
AHEAD_S = 0.04
"""A slip that grows counts as that of so much later, by its share of the limit where it locks:
a small one grows with the brake. A wheel that rolls again by then needs no less brake."""
FORESEES_SHARE, SHOWS_SHARE = 0.4, 0.2
"""Beyond these shares of the limit, a slip foresees the brake at which it reaches the limit: beyond
the first the brake stays below it, beyond the second a cap returns to it."""
LEAST_FORESEEN_MPS2 = 1.0
"""A slip with next to no brake says nothing about more of it."""
ROLLS_FREELY_MPS2, LEARNS_ROLLING_1PS = 0.5, 2.0
"""With less effort a wheel rolls: what it looks slower than the car is an error of its radius."""
CUT_1PS = 250.0
"""Relative fall of a cap per slip beyond the limit [1/s]."""
DEEPEST_CUT = 0.35
"""Largest relative fall in one period."""
LEAST_SHARE = 0.6
"""A cap is at least this share of the effort in effect: what was cut has to arrive first."""
RISE_1PS = 0.6
RISE_MPS3 = 1.0
KNOWN_SHARE, RETURN_MPS3 = 0.92, 12.0
"""A cap returns fast to this share of the effort at which the slip began: the tyres took that."""
LEAST_MPS2 = 0.1
ROLLING_SLIP = 0.05
FREE_MPS2, LONGEST_SPIN_UP_S = 0.3, 1.0
"""With less effort than this a wheel rolls again within this time, on ice too."""
HALF_TRACK_SHARE = 0.28
"""Half the track over the wheelbase: in a bend the wheels of a side are slower without slip."""
NO_CAP = inf


class SlipCap:
    """`brake_mps2`, `drive_mps2`: the largest effort that is allowed now, at least 0.

    `is_supervised`: the vehicle reports its wheels, and they are to be trusted. They are once they
    have rolled with the car, and in a process that starts again after a crash, until one slips on
    although almost no effort is left. Without trust there is no cap on the brake.
    """

    def __init__(self, slip_max: float, wheelbase_m: float) -> None:
        self._slip_max = slip_max
        self.configure(wheelbase_m)
        self.is_supervised = False
        self._odd_s = 0.0
        self._rolling_slip = 0.0
        self.reset()

    def configure(self, wheelbase_m: float) -> None:
        """Use another wheelbase [m]."""
        self._wheelbase_m = wheelbase_m
        self._half_track_m = HALF_TRACK_SHARE * wheelbase_m

    def reset(self) -> None:
        """Start without a cap."""
        self.brake_mps2 = self.drive_mps2 = NO_CAP
        self._brake_cap = NO_CAP
        # What a cap begins with sets these before they are read.
        self._brake_onset = self._drive_onset = nan
        self._locked = False
        self._last = nan, nan

    def resume(self) -> None:
        """Continue after a gap between two reports: the next one has no trend, and a new lock."""
        self._last, self._locked = (nan, nan), False

    @property
    def is_acting(self) -> bool:
        """Whether a cap holds."""
        return self.brake_mps2 < NO_CAP or self.drive_mps2 < NO_CAP

    def steered_lead_mps(self, report: VehicleReport) -> float:
        """Return what steered front wheels that roll are faster than the car.

        They roll along their own direction: at 0.5 rad by 14 % of the speed. A car that slides also
        sideways does so by the least that fits, wherever on the wheelbase that is measured.
        """
        angle_rad, side_mps = report.front_wheel_angle_rad, report.lateral_velocity_mps
        turn_mps = self._wheelbase_m * report.yaw_rate_radps
        side_mps = max(turn_mps, side_mps, 0.0) + min(turn_mps, side_mps, 0.0)
        return report.velocity_mps * (cos(angle_rad) - 1.0) + side_mps * sin(angle_rad)

    def watch(
        self, report: VehicleReport, direction: int, effort: float, dt_s: float, is_reached: bool
    ) -> None:
        """Use a vehicle's report, `dt_s` after the last one; `effort` is along `direction`.

        An effort that nobody knows is inf: it may slip the wheels, and says nothing against them.
        """
        fl, fr, rl, rr = report.sensors.wheel_spin_radps
        radius = direction * report.sensors.wheel_radius_m
        vx_mps, yaw_rate = report.velocity_mps, report.yaw_rate_radps
        lead = direction * self.steered_lead_mps(report)
        wheels = (radius * fl - lead, radius * fr - lead, radius * rl, radius * rr)
        self.update(direction * vx_mps, direction * yaw_rate, wheels, effort, dt_s, is_reached)

    def update(
        self,
        speed_mps: float,
        yaw_rate_radps: float,
        wheels_mps: tuple[float, ...],
        effort: float,
        dt_s: float,
        is_reached: bool = False,
    ) -> None:
        """Use a report, along the travel direction; wheels FL, FR, RL, RR, nan where not reported.

        Of steered wheels without their `steered_lead_mps`.

        `effort`: drive (> 0) or brake (< 0) in effect [m/s2]. `is_reached`: the brake is sent as
        large as it may be. Then a cap stays, however little of the brake is in effect yet.
        """
        if not isfinite(sum(wheels_mps)):
            self.is_supervised = False
            self.reset()
            return
        if dt_s <= 0.0:
            return
        # A locked differential turns both wheels of an axle alike: in a bend each speed between
        # those of the left and the right side is one of rolling.
        turn_mps = abs(yaw_rate_radps) * self._half_track_m
        pace_mps = abs(speed_mps)
        scale_mps = pace_mps if pace_mps > LEAST_SCALE_MPS else LEAST_SCALE_MPS
        least = (min(wheels_mps) - speed_mps + turn_mps) / scale_mps
        most = (max(wheels_mps) - speed_mps - turn_mps) / scale_mps
        least_before, most_before = self._last
        self._last = least, most
        # Where slip and its trend are within the limit and nothing is cut, nothing changes.
        spin = most + AHEAD_S * max(0.0, (most - most_before) / dt_s)  # a nan counts as no trend
        if spin > self._slip_max or self.drive_mps2 != NO_CAP:
            if self.drive_mps2 == NO_CAP:
                self._drive_onset = effort
            known = KNOWN_SHARE * self._drive_onset
            self.drive_mps2 = self._next(self.drive_mps2, spin, effort, known, dt_s, is_reached)
        if pace_mps > JUDGED_MPS:
            slip = most if most > -least else -least
            if slip < ROLLING_SLIP:  # wheels that roll with the car are trusted
                self.is_supervised, self._odd_s = True, 0.0
            elif abs(effort) > FREE_MPS2:
                self._odd_s = 0.0
            else:  # wheels that go on to slip without an effort are not
                self._odd_s += dt_s
                self.is_supervised = self.is_supervised and self._odd_s < LONGEST_SPIN_UP_S
            if abs(effort) < ROLLS_FREELY_MPS2:
                rolling = min(max(-least, 0.0), ROLLING_SLIP)
                share = min(LEARNS_ROLLING_1PS * dt_s, 1.0)
                self._rolling_slip += share * (rolling - self._rolling_slip)
        is_free = not self.is_supervised or pace_mps < NO_SLIP_MPS
        if is_free or (least >= 0.0 and self.brake_mps2 == NO_CAP):  # nothing is known to lock
            self.brake_mps2 = self._brake_cap = NO_CAP
            return
        self._limit_brake(-least, (least_before - least) / dt_s, -effort, dt_s, is_reached)

    def _limit_brake(
        self, slip: float, trend_1ps: float, effort: float, dt_s: float, is_reached: bool
    ) -> None:
        """Limit the brake by a slip > 0 that locks; `effort` > 0 brakes.

        A small slip foresees nothing. But a brake that is at what a larger one has foreseen rises
        from there: a step to what is asked for would look as if the wheels locked.

        A trend that is not known, at the first report, is nan: a wheel that is locked by then was
        locked by another effort, as by the vehicle's own brake, and the cap returns fast.
        """
        limit = self._slip_max
        share = (slip - self._rolling_slip) / limit
        foreseen = NO_CAP
        reaches = effort / (share * (2.0 - share)) if SHOWS_SHARE < share <= 1.0 else 0.0
        if share > FORESEES_SHARE and reaches > 0.0:
            foreseen = max(reaches, LEAST_FORESEEN_MPS2)
        elif is_reached and self._brake_cap == NO_CAP:
            foreseen = self.brake_mps2 + RETURN_MPS3 * dt_s
        lock = slip + min(slip / limit, 1.0) * AHEAD_S * max(0.0, trend_1ps)
        locks = lock > limit
        if locks or self._brake_cap != NO_CAP:
            if self._brake_cap == NO_CAP or (locks and not self._locked):
                self._brake_onset = effort if trend_1ps == trend_1ps else NO_CAP
            self._locked = locks
            known = max(KNOWN_SHARE * self._brake_onset, reaches)
            if not slip + AHEAD_S * trend_1ps < limit < slip:  # else it rolls shortly by itself
                self._brake_cap = self._next(self._brake_cap, lock, effort, known, dt_s, is_reached)
        self.brake_mps2 = foreseen if foreseen < self._brake_cap else self._brake_cap

    def _next(
        self, cap: float, slip: float, effort: float, known: float, dt_s: float, is_reached: bool
    ) -> float:
        beyond = slip - self._slip_max
        if beyond > 0.0:
            if effort <= 0.0:
                return cap
            cut = min(CUT_1PS * beyond * dt_s, DEEPEST_CUT)
            return max(min(cap, effort) * (1.0 - cut), LEAST_SHARE * effort, LEAST_MPS2)
        if cap == NO_CAP or (effort < 0.5 * cap and not is_reached):
            return NO_CAP
        room = min(-beyond / self._slip_max, 1.0)
        if cap < known:
            return min(cap + room * RETURN_MPS3 * dt_s, known)
        return cap + room * (RISE_1PS * cap + RISE_MPS3) * dt_s

"""The one acceleration loop: the acceleration that is asked for -> the pedals' effort.

Theory of operation

    asked ──▶ phase ──▶ effort = asked - slope - disturbance ──▶ slip cap ──▶ platform (pedal map)
                                    ▲            ▲                  ▲
                                 report    MotionObserver        wheel speeds

Effort is the acceleration that the pedals give on level ground; the platform's map turns it into
pedals. Everything here is along the travel direction of the gear: positive drives, negative brakes,
and a negative speed is motion against the gear.

What an acceleration means comes with it (AccelMeaning). A FLAT_ROAD one is passed on as it is: its
sender compensates slopes. The others are what the car itself is to do: the slope that is reported
is added at once, the rest (load, wind, weak brakes, a slope that nobody reports) by the observer.

Phases. MOVING: as above; while the car is to STOP the drive may only fall, it is zero near
standstill, and the last of the speed is braked away softly. STANDING: the brake holds, with more
than the slope needs, and with more still if the car moves nevertheless. It begins where the car
comes to rest, or moves against its gear. STARTING: the drive rises under the held brake, which is
released when the drive exceeds the slope by a tenth (where the platform cannot do both, the drive
takes over at once). A start that rolls back is repeated with more drive, and refused after that
until nobody asks to drive.

Time is that of the vehicle: while a simulator pauses, nothing ramps and nothing winds up. While the
vehicle does not report, time is that of the periods and the observer keeps its estimate.
"""

import math
from enum import Enum

from vdsim_interface.longitudinal.motion_observer import MotionObserver
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.longitudinal.slip_cap import SlipCap
from vdsim_interface.platforms.spec import Capabilities, Encoded
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Notice,
    PlatformCommand,
    VehicleCommand,
    VehicleReport,
    drive_direction,
    notice_kinds,
    travel_direction,
)

GRAVITY_MPS2 = 9.80665
ASKS_TO_DRIVE_MPS2 = 0.05
"""At standstill an acceleration up to this asks for nothing."""
REST_MPS = 0.01
ROLLS_BACK_MPS = 0.05
"""Motion against the gear beyond this is braked."""
LEARNS_MPS = 0.03
STUCK_S = 0.3
NO_DRIVE_MPS = 0.3
"""In a stop there is no drive below this."""
DRIVE_FALL_MPS3 = 1.0
"""The drive of a stop falls at least this fast, whatever load the vehicle's reports suggest."""
SOFT_END_MPS2 = 0.6
SOFT_END_MPS3 = 7.0
"""A stop ends with this deceleration, and comes down to it with this jerk."""
LEAD_SHARE = 0.4
"""The brake is to hold when the car comes to rest: it begins by this share of its lag earlier."""
HOLD_SHARE, HOLD_MARGIN_MPS2 = 1.25, 0.5
HOLD_RISE_MPS3 = 25.0
HOLD_RISE_PER_SLOPE_1PS = 12.0
HOLD_MORE_MPS3 = 4.0
"""Rise of the holding brake while the car moves nevertheless."""
START_SHARE = 1.1
START_MARGIN_MPS2 = 0.1
RELEASE_MPS3 = 25.0
LEAST_START_MPS2, GENTLE_MPS2 = 0.15, 0.2
"""Bounds of what the drive of a start adds to the slope, until the brake is released."""
TRIES_N, TRIES_UNKNOWN_N = 2, 7
"""Starts before a start is refused, where the slope is reported and where it is not."""
CAREFUL_MPS = 0.5
GRIP_SHARE = 0.75
"""Share of the drive at which a wheel began to spin that the tyres take for certain."""
CATCH_MPS2 = 2.0
TRY_AGAIN_MPS2 = 0.8
"""How much more drive the next try has."""
UNSUPERVISED_MPS = 1.0
MAP_SHARE = 1.2
"""Where slip is not supervised, a stop from above this speed brakes at most with this share of
what the map says."""
LONGEST_START_S = 3.0
"""The drive has exceeded the slope by then, or it never does."""
NOT_SLOWING_SHARE, NOT_SLOWING_S = 0.5, 1.0
"""A stop of which less than this share arrives for this time is reported."""
ESCALATION_MPS3 = 4.0
"""Rise of the bound of the estimate while a stop does not slow the car."""
LIMITED_MPS2 = 0.05
"""A platform that gives less than asked by more than this is at its limit."""
LONGEST_STEP_S = 0.05


class Phase(Enum):
    """See the theory of operation."""

    MOVING = "moving"
    STANDING = "standing"
    STARTING = "starting"


# Plain names: an attribute of an enumeration costs 0.1 us, and each tick reads many.
FLAT_ROAD, DRIVE, STOP = AccelMeaning.FLAT_ROAD, AccelMeaning.DRIVE, AccelMeaning.STOP
MOVING, STANDING, STARTING = Phase.MOVING, Phase.STANDING, Phase.STARTING


class AccelerationLoop:
    """One vehicle's loop. `phase`, and `refusal`: why a start is refused, or empty."""

    def __init__(
        self,
        parameters: AccelerationParameters,
        capabilities: Capabilities,
        hold_mps2: float,
        wheelbase_m: float,
        period_s: float,
    ) -> None:
        self._parameters = parameters
        self._capabilities = capabilities
        self._least_hold_mps2 = hold_mps2
        self._period_s = period_s
        self._observer = MotionObserver(parameters.estimate_1ps, parameters.estimate_max_mps2)
        self._slip = SlipCap(parameters.slip_max, wheelbase_m)
        self._direction = 1
        self._vehicle_s: float | None = None
        self._reset()

    def _reset(self) -> None:
        self.phase = MOVING
        self.refusal = ""
        self._observer.reset()
        self._slip.reset()
        self._effort = 0.0
        self._in_effect = 0.0
        self._hold = self._hold_at_start = 0.0
        self._more = 0.0
        self._needed = 0.0
        self._not_slowing_s = 0.0
        self._grip, self._is_careful = math.inf, False
        self._by_map = 0.0
        self._tries = 0
        self._wanted = False
        self._is_new = True
        self._since_start_s = math.inf
        self._notices: tuple[Notice, ...] = ()

    def configure(self, hold_mps2: float, wheelbase_m: float) -> None:
        """Use another least brake at standstill [m/s2] and another wheelbase [m]."""
        self._least_hold_mps2 = hold_mps2
        self._slip.configure(wheelbase_m)

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the notices since the last call."""
        notices, self._notices = self._notices, ()
        return notices

    # ---- one period ------------------------------------------------------------------------------

    def step(
        self, command: PlatformCommand, report: VehicleReport | None, *, fresh: bool
    ) -> PlatformCommand:
        """Return the command for the platform, with the effort in place of the acceleration."""
        if command.authority is Authority.SILENT or command.raw is not None or report is None:
            if not self._is_new:
                self._reset()
            self._vehicle_s = None if report is None else report.vehicle_time_s
            return command
        gear = command.body.gear
        direction = travel_direction(gear, report.velocity_mps)
        if direction != self._direction:
            self._direction = direction
            self._observer.turn()
            self._slip.reset()
            self._effort = min(self._effort, 0.0)
        dt_s = self._elapsed(report, fresh)
        speed = direction * report.velocity_mps
        slope = direction * self._slope(report)
        if fresh:
            self._observe(report, speed, slope, dt_s)
        asked = direction * command.vehicle.long_accel_mps2
        can_drive = drive_direction(gear) != 0 and not command.body.hand_brake
        meaning = command.meaning
        wants = meaning is DRIVE or (meaning is not STOP and asked > ASKS_TO_DRIVE_MPS2)
        self._wanted = wants and can_drive
        self._next_phase(meaning, speed, asked)
        self._escalate(meaning, speed, asked, dt_s)
        effort, hold = self._effort_of(meaning, speed, slope, asked, dt_s)
        effort, past_map = self._capped(meaning, speed, effort)
        brakes = self.phase is STANDING or (self.phase is MOVING and meaning is STOP)
        self._effort, self._hold, self._is_new = effort, hold, False
        self._since_start_s += dt_s
        stamp_s, _, front_rad, rear_rad = command.vehicle
        # Positional, in the order of the fields: `_replace` takes 3 us more, on every tick.
        return PlatformCommand(
            command.authority,
            command.mode,
            VehicleCommand(stamp_s, direction * effort, front_rad, rear_rad),
            command.body,
            None,
            meaning,
            hold,
            past_map,
            brakes and effort <= 0.0,
        )

    def on_sent(self, encoded: Encoded) -> None:
        """Use what the platform made of the effort: it knows its limits."""
        sent = encoded.effort_mps2
        if not math.isfinite(sent):
            return
        if self.phase is STARTING and sent < min(self._effort - LIMITED_MPS2, self._needed):
            self._refuse(
                f"the slope needs {self._needed:.1f} m/s2 of drive, the vehicle has {sent:.1f}"
            )
            self._stand()
            sent = -self._hold_at_start
        self._effort = sent

    # ---- what the vehicle reports ----------------------------------------------------------------

    def _elapsed(self, report: VehicleReport, fresh: bool) -> float:
        last, self._vehicle_s = self._vehicle_s, report.vehicle_time_s
        if not fresh or last is None:
            return self._period_s
        return min(max(report.vehicle_time_s - last, 0.0), LONGEST_STEP_S)

    def _slope(self, report: VehicleReport) -> float:
        """Return what gravity adds along the body's x axis [m/s2], as far as it is reported."""
        source = self._capabilities.slope_from
        if source == "pitch":
            return GRAVITY_MPS2 * math.sin(report.pitch_rad)
        if source == "specific_force" and math.isfinite(report.sensors.accel_x_mps2):
            return self._direction * self._observer.accel_mps2 - report.sensors.accel_x_mps2
        return 0.0

    def _observe(self, report: VehicleReport, speed: float, slope: float, dt_s: float) -> None:
        reported = report.applied.effort_mps2
        # In a start both pedals are pressed: the reported effort is that of the brake, which holds.
        if math.isfinite(reported) and self.phase is not STARTING:
            self._in_effect = reported
        else:
            lag_s = self._parameters.response_s
            self._in_effect += (self._effort - self._in_effect) * dt_s / (lag_s + dt_s)
        radius = self._direction * report.sensors.wheel_radius_m
        fl, fr, rl, rr = report.sensors.wheel_spin_radps
        wheels = (radius * fl, radius * fr, radius * rl, radius * rr)
        yaw_rate = self._direction * report.yaw_rate_radps
        gripped = self._slip.drive_mps2 == math.inf
        self._slip.update(speed, yaw_rate, wheels, self._in_effect, dt_s)
        if speed > CAREFUL_MPS or not self._wanted:
            self._grip, self._is_careful = math.inf, False
        elif gripped and self._slip.drive_mps2 < math.inf:
            # A wheel began to spin in a start: the next try stays below this drive.
            self._grip = min(self._grip, GRIP_SHARE * self._in_effect)
        # A car that does not move although it is to has too little drive or too much brake.
        stuck = self._wanted and self._since_start_s > STUCK_S
        rolls = speed > LEARNS_MPS or (speed < -LEARNS_MPS and self._in_effect >= 0.0)
        learns = self.phase is MOVING and (stuck or rolls)
        self._observer.update(speed, self._in_effect + slope, dt_s, learns=learns)

    # ---- phases ----------------------------------------------------------------------------------

    def _next_phase(self, meaning: AccelMeaning, speed: float, asked: float) -> None:
        wants = self._wanted
        if not wants:
            self.refusal, self._tries = "", 0
        if self.phase is MOVING:
            if speed > NO_DRIVE_MPS:
                self._tries = 0
            if self._rolls_back(meaning, speed):
                self._count_try()
                self._catch()
            elif self._comes_to_rest(meaning, speed):
                self._stand()
        elif self.phase is STANDING:
            if wants and not self.refusal and abs(speed) < REST_MPS:
                self.phase, self._hold = STARTING, max(-self._effort, 0.0)
                self._since_start_s = 0.0
                self._hold_at_start = self._hold
                self._effort = self._in_effect = 0.0
            elif speed > NO_DRIVE_MPS and wants:
                self.phase = MOVING
        elif not wants:
            self._effort = -self._hold
            self._stand()
        elif speed < -ROLLS_BACK_MPS or self._since_start_s > LONGEST_START_S:
            if speed < -ROLLS_BACK_MPS:
                self._count_try()
            else:
                self._refuse("the drive does not reach what the slope needs, its wheels spin")
            self._effort = -self._hold
            self._catch()

    def _comes_to_rest(self, meaning: AccelMeaning, speed: float) -> bool:
        if self._wanted:
            return False
        if abs(speed) < REST_MPS:
            return True
        if meaning is FLAT_ROAD or speed > NO_DRIVE_MPS:
            return False
        slowing = min(self._observer.accel_mps2, 0.0)
        return speed + slowing * LEAD_SHARE * self._parameters.response_s < 0.0

    @staticmethod
    def _rolls_back(meaning: AccelMeaning, speed: float) -> bool:
        return meaning is not FLAT_ROAD and speed < -ROLLS_BACK_MPS

    def _stand(self) -> None:
        self.phase, self._hold, self._more = STANDING, 0.0, 0.0

    def _catch(self) -> None:
        """Stand after rolling back: with more brake where nobody reports how steep it is."""
        self._stand()
        if not self._capabilities.slope_from:
            self._more = CATCH_MPS2

    def _count_try(self) -> None:
        if not self._wanted:
            return
        self._tries += 1
        self._is_careful = True
        self._observer.expect(-TRY_AGAIN_MPS2)
        if self._tries >= (TRIES_N if self._capabilities.slope_from else TRIES_UNKNOWN_N):
            self._refuse("the car rolls back, its drive or its tyres do not hold it on this slope")

    def _refuse(self, why: str) -> None:
        if self.refusal:
            return
        self.refusal = why
        self._notices += (Notice(notice_kinds.START_REFUSED, f"start refused: {why}"),)

    def _escalate(self, meaning: AccelMeaning, speed: float, asked: float, dt_s: float) -> None:
        """Let a stop that does not slow the car brake as hard as the tyres take."""
        observer = self._observer
        if meaning is not STOP or speed < UNSUPERVISED_MPS:
            observer.bound_mps2, self._not_slowing_s = self._parameters.estimate_max_mps2, 0.0
            return
        if self._slip.is_acting:
            self._not_slowing_s = 0.0
            return
        if observer.disturbance_mps2 >= observer.bound_mps2 and observer.accel_mps2 > 0.9 * asked:
            observer.bound_mps2 += ESCALATION_MPS3 * dt_s
        if observer.accel_mps2 <= NOT_SLOWING_SHARE * asked:
            if self._not_slowing_s < NOT_SLOWING_S:
                self._not_slowing_s = 0.0
            return
        before, self._not_slowing_s = self._not_slowing_s, self._not_slowing_s + dt_s
        if before < NOT_SLOWING_S <= self._not_slowing_s:
            text = f"the car does not slow: {-asked:.1f} m/s2 asked, {-observer.accel_mps2:.1f} got"
            self._notices += (Notice(notice_kinds.NOT_SLOWING, text),)
            self._not_slowing_s = math.inf  # once a stop

    # ---- effort ----------------------------------------------------------------------------------

    def _effort_of(
        self, meaning: AccelMeaning, speed: float, slope: float, asked: float, dt_s: float
    ) -> tuple[float, float]:
        """Return effort and additional brake [m/s2] for the phase."""
        if self.phase is STANDING:
            return self._standing(speed, slope, asked, dt_s), 0.0
        if self.phase is STARTING:
            return self._starting(meaning, slope, asked, dt_s)
        return self._moving(meaning, speed, slope, asked, dt_s), 0.0

    def _moving(
        self, meaning: AccelMeaning, speed: float, slope: float, asked: float, dt_s: float
    ) -> float:
        if meaning is FLAT_ROAD:
            return asked
        stops = meaning is STOP
        if stops and speed < 1.0:
            end, jerk = SOFT_END_MPS2, SOFT_END_MPS3
            asked = max(asked, -math.sqrt(end * end + 2.0 * jerk * max(speed, 0.0)))
        before = self._effort
        self._by_map = asked - slope
        effort = self._by_map - self._observer.disturbance_mps2
        if stops:
            # By the period, not by the vehicle's time: a stamp that stands still must not keep it.
            most = max(before, 0.0) - DRIVE_FALL_MPS3 * self._period_s
            return min(effort, max(most, 0.0) if speed > NO_DRIVE_MPS else 0.0)
        most = self._grip if self._is_careful else math.inf
        return min(effort, max(before, 0.0) + self._parameters.rise_max_mps3 * dt_s, most)

    def _standing(self, speed: float, slope: float, asked: float, dt_s: float) -> float:
        pull = abs(slope + self._observer.disturbance_mps2)
        if abs(speed) > LEARNS_MPS and -self._effort >= self._wanted_hold(pull, asked) - 1e-6:
            self._more += HOLD_MORE_MPS3 * dt_s
        before = max(-self._effort, 0.0)
        if self._is_new or abs(speed) < REST_MPS:
            before = self._wanted_hold(pull, asked)  # a car at rest feels no jolt
        rise = (HOLD_RISE_MPS3 + HOLD_RISE_PER_SLOPE_1PS * pull) * dt_s
        wanted = self._wanted_hold(pull, asked)
        if speed > REST_MPS:
            # Still rolling to rest: more brake than holds the car would be a jolt.
            wanted = max(min(wanted, max(SOFT_END_MPS2, START_SHARE * pull)), before)
        return -min(wanted, before + rise)

    def _wanted_hold(self, pull: float, asked: float) -> float:
        least = max(self._least_hold_mps2, -asked)
        return max(least, HOLD_SHARE * pull + HOLD_MARGIN_MPS2) + self._more

    def _starting(
        self, meaning: AccelMeaning, slope: float, asked: float, dt_s: float
    ) -> tuple[float, float]:
        weight = max(-slope - self._observer.disturbance_mps2, 0.0)
        needed = self._needed = START_SHARE * weight
        flat = meaning is FLAT_ROAD
        goal = (
            asked
            if flat
            else needed + START_MARGIN_MPS2 + min(max(asked, LEAST_START_MPS2), GENTLE_MPS2)
        )
        if not self._capabilities.pedals_overlap:
            self._begin_moving()
            return goal, 0.0
        effort = min(goal, max(self._effort, 0.0) + self._parameters.rise_max_mps3 * dt_s)
        hold = self._hold
        if self._in_effect >= needed or (flat and effort >= goal):
            hold = max(hold - RELEASE_MPS3 * dt_s, 0.0)
        if hold == 0.0:
            self._begin_moving()
        return effort, hold

    def _begin_moving(self) -> None:
        self.phase, self._since_start_s = MOVING, 0.0

    # ---- limits ----------------------------------------------------------------------------------

    def _capped(self, meaning: AccelMeaning, speed: float, effort: float) -> tuple[float, bool]:
        """Return the effort within what the tyres take, and whether it may go beyond the map."""
        slip = self._slip
        if effort >= 0.0:
            return min(effort, slip.drive_mps2), False
        braked = max(effort, -slip.brake_mps2)
        moves = self.phase is MOVING and meaning is not FLAT_ROAD
        if moves and speed > UNSUPERVISED_MPS and not slip.is_supervised:
            braked = max(braked, MAP_SHARE * min(self._by_map, 0.0))
        stops = meaning is STOP or self.phase is STANDING
        return braked, stops and slip.is_supervised

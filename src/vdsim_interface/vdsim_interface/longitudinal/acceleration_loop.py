"""The one acceleration loop: the acceleration that is asked for -> the pedals' effort.

Theory of operation

    asked ──▶ phase ──▶ effort = asked - slope - disturbance ──▶ slip cap ──▶ platform (pedal map)
                                    ▲            ▲                  ▲
                                 report    MotionObserver        wheel speeds

Effort is the acceleration that the pedals give on level ground; the platform's map turns it into
pedals. Everything here is along the travel direction of the gear: positive drives, negative brakes,
and a negative speed is motion against the gear.

What an acceleration means comes with it (AccelMeaning). A FLAT_ROAD one is passed on as it is: its
sender compensates slopes. But a car that it is too weak to hold is held, so long as it grows. The
others are what the car itself is to do: the slope that is reported is added at once, the rest
(load, wind, weak brakes, a slope that nobody reports) by the observer.

Phases. MOVING: as above; while the car is to STOP the drive may only fall, it is zero near
standstill, and the last of the speed is braked away softly. STANDING: the brake holds, with more
than the slope needs, and with more still if the car moves nevertheless. It begins where the car
comes to rest, or moves against its gear. STARTING: the drive rises under the held brake, which is
released when the drive exceeds the slope by a tenth (where the platform cannot do both, the drive
takes over at once). A start that rolls back is repeated, and refused after that until nobody asks
to drive; where its wheels spin, the brake holds at once, before the car slides on locked wheels.
Where nobody reports slope and wheels, a start that soon needs much more drive spins its wheels: the
car stands again until they do, and then is to gain speed gently.

Time is that of the vehicle: while a simulator pauses, nothing ramps and nothing winds up. While the
vehicle does not report, time is that of the periods and the observer keeps its estimate.
"""

from enum import Enum
from math import inf, isfinite, nan

from vdsim_interface.longitudinal import stopping
from vdsim_interface.longitudinal.motion_observer import EffortInEffect, MotionObserver
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.longitudinal.slip_cap import SlipCap
from vdsim_interface.longitudinal.standing_brake import START_SHARE, StandingBrake
from vdsim_interface.longitudinal.start_attempts import StartAttempts, drive_of_a_start
from vdsim_interface.values import (
    NOT_STANDING,
    AccelMeaning,
    Authority,
    Notice,
    PlatformCommand,
    VehicleCommand,
    VehicleReport,
    drive_direction,
    travel_direction,
)
from vdsim_interface.values.capabilities import Capabilities
from vdsim_interface.values.records import record
from vdsim_interface.values.speeds import (
    CREEPS_OFF_MPS,
    FAST_MPS,
    NO_DRIVE_MPS,
    REST_MPS,
    ROLLS_BACK_MPS,
    STARTED_MPS,
    UNSUPERVISED_MPS,
)

ASKS_TO_DRIVE_MPS2 = 0.05
"""At standstill an acceleration up to this asks for nothing."""
APPLY_MPS3 = 40.0
"""A stop's brake rises no faster, whatever slope it starts to compensate: a step looks as if the
wheels locked. Twice the default jerk of an emergency stop."""
STUCK_S = 0.3
"""A car that has not moved so long after a start is held by something that the loop must learn."""
SHOWS_S = 0.2
"""The lag of the pedals is over by then: a start shows what its slope needs."""
SPUN_WHEELS_STAND_S = 0.8
"""Wheels that nobody reports have come to a stand by then, after they spun in a start: the brake
builds up in a fifth of a second, and takes half of one for them."""
PATIENT_S = 1.5
"""So long the brake waits for the drive that a sender of FLAT_ROAD asks for to hold the car."""
RELEASE_MPS3 = 25.0
CATCH_MPS2 = 2.0
TRY_AGAIN_MPS2 = 0.8
"""How much more drive the next try has."""
LONGEST_START_S = 3.0
"""The drive has exceeded the slope by then, or it never does."""
LIMITED_MPS2 = 0.05
"""A platform that gives less than asked by more than this is at its limit; nearer to a cap than
this it is reached."""
OWN_BRAKE_MPS2 = 0.5
"""A vehicle that reports more brake than was sent by this much brakes by itself."""
MAP_SHARE = 1.2
"""Where nobody reports the slip, a brake is at most so much of what the pedal map gives for it."""
LONGEST_STEP_S = 0.05
"""Nothing ramps by more than this at once, or by more than one period."""
LONGEST_GAP_S = 0.25
"""After a longer gap between two reports nothing is learnt from their difference."""
NO_NOTICES: tuple[Notice, ...] = ()


class Phase(Enum):
    """See the theory of operation."""

    MOVING = "moving"
    STANDING = "standing"
    STARTING = "starting"


# Plain names: an attribute of an enumeration costs as much as a call, and each tick reads many.
FLAT_ROAD, DRIVE, STOP = AccelMeaning.FLAT_ROAD, AccelMeaning.DRIVE, AccelMeaning.STOP
MOVING, STANDING, STARTING = Phase.MOVING, Phase.STANDING, Phase.STARTING
SILENT = Authority.SILENT


class AccelerationLoop:
    """One vehicle's loop. `phase`, and `refusal`: why a start is refused, or empty.

    `slip.is_supervised` may be set: another loop, or process, has seen the wheels roll.
    """

    def __init__(
        self,
        parameters: AccelerationParameters,
        capabilities: Capabilities,
        hold_mps2: float,
        wheelbase_m: float,
        period_s: float,
    ) -> None:
        self._parameters = parameters
        self._slope_from = capabilities.slope_from
        self._pedals_overlap = capabilities.pedals_overlap
        self._period_s, self._step_s = period_s, max(LONGEST_STEP_S, period_s)
        self._observer = MotionObserver(
            parameters.estimate_1ps, parameters.estimate_max_mps2, self._slope_from
        )
        self.slip = SlipCap(parameters.slip_max, wheelbase_m)
        self._brake = StandingBrake(hold_mps2)
        self._attempts = StartAttempts(slope_is_reported=bool(self._slope_from))
        self._stops = stopping.StopSupervision(parameters.estimate_max_mps2)
        self._in_effect = EffortInEffect(parameters.response_s)
        self._direction = 1
        self._vehicle_s: float | None = None
        self._observed: VehicleReport | None = None
        self._observed_s: float | None = None
        self._slope_x = nan
        # A start and a stop set theirs before they use it.
        self._hold_at_start = self._needed = self._by_map = nan
        self.reset()

    def reset(self) -> None:
        """Forget how the vehicle moved: the next report is as the first."""
        self.phase = MOVING
        self._observer.reset()
        self.slip.reset()
        self._attempts.end_request()
        self._stops.reset()
        self._in_effect.reset()
        self._effort, self._hold = 0.0, nan
        self._since_start_s, self._no_start_for_s = inf, 0.0
        self._apply_mps3 = APPLY_MPS3
        self._wanted, self._is_new = False, True
        self._notices = NO_NOTICES

    @property
    def refusal(self) -> str:
        """Why a start is refused, or empty."""
        return self._attempts.refusal

    def configure(self, hold_mps2: float, wheelbase_m: float) -> None:
        """Use another least brake at standstill [m/s2] and another wheelbase [m]."""
        self._brake.least_mps2 = hold_mps2
        self.slip.configure(wheelbase_m)

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the notices since the last call."""
        notices, self._notices = self._notices, NO_NOTICES
        return notices

    # ---- one period ------------------------------------------------------------------------------

    def step(
        self,
        command: PlatformCommand,
        vehicle: VehicleCommand,
        report: VehicleReport | None,
        fresh: bool,
        may_drive: bool = True,
    ) -> PlatformCommand:
        """Return the command for the platform, with the effort in place of the acceleration.

        `vehicle` is the motion that counts, in place of that of the command. `may_drive`: no stop
        stands; otherwise the pedals drive on no slope.
        """
        authority, body, meaning = command.authority, command.body, command.meaning
        if report is None or command.raw is not None or authority is SILENT:
            if not self._is_new:
                self.reset()
            if fresh and report is not None and not self.slip.is_supervised:
                # Wheels that roll now are trusted, when the car locks them later by itself.
                self.slip.watch(report, 1, inf, self._period_s, is_reached=False)
                self.slip.reset()
            self._vehicle_s = self._observed_s = None if report is None else report.vehicle_time_s
            return record(PlatformCommand, (*command[:2], vehicle, *command[3:]))
        gear, velocity = body.gear, report.velocity_mps
        drives = drive_direction(gear)
        direction = drives or travel_direction(gear, velocity)
        speed = direction * velocity
        if direction != self._direction:
            self._turn(direction)
        vehicle_s = report.vehicle_time_s
        last, self._vehicle_s = self._vehicle_s, vehicle_s
        dt_s = min(self._elapsed_s(last, vehicle_s), self._step_s) if fresh else self._period_s
        if report is not self._observed:
            self._slope_x = self._observer.slope_x_mps2(report, direction)
            if fresh:
                self._observe(report, speed)
        slope = direction * self._slope_x
        stamp_s, accel, front_rad, rear_rad = vehicle
        asked = direction * accel
        stops, idles = meaning is STOP, drives == 0 or body.hand_brake
        wants = meaning is DRIVE or (not stops and asked > ASKS_TO_DRIVE_MPS2)
        self._wanted = wants and not idles
        # Most ticks are of a car that moves: no change of phase, no stop to supervise.
        if not (speed > NO_DRIVE_MPS and self.phase is MOVING and self._attempts.is_first):
            self._next_phase(meaning, speed)
        if stops and speed >= UNSUPERVISED_MPS:
            slips = self.slip.is_acting
            self._notices += self._stops.step(self._observer, asked, dt_s, slips=slips)
        elif self._stops.is_active:
            self._stops.end(self._observer)
        hold = 0.0
        if self.phase is MOVING:
            effort = self._moving(meaning, speed, slope, asked, dt_s)
        elif self.phase is STARTING:
            effort, hold = self._starting(meaning, slope, asked, dt_s)
        else:
            before, pull = self._effort, abs(slope + self._observer.disturbance_mps2)
            effort = self._brake.effort(before, pull, speed, asked, dt_s, is_new=self._is_new)
        past_map = False
        if effort >= 0.0:
            if not may_drive or (asked <= 0.0 and idles):
                effort = 0.0  # only the slope asks for it, and the safety rules permit none
            elif effort > self.slip.drive_mps2:
                effort = self.slip.drive_mps2
        else:
            effort, past_map = self._braking(meaning, speed, effort)
        self._effort, self._hold, self._is_new = effort, hold, False
        self._since_start_s += dt_s
        self._no_start_for_s -= dt_s
        given = record(VehicleCommand, (stamp_s, direction * effort, front_rad, rear_rad))
        holds = self.phase is STANDING or (stops and self.phase is MOVING)
        no_drive = effort <= 0.0 and (idles or holds)
        return record(
            PlatformCommand,
            (
                authority, command.mode, given, body, None, meaning, hold, past_map, no_drive,
                False, NOT_STANDING,
            ),
        )  # fmt: skip

    def for_gate(self) -> tuple[float, float, float, bool]:
        """Return what the gate must know, along the travel direction.

        The measured acceleration; what gravity adds to it, reported or observed; the brake that
        holds the car on its slope, at least 0 [m/s2]; whether the wheels' slip limits the brake.
        """
        slope, observer = self._slope_x, self._observer
        observed = observer.disturbance_mps2
        pull = self._direction * slope if isfinite(slope) else 0.0
        holding = self._brake.holding(abs(pull + observed))
        pull = pull if self._slope_from else observed
        return observer.accel_mps2, pull, holding, self.slip.brake_mps2 < inf

    def brake_at_once(self) -> None:
        """Let the brake of a stop step from now on: the next packet is the last."""
        self._apply_mps3 = inf

    def use_gated(self, effort_mps2: float) -> None:
        """Continue from what the gate sends in place of the effort of this period."""
        self._effort, self._hold = effort_mps2, 0.0

    def on_sent(self, sent: float) -> None:
        """Use the effort that the platform sent [m/s2], which knows its limits; nan: as asked."""
        if not isfinite(sent):
            sent = self._effort
        elif self.phase is STARTING and sent < min(self._effort - LIMITED_MPS2, self._needed):
            needed = f"the slope needs {self._needed:.1f} m/s2 of drive"
            self._notices += self._attempts.refuse(f"{needed}, the vehicle has {sent:.1f}")
            self._stand()
            sent = -self._hold_at_start
        self._effort = sent
        if not self._is_new:
            self._in_effect.on_sent(sent, self._period_s)

    # ---- what the vehicle reports ----------------------------------------------------------------

    def _elapsed_s(self, last_s: float | None, now_s: float) -> float:
        """Return the vehicle's time since its last report, one period at its first one."""
        dt_s = self._period_s if last_s is None else now_s - last_s
        return dt_s if dt_s > 0.0 else 0.0

    def _turn(self, direction: int) -> None:
        self._direction = direction
        self._observer.turn()
        self.slip.reset()
        self._effort = min(self._effort, 0.0)

    def _observe(self, report: VehicleReport, speed: float) -> None:
        """Estimate with a report that is new, as the car is driven since the last period."""
        direction, moving = self._direction, self.phase is MOVING
        vehicle_s = report.vehicle_time_s
        last, self._observed_s, self._observed = self._observed_s, vehicle_s, report
        dt_s = self._elapsed_s(last, vehicle_s)
        if dt_s > LONGEST_GAP_S:
            self._observer.resume(speed, dt_s)
            self.slip.resume()
            return
        # In a start both pedals are pressed: the reported effort is that of the brake, which holds.
        reported = nan if self.phase is STARTING else report.applied.effort_mps2
        in_effect = self._in_effect.report(reported, self._effort, dt_s)
        slip = self.slip
        gripped = slip.drive_mps2 == inf
        is_reached = self._effort < LIMITED_MPS2 - slip.brake_mps2
        slip.watch(report, direction, in_effect, dt_s, is_reached)
        if speed > STARTED_MPS or not self._wanted:
            self._attempts.forget_grip()
        elif gripped and slip.drive_mps2 < inf:
            # A wheel began to spin in a start: the next try stays below this drive.
            self._attempts.spin(in_effect)
        # A car that does not move although it is to has too little drive or too much brake; but one
        # that the vehicle brakes beyond what was sent pushes back as hard as it is pushed.
        learns = moving and (
            speed > CREEPS_OFF_MPS
            or (speed < -CREEPS_OFF_MPS and in_effect >= 0.0)
            or (
                self._wanted
                and self._since_start_s > STUCK_S
                and in_effect >= min(self._effort, 0.0) - OWN_BRAKE_MPS2
            )
        )
        self._observer.update(speed, in_effect + direction * self._slope_x, dt_s, learns)

    # ---- phases ----------------------------------------------------------------------------------

    def _next_phase(self, meaning: AccelMeaning, speed: float) -> None:
        wants = self._wanted
        if not wants:
            self._attempts.end_request()
        if self.phase is MOVING:
            if speed > NO_DRIVE_MPS:
                self._attempts.succeed()
            slope = self._direction * self._slope_x
            against = slope if self._slope_from else self._observer.disturbance_mps2
            weak = wants and self._effort < -against
            if self._rolls_back(speed) and (weak or meaning is not FLAT_ROAD):
                self._count_try()
                self._catch()
            elif self._comes_to_rest(meaning, speed):
                self._stand()
        elif self.phase is STANDING:
            may_start = wants and self._no_start_for_s <= 0.0
            if may_start and not self.refusal and abs(speed) < REST_MPS:
                if self._attempts.is_first:
                    self._observer.forget()
                self.phase, self._since_start_s = STARTING, 0.0
                self._hold_at_start = self._hold = max(-self._effort, 0.0)
                self._effort = self._in_effect.value_mps2 = 0.0
            elif may_start and speed > NO_DRIVE_MPS:
                self.phase = MOVING
        elif not wants:
            self._effort = -self._hold
            self._stand()
        elif self._rolls_back(speed) or self._since_start_s > LONGEST_START_S:
            if self._rolls_back(speed):
                self._count_try()
            else:
                why = "the drive does not reach what the slope needs, its wheels spin"
                self._notices += self._attempts.refuse(why)
            self._effort = -self._hold
            self._catch()

    def _rolls_back(self, speed: float) -> bool:
        """Whether the car is to be braked: at once where its wheels spin, and cannot hold it."""
        if speed >= -REST_MPS:
            return False
        return speed < -ROLLS_BACK_MPS or self.slip.drive_mps2 < -self._direction * self._slope_x

    def _comes_to_rest(self, meaning: AccelMeaning, speed: float) -> bool:
        if self._wanted:
            return False
        if meaning is FLAT_ROAD:
            return speed < REST_MPS  # a car that brakes hard rolls back before a report shows rest
        return stopping.rests_shortly(speed, self._observer.accel_mps2, self._parameters.response_s)

    def _stand(self) -> None:
        self.phase, self._brake.more_mps2, self._brake.rolls_s = STANDING, 0.0, 0.0

    def _catch(self) -> None:
        """Hold after rolling back, with more brake where no grade is reported."""
        self._stand()
        if not self._slope_from:
            self._brake.more_mps2 = CATCH_MPS2

    def _count_try(self) -> None:
        if self._wanted:
            if self._attempts.most_mps2 == inf:  # else its wheels spun: less drive, not more
                self._observer.expect(-TRY_AGAIN_MPS2)
            self._notices += self._attempts.fail()

    # ---- effort ----------------------------------------------------------------------------------

    def _moving(
        self, meaning: AccelMeaning, speed: float, slope: float, asked: float, dt_s: float
    ) -> float:
        if meaning is FLAT_ROAD:
            return asked
        stops = meaning is STOP
        if stops:
            asked = stopping.eased(
                asked, speed, self._observer.accel_mps2, self._parameters.response_s
            )
        elif not self._slope_from:
            asked = self._gently(asked, speed)
        before = self._effort
        self._by_map = asked - slope
        effort = self._by_map - self._observer.disturbance_mps2
        if stops:
            # By the period, not by the vehicle's time: a stamp that stands still must not keep it.
            effort = stopping.without_rise(effort, before, speed, self._period_s)
            least = (before if before < 0.0 else 0.0) - self._apply_mps3 * self._period_s
            return effort if effort > least else least
        most = self._parameters.rise_max_mps3 * dt_s + (before if before > 0.0 else 0.0)
        if effort > most:
            effort = most
        attempts = self._attempts
        if attempts.most_mps2 < inf:
            if self.slip.drive_mps2 > attempts.most_mps2:
                attempts.grip(-START_SHARE * slope, dt_s)
            effort = min(effort, attempts.most_mps2)
        return effort

    def _gently(self, asked: float, speed: float) -> float:
        """Return what to ask for; stand again where wheels that nobody reports begin to spin."""
        attempts, observer, drive = self._attempts, self._observer, self._in_effect.value_mps2
        starts = self._wanted and SHOWS_S < self._since_start_s < PATIENT_S
        moves = CREEPS_OFF_MPS < speed < UNSUPERVISED_MPS
        if starts and moves and attempts.spins(drive, observer.accel_mps2):
            # What is learnt is late: the wheels had not spun for long.
            observer.disturbance_mps2 = max(observer.disturbance_mps2, -attempts.needs_mps2)
            self._notices += attempts.fail()
            self._stand()
            self._no_start_for_s = SPUN_WHEELS_STAND_S
        return asked if speed > FAST_MPS else min(asked, attempts.asked_mps2)

    def _starting(
        self, meaning: AccelMeaning, slope: float, asked: float, dt_s: float
    ) -> tuple[float, float]:
        """Return effort and additional brake [m/s2]."""
        weight = max(-slope - self._observer.disturbance_mps2, 0.0)
        needed = self._needed = START_SHARE * weight
        flat = meaning is FLAT_ROAD
        goal = asked if flat else drive_of_a_start(needed, asked)
        effort, hold = goal, 0.0
        if self._pedals_overlap:
            effort = min(goal, max(self._effort, 0.0) + self._parameters.rise_max_mps3 * dt_s)
            hold = self._hold
            waited = flat and effort >= goal and self._since_start_s > PATIENT_S
            if waited or self._in_effect.value_mps2 >= (weight if flat else needed):
                hold = max(hold - RELEASE_MPS3 * dt_s, 0.0)
        if hold == 0.0:
            self.phase, self._since_start_s = MOVING, 0.0
            self._attempts.needs_mps2 = inf
        return effort, hold

    def _braking(self, meaning: AccelMeaning, speed: float, effort: float) -> tuple[float, bool]:
        """Return a brake within what the tyres take, and whether it may go beyond the map."""
        slip = self.slip
        braked = max(effort, -slip.brake_mps2)
        moves = self.phase is MOVING and meaning is not FLAT_ROAD
        if moves and speed > UNSUPERVISED_MPS and not slip.is_supervised:
            braked = max(braked, MAP_SHARE * min(self._by_map, 0.0))
        stops = meaning is STOP or self.phase is STANDING
        return braked, stops and slip.is_supervised

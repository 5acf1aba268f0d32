"""For how long a promise that lies between the rooms is broken: the pipeline in virtual time.

The drive of `measured`, whole: what counts is the command behind the last gate, and the motion of
the car. A promise that holds has 0 s.
"""

from __future__ import annotations

from collections.abc import Callable

from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.extras.fake import SPEC
from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.values import (
    AccelMeaning,
    CabinState,
    HighLevelCommand,
    Mode,
    StateCommand,
    Stop,
    Until,
    notice_kinds,
)
from vdsim_interface.values.enums import Gear
from vdsim_interface_kit.guarding import GuardedCar

from generate.safety_case.measured import PERIOD_S, SPEED_MPS, Drive, brakes

STANDS_MPS = 0.05
SLACK_MPS2 = 1e-6
BRAKES_MPS2 = -0.02
"""Below it a command brakes; a speed that is held needs less."""
TOLERANCE_RAD = 1e-5
SETTLED_S = 12.0
"""By then a vehicle side that was put in at 6 s drives as the one before."""
HILL_RAD = 0.197
"""20 %."""


def emergency() -> Stop:
    """The stop that a button asks for."""
    hard = SafeStopParameters().emergency()
    return Stop(str(notice_kinds.EMERGENCY), hard.decel_mps2, hard.jerk_mps3, Until.RELEASED)


def broken_s(drive: Drive, seconds: float, holds: Callable[[PipelineOutput], bool]) -> float:
    """For how long of the next seconds a promise does not hold [s]."""
    periods = round(seconds / PERIOD_S)
    return round(sum(not holds(drive.period()) for _ in range(periods)) * PERIOD_S, 6)


def speed_of(drive: Drive) -> float:
    """The speed of the car [m/s]."""
    report = drive.pipeline.vehicle
    assert report is not None
    return report.velocity_mps


def sent_mps2(drive: Drive) -> float:
    """The effort behind the last gate [m/s2]."""
    judged = drive.pipeline.vehicle_side.judged
    assert judged is not None
    return judged.sent.vehicle.long_accel_mps2


def emergency_is_asked_for() -> float:
    """A button is pressed at speed."""
    drive = Drive()
    drive.pipeline.safety_side.on_emergency(emergency())
    return drive.until(lambda output: brakes(output) and sent_mps2(drive) < BRAKES_MPS2)


def emergency_is_contradicted() -> float:
    """Everything but the release is asked for while it is latched."""
    drive = Drive()
    drive.pipeline.safety_side.on_emergency(emergency())
    drive.period()
    periods = [0]

    def still_acts(output: PipelineOutput) -> bool:
        periods[0] += 1
        now, side = drive.now, drive.pipeline.safety_side
        drive.pipeline.safety_side.on_change_mode(periods[0] % 20 == 0, now)
        drive.pipeline.safety_side.on_state_command(
            StateCommand(gear=Gear.DRIVE, autonomous=periods[0] % 30 == 0), now
        )
        side.on_driver_override(periods[0] % 50 > 40, now)
        at_rest = abs(speed_of(drive)) < STANDS_MPS
        return sent_mps2(drive) < BRAKES_MPS2 or (at_rest and sent_mps2(drive) <= 0.0)

    return broken_s(drive, 10.0, still_acts)


def cabin_is_closed_again() -> float:
    """A door opens, the car stops, the door closes; the stack asks to drive all the time."""
    drive = Drive()
    side = drive.pipeline.safety_side
    side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.until(lambda output: abs(speed_of(drive)) < STANDS_MPS)
    broken_s(drive, 2.0, lambda output: True)
    side.on_cabin(CabinState(), drive.now)
    return broken_s(drive, 10.0, lambda output: abs(speed_of(drive)) < STANDS_MPS)


def stack_dies_while_it_brakes() -> float:
    """The planner brakes hard and falls silent: from then on no packet asks for less."""
    drive = Drive(10.0)
    drive.command = HighLevelCommand(0.0, 0.0, 0.0)
    drive.until(lambda output: sent_mps2(drive) < -3.0)
    drive.command = None
    least = [sent_mps2(drive)]

    def no_less(output: PipelineOutput) -> bool:
        sent = sent_mps2(drive)
        slow = speed_of(drive) < min(1.5, (2.0 * -least[0] * 0.5) ** 0.5)
        holds = slow or sent <= least[0] + SLACK_MPS2
        if output.safe.stops:
            least[0] = min(least[0], sent)
        return holds

    drive.until(lambda output: bool(output.safe.stops))
    least[0] = min(least[0], sent_mps2(drive))
    return broken_s(drive, 5.0, no_less)


def honest_drive() -> float:
    """Ten minutes of honest driving with every speed and bend: for how long it is stopped."""
    drive = Drive()
    stopped_s = 0.0
    for n in range(60):
        speed = (3.0, 8.0, 5.0, 1.0)[n % 4]
        drive.command = HighLevelCommand(0.0, speed, (0.0, 0.05, -0.05)[n % 3])
        stopped_s += broken_s(
            drive, 10.0, lambda output: output.safe.command.meaning is not AccelMeaning.STOP
        )
    return round(stopped_s, 6)


def stop_on_a_hill() -> float:
    """The planner falls silent uphill: from rest on, for how long the car moves."""
    drive = Drive(slope_rad=HILL_RAD)
    drive.command = None
    drive.until(lambda output: abs(speed_of(drive)) < STANDS_MPS)
    return broken_s(drive, 20.0, lambda output: abs(speed_of(drive)) < STANDS_MPS)


def safety_stage_is_silent() -> float:
    """The vehicle's side, in a process of its own, hears the safety stage no more."""
    drive = Drive()
    pipeline = drive.pipeline
    side = StagedVehicleSide(pipeline.parameters, drive.vehicle, SPEC.capabilities)
    pipeline.vehicle_side = side
    drive.until(lambda output: drive.now > SETTLED_S)
    side.on_safe_command(drive.period().safe, drive.now)
    start_s = drive.now
    while drive.now - start_s < 5.0:
        drive.now += PERIOD_S
        side.poll(drive.now)
        side.encode_latest(drive.now)
        if sent_mps2(drive) < BRAKES_MPS2:
            return round(drive.now - start_s, 6)
    raise ValueError("safety case: the vehicle's side does not brake")


def shell_ends() -> float:
    """The guard's shell ends while the car drives."""
    car = GuardedCar().driving()
    car.guard.disconnect()
    return _guard_brakes(car)


def shell_ends_or_freezes() -> float:
    """The guard's shell ends, or sends nothing more: the longer time."""
    return max(shell_ends(), _guard_brakes(GuardedCar().driving()))


def _guard_brakes(car: GuardedCar) -> float:
    start_s = car.now
    while car.now - start_s < 5.0:
        car.run(PERIOD_S)
        sides = car.guard.sides
        assert sides is not None
        judged = sides.vehicle.judged
        assert judged is not None
        is_stopped = judged.wanted.stops or sides.safety.mode is not Mode.AUTONOMOUS
        if is_stopped and judged.sent.vehicle.long_accel_mps2 < BRAKES_MPS2:
            return round(car.now - start_s, 6)
    raise ValueError("safety case: the guard does not brake")


def curvature_jumps() -> float:
    """Curvatures that jump from side to side, with the trim at work: too fast for how long."""
    drive = Drive()
    assert drive.pipeline.parameters.vehicle.curvature_correction
    rates = drive.pipeline.parameters.safety.steer_rate_max_radps
    most_rad = max(rates) * PERIOD_S + TOLERANCE_RAD
    angles = [0.0]

    def within(output: PipelineOutput) -> bool:
        judged = drive.pipeline.vehicle_side.judged
        assert judged is not None
        angle = judged.sent.vehicle.front_wheel_angle_rad
        before, angles[0] = angles[0], angle
        return abs(angle - before) <= most_rad

    over_s = 0.0
    for n in range(20):
        drive.command = HighLevelCommand(0.0, SPEED_MPS, (0.15, -0.15, 0.02)[n % 3])
        over_s += broken_s(drive, 3.0, within)
    return round(over_s, 6)

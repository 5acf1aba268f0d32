"""The driver: ramps, limits, levels and the stop, on virtual time with a toy car."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.teleop.driver import Driver, Intent, Phase
from vdsim_interface.teleop.parameters import DriverParameters
from vdsim_interface.values import (
    Command,
    ControlLevel,
    Gear,
    HighLevelCommand,
    Mode,
    NoticeKind,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.teleop import STATE, ToyCar

DT_S = 0.02
GAS = Intent(True, throttle=1.0)
BRAKE = Intent(True, brake=1.0)
HANDS_OFF = Intent(False, why="dead-man button released")
STOP = SafeStopParameters()


class Drive:
    """A driver, a car and a clock."""

    def __init__(self, level: ControlLevel = ControlLevel.HIGH_LEVEL, **parameters: float) -> None:
        self.parameters = DriverParameters(level=level.value, **parameters)  # type: ignore[arg-type]
        self.driver = Driver(self.parameters, STOP)
        self.car = ToyCar()
        self.now = 0.0
        self.commands: list[Command | None] = []
        self.notices: list[NoticeKind] = []

    def run(self, intent: Intent, duration_s: float) -> Command | None:
        for _ in range(round(duration_s / DT_S)):
            self.now += DT_S
            command, notices = self.driver.tick(intent, self.car.motion(), self.now)
            self.car.step(command, DT_S)
            self.commands.append(command)
            self.notices += [report.kind for report in notices]
        return self.commands[-1]


@pytest.mark.parametrize("level", list(ControlLevel))
def test_throttle_moves_and_brake_stops_the_car_on_every_level(level: ControlLevel) -> None:
    drive = Drive(level)
    drive.run(GAS, 4.0)
    assert drive.car.velocity_mps > 4.0
    drive.run(BRAKE, 5.0)
    assert abs(drive.car.velocity_mps) < 0.3


@pytest.mark.parametrize("level", list(ControlLevel))
def test_reverse_gear_drives_backwards(level: ControlLevel) -> None:
    drive = Drive(level)
    drive.car.shift(Gear.REVERSE)
    drive.run(GAS, 3.0)
    assert drive.car.velocity_mps < -1.0
    if level is not ControlLevel.RAW:
        drive.run(GAS, 5.0)
        assert drive.car.velocity_mps > -drive.parameters.reverse_speed_max_mps - 0.2


@pytest.mark.parametrize("gear", [Gear.PARK, Gear.NEUTRAL])
@pytest.mark.parametrize("level", list(ControlLevel))
def test_throttle_asks_for_nothing_in_park_and_neutral(level: ControlLevel, gear: Gear) -> None:
    drive = Drive(level)
    drive.car.shift(gear)
    drive.run(GAS, 2.0)
    assert drive.car.velocity_mps == 0.0


@pytest.mark.parametrize("level", [ControlLevel.HIGH_LEVEL, ControlLevel.VEHICLE])
def test_speed_stays_below_the_limit(level: ControlLevel) -> None:
    drive = Drive(level, speed_max_mps=5.0)
    drive.run(GAS, 15.0)
    assert 4.5 < drive.car.velocity_mps < 5.2


def test_the_commanded_speed_does_not_run_away_from_a_car_that_is_held() -> None:
    drive = Drive()
    for step in range(500):
        command, _ = drive.driver.tick(GAS, MeasuredMotion(0.0, 0.0, STATE), step * DT_S)
    assert isinstance(command, HighLevelCommand)
    assert command.velocity_mps == drive.parameters.speed_lead_mps


def test_driving_begins_from_the_cars_own_motion() -> None:
    drive = Drive()
    drive.car.velocity_mps, drive.car.wheel_angle_rad = 8.0, 0.1
    command, notices = drive.driver.tick(Intent(True, steer=1.0), drive.car.motion(), 0.0)
    assert isinstance(command, HighLevelCommand)
    assert command.velocity_mps == pytest.approx(8.0, abs=0.1)
    assert command.curvature_1pm == pytest.approx(math.tan(0.1) / 2.97, rel=1e-6)
    assert [report.kind for report in notices] == ["driving"]


def test_both_feet_down_means_brake() -> None:
    drive = Drive(ControlLevel.RAW)
    command = drive.run(Intent(True, throttle=1.0, brake=1.0), 1.0)
    assert command == RawCommand(drive.now, 0, 1000, 0)


def test_pressing_is_ramped_and_releasing_is_not() -> None:
    drive = Drive(ControlLevel.RAW)
    drive.run(GAS, 1.0)
    throttles = [c.throttle for c in drive.commands if isinstance(c, RawCommand)]
    assert max(b - a for a, b in itertools.pairwise(throttles)) <= 80
    assert throttles[-1] == 1000
    command = drive.run(Intent(True), DT_S)
    assert isinstance(command, RawCommand)
    assert command.throttle == 0


@pytest.mark.parametrize(
    ("speed", "limit"), [(0.0, 0.5), (2.0, 0.5), (10.0, 0.0889), (20.0, 0.0223), (-10.0, 0.0889)]
)
def test_steering_is_limited_by_speed(speed: float, limit: float) -> None:
    driver = Driver(DriverParameters(), STOP)
    motion = MeasuredMotion(speed, 0.0, STATE)
    assert driver.wheel_angle_limit_rad(motion) == pytest.approx(limit, abs=1e-3)


def test_with_no_odometry_steering_is_limited_as_at_the_highest_speed() -> None:
    driver = Driver(DriverParameters(speed_max_mps=20.0), STOP)
    assert driver.wheel_angle_limit_rad(MeasuredMotion()) == pytest.approx(0.0223, abs=1e-3)


def test_steering_is_ramped_and_left_is_positive() -> None:
    drive = Drive(ControlLevel.VEHICLE)
    drive.run(Intent(True, steer=1.0), 2.0)
    angles = [c.front_wheel_angle_rad for c in drive.commands if isinstance(c, VehicleCommand)]
    assert max(b - a for a, b in itertools.pairwise(angles)) <= 0.5 * DT_S + 1e-9
    assert angles[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("level", list(ControlLevel))
@pytest.mark.parametrize("speed", [3.0, 8.0, 14.0])
def test_release_at_speed_stops_within_the_stated_distance(
    level: ControlLevel, speed: float
) -> None:
    drive = Drive(level)
    drive.car.velocity_mps = speed
    drive.run(Intent(True), DT_S)
    start_m = drive.car.distance_m
    drive.run(HANDS_OFF, 2.0 + speed / STOP.decel_mps2 + 2.0)
    assert drive.car.motion().standing
    stated_m = STOP.stopping_distance_m(speed, reaction_s=drive.car.lag_s + 0.3)
    assert drive.car.distance_m - start_m <= stated_m
    assert "stopping" in drive.notices


def test_a_stop_is_a_stream_of_commands_that_hold_the_steering_until_the_car_has_stood() -> None:
    drive = Drive(ControlLevel.VEHICLE)
    drive.car.velocity_mps = 5.0
    drive.run(Intent(True, steer=0.5), 1.0)
    last = drive.commands[-1]
    drive.commands.clear()
    drive.run(HANDS_OFF, 20.0)
    sent = [c for c in drive.commands if c is not None]
    assert isinstance(last, VehicleCommand)
    assert {c.front_wheel_angle_rad for c in sent if isinstance(c, VehicleCommand)} == {
        last.front_wheel_angle_rad
    }
    assert None not in drive.commands[: len(sent)], "no gap in the stream"
    assert drive.driver.phase is Phase.IDLE
    assert drive.commands[-1] is None
    assert drive.notices[-1] == "released"
    assert drive.car.distance_m > 0.0


def test_the_stop_can_hold_for_ever() -> None:
    drive = Drive(release_after_s=0.0)
    drive.run(GAS, 1.0)
    command = drive.run(HANDS_OFF, 60.0)
    assert isinstance(command, HighLevelCommand)
    assert command.velocity_mps == 0.0


@pytest.mark.parametrize("level", list(ControlLevel))
def test_a_stop_ends_when_the_interface_lets_nobody_drive(level: ControlLevel) -> None:
    """Autonomy may begin again while the last command is fresh, and must not drive by it."""
    drive = Drive(level)
    drive.car.velocity_mps = 10.0
    drive.run(Intent(True), 0.1)
    drive.run(HANDS_OFF, 0.4)
    drive.car.become(Mode.DISENGAGED)
    last = drive.run(HANDS_OFF, DT_S)
    if level is ControlLevel.HIGH_LEVEL:
        assert isinstance(last, HighLevelCommand)
        assert last.velocity_mps == 0.0
    assert drive.notices[-1] == "released"
    assert drive.run(HANDS_OFF, DT_S) is None


def test_hands_back_on_during_a_stop_drive_again() -> None:
    drive = Drive()
    drive.car.velocity_mps = 10.0
    drive.run(Intent(True), 0.1)
    drive.run(HANDS_OFF, 1.0)
    slower = drive.car.velocity_mps
    drive.run(GAS, 1.5)
    assert drive.car.velocity_mps > slower
    assert drive.driver.phase is Phase.DRIVING


def test_a_wanted_speed_is_approached_by_a_ramp() -> None:
    drive = Drive()
    drive.run(Intent(True, speed_mps=5.0), 5.0)
    assert drive.car.velocity_mps == pytest.approx(5.0, abs=0.1)
    speeds = [c.velocity_mps for c in drive.commands if isinstance(c, HighLevelCommand)]
    assert max(b - a for a, b in itertools.pairwise(speeds)) <= 2.0 * DT_S + 1e-9
    drive.run(Intent(True, speed_mps=0.0), 5.0)
    assert drive.car.velocity_mps == pytest.approx(0.0, abs=0.1)


def test_the_level_changes_at_standstill_only() -> None:
    drive = Drive()
    drive.run(GAS, 1.0)
    refused = drive.driver.set_level(ControlLevel.VEHICLE, drive.car.motion())
    assert refused.kind == "level_refused"
    drive.run(BRAKE, 3.0)
    assert drive.car.motion().standing
    changed = drive.driver.set_level(ControlLevel.VEHICLE, drive.car.motion())
    assert changed.kind == "level_changed"
    assert isinstance(drive.run(GAS, DT_S), VehicleCommand)


def test_a_late_tick_makes_no_leap() -> None:
    drive = Drive()
    drive.run(GAS, 0.5)
    before = drive.commands[-1]
    drive.car.velocity_mps = 10.0
    after, _ = drive.driver.tick(GAS, drive.car.motion(), drive.now + 5.0)
    assert isinstance(before, HighLevelCommand)
    assert isinstance(after, HighLevelCommand)
    assert after.velocity_mps - before.velocity_mps <= 0.2 * 2.0 + 1e-9


@settings(max_examples=60, deadline=None)
@given(
    level=st.sampled_from(ControlLevel),
    gear=st.sampled_from(Gear),
    hands=st.lists(
        st.tuples(st.booleans(), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.booleans()),
        max_size=40,
    ),
)
def test_whatever_the_hands_do_commands_stay_in_bounds(
    level: ControlLevel, gear: Gear, hands: list[tuple[bool, float, float, float, bool]]
) -> None:
    drive = Drive(level)
    drive.car.shift(gear)
    p = drive.parameters
    for step, (active, steer, throttle, brake, blind) in enumerate(hands):
        motion = MeasuredMotion(state=STATE) if blind else drive.car.motion()
        intent = Intent(active, steer, throttle, brake)
        command, _ = drive.driver.tick(intent, motion, step * DT_S)
        drive.car.step(command, DT_S)
        if isinstance(command, HighLevelCommand):
            assert -p.reverse_speed_max_mps <= command.velocity_mps <= p.speed_max_mps
            assert abs(command.curvature_1pm) <= math.tan(p.wheel_angle_max_rad) / p.wheelbase_m
        elif isinstance(command, VehicleCommand):
            assert abs(command.long_accel_mps2) <= max(p.accel_max_mps2, p.brake_max_mps2)
            assert abs(command.front_wheel_angle_rad) <= p.wheel_angle_max_rad
        elif isinstance(command, RawCommand):
            assert 0 <= command.throttle <= 1000
            assert 0 <= command.brake <= 1000
            assert abs(command.front_steer) <= 1000

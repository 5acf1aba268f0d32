import pytest
from vdsim_interface.controller.controller import VelocityController, wheel_angles
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.values import Gear, HighLevelCommand, Mode, Odometry
from vdsim_interface_kit.interface import CRUISE, Drive

CAR = VehicleGeometry()


def stage() -> VelocityController:
    made = VelocityController(ControllerParameters(), CAR, 0.01, 0.5)
    made.on_state(Gear.DRIVE, Mode.AUTONOMOUS)
    return made


@pytest.mark.parametrize("speed", [1.0, 5.0, 15.0, 30.0, -1.0, -4.0])
def test_reaches_and_keeps_a_speed(speed: float) -> None:
    """[VI-4.1] From standstill, forward and in reverse: small overshoot, small error."""
    drive = Drive()
    drive.run(abs(speed) / 2.0 + 8.0, HighLevelCommand(0.0, speed))
    peak = max(abs(o.report.velocity_mps) for o in drive.outputs if o.report)
    assert peak < abs(speed) + 0.3
    assert drive.speed == pytest.approx(speed, abs=0.1)


def test_curvature_becomes_a_wheel_angle() -> None:
    """[VI-4.2] The yaw rate follows speed x curvature."""
    drive = Drive()
    drive.run(10.0, HighLevelCommand(0.0, 5.0, 0.05))
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    assert vehicle.yaw_rate_radps == pytest.approx(drive.speed * 0.05, rel=0.02)


@pytest.mark.parametrize("has", [0.0, -4.0, 8.0, 20.0])
@pytest.mark.parametrize("asked", [15.0, 1e30])
def test_a_speed_that_is_only_asked_for_turns_no_wheel(has: float, asked: float) -> None:
    """The understeer of a car that is far slower than it is to be would be a swerve."""
    car = VehicleGeometry(understeer_gradient_rad_s2pm=0.002)
    made = VelocityController(ControllerParameters(), car, 0.01, 0.5)
    made.on_odometry(Odometry(0.0, has))
    given = made.step(HighLevelCommand(0.0, asked, 0.01), 0.0)
    assert given is not None
    front, _ = wheel_angles(0.01, min(abs(has), asked), car, 0.0)
    assert given.front_wheel_angle_rad == pytest.approx(front)


@pytest.mark.parametrize("slope", [-0.15, -0.05, 0.05, 0.15])
def test_stops_and_stands_on_a_slope(slope: float) -> None:
    drive = Drive(fake=FakeParameters(slope_rad=slope))
    drive.run(10.0, CRUISE)
    drive.run(6.0, HighLevelCommand(0.0, 0.0))
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    x = vehicle.x_m
    drive.run(5.0, HighLevelCommand(0.0, 0.0))
    assert drive.speed == 0.0
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    assert vehicle.x_m == x


def test_changes_direction_through_standstill() -> None:
    drive = Drive()
    drive.run(8.0, CRUISE)
    drive.run(12.0, HighLevelCommand(0.0, -2.0))
    assert drive.speed == pytest.approx(-2.0, abs=0.1)
    gears = [trace_of(o).body.gear for o in drive.outputs]
    shift = gears.index(Gear.REVERSE)
    before = drive.outputs[shift].report
    assert before is not None
    assert abs(before.velocity_mps) <= 0.1


def test_a_stale_command_ends_the_control_and_a_new_one_starts_it_afresh() -> None:
    control = stage()
    control.on_odometry(Odometry(1.0, 8.0))
    assert control.step(HighLevelCommand(1.0, 10.0), 1.2) is not None
    assert control.step(HighLevelCommand(1.0, 10.0), 1.51) is None
    assert control.step(None, 1.6) is None
    control.on_odometry(Odometry(2.0, 3.0))
    fresh = control.step(HighLevelCommand(2.0, 3.0), 2.0)
    assert fresh is not None
    assert fresh.long_accel_mps2 == 0.0


def test_outside_autonomous_nothing_winds_up() -> None:
    control = stage()
    control.on_state(Gear.DRIVE, Mode.MANUAL)
    control.on_odometry(Odometry(0.0, 5.0))
    outputs = {control.step(HighLevelCommand(0.0, 9.0), 0.1) for _ in range(500)}
    assert len(outputs) == 1


def test_a_report_that_is_not_finite_changes_nothing() -> None:
    control = stage()
    control.on_odometry(Odometry(0.0, 5.0))
    first = control.step(HighLevelCommand(0.0, 5.0), 0.1)
    control.on_odometry(Odometry(0.1, float("nan")))
    assert control.step(HighLevelCommand(0.0, 5.0), 0.1) == first


def test_new_parameters_hold_from_the_next_step() -> None:
    control = stage()
    control.on_odometry(Odometry(0.0, 5.0))
    control.configure(ControllerParameters(feed_forward=0.0, kp_1ps=0.0, ki_1ps2=0.0, kd=0.0), CAR)
    command = control.step(HighLevelCommand(0.0, 9.0), 0.0)
    assert command is not None
    assert command.long_accel_mps2 == 0.0


def test_the_last_of_the_speed_is_braked_away_in_both_directions() -> None:
    """No creeping end: below 1 m/s the braking is never less than the final deceleration."""
    least = ControllerParameters().final_decel_mps2
    for gear, speed in ((Gear.DRIVE, 0.4), (Gear.REVERSE, -0.4)):
        control = stage()
        control.on_state(gear, Mode.AUTONOMOUS)
        control.on_odometry(Odometry(0.0, speed))
        for _ in range(200):
            command = control.step(HighLevelCommand(0.0, 0.0), 0.0)
        assert command is not None
        assert command.long_accel_mps2 * speed <= -least * abs(speed) + 1e-6


@pytest.mark.parametrize("forward", [1.0, -1.0])
def test_a_speed_that_falls_asks_for_no_other_direction_at_rest(forward: float) -> None:
    """Seed 10820898 of `processes`: 0.3 m/s that fell, of a car that was slower, chose REVERSE."""
    control = stage()
    control.on_state(Gear.DRIVE if forward > 0.0 else Gear.REVERSE, Mode.AUTONOMOUS)
    asked = []
    for n in range(200):
        now, wanted_mps = 0.01 * n, 2.0 - 0.01 * n
        speed_mps = max(wanted_mps - 0.25, 0.02)
        control.on_odometry(Odometry(now, forward * speed_mps))
        command = control.step(HighLevelCommand(now, forward * wanted_mps), now)
        assert command is not None
        asked.append((speed_mps, forward * command.long_accel_mps2))
    assert min(accel_mps2 for _, accel_mps2 in asked) < -0.5
    assert all(accel_mps2 >= 0.0 for speed_mps, accel_mps2 in asked if speed_mps <= 0.03)

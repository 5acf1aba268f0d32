"""A torque at each wheel: the same car as with a force, yaw moments that obey the law, limits."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters, ChannelParameters
from vdsim_plant.motion import InitialState, PedalInput, WheelTorques
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

CAR = load_vehicle("ioniq5_awd")
RADIUS_M = CAR.wheels.radius_m
FAST = [0.0, 0.0, 0.1, 18.0, 0.2, 0.05]
DIFFERENTIAL = (-300.0, 300.0, -300.0, 300.0)
SOME = st.tuples(*[st.floats(-2500.0, 2500.0)] * 4)
BRAKES = st.tuples(*[st.floats(0.0, 2500.0)] * 4)


def after(plant: VDSimPlant, steps: list[dict[str, Any]]) -> str:
    """The end of a drive, with every digit."""
    plant.reset(FAST)
    observation: object = None
    for step in steps:
        observation = plant.step(**step)
    return repr(observation)


@pytest.mark.parametrize(
    "options",
    [
        {"config": "ioniq5_awd"},
        {"config": "sport_rwd"},
        {"config": "compact_fwd"},
        {"level": "l1"},
        {"level": "kinematic"},
        {"tyre": "road_235_55r19"},
        {"ground": "split_mu"},
    ],
    ids=str,
)
@pytest.mark.parametrize("force", [3000.0, 14_000.0, -2000.0, -15_000.0])
def test_the_torques_of_a_force_drive_like_the_force_to_the_bit(
    options: dict[str, Any], force: float
) -> None:
    # [VS-2.0]
    plant = VDSimPlant(**options)
    torque_per_force = 0.5 * plant.vehicle.parameters.wheels.radius_m
    torque = torque_per_force * force
    share = plant.vehicle.front_shares()[force < 0.0]
    front = abs(torque) * share
    four = (front, front, abs(torque) - front, abs(torque) - front)
    by_wheel = {"torques": four} if force > 0.0 else {"brakes": four}
    steers = [0.05 * math.sin(0.3 * k) for k in range(40)]
    by_force = after(plant, [{"u": [steer, force]} for steer in steers])
    assert after(plant, [{"u": [steer, 0.0], **by_wheel} for steer in steers]) == by_force
    assert after(plant, [{"u": [steer, 0.0]} for steer in steers]) != by_force


def test_torques_come_on_top_of_a_force_intent() -> None:
    plant = VDSimPlant()
    quarter = 0.25 * RADIUS_M * 2000.0
    both = after(plant, [{"u": [0.02, 2000.0], "torques": [quarter] * 4}] * 20)
    assert both == after(plant, [{"u": [0.02, 4000.0]}] * 20)


@pytest.mark.parametrize("config", ["ioniq5_awd", "compact_fwd", "sport_rwd"])
def test_the_difference_between_left_and_right_is_a_yaw_moment(config: str) -> None:
    """Moment = sum of arm times force, force = torque / radius: nothing else turns the car yet."""
    plant = VDSimPlant(config, control_dt=5e-4)
    body, radius_m = plant.vehicle.parameters.body, plant.vehicle.parameters.wheels.radius_m
    plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    torque_nm = 200.0
    locked = plant.vehicle.parameters.drivetrain.differential_rear == "locked"
    assert locked == (config == "sport_rwd")
    tracks_m = body.track_front_m + (0.0 if locked else body.track_rear_m)
    expected = torque_nm / radius_m * tracks_m  # a locked differential evens its axle out
    moments = []
    before = 0.0
    for _ in range(120):
        obs = plant.step([0.0, 0.0], torques=[-torque_nm, torque_nm, -torque_nm, torque_nm])
        wheels = obs["wheel"]
        half_front, half_rear = 0.5 * body.track_front_m, 0.5 * body.track_rear_m
        from_x = half_front * (wheels[1]["Fx"] - wheels[0]["Fx"])
        from_x += half_rear * (wheels[3]["Fx"] - wheels[2]["Fx"])
        from_y = body.cg_to_front_axle_m * (wheels[0]["Fy"] + wheels[1]["Fy"])
        from_y -= body.cg_to_rear_axle_m * (wheels[2]["Fy"] + wheels[3]["Fy"])
        moments.append((from_x, from_y, (obs["r"] - before) / 5e-4 * body.yaw_inertia_kgm2))
        before = obs["r"]
    assert moments[40][0] == pytest.approx(expected, rel=0.05)
    for (x0, y0, _), (x1, y1, turned) in pairwise(moments[40:]):
        # The body uses the force in the middle of the substep, carried on by its last change.
        assert turned == pytest.approx(1.5 * (x1 + y1) - 0.5 * (x0 + y0), rel=2e-3, abs=2.0)
    assert plant.motion().yaw_rate_radps > 0.01, "more torque on the right turns to the left"


@settings(max_examples=30, deadline=None)
@given(drive=SOME, brake=BRAKES)
def test_a_mirrored_car_mirrors_its_drive(
    drive: tuple[float, float, float, float], brake: tuple[float, float, float, float]
) -> None:
    plant, mirror = VDSimPlant(), VDSimPlant()
    plant.reset([0.0, 0.0, 0.0, 15.0, 0.0, 0.0])
    mirror.reset([0.0, 0.0, 0.0, 15.0, 0.0, 0.0])

    def swapped(four: tuple[float, float, float, float]) -> list[float]:
        return [four[1], four[0], four[3], four[2]]

    for _ in range(10):
        one = plant.step([0.03, 500.0], torques=drive, brakes=brake)
        other = mirror.step([-0.03, 500.0], torques=swapped(drive), brakes=swapped(brake))
    for key, sign in (("X", 1), ("Y", -1), ("psi", -1), ("vx", 1), ("vy", -1), ("r", -1)):
        assert one[key] == pytest.approx(sign * other[key], rel=1e-9, abs=1e-9)  # type: ignore[literal-required]


@settings(max_examples=40, deadline=None)
@given(drive=SOME, brake=BRAKES, mu=st.sampled_from([0.05, 0.5, 1.2]))
def test_no_torque_leaves_the_friction_circle(
    drive: tuple[float, float, float, float],
    brake: tuple[float, float, float, float],
    mu: float,
) -> None:
    plant = VDSimPlant(base_mu=mu)
    plant.reset(FAST)
    for _ in range(10):
        for wheel in plant.step([0.1, 0.0], torques=drive, brakes=brake)["wheel"]:
            assert math.hypot(wheel["Fx"], wheel["Fy"]) <= wheel["mu"] * wheel["Fz"]


def test_a_car_without_width_has_no_moment_from_torques() -> None:
    plant = VDSimPlant(level="l1")
    plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    for _ in range(20):
        obs = plant.step([0.0, 0.0], torques=DIFFERENTIAL)
    assert obs["r"] == 0.0


def test_negative_torques_drive_backwards_and_brakes_never_do() -> None:
    driven, braked = VDSimPlant(), VDSimPlant()
    for plant in (driven, braked):
        plant.reset()
    for _ in range(40):
        driven.step([0.0, 0.0], torques=[-200.0] * 4)
        braked.step([0.0, 0.0], brakes=[2000.0] * 4)
    assert driven.motion().vx_mps < -0.5
    assert braked.motion().vx_mps == pytest.approx(0.0, abs=1e-9)


# --- limits


def test_a_torque_is_cut_where_a_force_is() -> None:
    def step(torque: float) -> str:
        return after(VDSimPlant(), [{"u": [0.0, 0.0], "torques": [torque] * 4}] * 3)

    most = Vehicle().most_wheel_torque_nm()
    assert step(1e300) == step(most)
    assert step(-1e300) == step(-most)
    assert step(0.5 * most) != step(most)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"torques": [1.0, 2.0, 3.0]}, "torques=[1.0, 2.0, 3.0]: must be four numbers, FL"),
        ({"torques": 5.0}, "torques=5.0: must be four numbers, FL, FR, RL, RR [N m]"),
        ({"torques": [0, 0, math.nan, 0]}, "torques[2] (RL)=nan: must be finite"),
        ({"torques": "1234"}, "torques='1234': must be four numbers, FL, FR, RL, RR [N m]"),
        ({"brakes": ["1", "2", "3", "4"]}, "brakes=['1', '2', '3', '4']: must be four numbers"),
        ({"torques": np.zeros((2, 2))}, "torques=[[0. 0.] [0. 0.]]: must be four numbers, FL"),
        ({"brakes": [0, -1, 0, 0]}, "brakes[1] (FR)=-1.0: must be >= 0 N m"),
        ({"brakes": [0, 0, 0, math.inf]}, "brakes[3] (RR)=inf: must be finite"),
    ],
)
def test_a_wrong_torque_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        VDSimPlant().step([0.0, 0.0], **arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_values_are_checked_where_they_are_made() -> None:
    with pytest.raises(ParameterError, match=r"drive_nm\[0\] \(FL\)=nan: must be finite"):
        WheelTorques((math.nan, 0.0, 0.0, 0.0))
    with pytest.raises(ParameterError, match=r"brake_nm\[3\] \(RR\)=-2.0: must be >= 0 N m"):
        WheelTorques(brake_nm=(0.0, 0.0, 0.0, -2.0))


@pytest.mark.parametrize("speed_mps", [20.0, 30.0, 40.0])
def test_with_the_motors_limit_no_more_power_is_given_than_it_has(speed_mps: float) -> None:
    def wheel_power_w(**options: Any) -> float:
        plant = VDSimPlant(control_dt=0.005, **options)
        plant.reset([0.0, 0.0, 0.0, speed_mps, 0.0, 0.0])
        for _ in range(10):
            obs = plant.step([0.0, 10_000.0])
        return sum(wheel["Fx"] * wheel["omega"] * RADIUS_M for wheel in obs["wheel"])

    curve = np.array(CAR.drivetrain.motor_torque_curve)
    speed = speed_mps / RADIUS_M * CAR.drivetrain.gear_ratio
    motor_w = speed * np.interp(speed, curve[:, 0], curve[:, 1]) * CAR.drivetrain.efficiency
    limited = wheel_power_w(limit_to_motor=True)
    assert limited < 1.02 * motor_w
    assert limited > 0.8 * motor_w
    assert wheel_power_w() > 1.2 * motor_w or speed_mps < 30.0


def test_beyond_its_top_speed_a_motor_gives_nothing() -> None:
    vehicle = Vehicle(limit_to_motor=True)
    vehicle.reset(InitialState(vx_mps=70.0))
    assert vehicle.most_drive_torque_nm() < 2.0
    vehicle.step_force(0.0, 10_000.0, 0.1)
    assert vehicle.motion().vx_mps < 70.0


def test_the_limit_keeps_the_distribution_and_leaves_alone_what_is_possible() -> None:
    asked = {"u": [0.02, 0.0], "torques": [100.0, 300.0, 50.0, -200.0]}
    free, limited = VDSimPlant(), VDSimPlant(limit_to_motor=True)
    assert after(limited, [asked] * 20) == after(free, [asked] * 20)
    limited.reset([0.0, 0.0, 0.0, 50.0, 0.0, 0.0])
    free.reset([0.0, 0.0, 0.0, 50.0, 0.0, 0.0])
    many = np.array([4000.0, 1000.0, 0.0, -300.0])
    possible = limited.vehicle.most_drive_torque_nm()
    assert possible < 5000.0
    shared = [*(many[:3] * min(possible / 5000.0, 1.0)), -300.0]
    one = limited.step([0.0, 0.0], torques=many.tolist())
    other = free.step([0.0, 0.0], torques=shared)
    assert one["r"] == pytest.approx(other["r"], rel=1e-9)
    assert one["vx"] == pytest.approx(other["vx"], rel=1e-12)


# --- many cars, sessions, layers


@pytest.mark.parametrize("options", [{}, {"limit_to_motor": True}, {"config": "sport_rwd"}])
def test_each_car_of_a_batch_is_the_car_alone_to_the_bit(options: dict[str, Any]) -> None:
    n, rng = 21, np.random.default_rng(5)
    plant = VDSimPlant(friction_map=[(10.0, 30.0, 0.4)], **options)
    batch = plant.batch(n)
    states = np.column_stack([np.zeros((n, 3)), rng.uniform(5, 45, n), np.zeros((n, 2))])
    batch.reset(states)
    inputs = [
        (
            rng.uniform((-0.1, -5000.0), (0.1, 9000.0), (n, 2)),
            rng.uniform(-2000.0, 2000.0, (n, 4)),
            rng.uniform(0.0, 900.0, (n, 4)) if k % 2 else None,
        )
        for k in range(8)
    ]
    for u, torques, brakes in inputs:
        batch.step(u, torques=torques, brakes=brakes)
    batch.step([0.01, 2000.0], brakes=[0.0, 50.0, 0.0, 0.0])
    batch.step([0.01, 2000.0])
    for car in range(n):
        plant.reset(states[car])
        for u, torques, brakes in inputs:
            plant.step(u[car], torques[car], None if brakes is None else brakes[car])
        plant.step([0.01, 2000.0], brakes=[0.0, 50.0, 0.0, 0.0])
        assert batch.observation(car) == plant.step([0.01, 2000.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"torques": [1.0, 2.0]}, r"torques: has shape \(2,\): must be \(3, 4\) or \(4,\)"),
        ({"torques": [[0.0] * 4, [0, 0, math.nan, 0], [0.0] * 4]}, r"torques\[1\]\[2\]=nan"),
        ({"torques": [10**400] * 4}, "torques: must be rows of numbers"),
        ({"brakes": [0.0, 0.0, -3.0, 0.0]}, r"brakes\[0\]\[2\]=-3.0: must be >= 0 N m"),
    ],
)
def test_a_wrong_torque_of_a_batch_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        VDSimPlant().batch(3).step([0.0, 0.0], **arguments)


def session(**options: Any) -> SimSession:
    return SimSession(Vehicle(), initial=InitialState(vx_mps=18.0), **options)


TURNING = PedalInput(throttle=0.2, torques=WheelTorques(DIFFERENTIAL, (0.0, 0.0, 50.0, 0.0)))


def test_a_session_takes_torques_on_top_of_its_pedals() -> None:
    car, plain = session(), session()
    car.set_input(TURNING)
    plain.set_input(PedalInput(throttle=0.2))
    for _ in range(40):
        car.tick(0.005)
        plain.tick(0.005)
    assert car.state().yaw_rate_radps > 0.02
    assert plain.state().yaw_rate_radps == 0.0
    assert car.state().vx_mps == pytest.approx(plain.state().vx_mps, abs=0.2)
    assert car.output().realized == TURNING


def test_a_session_with_torques_alone_is_the_plant_with_torques() -> None:
    car, plant = session(), VDSimPlant(control_dt=0.005)
    car.set_input(PedalInput(steer_rad=0.01, torques=TURNING.torques))
    plant.reset([0.0, 0.0, 0.0, 18.0, 0.0, 0.0])
    for _ in range(40):
        car.tick(0.005)
        plant.step([0.01, 0.0], DIFFERENTIAL, (0.0, 0.0, 50.0, 0.0))
    assert car.state() == plant.motion()


def test_a_snapshot_and_the_hash_hold_the_torques() -> None:
    car, other = session(), session()
    car.set_input(TURNING)
    car.tick(0.005)
    other.restore(car.snapshot())
    assert other.state_hash() == car.state_hash()
    assert other.output() == car.output()
    for _ in range(20):
        car.tick(0.005)
        other.tick(0.005)
    assert other.state_hash() == car.state_hash()
    other.set_input(PedalInput(throttle=0.2))
    assert other.state_hash() != car.state_hash()


def test_a_reset_lets_go_of_the_torques() -> None:
    plant = VDSimPlant()
    plant.step([0.0, 0.0], torques=DIFFERENTIAL, brakes=[500.0] * 4)
    assert plant.reset(FAST) == VDSimPlant().reset(FAST)
    batch = plant.batch(2)
    batch.step([0.0, 0.0], torques=DIFFERENTIAL, brakes=[500.0] * 4)
    batch.reset(FAST)
    assert batch.observation(1) == plant.reset(FAST)


def test_an_empty_battery_drives_no_wheel() -> None:
    car = session(charge=0.0)
    car.set_input(PedalInput(torques=WheelTorques((900.0, 900.0, -40.0, 0.0))))
    car.tick(0.005)
    assert car.output().realized.torques == WheelTorques((0.0, 0.0, -40.0, 0.0))


def test_wheel_motors_follow_like_every_other_actuator() -> None:
    slow = ActuatorParameters(wheel_torque=ChannelParameters(lag_s=0.1))
    layer = ActuatorLayer(slow)
    wanted = WheelTorques((100.0, -100.0, 0.0, 40.0), (0.0, 0.0, 80.0, 0.0))
    got = layer.realize_pedals(PedalInput(torques=wanted), 0.1).torques
    assert got is not None
    share = 1.0 - math.exp(-1.0)
    assert got.drive_nm == pytest.approx([share * torque for torque in wanted.drive_nm])
    assert got.brake_nm == pytest.approx([share * torque for torque in wanted.brake_nm])
    other = ActuatorLayer(slow)
    other.restore(layer.snapshot())
    assert other.realize_pedals(PedalInput(), 0.1) == layer.realize_pedals(PedalInput(), 0.1)
    lagging, ideal = VDSimPlant(actuators=slow), VDSimPlant()
    for plant in (lagging, ideal):
        plant.reset(FAST)
        plant.step([0.0, 0.0], torques=DIFFERENTIAL)
    assert 0.0 < lagging.motion().yaw_rate_radps < ideal.motion().yaw_rate_radps

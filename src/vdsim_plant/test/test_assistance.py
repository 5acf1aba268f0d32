"""ABS, traction control and ESC: how far a car stops, whether it pulls away and stays on course."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from vdsim_plant.assist import AssistParameters, assist_names, load_assist
from vdsim_plant.ground import Ground, SplitMu, flat
from vdsim_plant.motion import InitialState, PedalInput, VehicleMotion, WheelTorques
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

KMH_100 = 100.0 / 3.6
SPLIT = Ground(split=SplitMu(0.2, 0.8, 0.0))


def car(
    assist: str | None,
    name: str = "ioniq5_awd_r13h",
    ground: Ground | None = None,
    *,
    level: str = "l2",
    tyre: str | None = None,
    speed_mps: float = KMH_100,
) -> Vehicle:
    helper = None if assist is None else load_assist(assist)
    vehicle = Vehicle(name, tyre, ground, level=level, assist=helper)
    vehicle.reset(InitialState(vx_mps=speed_mps))
    return vehicle


def stop(vehicle: Vehicle, steer: float = 0.0) -> Iterator[VehicleMotion]:
    """Full pedal until the car stands."""
    motion = vehicle.motion()
    for _ in range(4000):
        if motion.vx_mps < 0.05:
            return
        vehicle.step_pedals(PedalInput(steer, 0.0, 1.0), 0.01)
        motion = vehicle.motion()
        yield motion
    raise AssertionError("the car does not stop")


@pytest.mark.parametrize("level", ["l2", "l3"])
@pytest.mark.parametrize("mu", [0.9, 0.3])
@pytest.mark.parametrize("name", ["ioniq5_awd_r13h", "sport_rwd"])
def test_abs_stops_in_the_distance_that_the_friction_allows(
    name: str, mu: float, level: str
) -> None:
    locked = list(stop(car(None, name, flat(mu), level=level)))
    rolling = list(stop(car("abs", name, flat(mu), level=level)))
    best = KMH_100**2 / (2.0 * mu * GRAVITY_MPS2)
    assert locked[-1].x_m > 1.4 * best
    assert rolling[-1].x_m < 1.04 * best
    assert min(min(m.slip_ratio) for m in rolling if m.vx_mps > 3.0) > -0.25


@pytest.mark.parametrize("mu", [0.9, 0.2])
def test_abs_finds_the_peak_of_a_tyre_file(mu: float) -> None:
    lengths = [
        list(stop(car(assist, ground=flat(mu), tyre="road_235_55r19")))[-1].x_m
        for assist in ("abs", None)
    ]
    assert lengths[0] < 0.8 * lengths[1]


def test_with_abs_a_car_can_be_steered_while_it_brakes() -> None:
    straight, steered = (list(stop(car(assist), 0.03))[-1] for assist in (None, "abs"))
    assert abs(straight.y_m) < 0.1
    assert steered.y_m > 2.0


def test_on_split_friction_the_car_keeps_its_heading() -> None:
    alone, helped = (
        max(abs(m.yaw_rad) for m in stop(car(assist, ground=SPLIT)))
        for assist in ("abs", "passenger_car")
    )
    assert alone > 1.0
    assert helped < 0.3


def steered_stop(assist: str, name: str, gain: float) -> list[VehicleMotion]:
    """A full stop on split friction by a driver who steers to keep to his straight line."""
    vehicle = car(assist, name, SPLIT)
    motion = vehicle.motion()
    seen = [motion]
    while motion.vx_mps > 0.05:
        off = 0.1 * motion.y_m + motion.yaw_rad + 0.2 * motion.yaw_rate_radps
        steer = min(max(-gain * off, -0.2), 0.2)
        vehicle.step_pedals(PedalInput(steer, 0.0, 1.0), 0.01)
        motion = vehicle.motion()
        seen.append(motion)
    return seen


@pytest.mark.parametrize("gain", [1.0, 2.0])
@pytest.mark.parametrize("name", ["ioniq5_awd", "sport_rwd"])
def test_on_split_friction_esc_knows_counter_steering(name: str, gain: float) -> None:
    alone, helped = (steered_stop(assist, name, gain) for assist in ("abs", "passenger_car"))
    assert helped[-1].x_m < 105.0
    assert alone[-1].x_m < 97.1

    def yaw_rate_rms(stop: list[VehicleMotion]) -> float:
        return math.sqrt(sum(m.yaw_rate_radps**2 for m in stop) / len(stop))

    assert yaw_rate_rms(helped) < yaw_rate_rms(alone)
    aside_alone, aside_helped = (max(abs(m.y_m) for m in stop) for stop in (alone, helped))
    assert aside_helped < aside_alone + 0.01


def test_on_split_friction_the_yaw_moment_builds_up_slowly() -> None:
    """After 0.2 s, before a driver answers: the high side is still held to the low one."""
    alone, helped = (
        list(stop(car(assist, ground=SPLIT)))[19] for assist in ("abs", "passenger_car")
    )
    assert abs(helped.yaw_rate_radps) < 0.3 * abs(alone.yaw_rate_radps)


def test_in_a_turn_on_even_friction_nothing_is_taken_for_split_friction() -> None:
    """Understeer is corrected, and the brakes build up at once, as without that knowledge."""
    slow = replace(load_assist("passenger_car"), yaw_build_up_s=0.0)
    ends = []
    for assist in (slow, load_assist("passenger_car")):
        vehicle = Vehicle("ioniq5_awd_r13h", ground=flat(0.5), assist=assist)
        vehicle.reset(InitialState(vx_mps=KMH_100))
        ends.append(list(stop(vehicle, 0.02))[-1].x_m)
    assert ends[1] < 1.02 * ends[0]


def test_traction_control_pulls_away_where_wheels_would_spin() -> None:
    for ground in (flat(0.2), Ground(split=SplitMu(0.1, 0.8, 0.0))):
        spun, pulled = (
            car(assist, "compact_fwd", ground, speed_mps=0.0) for assist in (None, "passenger_car")
        )
        for vehicle in (spun, pulled):
            vehicle.step_pedals(PedalInput(throttle=1.0), 4.0)
        assert max(spun.motion().slip_ratio) > 5.0
        assert max(pulled.motion().slip_ratio) < 0.3
        assert pulled.motion().vx_mps > 1.5 * spun.motion().vx_mps


def test_traction_control_limits_torques_of_single_wheels_too() -> None:
    torques = WheelTorques((0.0, 0.0, 2500.0, 2500.0))
    spun, held = (
        car(assist, ground=flat(0.3), speed_mps=2.0) for assist in (None, "passenger_car")
    )
    for vehicle in (spun, held):
        vehicle.step_force(0.0, 0.0, 1.0, torques)
    assert max(spun.motion().slip_ratio) > 1.0
    assert max(held.motion().slip_ratio) < 0.3
    assert held.motion().vx_mps > spun.motion().vx_mps


def sine_with_dwell(vehicle: Vehicle, amplitude: float) -> float:
    """Largest sideslip angle over 0.7 Hz of sine with a dwell of 0.5 s, and 1 s after it."""
    period, largest = 1.0 / 0.7, 0.0
    for k in range(300):
        t = 0.01 * k
        dwell = 0.75 * period
        t -= min(max(t - dwell, 0.0), 0.5)
        steer = amplitude * math.sin(2.0 * math.pi * t / period) if t < period else 0.0
        vehicle.step_force(steer, 0.0, 0.01)
        largest = max(largest, abs(vehicle.motion().beta_rad))
    return largest


@pytest.mark.parametrize("name", ["ioniq5_awd", "compact_fwd"])
def test_esc_holds_a_car_that_would_spin(name: str) -> None:
    alone, helped = (
        sine_with_dwell(car(assist, name, level="l3", speed_mps=22.2), 0.1)
        for assist in ("abs", "passenger_car")
    )
    assert alone > 0.3
    assert helped < 0.12


def test_a_mild_drive_is_left_alone() -> None:
    plain, helped = VDSimPlant(), VDSimPlant(assist="passenger_car")
    for plant in (plain, helped):
        plant.reset([0, 0, 0, 15.0, 0, 0])
    for _ in range(60):
        assert plain.step([0.02, -1500.0]) == helped.step([0.02, -1500.0])


def test_a_snapshot_continues_and_knows_its_assistance() -> None:
    session, other = (
        SimSession(car("passenger_car", level="l3"), initial=InitialState(vx_mps=25.0))
        for _ in range(2)
    )
    session.set_input(PedalInput(0.1, 0.0, 0.9))
    for _ in range(60):
        session.tick(0.005)
    other.restore(session.snapshot())
    for each in (session, other):
        for _ in range(60):
            each.tick(0.005)
    assert session.state_hash() == other.state_hash()
    plain = SimSession(Vehicle("ioniq5_awd_r13h", level="l3"))
    assert plain.fingerprint() != session.fingerprint()
    with pytest.raises(ParameterError, match="other parameters, level or road"):
        car("abs").restore(car("passenger_car").snapshot())


def test_no_input_makes_it_a_number_that_is_none() -> None:
    vehicle = car("passenger_car", "scale_car", flat(0.4), level="l3", speed_mps=3.0)
    for k in range(200):
        vehicle.step_pedals(
            PedalInput(0.3 * (-1) ** k, (k % 3) / 2, (k % 5) / 4, (-1, 0, 1)[k % 3]), 0.02
        )
        assert math.isfinite(vehicle.motion().x_m)


def test_presets_load_and_wrong_ones_are_named(tmp_path: Path) -> None:
    assert assist_names() == ("abs", "passenger_car")
    assert load_assist("abs") == AssistParameters(abs="on")
    with pytest.raises(ParameterError, match="abs, traction or stability must be on"):
        AssistParameters()
    (tmp_path / "mine.yaml").write_text("abs: maybe\n")
    with pytest.raises(ParameterError, match="abs='maybe': must be one of off, on"):
        load_assist(tmp_path / "mine.yaml")
    with pytest.raises(ParameterError, match="assist: needs level l1, l2 or l3"):
        Vehicle(level="kinematic", assist=load_assist("abs"))
    assert load_assist("none") is None
    assert VDSimPlant(assist="none").vehicle.assist is None
    names = r"must be a \.yaml file or one of none, abs, passenger_car$"
    with pytest.raises(ParameterError, match=f"assist='none_such': {names}"):
        VDSimPlant(assist="none_such")

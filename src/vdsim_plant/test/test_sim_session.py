"""SimSession on the real car: order of a tick, hold, determinism, exact snapshots, energy."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np
import pytest
from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.energy import EnergyStore
from vdsim_plant.ground import flat
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.sensor import SensorLayer
from vdsim_plant.session import AT_REST, SimSession
from vdsim_plant.vehicle import Vehicle

TICK_S = 0.005
GAS = PedalInput(0.02, 0.6, 0.0, 1, False)
BRAKE = PedalInput(-0.05, 0.0, 0.8, 1, False)
FAST = InitialState(vx_mps=15.0)


def plain_session(**options: object) -> SimSession:
    return SimSession(Vehicle("ioniq5_awd"), initial=FAST, **options)  # type: ignore[arg-type]


def layered_session(seed: int = 1) -> SimSession:
    return SimSession(
        Vehicle("ioniq5_awd", None, flat(0.8)),
        initial=FAST,
        actuators=ActuatorLayer(load_actuator("passenger_car")),
        sensors=SensorLayer(load_sensor("automotive"), seed=seed),
    )


def drive(session: SimSession, ticks: int) -> None:
    for tick in range(ticks):
        session.set_input(GAS if (tick // 40) % 2 == 0 else BRAKE)
        session.tick(TICK_S)


def test_an_input_is_held_until_the_next() -> None:
    # [VS-1.2.2]
    session = plain_session()
    session.set_input(GAS)
    for _ in range(5):
        session.tick(TICK_S)
        assert session.output().commanded == session.output().realized == GAS
    session.set_input(BRAKE)
    assert session.output().commanded == GAS, "a latch takes effect at the next tick"
    session.tick(TICK_S)
    assert session.output().commanded == BRAKE


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PedalInput(math.nan, 0.0, 0.0), "steer_rad=nan: must be finite"),
        (PedalInput(0.0, math.inf, 0.0), "throttle=inf: must be finite"),
        (PedalInput(0.0, math.inf, -math.inf), "throttle=inf: must be finite"),
        (PedalInput(0.0, 0.0, -math.inf), "brake=-inf: must be finite"),
        (PedalInput(gear=7), "gear=7: must be -1, 0 or 1"),
        (PedalInput(gear=1.0), "gear=1.0: must be -1, 0 or 1"),  # type: ignore[arg-type]
        (PedalInput(gear=None), "gear=None: must be -1, 0 or 1"),  # type: ignore[arg-type]
        (PedalInput(steer_rad="left"), "pedals=PedalInput(steer_rad='left'"),  # type: ignore[arg-type]
        (PedalInput(steer_rad=np.zeros(2)), "pedals=PedalInput(steer_rad=array"),  # type: ignore[arg-type]
        (PedalInput(torques=[1.0, 2.0, 3.0, 4.0]), "torques=[1.0, 2.0, 3.0, 4.0]: must be a Wheel"),  # type: ignore[arg-type]
        (None, "pedals=None: must be a PedalInput of numbers"),
    ],
)
@pytest.mark.parametrize("make", [plain_session, layered_session])
def test_a_wrong_input_is_refused_where_it_comes_from_and_the_ticks_go_on(
    make: Callable[[], SimSession], wrong: PedalInput, message: str
) -> None:
    session = make()
    session.set_input(GAS)
    with pytest.raises(ParameterError) as refused:
        session.set_input(wrong)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    session.tick(TICK_S)
    assert session.output().commanded == GAS


def test_huge_but_finite_pedals_are_cut_not_refused() -> None:
    session = plain_session()
    session.set_input(PedalInput(1e308, 1e308, 1e308))
    session.tick(TICK_S)
    assert session.state().throttle_applied == session.state().brake_applied == 1.0


def test_output_state_and_measurement_are_of_one_tick() -> None:
    # [VS-1.2.4]
    session = layered_session()
    drive(session, 10)
    output = session.output()
    assert (output.tick, output.time_s) == (10, pytest.approx(0.05))
    assert session.state() is output.motion
    assert session.measured_state() is output.measured


def test_without_layers_the_truth_is_measured_and_the_command_realized() -> None:
    session = plain_session()
    drive(session, 50)
    motion, measured = session.state(), session.measured_state()
    assert (measured.ax_mps2, measured.ay_mps2) == (motion.ax_mps2, motion.ay_mps2)
    assert (measured.gnss_x_m, measured.gnss_y_m) == (motion.x_m, motion.y_m)
    assert measured.yaw_rate_radps == motion.yaw_rate_radps
    assert measured.steer_rad == motion.steer_applied_rad == session.output().commanded.steer_rad


def test_the_actuators_come_before_the_car_and_the_sensors_after() -> None:
    # [VS-1.2.1]
    session = layered_session()
    session.set_input(BRAKE)
    session.tick(TICK_S)
    output = session.output()
    assert output.commanded == BRAKE
    assert output.realized.brake == 0.0, "dead time"
    assert output.motion.brake_applied == output.realized.brake
    assert output.measured.ax_mps2 != output.motion.ax_mps2


@pytest.mark.parametrize("make", [plain_session, layered_session])
def test_equal_inputs_give_equal_hashes(make: type[SimSession]) -> None:
    # [VS-1.3.1]
    first, second = make(), make()
    drive(first, 200)
    drive(second, 200)
    assert first.state_hash() == second.state_hash()
    assert first.output() == second.output()
    second.tick(TICK_S)
    assert first.state_hash() != second.state_hash()


def test_a_reset_forgets_everything_but_the_input() -> None:
    session = layered_session()
    fresh = layered_session()
    fresh.set_input(GAS)
    fresh.reset()
    drive(session, 100)
    session.set_input(GAS)
    session.reset()
    assert session.state_hash() == fresh.state_hash()
    session.reset(InitialState(x_m=3.0))
    assert session.state().x_m == 3.0
    session.reset()
    assert session.state().vx_mps == FAST.vx_mps


@pytest.mark.parametrize("make", [plain_session, layered_session])
def test_a_snapshot_continues_to_the_bit(make: type[SimSession]) -> None:
    session = make()
    drive(session, 73)
    snapshot = session.snapshot()
    output = session.output()
    drive(session, 200)
    end = session.state_hash()
    other = make()
    other.restore(snapshot)
    assert other.output() == output
    drive(other, 200)
    assert other.state_hash() == end


@pytest.mark.parametrize("cut", [0, 8, 60, 150, -1])
def test_a_cut_snapshot_is_refused_and_changes_nothing(cut: int) -> None:
    session = layered_session()
    drive(session, 20)
    before = session.state_hash()
    with pytest.raises(ParameterError, match="snapshot"):
        session.restore(session.snapshot()[:cut])
    assert session.state_hash() == before


def test_a_snapshot_of_other_layers_is_refused() -> None:
    with pytest.raises(ParameterError, match="not of such a session"):
        layered_session().restore(plain_session().snapshot())


def test_the_fingerprint_tells_setups_apart() -> None:
    assert plain_session().fingerprint() == plain_session().fingerprint()
    others = {
        plain_session().fingerprint(),
        layered_session().fingerprint(),
        layered_session(seed=2).fingerprint(),
        plain_session(charge=0.5).fingerprint(),
        SimSession(Vehicle("compact_fwd"), initial=FAST).fingerprint(),
        SimSession(Vehicle("ioniq5_awd", None, flat(0.5)), initial=FAST).fingerprint(),
    }
    assert len(others) == 6


def test_an_empty_battery_gives_no_drive() -> None:
    session = SimSession(Vehicle("ioniq5_awd"), charge=0.0)
    session.set_input(PedalInput(0.1, 1.0, 0.0, 1, False))
    for _ in range(100):
        session.tick(TICK_S)
    output = session.output()
    assert output.realized == PedalInput(0.1, 0.0, 0.0, 1, False)
    assert abs(output.motion.vx_mps) < 1e-3


def test_driving_uses_charge_until_it_is_gone() -> None:
    session = SimSession(Vehicle("ioniq5_awd"), charge=2e-4)
    session.set_input(PedalInput(0.0, 1.0, 0.0, 1, False))
    charges = []
    for _ in range(2000):
        session.tick(TICK_S)
        charges.append(session.output().charge)
    assert charges == sorted(charges, reverse=True)
    assert charges[-1] == 0.0
    gone = charges.index(0.0)
    assert 20 < gone < 1900
    assert session.output().realized.throttle == 0.0
    assert session.state().vx_mps > 1.0, "it rolls on"


def test_energy_adds_up() -> None:
    parameters = load_vehicle("ioniq5_awd").energy
    store = EnergyStore(parameters, 0.5)
    joules = parameters.capacity_kwh * 3.6e6
    store.advance(10_000.0, 100.0)
    drawn = (10_000.0 / parameters.drive_efficiency + parameters.auxiliary_power_w) * 100.0
    assert store.level == pytest.approx(0.5 - drawn / joules)
    before = store.level
    store.advance(-20_000.0, 100.0)
    given = 20_000.0 * parameters.regeneration_efficiency - parameters.auxiliary_power_w
    assert store.level == pytest.approx(before + given * 100.0 / joules)
    full = EnergyStore(parameters, 1.0)
    full.advance(-1e6, 1000.0)
    assert full.level == 1.0
    empty = EnergyStore(parameters, 0.0)
    empty.advance(1e6, 1000.0)
    assert (empty.level, empty.empty) == (0.0, True)


def test_other_threads_may_read_and_latch_while_it_ticks() -> None:
    # [VS-1.2.3]
    session = plain_session()
    stop = threading.Event()
    torn: list[object] = []

    def read() -> None:
        while not stop.is_set():
            output = session.output()
            if output.motion.throttle_applied != output.realized.throttle:
                torn.append(output)

    def write() -> None:
        while not stop.is_set():
            session.set_input(GAS)
            session.set_input(BRAKE)

    threads = [threading.Thread(target=read), threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    seen = set()
    for _ in range(3000):
        session.tick(TICK_S)
        seen.add(session.output().commanded)
    stop.set()
    for thread in threads:
        thread.join()
    assert torn == []
    assert seen <= {GAS, BRAKE, AT_REST}

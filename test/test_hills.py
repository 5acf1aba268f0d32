"""The interface on hills, on the real plant: it starts, keeps its speed, stops and stands."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.values import HighLevelCommand, VehicleCommand
from vdsim_kit.hill_cell import Cell, drive_cell, judged, needs
from vdsim_kit.hill_limits import hill_limits
from vdsim_kit.plant_loop import NEWEST, TICK_S, PlantLoop
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters.files import VEHICLE_FOLDER

GO = HighLevelCommand(0.0, 4.0, 0.0)
STOP = HighLevelCommand(0.0, 0.0, 0.0)

CELLS = [
    *(Cell("ioniq5_awd", grade, 4.0, 0.9) for grade in (-0.3, -0.2, 0.0, 0.1, 0.2, 0.3)),
    *(Cell("ioniq5_awd", grade, 0.05, 0.9) for grade in (-0.3, 0.3)),
    *(Cell("ioniq5_awd", grade, 1.0, 0.9, "passenger_car") for grade in (-0.2, 0.3)),
    *(Cell("ioniq5_awd", grade, 10.0, 0.3) for grade in (-0.15, 0.15)),
    Cell("compact_fwd", 0.3, 4.0, 0.9),
    Cell("sport_rwd", -0.3, 1.0, 0.9),
    Cell("scale_car", -0.1, 0.05, 0.9),
    *(Cell(car, 0.1, 5.0, 1.0, "passenger_car") for car in ("ioniq5_awd", "scale_car")),
    *(Cell("compact_fwd", -0.2, 1.0, 0.3, actuator) for actuator in ("ideal", "passenger_car")),
    Cell("sport_rwd", -0.2, 1.0, 0.3),
    Cell("scale_car", -0.3, 1.0, 0.6),
]
"""A sample of the table that `./ws bench interface/hills` drives as a whole."""
WITHOUT_PEDALS = 3
"""A wire that reports no pedals; the newest does."""
SLIPPERY = [
    Cell("compact_fwd", 0.1, 1.0, 0.3, "passenger_car"),
    Cell("compact_fwd", 0.12, 2.0, 0.3),
    Cell("compact_fwd", 0.12, 4.0, 0.4, "passenger_car"),
    Cell("ioniq5_awd", 0.2, 1.0, 0.3, "passenger_car"),
    Cell("sport_rwd", 0.08, 1.5, 0.3, "passenger_car"),
    Cell("sport_rwd", 0.1, 1.0, 0.3, "passenger_car"),
    Cell("sport_rwd", 0.25, 3.0, 0.6, "passenger_car"),
]
"""Starts near the limit of the tyres: their wheels begin to spin."""


def name_of(cell: Cell) -> str:
    words = (cell.car, f"{cell.grade:+g}", f"{cell.speed_mps:g}", f"{cell.mu:g}", cell.actuator)
    return " ".join((*words, f"v{cell.version}"))


@pytest.mark.parametrize(
    "cell",
    [
        *CELLS,
        *SLIPPERY,
        *(cell._replace(version=WITHOUT_PEDALS) for cell in (*CELLS[::4], *SLIPPERY)),
    ],
    ids=name_of,
)
def test_a_cell_meets_its_goals(cell: Cell) -> None:
    assert not needs(cell)
    result = drive_cell(cell)
    assert judged(cell, result) == (), result


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("grade", [-0.2, 0.0, 0.2])
def test_a_car_starts_and_stops_whatever_its_wire_reports(grade: float, version: int) -> None:
    """Version 5 reports the applied pedals, the others do not."""
    loop = PlantLoop(grade=grade, version=version)
    start_m = loop.run(0.5, STOP).x_m
    loop.run(6.0, GO)
    assert loop.speed == pytest.approx(4.0, abs=0.05)
    assert min(sample.x_m for sample in loop.samples) > start_m - 0.05
    loop.run(6.0, STOP)
    assert abs(loop.speed) < 1e-6


@pytest.mark.parametrize("grade", [0.2, -0.2])
def test_a_car_that_rolls_is_braked_and_stays(grade: float) -> None:
    """Target 0 from motion in either direction on a steep hill: no throttle, and it stands."""
    loop = PlantLoop(grade=grade)
    loop.run(1.0, STOP)
    loop.run(4.0, GO)
    sent = len(loop.commands)
    loop.run(8.0, STOP)
    assert abs(loop.speed) < 1e-6
    assert loop.command.throttle == 0.0
    throttles = [command.throttle for command in loop.commands[sent:]]
    assert all(b <= a + 1e-9 for a, b in pairwise(throttles))


@pytest.mark.parametrize("speed", [-1.1, -0.4])
def test_a_car_that_rolls_back_is_stopped_by_the_brake_and_then_starts(speed: float) -> None:
    loop = PlantLoop(grade=0.2, speed_mps=speed)
    loop.run(0.1, STOP)
    rolled = len(loop.commands)
    loop.run(8.0, GO)
    assert loop.speed == pytest.approx(4.0, abs=0.05)
    assert max(command.brake for command in loop.commands[rolled : rolled + 50]) > 0.1


def test_a_start_that_is_refused_says_why_once_and_keeps_its_brake() -> None:
    loop = PlantLoop(car="compact_fwd", grade=0.3, mu=0.4)
    loop.run(1.0, STOP)
    stood_m = loop.car.x_m
    loop.run(10.0, GO)
    texts = [notice.text for notice in loop.notices if notice.kind == "start_refused"]
    assert len(texts) == 1
    assert "its tyres do not hold it on this slope" in texts[0]
    assert abs(loop.car.x_m - stood_m) < 0.02
    assert loop.command.throttle == 0.0


@pytest.mark.parametrize("actuator", ["ideal", "passenger_car"])
@pytest.mark.parametrize("version", [WITHOUT_PEDALS, NEWEST])
@pytest.mark.parametrize(
    ("car", "grade", "mu"), [("ioniq5_awd", 0.25, 0.3), ("sport_rwd", 0.3, 0.35)]
)
def test_a_start_that_tyres_cannot_hold_is_tried_and_refused(
    car: str, grade: float, mu: float, version: int, actuator: str
) -> None:
    """The brakes of a car that stands hold it: once it slid on locked wheels, none would."""
    limits = hill_limits(car, grade, mu, 0.0)
    assert limits.drive * 0.8 < limits.weight < limits.brake
    loop = PlantLoop(car=car, grade=grade, mu=mu, version=version, actuator=actuator)
    loop.run(1.0, STOP)
    stood_m = loop.car.x_m
    loop.run(12.0, GO)
    assert [n.kind for n in loop.notices].count("start_refused") == 1
    assert abs(loop.speed) < 1e-3
    assert loop.car.x_m - stood_m > -0.05


def test_a_paused_plant_winds_nothing_up() -> None:
    """Half a minute of pause, and the drive goes on as after three seconds."""
    peaks = []
    for pause_s in (3.0, 30.0):
        loop = PlantLoop(grade=0.1)
        loop.run(1.0, STOP)
        loop.run(3.0, GO)
        loop.pause(pause_s, GO)
        began = len(loop.samples)
        loop.run(6.0, GO)
        peaks.append(max(sample.vx_mps for sample in loop.samples[began:]))
    assert peaks[1] == pytest.approx(peaks[0], abs=0.005)
    assert peaks[1] < 4.3


def test_vehicle_commands_are_flat_road_unless_they_say_otherwise() -> None:
    """The sender compensates the slope, as stacks with a slope model do: twice would be wrong."""
    plain = PlantLoop(level="vehicle", grade=0.1, speed_mps=8.0)
    plain.run(2.0, VehicleCommand(0.0, 0.976, 0.0, 0.0))
    assert plain.speed == pytest.approx(8.0, abs=0.3)
    kinematic = AccelerationParameters(vehicle_commands="kinematic")
    own = PlantLoop(level="vehicle", grade=0.1, speed_mps=8.0, acceleration=kinematic)
    own.run(1.0, VehicleCommand(0.0, 0.5, 0.0, 0.0))
    before = own.speed
    own.run(2.0, VehicleCommand(0.0, 0.5, 0.0, 0.0))
    assert own.speed - before == pytest.approx(1.0, abs=0.05)


# ---- a stop of our own ---------------------------------------------------------------------------


def silent_stop(loop: PlantLoop, speed: float) -> tuple[float, float]:
    """Fall silent at a speed; return the way until the car stands [m] and the least slip."""
    loop.run(2.0, HighLevelCommand(0.0, speed, 0.0))
    return stop_in_silence(loop, speed)


def stop_in_silence(loop: PlantLoop, speed: float) -> tuple[float, float]:
    """Send nothing until the car stands, and for two seconds more."""
    began = len(loop.samples)
    for _ in range(round(5.0 + speed / 0.5)):
        loop.run(1.0)
        if all(abs(sample.vx_mps) < 1e-6 for sample in loop.samples[-round(2.0 / TICK_S) :]):
            break
    samples = loop.samples[began:]
    way = sum(abs(sample.vx_mps) for sample in samples) * TICK_S
    slips = [min(sample.slips) for sample in samples if sample.vx_mps > 1.2]
    return way, min(slips, default=0.0)


@pytest.mark.parametrize(
    ("grade", "mu"), [(0.0, 0.9), (-0.3, 0.9), (0.3, 0.9), (-0.1, 0.3), (0.0, 0.2), (0.0, 0.1)]
)
def test_a_stop_holds_its_deceleration_on_hills_and_on_ice(grade: float, mu: float) -> None:
    loop = PlantLoop(grade=grade, mu=mu, speed_mps=12.0)
    way, slip = silent_stop(loop, 12.0)
    limits = hill_limits("ioniq5_awd", grade, mu, 6.0)
    down = limits.weight if grade < 0.0 else 0.0
    possible = min(2.5, limits.brake - down)
    # The command is stale after 0.5 s; then the deceleration rises at 2.5 m/s3.
    assert way < 12.0 * (0.5 + 0.5) + 1.1 * 12.0**2 / (2.0 * possible)
    assert slip > -0.15
    assert abs(loop.speed) < 1e-6


def test_a_stop_with_weak_brakes_brakes_harder_until_the_car_slows(tmp_path: Path) -> None:
    """The brakes of another simulator: a fifth of what the pedal map says."""
    text = (VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text(encoding="utf-8")
    weak = tmp_path / "weak.yaml"
    weak.write_text(text.replace("max_torque_nm: 10000", "max_torque_nm: 2000"), encoding="utf-8")
    loop = PlantLoop(car=str(weak), pedal_map="ioniq5_awd", speed_mps=15.0)
    way, _ = silent_stop(loop, 15.0)
    assert way < 100.0, "0.6 m/s2, which the map's pedal gives, would need 190 m"
    assert max(command.brake for command in loop.commands) > 0.8


@pytest.mark.parametrize(
    ("mu", "mu_left", "curvature"), [(0.7, 0.15, 0.0), (0.3, None, 0.01), (0.2, None, 0.005)]
)
def test_a_stop_is_no_worse_than_the_best_constant_pedal(
    mu: float, mu_left: float | None, curvature: float
) -> None:
    """On split friction and in a bend: neither longer nor further off course."""
    loop = PlantLoop(mu=mu, mu_left=mu_left, speed_mps=12.0)
    loop.run(2.0, HighLevelCommand(0.0, 12.0, curvature))
    start = loop.vehicle.session.snapshot()
    before, steer = loop.car, loop.command.steering_tire_angle_rad
    bend = before.yaw_rate_radps / before.vx_mps
    way, slip = stop_in_silence(loop, 12.0)
    assert slip > -0.15
    turned = abs(loop.car.yaw_rad - before.yaw_rad - way * bend)
    best_way = float("inf")
    best_turned = float("inf")
    for step in range(1, 26):
        pedal_way, pedal_turned, pedal_slip = constant_pedal(loop, start, steer, 0.01 * step)
        if pedal_slip > -0.15 and pedal_way < best_way:
            best_way, best_turned = pedal_way, abs(pedal_turned - pedal_way * bend)
    # Ours begins after the time-out of the command, and rises within a second.
    assert way - 12.0 * (0.5 + 0.5) < 1.05 * best_way
    assert turned < best_turned + 0.05


def constant_pedal(
    loop: PlantLoop, start: bytes, steer: float, brake: float
) -> tuple[float, float, float]:
    """Return way [m], yaw [rad] and least slip of a stop with one pedal from the same start."""
    session = loop.vehicle.session
    session.restore(start)
    session.set_input(PedalInput(steer_rad=steer, brake=brake))
    yaw = session.frame().capture[0].item(at.YAW)
    way, slip = 0.0, 0.0
    for _ in range(round(60.0 / TICK_S)):
        session.tick(TICK_S)
        car = session.frame().capture[0]
        speed = car.item(at.VX)
        way += abs(speed) * TICK_S
        if speed > 1.2:
            slip = min(slip, *car[at.SLIP_X : at.SLIP_X + 4].tolist())
        if abs(speed) < 1e-3:
            break
    else:
        return float("inf"), 0.0, slip
    return way, session.frame().capture[0].item(at.YAW) - yaw, slip

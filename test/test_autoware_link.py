"""link:=udp of the planning simulator is the car of link:=process, within 1 cm on every drive.

Both run on virtual time with the same commands: link:=process is its core, link:=udp the adapter,
the interface and the plant with the parameters that the launch file gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from vdsim_autoware.adapter import Control
from vdsim_autoware.adapter.vehicle_info import vehicle_info
from vdsim_autoware.car import Start
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.simulator import PlanningSimulator
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.ros.launching.parameter_files import load
from vdsim_kit.autoware_pair import AutowarePair, Pose
from vdsim_kit.started import Started

PACKAGE = Path(__file__).resolve().parents[1] / "src/vdsim_autoware"
LAUNCH = PACKAGE / "launch/autoware_simulator.launch.py"
DRIVE, REVERSE = 2, 20
EVERY_N = 3
"""Autoware commands at 33 Hz."""
Command = tuple[float, float, float]
"""Speed [m/s], acceleration [m/s2], wheel angle [rad]."""


def lane_change(t: float) -> Command:
    """Accelerate, steer to both sides, brake to a stop."""
    accel = 2.0 if t < 4.0 else 0.0 if t < 7.0 else -2.5 if t < 10.0 else -0.3
    angle = 0.06 if 3.0 < t < 4.0 else -0.06 if 4.0 < t < 5.0 else 0.0
    return (8.0 if t < 7.0 else 0.0), accel, angle


def one_metre(t: float) -> Command:
    """Autoware's own: ahead for 1.5 s."""
    return 2.0, 4.0, 0.2


DRIVES: dict[str, tuple[int, float, Callable[[float], Command]]] = {
    "lane change and stop": (DRIVE, 12.0, lane_change),
    "forward left": (DRIVE, 1.5, one_metre),
    "backward left": (REVERSE, 1.5, lambda t: (-2.0, 4.0, 0.2)),
}


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))


def control(now: float, wanted: Command) -> Control:
    speed_mps, accel_mps2, angle_rad = wanted
    return Control(now, angle_rad, speed_mps, accel_mps2, True)


def in_one_process(drive: str) -> Iterator[Pose]:
    gear, seconds, wanted = DRIVES[drive]
    shipped = PACKAGE / "config"
    values = load(str(shipped / "simulator_model.param.yaml")).values_for("/simulation/x")
    known = to_flat(SimulatorParameters())
    parameters = from_flat(SimulatorParameters, {**known, **values})
    info = vehicle_info(load(str(shipped / "vehicle_info.param.yaml")).values_for("/simulation/x"))
    car = PlanningSimulator(parameters, info)
    car.put(Start(-car.car.to_axle_m, 0.0, 0.0, 0.0))
    car.on_gear(gear)
    for period in range(round(100 * seconds)):
        if period % EVERY_N == 0:
            car.on_control(control(car.now, wanted(period / 100)))
        car.step()
        motion = car.motion()
        yield Pose(motion.x_m, motion.y_m, motion.yaw_rad)


def by_udp(drive: str, **options: int) -> Iterator[Pose]:
    gear, seconds, wanted = DRIVES[drive]
    pair = AutowarePair(Started(LAUNCH, link="udp"), **options).engaged()
    pair.on_gear(gear)
    for period in range(round(100 * seconds)):
        if period % EVERY_N == 0:
            pair.on_control(control(pair.now, wanted(period / 100)))
        pair.period()
        yield pair.pose


def apart_m(drive: str, **options: int) -> float:
    """The largest distance of the two, each at the same time."""
    pairs = zip(in_one_process(drive), by_udp(drive, **options), strict=True)
    return max(one.away_m(other) for one, other in pairs)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("late_n", [0, 1])
def test_both_links_move_the_same_car(drive: str, late_n: int) -> None:
    """Also where each packet just misses a tick of the car."""
    away_m = apart_m(drive, late_n=late_n)
    assert away_m < 0.01, away_m

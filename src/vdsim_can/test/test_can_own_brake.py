"""A car that brakes by itself teaches the interface no slope: it starts again on level ground."""

from pathlib import Path

import pytest
import vdsim_can_kit
from vdsim_can.car.reading import load_car
from vdsim_can.data import car_path
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can_kit.world import World
from vdsim_interface.values import Mode

KIT = Path(vdsim_can_kit.__file__).parent
CARS = {
    # One reports its pedals, one no motion beyond its speed, one what an accelerometer feels.
    "vdsim_dbw": (car_path("vdsim_dbw"), "DBW_STATUS"),
    "paged_car": (KIT / "paged_car.yaml", "VCU_Status"),
    "van": (KIT / "van.yaml", "VMC_State"),
}


@pytest.mark.parametrize("name", CARS)
def test_what_its_ecus_brake_after_a_restart_is_not_a_slope(name: str) -> None:
    path, message = CARS[name]
    world = World(Order(Kind.RESET, message, 6.0), car=load_car(path), rig="driverless")
    world.speed_mps = 16.0
    world.run(7.0)
    assert world.mode is Mode.DISENGAGED
    world.run(1.0)  # a stop is under way that brakes less than the car does by itself
    report = world.pipeline.vehicle_side.report
    assert report is not None
    braked = world.driven.session.output().motion.ax_mps2
    assert braked < -3.4
    assert report.applied.effort_mps2 == pytest.approx(braked, abs=0.6)
    world.run(4.0)
    assert world.true_speed_mps == pytest.approx(0.0, abs=0.02)
    observer = world.pipeline.vehicle_side._loop._observer
    assert observer.disturbance_mps2 == pytest.approx(0.0, abs=0.3)
    world.speed_mps = 3.0
    assert world.engage().success
    world.run(4.0)
    assert world.is_driving
    assert world.true_speed_mps == pytest.approx(3.0, abs=0.2)

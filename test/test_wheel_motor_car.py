"""examples/platforms/wheel_motor_car: it keeps the contract, and auxiliary torques turn the car."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.testing import CHECKS
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
)

PLATFORMS = Path(__file__).resolve().parents[1] / "examples" / "platforms"
SPEC = platform_spec("wheel_motor_car", PLATFORMS)
LEFT_TURN = (
    ("wheel_torque_fl_nm", -250.0),
    ("wheel_torque_fr_nm", 250.0),
    ("wheel_torque_rl_nm", -250.0),
    ("wheel_torque_rr_nm", 250.0),
)
PERIOD_S = 0.01


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_it_keeps_the_contract(check: Callable[[PlatformSpec], None]) -> None:
    check(SPEC)


class Car:
    """The platform on its own, in virtual time."""

    def __init__(self) -> None:
        setup = PlatformSetup(VehicleGeometry(), PERIOD_S)
        self.platform = SPEC.create(SPEC.parameters(), setup)
        self.now = 5.0
        self.report = self.platform.poll(self.now)[0]

    def drive(
        self, seconds: float, accel: float = 1.0, authority: Authority = Authority.COMMAND
    ) -> None:
        vehicle = VehicleCommand(0.0, accel, 0.0, 0.0)
        command = PlatformCommand(authority, Mode.AUTONOMOUS, vehicle, BodyCommand(Gear.DRIVE))
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            self.platform.encode(command, self.now)
            self.report = self.platform.poll(self.now)[0]

    def ask(self, values: tuple[tuple[str, float], ...]) -> None:
        assert self.platform.auxiliary(AuxiliaryCommand(self.now, values), self.now) == ()


def test_a_difference_of_torques_turns_the_car_while_it_is_fresh() -> None:
    """[VI-2.2]"""
    car = Car()
    car.drive(5.0)
    assert car.report.yaw_rate_radps == 0.0
    car.ask(LEFT_TURN)
    car.drive(0.4)
    turning = car.report.yaw_rate_radps
    assert turning > 0.01
    car.drive(1.5)
    assert car.report.yaw_rate_radps == pytest.approx(0.0, abs=1e-3), "half a second old at most"


def test_equal_torques_do_not_drive() -> None:
    car, plain = Car(), Car()
    for each in (car, plain):
        each.drive(2.0)
    for _ in range(20):
        car.ask(tuple((name, 1500.0) for name, _ in LEFT_TURN))
        car.drive(0.1, accel=-2.5)
        plain.drive(0.1, accel=-2.5)
    assert car.report == plain.report
    assert car.report.velocity_mps == pytest.approx(0.0, abs=1e-3), "it has stopped"


def test_torques_act_only_while_the_interface_commands() -> None:
    car = Car()
    car.drive(5.0)
    car.ask(LEFT_TURN)
    car.drive(0.4, accel=0.0, authority=Authority.IDLE)
    assert car.report.yaw_rate_radps == 0.0


def test_it_says_what_raw_pedals_give() -> None:
    """A stop that replaces a raw brake begins there."""
    car = Car()
    vehicle, body = VehicleCommand(0.0, 0.0, 0.0, 0.0), BodyCommand(Gear.DRIVE)
    raw = RawCommand(car.now, 0, 500, 0, 0)
    command = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, vehicle, body, raw)
    assert car.platform.encode(command, car.now).effort_mps2 == pytest.approx(-4.0)


def test_through_the_pipeline_the_stacks_torques_reach_the_wheels() -> None:
    setup = PlatformSetup(VehicleGeometry(), PERIOD_S)
    platform = SPEC.create(SPEC.parameters(), setup)
    parameters = InterfaceParameters(
        control_command="vehicle", safety=SafetyParameters(auto_engage=True)
    )
    pipeline = Pipeline(parameters, platform, SPEC.capabilities)
    rates = []
    for k in range(1200):
        now = 10.0 + k * PERIOD_S
        accel = 1.0 if k < 600 else 0.0
        pipeline.on_command(VehicleCommand(now, accel, 0.0, 0.0), now)
        if 800 <= k < 840:
            assert pipeline.vehicle_side.on_auxiliary(AuxiliaryCommand(now, LEFT_TURN), now) == ()
        vehicle = pipeline.tick(now).report
        rates.append(vehicle.yaw_rate_radps if vehicle is not None else 0.0)
    assert pipeline.mode is Mode.AUTONOMOUS
    assert rates[799] == 0.0
    assert rates[839] > 0.01
    assert rates[1199] == pytest.approx(0.0, abs=1e-3)

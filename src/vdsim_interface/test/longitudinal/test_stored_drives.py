"""Drives on slopes, on ice and with poor platforms: the loop answers as it did when it was tuned.

stored_drives.json holds, for each drive and each quarter of a second, the sums of what the loop put
out. A change of the loop that is meant is stored with

    ./ws python src/vdsim_interface/test/longitudinal/test_stored_drives.py
"""

import json
import math
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.platforms.spec import Capabilities
from vdsim_interface.values import (
    AccelMeaning,
    Applied,
    Authority,
    BodyCommand,
    BodyState,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Sensors,
    VehicleCommand,
    VehicleReport,
)

STORED = Path(__file__).with_name("stored_drives.json")
PERIOD_S = 0.01
WINDOW_N = 25
GRAVITY_MPS2 = 9.80665
LAG_S = 0.08
RADIUS_M = 0.3
WHEELS_LAG_S = 0.05
DRIVE, KINEMATIC, FLAT, STOP = (
    AccelMeaning.DRIVE,
    AccelMeaning.KINEMATIC,
    AccelMeaning.FLAT_ROAD,
    AccelMeaning.STOP,
)


class Leg(NamedTuple):
    """A part of a drive: what is asked for how long, and what the vehicle's link does."""

    seconds: float
    meaning: AccelMeaning
    accel_mps2: float
    fresh: bool = True
    pause: bool = False
    authority: Authority = Authority.COMMAND
    raw: bool = False


LEGS: dict[str, tuple[Leg, ...]] = {
    "start, drive, stop": (
        Leg(0.5, STOP, -1.0),
        Leg(2.5, DRIVE, 1.5),
        Leg(0.5, DRIVE, -0.5),
        Leg(3.0, STOP, -2.5),
        Leg(2.0, DRIVE, 0.1),
        Leg(2.0, STOP, -6.0),
    ),
    "by sign": (
        Leg(0.5, FLAT, 0.0),
        Leg(2.0, FLAT, 2.5),
        Leg(1.0, FLAT, -3.0),
        Leg(0.5, KINEMATIC, 0.04),
        Leg(2.0, KINEMATIC, 0.8),
        Leg(3.0, KINEMATIC, -2.0),
    ),
    "a link with gaps": (
        Leg(2.0, DRIVE, 1.5),
        Leg(0.3, DRIVE, 1.5, fresh=False),
        Leg(0.5, DRIVE, 1.5),
        Leg(0.4, STOP, -2.5, pause=True),
        Leg(0.3, STOP, -2.5),
        Leg(0.1, STOP, -2.5, raw=True),
        Leg(0.2, STOP, -2.5),
        Leg(0.1, STOP, -2.5, authority=Authority.SILENT),
        Leg(2.0, STOP, -2.5),
        Leg(1.5, DRIVE, 1.0),
    ),
}


class Road(NamedTuple):
    """Where, with which car: grade as an angle, friction, the share of its brakes, its gear."""

    slope_rad: float = 0.0
    friction: float = 1.0
    brakes: float = 1.0
    most_drive_mps2: float = 8.0
    gear: Gear = Gear.DRIVE


ROADS: dict[str, Road] = {
    "level": Road(),
    "up": Road(slope_rad=0.2),
    "down": Road(slope_rad=-0.2),
    "up, reverse": Road(slope_rad=-0.15, gear=Gear.REVERSE),
    "ice": Road(friction=0.12),
    "ice, up": Road(slope_rad=0.06, friction=0.12),
    "weak brakes, down": Road(slope_rad=-0.12, brakes=0.5),
    "weak drive, up": Road(slope_rad=0.25, most_drive_mps2=2.0),
}
PLATFORMS: dict[str, tuple[str, bool, bool]] = {
    "pitch, wheels": ("pitch", True, True),
    "specific force": ("specific_force", True, False),
    "no slope, one pedal": ("", False, False),
}
"""Where the slope comes from, whether pedals overlap, whether wheels and pedals are reported."""


class Car:
    """A point mass on four wheels that slip beyond what the road takes."""

    def __init__(self, road: Road, slope_from: str, *, reports_wheels: bool) -> None:
        self.road, self.slope_from, self.reports_wheels = road, slope_from, reports_wheels
        self.sense = -1 if road.gear is Gear.REVERSE else 1
        self.now = self.speed = self.accel = self.effort = self.hold = self.yaw_rate = 0.0
        self.wheels = [0.0] * 4

    def step(self, effort_mps2: float, hold_mps2: float) -> None:
        """Move for one period; effort along the gear."""
        road, dt = self.road, PERIOD_S
        share = dt / (LAG_S + dt)
        self.effort += share * (effort_mps2 - self.effort)
        self.hold += share * (hold_mps2 - self.hold)
        grip = road.friction * GRAVITY_MPS2
        drive = min(max(self.effort, 0.0), grip)
        brake = min(road.brakes * (max(-self.effort, 0.0) + self.hold), grip)
        push = self.sense * drive - GRAVITY_MPS2 * math.sin(road.slope_rad)
        if self.speed == 0.0 and abs(push) <= brake:
            self.accel = 0.0
        else:
            against = math.copysign(brake, self.speed if self.speed else push)
            after = self.speed + (push - against) * dt
            stops = self.speed * after < 0.0 and abs(push) <= brake
            self.accel = (after - self.speed) / dt
            self.speed = 0.0 if stops else after
        for wheel_n in range(4):
            surplus = self.effort * (1.1 if wheel_n < 2 else 0.9)
            goal = self.speed
            if surplus > grip:
                goal += self.sense * (surplus - grip)
            elif surplus < -grip:
                goal *= max(0.0, 1.0 + (surplus + grip) / grip)
            now = self.wheels[wheel_n]
            self.wheels[wheel_n] = now + dt / (WHEELS_LAG_S + dt) * (goal - now)
        self.yaw_rate = 0.02 * self.speed

    def report(self) -> VehicleReport:
        """What the vehicle says of itself."""
        slope = self.road.slope_rad
        nan = math.nan
        spins = (nan, nan, nan, nan)
        if self.reports_wheels:
            fl, fr, rl, rr = (spin / RADIUS_M for spin in self.wheels)
            spins = (fl, fr, rl, rr)
        return VehicleReport(
            stamp_s=self.now,
            vehicle_time_s=self.now,
            velocity_mps=self.speed,
            front_wheel_angle_rad=0.0,
            body=BodyState(gear=self.road.gear),
            applied=Applied(0.0, 0.0, effort_mps2=self.effort if self.reports_wheels else nan),
            pitch_rad=-slope if self.slope_from == "pitch" else 0.0,
            yaw_rate_radps=self.yaw_rate,
            sensors=Sensors(
                accel_x_mps2=self.accel + GRAVITY_MPS2 * math.sin(slope),
                wheel_spin_radps=spins,
                wheel_radius_m=RADIUS_M if self.reports_wheels else nan,
            ),
        )


def asked(leg: Leg, car: Car) -> PlatformCommand:
    """The safety side's command."""
    vehicle = VehicleCommand(car.now, car.sense * leg.accel_mps2, 0.0, 0.0)
    return PlatformCommand(
        leg.authority,
        Mode.AUTONOMOUS,
        vehicle,
        BodyCommand(gear=car.road.gear),
        RawCommand(car.now) if leg.raw else None,
        leg.meaning,
    )


def driven(legs: str, road: str, platform: str) -> list[list[float]]:
    """Sums of effort, hold, flags, phases, speed and texts, window by window."""
    slope_from, overlap, reports_wheels = PLATFORMS[platform]
    capabilities = Capabilities(slope_from=slope_from, pedals_overlap=overlap)
    loop = AccelerationLoop(AccelerationParameters(), capabilities, 2.0, 2.7, PERIOD_S)
    car = Car(ROADS[road], slope_from, reports_wheels=reports_wheels)
    windows: list[list[float]] = []
    period_n = 0
    report = car.report()
    for leg in LEGS[legs]:
        for _ in range(round(leg.seconds / PERIOD_S)):
            if period_n % WINDOW_N == 0:
                windows.append([0.0] * 6)
            period_n += 1
            if not leg.pause:
                car.now += PERIOD_S
            if leg.fresh:
                report = car.report()
            command = asked(leg, car)
            given = loop.step(command, command.vehicle, report, fresh=leg.fresh)
            effort = car.sense * given.vehicle.long_accel_mps2
            sent = min(effort, car.road.most_drive_mps2)
            loop.on_sent(sent)
            if not leg.pause:
                car.step(sent, given.hold_mps2)
            phase = ("moving", "standing", "starting").index(loop.phase.value)
            flags = 4 * given.past_map + 2 * given.no_drive + bool(loop.refusal)
            texts = sum(1 + len(notice.text) for notice in loop.take_notices())
            row = (effort, given.hold_mps2, flags, phase, car.speed, texts)
            for place, value in enumerate(row):
                windows[-1][place] += value
    return [[round(value, 6) for value in window] for window in windows]


DRIVES = tuple(product(LEGS, ROADS, PLATFORMS))


@pytest.fixture(scope="module")
def stored() -> dict[str, list[list[float]]]:
    """The drives as they were."""
    content: dict[str, list[list[float]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("drive", DRIVES, ids=" / ".join)
def test_a_drive_is_as_it_was(
    drive: tuple[str, str, str], stored: dict[str, list[list[float]]]
) -> None:
    windows = driven(*drive)
    before = stored[" / ".join(drive)]
    assert len(windows) == len(before)
    for number, (now, was) in enumerate(zip(windows, before, strict=True)):
        at_s = number * WINDOW_N * PERIOD_S
        assert now == pytest.approx(was, abs=1e-4), f"from {at_s:g} s on"


def test_the_drives_show_every_phase_and_every_refusal(
    stored: dict[str, list[list[float]]],
) -> None:
    assert set(stored) == {" / ".join(drive) for drive in DRIVES}
    windows = [window for drive in stored.values() for window in drive]
    for place, name in enumerate(("effort", "hold", "flags", "phase", "speed", "texts")):
        assert any(window[place] for window in windows), name
    assert max(abs(window[4]) for window in windows) > 2.0 * WINDOW_N


if __name__ == "__main__":
    every = {" / ".join(drive): driven(*drive) for drive in DRIVES}
    lines = [f'"{name}": {json.dumps(windows)}' for name, windows in every.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

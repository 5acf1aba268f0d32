"""Drives in which the car reports the truth: no check may find a contradiction in any of them.

Ordinary ones, and those in which a car is far from rolling: wheels that lock and spin, skids, ice,
a split road, hills, resets, pauses, gaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from vdsim_interface.values import (
    Command,
    Gear,
    HighLevelCommand,
    RawCommand,
    StateCommand,
    VehicleCommand,
    notice_kinds,
)
from vdsim_plant.motion import InitialState

from vdsim_kit.plant_loop import PERIOD_S, PLAIN_WIRE, PlantLoop

CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd", "scale_car")
FRICTIONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
UNLIMITED = {"enabled": False}
"""No rule limits what is commanded: the car may skid."""


class Drive(NamedTuple):
    """A drive on one car and road; `options` are those of PlantLoop."""

    name: str
    run: Callable[[PlantLoop], None]
    options: dict[str, Any]

    @property
    def title(self) -> str:
        """The name, with the options that differ."""
        words = (f"{k}={v}" for k, v in self.options.items() if k not in ("level", "safety"))
        return " ".join((self.name, *words))


def follow(loop: PlantLoop, seconds: float, command: Callable[[float], Command]) -> None:
    """Send a command that depends on the time since the start of this part."""
    for n in range(round(seconds / PERIOD_S)):
        loop.period(command(n * PERIOD_S))


def go(speed: float, curvature: float = 0.0) -> HighLevelCommand:
    return HighLevelCommand(0.0, speed, curvature)


# ---- ordinary drives -----------------------------------------------------------------------------


def starts_and_stops(loop: PlantLoop) -> None:
    for speed in (1.0, 6.0, 14.0):
        loop.run(2.0 + speed / 2.0, go(speed))
        loop.run(1.0 + speed / 3.0, go(0.0))


def slalom(loop: PlantLoop) -> None:
    for speed, swing, hertz in ((4.0, 0.12, 0.3), (8.0, 0.05, 0.5), (14.0, 0.02, 0.8)):
        loop.run(4.0, go(speed))
        follow(loop, 5.0, lambda t, s=speed, k=swing, f=hertz: go(s, k * math.sin(6.283 * f * t)))
    loop.run(4.0, go(0.0))


def circles(loop: PlantLoop) -> None:
    for curvature in (0.03, -0.03, 0.09, -0.12):
        loop.run(4.0, go(5.0, curvature))
    loop.run(5.0, go(9.0, 0.04))


def backwards(loop: PlantLoop) -> None:
    loop.run(3.0, go(-3.0))
    loop.run(4.0, go(-4.0, 0.08))
    loop.run(3.0, go(-4.0, -0.08))
    loop.run(3.0, go(0.0))
    loop.run(4.0, go(4.0, 0.05))


def command_lost(loop: PlantLoop) -> None:
    loop.run(7.0, go(12.0, 0.01))
    loop.run(6.0, None)


# ---- beyond grip ---------------------------------------------------------------------------------


def sine_with_dwell(loop: PlantLoop) -> None:
    follow(loop, 6.0, lambda t: VehicleCommand(0.0, 3.0))

    def steer(t: float) -> VehicleCommand:
        phase = 0.7 * t if t < 1.07 else 0.75 if t < 1.57 else 0.7 * (t - 0.5)
        return VehicleCommand(0.0, 0.0, 0.25 * math.sin(6.283 * phase) if t < 1.93 else 0.0)

    follow(loop, 5.0, steer)


def step_steer(loop: PlantLoop) -> None:
    follow(loop, 6.0, lambda t: VehicleCommand(0.0, 3.0))
    follow(loop, 2.5, lambda t: VehicleCommand(0.0, 0.5, 0.4))
    follow(loop, 2.5, lambda t: VehicleCommand(0.0, -1.0, -0.4))
    follow(loop, 2.0, lambda t: VehicleCommand(0.0, -3.0, 0.0))


def caught_skid(loop: PlantLoop) -> None:
    """Provoke a skid with the hand brake in a bend, and steer against the yaw rate."""
    follow(loop, 6.0, lambda t: VehicleCommand(0.0, 3.0))
    follow(loop, 0.8, lambda t: VehicleCommand(0.0, 0.0, 0.25))
    loop.pipeline.safety_side.on_state_command(StateCommand(hand_brake=True), loop.now)
    follow(loop, 0.6, lambda t: VehicleCommand(0.0, 0.0, 0.3))
    loop.pipeline.safety_side.on_state_command(StateCommand(hand_brake=False), loop.now)

    def caught(t: float) -> VehicleCommand:
        rate = loop.car.yaw_rate_radps
        return VehicleCommand(0.0, 1.0, max(-0.45, min(0.45, -0.8 * rate)))

    follow(loop, 4.0, caught)
    follow(loop, 3.0, lambda t: VehicleCommand(0.0, -3.0, 0.0))


def power_slide(loop: PlantLoop) -> None:
    """Full throttle in a bend; the driver keeps the tail out by steering against it."""
    follow(loop, 4.0, lambda t: RawCommand(0.0, 500, 0, 0, 0))
    follow(loop, 1.0, lambda t: RawCommand(0.0, 0, 0, 350, 0))

    def slide(t: float) -> RawCommand:
        steer = max(-700.0, min(700.0, 300.0 - 1200.0 * loop.car.yaw_rate_radps))
        return RawCommand(0.0, 900, 0, int(steer), 0)

    follow(loop, 6.0, slide)
    follow(loop, 3.0, lambda t: RawCommand(0.0, 0, 700, 0, 0))


def wheels_lock(loop: PlantLoop) -> None:
    follow(loop, 6.0, lambda t: RawCommand(0.0, 600, 0, 0, 0))
    follow(loop, 3.0, lambda t: RawCommand(0.0, 0, 1000, int(400 * math.sin(4.0 * t)), 0))
    follow(loop, 3.0, lambda t: RawCommand(0.0, 400, 0, 100, 0))
    follow(loop, 4.0, lambda t: RawCommand(0.0, 0, 1000 if t % 0.6 < 0.3 else 0, 150, 0))


def wheels_spin(loop: PlantLoop) -> None:
    follow(loop, 4.0, lambda t: RawCommand(0.0, 1000, 0, 0, 0))
    follow(loop, 4.0, lambda t: RawCommand(0.0, 1000, 0, int(900 * math.sin(1.5 * t)), 0))
    follow(loop, 2.0, lambda t: RawCommand(0.0, 1000 if t % 0.5 < 0.25 else 0, 0, 200, 0))
    follow(loop, 3.0, lambda t: RawCommand(0.0, 0, 300, 0, 0))


def hand_brake_turn(loop: PlantLoop) -> None:
    follow(loop, 5.0, lambda t: VehicleCommand(0.0, 3.0))
    loop.pipeline.safety_side.on_state_command(StateCommand(hand_brake=True), loop.now)
    follow(loop, 3.0, lambda t: VehicleCommand(0.0, 0.0, 0.4))
    loop.pipeline.safety_side.on_state_command(StateCommand(hand_brake=False), loop.now)
    follow(loop, 3.0, lambda t: VehicleCommand(0.0, 1.0, -0.3))


def turn_from_reverse(loop: PlantLoop) -> None:
    """Fast backwards, then full steering: the front of the car comes round."""
    loop.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.REVERSE), loop.now)
    loop.run(1.0, RawCommand(0.0, 0, 300, 0, 0))
    follow(loop, 5.0, lambda t: RawCommand(0.0, 500, 0, 0, 0))
    follow(loop, 3.0, lambda t: RawCommand(0.0, 0, 0, 900, 0))
    follow(loop, 3.0, lambda t: RawCommand(0.0, 0, 500, 0, 0))


# ---- events --------------------------------------------------------------------------------------


def resets(loop: PlantLoop) -> None:
    """Back to the start, and into scenarios that start in motion."""
    loop.run(7.0, go(10.0, 0.01))
    loop.vehicle.reset(None, loop.now)
    loop.run(7.0, go(10.0, 0.01))
    loop.vehicle.reset(InitialState(x_m=40.0, vx_mps=15.0), loop.now)
    loop.run(4.0, go(10.0, -0.01))
    loop.vehicle.reset(InitialState(yaw_rad=3.0, vx_mps=6.0), loop.now)
    loop.run(4.0, go(6.0, 0.03))


def pauses(loop: PlantLoop) -> None:
    for seconds in (0.05, 0.4, 3.0):
        loop.run(4.0, go(8.0, 0.03))
        loop.pause(seconds, go(8.0, 0.03))
    loop.run(4.0, go(0.0))


def gaps(loop: PlantLoop) -> None:
    """Reports are lost for a while."""
    for seconds in (0.06, 0.2, 0.6, 2.0):
        loop.run(5.0, go(9.0, 0.02))
        for _ in range(round(seconds / PERIOD_S)):
            loop.now += PERIOD_S
            for _ in range(2):
                loop.vehicle.tick(loop.now)
            loop.pipeline.on_command(go(9.0)._replace(stamp_s=loop.now), loop.now)
            loop.exchange()
    loop.run(3.0, go(9.0, 0.02))


HIGH: tuple[Callable[[PlantLoop], None], ...] = (
    *(starts_and_stops, slalom, circles, backwards, command_lost, resets, pauses, gaps),
)
LIMITLESS: tuple[tuple[str, Callable[[PlantLoop], None]], ...] = (
    ("vehicle", sine_with_dwell),
    ("vehicle", step_steer),
    ("vehicle", caught_skid),
    ("vehicle", hand_brake_turn),
    ("raw", power_slide),
    ("raw", wheels_lock),
    ("raw", wheels_spin),
    ("raw", turn_from_reverse),
)


def drives(**options: Any) -> Iterator[Drive]:
    """Every drive with the same car and road."""
    for run in HIGH:
        yield Drive(run.__name__, run, options)
    for level, run in LIMITLESS:
        yield Drive(run.__name__, run, {**options, "level": level, "safety": UNLIMITED})


def all_drives() -> Iterator[Drive]:
    """The full sweep."""
    for car, mu, actuator in product(CARS, FRICTIONS, ("ideal", "passenger_car")):
        yield from drives(car=car, mu=mu, actuator=actuator, version=5)
    for car, grade, mu in product(CARS, (-0.3, -0.15, 0.15, 0.3), (0.3, 0.9)):
        yield from drives(car=car, grade=grade, mu=mu, version=5)
    for car, mu_left in product(CARS, (0.1, 0.4)):
        yield from drives(car=car, mu=0.9, mu_left=mu_left, version=3)


def found_in(drive: Drive) -> tuple[float, list[tuple[str, str]]]:
    """Run a drive; return its duration [s], and what was found: names of checks, and the notice."""
    loop = PlantLoop(**{"version": PLAIN_WIRE, **drive.options})
    drive.run(loop)
    side, found = loop.pipeline.vehicle_side, []
    for notice in loop.notices:
        if notice.kind is notice_kinds.IMPLAUSIBLE_REPORT:
            names = " ".join(sorted(side.plausibility.found)) or "one that is over"
            found.append((names, notice.text))
    return loop.now, found

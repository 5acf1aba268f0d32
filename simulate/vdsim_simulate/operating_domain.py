"""What friction and grade do to the stops that the interface promises: driven, and by a formula.

The formula is a point mass: the time-out, the jerk and the deceleration of the parameters, and what
tyres and gravity give. It knows nothing of the interface's inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters

from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

G_MPS2 = 9.81
SPEED_MPS = 13.9
"""50 km/h."""
GRADES = (-0.25, -0.1, 0.0, 0.1, 0.25)
FRICTIONS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
CAUSE_S, ENDS_S, STEP_S = 4.0, 24.0, 1e-3
RESTS_MPS = 0.02
SILENT, EMERGENCY = "a silent stack", "an emergency stop"
EVENTS = {
    SILENT: Event(CAUSE_S, "planner_silent", {"for_s": 2.0 * ENDS_S}),
    EMERGENCY: Event(CAUSE_S, "emergency_stop"),
}


class Stop(NamedTuple):
    """From the cause to rest: speed at the cause [m/s], and the way [m]; inf: no rest in time."""

    speed_mps: float
    way_m: float


def scene(cause: str, grade: float, mu: float) -> Scene:
    """A drive at constant speed, and the cause of a stop."""
    return Scene(
        grade=grade,
        mu=mu,
        rig="driverless",
        start_mps=SPEED_MPS,
        legs=(Leg(0.0, SPEED_MPS),),
        events=(EVENTS[cause],),
        heals_s=2.0 * ENDS_S,
        ends_s=ENDS_S,
    )


def driven(cause: str, grade: float, mu: float) -> Stop:
    """Drive it."""
    samples = [car for car in run_scene(scene(cause, grade, mu)).car if car.time_s >= CAUSE_S]
    way_m = (car.x_m - samples[0].x_m for car in samples if abs(car.vx_mps) < RESTS_MPS)
    return Stop(samples[0].vx_mps, next(way_m, math.inf))


def promised_m(
    cause: str, grade: float, mu: float, speed_mps: float, *, used: float = 1.0
) -> float:
    """Compute the way of a stop from this speed [m]; `used`: the share of friction that brakes."""
    emergency = SafeStopParameters().emergency()
    safety = InterfaceParameters().safety
    if cause == EMERGENCY:
        reacts_s, decel_mps2, jerk_mps3 = 0.0, emergency.decel_mps2, emergency.jerk_mps3
    else:
        reacts_s = InterfaceParameters().command_timeout_s
        decel_mps2, jerk_mps3 = safety.stop_decel_mps2, safety.stop_jerk_mps3
    angle_rad = math.atan(grade)
    most_mps2 = G_MPS2 * (used * mu * math.cos(angle_rad) + math.sin(angle_rad))
    way_m = speed_mps * reacts_s
    asked_mps2 = 0.0
    while speed_mps > 0.0:
        asked_mps2 = min(decel_mps2, asked_mps2 + jerk_mps3 * STEP_S)
        speed_mps -= min(asked_mps2, most_mps2) * STEP_S
        way_m += speed_mps * STEP_S
    return way_m


def in_domain(grade: float, mu: float) -> bool:
    """Whether tyres can hold the car there, with a fifth to spare."""
    return scene(SILENT, grade, mu).holds


def cells() -> Iterator[tuple[float, float]]:
    """Each grade with each friction."""
    for grade in GRADES:
        for mu in FRICTIONS:
            yield grade, mu


def table_row(grade: float, mu: float) -> tuple[str, ...]:
    """Drive both stops of a cell."""
    if not in_domain(grade, mu):
        return f"{100 * grade:+.0f} %", f"{mu:g}", *("outside",) * (2 * len(EVENTS))
    found = []
    for cause in EVENTS:
        stop = driven(cause, grade, mu)
        promised = promised_m(cause, grade, mu, stop.speed_mps)
        found += [f"{stop.way_m:.1f} m", f"{promised:.1f} m"]
    return f"{100 * grade:+.0f} %", f"{mu:g}", *found

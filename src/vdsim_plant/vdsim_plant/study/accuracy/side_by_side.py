"""Four drives in which this plant and VDSim differ, as figures of this plant.

VDSim's were read from its own runs of drives of these kinds (version 0.6.2, its tyre models MF96
and PAC2002); they are stated, not computed. Pure: the time of a drive comes from the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.accuracy.acceptance import BRAKE_AND_TURN
from vdsim_plant.study.accuracy.single_track import CRUISE
from vdsim_plant.vehicle import Vehicle

TYRES = ("mf96", "road_235_55r19")
PATCH = (30.0, 500.0, 0.5)
LOCKED_SLIP = -0.95
COASTING_MPS = 0.5
STANDS_S = 60.0
HILL = 0.08
LONGEST_DRIVE_S = 0.1
"""Of the wall clock, for 5 s in 10 000 substeps."""


@dataclass(frozen=True)
class Row:
    """One difference. `theirs`: as read there. `passed`: whether ours is as the page claims."""

    what: str
    theirs: str
    ours: str
    passed: bool


def table(rows: Iterable[Row]) -> str:
    """Return a Markdown table."""
    lines = ["| | VDSim | this plant |", "|---|---|---|"]
    lines += [f"| {row.what} | {row.theirs} | {row.ours} |" for row in rows]
    return "\n".join(lines)


def circle() -> Row:
    """The largest use of the friction circle at any wheel of a hard drive, over both tyres."""
    uses = {
        tyre: max(_use(wheel) for obs in _brake_and_turn(tyre) for wheel in obs["wheel"])
        for tyre in TYRES
    }
    most = max(uses.values())
    return Row(
        what="largest force at a wheel while braking and turning onto a patch of mu 0.5, over "
        "mu Fz",
        theirs="MF96: 1.00; PAC2002: up to 1.21",
        ours=f"{most:.2f} with either tyre",
        passed=0.99 < most <= 1.0,
    )


def locked_wheel() -> Row:
    """How far the force of a locked wheel is off the direction against its sliding."""
    parts, passed = [], True
    for tyre, mean_limit_deg in zip(TYRES, (5.0, 10.0), strict=True):
        wheels = [wheel for obs in _brake_and_turn(tyre) for wheel in obs["wheel"]]
        angles = [_off_deg(wheel) for wheel in wheels if wheel["kappa"] < LOCKED_SLIP]
        mean = sum(angles) / len(angles)
        passed = passed and mean < mean_limit_deg
        parts.append(f"{tyre}: {mean:.1f} degrees, at most {max(angles):.1f}")
    return Row(
        what="in that drive: how far the force of a locked wheel is off the direction against "
        "its sliding, on average",
        theirs="MF96: 26.9 degrees, at most 31; PAC2002: 7.9",
        ours="; ".join(parts),
        passed=passed,
    )


def standstill() -> Row:
    """A car that coasts to rest and stands, and one that a brake holds on a hill."""
    car = Vehicle("ioniq5_awd")
    car.reset(InitialState(vx_mps=COASTING_MPS))
    stops_s = next(
        seconds for seconds in _ticks(car, PedalInput(), 30.0) if abs(car.speed_mps()) < 1e-6
    )
    at_rest_m = car.motion().x_m
    for _ in _ticks(car, PedalInput(), STANDS_S):
        pass
    drift_mm = 1e3 * abs(car.motion().x_m - at_rest_m)
    hill = Vehicle("ioniq5_awd", ground=Ground(slope_x=HILL))
    held = PedalInput(brake=0.5)
    for _ in _ticks(hill, held, 5.0):
        pass
    begin_m = hill.motion().x_m
    for _ in _ticks(hill, held, STANDS_S):
        pass
    creep_mm = 1e3 * abs(hill.motion().x_m - begin_m)
    return Row(
        what=f"coasting from {COASTING_MPS:g} m/s, then a minute at rest; a minute held on "
        f"{100 * HILL:g} %",
        theirs="never stops (rolling resistance fades with tanh(vx / 0.5 m/s)), drifts by 2 mm/s; "
        "creeps by 1 to 2 cm/s",
        ours=f"stops after {stops_s:.1f} s, then moves by {drift_mm:.1f} mm; {creep_mm:.1f} mm",
        passed=drift_mm < 0.05 and creep_mm < 0.05,
    )


def speed(time_of: Callable[[Callable[[], None]], float] | None = None) -> Row:
    """`time_of` takes the time of a drive [s]; without it the bound is stated."""
    plant = VDSimPlant(friction_map=[(20.0, 40.0, 0.5)])

    def drive() -> None:
        plant.reset(CRUISE)
        for _ in range(100):
            plant.step([0.03, -1500.0])

    seconds = 0.0 if time_of is None else time_of(drive)
    bound = f"below {1e3 * LONGEST_DRIVE_S:.0f} ms"
    return Row(
        what="5 s of driving in 10 000 substeps, from Python, on one core of the same kind of "
        "machine",
        theirs="MF96: 142 to 148 ms; PAC2002: 770 to 830 ms",
        ours=bound if time_of is None else f"{1e3 * seconds:.1f} ms",
        passed=seconds < LONGEST_DRIVE_S,
    )


def rows(time_of: Callable[[Callable[[], None]], float] | None = None) -> tuple[Row, ...]:
    """Return all four."""
    return circle(), locked_wheel(), standstill(), speed(time_of)


def _brake_and_turn(tyre: str) -> Iterator[Observation]:
    plant = VDSimPlant(friction_map=[PATCH], control_dt=0.005, tyre=tyre)
    plant.reset(CRUISE)
    for _ in range(400):
        yield plant.step(BRAKE_AND_TURN)


def _use(wheel: WheelObservation) -> float:
    limit = wheel["mu"] * wheel["Fz"]
    return math.hypot(wheel["Fx"], wheel["Fy"]) / limit if limit > 0.0 else 0.0


def _off_deg(wheel: WheelObservation) -> float:
    """The contact slides by (-kappa, tan alpha) times its forward speed, in the wheel's frame."""
    against = math.atan2(-math.tan(wheel["alpha"]), wheel["kappa"])
    force = math.atan2(wheel["Fy"], wheel["Fx"])
    return abs(math.degrees(math.remainder(force - against, math.tau)))


def _ticks(car: Vehicle, pedals: PedalInput, seconds: float) -> Iterator[float]:
    for n in range(round(seconds / 0.05)):
        car.step_pedals(pedals, 0.05)
        yield 0.05 * (n + 1)

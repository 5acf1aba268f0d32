"""The five acceptance points of the plant's contract, as drives with figures.

Pure: the time of a drive comes from the caller. `vdsim_acceptance` prints the table, README.md and
docs/plant.md show it.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vdsim_plant.observation import Observation
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.accuracy.single_track import CRUISE, bicycle, lane_change

MANY_FRICTIONS = (0.05, 0.3, 0.5, 0.9, 1.2)
BRAKE_AND_TURN = (0.12, -15_000.0)
LONGEST_DRIVE_S = 0.1  # of the wall clock, for 5 s; asked is far less than 1 s
SUBSTEP_S = 5e-4


@dataclass(frozen=True)
class Result:
    """One point: what was driven, what came of it, and whether that is what was asked."""

    point: str
    measured: str
    passed: bool


def table(results: Iterable[Result]) -> str:
    """Return a Markdown table."""
    rows = ["| acceptance | measured |", "|---|---|"]
    for number, result in enumerate(results, start=1):
        verdict = "" if result.passed else "**missed:** "
        rows.append(f"| {number}. {result.point} | {verdict}{result.measured} |")
    return "\n".join(rows)


def dry_lane_change() -> Result:
    """Against the single track, whose tyres are others on purpose: sign and size, not bits."""
    inputs = lane_change()
    ours = np.array([obs["r"] for obs in _driven(VDSimPlant(), inputs)])
    theirs = bicycle(inputs)[:, 5]
    correlation = float(np.corrcoef(ours, theirs)[0, 1])
    peak = float(max(abs(ours)) / max(abs(theirs)) - 1.0)
    return Result(
        point="dry lane change at 16.7 m/s against a single track with saturating tyres",
        measured=f"yaw rate correlates by {correlation:.6f}, its peak differs by "
        f"{100 * abs(peak):.1f} %",
        passed=correlation > 0.99 and abs(peak) < 0.15,
    )


def brake_and_turn() -> Result:
    """The headline: more is asked of the tyres than a patch can give."""
    inputs = [BRAKE_AND_TURN] * 300
    patch = VDSimPlant(friction_map=[(-10.0, 500.0, 0.5)], control_dt=0.005)
    slipping = _driven(patch, inputs)
    dry = _driven(VDSimPlant(control_dt=0.005), inputs)
    use = [max(_use(obs, wheel) for obs in slipping) for wheel in range(4)]
    arrives = max(abs(_sum(obs, "Fx")) for obs in slipping[60:])
    turns, turns_dry = (math.degrees(abs(seen[-1]["psi"])) for seen in (slipping, dry))
    return Result(
        point="brake and turn at once (0.12 rad, -15 kN) on a patch of mu 0.5",
        measured=f"every wheel comes to {100 * min(use):.1f} % of mu Fz; once they slide at most "
        f"{arrives / 1e3:.1f} of 15 kN arrive; the car turns by {turns:.0f} degrees, on a dry road "
        f"by {turns_dry:.0f}",
        passed=min(use) > 0.99 and arrives < 0.85 * 15_000.0 and turns < 0.5 * turns_dry,
    )


def ground_truth() -> Result:
    """Random drives, looked at after every substep."""
    worst_use, worst_sum, looks = 0.0, 0.0, 0
    for mu in MANY_FRICTIONS:
        plant = VDSimPlant(base_mu=mu, control_dt=SUBSTEP_S)
        chance = random.Random(3)  # of the standard library: the same numbers in every version
        held = [(chance.uniform(-0.3, 0.3), chance.uniform(-2e4, 1.5e4)) for _ in range(30)]
        before = plant.reset(CRUISE)
        for delta, force in (pair for pair in held for _ in range(50)):
            obs = plant.step([delta, force])
            worst_use = max(worst_use, *(_use(obs, wheel) for wheel in range(4)))
            worst_sum = max(worst_sum, _imbalance_n(plant, before, obs, delta))
            before = obs
            looks += 1
    return Result(
        point=f"ground truth of every wheel over {looks} random substeps, mu 0.05 to 1.2",
        measured=f"\\|F\\| at most {worst_use:.12f} mu Fz; their sum is m a to within "
        f"{10.0 ** math.ceil(math.log10(worst_sum)):.0e} N",
        passed=worst_use <= 1.0 and worst_sum < 1e-6,
    )


def determinism(elsewhere: Callable[[], str] | None = None) -> Result:
    """`elsewhere` drives `fingerprint` in another process; without it only this one is compared."""
    ours = [fingerprint(), fingerprint()]
    places = "twice in a process"
    if elsewhere is not None:
        ours.append(elsewhere())
        places += " and in another"
    return Result(
        point="the same input twice",
        measured=f"the same bits, {places}: SHA-256 {ours[0][:12]}"
        if len(set(ours)) == 1
        else "other bits",
        passed=len(set(ours)) == 1,
    )


def fingerprint() -> str:
    """Drive over a patch; return the SHA-256 of every observation, with all digits."""
    seen = _driven(VDSimPlant(friction_map=[(20.0, 40.0, 0.5)]), [BRAKE_AND_TURN] * 30)
    return hashlib.sha256(repr(seen).encode()).hexdigest()


def speed(time_of: Callable[[Callable[[], None]], float] | None = None) -> Result:
    """`time_of` takes the time of a drive [s]; without it the bound is stated."""
    plant = VDSimPlant(friction_map=[(20.0, 40.0, 0.5)])
    inputs = [(0.03, -1500.0)] * 100
    seconds = 0.0 if time_of is None else time_of(lambda: _drive_on(plant, inputs))
    milliseconds = f"below {1e3 * LONGEST_DRIVE_S:.0f} ms, or the acceptance fails"
    return Result(
        point="a drive of 5 s: 100 observations, 10 000 substeps",
        measured=milliseconds if time_of is None else f"{1e3 * seconds:.1f} ms",
        passed=seconds < LONGEST_DRIVE_S,
    )


def results(
    elsewhere: Callable[[], str] | None = None,
    time_of: Callable[[Callable[[], None]], float] | None = None,
) -> tuple[Result, ...]:
    """Return all five."""
    return (
        dry_lane_change(),
        brake_and_turn(),
        ground_truth(),
        determinism(elsewhere),
        speed(time_of),
    )


def _driven(plant: VDSimPlant, inputs: Sequence[tuple[float, float]]) -> list[Observation]:
    return [plant.reset(CRUISE), *(plant.step(u) for u in inputs)]


def _drive_on(plant: VDSimPlant, inputs: Sequence[tuple[float, float]]) -> None:
    plant.reset(CRUISE)
    for u in inputs:
        plant.step(u)


def _use(obs: Observation, index: int) -> float:
    wheel = obs["wheel"][index]
    force, limit = math.hypot(wheel["Fx"], wheel["Fy"]), wheel["mu"] * wheel["Fz"]
    if limit > 0.0:
        return force / limit
    return 0.0 if force == 0.0 else math.inf  # a wheel that has lifted


def _sum(obs: Observation, key: str) -> float:
    return sum(wheel[key] for wheel in obs["wheel"])  # type: ignore[literal-required]


def _imbalance_n(plant: VDSimPlant, before: Observation, obs: Observation, delta: float) -> float:
    """Return the sum of the forces less mass times acceleration [N], body frame."""
    body, aero = plant.vehicle.parameters.body, plant.vehicle.parameters.aero
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2 * aero.drag_coefficient
    air = pressure * math.hypot(before["vx"], before["vy"])
    force_x, force_y = -air * before["vx"], -air * before["vy"]
    for index, wheel in enumerate(obs["wheel"]):
        c, s = (math.cos(delta), math.sin(delta)) if index < 2 else (1.0, 0.0)
        force_x += wheel["Fx"] * c - wheel["Fy"] * s
        force_y += wheel["Fx"] * s + wheel["Fy"] * c
    return math.hypot(force_x - body.mass_kg * obs["ax"], force_y - body.mass_kg * obs["ay"])

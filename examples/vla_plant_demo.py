#!/usr/bin/env python3
"""A closed loop on a slippery patch, in one command: python examples/vla_plant_demo.py

A car at 60 km/h has to change lanes on a slippery patch and to slow down. Two drivers try. The
first assumes a dry road and brakes while turning; the tyres saturate and the car leaves the lane.
The second knows the friction ahead and brakes before the patch.

Saves the trajectories as CSV and a picture. Runs wherever vdsim_plant can be imported.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant import Observation, VDSimPlant, WheelObservation

PATCH_M, PATCH_MU, DRY_MU = (60.0, 130.0), 0.5, 0.9
LANE_CHANGE_M, LANE_M = (65.0, 93.0), 3.5
START_MPS, FINAL_MPS, END_M = 16.7, 9.0, 150.0
BRAKE_MPS2 = 3.5
SPIN_RAD, EMERGENCY = 0.8, [0.0, -20_000.0]  # beyond this slip angle the driver only brakes
LANE_HALF_PLAY_M = 0.8  # half a lane of 3.5 m less half a car
MASS_KG, WHEELBASE_M, UNDERSTEER = 2359.0, 2.97, 7e-4
WHEELS = ("FL", "FR", "RL", "RR")
Run = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Driver:
    """A trivial controller: steers to a point of the path ahead, brakes from a given position."""

    name: str
    brakes_from_m: float

    def control(self, obs: Observation) -> list[float]:
        """Return [delta, Fx] from an observation."""
        speed = math.hypot(obs["vx"], obs["vy"])
        preview_m = 0.55 * speed
        course = obs["psi"] + obs["beta"]
        ahead = path_y(obs["X"] + preview_m) - obs["Y"] - preview_m * math.sin(course)
        delta = 2.0 * ahead / preview_m**2 * (WHEELBASE_M + UNDERSTEER * speed**2)
        target = START_MPS if obs["X"] < self.brakes_from_m else FINAL_MPS
        acceleration = min(max(2.0 * (target - speed), -BRAKE_MPS2), 1.0)
        return [min(max(delta, -0.5), 0.5), MASS_KG * acceleration]


def path_y(x: float) -> float:
    """Return the lateral position of the path: half a cosine from lane to lane."""
    begin, end = LANE_CHANGE_M
    share = min(max((x - begin) / (end - begin), 0.0), 1.0)
    return LANE_M * (0.5 - 0.5 * math.cos(math.pi * share))


def drive(plant: VDSimPlant, driver: Driver) -> tuple[list[Observation], list[list[float]]]:
    """Close the loop; return the observations and the command before each."""
    observations = [plant.reset([0.0, 0.0, 0.0, START_MPS, 0.0, 0.0])]
    commands = [[0.0, 0.0]]
    spun = False
    while observations[-1]["X"] < END_M and not (spun and has_stopped(observations[-1])):
        spun = spun or abs(observations[-1]["beta"]) > SPIN_RAD
        commands.append(EMERGENCY if spun else driver.control(observations[-1]))
        observations.append(plant.step(commands[-1]))
    return observations, commands


def has_stopped(obs: Observation) -> bool:
    """Return whether the car has come to rest."""
    return math.hypot(obs["vx"], obs["vy"]) < 0.05


def use(wheel: WheelObservation) -> float:
    """Return how much of its friction a wheel uses, |F| / (mu Fz)."""
    return math.hypot(wheel["Fx"], wheel["Fy"]) / max(wheel["mu"] * wheel["Fz"], 1.0)


def off_path(obs: Observation) -> float:
    """Return the lateral distance of the car from the path [m]."""
    return obs["Y"] - path_y(obs["X"])


def save_csv(path: Path, observations: Run, commands: list[list[float]]) -> None:
    """Write the trajectory: every key of every observation, wheels included."""
    body = [key for key in observations[0] if key != "wheel"]
    wheel = list(observations[0]["wheel"][0])
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*body, "delta", "Fx", *(f"{w}_{key}" for w in WHEELS for key in wheel)])
        for obs, command in zip(observations, commands, strict=True):
            wheels = [each[key] for each in obs["wheel"] for key in wheel]
            writer.writerow([*(obs[key] for key in body), *command, *wheels])


def save_picture(path: Path, runs: dict[str, list[Observation]]) -> None:
    """Plot path, speed and friction use of all runs over x."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained", dpi=130)
    FigureCanvasAgg(figure)
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    figure.suptitle(
        f"Brake and turn on a patch of friction {PATCH_MU:g} (dry {DRY_MU:g})",
        fontweight="bold",
    )
    xs = [0.5 * k for k in range(int(2 * END_M))]
    ys = [path_y(x) for x in xs]
    lane = [[y + side * LANE_HALF_PLAY_M for y in ys] for side in (-1.0, 1.0)]
    top.fill_between(xs, *lane, color="#e4e7eb", label="room in the lane")
    for (name, run), colour in zip(runs.items(), ("#c2362f", "#2563a8"), strict=True):
        x = [obs["X"] for obs in run]
        top.plot(x, [obs["Y"] for obs in run], color=colour, label=name)
        middle.plot(x, [math.hypot(obs["vx"], obs["vy"]) for obs in run], color=colour)
        worst = [max(map(use, obs["wheel"])) for obs in run]
        bottom.plot(x, worst, color=colour)
        top.plot(
            x[-1], run[-1]["Y"], "x" if has_stopped(run[-1]) else "", color=colour, markersize=9
        )
    bottom.axhline(1.0, color="black", linewidth=0.8, linestyle="--")
    labels = ("y [m]", "speed [m/s]", "most used wheel\n|F| / (mu Fz)")
    for axis, label in zip((top, middle, bottom), labels, strict=True):
        axis.axvspan(*PATCH_M, color="#9ecbe8", alpha=0.35, linewidth=0)
        axis.set_ylabel(label)
        axis.grid(True, color="#e4e7eb")
    top.legend(frameon=False, fontsize=9, loc="upper left")
    bottom.set_xlabel("x [m], slippery where blue")
    figure.savefig(path)


def main() -> None:
    """Run both drivers, print the results, save the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    plant = VDSimPlant(  # compiles its core at the first use on this machine
        "ioniq5_awd", friction_map=[(*PATCH_M, PATCH_MU)], base_mu=DRY_MU, control_dt=0.05
    )
    runs: dict[str, list[Observation]] = {}
    for driver in (
        Driver("assumes a dry road, brakes while turning", brakes_from_m=62.0),
        Driver("knows the friction, brakes before", brakes_from_m=30.0),
    ):
        began = time.perf_counter()
        observations, commands = drive(plant, driver)
        took_ms = 1e3 * (time.perf_counter() - began)
        runs[driver.name] = observations
        file = folder / f"vla_plant_demo_{len(runs)}.csv"
        save_csv(file, observations, commands)
        worst = max(max(map(use, obs["wheel"])) for obs in observations)
        off = max(map(off_path, observations), key=abs)
        print(
            f"{driver.name}:\n"
            f"  {observations[-1]['t']:.1f} s driven in {took_ms:.0f} ms, "
            f"friction used up to {100 * worst:.0f} %, {abs(off):.2f} m off the path: "
            + ("left the lane" if abs(off) > LANE_HALF_PLAY_M else "stayed in the lane")
            + f"\n  {file}"
        )
    if importlib.util.find_spec("matplotlib") is None:
        print("no picture: matplotlib is missing (pip install matplotlib)")
        return
    picture = folder / "vla_plant_demo.png"
    save_picture(picture, runs)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()

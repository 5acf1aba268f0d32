#!/usr/bin/env python3
"""What a patch of low friction does to a lane change: python examples/low_mu_lane_change.py

A path tracker, as a driving stack has one, changes the lane at 60 km/h: on a kinematic single
track, which is what planning simulators drive; on the car of vdsim_plant on a dry road; and on the
same road with a patch of snow where the lane change is. The kinematic car has no tyres, so that the
patch does not exist for it.

Saves the drives as CSV and a picture. Runs wherever vdsim_plant can be imported.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
from dataclasses import dataclass
from pathlib import Path

from vdsim_plant.parameters import load_vehicle

from vdsim_plant import VDSimPlant

CAR = load_vehicle("ioniq5_awd")
SPEED_MPS, DRY_MU, SNOW_MU = 16.7, 0.9, 0.25
PERIOD_S, END_S = 0.05, 9.0
LANE_M, BEGIN_M, LENGTH_M = 3.5, 30.0, 40.0
PATCH_M = (25.0, 90.0)
PREVIEW_S = 0.7
STEER_MAX_RAD = 0.5


@dataclass(frozen=True)
class State:
    """Where the car is: world frame ENU, the car's centre of gravity."""

    time_s: float
    x_m: float
    y_m: float
    yaw_rad: float
    sideslip_rad: float = 0.0
    steer_rad: float = 0.0


def lane(x_m: float) -> float:
    """Return the lateral position of the path [m]."""
    share = min(max((x_m - BEGIN_M) / LENGTH_M, 0.0), 1.0)
    return LANE_M * (share - math.sin(2.0 * math.pi * share) / (2.0 * math.pi))


def steering(state: State) -> float:
    """Return the front wheel angle of pure pursuit, to a point of the path ahead [rad]."""
    ahead_m = PREVIEW_S * SPEED_MPS
    target_x = state.x_m + ahead_m
    bearing = math.atan2(lane(target_x) - state.y_m, ahead_m) - state.yaw_rad
    angle = math.atan2(2.0 * CAR.body.wheelbase_m * math.sin(bearing), ahead_m)
    return min(max(angle, -STEER_MAX_RAD), STEER_MAX_RAD)


def kinematic_drive() -> list[State]:
    """Drive a kinematic single track at constant speed."""
    state = State(0.0, 0.0, 0.0, 0.0)
    run = [state]
    while state.time_s < END_S:
        angle = steering(state)
        rate = SPEED_MPS * math.tan(angle) / CAR.body.wheelbase_m
        state = State(
            time_s=state.time_s + PERIOD_S,
            x_m=state.x_m + SPEED_MPS * math.cos(state.yaw_rad) * PERIOD_S,
            y_m=state.y_m + SPEED_MPS * math.sin(state.yaw_rad) * PERIOD_S,
            yaw_rad=state.yaw_rad + rate * PERIOD_S,
            steer_rad=angle,
        )
        run.append(state)
    return run


def car_drive(patch_mu: float | None) -> list[State]:
    """Drive the car with tyres; `patch_mu`: friction of the patch, None: dry everywhere."""
    patches = [] if patch_mu is None else [(*PATCH_M, patch_mu)]
    plant = VDSimPlant("ioniq5_awd", base_mu=DRY_MU, friction_map=patches, control_dt=PERIOD_S)
    obs = plant.reset(state0=[0.0, 0.0, 0.0, SPEED_MPS, 0.0, 0.0])
    run: list[State] = []
    angle = 0.0
    while True:
        run.append(State(obs["t"], obs["X"], obs["Y"], obs["psi"], obs["beta"], angle))
        if obs["t"] >= END_S:
            return run
        angle = steering(run[-1])
        obs = plant.step([angle, 4000.0 * (SPEED_MPS - obs["vx"])])


def save_csv(path: Path, run: list[State]) -> None:
    """Write one line a period."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(State.__dataclass_fields__)
        writer.writerows([f"{value:.6g}" for value in vars(state).values()] for state in run)


def save_picture(path: Path, drives: dict[str, list[State]]) -> None:
    """Draw paths, sideslip and steering over the distance."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 1, figsize=(9, 7), sharex=True, layout="constrained")
    figure.suptitle("A lane change at 60 km/h over a patch of snow", fontweight="bold")
    colours = ("#7a828c", "#2563a8", "#c2362f")
    for (name, run), colour in zip(drives.items(), colours, strict=True):
        x = [state.x_m for state in run]
        axes[0].plot(x, [state.y_m for state in run], color=colour, label=name)
        axes[1].plot(x, [math.degrees(state.sideslip_rad) for state in run], color=colour)
        axes[2].plot(x, [math.degrees(state.steer_rad) for state in run], color=colour)
    distances = [float(x) for x in range(0, 150)]
    axes[0].plot(distances, [lane(x) for x in distances], "k--", linewidth=0.8, label="path")
    names = ("lateral position [m]", "sideslip [degrees]", "front wheel angle [degrees]")
    for axis, text in zip(axes, names, strict=True):
        axis.axvspan(*PATCH_M, color="#dbe9f6", zorder=0)
        axis.set_ylabel(text)
        axis.grid(True, color="#e4e7eb")
    axes[0].legend(frameon=False, fontsize=9)
    axes[2].set_xlabel(f"x [m]; shaded: friction {SNOW_MU:g} instead of {DRY_MU:g}")
    figure.savefig(path)


def main() -> None:
    """Run the three drives, print the results, save the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    drives = {
        "kinematic model": kinematic_drive(),
        "car with tyres, dry": car_drive(None),
        "car with tyres, snow": car_drive(SNOW_MU),
    }
    for name, run in drives.items():
        off_m = max(abs(state.y_m - lane(state.x_m)) for state in run)
        slip = math.degrees(max(abs(state.sideslip_rad) for state in run))
        print(f"{name}: up to {off_m:.2f} m off the path, sideslip up to {slip:.1f} degrees")
        save_csv(folder / f"lane_change_{name.replace(', ', '_').replace(' ', '_')}.csv", run)
    if importlib.util.find_spec("matplotlib") is None:
        print("no picture: matplotlib is missing (pip install matplotlib)")
        return
    picture = folder / "low_mu_lane_change.png"
    save_picture(picture, drives)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()

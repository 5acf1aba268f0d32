#!/usr/bin/env python3
"""Yaw moment control by wheel torques: python examples/torque_vectoring.py

A car at 80 km/h gets the steering of an evasive manoeuvre: a sine with a dwell. Without control it
spins. With it a motor at each wheel holds the yaw rate to that of a neutral car: more torque on one
side than on the other is a yaw moment. Steering and speed are the same in both drives.

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

from vdsim_plant import Observation, VDSimPlant

CAR = load_vehicle("ioniq5_awd")
SPEED_MPS, MU = 22.2, 0.9
PERIOD_S, END_S = 0.01, 5.0
AMPLITUDE_RAD, FREQUENCY_HZ, DWELL_S, BEGIN_S = 0.13, 0.7, 0.5, 0.5
MOTOR_NM = 1500.0  # of each wheel's motor
NO_TORQUE = [0.0, 0.0, 0.0, 0.0]  # FL, FR, RL, RR


@dataclass(frozen=True)
class YawControl:
    """Proportional control of yaw rate and sideslip, given out as a difference of torques."""

    moment_per_rate_nm: float = 60_000.0  # for each rad/s that the car turns too little
    moment_per_sideslip_nm: float = 40_000.0  # for each rad of sideslip

    def torques(self, delta: float, obs: Observation) -> list[float]:
        """Return the torque at each wheel, FL, FR, RL, RR [N m]; their sum is 0."""
        error = neutral_yaw_rate(delta, obs["vx"]) - obs["r"]
        moment = self.moment_per_rate_nm * error + self.moment_per_sideslip_nm * obs["beta"]
        tracks_m = CAR.body.track_front_m + CAR.body.track_rear_m
        torque = moment * CAR.wheels.radius_m / tracks_m
        torque = min(max(torque, -MOTOR_NM), MOTOR_NM)
        return [-torque, torque, -torque, torque]


def neutral_yaw_rate(delta: float, vx: float) -> float:
    """Return the yaw rate of a car that neither under- nor oversteers, as far as the road holds."""
    wanted = vx * delta / CAR.body.wheelbase_m
    most = 0.85 * MU * 9.81 / max(vx, 1.0)
    return min(max(wanted, -most), most)


def steering(time_s: float) -> float:
    """Return the road wheel angle: a sine whose second peak is held for a while [rad]."""
    since = time_s - BEGIN_S
    held_from = 0.75 / FREQUENCY_HZ
    if since > held_from:
        since = max(since - DWELL_S, held_from)
    if not 0.0 < since < 1.0 / FREQUENCY_HZ:
        return 0.0
    return AMPLITUDE_RAD * math.sin(2.0 * math.pi * FREQUENCY_HZ * since)


def drive(control: YawControl | None) -> tuple[list[Observation], list[list[float]]]:
    """Drive the manoeuvre; return the observations and the torques before each."""
    plant = VDSimPlant(CAR, base_mu=MU, control_dt=PERIOD_S)
    observations = [plant.reset([0.0, 0.0, 0.0, SPEED_MPS, 0.0, 0.0])]
    given = [NO_TORQUE]
    while observations[-1]["t"] < END_S - 0.5 * PERIOD_S:
        obs = observations[-1]
        delta = steering(obs["t"])
        given.append(NO_TORQUE if control is None else control.torques(delta, obs))
        observations.append(plant.step([delta, 0.0], torques=given[-1]))
    return observations, given


def save_csv(path: Path, observations: list[Observation], given: list[list[float]]) -> None:
    """Write time, pose, motion and torques."""
    keys = ("t", "X", "Y", "psi", "vx", "vy", "r", "beta")
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*keys, "T_fl", "T_fr", "T_rl", "T_rr"])
        for obs, torques in zip(observations, given, strict=True):
            writer.writerow([*(obs[key] for key in keys), *torques])  # type: ignore[literal-required]


def save_picture(
    path: Path, drives: dict[str, tuple[list[Observation], list[list[float]]]]
) -> None:
    """Plot path, yaw rate, sideslip and torque of both drives."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained", dpi=100)
    FigureCanvasAgg(figure)
    (path_axis, rate_axis), (slip_axis, torque_axis) = figure.subplots(2, 2)
    figure.suptitle("Sine with dwell at 80 km/h: torque at each wheel", fontweight="bold")
    for (name, (run, given)), colour in zip(drives.items(), ("#c2362f", "#2563a8"), strict=True):
        t = [obs["t"] for obs in run]
        path_axis.plot([o["X"] for o in run], [o["Y"] for o in run], color=colour, label=name)
        rate_axis.plot(t, [o["r"] for o in run], color=colour)
        slip_axis.plot(t, [math.degrees(o["beta"]) for o in run], color=colour)
        torque_axis.plot(t, [torques[1] for torques in given], color=colour)
        if name != next(iter(drives)):
            wanted = [neutral_yaw_rate(steering(o["t"]), o["vx"]) for o in run]
            rate_axis.plot(t, wanted, color="black", linewidth=0.8, linestyle="--", label="wanted")
            rate_axis.legend(frameon=False, fontsize=9)
    for axis, x, y in (
        (path_axis, "x [m]", "y [m]"),
        (rate_axis, "time [s]", "yaw rate [rad/s]"),
        (slip_axis, "time [s]", "sideslip [degrees]"),
        (torque_axis, "time [s]", "torque of a right wheel [N m]\n(left: the opposite)"),
    ):
        axis.set_xlabel(x)
        axis.set_ylabel(y)
        axis.grid(True, color="#e4e7eb")
    path_axis.legend(frameon=False, fontsize=9)
    figure.savefig(path)


def main() -> None:
    """Run both drives, print the results, save the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    drives = {"no control": drive(None), "yaw moment control": drive(YawControl())}
    for name, (run, given) in drives.items():
        sideslip = math.degrees(max(abs(obs["beta"]) for obs in run))
        torque = max(abs(torque) for torques in given for torque in torques)
        print(
            f"{name}: sideslip up to {sideslip:.0f} degrees, torque up to {torque:.0f} N m, "
            f"yaw rate at the end {abs(run[-1]['r']):.3f} rad/s: "
            + ("spun" if sideslip > 45.0 else "stayed stable")
        )
        save_csv(folder / f"torque_vectoring_{name.replace(' ', '_')}.csv", run, given)
    if importlib.util.find_spec("matplotlib") is None:
        print("no picture: matplotlib is missing (pip install matplotlib)")
        return
    picture = folder / "torque_vectoring.png"
    save_picture(picture, drives)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()

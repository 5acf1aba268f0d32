"""Two laps of a real car on one track: identify on the slow one, predict the fast one.

The data are MPC-Berkeley/genesis_path_follower, `paths/cpg_slow_lap.mat` and `cpg_fast_lap.mat`
(MIT): a Hyundai Genesis, 100 Hz. They are not part of this repository. A foreign car drives laps in
the same format, so that everything but the figures is tested without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.io import savemat
from scipy.optimize import least_squares
from vdsim_plant.assembly import roll_per_ay
from vdsim_plant.parameters import GRAVITY_MPS2, VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.study.identify.drive_log import DriveLog, with_bank
from vdsim_plant.study.identify.identification import IdentifiedCar, identify
from vdsim_plant.study.identify.log_formats.log_files import read_log
from vdsim_plant.study.identify.prediction import COUNTED_MPS, Predicted, predict

from vdsim_plant_kit.foreign_cars import ForeignCar, driven

Array = NDArray[np.float64]
SLOW, FAST = "cpg_slow_lap.mat", "cpg_fast_lap.mat"
COMMIT = "7f62ff6d1d16bcfef317181575305811b9460e8a"
INPUTS = ("time_s=t", "vx_mps=vx", "steer_rad=df")
MEASURED = ("yaw_rate_radps=wz",)
BESIDE = ("ay_mps2=a_lat", "vy_mps=vy")
"""What is predicted beside the yaw rate: no more than compared, with an offset of the slow lap."""
FITTED = ("ay_mps2=a_lat", "heading_rad=psi")
"""What the fitted lap has beyond: one shows the bank, one the offset of the yaw rate."""
SETTLE_STEPS = 4  # of the linear model a row


@dataclass(frozen=True)
class Published:
    """A linear two-degree-of-freedom model as its owners publish it; SI units, axles."""

    mass: float = 2303.1
    yaw_inertia: float = 5520.1
    to_front: float = 1.5213
    to_rear: float = 1.4987
    front: float = 2.0 * 76_419.0
    rear: float = 2.0 * 134_851.0

    def start(self) -> VehicleParameters:
        """Return the car that the identification begins with: a preset with these values."""
        car = load_vehicle("ioniq5_awd")
        body = car.body
        wheelbase = self.to_front + self.to_rear
        longer = max(wheelbase - body.wheelbase_m, 0.0)
        return replace(
            car,
            body=replace(
                body,
                mass_kg=self.mass,
                yaw_inertia_kgm2=self.yaw_inertia,
                pitch_inertia_kgm2=max(body.pitch_inertia_kgm2, self.yaw_inertia),
                cg_to_front_axle_m=self.to_front,
                cg_to_rear_axle_m=self.to_rear,
                length_m=body.length_m + longer,
            ),
            axles=replace(
                car.axles,
                cornering_stiffness_front_n_per_rad=self.front,
                cornering_stiffness_rear_n_per_rad=self.rear,
            ),
        )


def linear_drive(
    log: DriveLog, model: Published, scale: float, offset_rad: float
) -> dict[str, Array]:
    """Return what the linear model says of a log, from steering and speed: r, ay, vy, in SI."""
    speed, steer = log.columns["vx_mps"], log.columns["steer_rad"] * scale + offset_rad
    found = {name: np.empty(log.rows) for name in ("yaw_rate_radps", "ay_mps2", "vy_mps")}
    m, iz, a, b = model.mass, model.yaw_inertia, model.to_front, model.to_rear
    across = turn = 0.0
    step = log.period_s / SETTLE_STEPS
    for row, (v, angle) in enumerate(zip(speed.tolist(), steer.tolist(), strict=True)):
        found["yaw_rate_radps"][row], found["vy_mps"][row] = turn, across
        if v < COUNTED_MPS:
            turn = v * angle / (a + b)
            across = b * turn
            found["ay_mps2"][row] = v * turn
            continue
        for part in range(SETTLE_STEPS):
            front = model.front * (angle - (across + a * turn) / v)
            rear = model.rear * -(across - b * turn) / v
            if part == 0:
                found["ay_mps2"][row] = (front + rear) / m
            across += step * ((front + rear) / m - v * turn)
            turn += step * (a * front - b * rear) / iz
    return found


def linear_rms(log: DriveLog, model: Published, scale: float, offset_rad: float) -> float:
    """Return what that leaves of the measured yaw rate, root of the mean square [rad/s]."""
    return _linear(log, model, (scale, offset_rad))["yaw_rate_radps"].rms


def _linear(log: DriveLog, model: Published, steering: tuple[float, float]) -> dict[str, Predicted]:
    """Return what the linear model predicts of the channels that a log has."""
    counts = log.columns["vx_mps"] > COUNTED_MPS
    return {
        name: Predicted(log.columns[name], made, counts, log.period_s)
        for name, made in linear_drive(log, model, *steering).items()
        if log.has(name)
    }


def tuned(log: DriveLog, model: Published) -> tuple[float, float]:
    """Return the scale and the offset of the steering with which the linear model is best."""
    counts = log.columns["vx_mps"] > COUNTED_MPS

    def left(x: Array) -> Array:
        made = linear_drive(log, model, float(x[0]), float(x[1]))["yaw_rate_radps"]
        return np.asarray((log.columns["yaw_rate_radps"] - made)[counts])

    found = least_squares(left, [1.1, 0.0], x_scale=[0.1, 1e-3], diff_step=1e-3)
    return float(found.x[0]), float(found.x[1])


@dataclass(frozen=True)
class Compared:
    """A car of the slow lap, and what it and the linear model leave of the fast one [rad/s]."""

    car: IdentifiedCar
    fast: Mapping[str, Predicted]
    slow: Mapping[str, Predicted]
    linear: Mapping[str, float]
    """The linear model with the steering's scale and offset of: the slow lap, the fast one, both
    as they are."""
    beside: Mapping[str, tuple[float, float, float]]
    """Of ay and vy on the fast lap: what is left by the car, by the linear model (its steering
    tuned on the slow lap), and the size, all about a mean; that of what is left is the slow
    lap's."""


def compared(folder: Path, model: Published, *, threads: int = 2) -> Compared:
    """Identify on the slow lap of a folder, predict both from steering and speed alone."""
    fitted = read_log(folder / SLOW, (*INPUTS, *MEASURED, *FITTED))
    start = model.start()
    banked = with_bank(fitted, roll_per_ay(start) * GRAVITY_MPS2)
    car = identify(
        banked,
        start,
        load_tyre("mf96"),
        known={"body.cg_to_front_axle_m": model.to_front, "body.mass_kg": model.mass},
        threads=threads,
    )
    slow, fast = (read_log(folder / name, (*INPUTS, *MEASURED, *BESIDE)) for name in (SLOW, FAST))
    of_slow = tuned(slow, model)
    linear = {
        "as logged": linear_rms(fast, model, 1.0, 0.0),
        "tuned on the slow lap": linear_rms(fast, model, *of_slow),
        "tuned on the fast lap itself": linear_rms(fast, model, *tuned(fast, model)),
    }
    ours = predict(car, fast), predict(car, slow)
    theirs = _linear(fast, model, of_slow), _linear(slow, model, of_slow)
    beside = {}
    for name, of_fast in ours[0].items():
        if name != "yaw_rate_radps":
            left, linear_left = (_left_about(f[name], s[name]) for f, s in (ours, theirs))
            beside[name] = left, linear_left, float(np.std(of_fast.measured[of_fast.counts]))
    return Compared(car, *ours, linear, beside)


def _left_about(fast: Predicted, slow: Predicted) -> float:
    """Return what is left of a fast lap about the mean of what is left of the slow one."""
    return float(np.sqrt(np.mean((fast.error - slow.error.mean()) ** 2)))


def write_laps(folder: Path, car: ForeignCar, *, seconds: float) -> None:
    """Drive a foreign car round a winding track, slowly and fast; write both laps."""
    for name, speed, seed in ((SLOW, 9.0, 1), (FAST, 13.0, 2)):
        rng = np.random.default_rng(seed)
        rows = round(seconds / 0.01)
        way = speed * 0.01 * np.arange(rows)
        bends = sum(np.sin(2.0 * np.pi * way / length) for length in (90.0, 210.0, 37.0))
        steer = 0.025 * np.asarray(bends)
        push = 0.8 * np.sin(2.0 * np.pi * 0.01 * np.arange(rows) / 25.0) + 0.13
        d = driven(car, steer, push, 0.01, start=speed)
        wz = d["yaw_rate_radps"]
        savemat(
            folder / name,
            {
                "t": 1e4 + d["time_s"],
                "vx": d["vx_mps"] + rng.normal(0.0, 0.02, rows),
                "df": steer / 1.12,
                "wz": wz + 0.004 + rng.normal(0.0, 0.002, rows),
                "a_lat": d["ay_mps2"] - 0.6 + rng.normal(0.0, 0.05, rows),
                "vy": d["vy_mps"] + rng.normal(0.0, 0.02, rows),
                "psi": np.cumsum(wz) * 0.01,
                "mode": "simulated",
            },
        )

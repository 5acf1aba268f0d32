"""Drives whose speed or wheel angle is read in steps, late: logs for the fits, in virtual time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
from vdsim_interface.extras.calibration.quantised_fit import KPH, Log, SteerLog
from vdsim_interface.platforms.pedal_table import load_pedal_map

RATE_HZ, STEP_S = 20.0, 0.005
DELAY_S = 0.05
STEP_RAD = math.radians(0.1)
Accel = Callable[[float, float], float]


def drive(accel: Accel, minutes: float, seed: int) -> Log:
    """A person drives: pedals held and moved, speeds between 0 and 24 m/s."""
    dice = random.Random(seed)
    true_v, pedal, wanted, until = 5.0, 0.0, 0.0, 0.0
    speeds, pedals = [], []
    for n in range(int(60.0 * minutes / STEP_S)):
        now = n * STEP_S
        if now >= until:
            until = now + dice.uniform(0.8, 5.0)
            up = dice.random() < (0.85 if true_v < 4.0 else 0.2 if true_v > 20.0 else 0.55)
            wanted = dice.uniform(0.0, 0.6) if up else dice.uniform(-0.4, 0.1)
        pedal += max(min(wanted - pedal, 1.0 * STEP_S), -1.0 * STEP_S)
        true_v = max(true_v + accel(pedal, true_v) * STEP_S, 0.0)
        speeds.append(true_v)
        pedals.append(pedal)
    late, every = round(DELAY_S / STEP_S), round(1.0 / RATE_HZ / STEP_S)
    at = np.arange(late, len(speeds), every)
    read = np.round(np.array(speeds)[at - late] / KPH) * KPH
    return Log(np.asarray(at * STEP_S, dtype=np.float64), read, np.array(pedals)[at])


def shipped(name: str) -> Accel:
    return load_pedal_map(name).accel


def combustion(pedal: float, speed: float) -> float:
    """A made-up car with a torque peak in the middle, and drag."""
    drag = -0.12 - 0.0006 * speed * speed
    if pedal < 0.0:
        return drag + 9.0 * pedal
    return drag + 4.2 * math.pow(pedal, 0.8) * (0.7 + 0.6 * math.exp(-(((speed - 9.0) / 6.0) ** 2)))


CARS = {"ioniq5_awd": shipped("ioniq5_awd"), "compact_fwd": shipped("compact_fwd"),
        "combustion": combustion}  # fmt: skip


def limited(gain: float, most: float, slower: float) -> Accel:
    """A rate that follows the error up to a limit, both lower at speed."""

    def rate(error: float, speed: float) -> float:
        share = 1.0 / (1.0 + slower * speed)
        return share * most * math.tanh(gain * error / most)

    return rate


STEERING = {"quick": limited(5.0, 0.8, 0.0), "slow": limited(2.0, 0.35, 0.02),
            "heavy": limited(3.5, 0.5, 0.05)}  # fmt: skip


def steer(rate: Accel, minutes: float, seed: int) -> SteerLog:
    """Angles that are asked for, at speeds that drift; 50 samples a second."""
    dice = random.Random(seed)
    angle, asked, speed, until = 0.0, 0.0, 8.0, 0.0
    angles, rest = [], []
    for n in range(int(60.0 * minutes / STEP_S)):
        now = n * STEP_S
        if now >= until:
            until, asked = now + dice.uniform(0.3, 2.5), dice.uniform(-0.3, 0.3)
        speed = min(max(speed + dice.uniform(-0.05, 0.05), 2.0), 20.0)
        angle += rate(asked - angle, speed) * STEP_S
        angles.append(angle)
        rest.append((asked, speed))
    late, every = round(DELAY_S / STEP_S), round(0.02 / STEP_S)
    at = np.arange(late, len(angles), every)
    read = np.round(np.array(angles)[at - late] / STEP_RAD) * STEP_RAD
    asked_rad, speeds = np.array(rest)[at].T
    return SteerLog(np.asarray(at * STEP_S, dtype=np.float64), read, asked_rad, speeds)

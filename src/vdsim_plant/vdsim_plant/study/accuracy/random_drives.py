"""Random drives that the error of a substep is taken over: the same ones for every car."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HOLD_S = 0.4
DURATION_S = 3.0
SPEEDS_MPS = (10.0, 30.0)
FRICTIONS = (0.4, 0.9)


@dataclass(frozen=True)
class DriveKind:
    """How hard a driver may be: limits of wheel angle [rad] and of force over weight."""

    name: str
    largest_steer_rad: float
    largest_force_g: float


HARD = DriveKind("hard", 0.15, 0.8)
MODERATE = DriveKind("moderate", 0.05, 0.3)


@dataclass(frozen=True)
class Drive:
    """A start speed, a friction, and inputs that are held for `HOLD_S` each, `DURATION_S` in all.

    An input is a wheel angle [rad], positive to the left, and a force over the car's weight.
    """

    speed_mps: float
    mu: float
    inputs: tuple[tuple[float, float], ...]


def random_drives(kind: DriveKind, count: int) -> tuple[Drive, ...]:
    """Return the first `count` drives of a kind; they do not depend on how many are asked for."""
    return tuple(_drive(kind, k) for k in range(count))


def _drive(kind: DriveKind, number: int) -> Drive:
    rng = np.random.default_rng((len(kind.name), number))
    held = -int(-DURATION_S // HOLD_S)
    steers = rng.uniform(-kind.largest_steer_rad, kind.largest_steer_rad, held)
    forces = rng.uniform(-kind.largest_force_g, kind.largest_force_g, held)
    return Drive(
        speed_mps=float(rng.uniform(*SPEEDS_MPS)),
        mu=FRICTIONS[number % len(FRICTIONS)],
        inputs=tuple(zip(steers.tolist(), forces.tolist(), strict=True)),
    )

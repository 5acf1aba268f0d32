"""Many variants of a car over all pieces of a log at once, on the lanes of the batch's kernel.

A car of the block is one variant (a set of values) on one segment (a piece of the log), so that a
whole Jacobian is one run. Variants with another friction drive on another stretch of the same road.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assembly import build_car
from vdsim_plant.car.loops import drive_blocks, drive_blocks_full
from vdsim_plant.ground import Ground, XPatch, compile_ground
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel import logged
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.study.identify.candidates import LOAD_LAG, MU, ROLL_ASIDE, TILT
from vdsim_plant.study.identify.channels import FORCES, SPINS, TORQUES
from vdsim_plant.study.identify.drive_log import DriveLog
from vdsim_plant.study.identify.input_series import InputSeries
from vdsim_plant.study.identify.unknowns import (
    Start,
    car_of,
)

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
STRETCH_M = 2e5  # of road for each friction
BODY_DAMPING = 0.35  # of critical, of a body on its springs as it rolls and pitches
_STEERING = ("steer_rad", "steering_wheel_rad")
_FIELDS: Mapping[str, int] = {
    "vx_mps": at.VX,
    "vy_mps": at.VY,
    "yaw_rate_radps": at.YAW_RATE,
    "ax_mps2": at.AX,
    "ay_mps2": at.AY,
    **{name: at.SPIN + wheel for wheel, name in enumerate(SPINS)},
    **{name: at.FX + wheel for wheel, name in enumerate(FORCES)},
    **{
        name: logged.MOTOR_FRONT if wheel < 2 else logged.MOTOR_REAR
        for wheel, name in enumerate(TORQUES)
    },
}


@dataclass(frozen=True)
class Variant:
    """A set of values, and what is added to the first vx, vy [m/s] and yaw rate [rad/s]."""

    values: Mapping[str, float]
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)


class LogSimulation:
    """Drives variants of a car with a log's commands."""

    def __init__(self, log: DriveLog, start: Start, outputs: Sequence[str]) -> None:
        self._start = start
        self._outputs = tuple(outputs)
        self._series = InputSeries(
            log, start.vehicle.steering.max_angle_rad, held_torque=start.held_torque
        )

    def prepared(self, variants: Sequence[Variant]) -> VariantRun:
        """Return what drives these variants, over as many segments as it is asked to."""
        return VariantRun(self._start, self._series, self._outputs, variants)


class VariantRun:
    """Some variants, ready to drive."""

    def __init__(
        self,
        start: Start,
        series: InputSeries,
        outputs: Sequence[str],
        variants: Sequence[Variant],
    ) -> None:
        self._outputs = tuple(outputs)
        self._inputs = series
        self._variants = variants
        self._moving = [name for name in self._outputs if name not in _STEERING]
        self._fields = np.array([float(_FIELDS[name]) for name in self._moving])
        frictions = sorted({variant.values[MU] for variant in variants})
        cars, plain = [], True
        for variant in variants:
            vehicle, tyre = car_of(start, variant.values)
            car = build_car(vehicle, tyre, Ground(base_mu=1.0), "l2", series.substep_s)
            car[at.X] = STRETCH_M * (1 + frictions.index(variant.values[MU]))
            cars.append(car)
            plain &= tyre.mf96.is_plain
        self._drive = drive_blocks if plain else drive_blocks_full
        self._cars = np.stack(cars)
        half = 0.5 * STRETCH_M
        patches = tuple(
            XPatch(STRETCH_M * (1 + k) - half, STRETCH_M * (1 + k) + half, mu)
            for k, mu in enumerate(frictions)
        )
        self._ground = compile_ground(Ground(base_mu=1.0, x_patches=patches))
        self._shifts = np.array([variant.shift for variant in variants])
        self._places, self._series = series.of([variant.values for variant in variants])
        self._brakes = series.brakes([variant.values for variant in variants])
        # The body's oscillator, implicit: without a lag it is where it is pulled to.
        of_body = np.maximum(self._of(LOAD_LAG), 1e-9) / (2.0 * BODY_DAMPING)  # 1 over its w
        step = series.substep_s / of_body
        stays = 1.0 / (1.0 + 2.0 * BODY_DAMPING * step + step**2)
        aside = self._of(ROLL_ASIDE) * of_body**2
        self._body = np.stack((step**2 * stays / series.substep_s, stays, aside))

    def run(
        self,
        starts: Rows,
        initial: Array,
        ticks: int,
        spins: Array | None = None,
        pushed: Array | None = None,
    ) -> Array:
        """Return the outputs: channel x tick x segment x variant.

        `initial` has vx, vy and yaw rate of each segment, `spins` the speeds of its wheels [rad/s],
        NaN for one that rolls, `pushed` its ax and ay [m/s2], which the loads are of. Row k of the
        outputs belongs to row `starts + k` of the log; the first is the initial state.
        """
        count, wide = len(starts), len(self._variants)
        pushed = np.zeros((count, 2)) if pushed is None else pushed
        blocks = self._blocks(initial, spins, pushed)
        cars = len(blocks) * LANES
        records = self._records(starts, cars, pushed)
        seen = np.empty((len(self._fields), ticks, cars))
        self._drive(
            *(blocks.reshape(-1), self._ground, np.zeros(cars), records.reshape(-1)),
            *(self._series, self._fields, seen.reshape(-1)),
            *(0, len(blocks), ticks, self._inputs.substeps),
        )
        driven = seen[..., : count * wide].reshape(len(self._fields), ticks, count, wide)
        self._feel_tilt(driven)
        self._feel_bank(driven, starts)
        return self._with_inputs(driven, starts)

    def _feel_tilt(self, driven: Array) -> None:
        """Let an accelerometer that rolls with the body feel gravity in bends."""
        if "ay_mps2" in self._outputs:
            driven[self._moving.index("ay_mps2")] *= 1.0 + self._of(TILT)

    def _feel_bank(self, driven: Array, starts: Rows) -> None:
        """Take gravity out of the acceleration across: an accelerometer does not feel it."""
        if not self._inputs.banked or "ay_mps2" not in self._outputs:
            return
        rows = starts + np.arange(driven.shape[1])[:, np.newaxis]
        driven[self._moving.index("ay_mps2")] -= self._now(logged.BANK_FROM, rows)

    def _with_inputs(self, driven: Array, starts: Rows) -> Array:
        """Add what a log shows of the actuators: the steering's angle, the brakes' torque."""
        rows = starts + np.arange(driven.shape[1])[:, np.newaxis]
        moving = self._moving
        if any(name in TORQUES for name in moving):
            brake = self._now(logged.BRAKE_FROM, rows)
            brake *= self._inputs.backwards(rows)[..., np.newaxis]
            for channel, name in enumerate(moving):
                if name in TORQUES:
                    driven[channel] -= brake * self._brakes[TORQUES.index(name)]
        if len(moving) == len(self._outputs):
            return driven
        full = np.empty((len(self._outputs), *driven.shape[1:]))
        angle = self._now(logged.STEER_FROM, rows) - self._of("steering.offset_rad")
        for channel, name in enumerate(self._outputs):
            if name == "steer_rad":
                full[channel] = angle
            elif name == "steering_wheel_rad":
                full[channel] = angle * self._of("steering.ratio")
            else:
                full[channel] = driven[moving.index(name)]
        return full

    def _now(self, kind: int, rows: Rows) -> Array:
        """Return an input at the moment of each row: row x segment x variant."""
        places, which = np.unique(self._places[kind], return_inverse=True)
        after = rows * self._inputs.substeps
        found = np.stack(
            [0.5 * (self._series[p + after - 1] + self._series[p + after]) for p in places], axis=-1
        )
        now: Array = found[..., which]
        return now

    def _of(self, key: str) -> Array:
        return np.array([variant.values[key] for variant in self._variants])

    def _blocks(self, initial: Array, spins: Array | None, pushed: Array) -> Array:
        """Return the blocks with the cars at their initial states."""
        wide = len(self._variants)
        cars = np.tile(self._cars, (len(initial), 1))
        state = (initial[:, np.newaxis, :] + self._shifts[np.newaxis]).reshape(-1, 3)
        cars[:, at.VX], cars[:, at.VY], cars[:, at.YAW_RATE] = state.T
        cars[:, at.EXPECTED_X : at.EXPECTED_Y + 1] = np.repeat(pushed, wide, axis=0)
        rim = state[:, :1] - state[:, 2:] * cars[:, at.ARM_Y : at.ARM_Y + 4]
        rolling = rim / cars[:, at.RADIUS, np.newaxis]
        given = rolling if spins is None else np.repeat(spins, wide, axis=0)
        cars[:, at.SPIN : at.SPIN + 4] = np.where(np.isnan(given), rolling, given)
        full = np.concatenate((cars, np.repeat(cars[-1:], -len(cars) % LANES, axis=0)))
        return np.ascontiguousarray(full.reshape(-1, LANES, at.SIZE).transpose(0, 2, 1))

    def _records(self, starts: Rows, cars: int, pushed: Array) -> Array:
        """Return where each car's inputs begin, and its brakes: record x car."""
        wide = len(self._variants)
        records = np.empty((logged.RECORD, len(starts), wide))
        first = (starts * self._inputs.substeps)[:, np.newaxis]
        places = self._places[:, np.newaxis, :]
        records[: logged.BRAKE_FULL] = np.where(places < 0, -1, places + first)
        records[logged.BRAKE_FULL : logged.LOAD_PULL] = self._brakes[:, np.newaxis, :]
        records[logged.LOAD_PULL : logged.CARRIED_X] = self._body[:, np.newaxis, :]
        records[logged.CARRIED_X : logged.CARRIED_RATE_X] = pushed.T[:, :, np.newaxis]
        records[logged.CARRIED_RATE_X :] = 0.0
        flat = records.reshape(logged.RECORD, -1)
        spare = np.repeat(flat[:, -1:], cars - flat.shape[1], axis=1)
        return np.concatenate((flat, spare), axis=1)

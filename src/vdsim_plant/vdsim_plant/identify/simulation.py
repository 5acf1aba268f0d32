"""Many variants of a car over all pieces of a log at once, on the lanes of the batch's kernel.

A car of the block is one variant (a set of values) on one segment (a piece of the log), so that a
whole Jacobian is one run. Variants with another friction drive on another stretch of the same road.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assembly import build_car
from vdsim_plant.ground import Ground, XPatch, compile_ground
from vdsim_plant.identify.actuation import realized
from vdsim_plant.identify.channels import FORCES, SPINS, TORQUES
from vdsim_plant.identify.drive_log import DriveLog
from vdsim_plant.identify.unknowns import MU, STEER_OFFSET, Start, car_of
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.loops import advance_blocks

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
SUBSTEP_S = 1e-3
STRETCH_M = 2e5  # of road for each friction
_FIELDS: Mapping[str, int] = {
    "vx_mps": at.VX,
    "vy_mps": at.VY,
    "yaw_rate_radps": at.YAW_RATE,
    "ax_mps2": at.AX,
    "ay_mps2": at.AY,
    **{name: at.SPIN + wheel for wheel, name in enumerate(SPINS)},
    **{name: at.FX + wheel for wheel, name in enumerate(FORCES)},
}


_FORCED = ("ax_mps2", "ay_mps2", *FORCES)


@dataclass(frozen=True)
class Variant:
    """A set of values, and what is added to the first vx, vy [m/s] and yaw rate [rad/s]."""

    values: Mapping[str, float]
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)


class LogSimulation:
    """Drives variants of a car with a log's commands."""

    def __init__(self, log: DriveLog, start: Start, outputs: Sequence[str]) -> None:
        self._log = log
        self._start = start
        self._outputs = tuple(outputs)
        self._substeps = max(1, math.ceil(log.period_s / SUBSTEP_S - 1e-9))
        self._substep_s = log.period_s / self._substeps
        self._by_torque = not log.has("command_throttle", "command_brake")
        gear = log.columns.get("command_gear")
        self._gear = np.ones(log.rows) if gear is None else np.sign(np.round(gear))
        self._kept: dict[tuple[str, float, float], tuple[Array, Array]] = {}

    def run(
        self,
        variants: Sequence[Variant],
        starts: Rows,
        initial: Array,
        ticks: int,
        spins: Array | None = None,
    ) -> Array:
        """Return the outputs: channel x tick x segment x variant.

        `initial` has vx, vy and yaw rate of each segment, `spins` the speeds of its wheels [rad/s],
        NaN for one that rolls. Row k of the outputs belongs to row `starts + k` of the log; the
        first is the initial state.
        """
        count, wide = len(starts), len(variants)
        cars = count * wide
        blocks = np.zeros((-(-cars // LANES), at.SIZE, LANES))
        ground = self._place(blocks, variants, count, initial, spins)
        drive = _Inputs(self, variants)
        step = advance_blocks.on(blocks.reshape(-1), ground)
        seen = np.empty((len(self._outputs), ticks, count, wide))
        for tick in range(ticks):
            rows = starts + tick
            self._read_states(blocks, drive, rows, seen[:, tick])
            before = self._forced(blocks, count, wide) if tick else None
            drive.write(blocks, rows)
            step(0, len(blocks), 1)
            # An input is held at its mean over a period, so that what follows it at once is half
            # a period late at the end of one and half a period early at the start of the next.
            for channel, value in self._forced(blocks, count, wide).items():
                seen[channel, tick] = value if before is None else 0.5 * (value + before[channel])
            if tick < ticks - 1 and self._substeps > 1:
                step(0, len(blocks), self._substeps - 1)
        return seen

    def actuated(self, name: str, values: Mapping[str, float]) -> tuple[Array, Array]:
        """Return (position at each row, mean over each period) of steering, throttle or brake."""
        log = self._log
        if name == "steering" and not self._steers_by_command:
            measured = log.columns.get("steer_rad")
            if measured is None:
                measured = log.columns["steering_wheel_rad"] / values["steering.ratio"]
            return measured, measured
        if name == "steering":
            key = "command_steer_rad"
            if not log.has(key):
                key = "command_steering_wheel_rad"
        else:
            key = f"command_{name}"
        delay = values[f"actuator.{name}.delay_s"]
        lag = values[f"actuator.{name}.lag_s"]
        found = self._kept.get((key, delay, lag))
        if found is None:
            found = realized(
                log.columns[key],
                log.stretches,
                period_s=log.period_s,
                delay_s=delay,
                lag_s=lag,
            )
            if len(self._kept) > 64:
                self._kept.clear()
            self._kept[key, delay, lag] = found
        if key == "command_steering_wheel_rad":
            return found[0] / values["steering.ratio"], found[1] / values["steering.ratio"]
        return found

    @property
    def _steers_by_command(self) -> bool:
        log = self._log
        return log.has("command_steer_rad") or log.has("command_steering_wheel_rad")

    @property
    def by_torque(self) -> bool:
        """Whether the measured wheel torques drive the car, for want of pedals."""
        return self._by_torque

    @property
    def gear(self) -> Array:
        """Gear of each row."""
        return self._gear

    @property
    def wheel_torques(self) -> Array:
        """The measured torques, row x wheel [N m]."""
        return np.stack([self._log.columns[name] for name in TORQUES], axis=1)

    @property
    def start(self) -> Start:
        """The car that the values change."""
        return self._start

    def _place(
        self,
        blocks: Array,
        variants: Sequence[Variant],
        count: int,
        initial: Array,
        spins: Array | None,
    ) -> Array:
        """Fill the blocks with the cars at their initial states; return the road."""
        frictions = sorted({variant.values[MU] for variant in variants})
        templates = []
        for variant in variants:
            vehicle, tyre = car_of(self._start, variant.values)
            car = build_car(vehicle, tyre, Ground(base_mu=1.0), "l2", self._substep_s)
            car[at.X] = STRETCH_M * (1 + frictions.index(variant.values[MU]))
            templates.append(car)
        cars = np.tile(np.stack(templates), (count, 1))
        shifts = np.array([variant.shift for variant in variants])
        state = (initial[:, np.newaxis, :] + shifts[np.newaxis]).reshape(-1, 3)
        cars[:, at.VX], cars[:, at.VY], cars[:, at.YAW_RATE] = state.T
        rim = state[:, :1] - state[:, 2:] * cars[:, at.ARM_Y : at.ARM_Y + 4]
        rolling = rim / cars[:, at.RADIUS, np.newaxis]
        given = rolling if spins is None else np.repeat(spins, len(variants), axis=0)
        cars[:, at.SPIN : at.SPIN + 4] = np.where(np.isnan(given), rolling, given)
        full = np.concatenate((cars, np.repeat(cars[-1:], -len(cars) % LANES, axis=0)))
        blocks[:] = full.reshape(-1, LANES, at.SIZE).transpose(0, 2, 1)
        half = 0.5 * STRETCH_M
        patches = tuple(
            XPatch(STRETCH_M * (1 + k) - half, STRETCH_M * (1 + k) + half, mu)
            for k, mu in enumerate(frictions)
        )
        return compile_ground(Ground(base_mu=1.0, x_patches=patches))

    def _read_states(self, blocks: Array, drive: _Inputs, rows: Rows, out: Array) -> None:
        """Write what changes no faster than the car moves, or is an actuator's position."""
        count, wide = out.shape[1:]
        torques = None
        for channel, name in enumerate(self._outputs):
            if name in ("steer_rad", "steering_wheel_rad"):
                out[channel] = drive.steering_position(rows)
                if name == "steering_wheel_rad":
                    out[channel] *= drive.ratio
            elif name in TORQUES:
                if torques is None:
                    torques = drive.torques_now(blocks, rows)
                out[channel] = torques[TORQUES.index(name) // 2]
            elif name not in _FORCED:
                out[channel] = _cars_of(blocks, _FIELDS[name], count * wide).reshape(count, wide)

    def _forced(self, blocks: Array, count: int, wide: int) -> dict[int, Array]:
        """Return what follows the inputs at once: accelerations and forces, by channel."""
        return {
            channel: _cars_of(blocks, _FIELDS[name], count * wide).reshape(count, wide)
            for channel, name in enumerate(self._outputs)
            if name in _FORCED
        }


class _Inputs:
    """What steers, drives and brakes each car, tick by tick."""

    def __init__(self, simulation: LogSimulation, variants: Sequence[Variant]) -> None:
        values = [variant.values for variant in variants]
        self._simulation = simulation
        offset = np.array([v[STEER_OFFSET] for v in values])
        limit = simulation.start.vehicle.steering.max_angle_rad
        steering = [simulation.actuated("steering", v) for v in values]
        self._position = np.stack([position for position, _ in steering], axis=1)
        mean = np.stack([mean for _, mean in steering], axis=1)
        self._steer = np.clip(mean + offset, -limit, limit)
        self.ratio = np.array([v["steering.ratio"] for v in values])
        if simulation.by_torque:
            torques = simulation.wheel_torques
            self._drive = np.maximum(torques, 0.0)
            self._brakes = np.maximum(-torques, 0.0)
            return
        self._motor = _Motor(simulation.start, values)
        throttle = [simulation.actuated("throttle", v) for v in values]
        brake = [simulation.actuated("brake", v) for v in values]
        full = 0.5 * np.array([v["brakes.max_torque_nm"] for v in values])
        front = np.array([v["brakes.front_share"] for v in values])
        self._front, self._rear = full * front, full * (1.0 - front)
        self._gear = np.where(simulation.gear < 0.0, -1.0, 1.0)[:, np.newaxis]
        now, averaged = (
            [
                np.clip(np.stack([pair[k] for pair in pairs], axis=1), 0.0, 1.0)
                for pairs in (throttle, brake)
            ]
            for k in (0, 1)
        )
        self._now = (now[0] * simulation.gear[:, np.newaxis], now[1])
        self._mean = (averaged[0] * simulation.gear[:, np.newaxis], averaged[1])

    def steering_position(self, rows: Rows) -> Array:
        """Return the angle that a sensor at the steering sees, segment x variant [rad]."""
        position: Array = self._position[rows]
        return position

    def write(self, blocks: Array, rows: Rows) -> None:
        """Write the inputs of one period, segment k at `rows[k]` of the log."""
        steer = self._steer[rows]
        _put(blocks, at.STEER, steer)
        if self._simulation.by_torque:
            for wheel in range(4):
                wide = np.ones(steer.shape[1])
                _put(blocks, at.TORQUE + wheel, np.outer(self._drive[rows, wheel], wide))
                _put(blocks, at.BRAKE + wheel, np.outer(self._brakes[rows, wheel], wide))
            return
        throttle, brake = self._mean
        front, rear = self._motor.torques(blocks, throttle[rows])
        for wheel, torque in enumerate((front, front, rear, rear)):
            _put(blocks, at.TORQUE + wheel, torque)
        pedal = brake[rows]
        front, rear = pedal * self._front, pedal * self._rear
        for wheel, torque in enumerate((front, front, rear, rear)):
            _put(blocks, at.BRAKE + wheel, torque)

    def torques_now(self, blocks: Array, rows: Rows) -> tuple[Array, Array]:
        """Return what a front and a rear wheel get at this moment, brakes negative [N m]."""
        throttle, brake = self._now
        front, rear = self._motor.torques(blocks, throttle[rows])
        pedal = brake[rows] * self._gear[rows]
        return front - pedal * self._front, rear - pedal * self._rear


class _Motor:
    """The motor of each variant; the kernel's blocks know torques at the wheels only."""

    def __init__(self, start: Start, values: Sequence[Mapping[str, float]]) -> None:
        cars = []
        for value in values:
            vehicle, tyre = car_of(start, value)
            cars.append(build_car(vehicle, tyre, Ground(base_mu=1.0), "l2", SUBSTEP_S))
        self._cars = np.stack(cars)
        self._tables = self._cars[:, at.MOTOR_TABLE : at.MOTOR_TABLE + at.MOTOR_POINTS]

    def torques(self, blocks: Array, throttle: Array) -> tuple[Array, Array]:
        """Return the torque at each front and each rear wheel, segment x variant [N m]."""
        cars, shape = self._cars, throttle.shape
        spins = [_cars_of(blocks, at.SPIN + i, throttle.size).reshape(shape) for i in range(4)]
        split = cars[:, at.MOTOR_SPLIT_FRONT]
        turning = 0.5 * (split * (spins[0] + spins[1]) + (1.0 - split) * (spins[2] + spins[3]))
        speed = np.abs(turning) * cars[:, at.MOTOR_RATIO]
        place = np.clip(speed * cars[:, at.MOTOR_STEP_INVERSE], 0.0, at.MOTOR_POINTS - 1.001)
        below = place.astype(np.int64)
        variant = np.arange(len(cars))
        low, high = self._tables[variant, below], self._tables[variant, below + 1]
        torque = throttle * (low + (place - below) * (high - low))
        return torque * cars[:, at.MOTOR_GAIN_FRONT], torque * cars[:, at.MOTOR_GAIN_REAR]


def _put(blocks: Array, field: int, values: Array) -> None:
    flat = values.reshape(-1)
    whole, rest = divmod(len(flat), LANES)
    blocks[:whole, field] = flat[: whole * LANES].reshape(whole, LANES)
    if rest:
        blocks[whole, field, :rest] = flat[whole * LANES :]
        blocks[whole, field, rest:] = flat[-1]


def _cars_of(blocks: Array, field: int, cars: int) -> Array:
    values: Array = blocks[:, field, :].reshape(-1)[:cars]
    return values

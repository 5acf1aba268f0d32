"""The actuators and sensors of a batch, and where in a control period they come in.

The order is that of `VDSimPlant`: a period is cut where the actuators move on and where a delayed
sensor looks; the inputs are held from one cut to the next.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.batch.actuator_lanes import ActuatorLanes
from vdsim_plant.batch.blocks import Blocks
from vdsim_plant.batch.inputs import HeldInputs, WheelRows
from vdsim_plant.batch.kinds import CarKind, Kinds
from vdsim_plant.batch.packing import packed, unpacked
from vdsim_plant.batch.rows import Cars
from vdsim_plant.batch.sensor_lanes import SEEN, BatchMeasured, SensorLanes, measured_from
from vdsim_plant.kernel import layout as at
from vdsim_plant.sensor import MeasuredState, SensorLayer, SensorParameters

Array = NDArray[np.float64]
Arrays = list[NDArray[Any]]
_NO_SPEED = np.zeros(0)
_SEEDS = 2**32


class ForkedPlant(Protocol):
    """A plant that a batch goes on from."""

    def parts(self) -> tuple[CarKind, ActuatorLayer | None, SensorLayer | None]:
        """Return what it is, its actuators and its sensors."""

    def measured(self) -> MeasuredState:
        """Return what its sensors measured last."""


class Layers:
    """What is between the inputs and n cars, and between the cars and what is measured."""

    def __init__(
        self,
        blocks: Blocks,
        first: CarKind,
        actuators: ActuatorLanes | None,
        sensors: SensorLanes | None,
    ) -> None:
        self._blocks = blocks
        self._cuts = first.cuts
        self._actuators = actuators
        self._sensors = sensors
        self.are_none = actuators is None and sensors is None

    @classmethod
    def around(cls, blocks: Blocks, kinds: Kinds, of: Cars, seed: int) -> Layers:
        """Return the layers of cars of these kinds."""
        actuators = sensors = None
        if kinds.first.actuators is not None:
            of_kinds = [kind.actuators or ActuatorParameters() for kind in kinds.all]
            cuts = kinds.first.cuts
            part_s = cuts.actuator_part * kinds.first.vehicle.substep_s
            actuators = ActuatorLanes(of_kinds, of, part_s)
        if kinds.first.sensors is not None:
            noises = [kind.sensors or SensorParameters() for kind in kinds.all]
            seeds = [(seed + car) % _SEEDS for car in range(len(of))]
            sensors = SensorLanes(noises, of, seeds)
        return cls(blocks, kinds.first, actuators, sensors)

    def place(self, of: Cars) -> None:
        """Note of which kind each car is from now on."""
        if self._actuators is not None:
            self._actuators.place(of)
        if self._sensors is not None:
            self._sensors.place(of)

    def reset(self, cars: Cars) -> None:
        """Start again for these cars, which were just put into their first states."""
        if self._actuators is not None:
            self._actuators.reset(cars)
        if self._sensors is not None:
            self._sensors.begin(cars, self._seen()[:, cars], self._now()[cars])

    def advance(self, inputs: HeldInputs, u: Array, extra: WheelRows | None) -> None:
        """Drive all cars through one period."""
        cuts = self._cuts
        held, torques = u, extra
        steer, force = u[:, 0], u[:, 1]
        for first, last in pairwise(cuts.stops):
            if self._actuators is not None and first % cuts.actuator_part == 0:
                speed = self._speed() if self._actuators.needs_speed else _NO_SPEED
                *realized, torques = self._actuators.realize(steer, force, extra, speed)
                held = np.stack(realized, axis=1)
            inputs.hold(held, torques)
            self._blocks.advance(last - first)
            if self._sensors is not None and last in cuts.looks:
                self._sensors.pass_by(self._seen(), self._now())
        if self._sensors is not None:
            self._sensors.measure(self._seen(), self._now())

    def measured(self) -> BatchMeasured:
        """Return what the sensors measured last; the truth without them."""
        return measured_from(self._seen() if self._sensors is None else self._sensors.values)

    def take(self, cars: Cars, plant: ForkedPlant) -> None:
        """Take up the state of a plant's layers for these cars."""
        _, actuators, sensors = plant.parts()
        if self._actuators is not None and actuators is not None:
            self._actuators.take(cars, actuators)
        if self._sensors is not None and sensors is not None:
            self._sensors.take(cars, sensors, np.frombuffer(plant.measured().packed()))

    def snapshot(self) -> bytes:
        """Return the whole state; nothing without layers."""
        return packed(self._arrays())

    def restored(self, content: bytes) -> Arrays | None:
        """Return what `restore` takes; None where the bytes are not a state of these layers."""
        return unpacked(content, self._arrays())

    def restore(self, arrays: Arrays) -> None:
        """Take up a state."""
        if self._actuators is not None:
            count = len(self._actuators.arrays())
            self._actuators.restore(arrays[:count])
            arrays = arrays[count:]
        if self._sensors is not None:
            self._sensors.restore(arrays)

    def _arrays(self) -> Arrays:
        layers = (self._actuators, self._sensors)
        return [array for layer in layers if layer is not None for array in layer.arrays()]

    def _seen(self) -> Array:
        rows = np.empty((len(SEEN), self._blocks.n))
        self._blocks.read(SEEN, rows.T)
        return rows

    def _now(self) -> Array:
        now: Array = self._blocks.rows((at.OBSERVED_TIME,))[:, 0]
        return now

    def _speed(self) -> Array:
        """Return the cars' speeds [m/s], by the `hypot` of one car, which rounds otherwise."""
        vx, vy = self._blocks.rows((at.VX, at.VY)).T.tolist()
        return np.array(list(map(math.hypot, vx, vy)))

"""VDSimPlant: a car for a controller in a closed loop, one control period a step."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from numpy.typing import ArrayLike, NDArray

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.assist import AssistParameters, load_assist
from vdsim_plant.batch import PlantBatch
from vdsim_plant.batch.cuts import cuts_of
from vdsim_plant.batch.kinds import CarKind
from vdsim_plant.batch.rows import checked_count
from vdsim_plant.car.layer_snapshots import joined, layer_identity, parts_of
from vdsim_plant.car.one_caller import OneCaller
from vdsim_plant.ground import Ground
from vdsim_plant.motion import (
    NO_TORQUE,
    NO_WIND,
    VehicleMotion,
    WheelTorques,
    Wind,
    checked_brake,
    checked_drive,
    checked_wind,
)
from vdsim_plant.mpc.linearization import (
    Linearization,
    Linearizer,
    by_differences,
    checked_input,
    checked_input_rows,
    checked_states,
    is_exact,
)
from vdsim_plant.observation import Observation
from vdsim_plant.observation_reading import read_observation
from vdsim_plant.parameters import TyreParameters, VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.parameters.degrees import degrees_from, warn_of_degrees
from vdsim_plant.parameters.entries import entries_of
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.other_names import HasOtherNames
from vdsim_plant.parameters.substep import warn_of_substep
from vdsim_plant.plant_arguments import (
    actuator_layer,
    checked_periods,
    initial_state,
    loaded,
    refuse_their_order,
    refuse_unknown,
    road_of,
    sensor_layer,
)
from vdsim_plant.sensor import (
    MeasuredState,
    SensorLayer,
    SensorParameters,
    checked_seed,
    perfectly_measured,
    unpacked,
)
from vdsim_plant.variation import changed_arguments, variants
from vdsim_plant.vehicle import Vehicle


class VDSimPlant(HasOtherNames):
    """A seven-degree-of-freedom car, driven by `[delta, Fx]`, observed as a dictionary.

        plant = VDSimPlant(config="ioniq5_awd", friction_map=[(20.0, 40.0, 0.5)])
        obs = plant.reset(state0=[0, 0, 0, 16.7, 0, 0])
        obs = plant.step([0.02, -3000.0])
        obs = plant.step([0.02, 0.0], torques=[-200.0, 200.0, -200.0, 200.0])

    Input, held over `control_dt`: `delta` road wheel angle [rad], positive to the left; `Fx` total
    force intent [N]. Fx becomes wheel torque: drive torque split by `drive_split_front` where it is
    positive, brake torque split by `brake_split_front` (the same for `ioniq5_awd`) where it is
    negative. A brake opposes the wheels' turning, whichever way they turn, and holds them at
    standstill; it never drives. Torques at single wheels [N m] come on top.

    Output: `Observation`, complete after `reset` and after every `step`; keys, units and frames
    are fixed there. Wheels FL, FR, RL, RR. ``hypot(Fx, Fy)`` <= mu Fz at every wheel, always.

    The same inputs give the same bits, in every process: no randomness, fixed substeps.
    """

    def __new__(cls, *by_position: Any, **named: Any) -> VDSimPlant:
        """Refuse arguments in the order of VDSim's own class."""
        refuse_their_order(by_position)
        return super().__new__(cls)

    def __init__(
        self,
        config: str | Path | VehicleParameters = "ioniq5_awd",
        friction_map: Sequence[Sequence[float]] | None = None,
        base_mu: float | None = None,
        control_dt: float = 0.05,
        substep_dt: float = 5e-4,
        *,
        friction_map_2d: Sequence[Mapping[str, Any]] | None = None,
        ground: Ground | str | Path | None = None,
        tyre: TyreParameters | str | Path | None = None,
        level: str = "l2",
        actuators: ActuatorParameters | str | Path | None = None,
        sensors: SensorParameters | str | Path | None = None,
        assist: AssistParameters | str | Path | None = None,
        seed: int = 0,
        allow_coarse_substep: bool = False,
        limit_to_motor: bool = False,
        **unknown: NoReturn,
    ) -> None:
        """`friction_map`: [(x0, x1, mu), ...] on a road of `base_mu` (0.9); or a whole `ground`.

        `friction_map_2d`: [{"polygon": [(x, y), ...], "mu": mu}, ...] instead, over 1 m each.
        `actuators` puts lags, delays and rate limits between the input and the car; `sensors`,
        seeded by `seed`, is what `measured` sees. Without them the car is ideal. `assist` (preset
        `abs`, `passenger_car`) has ABS, traction control and ESC act on the wheels' torques. A
        `substep_dt` above 1 ms warns, above 2 ms it needs `allow_coarse_substep`.
        `limit_to_motor`: what drives is reduced to what the motor gives at the speed at which a
        period begins.
        """
        refuse_unknown(unknown, VDSimPlant.__init__)
        self._substeps, self.control_dt, self.substep_dt = checked_periods(
            control_dt, substep_dt, allow_coarse_substep=allow_coarse_substep
        )
        if not allow_coarse_substep:
            warn_of_substep("substep_dt", self.substep_dt)
        self._seed = checked_seed(seed)
        road = road_of(ground, base_mu, friction_map, friction_map_2d)
        car = loaded("config", config, VehicleParameters, load_vehicle)
        if tyre is not None:
            tyre = loaded("tyre", tyre, TyreParameters, load_tyre)
        if assist is not None:
            assist = loaded("assist", assist, AssistParameters, load_assist)
        self.vehicle = Vehicle(
            car,
            tyre,
            road,
            level=level,
            substep_s=self.substep_dt,
            limit_to_motor=limit_to_motor,
            assist=assist,
            allow_coarse_substep=True,
        )
        self._actuators: ActuatorLayer | None = None
        self._sensors: SensorLayer | None = None
        if actuators is not None:
            self._actuators = actuator_layer(actuators)
        if sensors is not None:
            self._sensors = sensor_layer(sensors, seed)
        self._cuts = cuts_of(
            self._substeps,
            self.substep_dt,
            actuators=self._actuators is not None,
            sensors=None if self._sensors is None else self._sensors.parameters,
        )
        self._layers = layer_identity(self._actuators, self._sensors)
        self._linearizer: Linearizer | None = None
        self._one_caller = OneCaller("a VDSimPlant")
        self._degrees_from = degrees_from(self.vehicle.parameters.steering.max_angle_rad)
        self._measure()

    def __repr__(self) -> str:
        """Return the car, its level and the periods [s]."""
        car = self.vehicle
        return (
            f"VDSimPlant({car.parameters.name!r}, tyre={car.tyre.name!r}, level={car.level!r}, "
            f"control_dt={self.control_dt:g}, substep_dt={self.substep_dt:g})"
        )

    def reset(self, state0: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> Observation:
        """Start at `[X, Y, psi, vx, vy, r]`, wheels rolling at that speed; return the state."""
        with self._one_caller:
            self.vehicle.reset(initial_state(state0))
            if self._actuators is not None:
                self._actuators.reset()
            if self._sensors is not None:
                self._sensors.reset()
            self._measure()
            return read_observation(self.vehicle.observed())

    def step(
        self,
        u: ArrayLike,
        torques: ArrayLike | None = None,
        brakes: ArrayLike | None = None,
        wind: ArrayLike | None = None,
    ) -> Observation:
        """Hold `[delta, Fx]` for one control period; return the state at its end.

        `torques`: drive torque at each wheel, FL, FR, RL, RR [N m], on top of that of Fx; negative
        ones drive backwards. `brakes`: brake torque at each wheel, >= 0 [N m], on top as well.
        `wind`: [Fx, Fy, moment], a force at the centre of gravity, world frame [N], and a moment to
        the left [N m] that push meanwhile.
        """
        with self._one_caller:
            delta, force = self._checked_input(u)
            extra = None
            if torques is not None or brakes is not None:
                extra = WheelTorques(
                    NO_TORQUE if torques is None else checked_drive("torques", torques),
                    NO_TORQUE if brakes is None else checked_brake("brakes", brakes),
                )
            push = NO_WIND if wind is None else checked_wind(wind)
            if self._actuators is None and self._sensors is None:
                self.vehicle.hold_force(delta, force, self._substeps, extra, push)
            else:
                self._step_with_layers(float(delta), float(force), extra, push)
            return read_observation(self.vehicle.observed())

    def wheel_mu(self) -> tuple[float, float, float, float]:
        """Return the friction that each wheel used in the last substep, FL, FR, RL, RR."""
        return self.vehicle.motion().wheel_mu

    def motion(self) -> VehicleMotion:
        """Return everything that is known about the present state."""
        return self.vehicle.motion()

    def batch(
        self,
        n: int,
        *,
        threads: int = 1,
        substep_dt: float | None = None,
        allow_coarse_substep: bool = False,
        from_current: bool = False,
        vary: Mapping[str, Sequence[Any] | NDArray[Any]] | None = None,
        dtype: Any = "float64",
    ) -> PlantBatch:
        """Return n plants like this one, stepped together: at rest, or `from_current` where it is.

        With the plant's own substep, the default, each is bit for bit this plant; another one is
        allowed as the plant's is. `vary`: n values each for what differs from car to car, under the
        names of `varied`. The noise of the sensors of car k is that of this plant's seed plus k.
        `dtype`: "float32" computes with half the digits and nearly twice as fast.
        """
        n = checked_count("n", n)
        like = self
        if substep_dt is not None:
            _, _, substep_s = checked_periods(
                self.control_dt, substep_dt, allow_coarse_substep=allow_coarse_substep
            )
            if not allow_coarse_substep:
                warn_of_substep("substep_dt", substep_s)
            like = self.varied({"substep_dt": substep_dt}, allow_coarse_substep=True)
        plants, of = variants(like, {} if vary is None else vary, n)
        kinds = [plant.parts()[0] for plant in plants]
        batch = PlantBatch(kinds, n, of=of, threads=threads, seed=self._seed, dtype=dtype)
        if from_current:
            if vary:
                raise ParameterError("from_current", "needs cars that are all like this plant")
            batch.fork(self)
        return batch

    def parts(self) -> tuple[CarKind, ActuatorLayer | None, SensorLayer | None]:
        """Return what a batch goes on from: what this plant is, its actuators, its sensors."""
        actuators, sensors = self._actuators, self._sensors
        kind = CarKind(
            vehicle=self.vehicle,
            control_s=self.control_dt,
            substeps=self._substeps,
            cuts=self._cuts,
            actuators=None if actuators is None else actuators.parameters,
            sensors=None if sensors is None else sensors.parameters,
        )
        return kind, actuators, sensors

    def varied(
        self, changes: Mapping[str, Any], *, allow_coarse_substep: bool = False
    ) -> VDSimPlant:
        """Return a plant like this one, at rest, with some changes.

        Their names: arguments of this class (but `control_dt`), or parameters by their place, as
        `body.mass_kg`, `tyre.rolling_resistance`, `actuators.steering.lag_s`, `ground.slope_x`.
        `friction_map` and `base_mu` change this plant's road.
        """
        arguments = changed_arguments(self._arguments(), changes)
        if "substep_dt" in changes and not allow_coarse_substep:
            _, _, substep_s = checked_periods(self.control_dt, arguments["substep_dt"])
            warn_of_substep("substep_dt", substep_s)
        return VDSimPlant(**arguments, allow_coarse_substep=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._arguments(), self.snapshot())

    def _arguments(self) -> dict[str, Any]:
        """Return what makes this plant again."""
        car = self.vehicle
        kind = self.parts()[0]
        return {
            "config": car.parameters,
            "tyre": car.tyre,
            "ground": car.ground,
            "level": car.level,
            "control_dt": self.control_dt,
            "substep_dt": self.substep_dt,
            "actuators": kind.actuators,
            "sensors": kind.sensors,
            "assist": car.assist,
            "seed": self._seed,
            "limit_to_motor": car.limit_to_motor,
        }

    def linearize(
        self, u: ArrayLike, *, states: str = "observed", wind: ArrayLike | None = None
    ) -> Linearization:
        """Return A, B and c of `x' = A x + B u + c` for the next period, here and with this input.

        x is [X, Y, psi, vx, vy, r] with the rest of the state as it is; `states="all"`: everything
        that the car remembers. `wind`: as of `step`. The plant stays where it is.
        """
        return self.linearize_along([checked_input(u)], states=states, wind=wind)[0]

    def linearize_along(
        self, us: ArrayLike, *, states: str = "observed", wind: ArrayLike | None = None
    ) -> list[Linearization]:
        """Return the linearisations of the periods of a drive with these inputs, from here on.

        Each is taken where the ones before lead to. `wind`: as of `step`, in all of them. The plant
        stays where it is.
        """
        n = checked_states(states)
        push = NO_WIND if wind is None else checked_wind(wind)
        inputs = checked_input_rows(us)
        if self._actuators is None and is_exact(self.vehicle):
            if self._linearizer is None:
                self._linearizer = Linearizer(self.vehicle, self._substeps)
            return self._linearizer.along(inputs, n, push)
        before = self.snapshot()
        found = []
        try:
            for row in inputs:
                here = partial(self.restore, self.snapshot())
                step = partial(self.step, wind=push)
                found.append(by_differences(self.vehicle, here, step, row, n))
        finally:
            self.restore(before)
        return found

    def measured(self) -> MeasuredState:
        """Return the sensors' values after the last step; the true ones without `sensors`."""
        return perfectly_measured(self.motion()) if self._sensors is None else self._measured

    def snapshot(self) -> bytes:
        """Return the whole state, layers included; `restore` continues from it to the bit."""
        parts = [self._layers, self.vehicle.snapshot()]
        if self._actuators is not None:
            parts.append(self._actuators.snapshot())
        if self._sensors is not None:
            parts.append(self._sensors.snapshot())
            parts.append(self._measured.packed())
        return joined(parts)

    def restore(self, snapshot: bytes) -> Observation:
        """Take up the state of a snapshot of a plant made the same way; return the state."""
        parts = parts_of(snapshot)
        expected = 2 + (self._actuators is not None) + 2 * (self._sensors is not None)
        if len(parts) != expected or parts[0] != self._layers:
            raise ParameterError("snapshot", "is not of a plant with these layers")
        with self._one_caller:
            self.vehicle.restore(parts[1])
            if self._actuators is not None:
                self._actuators.restore(parts[2])
            if self._sensors is not None:
                self._sensors.restore(parts[-2])
                self._measured = unpacked(parts[-1])
            return read_observation(self.vehicle.observed())

    def _checked_input(self, u: ArrayLike) -> tuple[float, float]:
        try:
            delta, force = entries_of(u)
            finite = math.isfinite(delta) and math.isfinite(force)
        except (TypeError, ValueError, OverflowError):
            raise wrong_value("u", u, "two numbers, [delta_rad, Fx_n]") from None
        if not finite:
            key = "u[1] (Fx)" if math.isfinite(delta) else "u[0] (delta)"
            raise wrong_value(key, force if math.isfinite(delta) else delta, "finite")
        if abs(delta) > self._degrees_from:
            self._degrees_from = math.inf
            limit = self.vehicle.parameters.steering.max_angle_rad
            warn_of_degrees("u[0] (delta)", delta, limit, stacklevel=3)
        return delta, force

    def _step_with_layers(
        self, delta: float, force: float, torques: WheelTorques | None, wind: Wind
    ) -> None:
        """Stop where the actuators move on, and where a delayed sensor looks."""
        held, extra, part = (delta, force), torques, self._cuts.actuator_part
        for first, last in pairwise(self._cuts.stops):
            if self._actuators is not None and first % part == 0:
                part_s = part * self.substep_dt
                speed_mps = self.vehicle.speed_mps()
                extra = self._actuators.realize_torques(torques, part_s, speed_mps)
                held = self._actuators.realize_force(delta, force, part_s, speed_mps)
            self.vehicle.hold_force(*held, last - first, extra, wind)
            if self._sensors is not None and last in self._cuts.looks:
                self._sensors.pass_by(self.motion())
        self._measure()

    def _measure(self) -> None:
        """Take the one measurement of this moment."""
        if self._sensors is not None:
            self._measured = self._sensors.measure(self.motion())


# `__new__` takes anything; what help() and editors show is what `__init__` takes.
_SELF, *_ARGUMENTS = inspect.signature(VDSimPlant.__init__).parameters.values()
VDSimPlant.__signature__ = inspect.Signature(_ARGUMENTS)  # type: ignore[attr-defined]


def _rebuilt(arguments: Mapping[str, Any], snapshot: bytes) -> VDSimPlant:
    """Return the plant that was pickled or copied."""
    plant = VDSimPlant(**arguments, allow_coarse_substep=True)
    plant.restore(snapshot)
    return plant

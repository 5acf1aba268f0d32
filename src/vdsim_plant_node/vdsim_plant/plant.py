"""VDSimPlant: a car for a controller in a closed loop, one control period a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from vdsim_plant.batch import PlantBatch
from vdsim_plant.ground import Ground, x_patches_from
from vdsim_plant.motion import InitialState, VehicleMotion
from vdsim_plant.observation import Observation
from vdsim_plant.observation_reading import ObservationReader
from vdsim_plant.parameters import TyreParameters, VehicleParameters, load_vehicle
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.vehicle import STATE_LIMITS, Vehicle

STATE_NAMES = ("X", "Y", "psi", "vx", "vy", "r")


class VDSimPlant:
    """A seven-degree-of-freedom car, driven by `[delta, Fx]`, observed as a dictionary.

        plant = VDSimPlant(config="ioniq5_awd", friction_map=[(20.0, 40.0, 0.5)])
        obs = plant.reset(state0=[0, 0, 0, 16.7, 0, 0])
        obs = plant.step([0.02, -3000.0])

    Input, held over `control_dt`: `delta` road wheel angle [rad], positive to the left; `Fx` total
    force intent [N]. Fx becomes wheel torque: drive torque split by `drive_split_front` where it is
    positive, brake torque split by `brake_split_front` (the same for `ioniq5_awd`) where it is
    negative. A brake opposes the wheels' turning, whichever
    way they turn, and holds them at standstill; it never drives.

    Output: `Observation`, complete after `reset` and after every `step`; keys, units and frames
    are fixed there. Wheels FL, FR, RL, RR. |[Fx, Fy]| <= mu Fz at every wheel, always.

    The same inputs give the same bits, in every process: no randomness, fixed substeps.
    """

    def __init__(
        self,
        config: str | Path | VehicleParameters = "ioniq5_awd",
        friction_map: Sequence[Sequence[float]] | None = None,
        base_mu: float = 0.9,
        control_dt: float = 0.05,
        substep_dt: float = 5e-4,
        *,
        ground: Ground | None = None,
        tyre: TyreParameters | str | None = None,
        level: str = "l2",
    ) -> None:
        """`friction_map`: [(x0, x1, mu), ...]; or a whole `ground` instead of it and base_mu."""
        self._substeps = checked_periods(control_dt, substep_dt)
        self.control_dt = float(control_dt)
        self.substep_dt = float(substep_dt)
        if ground is None:
            ground = Ground(base_mu=base_mu, x_patches=x_patches_from(friction_map))
        elif friction_map is not None:
            raise ParameterError("ground", "is given as well as friction_map: give one of them")
        vehicle = config if isinstance(config, VehicleParameters) else _load(config)
        self.vehicle = Vehicle(vehicle, tyre, ground, level=level, substep_s=self.substep_dt)
        self._reader = ObservationReader(self.vehicle.motion())

    def reset(self, state0: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> Observation:
        """Start at `[X, Y, psi, vx, vy, r]`, wheels rolling at that speed; return the state."""
        self.vehicle.reset(initial_state(state0))
        return self._reader.read(self.vehicle.observed())

    def step(self, u: Sequence[float]) -> Observation:
        """Hold `[delta, Fx]` for one control period; return the state at its end."""
        try:
            delta, force = u
            finite = math.isfinite(delta) and math.isfinite(force)
        except (TypeError, ValueError):
            raise ParameterError("u", f"={u!r}: must be two numbers, [delta_rad, Fx_n]") from None
        if not finite:
            key = "u[1] (Fx)" if math.isfinite(delta) else "u[0] (delta)"
            raise wrong_value(key, force if math.isfinite(delta) else delta, "finite")
        self.vehicle.hold_force(delta, force, self._substeps)
        return self._reader.read(self.vehicle.observed())

    def wheel_mu(self) -> tuple[float, float, float, float]:
        """Return the friction that each wheel used in the last substep, FL, FR, RL, RR."""
        return self.vehicle.motion().wheel_mu

    def motion(self) -> VehicleMotion:
        """Return everything that is known about the present state."""
        return self.vehicle.motion()

    def batch(self, n: int, *, threads: int = 1) -> PlantBatch:
        """Return n plants like this one that are stepped together, at rest in the origin."""
        return PlantBatch(self.vehicle, n, self._substeps, threads)

    def snapshot(self) -> bytes:
        """Return the whole state; `restore` continues from it to the bit."""
        return self.vehicle.snapshot()

    def restore(self, snapshot: bytes) -> Observation:
        """Take up the state of a snapshot of a plant made the same way; return the state."""
        self.vehicle.restore(snapshot)
        return self._reader.read(self.vehicle.observed())


def _load(config: str | Path) -> VehicleParameters:
    try:
        return load_vehicle(config)
    except ParameterError as error:
        if error.key != "vehicle":
            raise
        raise ParameterError("config", error.problem) from None


def initial_state(state0: Sequence[float], *, key: str = "state0") -> InitialState:
    """Return a start state from `[X, Y, psi, vx, vy, r]`, or raise naming the entry."""
    try:
        values = [float(value) for value in state0]
    except (TypeError, ValueError):
        raise ParameterError(key, f"={state0!r}: must be six numbers") from None
    if len(values) != len(STATE_NAMES):
        raise ParameterError(key, f"has {len(values)} values: must be [X, Y, psi, vx, vy, r]")
    for index, (name, limit) in enumerate(zip(STATE_NAMES, STATE_LIMITS.values(), strict=True)):
        value = values[index]
        if not math.isfinite(value):
            raise wrong_value(f"{key}[{index}] ({name})", value, "finite")
        if abs(value) > limit:
            raise wrong_value(f"{key}[{index}] ({name})", value, f"-{limit:g} to {limit:g}")
    return InitialState(*values)


def checked_periods(control_dt: float, substep_dt: float) -> int:
    """Return the number of substeps of a control period, or raise."""
    for key, value in (("control_dt", control_dt), ("substep_dt", substep_dt)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise wrong_value(key, value, "a number of seconds")
        if not (math.isfinite(value) and value > 0.0):
            raise wrong_value(key, value, "> 0 s")
    count = round(control_dt / substep_dt)
    if count < 1 or abs(count * substep_dt - control_dt) > 1e-9 * control_dt:
        raise ParameterError(
            "substep_dt", f"={substep_dt:g}: must divide control_dt={control_dt:g}"
        )
    return count

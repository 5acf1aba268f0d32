"""The plant as CasADi functions, for solvers that want expressions.

`substep` is the numeric core itself: its equations run once with CasADi's expressions for numbers
(compiled/retracing.py), so polynomials, limits and the order of operations are those of the plant.
`ode` is what the substep tends to when it is made small, without the memory between substeps: ten
states, smooth where the tyres roll.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from vdsim_plant.compiled.retracing import retraced
from vdsim_plant.compiled.variants import variant
from vdsim_plant.ground import Ground
from vdsim_plant.kernel import equations, mf96, polynomials
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import WHEEL_NAMES
from vdsim_plant.kernel.mf96 import FULL_MF96, LEAST_GRIP
from vdsim_plant.linear import composed
from vdsim_plant.linear.layout import STATE_NAMES, STATES
from vdsim_plant.parameters import TyreParameters, VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.plant_arguments import checked_substep, loaded, refuse_unknown, road_of
from vdsim_plant.vehicle import Vehicle

ODE_STATES = (*STATE_NAMES[:6], *(f"omega_{wheel}" for wheel in WHEEL_NAMES))
LOWEST_ROLLING_MPS = (
    1.0  # below it `ode` keeps its slip finite; the plant has a standing tyre there
)
LOAD_ROUNDS = 4  # of Newton's method, for loads on which grip depends
REACH_ROUNDS = 6  # of putting loads in, for a stiffness that saturates over them
BRAKE_SPEED_MPS = 0.1  # of a rim: slower than this a brake fades, where the plant's sticks
_FRICTION = frozenset(("base_mu", "friction_map", "friction_map_2d"))


class CasadiModel:
    """A car as CasADi functions of SX.

    `substep(x, u, mu) -> x_next`: one substep of the plant; x as `states`, those of
    `linearize(states="all")`; u = [delta, Fx]; mu of the four wheels.
    `ode(x, u, mu) -> dx`: x as `ode_states`, u and mu alike; for speeds above 1 m/s.
    """

    def __init__(self, vehicle: Vehicle) -> None:
        if vehicle.level not in ("l1", "l2") or vehicle.tyre.tir is not None:
            raise ParameterError("casadi_model", "needs level l1 or l2 and the mf96 tyre")
        if vehicle.bends:
            raise ParameterError("casadi_model", "needs axles that do not steer by themselves")
        self.states = STATE_NAMES
        self.ode_states = ODE_STATES
        self.substep_dt = vehicle.substep_s
        self._ca = _casadi()
        self._car: list[float] = vehicle.core_arrays()[1].tolist()
        self._limits = vehicle.force_limits()
        self._shares = vehicle.front_shares()
        arithmetic = _Casadi(self._ca)
        plain = vehicle.tyre.mf96.is_plain
        self._of: Any = _Equations(arithmetic, {} if plain else FULL_MF96)
        self._load_rounds = 1 if plain else LOAD_ROUNDS
        self._reach_rounds = REACH_ROUNDS if vehicle.tyre.mf96.stiffness_saturation else 1
        names = (["x", "u", "mu"], ["x_next"])
        self.substep = self._function("substep", len(STATE_NAMES), self._substep, names)
        self.ode = self._function("ode", len(ODE_STATES), self._ode, (["x", "u", "mu"], ["dx"]))

    def _function(self, name: str, n: int, body: Any, names: tuple[list[str], list[str]]) -> Any:
        ca = self._ca
        x, u, mu = ca.SX.sym("x", n), ca.SX.sym("u", 2), ca.SX.sym("mu", 4)
        result = ca.vertcat(*body(ca.vertsplit(x), ca.vertsplit(u), ca.vertsplit(mu)))
        return ca.Function(name, [x, u, mu], [result], *names)

    def _wheel_inputs(self, force: Any) -> tuple[list[Any], list[Any]]:
        """Return drive and brake torques of the wheels for a force intent (Vehicle.hold_force)."""
        ca = self._ca
        torque = self._limits[2] * force
        drive, brake = ca.fmax(torque, 0.0), ca.fmax(-torque, 0.0)
        driven, braked = drive * self._shares[0], brake * self._shares[1]
        return (
            [driven, driven, drive - driven, drive - driven],
            [braked, braked, brake - braked, brake - braked],
        )

    def _clipped(self, value: Any, limit: float) -> Any:
        return self._ca.fmin(self._ca.fmax(value, -limit), limit)

    def _substep(self, x: list[Any], u: list[Any], mu: list[Any]) -> list[Any]:
        """One substep, stage by stage as in kernel/single.py."""
        car, of = list(self._car), self._of
        car_x: dict[int, Any] = dict(zip(STATES, x, strict=True))
        s, c = of.sine_and_cosine(self._clipped(u[0], self._limits[0]))
        drive, brake = self._wheel_inputs(self._clipped(u[1], self._limits[1]))
        vx, vy, yaw_rate = car_x[at.VX], car_x[at.VY], car_x[at.YAW_RATE]
        loads = of.loads(
            vx,
            vy,
            car_x[at.EXPECTED_X],
            car_x[at.EXPECTED_Y],
            car[at.MASS] * car[at.GRAVITY_N],
            *car[at.STATIC_FRONT : at.DRAG],
            *car[at.LIFT_FRONT : at.LIFT_REAR + 1],
        )
        balance = (vy * yaw_rate + car_x[at.AX]) * car[at.SPIN_PER_SPEED]
        on_body, free, gains, holds, stretches = [], [], [], [], []
        for i in range(4):
            arm_x, arm_y = car[at.ARM_X + i], car[at.ARM_Y + i]
            wheel_c, wheel_s = (c, s) if i < 2 else (1.0, 0.0)
            along, across = of.patch_speed(vx, vy, yaw_rate, arm_x, arm_y, wheel_c, wheel_s)
            fx, fy, new_x, new_y, spin, gain = of.wheel(
                along,
                across,
                car_x[at.SPIN + i],
                car_x[at.STRETCH_X + i],
                car_x[at.STRETCH_Y + i],
                loads[i],
                mu[i],
                drive[i],
                balance,
                car[at.RADIUS],
                car[at.INVERSE_KAPPA_PEAK + i],
                car[at.INVERSE_ALPHA_PEAK + i],
                *car[at.SHAPE_X : at.GRIP_BASE + 1],
                car[at.GRIP_LOSS + i],
                car[at.STIFFNESS_LOSS + i],
                car[at.SLIP_FLOOR],
                car[at.STICK_LENGTH],
                car[at.STICK_DAMPING],
                car[at.STIFFNESS_BASE],
                car[at.INVERSE_MU_NOMINAL],
                car[at.LENGTH_X],
                car[at.LENGTH_Y],
                car[at.INVERSE_STICK_SPEED_SQUARED],
                car[at.SPIN_PER_SLOPE + i],
                car[at.SPIN_PER_TORQUE + i],
            )
            on_body.append(of.on_body(fx, fy, wheel_c, wheel_s, arm_x, arm_y))
            free.append(spin)
            gains.append(gain)
            holds.append(car[at.ROLLING_RESISTANCE] * car[at.RADIUS] * loads[i] + brake[i])
            stretches.append((new_x, new_y))
        self._lock(free, gains, holds)
        spins = [of.braked_spin(free[i], gains[i], holds[i], car[at.SPIN_MAX]) for i in range(4)]
        body = of.body_step(
            *(car_x[k] for k in range(at.X, at.FORCE_X)),
            *(_sum([wheel[k] for wheel in on_body]) for k in range(3)),
            *(car_x[k] for k in range(at.FORCE_X, at.EXPECTED_X)),
            *(car_x[k] for k in range(at.CHANGE_X, at.YAW_CHANGE + 1)),
            car[at.GRAVITY_X],
            car[at.GRAVITY_Y],
            car[at.DRAG],
            car[at.INVERSE_MASS],
            car[at.INVERSE_YAW_INERTIA],
            car[at.INVERSE_STICK_SPEED_SQUARED],
            car[at.DT],
        )
        return [*body[:15], *spins, *(pair[0] for pair in stretches), *(p[1] for p in stretches)]

    def _lock(self, free: list[Any], gains: list[Any], holds: list[Any]) -> None:
        for axle in range(2):
            if self._car[at.LOCK_FRONT + axle] > 0.0:
                left = slice(2 * axle, 2 * axle + 2)
                spin, gain = self._of.joined_spin(*free[left], *gains[left])
                free[left], gains[left] = [spin] * 2, [gain] * 2
                holds[left] = [sum(holds[left])] * 2

    def _ode(self, x: list[Any], u: list[Any], mu: list[Any]) -> list[Any]:
        """Rates of the ten states; the wheel loads are those that the forces themselves cause."""
        ca, car = self._ca, self._car
        yaw, vx, vy, yaw_rate = x[2:6]
        s, c = ca.sin(u[0]), ca.cos(u[0])
        speed_squared = vx * vx + vy * vy
        plain, per_x, per_y = self._loads(speed_squared)
        loads = plain
        for _ in range(self._reach_rounds):
            parts = [self._per_grip(i, x, c, s, mu[i], loads[i]) for i in range(4)]
            push_x, push_y = self._pushes([part[:2] for part in parts], plain, per_x, per_y)
            loads = [
                ca.fmax(plain[i] + per_x[i] * push_x + per_y[i] * push_y, 0.0) for i in range(4)
            ]
        grips = [self._of.tyre_grip(1.0, loads[i], *self._sensitivity(i)) for i in range(4)]
        forces = [part[2] * grip for part, grip in zip(parts, grips, strict=True)]
        force_x = _sum([parts[i][0] * grips[i] for i in range(4)])
        force_y = _sum([parts[i][1] * grips[i] for i in range(4)])
        moment = _sum(
            [
                (car[at.ARM_X + i] * parts[i][1] - car[at.ARM_Y + i] * parts[i][0]) * grips[i]
                for i in range(4)
            ]
        )
        air = car[at.DRAG] * ca.sqrt(speed_squared) * car[at.INVERSE_MASS]
        cos_yaw, sin_yaw = ca.cos(yaw), ca.sin(yaw)
        pull_x = car[at.GRAVITY_X] * cos_yaw + car[at.GRAVITY_Y] * sin_yaw
        pull_y = car[at.GRAVITY_Y] * cos_yaw - car[at.GRAVITY_X] * sin_yaw
        return [
            vx * cos_yaw - vy * sin_yaw,
            vx * sin_yaw + vy * cos_yaw,
            yaw_rate,
            force_x * car[at.INVERSE_MASS] - air * vx + pull_x + vy * yaw_rate,
            force_y * car[at.INVERSE_MASS] - air * vy + pull_y - vx * yaw_rate,
            moment * car[at.INVERSE_YAW_INERTIA],
            *self._spin_rates(x[6:], u[1], loads, forces),
        ]

    def _per_grip(
        self, i: int, x: list[Any], c: Any, s: Any, mu: Any, load: Any
    ) -> tuple[Any, Any, Any]:
        """Return a wheel's force over its grip: body frame x and y, then along the wheel."""
        ca, car, of = self._ca, self._car, self._of
        wheel_c, wheel_s = (c, s) if i < 2 else (1.0, 0.0)
        along, across = of.patch_speed(
            *x[3:6], car[at.ARM_X + i], car[at.ARM_Y + i], wheel_c, wheel_s
        )
        roll = ca.fmax(ca.fabs(along), max(LOWEST_ROLLING_MPS, car[at.SLIP_FLOOR]))
        slip_x = (car[at.RADIUS] * x[6 + i] - along) / roll * car[at.INVERSE_KAPPA_PEAK + i]
        reach = of.lateral_reach(car[at.INVERSE_ALPHA_PEAK + i], load, car[at.STIFFNESS_LOSS + i])
        slip_y = -across / roll * reach
        rho, inverse_rho, _ = of.slip_length(slip_x, slip_y)
        angle_x, angle_y, unit = of.mf96_angles(
            rho,
            inverse_rho,
            *car[at.PEAK_X : at.SLOPE_PEAK],
            car[at.SHAPE_X],
            car[at.SHAPE_Y],
            car[at.CURVATURE_X],
            car[at.CURVATURE_Y],
        )
        fx, fy, _ = of.mf96_force(
            slip_x, slip_y, angle_x, angle_y, inverse_rho, unit, 0.0, mu, car[at.SLOPE_PEAK]
        )
        return fx * wheel_c - fy * wheel_s, fx * wheel_s + fy * wheel_c, fx

    def _loads(self, speed_squared: Any) -> tuple[list[Any], list[float], list[float]]:
        """Return the wheel loads without acceleration, and what FORCE_X and FORCE_Y add to them."""
        car = self._car
        weight = car[at.MASS] * car[at.GRAVITY_N]
        front = weight * car[at.STATIC_FRONT] - car[at.LIFT_FRONT] * speed_squared
        rear = weight * (1.0 - car[at.STATIC_FRONT]) - car[at.LIFT_REAR] * speed_squared
        moved = 0.5 * car[at.AXLE_TRANSFER]
        side_front, side_rear = car[at.WHEEL_TRANSFER_FRONT], car[at.WHEEL_TRANSFER_REAR]
        return (
            [0.5 * front, 0.5 * front, 0.5 * rear, 0.5 * rear],
            [-moved, -moved, moved, moved],
            [-side_front, side_front, -side_rear, side_rear],
        )

    def _pushes(
        self, per_grip: list[Any], plain: list[Any], per_x: list[float], per_y: list[float]
    ) -> tuple[Any, Any]:
        """Return force over mass along and across: loads and forces at once.

        The substep takes the loads from the forces before; here nothing comes before. Where grip is
        in proportion to the load these are two linear equations, else Newton's method solves them.
        """
        push_x: Any = 0.0
        push_y: Any = 0.0
        for _ in range(self._load_rounds):
            lines = [
                self._grip_line(i, plain[i] + per_x[i] * push_x + per_y[i] * push_y)
                for i in range(4)
            ]
            push_x, push_y = self._linear_pushes(
                per_grip,
                [base + slope * load for (base, slope), load in zip(lines, plain, strict=True)],
                [slope * moved for (_, slope), moved in zip(lines, per_x, strict=True)],
                [slope * moved for (_, slope), moved in zip(lines, per_y, strict=True)],
            )
        return push_x, push_y

    def _sensitivity(self, i: int) -> tuple[float, float]:
        return self._car[at.GRIP_BASE], self._car[at.GRIP_LOSS + i]

    def _grip_line(self, i: int, load: Any) -> tuple[Any, Any]:
        """Return the line (at no load, slope) that touches the grip over load of a wheel."""
        if self._load_rounds == 1:
            return 0.0, 1.0
        base, loss = self._sensitivity(i)
        share = self._of.grip_share(load, base, loss)
        slope = self._ca.if_else(share > LEAST_GRIP, base - 2.0 * loss * load, LEAST_GRIP)
        return (share - slope) * load, slope

    def _linear_pushes(
        self, per_grip: list[Any], plain: list[Any], per_x: list[Any], per_y: list[Any]
    ) -> tuple[Any, Any]:
        share = self._car[at.INVERSE_MASS]
        rows = []
        for k in range(2):
            of_wheel = [share * per_grip[i][k] for i in range(4)]
            rows.append(
                [
                    _sum([of_wheel[i] * column[i] for i in range(4)])
                    for column in (plain, per_x, per_y)
                ]
            )
        (x_0, x_x, x_y), (y_0, y_x, y_y) = rows
        bottom = (1.0 - x_x) * (1.0 - y_y) - x_y * y_x
        return (
            (x_0 * (1.0 - y_y) + x_y * y_0) / bottom,
            (y_0 * (1.0 - x_x) + y_x * x_0) / bottom,
        )

    def _spin_rates(
        self, spins: list[Any], force: Any, loads: list[Any], forces: list[Any]
    ) -> list[Any]:
        car = self._car
        drive, brake = self._wheel_inputs(force)
        radius = car[at.RADIUS]
        torques, inertias = [], []
        for i in range(4):
            turns = self._ca.tanh(radius * spins[i] / BRAKE_SPEED_MPS)
            hold = car[at.ROLLING_RESISTANCE] * radius * loads[i] + brake[i]
            torques.append(drive[i] - radius * forces[i] - hold * turns)
            inertias.append(car[at.DT] / car[at.SPIN_PER_TORQUE + i])
        for axle in range(2):
            if car[at.LOCK_FRONT + axle] > 0.0:
                left = slice(2 * axle, 2 * axle + 2)
                torques[left], inertias[left] = [sum(torques[left])] * 2, [sum(inertias[left])] * 2
        return [torque / inertia for torque, inertia in zip(torques, inertias, strict=True)]


def casadi_model(
    config: str | Path | VehicleParameters = "ioniq5_awd",
    *,
    tyre: TyreParameters | str | Path | None = None,
    ground: Ground | str | Path | None = None,
    level: str = "l2",
    substep_dt: float = 5e-4,
    allow_coarse_substep: bool = False,
    **unknown: NoReturn,
) -> CasadiModel:
    """Return a car as CasADi functions; these arguments are as for `VDSimPlant`.

    Of the ground only the slope counts: friction is an argument of the functions. Levels l1 and l2
    with the MF96 tyre. Needs CasADi (`pip install vdsim-plant[mpc]`).
    """
    for name in _FRICTION.intersection(unknown):
        raise ParameterError(name, "is no argument: friction is mu, an argument of the functions")
    refuse_unknown(unknown, casadi_model)
    substep_s = checked_substep(substep_dt, allow_coarse_substep=allow_coarse_substep)
    road = road_of(ground, None, None, None)
    car = loaded("config", config, VehicleParameters, load_vehicle)
    if tyre is not None:
        tyre = loaded("tyre", tyre, TyreParameters, load_tyre)
    return CasadiModel(
        Vehicle(car, tyre, road, level=level, substep_s=substep_s, allow_coarse_substep=True)
    )


def _casadi() -> Any:
    try:
        import casadi
    except ImportError:
        raise ImportError("casadi_model needs CasADi: pip install casadi") from None
    return casadi


def _sum(four: Sequence[Any]) -> Any:
    return (four[0] + four[1]) + (four[2] + four[3])


class _Equations:
    """The kernel's equations by name, with CasADi's arithmetic."""

    _MODULES = (equations, polynomials, mf96, composed)

    def __init__(self, arithmetic: _Casadi, parts: Mapping[str, Any]) -> None:
        """`parts`: what they have in place of the usual ones (compiled/variants.py)."""
        self._arithmetic, self._parts = arithmetic, parts

    def __getattr__(self, name: str) -> Any:
        module = next(item for item in self._MODULES if hasattr(item, name))
        function = self._parts.get(name, getattr(module, name))
        made = retraced(variant(function, self._parts), self._arithmetic)
        setattr(self, name, made)
        return made


class _Casadi:
    """The arithmetic of retracing.py on CasADi's expressions."""

    def __init__(self, casadi: Any) -> None:
        self._ca = casadi

    @property
    def replaced(self) -> Mapping[str, Callable[..., Any]]:
        """Return what stands for functions of the kernel.

        `moved` and `settled` only take rounding away, which would hide derivatives at 0.
        """
        return {
            "fma": lambda a, b, c: a * b + c,
            "rounded": lambda a: self._ca.floor(a + 0.5),
            "moved": lambda value, _dt: value,
            "settled": lambda value: value,
        }

    def sqrt(self, a: Any) -> Any:
        """Return the root."""
        return self._ca.sqrt(a)

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return one of both."""
        if isinstance(condition, bool):
            return yes if condition else no
        return self._ca.if_else(condition, yes, no)

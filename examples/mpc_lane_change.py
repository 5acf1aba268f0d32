"""A nonlinear MPC (CasADi, IPOPT) drives the plant through a double lane change.

    pip install casadi ./src/vdsim_plant
    python examples/mpc_lane_change.py

The controller's model is a bicycle whose axles saturate at the friction that it assumes; the plant
has seven degrees of freedom and four tyres. Each control period the controller solves one problem
by multiple shooting from the plant's observation and applies the first input. World frame: X along
the road, Y to the left, from the middle of the first lane; SI units throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca
import numpy as np

from vdsim_plant import VDSimPlant

SPEED_MPS = 19.4
PERIOD_S = 0.05
HORIZON_N = 20
LANE_M = 3.5
OUT_M = (40.0, 75.0)  # where the car leaves its lane, and where it must be in the other
BACK_M = (100.0, 135.0)
END_M = 170.0
STEER_MAX_RAD = 0.3
STEER_RATE_MAX_RADPS = 0.7
X, Y, PSI, VY, YAW_RATE, STEER = range(6)  # the model's state; its input is the steering rate


@dataclass(frozen=True)
class Bicycle:
    """What the controller knows of the car; axle stiffness in N/rad."""

    mass_kg: float = 2359.0
    yaw_inertia_kgm2: float = 3400.0
    to_front_m: float = 1.17
    to_rear_m: float = 1.80
    front_n_per_rad: float = 2.2e5
    rear_n_per_rad: float = 1.6e5
    mu: float = 0.9

    def derivative(self, state: ca.MX, steer_rate: ca.MX, vx: ca.MX) -> ca.MX:
        """Rate of change of the state."""
        psi, vy, r = state[PSI], state[VY], state[YAW_RATE]
        front_slip = state[STEER] - (vy + self.to_front_m * r) / vx
        rear_slip = -(vy - self.to_rear_m * r) / vx
        front = self._side_force(front_slip, self.front_n_per_rad, self.to_rear_m)
        rear = self._side_force(rear_slip, self.rear_n_per_rad, self.to_front_m)
        return ca.vertcat(
            vx * ca.cos(psi) - vy * ca.sin(psi),
            vx * ca.sin(psi) + vy * ca.cos(psi),
            r,
            (front + rear) / self.mass_kg - vx * r,
            (self.to_front_m * front - self.to_rear_m * rear) / self.yaw_inertia_kgm2,
            steer_rate,
        )

    def _side_force(self, slip_rad: ca.MX, stiffness: float, other_arm_m: float) -> ca.MX:
        """Of an axle [N]: linear at first, never above friction times load."""
        load_n = self.mass_kg * 9.81 * other_arm_m / (self.to_front_m + self.to_rear_m)
        largest_n = self.mu * load_n
        return largest_n * ca.tanh(stiffness * slip_rad / largest_n)


def reference_m(x_m: ca.MX | float) -> ca.MX | float:
    """Lateral position of the path: to the left lane and back."""
    return LANE_M * (_blend(x_m, *OUT_M) - _blend(x_m, *BACK_M))


def _blend(x_m: ca.MX | float, begin_m: float, end_m: float) -> ca.MX | float:
    """From 0 to 1 with continuous curvature."""
    s = ca.fmin(ca.fmax((x_m - begin_m) / (end_m - begin_m), 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


class LaneChangeMpc:
    """Steering from the observed state; keeps the last plan as the next first guess."""

    def __init__(self, bicycle: Bicycle) -> None:
        self._problem = ca.Opti()
        self._states = self._problem.variable(6, HORIZON_N + 1)
        self._rates = self._problem.variable(1, HORIZON_N)
        self._now = self._problem.parameter(6)
        self._vx = self._problem.parameter()
        self._follow_the_model(_step_of(bicycle))
        self._limit()
        error = self._states[Y, 1:] - reference_m(self._states[X, 1:])
        self._problem.minimize(
            ca.sumsqr(error) + 0.5 * ca.sumsqr(self._rates) + 0.1 * ca.sumsqr(self._states[VY, :])
        )
        quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"}
        self._problem.solver("ipopt", quiet)
        self.plan: np.ndarray | None = None

    def _follow_the_model(self, step: ca.Function) -> None:
        self._problem.subject_to(self._states[:, 0] == self._now)
        for k in range(HORIZON_N):
            after = step(self._states[:, k], self._rates[k], self._vx)
            self._problem.subject_to(self._states[:, k + 1] == after)

    def _limit(self) -> None:
        bounded = self._problem.bounded
        self._problem.subject_to(bounded(-STEER_MAX_RAD, self._states[STEER, 1:], STEER_MAX_RAD))
        rate = STEER_RATE_MAX_RADPS
        self._problem.subject_to(bounded(-rate, self._rates, rate))

    def steer_rad(self, now: np.ndarray, vx_mps: float) -> float:
        """The steering for the next period; raises when IPOPT finds no solution."""
        self._problem.set_value(self._now, now)
        self._problem.set_value(self._vx, max(vx_mps, 1.0))
        if self.plan is None:
            along = now[X] + vx_mps * PERIOD_S * np.arange(HORIZON_N + 1)
            guess = np.tile(now[:, None], HORIZON_N + 1)
            guess[X] = along
            self._problem.set_initial(self._states, guess)
        solution = self._problem.solve()
        self.plan = np.asarray(solution.value(self._states))
        self._problem.set_initial(solution.value_variables())
        return float(self.plan[STEER, 1])


def _step_of(bicycle: Bicycle) -> ca.Function:
    """One control period of the model: two Runge-Kutta steps."""
    state, rate, vx = ca.MX.sym("state", 6), ca.MX.sym("rate"), ca.MX.sym("vx")
    after, h = state, PERIOD_S / 2
    for _ in range(2):
        k1 = bicycle.derivative(after, rate, vx)
        k2 = bicycle.derivative(after + h / 2 * k1, rate, vx)
        k3 = bicycle.derivative(after + h / 2 * k2, rate, vx)
        k4 = bicycle.derivative(after + h * k3, rate, vx)
        after = after + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return ca.Function("step", [state, rate, vx], [after])


@dataclass(frozen=True)
class Drive:
    """One row a control period."""

    x_m: np.ndarray
    y_m: np.ndarray
    steer_rad: np.ndarray
    friction_use: np.ndarray  # largest of the four wheels, force over what the road can give

    @property
    def error_m(self) -> np.ndarray:
        """Lateral distance from the path."""
        return self.y_m - np.array([float(reference_m(x)) for x in self.x_m])


def drive(
    mu: float = 0.9,
    assumed_mu: float | None = None,
    start_y_m: float = 0.0,
    steering: np.ndarray | None = None,
) -> Drive:
    """Drive with an MPC that assumes a friction (the road's by default), or with given steering."""
    plant = VDSimPlant("ioniq5_awd", base_mu=mu, control_dt=PERIOD_S)
    obs = plant.reset(state0=[0.0, start_y_m, 0.0, SPEED_MPS, 0.0, 0.0])
    mpc = None if steering is not None else LaneChangeMpc(Bicycle(mu=assumed_mu or mu))
    steer, rows = 0.0, []
    while obs["X"] < END_M and len(rows) < 400:
        if mpc is not None:
            state = [obs["X"], obs["Y"], obs["psi"], obs["vy"], obs["r"], steer]
            steer = mpc.steer_rad(np.array(state), obs["vx"])
        else:
            steer = float(steering[min(len(rows), len(steering) - 1)])
        obs = plant.step([steer, 8000.0 * (SPEED_MPS - obs["vx"])])
        use = max(math.hypot(w["Fx"], w["Fy"]) / (w["mu"] * w["Fz"]) for w in obs["wheel"])
        rows.append((obs["X"], obs["Y"], steer, use))
    return Drive(*np.array(rows).T)


if __name__ == "__main__":
    done = drive()
    print(f"{len(done.x_m) * PERIOD_S:.1f} s, {done.x_m[-1]:.0f} m")
    print(f"largest distance from the path {np.abs(done.error_m).max():.2f} m")
    print(f"largest friction use {done.friction_use.max():.2f}")

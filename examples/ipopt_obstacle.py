"""The fastest way round an obstacle, found by IPOPT on the plant's own equations, then driven.

`casadi_model(...).ode` goes into a direct collocation (Radau, two points an interval): reach the
end of a wet road of 60 m as soon as possible, past a car that stands in the lane, and be back in
the lane, straight. Tyres that saturate, load transfer and wheel spin are in the equations, so the
plan uses what the road gives and no more. The inputs are then held, interval by interval, on
VDSimPlant without any feedback: how far it ends from the plan is printed. World frame: X along the
road, Y to the left; SI units.
Run with: python ipopt_obstacle.py (needs casadi).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from vdsim_plant.mpc.casadi_model import casadi_model

from vdsim_plant import VDSimPlant

INTERVALS_N, POINTS_N = 40, 2
START_MPS, END_M, MU = 15.0, 60.0, 0.6
OBSTACLE_M, CLEAR_M = 30.0, 2.2  # a car stands there at Y = 0; centres pass at this distance
STEER_MAX_RAD, FORCE_MIN_N, FORCE_MAX_N = 0.35, -12000.0, 6000.0
STEER_RATE_RADPS, FORCE_RATE_NPS = 0.8, 60000.0
SCALE = np.array([10.0, 1.0, 0.1, 10.0, 1.0, 0.5, *[40.0] * 4])  # of the ten states
UNIT = np.array([0.1, 5000.0])  # of delta and Fx
SUBSTEP_S = 5e-4


@dataclass(frozen=True)
class Plan:
    """The solution: one row an interval, states at its end."""

    period_s: float
    states: np.ndarray
    inputs: np.ndarray
    solve_s: float
    cpu_s: float
    """Of solve_s: what a processor without other work takes. Derivatives are made in it too."""
    iterations: int
    status: str

    @property
    def time_s(self) -> float:
        """How long the way takes."""
        return self.period_s * len(self.inputs)


@dataclass(frozen=True)
class Drive:
    """What the plant made of the inputs."""

    states: np.ndarray  # X, Y, psi, vx, vy, r at the end of each interval
    friction_use: np.ndarray  # largest of the four wheels

    def apart_m(self, plan: Plan) -> np.ndarray:
        """Distance from the plan, at the end of each interval."""
        apart: np.ndarray = np.hypot(*(self.states[:, :2] - plan.states[:, :2]).T)
        return apart

    @property
    def clear_m(self) -> float:
        """Distance between the car's centre and the obstacle's when it passes."""
        return float(np.hypot(self.states[:, 0] - OBSTACLE_M, self.states[:, 1]).min())


def solve() -> Plan:
    """Find the fastest way."""
    plant = new_plant(0.05)
    obs = plant.reset([0.0, 0.0, 0.0, START_MPS, 0.0, 0.0])
    start = np.array([0, 0, 0, START_MPS, 0, 0, *(wheel["omega"] for wheel in obs["wheel"])])
    opti = ca.Opti()
    period = opti.variable()
    states = [ca.DM(start)]
    inputs: list[Any] = []
    for k in range(INTERVALS_N):
        u = opti.variable(2)
        points = [opti.variable(10) for _ in range(POINTS_N)]
        _equations(opti, states[-1], [SCALE * point for point in points], UNIT * u, period)
        _guess(opti, points, u, start, (k + 1) / INTERVALS_N)
        states.append(SCALE * points[-1])  # the last Radau point is the end of the interval
        inputs.append(UNIT * u)
    _limits(opti, states[1:], inputs, period)
    opti.set_initial(period, END_M / START_MPS / INTERVALS_N)
    opti.minimize(period * INTERVALS_N)
    quiet = {"expand": True, "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"}
    opti.solver("ipopt", {**quiet, "ipopt.max_iter": 500})
    began, used = time.perf_counter(), time.process_time()
    found = opti.solve()
    stats = found.stats()
    return Plan(
        period_s=float(found.value(period)),
        states=np.array([found.value(x) for x in states[1:]]),
        inputs=np.array([found.value(u) for u in inputs]),
        solve_s=time.perf_counter() - began,
        cpu_s=time.process_time() - used,
        iterations=int(stats["iter_count"]),
        status=str(stats["return_status"]),
    )


def _equations(opti: Any, before: Any, points: list[Any], u: Any, period: Any) -> None:
    """At each point of the interval the polynomial through all of them has the model's slope."""
    rates = casadi_ode()
    slopes, _, _ = ca.collocation_coeff(ca.collocation_points(POINTS_N, "radau"))
    at = ca.horzcat(before, *points) @ ca.DM(slopes)
    for k, point in enumerate(points):
        opti.subject_to((at[:, k] - period * rates(point, u, [MU] * 4)) / SCALE == 0.0)


@lru_cache(maxsize=1)
def casadi_ode() -> Any:
    """Return the plant's equations as a CasADi function."""
    return casadi_model("ioniq5_awd").ode


def _guess(opti: Any, points: list[Any], u: Any, start: np.ndarray, share: float) -> None:
    """Begin with constant speed, half a wave to the left."""
    state = start.copy()
    state[0] = share * END_M
    state[1] = 3.0 * math.sin(math.pi * share) ** 2
    for point in points:
        opti.set_initial(point, state / SCALE)
    opti.set_initial(u, 0.0)


def _limits(opti: Any, states: list[Any], inputs: list[Any], period: Any) -> None:
    opti.subject_to(opti.bounded(0.01, period, 0.2))
    for x in states:
        opti.subject_to(((x[0] - OBSTACLE_M) ** 2 + x[1] ** 2) / CLEAR_M**2 >= 1.0)
        opti.subject_to(opti.bounded(-0.5, x[1], 5.0))
        opti.subject_to(x[3] / START_MPS >= 0.2)
    for u in inputs:
        opti.subject_to(opti.bounded(-STEER_MAX_RAD, u[0], STEER_MAX_RAD))
        opti.subject_to(opti.bounded(FORCE_MIN_N / UNIT[1], u[1] / UNIT[1], FORCE_MAX_N / UNIT[1]))
    for u, after in pairwise(inputs):
        for k, rate in enumerate((STEER_RATE_RADPS, FORCE_RATE_NPS)):
            change = (after[k] - u[k]) / UNIT[k]
            opti.subject_to(opti.bounded(-rate / UNIT[k] * period, change, rate / UNIT[k] * period))
    end = states[-1]
    opti.subject_to(end[0] / END_M == 1.0)
    opti.subject_to(opti.bounded(-0.2, end[1], 0.2))
    opti.subject_to(opti.bounded(-0.02, end[2], 0.02))


def new_plant(period_s: float) -> VDSimPlant:
    """Return the plant with a control period that need not be a whole number of 0.5 ms."""
    substep_s = period_s / math.ceil(period_s / SUBSTEP_S)
    return VDSimPlant("ioniq5_awd", base_mu=MU, control_dt=period_s, substep_dt=substep_s)


def drive(plan: Plan) -> Drive:
    """Hold the plan's inputs on the plant, without feedback."""
    plant = new_plant(plan.period_s)
    plant.reset([0.0, 0.0, 0.0, START_MPS, 0.0, 0.0])
    states, use = [], []
    for u in plan.inputs:
        obs = plant.step(u)
        states.append([obs["X"], obs["Y"], obs["psi"], obs["vx"], obs["vy"], obs["r"]])
        use.append(max(math.hypot(w["Fx"], w["Fy"]) / (w["mu"] * w["Fz"]) for w in obs["wheel"]))
    return Drive(np.array(states), np.array(use))


def main() -> None:
    """Solve, drive and print how it went."""
    plan = solve()
    done = drive(plan)
    apart = done.apart_m(plan)
    print(f"{plan.status}: {plan.time_s:.3f} s for {END_M:g} m, {plan.iterations} iterations")
    print(f"time to solve {plan.solve_s:.2f} s, {plan.cpu_s:.2f} s of a processor")
    print(f"passes the obstacle at {done.clear_m:.2f} m (needs {CLEAR_M} m)")
    print(f"largest friction use {done.friction_use.max():.2f}")
    print(f"plant off the plan: largest {apart.max():.3f} m, at the end {apart[-1]:.3f} m")
    off = done.states[-1] - plan.states[-1, :6]
    print(f"at the end: {1e3 * off[2]:+.1f} mrad, {off[3]:+.3f} m/s, {1e3 * off[5]:+.1f} mrad/s")


if __name__ == "__main__":
    main()

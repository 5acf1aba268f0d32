"""Level l3 beside CommonRoad's multi-body model: the same car, the same steering, two programs.

The 29 states of commonroad-vehicle-models (vehicle 2, a BMW 320i) at 25 m/s, wheel angle a sine.
Aligned: mass, springs, dampers, bars, tyre coefficients without offsets and camber; the axles'
masses divided so that the whole car's centre of gravity is the body's; the reference starts in its
own equilibrium, which its `init_mb` does not. It evaluates the tyres' slip with the body's lateral
speed although its axles have one of their own: `patch_roll_share=0` does so here too. A second row
evaluates the reference's slip at its axles, and l3 as it is by default.
Run with: python l3_against_commonroad.py, in an environment with commonroad-vehicle-models==3.0.2.
"""

from __future__ import annotations

import inspect
import math
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from vdsim_plant.ground import flat
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import TyreParameters, VehicleParameters, from_mapping, load_tyre
from vdsim_plant.parameters.files import DATA_FOLDER
from vdsim_plant.vehicle import Vehicle
from vehiclemodels import vehicle_dynamics_mb as multi_body
from vehiclemodels.init_mb import init_mb
from vehiclemodels.vehicle_parameters import setup_vehicle_parameters

SPEED_MPS = 25.0
STEP_S = 1e-3
PERIODS = 3
STEERING = {0.2: 0.03, 1.0: 0.06, 2.0: 0.06}  # frequency [Hz]: amplitude [rad]
STIFF_JOINT = 30.0  # l3 has no lateral give between axle and body: times the reference's
_OFFSETS = (
    *("p_hx1", "p_vx1", "r_hx1", "p_hy1", "p_hy3", "p_vy1"),
    *("p_vy3", "p_dy3", "r_hy1", "r_vy1", "r_vy3", "p_dx3"),
)
_LOAD = 2700.0
_WIDE = 1000.0  # PKY2 so large that stiffness is proportional to load, as the reference has it
Right = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Peaks:
    """Largest values of a drive."""

    yaw_rate_radps: float
    ay_mps2: float
    """Of the whole car's centre of gravity."""
    body_ay_mps2: float
    """Of the body's own, which lean and sway move too."""
    roll_rad: float


def reference_parameters(*, stiff_joint: bool = False) -> Any:
    """Vehicle 2 without tyre offsets and camber, its axles' masses in proportion to their loads."""
    p = setup_vehicle_parameters(2)
    for name in _OFFSETS:
        setattr(p.tire, name, 0.0)
    p.steering.v_max, p.steering.v_min = 100.0, -100.0
    both = p.m_uf + p.m_ur
    p.m_uf, p.m_ur = both * p.b / (p.a + p.b), both * p.a / (p.a + p.b)
    p.I_uf, p.I_ur = p.m_uf * p.T_f**2 / 4.0, p.m_ur * p.T_r**2 / 4.0
    if stiff_joint:
        p.K_ras *= STIFF_JOINT
        p.K_rad *= math.sqrt(STIFF_JOINT)
    return p


def slip_at_the_axles() -> Right:
    """The reference with the lateral speeds of its axles in the slip angles."""
    text = inspect.getsource(multi_body.vehicle_dynamics_mb)
    for state, ahead, axle in ((15, "+ p.a", "x[14]*(p.R_w - x[16])"),
                               (20, "- p.b", "x[19]*(p.R_w - x[21])")):  # fmt: skip
        published = f"(x[10] {ahead}*x[5] - {axle})"
        assert text.count(published) == 2
        text = text.replace(published, f"(x[{state}] - {axle})")
    names = dict(vars(multi_body))
    exec(text, names)
    changed: Right = names["vehicle_dynamics_mb"]
    return changed


def drive_reference(right: Right, p: Any, frequency_hz: float, amplitude_rad: float) -> Peaks:
    """Drive the reference by Runge-Kutta's fourth-order method."""
    x = np.array(init_mb([0.0, 0.0, 0.0, SPEED_MPS, 0.0, 0.0, 0.0], p))
    x[8] = -(x[16] - x[21]) / (p.a + p.b)  # springs unloaded: its equilibrium
    x[11] = x[16] + p.a * x[8]
    pulse = 2.0 * math.pi * frequency_hz

    def rate(x: Any, t: float) -> Any:
        u = [amplitude_rad * pulse * math.cos(pulse * t), 0.0]
        return np.array(right(x.tolist(), u, p))

    found = []
    for k in range(round(PERIODS / frequency_hz / STEP_S)):
        t = k * STEP_S
        a = rate(x, t)
        turn = x[5] * x[3]
        body, front, rear = a[10] + turn, a[15] + turn, a[20] + turn
        whole = (p.m_s * body + p.m_uf * front + p.m_ur * rear) / p.m
        found.append((x[5], whole, body, x[6]))
        b = rate(x + STEP_S / 2 * a, t + STEP_S / 2)
        c = rate(x + STEP_S / 2 * b, t + STEP_S / 2)
        d = rate(x + STEP_S * c, t + STEP_S)
        x = x + STEP_S / 6 * (a + 2 * b + 2 * c + d)
    return Peaks(*(float(peak) for peak in np.abs(np.array(found)).max(axis=0)))


def same_car(p: Any, share: float) -> VehicleParameters:
    """The reference's parameters as a vehicle of ours."""

    def felt(spring: float, bar: float, track: float) -> float:
        springs, tyres = 0.5 * spring * track**2 - bar, 0.5 * p.K_zt * track**2
        return springs * tyres / (springs + tyres)

    height = (p.m_s * p.h_s + (p.m_uf + p.m_ur) * p.R_w) / p.m
    return from_mapping(
        VehicleParameters,
        {
            "name": "commonroad_2", "description": "vehicle 2 of CommonRoad",
            "body": {
                "mass_kg": p.m, "roll_inertia_kgm2": p.I_Phi_s + 60.0,
                "pitch_inertia_kgm2": p.I_y_s, "yaw_inertia_kgm2": p.I_z,
                "cg_to_front_axle_m": p.a, "cg_to_rear_axle_m": p.b, "cg_height_m": height,
                "track_front_m": p.T_f, "track_rear_m": p.T_r, "length_m": p.l, "width_m": p.w,
                "front_overhang_m": 0.8,
            },
            "suspension": {
                "roll_stiffness_front_nm_per_rad": felt(p.K_sf, p.K_tsf, p.T_f),
                "roll_stiffness_rear_nm_per_rad": felt(p.K_sr, p.K_tsr, p.T_r),
                "roll_centre_front_m": p.h_raf, "roll_centre_rear_m": p.h_rar,
                "pitch_stiffness_nm_per_rad": 80000.0,
            },
            "wheels": {
                "radius_m": p.R_w, "inertia_front_kgm2": p.I_y_w, "inertia_rear_kgm2": p.I_y_w
            },
            "axles": {
                "tyre": "mf96", "cornering_stiffness_front_n_per_rad": 1.3e5,
                "cornering_stiffness_rear_n_per_rad": 1.05e5, "mu_nominal": 1.0,
            },
            "drivetrain": {
                "drive_split_front": 0.0, "motor_torque_curve": [[0, 300], [900, 100]],
                "gear_ratio": 10.0, "efficiency": 0.95,
            },
            "brakes": {
                "brake_split_front": p.T_sb, "max_torque_nm": 6000.0, "front_share": p.T_sb,
                "handbrake_torque_nm": 2000.0,
            },
            "aero": {"drag_coefficient": 0.0, "frontal_area_m2": 2.0},
            "steering": {"max_angle_rad": 1.0, "ratio": 14.0, "mechanical_trail_m": 0.02},
            "energy": {
                "kind": "fuel", "capacity_kwh": 400.0, "drive_efficiency": 0.3,
                "regeneration_efficiency": 0.0, "auxiliary_power_w": 0.0,
            },
            "ride": {
                "unsprung_mass_front_kg": p.m_uf, "unsprung_mass_rear_kg": p.m_ur,
                "sprung_roll_inertia_kgm2": p.I_Phi_s, "sprung_pitch_inertia_kgm2": p.I_y_s,
                "sprung_cg_height_m": p.h_s,
                "spring_front_n_per_m": p.K_sf, "spring_rear_n_per_m": p.K_sr,
                "damper_front_ns_per_m": p.K_sdf, "damper_rear_ns_per_m": p.K_sdr,
                "tyre_rate_front_n_per_m": p.K_zt, "tyre_rate_rear_n_per_m": p.K_zt,
                "lateral_compliance_m_per_n": p.K_lt, "patch_roll_share": share,
            },
        },
    )  # fmt: skip


def same_tyre(p: Any) -> tuple[TyreParameters, float]:
    """The reference's coefficients as a property file of ours, and the friction it stands for."""
    t = p.tire
    values = {
        "PCX1": t.p_cx1, "PDX1": t.p_dx1, "PEX1": t.p_ex1, "PKX1": t.p_kx1,
        "RBX1": t.r_bx1, "RBX2": t.r_bx2, "RCX1": t.r_cx1, "REX1": t.r_ex1,
        "PCY1": t.p_cy1, "PDY1": t.p_dy1, "PEY1": t.p_ey1, "PKY1": t.p_ky1 * _WIDE / 2.0,
        "PKY2": _WIDE, "RBY1": t.r_by1, "RBY2": t.r_by2, "RBY3": t.r_by3, "RCY1": t.r_cy1,
        "REY1": t.r_ey1, "FNOMIN": _LOAD, "FZMIN": 10.0,
    }  # fmt: skip
    unused = "PDX2 PEX2 PEX3 PKX2 PKX3 PHX1 PVX1 REX2 RHX1 PDY2 PEY2 PHY1 PHY2 PVY1 PVY2 REY2 RHY1"
    values |= dict.fromkeys([*unused.split(), "RHY2", "RVY1", "RVY2", "QSY1"], 0.0)
    text = (DATA_FOLDER / "tyres" / "road_235_55r19.tir").read_text(encoding="utf-8")
    for name, value in values.items():
        text, found = re.subn(rf"(?m)^{name}\s*=.*$", f"{name} = {value}", text)
        assert found == 1, name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "commonroad.tir"
        path.write_text(text, encoding="utf-8")
        return load_tyre(path), max(t.p_dx1, t.p_dy1)


def drive_ours(
    level: str, p: Any, share: float, frequency_hz: float, amplitude_rad: float
) -> Peaks:
    """Drive our car."""
    tyre, mu = same_tyre(p)
    car = same_car(p, share)
    vehicle = Vehicle(car, tyre, flat(mu), level=level, substep_s=STEP_S)
    vehicle.reset(InitialState(vx_mps=SPEED_MPS))
    found = []
    for k in range(round(PERIODS / frequency_hz / STEP_S)):
        steer = amplitude_rad * math.sin(2.0 * math.pi * frequency_hz * (k + 0.5) * STEP_S)
        vehicle.hold_force(steer, 0.0, 1)
        m = vehicle.motion()
        found.append((m.yaw_rate_radps, m.ay_mps2, m.roll_rad, m.roll_rate_radps))
    rate, ay, roll, roll_rate = np.array(found).T
    sway = (p.m_uf + p.m_ur) / p.m * p.h_s * np.gradient(roll_rate, STEP_S)
    return Peaks(*(float(np.abs(each).max()) for each in (rate, ay, ay - sway, roll)))


def comparison() -> dict[tuple[str, float], tuple[Peaks, Peaks, Peaks]]:
    """For each slip and frequency: the reference, level l3, level l2."""
    found = {}
    for name, right, stiff, share in (
        ("of the body", multi_body.vehicle_dynamics_mb, False, 0.0),
        ("of the axles", slip_at_the_axles(), True, 1.0),
    ):
        p = reference_parameters(stiff_joint=stiff)
        for frequency_hz, amplitude_rad in STEERING.items():
            found[name, frequency_hz] = (
                drive_reference(right, p, frequency_hz, amplitude_rad),
                drive_ours("l3", p, share, frequency_hz, amplitude_rad),
                drive_ours("l2", p, share, frequency_hz, amplitude_rad),
            )
    return found


def table(found: dict[tuple[str, float], tuple[Peaks, Peaks, Peaks]]) -> str:
    """The peaks, and how far ours are from the reference's, as Markdown."""
    rows = [
        "| slip by the speed | sine | peak | CommonRoad | l3 | | l2 | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (name, frequency_hz), (reference, ours, plain) in found.items():
        for label, key in (
            ("yaw rate [rad/s]", "yaw_rate_radps"),
            ("ay, whole car [m/s2]", "ay_mps2"),
            ("ay, body [m/s2]", "body_ay_mps2"),
            ("roll [rad]", "roll_rad"),
        ):
            wanted = getattr(reference, key)
            cells = []
            for peaks in (ours, plain):
                value = getattr(peaks, key)
                cells.append(f"{value:.4g} | {100.0 * (value / wanted - 1.0):+.1f} %")
            rows.append(
                f"| {name} | {frequency_hz:g} Hz | {label} | {wanted:.4g} | {' | '.join(cells)} |"
            )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(comparison()))

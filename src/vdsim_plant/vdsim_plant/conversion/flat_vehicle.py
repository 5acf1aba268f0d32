"""VDSim's flat vehicle YAML, with its tyre -> the keys of a vehicle file, with their provenance.

Equations of what is computed, in its symbols: K = (k_L + k_R) (track / 2)^2 + stabiliser is an
axle's roll stiffness, (k_FL + k_FR) a^2 + (k_RL + k_RR) b^2 the pitch stiffness, m_u R^2 / 2 a
wheel's inertia unless it is given. Its motor has the same torque at every speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdsim_plant.conversion.flat_file import FlatFile
from vdsim_plant.conversion.flat_tyre import ConvertedTyre
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.tyres.tir_forces import tir_forces

ASSUMED = "assumed"
Entry = tuple[str, Any, str]
_TOP_MOTOR_SPEED_RADPS = 10000.0
_SMALL_SLIP = 1e-5


@dataclass(frozen=True)
class ConvertedVehicle:
    """`groups`: of the vehicle file; each key with its value and where that comes from."""

    groups: dict[str, tuple[Entry, ...]]
    notes: tuple[str, ...]


def convert_vehicle(flat: FlatFile, tyre: ConvertedTyre, tyre_file: str) -> ConvertedVehicle:
    """Convert a checked vehicle file; `tyre_file` is the name of the converted tyre's file."""
    v = flat.values
    notes = [f"{flat.path.name}: {line}" for line in flat.left_out]
    if v["differential"] == "LSD":
        notes.append(f"{flat.path.name}: differential: LSD is taken as open")
    groups = {
        "body": _body(flat),
        "suspension": _suspension(flat),
        "wheels": _wheels(flat),
        "axles": _axles(flat, tyre, tyre_file),
        "drivetrain": _drivetrain(flat),
        "brakes": _brakes(flat),
        "aero": (
            _entry(flat, "drag_coefficient", "aero_drag_coeff"),
            _entry(flat, "frontal_area_m2", "frontal_area"),
            _entry(flat, "lift_coefficient_front", "aero_lift_front", 0.0 - v["aero_lift_front"]),
            _entry(flat, "lift_coefficient_rear", "aero_lift_rear", 0.0 - v["aero_lift_rear"]),
        ),
        "steering": (
            _entry(flat, "max_angle_rad", "max_steer_angle_wheel"),
            _entry(flat, "ratio", "steering_ratio"),
            ("mechanical_trail_m", 0.02, ASSUMED),
        ),
        "energy": (
            ("kind", "battery", ASSUMED),
            ("capacity_kwh", 74.0, ASSUMED),
            ("drive_efficiency", 0.88, ASSUMED),
            ("regeneration_efficiency", 0.65, ASSUMED),
            ("auxiliary_power_w", 500.0, ASSUMED),
        ),
    }
    return ConvertedVehicle(groups, (*notes, *tyre.notes))


def _entry(flat: FlatFile, key: str, source: str, value: Any = None) -> Entry:
    """A key of ours from one of theirs; `source` may name several, as `a, b`."""
    names = [each.split("[")[0] for each in source.split(", ")]
    is_given = any(each in flat.given for each in names)
    text = source if is_given else f"VDSim's default of {source}"
    return key, flat.values[names[0]] if value is None else value, text


def _body(flat: FlatFile) -> tuple[Entry, ...]:
    v = flat.values
    inertias = [
        _entry(flat, f"{axis}_inertia_kgm2", f"inertia_diag[{index}]", v["inertia_diag"][index])
        for index, axis in enumerate(("roll", "pitch", "yaw"))
    ]
    outline: tuple[Entry, ...]
    if v["body_lwh_m"]:
        length, width, _ = v["body_lwh_m"]
        outline = (
            _entry(flat, "length_m", "body_lwh_m[0]", length),
            _entry(flat, "width_m", "body_lwh_m[1]", width),
            ("front_overhang_m", max((length - v["wheelbase"]) / 2.0, 0.0), ASSUMED),
        )
    else:
        outline = (
            ("length_m", round(1.56 * v["wheelbase"], 3), ASSUMED),
            ("width_m", round(max(v["track_front"], v["track_rear"]) + 0.255, 3), ASSUMED),
            ("front_overhang_m", round(0.28 * v["wheelbase"], 3), ASSUMED),
        )
    return (
        _entry(flat, "mass_kg", "mass"),
        *inertias,
        _entry(flat, "cg_to_front_axle_m", "cg_to_front"),
        _entry(flat, "cg_to_rear_axle_m", "cg_to_rear"),
        _entry(flat, "cg_height_m", "cg_height"),
        _entry(flat, "track_front_m", "track_front"),
        _entry(flat, "track_rear_m", "track_rear"),
        *outline,
    )


def _suspension(flat: FlatFile) -> tuple[Entry, ...]:
    v = flat.values
    fl, fr, rl, rr = v["spring_stiffness"]
    front = (fl + fr) * (v["track_front"] / 2.0) ** 2 + v["arb_stiffness_front"]
    rear = (rl + rr) * (v["track_rear"] / 2.0) ** 2 + v["arb_stiffness_rear"]
    pitch = (fl + fr) * v["cg_to_front"] ** 2 + (rl + rr) * v["cg_to_rear"] ** 2
    springs = "spring_stiffness, arb_stiffness_"
    return (
        _entry(flat, "roll_stiffness_front_nm_per_rad", f"{springs}front", round(front, 3)),
        _entry(flat, "roll_stiffness_rear_nm_per_rad", f"{springs}rear", round(rear, 3)),
        _entry(flat, "roll_centre_front_m", "roll_center_height_front"),
        _entry(flat, "roll_centre_rear_m", "roll_center_height_rear"),
        _entry(flat, "pitch_stiffness_nm_per_rad", "spring_stiffness", round(pitch, 3)),
    )


def _wheels(flat: FlatFile) -> tuple[Entry, ...]:
    v = flat.values
    radius = v["wheel_radius_nominal"]
    given, masses = v["wheel_inertia"], v["unsprung_mass"]
    of_wheel = [
        inertia if inertia > 0.0 else 0.5 * mass * radius**2
        for inertia, mass in zip(given, masses, strict=True)
    ]
    source = "wheel_inertia" if "wheel_inertia" in flat.given and any(given) else "unsprung_mass"
    return (
        _entry(flat, "radius_m", "wheel_radius_nominal"),
        _entry(flat, "inertia_front_kgm2", source, round(sum(of_wheel[:2]) / 2.0, 6)),
        _entry(flat, "inertia_rear_kgm2", source, round(sum(of_wheel[2:]) / 2.0, 6)),
    )


def _axles(flat: FlatFile, tyre: ConvertedTyre, tyre_file: str) -> tuple[Entry, ...]:
    v = flat.values
    weight = v["mass"] * GRAVITY_MPS2
    front = weight * v["cg_to_rear"] / v["wheelbase"] / 2.0
    rear = weight * v["cg_to_front"] / v["wheelbase"] / 2.0
    coefficients = tyre.coefficients.as_array()
    stiffness = [
        -2.0 * tir_forces(0.0, _SMALL_SLIP, load, tyre.mu_nominal, 1.0, 0.0, coefficients)[1]
        / _SMALL_SLIP
        for load in (front, rear)
    ]  # fmt: skip
    source = "of that tyre at the static loads"
    return (
        ("tyre", tyre_file, "tire_yaml"),
        ("cornering_stiffness_front_n_per_rad", round(stiffness[0], 1), source),
        ("cornering_stiffness_rear_n_per_rad", round(stiffness[1], 1), source),
        ("mu_nominal", tyre.mu_nominal, "mu_nominal of the tyre"),
    )


def _drivetrain(flat: FlatFile) -> tuple[Entry, ...]:
    v = flat.values
    split = {"FWD": 1.0, "RWD": 0.0}.get(v["drive_type"], v["drive_split_front"])
    source = "drive_split_front" if v["drive_type"] == "AWD" else "drive_type"
    torque = v["max_motor_torque"]
    kind = "locked" if v["differential"] == "LOCKED" else "open"
    return (
        _entry(flat, "drive_split_front", source, split),
        _entry(
            flat,
            "motor_torque_curve",
            "max_motor_torque",
            [[0.0, torque], [_TOP_MOTOR_SPEED_RADPS, torque]],
        ),
        _entry(flat, "gear_ratio", "final_drive_ratio"),
        ("efficiency", 1.0, "the motor's torque is that at the wheels over the ratio"),
        _entry(flat, "differential_front", "differential", kind if split > 0.0 else "open"),
        _entry(flat, "differential_rear", "differential", kind if split < 1.0 else "open"),
    )


def _brakes(flat: FlatFile) -> tuple[Entry, ...]:
    v = flat.values
    return (
        _entry(flat, "brake_split_front", "brake_bias_front"),
        _entry(flat, "max_torque_nm", "max_brake_torque"),
        _entry(flat, "front_share", "brake_bias_front"),
        ("handbrake_torque_nm", v["max_brake_torque"], ASSUMED),
    )

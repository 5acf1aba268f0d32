"""The keys of VDSim's flat files: what each may be, its default there, and what becomes of it here.

SI units. Per wheel: FL, FR, RL, RR. A default is that of VDSim for a file that leaves the key out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vdsim_plant.parameters.errors import wrong_value


@dataclass(frozen=True)
class FlatKey:
    """One key: `read` checks a value, `default` is None where the key must be given."""

    read: Callable[[str, object], Any]
    default: Any = None


@dataclass(frozen=True)
class LeftOut:
    """A key with no counterpart here, and why; nothing is lost where it is `neutral`."""

    read: Callable[[str, object], Any]
    why: str
    neutral: object = 0

    def loses(self, value: object) -> bool:
        """Whether something is lost by leaving this value out."""
        return value not in (self.neutral, [self.neutral] * 4)


def number(key: str, value: object) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise wrong_value(key, value, "a finite number")
    return float(value)


def positive(key: str, value: object) -> float:
    """Return a number above 0."""
    if number(key, value) <= 0.0:
        raise wrong_value(key, value, "> 0")
    return number(key, value)


def not_negative(key: str, value: object) -> float:
    """Return a number of 0 or more."""
    if number(key, value) < 0.0:
        raise wrong_value(key, value, ">= 0")
    return number(key, value)


def share(key: str, value: object) -> float:
    """Return a number from 0 to 1."""
    if not 0.0 <= number(key, value) <= 1.0:
        raise wrong_value(key, value, "0 to 1")
    return number(key, value)


def switch(key: str, value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise wrong_value(key, value, "true or false")
    return value


def name(key: str, value: object) -> str:
    """Return a line of text."""
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise wrong_value(key, value, "a line of text")
    return value.strip()


def group(key: str, value: object) -> Mapping[str, object]:
    """Return a group of keys, whatever is in it."""
    if not isinstance(value, Mapping):
        raise wrong_value(key, value, "a group of keys")
    return value


def one_of(*allowed: str) -> Callable[[str, object], str]:
    """Return a reader of one of these words, whatever their case."""

    def read(key: str, value: object) -> str:
        word = value.strip().upper() if isinstance(value, str) else ""
        if word not in {each.upper() for each in allowed}:
            raise wrong_value(key, value, f"one of {', '.join(allowed)}")
        return word

    return read


def several(count: int, each: Callable[[str, object], float]) -> Callable[[str, object], Any]:
    """Return a reader of a list of so many numbers."""

    def read(key: str, value: object) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != count:
            raise wrong_value(key, value, f"a list of {count} numbers")
        return tuple(each(f"{key}[{index}]", item) for index, item in enumerate(value))

    return read


VEHICLE_KEYS: Mapping[str, FlatKey] = {
    "mass": FlatKey(positive),
    "inertia_diag": FlatKey(several(3, positive)),
    "wheelbase": FlatKey(positive),
    "cg_to_front": FlatKey(positive),
    "cg_to_rear": FlatKey(positive),
    "track_front": FlatKey(positive),
    "track_rear": FlatKey(positive),
    "cg_height": FlatKey(not_negative),
    "wheel_radius_nominal": FlatKey(positive),
    "spring_stiffness": FlatKey(several(4, positive), (30000.0,) * 4),
    "unsprung_mass": FlatKey(several(4, positive), (40.0,) * 4),
    "wheel_inertia": FlatKey(several(4, not_negative), (0.0,) * 4),
    "arb_stiffness_front": FlatKey(not_negative, 0.0),
    "arb_stiffness_rear": FlatKey(not_negative, 0.0),
    "roll_center_height_front": FlatKey(number, 0.0),
    "roll_center_height_rear": FlatKey(number, 0.0),
    "drive_type": FlatKey(one_of("FWD", "RWD", "AWD"), "RWD"),
    "drive_split_front": FlatKey(share, 0.5),
    "differential": FlatKey(one_of("Open", "Locked", "LSD"), "OPEN"),
    "max_motor_torque": FlatKey(positive, 300.0),
    "final_drive_ratio": FlatKey(positive, 5.0),
    "max_brake_torque": FlatKey(positive, 2000.0),
    "brake_bias_front": FlatKey(share, 0.5),
    "steering_ratio": FlatKey(positive, 15.0),
    "max_steer_angle_wheel": FlatKey(positive, 0.5),
    "aero_drag_coeff": FlatKey(not_negative, 0.3),
    "frontal_area": FlatKey(not_negative, 2.2),
    "aero_lift_front": FlatKey(number, 0.0),
    "aero_lift_rear": FlatKey(number, 0.0),
    "tire_yaml": FlatKey(name, ""),
    "body_lwh_m": FlatKey(several(3, positive), ()),
}

_ONE_MASS = "the plant has one mass, whose weight rolls and pitches as a whole"
_AT_ONCE = "roll and pitch follow at once"
_NO_DELAY = "an actuator file has a delay_s for it"

VEHICLE_LEFT_OUT: Mapping[str, LeftOut] = {
    "mass_sprung": LeftOut(positive, _ONE_MASS),
    "damper_coefficient": LeftOut(several(4, not_negative), _AT_ONCE),
    "anti_dive_front": LeftOut(number, _AT_ONCE),
    "anti_squat_rear": LeftOut(number, _AT_ONCE),
    "pitch_center_height": LeftOut(number, _AT_ONCE),
    "camber_per_roll": LeftOut(number, "the plant's wheels have no camber"),
    "lsd_preload": LeftOut(not_negative, "a differential is open or locked"),
    "lsd_ramp": LeftOut(not_negative, "a differential is open or locked"),
    "engine_rotational_inertia": LeftOut(
        not_negative, "the wheels have the inertia of their discs alone"
    ),
    "brake_ebd_enabled": LeftOut(switch, "the brakes' shares are fixed"),
    "brake_deadtime_s": LeftOut(not_negative, _NO_DELAY),
    "drive_deadtime_s": LeftOut(not_negative, _NO_DELAY),
    "steer_deadtime_s": LeftOut(not_negative, _NO_DELAY),
    "ackerman_percent": LeftOut(number, "both front wheels have the same angle"),
    "plant_path": LeftOut(switch, "forces and angles are always taken"),
    "wheel_width_m": LeftOut(positive, "nothing here reads it"),
}

TYRE_KEYS: Mapping[str, FlatKey] = {
    "backend": FlatKey(one_of("mf96", "mf2002"), "MF96"),
    "tir_path": FlatKey(name, ""),
    "B_long": FlatKey(positive, 10.0),
    "C_long": FlatKey(positive, 1.65),
    "D_long": FlatKey(positive, 1.0),
    "E_long": FlatKey(number, 0.97),
    "B_lat": FlatKey(positive, 8.0),
    "C_lat": FlatKey(positive, 1.3),
    "D_lat": FlatKey(positive, 1.0),
    "E_lat": FlatKey(number, -1.0),
    "mu_nominal": FlatKey(positive, 1.0),
    "Fz_nominal": FlatKey(positive, 4000.0),
    "load_sensitivity": FlatKey(share, 0.0),
    "rolling_resistance": FlatKey(not_negative, 0.0),
    "relaxation_length_lat": FlatKey(not_negative, 0.0),
    "relaxation_length_long": FlatKey(not_negative, 0.0),
}

_RADIUS = "the wheel's radius is that of the vehicle file"

TYRE_LEFT_OUT: Mapping[str, LeftOut] = {
    "cornering_stiffness": LeftOut(positive, "the stiffness is B C D of the side force"),
    "combined_slip_enabled": LeftOut(
        switch, "slips always share the friction circle", neutral=True
    ),
    "pneumatic_trail": LeftOut(number, "the aligning torque has the steering's mechanical trail"),
    "trail_falloff_alpha": LeftOut(
        number, "the aligning torque has the steering's mechanical trail"
    ),
    "camber_stiffness": LeftOut(number, "the plant's wheels have no camber"),
    "tire_vertical_stiffness": LeftOut(positive, "wheels follow the road at once"),
    "reff_breff": LeftOut(number, _RADIUS),
    "reff_dreff": LeftOut(number, _RADIUS),
    "reff_freff": LeftOut(number, _RADIUS),
    "lugre": LeftOut(group, "a standing tyre is a damped spring here", neutral={"enabled": False}),
}

"""Names from other simulators and papers -> ours: only for the hint of an error, never accepted.

Ours carry their unit; a number in another unit must not pass under a short name.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

Kind = TypeVar("Kind")

KEYS = {
    "m": "body.mass_kg",
    "mass": "body.mass_kg",
    "Izz": "body.yaw_inertia_kgm2",
    "Iz": "body.yaw_inertia_kgm2",
    "lf": "body.cg_to_front_axle_m",
    "lr": "body.cg_to_rear_axle_m",
    "h_cg": "body.cg_height_m",
    "track": "body.track_front_m",
    "Ca_f": "axles.cornering_stiffness_front_n_per_rad",
    "Ca_r": "axles.cornering_stiffness_rear_n_per_rad",
    "mu_nom": "axles.mu_nominal",
    "drive_split_front": "drivetrain.drive_split_front",
    "R_eff": "wheels.radius_m",
}
"""Keys of a vehicle file, as GROUP.KEY."""

ARGUMENTS = {
    "VDSimPlant": {
        "friction_patch": "friction_map",
        "friction_patches": "friction_map",
        "mu": "base_mu",
        "dt": "control_dt",
        "vehicle": "config",
        "tire": "tyre",
        "actuator": "actuators",
        "sensor": "sensors",
    },
    "SimSession": {"config": "vehicle", "actuator": "actuators", "sensor": "sensors"},
    "RealTimeRunner": {"cmd_timeout_s": "cmd_timeout"},
    "Ground": {"mu": "base_mu", "friction_patches": "x_patches", "friction_patch": "x_patches"},
}
"""Arguments of our classes."""

_WHEELS = {
    "tire_forces_wheel": "tire_fx_n, tire_fy_n",
    "tire_forces_body": "tire_body_fx_n, tire_body_fy_n",
    "tire_Fz": "tire_fz_n",
    "wheel_slip_ratio": "slip_ratio",
    "wheel_slip_angle": "slip_angle_rad",
    "beta": "beta_rad",
    "ax_body_est": "ax_mps2",
    "ay_body_est": "ay_mps2",
}
ATTRIBUTES = {
    "VDSimPlant": {
        **{theirs: f"motion().{ours}" for theirs, ours in _WHEELS.items()},
        "true_state": "motion()",
        "state": "motion()",
        "measured_state": "measured()",
        "set_input": "step([delta, Fx])",
        "tick": "step([delta, Fx])",
    },
    "SimSession": {
        **{theirs: f"state().{ours}" for theirs, ours in _WHEELS.items()},
        "wheel_mu": "state().wheel_mu",
        "true_state": "state()",
        "step": "tick(duration_s)",
    },
}
"""Attributes of our objects; in VDSim each has a getter of its own."""

IMPORTS = {
    "CmdL1": "VDSimPlant.step(u, torques, brakes), or vdsim_plant.motion.WheelTorques",
    "CmdL3": "VDSimPlant.step([delta, Fx])",
    "CmdL4": "vdsim_plant.motion.PedalInput",
    "Config": "the arguments dt, cmd_timeout and failsafe of vdsim_plant.RealTimeRunner",
    "State": "vdsim_plant.motion.InitialState",
    "Vehicle": "VDSimPlant(config), or vdsim_plant.vehicle.Vehicle(preset)",
    "VehicleParams": "vdsim_plant.parameters.VehicleParameters",
    "create_friction_patch_ground": "vdsim_plant.ground.Ground(base_mu=..., x_patches=...)",
    "create_seven_dof": 'VDSimPlant(level="l2")',
    "create_split_mu_ground": "vdsim_plant.ground.Ground(split=SplitMu(mu_left, mu_right))",
    "make_init_state": "VDSimPlant.reset(state0=[X, Y, psi, vx, vy, r]), or "
    "vdsim_plant.motion.InitialState",
    "vdsim_lab": "vdsim_plant.VDSimPlant",
}
"""What may be looked for in `vdsim_plant` and `vdsim_plant.ground`."""


def missing_name(module: str, name: str) -> Exception:
    """Return the error of a name that a module does not have; ImportError where it has another.

    `from module import name` shows the text of an ImportError only.
    """
    if name in IMPORTS:
        return ImportError(f"{module}.{name}: no such name; here it is {IMPORTS[name]}")
    return AttributeError(f"module {module!r} has no attribute {name!r}")


class HasOtherNames:
    """An object that names ours for attributes of other simulators."""

    if not TYPE_CHECKING:  # a type checker has to go on to find what is missing

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self).__name__
            ours = ATTRIBUTES.get(kind, {}).get(name)
            if ours is None:
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            raise AttributeError(f"{kind}.{name}: no such attribute; here it is {ours}")


def names_ours(made: type[Kind]) -> type[Kind]:
    """Let a class name ours for arguments of other simulators that it is made with."""
    plain: Any = made.__init__
    known = [name for name in inspect.signature(plain).parameters if name != "self"]

    @functools.wraps(plain)
    def init(self: Any, *values: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                raise TypeError(no_such_argument(name, known))
        plain(self, *values, **named)

    made.__init__ = init  # type: ignore[method-assign]
    return made


def other_key(key: str, known: Sequence[str]) -> str:
    """Return our name of a key in a group that has the `known` ones; empty without one."""
    group, _, name = KEYS.get(key, "").partition(".")
    if name in known:
        return name
    return f"{group}.{name}" if group in known else ""


def no_such_argument(name: str, known: Sequence[str]) -> str:
    """Return the reason why a call refuses an argument, with the name that was probably meant."""
    ours = [names[name] for names in ARGUMENTS.values() if names.get(name) in known]
    near = ours or difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    return f"{name}: no such argument{hint}"

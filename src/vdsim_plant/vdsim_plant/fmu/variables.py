"""The variables of an FMU: one table, from which XML, C and documentation are made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vdsim_plant.ground.limits import MU_MAX
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters.fields import Number, specs
from vdsim_plant.vehicle import GEARS, STATE_LIMITS, Vehicle

WHEELS = ("fl", "fr", "rl", "rr")
LARGEST = 1e300
"""Limit of inputs that any finite number may be: the car cuts them itself."""

# Order of the body's and of a wheel's values in the observation (kernel/layout.py).
_BODY = (
    ("x_m", "m", "place of the centre of gravity in the world (ENU)"),
    ("y_m", "m", "place of the centre of gravity in the world (ENU)"),
    ("yaw_rad", "rad", "heading, from world x towards y, not wrapped"),
    ("vx_mps", "m/s", "velocity in the body frame (ISO 8855: x forward, y left)"),
    ("vy_mps", "m/s", "velocity in the body frame"),
    ("yaw_rate_radps", "rad/s", "yaw rate"),
    ("ax_mps2", "m/s2", "acceleration of the centre of gravity, body frame"),
    ("ay_mps2", "m/s2", "acceleration of the centre of gravity, body frame"),
    ("beta_rad", "rad", "sideslip angle, 0 at rest"),
    ("roll_rad", "rad", "quasi-static roll, right side down is positive"),
    ("pitch_rad", "rad", "quasi-static pitch, nose down is positive"),
)
_WHEEL = (
    ("tire_fx_n", "N", "longitudinal contact force in the wheel's frame"),
    ("tire_fy_n", "N", "lateral contact force in the wheel's frame"),
    ("tire_fz_n", "N", "vertical load"),
    ("slip_angle_rad", "rad", "slip angle; a positive one gives a negative side force"),
    ("slip_ratio", "", "slip ratio; a positive one drives"),
    ("wheel_mu", "", "friction that the wheel used"),
    ("mu_peak", "", "highest force over load of pure slip"),
    ("wheel_spin_radps", "rad/s", "spin of the wheel"),
    ("slip_angle_peak_rad", "rad", "slip angle of the highest pure side force"),
    ("slip_ratio_peak", "", "slip ratio of the highest pure longitudinal force"),
)
_START_UNITS = ("m", "m", "rad", "m/s", "m/s", "rad/s")


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One variable. `place`: where its value is in the state of vdsim_car.h, as C text."""

    name: str
    doc: str
    unit: str = ""
    type: str = "d"  # d: Float64 / Real, i: Int32 / Integer, b: Boolean
    causality: str
    variability: str = "continuous"
    place: str = "-1"
    start: float | None = None
    least: float = -LARGEST
    most: float = LARGEST

    @property
    def settable(self) -> int:
        """0 never, 1 always, 2 before the first step, 3 always and it changes the start."""
        if self.causality == "input":
            return 1
        if self.causality != "parameter":
            return 0
        return 3 if self.variability == "tunable" else 2


def variables_of(vehicle: Vehicle) -> list[Variable]:
    """Return all variables; the index of one is its value reference."""
    return [
        Variable(name="time", doc="simulated time", unit="s", causality="independent"),
        *_inputs(),
        *_parameters(vehicle),
        *_outputs(),
        *_constants(vehicle.parameters, ""),
    ]


def _inputs() -> Iterator[Variable]:
    rows = (
        (
            "steer_rad",
            "rad",
            "VD_STEER",
            "road wheel angle, + left, cut at the car's limit",
        ),
        ("force_n", "N", "VD_FORCE", "force intent: drives where positive, brakes where negative"),
        ("throttle", "", "VD_THROTTLE", "throttle pedal, cut to 0 to 1"),
        ("brake", "", "VD_BRAKE", "brake pedal, cut to 0 to 1"),
    )
    for name, unit, place, doc in rows:
        yield _input(name, doc, unit, place)
    for k, wheel in enumerate(WHEELS):
        doc = f"drive torque at the wheel {wheel.upper()}, on top; negative drives backwards"
        yield _input(f"drive_torque_nm_{wheel}", doc, "N.m", f"VD_TORQUE + {k}")
    for k, wheel in enumerate(WHEELS):
        doc = f"brake torque at the wheel {wheel.upper()}, on top; it never drives"
        place = f"VD_BRAKE_TORQUE + {k}"
        yield _input(f"brake_torque_nm_{wheel}", doc, "N.m", place, least=0.0)
    wind = (
        ("wind_x_n", "N", "force of the wind at the centre of gravity, along world x"),
        ("wind_y_n", "N", "force of the wind at the centre of gravity, along world y"),
        ("wind_moment_nm", "N.m", "moment of the wind about the vertical axis, to the left"),
    )
    for k, (name, unit, doc) in enumerate(wind):
        yield _input(name, doc, unit, f"VD_WIND + {k}")
    yield Variable(
        name="gear",
        doc="1 drive, 0 neutral, -1 reverse: what the throttle pedal means",
        type="i",
        causality="input",
        variability="discrete",
        place="VD_GEAR",
        start=1.0,
        least=min(GEARS),
        most=max(GEARS),
    )
    yield Variable(
        name="handbrake",
        doc="hand brake, on the rear wheels",
        type="b",
        causality="input",
        variability="discrete",
        place="VD_HANDBRAKE",
        start=0.0,
        least=0.0,
        most=1.0,
    )


def _input(name: str, doc: str, unit: str, place: str, least: float = -LARGEST) -> Variable:
    return Variable(
        name=name, doc=doc, unit=unit, causality="input", place=place, start=0.0, least=least
    )


def _parameters(vehicle: Vehicle) -> Iterator[Variable]:
    for k, (name, limit) in enumerate(STATE_LIMITS.items()):
        yield Variable(
            name=f"start_{name}",
            doc=f"{name} at the start; the wheels roll at that speed",
            unit=_START_UNITS[k],
            causality="parameter",
            variability="fixed",
            place=f"VD_START + {k}",
            start=0.0,
            least=-limit,
            most=limit,
        )
    yield Variable(
        name="base_mu",
        doc="friction of the road outside of its patches",
        causality="parameter",
        variability="tunable",
        place="VD_BASE_MU",
        start=vehicle.ground.base_mu,
        least=0.01,
        most=MU_MAX,
    )


def _outputs() -> Iterator[Variable]:
    for k, (name, unit, doc) in enumerate(_BODY):
        yield _output(name, doc, unit, at.OBSERVED + k)
    yield _output("steer_applied_rad", "road wheel angle within its limit", "rad", at.STEER)
    for i, wheel in enumerate(WHEELS):
        first = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
        for k, (name, unit, doc) in enumerate(_WHEEL):
            yield _output(f"{name}_{wheel}", f"{wheel.upper()}: {doc}", unit, first + k)


def _output(name: str, doc: str, unit: str, index: int) -> Variable:
    place = f"VD_CAR + {index}"
    return Variable(name=name, doc=doc, unit=unit, causality="output", place=place)


def _constants(group: Any, prefix: str) -> Iterator[Variable]:
    """What the car was made with: shown, not to be changed. Another car is another FMU."""
    declared = dict(specs(type(group)))
    for item in dataclasses.fields(group):
        value = getattr(group, item.name)
        spec = declared.get(item.name)
        if isinstance(spec, Number):
            yield Variable(
                name=prefix + item.name,
                doc=spec.doc,
                unit=spec.unit.replace("N m", "N.m"),
                causality="local",
                variability="constant",
                start=float(value),
            )
        elif spec is None and dataclasses.is_dataclass(value):
            yield from _constants(value, f"{prefix}{item.name}.")

"""The table of the parameters that a log can tell: keys, units, what shows them, their bounds.

A fit works on one number per unknown: the logarithm of value over start for what is positive, the
difference over a scale for the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

PRIOR = 0.5  # standard deviation of a logarithm: a factor of 1.65 either way
FURTHEST = 1.6  # a fit goes no further from its start
SMALLEST_LAG_S = 1e-3


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """One number to find. `scale`: 0 for a positive number, else the size of a change of 1."""

    key: str
    unit: str
    shown_by: str
    """What the car must do for it."""
    scale: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    enough: float = 0.1
    """The half width of the 95 % interval at which it counts as known: relative, or absolute
    where `scale` is set."""

    prior: float = PRIOR
    """Standard deviation of its place before the log is seen."""
    fine: bool = False
    """Whether it refines the others: it goes back to the start before them."""
    begins: float = 0.0
    """Place at which a fit begins; of the start's own value nothing may lead on."""

    def value(self, start: float, x: float) -> float:
        """Return the value at a place of the fit."""
        value = start + self.scale * x if self.scale else start * math.exp(x)
        return min(max(value, self.low), self.high)

    def bounds(self, start: float) -> tuple[float, float]:
        """Return the lowest and the highest place of the fit."""
        if self.scale:
            return (self.low - start) / self.scale, (self.high - start) / self.scale
        below, above = (
            math.log(edge / start) if 0.0 < edge < math.inf and start > 0.0 else without
            for edge, without in ((self.low, -math.inf), (self.high, math.inf))
        )
        return max(below, -FURTHEST), min(above, FURTHEST)

    def slope(self, value: float) -> float:
        """Return d value / dx."""
        return self.scale or value


STEER_OFFSET = "steering.offset_rad"
MU = "road.mu"
SCALE = "steering.angle_scale"
WHEEL_INERTIA = "wheels.inertia_front_kgm2"  # the rear wheels' in proportion
TORQUE_DELAY = "wheel_torque.delay_s"
ROLL_SHARE = "suspension.roll_share_front"  # of both axles' roll stiffness; their sum stays
LOAD_LAG = "suspension.load_lag_s"  # of the wheels' loads, as pitch and roll take their time
ROLL_ASIDE = "suspension.roll_aside"  # how far tyres go aside as the body rolls, over ay / its w^2
TILT = "accelerometer.tilt"  # of ay, that it reads too much
EXACT = 0.03  # masses and lengths are known when the interval is within that
_DELAY: dict[str, Any] = {"unit": "s", "scale": 0.06, "low": 0.0, "high": 0.5, "enough": 0.01}
_DELAY["fine"] = True
_LAG: dict[str, Any] = {
    **{"unit": "s", "scale": 0.15, "low": SMALLEST_LAG_S, "high": 2.0},
    "enough": 0.02,
}

BOTH_WAYS = "bends at the limit, and in braking and accelerating"
SLIDING = "cornering until the tyres slide"


def _refined(
    key: str,
    shown_by: str,
    scale: float,
    bounds: tuple[float, float],
    unit: str = "-",
    *,
    enough: float = 0.1,
    begins: float = 0.0,
) -> Unknown:
    """Return what refines others, of an absolute scale."""
    low, high = bounds
    return Unknown(
        key=key,
        unit=unit,
        shown_by=shown_by,
        scale=scale,
        low=low,
        high=high,
        enough=enough,
        fine=True,
        begins=begins,
    )


def _share(key: str, shown_by: str) -> Unknown:
    """Return a share of the front axle."""
    return Unknown(
        key=key, unit="-", shown_by=shown_by, scale=0.3, low=0.02, high=0.98, enough=0.03
    )


BODY_UNKNOWNS = (
    Unknown(
        key="body.mass_kg",
        unit="kg",
        shown_by="accelerating and braking, wheel force logged",
        enough=EXACT,
    ),
    Unknown(key="body.yaw_inertia_kgm2", unit="kg m2", shown_by="quick steering, 0.5 Hz and more"),
    Unknown(key="body.cg_to_front_axle_m", unit="m", shown_by="bends, slow and fast", enough=EXACT),
    Unknown(
        key="body.cg_height_m",
        unit="m",
        shown_by="hard braking and accelerating, wheel speeds logged",
    ),
    Unknown(
        key="axles.cornering_stiffness_front_n_per_rad", unit="N/rad", shown_by="bends at speed"
    ),
    Unknown(
        key="axles.cornering_stiffness_rear_n_per_rad", unit="N/rad", shown_by="bends at speed"
    ),
    Unknown(
        key=MU,
        unit="-",
        shown_by="braking or cornering until the tyres slide",
        low=0.05,
        high=1.2,
    ),
    Unknown(
        key="tyre.mf96.slip_stiffness_per_load",
        unit="-",
        shown_by="hard braking and accelerating, wheel speeds logged",
    ),
    _refined("tyre.mf96.stiffness_saturation", BOTH_WAYS, 0.4, (0.0, 1.0)),
    _refined("tyre.mf96.load_sensitivity", BOTH_WAYS, 0.2, (0.0, 0.35), enough=0.05),
    _refined("tyre.mf96.lateral_curvature", SLIDING, 0.6, (-3.0, 0.8), enough=0.2),
    _refined("tyre.mf96.lateral_shape", SLIDING, 0.25, (1.05, 1.8)),
    _refined(
        "tyre.mf96.longitudinal_shape",
        "braking until the wheels lock, wheel speeds logged",
        0.25,
        (1.05, 1.9),
    ),
    _refined(
        "tyre.relaxation_length_lateral_m", "quick steering, slow and fast", 0.3, (0.0, 1.5), "m"
    ),
    _refined(ROLL_SHARE, BOTH_WAYS, 0.2, (0.2, 0.85), enough=0.05),
    Unknown(key="tyre.rolling_resistance", unit="-", shown_by="coasting, slow"),
    Unknown(key="aero.drag_coefficient", unit="-", shown_by="coasting, fast"),
    Unknown(key="wheels.radius_m", unit="m", shown_by="rolling, wheel speeds logged", enough=EXACT),
    Unknown(
        key=WHEEL_INERTIA,
        unit="kg m2",
        shown_by="wheels that lock and let go",
        prior=0.25,
        fine=True,
    ),
)
PEDAL_UNKNOWNS = (
    Unknown(key="brakes.max_torque_nm", unit="N m", shown_by="braking"),
    _share("brakes.front_share", "hard braking, wheel speeds or torques logged"),
    _share("drivetrain.drive_split_front", "accelerating, wheel speeds or torques logged"),
)
STEERING_UNKNOWNS = (
    Unknown(key="steering.ratio", unit="-", shown_by="slow bends, steering wheel logged"),
    Unknown(key=SCALE, unit="-", shown_by="slow bends", low=0.3, high=3.0),
    Unknown(key=STEER_OFFSET, unit="rad", shown_by="driving straight", scale=0.03, enough=0.002),
)
ACTUATOR_UNKNOWNS = tuple(
    unknown
    for name, shown_by in (
        ("steering", "steps of the steering"),
        ("throttle", "steps of the throttle"),
        ("brake", "steps of the brake"),
    )
    for unknown in (
        Unknown(key=f"actuator.{name}.delay_s", shown_by=shown_by, **_DELAY),
        Unknown(key=f"actuator.{name}.lag_s", shown_by=shown_by, **_LAG),
    )
)

# What no log of a usual drive tells: it is the start's, unless it is given.
GIVEN = tuple(
    Unknown(key=f"tyre.mf96.{name}", unit="-", shown_by="a tyre test bench")
    for name in ("longitudinal_curvature",)
)
LOG_UNKNOWNS = (
    _refined(
        LOAD_LAG,
        "steps of the brakes and of the steering",
        0.1,
        (0.0, 0.3),
        "s",
        enough=0.02,
        begins=0.5,
    ),
    _refined(ROLL_ASIDE, "steps of the steering", 1.0, (0.0, 1.0)),
    Unknown(
        key=TILT,
        unit="-",
        shown_by="long bends",
        scale=0.1,
        low=-0.1,
        high=0.4,
        enough=0.02,
    ),
    Unknown(
        key=TORQUE_DELAY,
        unit="s",
        shown_by="steps of the wheel torques",
        scale=0.02,
        low=-0.05,
        high=0.1,
        enough=0.005,
    ),
)
CANDIDATES = (
    *BODY_UNKNOWNS,
    *PEDAL_UNKNOWNS,
    *STEERING_UNKNOWNS,
    *ACTUATOR_UNKNOWNS,
    *LOG_UNKNOWNS,
)

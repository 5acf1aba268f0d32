"""What is explored: parameters in periods, and the alphabet. Each view is explored to its end."""

from typing import Any, NamedTuple

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.safety.parameters import SafetyParameters

from vdsim_interface_kit.exploration.scene import NEVER_S, PERIOD_S, RATE_HZ, Scene

DRIVE = ("tick", "command to drive", "stands in D")
AUTHORITY = (
    *DRIVE,
    "rolls in D",
    "pedal on the way",
    "vehicle not ready",
    "refused commands",
    "engage",
    "disengage",
    "switch on",
    "switch off",
    "source of commands ends",
)
PERSON = (*DRIVE, "pedal on the way", "engage", "disengage")
LEAVING = (
    *DRIVE,
    "early tick",
    "rolls in D",
    "vehicle does not follow",
    "report is not a number",
    "clock jumps back",
    "engage",
    "deactivate",
)
REST = (*DRIVE, "rolls in D", "stands, hand brake", "pedal at rest", "engage")
GEARS_BY_SIGN = (
    *DRIVE,
    "command to brake",
    "command to coast",
    "stands in P",
    "stands in R",
    "rolls in D",
    "rolls in R",
    "engage",
)
GEARS_BY_REQUEST = (
    *DRIVE,
    "stands in P",
    "rolls in D",
    "engage",
    "request P",
    "request R",
    "request D",
)
ROLLS = (
    *DRIVE,
    "command to brake",
    "rolls in D",
    "rolls in N",
    "rolls back in D",
    "engage",
)
HAND_BRAKE = (
    *DRIVE,
    "rolls in D",
    "stands, hand brake",
    "request hand brake",
    "release hand brake",
    "engage",
)
CABIN = (
    *DRIVE,
    "engage",
    "cabin open",
    "cabin shut",
    "cabin repeated",
    "publishers gone",
    "publishers there",
)


class View(NamedTuple):
    """One exploration. `short`: it is part of the quick suite."""

    name: str
    alphabet: tuple[str, ...]
    level: str = "vehicle"
    safety: dict[str, Any] = {}  # noqa: RUF012  never changed
    short: bool = False

    def scene(self) -> Scene:
        """Build what is explored."""
        return Scene(parameters(self.level, **self.safety))


def parameters(level: str, **safety: Any) -> InterfaceParameters:
    """Return parameters whose times are a few periods, and whose limits do not shape a command."""
    times = {
        "report_timeout_s": 1.5 * PERIOD_S,
        "link_lost_s": 2.5 * PERIOD_S,
        "engage_timeout_s": 2.5 * PERIOD_S,
        "engage_hold_off_s": 0.0,  # a wait takes starts away and brings none
        "command_lost_s": 2.0 * PERIOD_S,
        "shift_time_s": 2.0 * PERIOD_S,
        "stop_park_after_s": NEVER_S,  # explored in the views at rest
        "hold_park_after_s": 0.0,
    }
    wide = {
        "stop_jerk_mps3": 100.0,
        "jerk_max_mps3": 1000.0,
        "brake_jerk_max_mps3": 1000.0,
        "lateral_accel_max_mps2": 15.0,
        "lateral_jerk_max_mps3": 200.0,
        "steer_rate_max_radps": (10.0, 10.0, 10.0, 10.0),
        "oscillation_accel_mps2": 15.0,
        "oscillation_angle_rad": 1.0,
    }
    return InterfaceParameters(
        rate_hz=RATE_HZ,
        control_command=level,
        command_timeout_s=2.0 * PERIOD_S,
        safety=SafetyParameters(**{**times, **wide, **safety}),
    )


_DRIVERLESS = {"rig": "driverless"}
_AUTO = {"auto_engage": True}
_REQUIRED = {"cabin_required": True}
# Long enough for the hand brake of a stop, and of a stack that holds the car.
_LONG = {
    "command_lost_s": 4 * PERIOD_S,
    "stop_park_after_s": 2 * PERIOD_S,
    "hold_park_after_s": 3 * PERIOD_S,
}

VIEWS = (
    View("authority, driver", AUTHORITY, short=True),
    View("a person, auto_engage", PERSON, safety=_AUTO, short=True),
    View("authority, driver, auto_engage", AUTHORITY, safety=_AUTO),
    View("authority, driverless", AUTHORITY, safety=_DRIVERLESS),
    View("authority, driverless, auto_engage", AUTHORITY, safety={**_DRIVERLESS, **_AUTO}),
    View("authority, raw", AUTHORITY, level="raw"),
    View("authority, high level", AUTHORITY, level="high_level"),
    View("leaving, driver", LEAVING, short=True),
    View("leaving, driverless, auto_engage", LEAVING, safety={**_DRIVERLESS, **_AUTO}),
    View("at rest, driver", REST, safety=_LONG),
    View("at rest, driverless, auto_engage", REST, safety={**_LONG, **_DRIVERLESS, **_AUTO}),
    View("gears by sign", GEARS_BY_SIGN),
    View("gears by sign, high level", GEARS_BY_SIGN, level="high_level"),
    View("gears by request", GEARS_BY_REQUEST),
    View("rolling", ROLLS),
    View("hand brake", HAND_BRAKE),
    View("cabin and required inputs", CABIN, safety=_REQUIRED),
    View("cabin, raw", CABIN, level="raw", safety=_REQUIRED),
)

"""Which rules `safety.disabled_rules` may switch off, by name, and why the others stay ([VI-3.5]).

The names are those of the notices, of the command trace and of the interventions in safety_status.
"""

from collections.abc import Mapping
from functools import cache

SWITCHABLE: Mapping[str, str] = {
    "high_frequency": "a command that oscillates reaches the actuators",
    "cabin_unsecured": "an open cabin neither stops the car nor prevents autonomy",
    "range": "a command beyond the range of the car reaches the platform, which may clamp it",
    "lateral_accel": "curves are limited by the tyres alone",
    "rate": "acceleration and wheel angle may jump",
    "steer_lead": "the command may run far ahead of the measured wheel angle",
    "hand_brake_set": "throttle acts against the hand brake",
    "gear_no_drive": "throttle is sent in PARK and NEUTRAL",
    "shift_hold": "throttle is sent during a shift, and nothing holds the car",
    "standstill_hold": "the brake does not hold a standing car; it may roll on a slope",
    "gear_park_moving": "PARK is set at any speed",
    "gear_direction_moving": "D and R are set against the motion",
    "gear_speed_unknown": "a gear is set while the speed is not known",
    "hand_brake_moving": "the hand brake is set at any speed",
    "wiper_headlight": "the headlights do not follow the wipers",
}
"""Each rule with what happens while it is off."""

ALWAYS_ON: Mapping[str, str] = {
    "non_finite_command": "a value that is not a number must never reach the vehicle",
    "no_rear_steering": "it removes what the platform cannot do",
    "manual_block": "it keeps the stack's commands from a car that it does not drive",
    "command_timeout": "it stops the car when the stack is silent; see command_timeout_s",
    "link_timeout": "it stops the car when the vehicle does not report; see report_timeout_s",
    "input_lost": "it acts on inputs that are required; set cabin_required or "
    "driver_switch_required to false",
    "emergency": "it is what a person relies on; give_back ends it",
    "hazard_priority": "it warns others of a safe stop",
    "hand_brake_stop": "it holds the car after a safe stop",
    "gear_stop": "it holds the car after a safe stop",
}
"""Rules that stay on, also with `safety.enabled: false`, with the reason."""


@cache
def names_in(text: str) -> frozenset[str]:
    """Return the names in a list that is separated by commas or spaces."""
    return frozenset(text.replace(",", " ").split())

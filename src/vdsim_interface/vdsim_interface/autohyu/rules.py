"""What the bridge sends: the torque's pedals, and the rules that outrank them.

Each rule looks at what was heard and gives a command, or None when it has nothing to say; the
first that speaks decides. Angles are tyre angles [rad], positive to the left; pedals 0 to 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from vdsim_interface.autohyu.parameters import AutohyuParameters, PedalParameters
from vdsim_interface.autohyu.torque_map import TorqueMap

FULL_BRAKE = 1.0


class Cause(str, Enum):
    """Why a command is what it is; the value is the sentence that users read."""

    DRIVEN = "driven by gripped_steer and gripped_torque"
    NO_TORQUE_YET = "no gripped_torque has come yet: full brake"
    STEER_NOT_FINITE = "gripped_steer is not a number: full brake, wheels straight"
    TORQUE_NOT_FINITE = "gripped_torque is not a number: full brake, steering kept"
    COMMAND_SILENT = "gripped_steer or gripped_torque is silent: brake, steering kept"
    STATE_SILENT = "no STATE from the vehicle: brake, steering kept"


@dataclass(frozen=True, slots=True)
class Heard:
    """What both sides have said so far. None: nothing yet. `steer_rad`: the last finite one."""

    steer_deg: float | None
    torque_nm: float | None
    steer_rad: float
    speed_mps: float
    command_silent: bool
    state_silent: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """A command for the vehicle, and why."""

    steer_rad: float
    throttle: float
    brake: float
    cause: Cause


Rule = Callable[[Heard, float], Decision | None]


def no_torque_yet(heard: Heard, failsafe_brake: float) -> Decision | None:
    """Full brake until the first torque."""
    if heard.torque_nm is not None:
        return None
    return Decision(heard.steer_rad, 0.0, FULL_BRAKE, Cause.NO_TORQUE_YET)


def steer_not_finite(heard: Heard, failsafe_brake: float) -> Decision | None:
    """Full brake, wheels straight."""
    if heard.steer_deg is None or math.isfinite(heard.steer_deg):
        return None
    return Decision(0.0, 0.0, FULL_BRAKE, Cause.STEER_NOT_FINITE)


def torque_not_finite(heard: Heard, failsafe_brake: float) -> Decision | None:
    """Full brake, the steering goes on."""
    if heard.torque_nm is None or math.isfinite(heard.torque_nm):
        return None
    return Decision(heard.steer_rad, 0.0, FULL_BRAKE, Cause.TORQUE_NOT_FINITE)


def command_silent(heard: Heard, failsafe_brake: float) -> Decision | None:
    """Moderate brake, steering held."""
    if not heard.command_silent:
        return None
    return Decision(heard.steer_rad, 0.0, failsafe_brake, Cause.COMMAND_SILENT)


def state_silent(heard: Heard, failsafe_brake: float) -> Decision | None:
    """The map needs the speed, which nobody knows now."""
    if not heard.state_silent:
        return None
    return Decision(heard.steer_rad, 0.0, failsafe_brake, Cause.STATE_SILENT)


RULES: tuple[Rule, ...] = (
    no_torque_yet,
    steer_not_finite,
    torque_not_finite,
    command_silent,
    state_silent,
)


def decide(heard: Heard, torque_map: TorqueMap, parameters: AutohyuParameters) -> Decision:
    """The command that follows from what was heard."""
    for rule in RULES:
        decision = rule(heard, parameters.failsafe.brake)
        if decision is not None:
            return decision
    assert heard.torque_nm is not None, "no_torque_yet has spoken otherwise"
    throttle, brake = pedals(heard.torque_nm, heard.speed_mps, torque_map, parameters.pedals)
    return Decision(heard.steer_rad, throttle, brake, Cause.DRIVEN)


def pedals(
    torque_nm: float, speed_mps: float, torque_map: TorqueMap, settings: PedalParameters
) -> tuple[float, float]:
    """Throttle and brake, 0 to 1, as the vehicle's ECU makes them of a wheel torque."""
    aps_percent = torque_map.aps(torque_nm, speed_mps)
    if aps_percent < settings.aps_min_percent or torque_nm < settings.neutral_torque_nm:
        return 0.0, brake_percent(torque_nm, settings.brake_cubic) / 100.0
    return aps_percent / 100.0, 0.0


def brake_percent(torque_nm: float, cubic: tuple[float, ...]) -> float:
    """BPS [%]: the polynomial, cut to 0 to 100."""
    value = 0.0
    for term in cubic:
        value = value * torque_nm + term
    return min(max(value, 0.0), 100.0)

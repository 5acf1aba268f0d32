"""The bridge's command: pedals from the torque, and the fail-safe rules that have priority.

Each rule is a function of the inputs and returns a command, or None when it does not apply; the
first command counts. Angles are tyre angles [rad], positive to the left; pedals 0 to 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from vdsim_interface.extras.autohyu.parameters import AutohyuParameters, PedalParameters
from vdsim_interface.extras.autohyu.torque_map import TorqueMap

FULL_BRAKE = 1.0


class Cause(str, Enum):
    """The reason of a command; the value is the sentence that is logged."""

    DRIVEN = "driven by gripped_steer and gripped_torque"
    NO_TORQUE_YET = "no gripped_torque received yet: full brake"
    TORQUE_NOT_FINITE = "gripped_torque is not finite: full brake, steering kept"
    STEER_NOT_FINITE = "gripped_steer stays not finite: brake, steering kept"
    COMMAND_STALE = "gripped_steer or gripped_torque is stale: brake, steering kept"
    STATE_STALE = "STATE is stale: brake, steering kept"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The latest inputs of both sides. None: not received yet. `steer_rad`: the last finite one.

    `steer_stale`: no finite steering for the time-out, though the topic was received.
    """

    steer_deg: float | None
    torque_nm: float | None
    steer_rad: float
    speed_mps: float
    steer_stale: bool
    torque_stale: bool
    state_stale: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """A command for the vehicle, and why."""

    steer_rad: float
    throttle: float
    brake: float
    cause: Cause


Rule = Callable[[Inputs, float], Decision | None]


def no_torque_yet(inputs: Inputs, failsafe_brake: float) -> Decision | None:
    """Full brake until the first torque."""
    if inputs.torque_nm is not None:
        return None
    return Decision(inputs.steer_rad, 0.0, FULL_BRAKE, Cause.NO_TORQUE_YET)


def torque_not_finite(inputs: Inputs, failsafe_brake: float) -> Decision | None:
    """Full brake, steering as commanded."""
    if inputs.torque_nm is None or math.isfinite(inputs.torque_nm):
        return None
    return Decision(inputs.steer_rad, 0.0, FULL_BRAKE, Cause.TORQUE_NOT_FINITE)


def steer_not_finite(inputs: Inputs, failsafe_brake: float) -> Decision | None:
    """Moderate brake, steering held, when no finite value came for the time-out.

    Until then the last finite angle holds: one bad number in a bend must not straighten the wheels.
    """
    if not inputs.steer_stale or inputs.steer_deg is None or math.isfinite(inputs.steer_deg):
        return None
    return Decision(inputs.steer_rad, 0.0, failsafe_brake, Cause.STEER_NOT_FINITE)


def command_stale(inputs: Inputs, failsafe_brake: float) -> Decision | None:
    """Moderate brake, steering held."""
    if not (inputs.steer_stale or inputs.torque_stale):
        return None
    return Decision(inputs.steer_rad, 0.0, failsafe_brake, Cause.COMMAND_STALE)


def state_stale(inputs: Inputs, failsafe_brake: float) -> Decision | None:
    """Moderate brake, steering as commanded: the torque map needs the speed, which is unknown."""
    if not inputs.state_stale:
        return None
    return Decision(inputs.steer_rad, 0.0, failsafe_brake, Cause.STATE_STALE)


RULES: tuple[Rule, ...] = (
    no_torque_yet,
    torque_not_finite,
    steer_not_finite,
    command_stale,
    state_stale,
)


def decide(inputs: Inputs, torque_map: TorqueMap, parameters: AutohyuParameters) -> Decision:
    """Return the command for the inputs."""
    for rule in RULES:
        decision = rule(inputs, parameters.failsafe.brake)
        if decision is not None:
            return decision
    assert inputs.torque_nm is not None, "no_torque_yet applies otherwise"
    throttle, brake = pedals(inputs.torque_nm, inputs.speed_mps, torque_map, parameters.pedals)
    return Decision(inputs.steer_rad, throttle, brake, Cause.DRIVEN)


def pedals(
    torque_nm: float, speed_mps: float, torque_map: TorqueMap, settings: PedalParameters
) -> tuple[float, float]:
    """Convert a wheel torque to throttle and brake, 0 to 1, as the vehicle's ECU does."""
    aps_percent = torque_map.aps(torque_nm, speed_mps)
    if aps_percent < settings.aps_min_percent or torque_nm < settings.neutral_torque_nm:
        return 0.0, brake_percent(torque_nm, settings.brake_cubic) / 100.0
    return aps_percent / 100.0, 0.0


def brake_percent(torque_nm: float, cubic: tuple[float, ...]) -> float:
    """Return BPS [%]: the polynomial, limited to 0 to 100."""
    value = 0.0
    for term in cubic:
        value = value * torque_nm + term
    return min(max(value, 0.0), 100.0)

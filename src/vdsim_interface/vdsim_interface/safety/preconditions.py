"""Preconditions of autonomy, and what completes the handshake with the vehicle."""

from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import CabinState, DriverActivity


class Situation(NamedTuple):
    """Inputs of the decision to engage. Ages in s, infinite when nothing was received."""

    report_age_s: float
    command_age_s: float
    command_timeout_s: float
    cabin: CabinState
    driver: DriverActivity
    vehicle_ready: bool
    lost_inputs: tuple[str, ...] = ()


def unmet_preconditions(situation: Situation, limits: SafetyParameters) -> str:
    """Return the unmet preconditions in words; empty when all are met.

    [VI-3.3]: autonomy does not start before cabin and contents are secured.
    """
    unmet = []
    if not situation.report_age_s <= limits.report_timeout_s:
        unmet.append("the vehicle does not report")
    if limits.enabled:
        unmet.extend(situation.cabin.unsecured())
    unmet.extend(situation.lost_inputs)
    if controls := situation.driver.active_controls():
        unmet.append("the driver uses " + ", ".join(name.replace("_", " ") for name in controls))
    if not situation.vehicle_ready:
        unmet.append("the vehicle is not ready for autonomy")
    return "; ".join(unmet)


def handshake_missing(situation: Situation, vehicle_answered: bool) -> str:
    """Return what the handshake still needs; empty when it is complete."""
    if not situation.command_age_s <= situation.command_timeout_s:
        return "no valid command"
    return "" if vehicle_answered else "no report since the request"

"""What must hold before autonomy may begin, and what the handshake with the vehicle waits for."""

from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import CabinState, DriverActivity


class Situation(NamedTuple):
    """What counts for engaging. Ages in s, infinite when nothing was ever heard."""

    report_age_s: float
    command_age_s: float
    command_timeout_s: float
    cabin: CabinState
    driver: DriverActivity
    vehicle_ready: bool


def obstacles(situation: Situation, limits: SafetyParameters) -> str:
    """Say what speaks against engaging; empty when nothing does.

    [VI-3.3]: autonomy does not begin before cabin and contents are secured.
    """
    found = []
    if not situation.report_age_s <= limits.report_timeout_s:
        found.append("the vehicle does not report")
    if limits.enabled:
        found.extend(situation.cabin.open_points())
    if used := situation.driver.named():
        found.append("the driver uses " + ", ".join(name.replace("_", " ") for name in used))
    if not situation.vehicle_ready:
        found.append("the vehicle is not ready for autonomy")
    return "; ".join(found)


def handshake_gap(situation: Situation, vehicle_answered: bool) -> str:
    """Say what the handshake still waits for; empty when it is complete."""
    if not situation.command_age_s <= situation.command_timeout_s:
        return "no valid command"
    return "" if vehicle_answered else "no report since the request"

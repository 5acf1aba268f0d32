"""What a server may be given and will most likely regret: lines for its log at the start. Pure."""

from __future__ import annotations

from vdsim_plant.parameters.substep import substep_warning

from vdsim_plant_node.settings.server_settings import ServerSettings

SLOWEST_USUAL_HZ = 100.0
"""STATE of the VDS1 contract comes at this rate or faster."""
CONTRACT_REPORT_TIMEOUT_S = 0.1
"""After this silence a receiver of STATE counts the vehicle as lost, unless it is set otherwise."""


def warnings_of(settings: ServerSettings) -> list[str]:
    """One line for each setting that is allowed and doubtful."""
    lines = [_of_rate(settings.state_rate_hz), substep_warning("substep", settings.substep_s)]
    return [line for line in lines if line]


def _of_rate(rate_hz: float) -> str:
    if rate_hz >= SLOWEST_USUAL_HZ:
        return ""
    if rate_hz * CONTRACT_REPORT_TIMEOUT_S > 1.0:
        return f"rate={rate_hz:g}: the VDS1 contract asks for {SLOWEST_USUAL_HZ:g} Hz or more"
    return (
        f"rate={rate_hz:g}: a STATE every {1.0 / rate_hz:g} s is not often enough for a receiver "
        f"whose time-out is {CONTRACT_REPORT_TIMEOUT_S:g} s, the default: it never engages; "
        "raise rate, or the receiver's report_timeout_s"
    )

"""The parameters of the safety stage: its limits, and what they must keep together."""

from dataclasses import dataclass
from itertools import pairwise

from vdsim_interface.safety.authority import Rig
from vdsim_interface.safety.limits import SafetyLimits, names_in
from vdsim_interface.safety.rules import ALWAYS_ON, SWITCHABLE


@dataclass(frozen=True)
class SafetyParameters(SafetyLimits):
    """Parameters of the safety stage; accelerations are magnitudes in the travel direction."""

    @property
    def rules_off(self) -> tuple[str, ...]:
        """The rules that are switched off, all together or by name."""
        return tuple(rule for rule in SWITCHABLE if not self.applies(rule))

    def check_together(self) -> None:
        """Tables must match, thresholds must be in order, switches must agree."""
        self._check_switches()
        self._check_limits()

    def _check_switches(self) -> None:
        for name in names_in(self.disabled_rules):
            if name in ALWAYS_ON:
                self.refuse("disabled_rules", f"{name} stays on: {ALWAYS_ON[name]}")
            if name not in SWITCHABLE:
                there = ", ".join(SWITCHABLE)
                self.refuse(
                    "disabled_rules", f"{name} is no rule that can be off; there are {there}"
                )
        if self.cabin_required and "cabin_unsecured" in names_in(self.disabled_rules):
            self.refuse("disabled_rules", "safety.cabin_required needs cabin_unsecured")
        if not self.obeys_driver and self.rig != Rig.DRIVERLESS.value:
            self.refuse(
                "driver_override",
                "needs safety.rig=driverless: a person at the controls must be able to take over",
            )

    def _check_limits(self) -> None:
        speeds, rates = self.steer_rate_speeds_mps, self.steer_rate_max_radps
        if not speeds or any(b <= a for a, b in pairwise(speeds)):
            self.refuse("steer_rate_speeds_mps", "must be a rising list of at least one speed")
        if len(rates) != len(speeds):
            self.refuse("steer_rate_max_radps", f"must have {len(speeds)} values, one per speed")
        self.check_order("gear_change_speed_mps", ">=", "standstill_speed_mps")
        self.check_order("link_lost_s", ">=", "report_timeout_s")
        self.check_order("stop_decel_mps2", "<=", "decel_max_mps2")
        self.check_order("standstill_hold_mps2", "<=", "decel_max_mps2")

"""Charge or fuel that is used up: how much is left, and when the drive has nothing to draw on."""

from __future__ import annotations

from vdsim_plant.parameters.groups import EnergyParameters

_JOULES_PER_KWH = 3.6e6


class EnergyStore:
    """What is left of the battery or the tank; 1 is full, 0 is empty."""

    def __init__(self, parameters: EnergyParameters, level: float = 1.0) -> None:
        self._parameters = parameters
        self._capacity_j = parameters.capacity_kwh * _JOULES_PER_KWH
        self.level = min(max(level, 0.0), 1.0)

    @property
    def empty(self) -> bool:
        """True when nothing is left to drive with."""
        return self.level <= 0.0

    def advance(self, drive_power_w: float, duration_s: float) -> None:
        """Use energy for `duration_s`: power at the wheels [W], negative when they are braked.

        Braking returns the share `regeneration_efficiency`, never beyond full.
        """
        parameters = self._parameters
        if drive_power_w >= 0.0:
            drawn_w = drive_power_w / parameters.drive_efficiency
        else:
            drawn_w = drive_power_w * parameters.regeneration_efficiency
        used = (drawn_w + parameters.auxiliary_power_w) * duration_s / self._capacity_j
        self.level = min(max(self.level - used, 0.0), 1.0)

"""Autoware's emergency_cmd: when it stops the car, and what ends that.

Autoware says it again and again, true as well as false, and is itself what ends it: no person has
to give the car back. One `true` acts at once, whoever sends it and whatever else arrives. It ends
with a `false` when no `true` has arrived for half a second, so that a second publisher cannot take
a stop away; silence does not end it.
"""

from __future__ import annotations

from vdsim_autoware.adapter.parameters import AutowareParameters

QUIET_S = 0.5
"""How long no `true` must have arrived for a `false` to count [s]."""
PEDAL = 0.8
"""Share of the brake pedal with actuation, unless a stop brakes harder anyway."""


class EmergencyStop:
    """Whether it is on, and how hard it brakes."""

    def __init__(self) -> None:
        self._latest_s: float | None = None

    @property
    def is_on(self) -> bool:
        """Whether the car must stop."""
        return self._latest_s is not None

    def on_message(self, is_on: bool, now: float) -> None:
        """Process a message."""
        if is_on:
            self._latest_s = now
        elif self._latest_s is not None and now - self._latest_s >= QUIET_S:
            self._latest_s = None

    def decel_mps2(self, parameters: AutowareParameters) -> float:
        """The deceleration of a stop: of an emergency, or of another one [m/s2]."""
        return parameters.decel_max_mps2 if self.is_on else parameters.stop_decel_mps2

    def brake(self, parameters: AutowareParameters) -> float:
        """The same with actuation, as a share of the brake pedal."""
        return max(PEDAL, parameters.stop_brake) if self.is_on else parameters.stop_brake

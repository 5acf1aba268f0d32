"""What the plant does while no command arrives: the watchdog policy of an actuator ECU.

Pure. The watchdog itself (when) is `WatchedSession`; this is the what: throttle 0, a
moderate brake, the steering held (or straightened, by parameter), the gear kept. Before the first
command there is nothing to hold: straight ahead, D.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters.fields import check_fields, choice, real


@dataclass(frozen=True)
class FailsafePolicy:
    """When commands count as lost, and what is done then."""

    timeout_s: float = real(
        0.1, "time without a valid command", unit="s", at_least=0.001, at_most=60.0
    )
    brake: float = real(0.3, "brake pedal", at_least=0.0, at_most=1.0)
    steer: str = choice("hold", "steering", ("hold", "straight"))

    def __post_init__(self) -> None:
        check_fields(self)

    def input_after(self, last: PedalInput) -> PedalInput:
        """The input to latch when commands stop after `last`."""
        steer_rad = last.steer_rad if self.steer == "hold" else 0.0
        return replace(last, steer_rad=steer_rad, throttle=0.0, brake=self.brake, torques=None)

    def describe(self) -> str:
        """One line for logs and diagnostics, so that both ends can be compared."""
        return (
            f"no command for {self.timeout_s * 1e3:g} ms: throttle 0, brake {self.brake:g}, "
            f"steering {'held' if self.steer == 'hold' else 'straight'}, gear kept"
        )

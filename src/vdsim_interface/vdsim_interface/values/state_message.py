"""A message about everything but motion, before the intake has read what it requests.

What it requests is a `StateCommand`: the stages see nothing else.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StateMessage:
    """A VehicleStateCommand as received: every field has a number, perhaps an undefined one."""

    blinker: int = 0
    headlight: int = 0
    wiper: int = 0
    gear: int = 0
    mode: int = 0
    hand_brake: bool = False
    horn: bool = False
    autonomous: bool = False

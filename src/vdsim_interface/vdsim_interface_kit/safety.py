"""A plain driving situation for the motion rules; a test changes what it needs."""

from typing import Any

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import NOT_OSCILLATING, MotionCommand, RuleContext
from vdsim_interface.values import Gear

LIMITS = SafetyParameters()
STILL = MotionCommand(0.0, 0.0, 0.0)


def context(**changes: Any) -> RuleContext:
    """Driving at 10 m/s in D, everything fresh, no rule acts."""
    base = RuleContext(
        speed_mps=10.0,
        front_rad=0.0,
        rear_rad=0.0,
        gear=Gear.DRIVE,
        hand_brake=False,
        at_rest=False,
        previous=STILL,
        period_s=0.01,
        blocked=False,
        command_fresh=True,
        link_fresh=True,
        cabin_secured=True,
        shifting=False,
        oscillating=NOT_OSCILLATING,
        wheelbase_m=3.0,
        front_max_rad=0.5,
        rear_max_rad=0.1,
    )
    return base._replace(**changes)


def at_rest(**changes: Any) -> RuleContext:
    """Standing in D."""
    return context(**{"speed_mps": 0.0, "at_rest": True, **changes})

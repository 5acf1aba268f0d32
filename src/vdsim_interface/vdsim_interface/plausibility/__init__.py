"""Plausibility: do the vehicle's reports agree with physics and with each other?"""

from vdsim_interface.plausibility.checks import CHECKS, Check, Consequence
from vdsim_interface.plausibility.watch import PlausibilityWatch

__all__ = ["CHECKS", "Check", "Consequence", "PlausibilityWatch"]

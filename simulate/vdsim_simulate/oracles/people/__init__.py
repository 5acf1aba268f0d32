"""Who has the car: requests, modes, sources, parking, and what is published about them."""

from vdsim_simulate import record as facts

ACTS = (facts.SWITCH_ON, facts.DISENGAGE)
"""With these a person takes the car."""

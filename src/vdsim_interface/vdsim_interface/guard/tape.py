"""Lets what is beside the core write what a pipeline or a guard does, where asked to."""

import os
from importlib.metadata import entry_points
from typing import Any, TypeVar

T = TypeVar("T")
VARIABLE, EVENT_LOG = "VDSIM_TAPE", "VDSIM_EVENTS"
"""The environment's words for where each goes: VDSIM_ and the name of the entry point."""


def on_tape(made: T, *setup: Any) -> T:
    """Return a pipeline or a guard; `setup`: the parameters that it was made of."""
    for entry in entry_points(group="vdsim_interface.tape"):
        if target := os.environ.get(f"VDSIM_{entry.name.upper()}"):
            entry.load()(target, made, *setup)
    return made

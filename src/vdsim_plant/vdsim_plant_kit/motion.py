"""Motions made up for tests: every number that is not given is 0."""

from __future__ import annotations

import dataclasses

from vdsim_plant.motion import VehicleMotion


def motion(**given: float) -> VehicleMotion:
    """Return a motion with these values."""
    values = {
        item.name: (0.0, 0.0, 0.0, 0.0) if item.type == "Wheels" else 0.0
        for item in dataclasses.fields(VehicleMotion)
    }
    return VehicleMotion(**{**values, **given})  # type: ignore[arg-type]

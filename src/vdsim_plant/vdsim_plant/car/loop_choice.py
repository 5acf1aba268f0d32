"""Which compiled loop drives a car."""

from __future__ import annotations

from vdsim_plant.car.loops import (
    advance,
    advance_full,
    advance_kinematic,
    advance_painted,
    advance_painted_full,
    advance_ride,
    advance_ride_full,
    advance_ride_tir,
    advance_tir,
)
from vdsim_plant.compiled.linking import Loop
from vdsim_plant.ground import Ground, is_uniform_or_striped
from vdsim_plant.parameters import TyreParameters
from vdsim_plant.tyres.tir_forces import evaluate_tir


def loop_for(level: str, tyre: TyreParameters, ground: Ground) -> Loop:
    """Return the loop of the numeric core that such a car runs on."""
    if level == "kinematic":
        return advance_kinematic
    striped = is_uniform_or_striped(ground)
    if tyre.tir is not None:
        return advance_ride_tir if level == "l3" else advance_tir
    if level == "l3":
        return advance_ride if tyre.mf96.is_plain else advance_ride_full
    if tyre.mf96.is_plain:
        return advance if striped else advance_painted
    return advance_full if striped else advance_painted_full


def loops_for(level: str, tyre: TyreParameters, ground: Ground) -> tuple[Loop, ...]:
    """Return all loops that such a car needs: a property file is calibrated with its own law."""
    run = loop_for(level, tyre, ground)
    return (run,) if tyre.tir is None else (run, evaluate_tir)

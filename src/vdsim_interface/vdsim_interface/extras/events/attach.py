"""Begins the event log of this process: entry point of `vdsim_interface.tape`."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from vdsim_interface.extras.events.event_file import CONTROL, VEHICLE, EventFile, part_of
from vdsim_interface.extras.events.watch import Watch
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.guard.guard import Guard
from vdsim_interface.pipeline.desk import Desk
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.vehicle_side import VehicleSide

_watches: dict[Path, Watch] = {}


def attach(target: str, made: object, *_: Any) -> None:
    """Watch what decides in this process. `target`: the file of the log.

    A process writes a chain of its own: the guard must not wait for its shell, nor a stage for
    another. Where the desk is in the process of the safety side, both write one.
    """
    file = Path(target)
    if isinstance(made, Guard):
        _watch(file).of_guard(made)
    elif isinstance(made, Pipeline):
        _watch(file).of_pipeline(made)
    elif isinstance(made, SafetyStage):
        _watch(file).of_stage(made)
    elif isinstance(made, VehicleSide):
        _watch(part_of(file, VEHICLE)).of_vehicle(made)
    elif isinstance(made, Desk):
        _watch(file if file in _watches else part_of(file, CONTROL)).of_desk(made)


def _watch(file: Path) -> Watch:
    if file not in _watches:
        _watches[file] = Watch(EventFile(file, version("vdsim_interface")).write)
    return _watches[file]

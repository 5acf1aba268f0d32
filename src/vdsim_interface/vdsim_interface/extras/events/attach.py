"""Begins the event log of this process: entry point of `vdsim_interface.tape`."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from vdsim_interface.extras.events.event_file import EventFile
from vdsim_interface.extras.events.watch import Watch
from vdsim_interface.guard.guard import Guard
from vdsim_interface.pipeline.pipeline import Pipeline

_watches: dict[str, Watch] = {}


def attach(target: str, made: Pipeline | Guard, *_: Any) -> None:
    """Watch a pipeline or a guard; `target`: the file of the log."""
    watch = _watches.get(target)
    if watch is None:
        file = EventFile(Path(target), version("vdsim_interface"))
        watch = _watches[target] = Watch(file.write)
    if isinstance(made, Guard):
        watch.of_guard(made)
    else:
        watch.of_pipeline(made)

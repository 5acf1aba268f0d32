"""What the running interfaces say now: three lines for a person, and the limits in force. Shell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import rclpy
from vdsim_protocol.why.steps import Step

from vdsim_interface.extras.doctor.examine import examine
from vdsim_interface.extras.doctor.name_checks import nobody_commands
from vdsim_interface.extras.doctor.ros.observer import Observer
from vdsim_interface.extras.doctor.snapshot import Snapshot
from vdsim_interface.extras.explain.limits import BOUNDS, LIMITS, Limit, changed_n, limits
from vdsim_interface.extras.explain.ros.running import files_of, values_of
from vdsim_interface.extras.explain.said import said

_DISCOVERY_S = 10.0


def three_lines(window_s: float, *, shows_way: bool = False) -> list[str]:
    """Of each vehicle interface: mode, who is in control, why and what to do.

    `shows_way`: then the steps of the latest command, each with what changed it.
    """
    with _observing() as observer:
        observer.settle(_DISCOVERY_S)
        observer.receive(window_s)
        snapshot, ways = observer.snapshot(os.environ), observer.steps()
        ways = ways if shows_way else ((),) * len(ways)
        if nobody_commands(snapshot):
            snapshot = replace(snapshot, levels=_levels(observer, snapshot))
        bounds = [_bounds(observer, snapshot, way) for way in ways]
    return said(snapshot, ways, bounds)


def _levels(observer: Observer, snapshot: Snapshot) -> dict[str, str]:
    """The control_command of each vehicle interface that answers."""
    name = "control_command"
    asked = {
        node: values_of(observer.node, observer.executor, node, [name])
        for node in interface_nodes(snapshot)
    }
    return {node: str(values[name]) for node, values in asked.items() if name in values}


def _bounds(observer: Observer, snapshot: Snapshot, way: tuple[Step, ...]) -> dict[str, Limit]:
    """The bounds that act on a way, and where each comes from."""
    wanted = {name for step in way for each in step.changes for name in each.bounds}
    found: dict[str, Limit] = {}
    for node in interface_nodes(snapshot) if wanted else ():
        asked = values_of(observer.node, observer.executor, node, sorted(wanted))
        every = limits(BOUNDS, files_of(node), asked)
        found.update({one.name: one for one in every if one.name in wanted})
    return found


def limits_in_force() -> list[str]:
    """The limits of each vehicle interface, and where each comes from."""
    lines = []
    with _observing() as observer:
        observer.settle(_DISCOVERY_S)
        snapshot = observer.snapshot(os.environ)
        for node in interface_nodes(snapshot):
            files = files_of(node)
            names = [one.name for one in limits(LIMITS, files, {})]
            asked = values_of(observer.node, observer.executor, node, names)
            found = limits(LIMITS, files, asked)
            others_n = changed_n(found, LIMITS)
            lines.append(f"{node}: {len(found)} limits, {others_n} of them other than by default")
            if not asked:
                lines.append("  it answers no request: what its command line says")
            lines += [f"  {one.line}" for one in found]
    missing = [each.sentence for each in examine(snapshot) if each.kind == "no_interface"]
    return lines or missing


def interface_nodes(snapshot: Snapshot) -> list[str]:
    """The nodes of all vehicle interfaces."""
    return [node for nodes in snapshot.interfaces.values() for node in dict.fromkeys(nodes)]


@contextmanager
def _observing() -> Iterator[Observer]:
    rclpy.init(args=[])
    try:
        observer = Observer()
        try:
            yield observer
        finally:
            observer.close()
    finally:
        rclpy.try_shutdown()

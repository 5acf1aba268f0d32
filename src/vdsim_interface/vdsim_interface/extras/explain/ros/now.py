"""What the running interfaces say now: three lines for a person, and the limits in force. Shell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from vdsim_protocol.why import beside
from vdsim_protocol.why.evidence import Evidence

from vdsim_interface.extras.doctor.examine import all_answers, examine
from vdsim_interface.extras.doctor.ros.observer import Observer
from vdsim_interface.extras.doctor.snapshot import Snapshot
from vdsim_interface.extras.explain.limits import DEFAULT, limits
from vdsim_interface.extras.explain.ros.running import files_of, values_of
from vdsim_interface.pipeline.parameters import InterfaceParameters

_DISCOVERY_S = 10.0


def three_lines(window_s: float) -> list[str]:
    """Of each vehicle interface: mode, who is in control, why and what to do."""
    with _observing() as observer:
        observer.settle(_DISCOVERY_S)
        observer.receive(window_s)
        snapshot = observer.snapshot(os.environ)
    findings = examine(snapshot)
    if not snapshot.evidence:
        return [finding.sentence for finding in findings if finding.kind == "no_interface"]
    lines = []
    for evidence, found in zip(snapshot.evidence, all_answers(snapshot, findings), strict=True):
        lines += [f"{evidence.namespace or '/'}: {_mode(evidence)}"]
        lines += [f"in control: {_who(evidence)}", f"why: {'. '.join(found[0].lines)}"]
        lines += [f"also: {'. '.join(each.lines)}" for each in beside(found)]
    return lines


def limits_in_force() -> list[str]:
    """The limits of each vehicle interface, and where each comes from."""
    defaults = (InterfaceParameters().safety,)
    lines = []
    with _observing() as observer:
        observer.settle(_DISCOVERY_S)
        snapshot = observer.snapshot(os.environ)
        for node in _interface_nodes(snapshot):
            files = files_of(node)
            names = [one.name for one in limits(defaults, files, {})]
            asked = values_of(observer.node, observer.executor, node, names)
            found = limits(defaults, files, asked)
            changed_n = sum(one.source != DEFAULT for one in found)
            lines.append(f"{node}: {len(found)} limits, {changed_n} of them not by default")
            if not asked:
                lines.append("  it answers no request: what its command line says")
            lines += [f"  {one.line}" for one in found]
    missing = [each.sentence for each in examine(snapshot) if each.kind == "no_interface"]
    return lines or missing


def _interface_nodes(snapshot: Snapshot) -> list[str]:
    return [node for nodes in snapshot.interfaces.values() for node in dict.fromkeys(nodes)]


def _mode(evidence: Evidence) -> str:
    engaged = {"AUTONOMOUS": "engaged", "NOT_READY": "engaging"}.get(evidence.mode, "not engaged")
    return f"mode {evidence.mode or 'not known'}, {engaged}"


def _who(evidence: Evidence) -> str:
    who = evidence.source or "nobody"
    return f"{who} ({evidence.control_reason})" if evidence.control_reason else who


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

"""A run in sentences with times: what was set up, what happened, what did not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from vdsim_simulate.oracles import Violation
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.record import Record
from vdsim_simulate.scene import STATE_RATE_HZ, Leg, Scene


def story(record: Record, violations: Sequence[Violation]) -> str:
    """Return the lines of a run up to its first violation."""
    motion = motion_of(record)
    ends_s = violations[0].time_s if violations else record.scene.ends_s
    lines = [(time_s, text) for time_s, text in _happenings(record) if time_s <= ends_s]
    lines += [(v.time_s, f"BROKEN {v.oracle}: {v.text}") for v in violations[:1]]
    told = [
        f"  {time_s:6.2f} s  {motion.at(time_s).vx_mps:5.1f} m/s  {text}"
        for time_s, text in sorted(lines, key=lambda line: line[0])
    ]
    return "\n".join([setting(record.scene), *told])


def setting(scene: Scene) -> str:
    """Describe the car, the road and the interface."""
    friction = f"friction {scene.mu:g}"
    if scene.mu_left is not None:
        friction += f", {scene.mu_left:g} under the left wheels"
    slow = "" if scene.state_rate_hz == STATE_RATE_HZ else f" at {scene.state_rate_hz:g} Hz"
    wires = {"vds1": f"VDS1 v{scene.wire_version}{slow}", "can": "CAN"}
    wire = wires.get(scene.platform, f"MORAI {scene.release}, {scene.cmd_type}")
    if scene.car_file:
        wire += f" of {Path(scene.car_file).name}"
    return (
        f"seed {scene.seed}, {scene.composition}: {scene.car} ({scene.actuator} actuators, "
        f"{wire}) on {100 * scene.grade:+.0f} %, {friction}; {scene.level} "
        f"commands, rig {scene.rig}{', auto_engage' if scene.auto_engage else ''}"
        f"{''.join(f', {name} {value}' for name, value in scene.parameters.items())}"
    )


def _happenings(record: Record) -> Iterator[tuple[float, str]]:
    for leg in record.scene.legs:
        yield leg.at_s, _asks(leg)
    for fact in record.facts:
        if fact.text:
            yield fact.time_s, fact.text
    for time_s, mode in record.shown:
        yield time_s, f"shown: {mode}"


def _asks(leg: Leg) -> str:
    text = f"the stack asks for {leg.speed_mps:g} m/s"
    if not leg.speed_mps:
        text += f", braking at {leg.decel_mps2:g} m/s2"
    if leg.curvature_1pm:
        text += f", on a curvature of {leg.curvature_1pm:g} 1/m"
    return text

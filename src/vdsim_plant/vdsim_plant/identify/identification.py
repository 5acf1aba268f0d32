"""identify: a log -> the car that drove it, with intervals and what the log cannot tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from vdsim_plant.actuator import ActuatorParameters, ChannelParameters
from vdsim_plant.identify.drive_log import DriveLog, missing_of
from vdsim_plant.identify.fitting import Array, Fit, fit
from vdsim_plant.identify.judgement import (
    Estimate,
    estimates_of,
    hardly_shown,
    unexplained_by,
)
from vdsim_plant.identify.problem import DEFAULT_SEGMENT_S, LOCALS, Place, Problem
from vdsim_plant.identify.unknowns import (
    CANDIDATES,
    GIVEN,
    MU,
    STEER_OFFSET,
    Start,
    car_of,
    motor_knots,
    unknowns_of,
)
from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import ParameterError

FIRST_SEGMENT_S = 2.0
"""Short pieces first: from a far start they stay close to the log."""
FIRST_PIECES = 75
Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class IdentifiedCar:
    """The result: the car, what is known of it and how well it explains the log."""

    vehicle: VehicleParameters
    tyre: TyreParameters
    actuators: ActuatorParameters
    mu: float
    steer_offset_rad: float
    estimates: Mapping[str, Estimate]
    """What was fitted; `identified` says whether the log tells it."""
    untold: Mapping[str, str]
    """What the channels of the log cannot tell, and why; these have the values of the start."""
    fit: Fit
    rough_converged: bool
    """Whether the fit to short pieces, where the one to long pieces begins, converged."""

    @property
    def unexplained(self) -> list[str]:
        """What of the log this car does not explain, as text; the intervals are wider for it."""
        return unexplained_by(self.fit)

    @property
    def converged(self) -> bool:
        """Whether the fit came to its end; without it nothing counts as identified."""
        return self.fit.converged


def identify(
    log: DriveLog,
    vehicle: VehicleParameters,
    tyre: TyreParameters,
    *,
    mu: float = 0.9,
    known: Mapping[str, float] | None = None,
    segment_s: float = DEFAULT_SEGMENT_S,
    threads: int = 2,
    report: Report | None = None,
) -> IdentifiedCar:
    """Find the car that drove a log, from a similar one.

    `known` fixes parameters by key, such as the mass from a scale. The car gets the MF96 tyre.
    """
    missing = missing_of({"time_s": None, **log.columns})
    if missing:
        raise ParameterError("log", "has no " + "; no ".join(missing))
    if tyre.tir is not None:
        raise ParameterError("tyre", f"={tyre.name!r}: must be an mf96 tyre")
    start = Start(vehicle=vehicle, tyre=tyre, mu=mu, motor_knots_radps=motor_knots(log, vehicle))
    start = _with_known(start, known or {})
    unknowns, reasons = unknowns_of(log, start)
    for key in known or {}:
        unknowns.pop(key, None)
        reasons.pop(key, None)
    say = report or (lambda _: None)
    segment_s = min(segment_s, _longest_s(log))
    first = min(FIRST_SEGMENT_S, segment_s)
    every = max(1, round(log.duration_s / first / FIRST_PIECES))
    rough = Problem(log, start, unknowns, segment_s=first, every=every, threads=threads)
    say(f"{len(rough.starts)} pieces of {first:g} s, {len(unknowns)} unknowns")
    begun = fit(rough, report=report)
    say(_end_of(begun))
    full = Problem(log, start, unknowns, segment_s=segment_s, threads=threads)
    say(f"{len(full.starts)} pieces of {segment_s:g} s")
    done = fit(full, _moved(begun.place, rough, full), report=report, near=begun.converged)
    held = hardly_shown(done)
    if held:
        say(f"again with {', '.join(held)} as at the start: the log hardly shows it")
        done = fit(full, done.place, report=report, near=True, held=held)
    say(_end_of(done))
    return _result(start, done, reasons, rough_converged=begun.converged)


def _end_of(done: Fit) -> str:
    steps = f"{done.steps} step{'' if done.steps == 1 else 's'}"
    return f"converged after {steps}" if done.converged else f"NOT CONVERGED after {steps}"


def _with_known(start: Start, known: Mapping[str, float]) -> Start:
    values = start.values()
    for key in known:
        if key not in values or key.startswith("drivetrain.motor"):
            raise ParameterError("known", f"={key}: must be one of {', '.join(sorted(values))}")
    bounds = {unknown.key: unknown for unknown in (*CANDIDATES, *GIVEN)}
    for key, value in known.items():
        unknown = bounds[key]
        if not (math.isfinite(value) and unknown.low <= value <= unknown.high):
            raise ParameterError(
                "known",
                f"={key}={value:g}: must be finite, {unknown.low:g} to {unknown.high:g}",
            )
    try:
        changed, tyre = car_of(start, {**values, **known})
    except ParameterError as error:
        raise ParameterError("known", f"={error}") from None
    found = Start(
        vehicle=changed,
        tyre=tyre,
        mu=known.get(MU, start.mu),
        motor_knots_radps=start.motor_knots_radps,
        known={},
    )
    kept = found.values()
    for key, value in known.items():
        # A delay, a lag and the offset are no part of the car.
        if key in kept and not key.startswith(("actuator.", STEER_OFFSET)) and kept[key] != value:
            raise ParameterError(
                "known", f"={key}={value:g}: the car would have {kept[key]:g} at most or at least"
            )
    return replace(found, known=dict(known))


def _longest_s(log: DriveLog) -> float:
    """The longest segment that fits into the log's longest stretch, a second left for its start."""
    longest = max(last - first for first, last in log.stretches) * log.period_s
    return max(longest - 1.0, 1.0)


def _moved(place: Place, old: Problem, new: Problem) -> Place:
    """A place of one problem as the start of another: the values that both have."""
    x = np.zeros(len(new.keys) + len(new.biases))
    for index, key in enumerate(new.keys):
        x[index] = place.x[old.keys.index(key)]
    for index, name in enumerate(new.biases):
        x[len(new.keys) + index] = place.x[len(old.keys) + old.biases.index(name)]
    local: Array = np.zeros((len(new.starts), LOCALS))
    if len(old.starts) == len(new.starts) and np.array_equal(old.starts, new.starts):
        local = place.local.copy()
    return Place(x, local)


def _result(
    start: Start, done: Fit, reasons: Mapping[str, str], *, rough_converged: bool
) -> IdentifiedCar:
    values = done.values
    vehicle, tyre = car_of(start, values)
    channels = {}
    for name in ("steering", "throttle", "brake"):
        lag, delay = f"actuator.{name}.lag_s", f"actuator.{name}.delay_s"
        told, told_delay = (
            key in done.problem.unknowns or key in start.known for key in (lag, delay)
        )
        channels[name] = ChannelParameters(
            lag_s=values[lag] if told else 0.0, delay_s=values[delay] if told_delay else 0.0
        )
    return IdentifiedCar(
        vehicle=vehicle,
        tyre=tyre,
        actuators=ActuatorParameters(**channels),
        mu=values[MU],
        steer_offset_rad=values[STEER_OFFSET],
        estimates=estimates_of(done),
        untold=dict(reasons),
        fit=done,
        rough_converged=rough_converged,
    )

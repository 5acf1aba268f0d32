"""identify: a log -> the car that drove it, with intervals and what the log cannot tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorParameters, ChannelParameters
from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.candidates import (
    CANDIDATES,
    GIVEN,
    LOAD_LAG,
    MU,
    ROLL_ASIDE,
    ROLL_SHARE,
    SCALE,
    STEER_OFFSET,
    TILT,
    TORQUE_DELAY,
    Unknown,
)
from vdsim_plant.study.identify.cut_out import Cut, cuts_of, without
from vdsim_plant.study.identify.drive_log import (
    DriveLog,
    missing_of,
    steered_by_command,
    with_true_yaw_rate,
)
from vdsim_plant.study.identify.fitting import Array, Fit, fit
from vdsim_plant.study.identify.held_out import HeldOut, held_out_of, held_rows
from vdsim_plant.study.identify.judgement import (
    Estimate,
    estimates_of,
    hardly_shown,
    slowness_of,
    unexplained_by,
)
from vdsim_plant.study.identify.problem import DEFAULT_SEGMENT_S, LOCALS, Place, Problem
from vdsim_plant.study.identify.unknowns import (
    Start,
    car_of,
    motor_knots,
    unknowns_of,
)

FIRST_SEGMENT_S = 2.0
"""Short pieces first: from a far start they stay close to the log."""
FIRST_PIECES = 75
PIECES = 6
"""No fewer, if the log is long enough: one must be left to be held out."""
SLOW = 1.1
"""From where what is left of a channel counts as slow."""
_OF_LOG = ("actuator.", STEER_OFFSET, SCALE, TILT, LOAD_LAG, ROLL_ASIDE, ROLL_SHARE, TORQUE_DELAY)
"""Keys that are no part of the car's files."""
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
    held_out: HeldOut
    """How well it explains the pieces that the fit did not get."""
    cuts: tuple[Cut, ...]
    """Rows that were left out before the fit, and why."""
    sensor_offsets: Mapping[str, float]
    """What the sensors read too much: channel -> offset in its unit."""
    rough_converged: bool
    """Whether the fit to short pieces, where the one to long pieces begins, converged."""

    @property
    def unexplained(self) -> list[str]:
        """What of the log this car does not explain, as text; the intervals are wider for it."""
        return [*unexplained_by(self.fit), *self.held_out.unexplained]

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
    held_torque: bool | None = None,
    report: Report | None = None,
) -> IdentifiedCar:
    """Find the car that drove a log, from a similar one.

    `known` fixes parameters by key, such as the mass from a scale. The car gets the MF96 tyre.
    `held_torque`: whether a row's wheel torques are in force until the next row, or straight
    between both; without it whichever explains the log better.
    """
    missing = missing_of({"time_s": None, **log.columns})
    if missing:
        raise ParameterError("log", "has no " + "; no ".join(missing))
    if tyre.tir is not None:
        raise ParameterError("tyre", f"={tyre.name!r}: must be an mf96 tyre")
    say = report or (lambda _: None)
    cuts = cuts_of(log)
    for cut in cuts:
        say(f"rows {cut.first} to {cut.last} are cut out: {cut.why}")
    log, yaw_offset = with_true_yaw_rate(without(log, cuts))
    start = Start(
        vehicle=vehicle,
        tyre=tyre,
        mu=mu,
        motor_knots_radps=motor_knots(log, vehicle),
        held_torque=held_torque or False,
        measured_steering=log.by_speed and not steered_by_command(log),
    )
    start = _with_known(start, known or {})
    unknowns, reasons = unknowns_of(log, start)
    for key in known or {}:
        unknowns.pop(key, None)
        reasons.pop(key, None)
    segment_s = min(segment_s, _longest_s(log), max(log.duration_s / PIECES, FIRST_SEGMENT_S))
    held_back = held_rows(log, segment_s)
    whole = _Whole(log, unknowns, ~held_back, threads, report)
    begun = _roughly(whole, start, segment_s, either=held_torque is None)
    done = _fitted(whole, begun, segment_s)
    held_out = held_out_of(done, held_back, segment_s)
    sensors = {"yaw_rate_radps": yaw_offset} if log.settled else {}
    return _result(done, reasons, held_out, cuts, sensors, rough_converged=begun.converged)


@dataclass(frozen=True)
class _Whole:
    """What both fits share."""

    log: DriveLog
    unknowns: Mapping[str, Unknown]
    allowed: NDArray[np.bool_]
    threads: int
    report: Report | None

    def problem(self, start: Start, segment_s: float, every: int = 1) -> Problem:
        """Return the problem in pieces of this length."""
        return Problem(
            self.log,
            start,
            self.unknowns,
            segment_s=segment_s,
            every=every,
            threads=self.threads,
            allowed=self.allowed,
        )

    def say(self, line: str) -> None:
        """Report a line."""
        if self.report is not None:
            self.report(line)


def _roughly(whole: _Whole, start: Start, segment_s: float, *, either: bool) -> Fit:
    """Return a fit to some short pieces; `either`: wheel torques held or straight between rows."""
    first = min(FIRST_SEGMENT_S, segment_s)
    every = max(1, round(whole.log.duration_s / first / FIRST_PIECES))
    rough = whole.problem(start, first, every)
    whole.say(f"{len(rough.starts)} pieces of {first:g} s, {len(whole.unknowns)} unknowns")
    begun = fit(rough, report=whole.report)
    if TORQUE_DELAY in whole.unknowns and either:
        begun = _better_held(begun, whole.report)
    whole.say(_end_of(begun))
    return begun


def _fitted(whole: _Whole, begun: Fit, segment_s: float) -> Fit:
    """Return the fit to all pieces, what is slow counted so, what is not shown held."""
    full = whole.problem(begun.problem.start, segment_s)
    whole.say(f"{len(full.starts)} pieces of {segment_s:g} s")
    place = _moved(begun.place, begun.problem, full)
    done = fit(full, place, report=whole.report, near=begun.converged)
    full.slowness = slowness_of(done)
    held = hardly_shown(done)
    if held:
        whole.say(f"again with {', '.join(held)} as at the start: the log hardly shows it")
    if held or np.any(full.slowness > SLOW):
        done = fit(full, done.place, report=whole.report, near=True, held=held)
    whole.say(_end_of(done))
    return done


def _better_held(straight: Fit, report: Report | None) -> Fit:
    """Return the fit with held wheel torques, where it explains the log better."""
    problem = straight.problem
    other = replace(problem, start=replace(problem.start, held_torque=True))
    # Steps are late by half a row against the line that fits them best.
    x = straight.place.x.copy()
    index = problem.keys.index(TORQUE_DELAY)
    x[index] -= 0.5 * problem.log.period_s / problem.unknowns[TORQUE_DELAY].scale
    x[index] = min(max(x[index], problem.low[index]), problem.high[index])
    held = fit(other, Place(x, straight.place.local), report=report, near=True)
    scale = straight.equations.scale
    before, after = (one.problem.cost(one.residuals, one.place, scale) for one in (straight, held))
    return held if after < before else straight


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
    found = replace(start, vehicle=changed, tyre=tyre, mu=known.get(MU, start.mu), known={})
    kept = found.values()
    for key, value in known.items():
        if key in kept and not key.startswith(_OF_LOG) and kept[key] != value:
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
    done: Fit,
    reasons: Mapping[str, str],
    held_out: HeldOut,
    cuts: Sequence[Cut],
    sensors: Mapping[str, float],
    *,
    rough_converged: bool,
) -> IdentifiedCar:
    start, values = done.problem.start, done.values
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
    offsets = dict(
        zip(done.problem.biases, done.place.x[len(done.problem.keys) :].tolist(), strict=True)
    )
    return IdentifiedCar(
        vehicle=vehicle,
        tyre=tyre,
        actuators=ActuatorParameters(**channels),
        mu=values[MU],
        steer_offset_rad=values[STEER_OFFSET],
        estimates=estimates_of(done, held_out),
        untold=dict(reasons),
        fit=done,
        held_out=held_out,
        cuts=tuple(cuts),
        sensor_offsets={**offsets, **sensors},
        rough_converged=rough_converged,
    )

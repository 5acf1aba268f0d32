"""The report of an identification: a page of tables, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vdsim_plant.study.identify.channels import CHANNELS
from vdsim_plant.study.identify.fitting import Fit
from vdsim_plant.study.identify.identification import IdentifiedCar
from vdsim_plant.study.identify.judgement import NOT_ENDED, NOT_EXPLAINED, Estimate, left_of
from vdsim_plant.study.identify.next_drives import Advice
from vdsim_plant.study.identify.written import interval_text
from vdsim_plant.study.manoeuvres import panels

FIT_PICTURE, PARAMETERS_PICTURE = "fit.png", "parameters.png"
_SHOWN = ("vx_mps", "yaw_rate_radps", "ay_mps2", "ax_mps2")


def table(car: IdentifiedCar) -> list[str]:
    """Return the parameters as rows of text: key, value, interval, start."""
    rows = []
    for key, e in car.estimates.items():
        told = "" if e.identified else "  NOT TOLD: " + e.note
        rows.append(f"{key:44}{e.value:>12.5g}  {interval_text(e):38}start {e.start:<10.5g}{told}")
    rows += [f"{key:44}{'as given':>12}  {why}" for key, why in car.untold.items()]
    return [*rows, *about_lines(car)]


def about_lines(car: IdentifiedCar) -> list[str]:
    """Return what was done with the log: how it drives, what was cut out and held out."""
    log = car.fit.problem.log
    lines = []
    if "wheel_torque.delay_s" not in car.untold:
        how = "held from its row on" if car.fit.problem.start.held_torque else "straight between"
        lines.append(f"wheel torques: {how}{'' if 'held' in how else ' two rows'}")
    if log.by_speed:
        lines.append("no pedals, no wheel torques: the measured speed is held, as an input")
    for name, offset in car.sensor_offsets.items():
        lines.append(f"{name} reads {offset:+.3g} {CHANNELS[name].unit} too much")
    for cut in car.cuts:
        first, last = (row * log.period_s for row in (cut.first, cut.last))
        lines.append(f"cut out: {first:.1f} to {last:.1f} s of the rows, {cut.why}")
    lines.append(f"held out of the fit: {car.held_out.pieces} pieces")
    return lines


def page(car: IdentifiedCar, advice: Sequence[Advice] | None, *, pictures: bool) -> str:
    """Return the report in Markdown."""
    fit = car.fit
    log = fit.problem.log
    lines = [
        "# The car of a log",
        "",
        f"{log.duration_s:.0f} s of driving at {1.0 / log.period_s:.0f} Hz, "
        f"{len(fit.problem.starts)} pieces of {fit.problem.ticks * log.period_s:.0f} s, "
        f"{fit.steps} steps{'' if fit.converged else ', NOT CONVERGED'}.",
        "",
        *_warnings(car),
        *(f"- {line}" for line in about_lines(car)),
        "",
        "## What the log tells",
        "",
        "| parameter | value | 95 % within | start | shown by |",
        "|---|---|---|---|---|",
    ]
    told = [e for e in car.estimates.values() if e.identified]
    rest = [e for e in car.estimates.values() if not e.identified]
    for e in told:
        lines.append(
            f"| `{e.key}` | {e.value:.5g} | {interval_text(e)} | {e.start:.5g} | {e.note} |"
        )
    if rest or car.untold:
        lines += ["", "## What it does not tell", "", "| parameter | kept | why |", "|---|---|---|"]
        for e in rest:
            lines.append(f"| `{e.key}` | {e.value:.5g} | {_why_not(e)} |")
        values = fit.values
        lines += [f"| `{key}` | {values[key]:.5g} | {why} |" for key, why in car.untold.items()]
    if advice is not None:
        lines += ["", "## What to drive next", "", *advice_lines(advice)]
    lines += ["", "## How well the car explains the log", ""]
    lines += ["| channel | noise | what is left | unit |", "|---|---|---|---|"]
    for (name, left), noise in zip(left_of(fit).items(), fit.problem.noise, strict=True):
        lines.append(f"| `{name}` | {noise:.3g} | {left:.3g} | {CHANNELS[name].unit} |")
    lines += ["", *unexplained_lines(car)]
    if pictures:
        lines += ["", f"![Measured and simulated]({FIT_PICTURE})"]
        lines += ["", f"![Values and intervals]({PARAMETERS_PICTURE})"]
    return "\n".join(lines) + "\n"


def unexplained_lines(car: IdentifiedCar) -> list[str]:
    """Return what the fitted car does not explain as text."""
    if not car.converged:
        return ["The fit did not converge: what is left says little of the car.", *_bullets(car)]
    if not car.unexplained:
        return ["Noise alone is left: the car explains the log."]
    return [
        "The car does not explain all of the log. What is left may be a slope, wind, a sensor that",
        "is not at the centre of gravity, springs and dampers. The intervals are wider for it, but",
        "they do not know in which direction a value is off:",
        *_bullets(car),
    ]


def _bullets(car: IdentifiedCar) -> list[str]:
    return ["", *(f"- {line}" for line in car.unexplained)] if car.unexplained else []


def _why_not(estimate: Estimate) -> str:
    if estimate.note in (NOT_ENDED, NOT_EXPLAINED):
        return estimate.note
    if estimate.kept:
        return f"as at the start, the log hardly shows it; {estimate.note}"
    return f"only within {interval_text(estimate)}; {estimate.note}"


def _warnings(car: IdentifiedCar) -> list[str]:
    lines = []
    if not car.rough_converged:
        lines += ["The fit to short pieces, where that to long ones begins, did not converge.", ""]
    if not car.converged:
        lines += ["The fit did not converge: discard all values.", ""]
    return lines


def advice_lines(advice: Sequence[Advice]) -> list[str]:
    """Return what to drive next as text."""
    if not advice:
        return ["Nothing more: what these channels can identify is identified."]
    lines = []
    for number, item in enumerate(advice, start=1):
        lines.append(f"{number}. {item.drive.name}: {item.drive.instruction}")
        for key, (before, after) in item.tells.items():
            lines.append(f"   - `{key}`: half width {before:.3g} -> {after:.3g}")
    return lines


def fit_figure(fit: Fit) -> Any:
    """Draw measured and simulated channels of the pieces that move most, the worst one last."""
    problem = fit.problem
    names = [name for name in _SHOWN if name in problem.outputs]
    chosen = _pieces(fit, names)
    figure, axes = panels.new_figure(
        "Measured and simulated", len(names), len(chosen), size_in=(4.0 * len(chosen), 8.0)
    )
    time_s = problem.log.period_s * np.arange(problem.ticks)
    for column, piece in enumerate(chosen):
        first = int(problem.starts[piece])
        for row, name in enumerate(names):
            channel = problem.outputs.index(name)
            measured = problem.log.columns[name][first : first + problem.ticks]
            simulated = measured - fit.residuals[channel, :, piece]
            axis = axes[row, column]
            axis.plot(time_s, measured, color=panels.GREY, linewidth=0.8, label="measured")
            axis.plot(time_s, simulated, color=panels.BLUE, linewidth=1.4, label="simulated")
            title = f"from {first * problem.log.period_s:.0f} s" if row == 0 else ""
            panels.label(axis, "time [s]", f"{name.rpartition('_')[0]} [{CHANNELS[name].unit}]")
            axis.set_title(title, fontsize=10, loc="left")
    axes[0, 0].legend(fontsize=8)
    return figure


def parameters_figure(car: IdentifiedCar) -> Any:
    """Draw each value relative to the start, with its interval."""
    rows = [e for e in car.estimates.values() if e.start != 0.0 and e.identified]
    figure, axes = panels.new_figure(
        "Value over start, 95 % intervals", 1, 1, size_in=(9.0, 1.0 + 0.3 * len(rows))
    )
    axis = axes[0, 0]
    places = np.arange(len(rows))[::-1]
    values = np.array([e.value / e.start for e in rows])
    widths = np.array([e.half_width / abs(e.start) for e in rows])
    axis.errorbar(values, places, xerr=widths, fmt="o", color=panels.BLUE, capsize=4, markersize=4)
    axis.axvline(1.0, color=panels.GREY, linewidth=1.0)
    axis.set_yticks(places, [e.key for e in rows], fontsize=8)
    return figure


def _pieces(fit: Fit, names: Sequence[str]) -> list[int]:
    """The pieces in which each channel moves most, and the one that is explained worst."""
    problem = fit.problem
    rows = problem.starts[:, np.newaxis] + np.arange(problem.ticks)
    most = [int(np.argmax(np.std(problem.log.columns[name][rows], axis=1))) for name in names]
    errors = (fit.residuals / problem.noise[:, np.newaxis, np.newaxis]) ** 2
    worst = int(np.argmax(errors.mean(axis=(0, 1))))
    return list(dict.fromkeys([*most, worst]))[:4]

"""The report of an identification: a page of tables, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vdsim_plant.identify.channels import CHANNELS
from vdsim_plant.identify.fitting import Fit
from vdsim_plant.identify.identification import IdentifiedCar
from vdsim_plant.identify.next_drives import Advice
from vdsim_plant.identify.written import interval_text
from vdsim_plant.manoeuvres import panels

FIT_PICTURE, PARAMETERS_PICTURE = "fit.png", "parameters.png"
_SHOWN = ("vx_mps", "yaw_rate_radps", "ay_mps2", "ax_mps2")


def table(car: IdentifiedCar) -> list[str]:
    """Return the parameters as rows of text: key, value, interval, start."""
    rows = []
    for key, e in car.estimates.items():
        told = "" if e.identified else "  NOT TOLD: " + e.note
        rows.append(f"{key:44}{e.value:>12.5g}  {interval_text(e):38}start {e.start:<10.5g}{told}")
    rows += [f"{key:44}{'as given':>12}  {why}" for key, why in car.untold.items()]
    return rows


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
        "## What the log tells",
        "",
        "| parameter | value | noise alone: 95 % within | start | shown by |",
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
            why = f"only within {interval_text(e)}; {e.note}"
            lines.append(f"| `{e.key}` | {e.value:.5g} | {why} |")
        values = fit.values
        lines += [f"| `{key}` | {values[key]:.5g} | {why} |" for key, why in car.untold.items()]
    if advice is not None:
        lines += ["", "## What to drive next", "", *advice_lines(advice)]
    lines += ["", "## How well the car explains the log", ""]
    lines += ["| channel | noise | what is left | unit |", "|---|---|---|---|"]
    for name, noise, left in _left(fit):
        lines.append(f"| `{name}` | {noise:.3g} | {left:.3g} | {CHANNELS[name].unit} |")
    lines += [
        "",
        "Where more is left than noise, the car does what the model does not know: a slope, wind,",
        "a sensor that is not at the centre of gravity. The intervals are wider for it.",
    ]
    if pictures:
        lines += ["", f"![Measured and simulated]({FIT_PICTURE})"]
        lines += ["", f"![Values and intervals]({PARAMETERS_PICTURE})"]
    return "\n".join(lines) + "\n"


def _warnings(car: IdentifiedCar) -> list[str]:
    lines = []
    if not car.rough_converged:
        lines += ["The fit to short pieces, where that to long ones begins, did not converge.", ""]
    if not car.converged:
        lines += ["The fit did not converge: no value counts as identified.", ""]
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


def _left(fit: Fit) -> list[tuple[str, float, float]]:
    left = np.sqrt(np.mean(fit.residuals**2, axis=(1, 2)))
    return [
        (name, float(noise), float(rest))
        for name, noise, rest in zip(fit.problem.outputs, fit.problem.noise, left, strict=True)
    ]

"""Figures with their peers: from the rounds of some runs, as a table, and beside older ones.

A time depends on the machine; its ratio to a peer that ran in the same rounds depends on it far
less. Only ratios are compared. How much they differ without any change is measured too: the noise.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """What was measured, beside its peer."""

    name: str
    unit: str
    value: float
    peer: str
    peer_value: float
    ratio: float
    """Of the value to the peer's: the median of the rounds."""
    noise: float
    """By which share of the ratio the rounds and the runs differ."""
    less_is_better: bool


def of_runs(runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[Figure]:
    """Figures of what bench/figures.py wrote in some runs, in the order of the first one."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        for measured in run:
            by_name.setdefault(measured["name"], []).append(measured)
    return [_figure(of_name) for of_name in by_name.values()]


def _figure(measured: Sequence[Mapping[str, Any]]) -> Figure:
    rounds = [
        [a / b for a, b in zip(each["values"], each["peer_values"], strict=True)]
        for each in measured
    ]
    medians = [statistics.median(ratios) for ratios in rounds]
    ratio = statistics.median(medians)
    between = max(medians) - min(medians)
    within = statistics.median(_middle_half(ratios) for ratios in rounds)
    first = measured[0]
    return Figure(
        name=first["name"],
        unit=first["unit"],
        value=_median(each["values"] for each in measured),
        peer=first["peer"],
        peer_value=_median(each["peer_values"] for each in measured),
        ratio=ratio,
        noise=max(between, within) / ratio,
        less_is_better=first["less_is_better"],
    )


def _middle_half(ratios: Sequence[float]) -> float:
    """The width of the middle half of some values; 0 where there are fewer than four."""
    if len(ratios) < 4:
        return 0.0
    low, _, high = statistics.quantiles(ratios, n=4)
    return high - low


def _median(of_runs: Iterable[Sequence[float]]) -> float:
    return statistics.median(value for values in of_runs for value in values)


def losses(stored: Iterable[Figure], now: Iterable[Figure]) -> list[str]:
    """One line for each figure that is worse than the stored one by more than both noises."""
    here = {figure.name: figure for figure in now}
    lines = []
    for old in stored:
        new = here.get(old.name)
        if new is None:
            lines.append(f"{old.name}: stored, and not measured any more")
            continue
        worse = new.ratio / old.ratio if old.less_is_better else old.ratio / new.ratio
        noise = old.noise + new.noise
        if worse - 1.0 > noise:
            lines.append(
                f"{old.name}: {new.ratio:.3g} times {new.peer}, stored {old.ratio:.3g}: "
                f"{100 * (worse - 1.0):.0f} % worse, noise {100 * noise:.0f} %"
            )
    return lines


def table(figures: Iterable[Figure]) -> str:
    """The figures in markdown."""
    rows = [
        "| figure | here | its peer of the same run | ratio | noise |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in figures:
        better = "" if each.less_is_better else " (more is better)"
        rows.append(
            f"| {each.name} | {each.value:.3g} {each.unit} | {each.peer}: {each.peer_value:.3g} "
            f"{each.unit} | {each.ratio:.3g}{better} | {100 * each.noise:.0f} % |"
        )
    return "\n".join(rows)

"""Do the intervals of an identification hold the truth, for cars that the plant does not model?

Foreign cars (vdsim_plant_kit/foreign_cars.py) drive a test of 150 s with 2 % of noise; what a test
of each car measures is written before its fit. Printed: how many 95 % intervals hold the true value
(goal 90 % of at least 200), the share of the values that counts as identified (60 %), the median
half width (10 %, masses and lengths 3 %) and how many times the median error it is (3).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import textbook_cars
import tir_cars
from vdsim_plant.parameters import VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.study.identify.candidates import Unknown
from vdsim_plant.study.identify.drive_log import make_log
from vdsim_plant.study.identify.fitting import Fit
from vdsim_plant.study.identify.identification import IdentifiedCar, identify
from vdsim_plant.study.identify.judgement import half_widths, shortfall

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src" / "vdsim_plant"))
from vdsim_plant_kit.foreign_cars import foreign_car, logged, measured, test_inputs, truth_of

START = "ioniq5_awd"
CARS = 12
OTHERS = 6
"""Of each further kind."""
EXACT = ("body.mass_kg", "body.cg_to_front_axle_m", "wheels.radius_m")
FEWEST = 200
HELD, IDENTIFIED, WIDEST, WIDEST_EXACT, TIMES_THE_ERROR = 0.9, 0.6, 0.1, 0.03, 3.0


@dataclass(frozen=True)
class Value:
    """One value of one car: what is true, what was found."""

    car: str
    key: str
    true: float
    found: float
    half_width: float
    identified: bool
    kept: bool
    scale: float
    """Of an absolute value; 0 for one that is relative."""
    excited: bool
    """Whether the drive shows it: noise alone would leave it within what counts as identified."""

    @property
    def held(self) -> bool:
        """Whether the interval holds the truth."""
        return abs(self.found - self.true) <= self.half_width


def main() -> int:
    """Print the tables; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--cars", type=int, default=CARS)
    add("--first", type=int, default=300, help="those below were at hand when it was made")
    add("--only", choices=("foreign", "tir", "textbook"), help="one of the three kinds of cars")
    add("--seconds", type=float, default=150.0)
    add("--out", type=Path, help="write every value there, as JSON")
    add("--made-by-others", action="store_true", help="CommonRoad's cars instead (its package)")
    options = parser.parse_args()
    if options.made_by_others:
        return judged(_of_others(options.seconds))
    values: list[Value] = []
    kinds = {"foreign": (_one, options.cars), "tir": (_on_tir, OTHERS), "textbook": (_book, OTHERS)}
    for name, (judge, cars) in kinds.items():
        if options.only not in (None, name):
            continue
        of_kind: list[Value] = []
        for number in range(options.first, options.first + min(cars, options.cars)):
            of_kind += judge(number, options.seconds)
            if options.out is not None:
                content = [asdict(v) for v in values + of_kind]
                options.out.write_text(json.dumps(content, indent=1))
        print(f"{name}: {100 * _share(v.held for v in of_kind):.1f} % of {len(of_kind)} held")
        values += of_kind
    return judged(values)


def _one(number: int, seconds: float) -> list[Value]:
    car, kind = foreign_car(number)
    truth = truth_of(car, load_vehicle(START).aero.frontal_area_m2)
    columns = logged(car, kind, number, seconds=seconds)
    return _identified(f"{number} {car.name}", columns, kind, truth, car.wheelbase)


def _on_tir(number: int, seconds: float) -> list[Value]:
    """A car of the plant's level l3 on tyres of a property file."""
    car = tir_cars.tir_car(number)
    kind = "speed" if number % 3 == 2 else "torques"
    columns = tir_cars.driven(car, *test_inputs(car, number, seconds, 0.02), 0.02)
    truth = tir_cars.truth_of(car)
    ratio = {"steering.ratio": 15.0} if kind == "speed" else {}
    columns = measured(columns, kind, number)
    return _identified(f"{number} {car.name}", columns, kind, truth | ratio, car.wheelbase)


def _book(number: int, seconds: float) -> list[Value]:
    """A car of the textbook."""
    car = textbook_cars.textbook_car(number)
    kind = "speed" if number % 4 == 3 else "torques"
    columns = textbook_cars.driven(car, *test_inputs(car, number, seconds, 0.02), 0.02)
    truth = textbook_cars.truth_of(car, load_vehicle(START).aero.frontal_area_m2)
    ratio = {"steering.ratio": 15.0} if kind == "speed" else {}
    columns = measured(columns, kind, number)
    return _identified(f"{number} {car.name}", columns, kind, truth | ratio, car.wheelbase)


def _identified(
    name: str, columns: dict[str, Any], kind: str, truth: Mapping[str, float], wheelbase: float
) -> list[Value]:
    start = load_vehicle(START)
    log = make_log(columns.pop("time_s"), columns)
    # What a workshop measures: the wheelbase; and where no force is logged the mass and its place.
    known = {}
    if kind == "speed":
        known = {key: truth[key] for key in ("body.mass_kg", "body.cg_to_front_axle_m")}
    began = time.process_time()
    found = identify(log, at_wheelbase(start, wheelbase), load_tyre("mf96"), known=known)
    return report(f"{name}, {kind}", found, truth, time.process_time() - began)


def _of_others(seconds: float) -> list[Value]:
    """Identify the cars of another project; they are run once, after the identification is done."""
    from others_cars import NAMES, others_log, others_truth

    values: list[Value] = []
    for number, name in NAMES.items():
        truth = others_truth(number)
        columns = others_log(number, seconds=seconds)
        log = make_log(columns.pop("time_s"), columns)
        known = {key: truth[key] for key in ("body.mass_kg", "body.cg_to_front_axle_m")}
        wheelbase = truth["wheelbase"]
        start = at_wheelbase(load_vehicle(START), wheelbase)
        began = time.process_time()
        found = identify(log, start, load_tyre("mf96"), known=known)
        values += report(f"CommonRoad {name}", found, truth, time.process_time() - began)
    return values


def at_wheelbase(start: VehicleParameters, wheelbase: float) -> VehicleParameters:
    """Return the start with another wheelbase [m]."""
    body = start.body
    ratio = wheelbase / body.wheelbase_m
    return replace(
        start,
        body=replace(
            body,
            cg_to_front_axle_m=body.cg_to_front_axle_m * ratio,
            cg_to_rear_axle_m=body.cg_to_rear_axle_m * ratio,
            length_m=body.length_m * max(ratio, 1.0),
        ),
    )


def report(name: str, found: IdentifiedCar, truth: Mapping[str, float], used: float) -> list[Value]:
    """Print one car; return its values."""
    state = "" if found.converged else ", NOT CONVERGED"
    print(f"{name}: {used:.0f} s of CPU{state}")
    for cut in found.cuts:
        print(f"    rows {cut.first} to {cut.last} cut out: {cut.why}")
    for line in found.held_out.unexplained:
        print(f"    {line}")
    values = []
    for key, e in found.estimates.items():
        if key not in truth:
            continue
        unknown = found.fit.problem.unknowns.get(key)
        excited = unknown is None or _is_excited(found.fit, unknown)
        v = Value(
            *(
                name,
                key,
                truth[key],
                e.value,
                e.half_width,
                e.identified,
                e.kept,
                unknown.scale if unknown else 1.0,
                excited,
            )
        )
        values.append(v)
        print(
            f"  {key:44}{v.true:>11.5g}{v.found:>11.5g} +-{v.half_width:<10.3g}"
            f"{'' if v.held else 'OUT '}{_label(v)}"
        )
    print(end="", flush=True)
    return values


def _is_excited(fit: Fit, unknown: Unknown) -> bool:
    place = fit.problem.keys.index(unknown.key)
    noise = np.linalg.inv(fit.equations.matrix)[place : place + 1, place]
    value = fit.values[unknown.key]
    (width,) = half_widths([unknown], [value], noise)
    return shortfall(unknown, value, width) <= 1.0


def _label(value: Value) -> str:
    return "identified" if value.identified else "kept" if value.kept else ""


def judged(values: list[Value]) -> int:
    """Print the figures; return 1 where one misses its goal."""
    if not values:
        print("nothing was fitted")
        return 1
    told = [v for v in values if v.identified]
    held, told_held = _share(v.held for v in values), _share(v.held for v in told)
    print(f"{100 * held:.1f} % of {len(values)} intervals hold the truth (goal: 90 % of {FEWEST})")
    print(f"{100 * told_held:.1f} % of the {len(told)} that count as identified do")
    excited = [v for v in values if v.excited]
    named = sum(v.identified for v in excited)
    print(f"{100 * len(told) / len(values):.1f} % of the values count as identified,")
    print(f"{100 * named / len(excited):.1f} % of the {len(excited)} that are excited (goal: 60 %)")
    relative = [v for v in told if not v.scale]
    wide, wide_exact = (
        float(
            np.median([v.half_width / abs(v.true) for v in relative if (v.key in EXACT) == exact])
        )
        for exact in (False, True)
    )
    error = float(np.median([abs(v.found / v.true - 1.0) for v in relative]))
    width = float(np.median([v.half_width / abs(v.true) for v in relative]))
    print(f"median half width: {100 * wide:.1f} % (goal: 10 %), of masses and lengths")
    print(f"  {100 * wide_exact:.2f} % (goal: 3 %); {width / error:.1f} times the median error (3)")
    outside: dict[str, list[float]] = defaultdict(list)
    for v in values:
        if not v.held:
            outside[v.key].append(abs(v.found - v.true) / v.half_width)
    for key, by in sorted(outside.items()):
        count = sum(v.key == key for v in values)
        print(f"  outside: {key:44}{len(by)} of {count}, worst {max(by):.1f} half widths")
    return int(
        held < HELD
        or len(values) < FEWEST
        or named < IDENTIFIED * len(excited)
        or wide > WIDEST
        or wide_exact > WIDEST_EXACT
        or width > TIMES_THE_ERROR * error
    )


def _share(flags: Iterable[bool]) -> float:
    each = list(flags)
    return sum(each) / len(each) if each else 0.0


if __name__ == "__main__":
    raise SystemExit(main())

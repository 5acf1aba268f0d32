"""A tyre's curvature along no log tells; what a fit is given it drives with."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vdsim_plant.parameters import ParameterError, TyreParameters, load_tyre, load_vehicle
from vdsim_plant.study.accuracy.full_tyre import full_tyre
from vdsim_plant.study.identify.candidates import (
    CANDIDATES,
    GIVEN,
    MU,
)
from vdsim_plant.study.identify.drive_log import make_log
from vdsim_plant.study.identify.drives import DRIVES
from vdsim_plant.study.identify.identification import identify
from vdsim_plant.study.identify.next_drives import driven
from vdsim_plant.study.identify.simulation import LogSimulation, Variant
from vdsim_plant.study.identify.unknowns import (
    Start,
    car_of,
)
from vdsim_plant_kit.hidden_cars import hidden_actuators, truth

PIECE = 150  # rows of 10 ms
LIMIT = tuple(drive for drive in DRIVES if drive.name == "limit_cornering")
FULL = full_tyre(0.35, -0.6, 0.6)


def _start(tyre: TyreParameters) -> Start:
    return Start(vehicle=load_vehicle("ioniq5_awd"), tyre=tyre, mu=0.85)


def test_they_are_the_starts_and_no_candidates_of_a_fit() -> None:
    start = _start(FULL)
    assert car_of(start, start.values())[1] == FULL
    assert not {unknown.key for unknown in GIVEN} & {unknown.key for unknown in CANDIDATES}
    given = {**start.values(), "tyre.mf96.load_sensitivity": 0.1}
    assert car_of(start, given)[1].mf96.load_sensitivity == 0.1


def test_a_log_is_driven_with_the_tyre_that_is_given() -> None:
    """The car that drove it leaves far less of the yaw rate than one with the usual tyre."""
    left = {}
    vehicle, tyre = car_of(_start(FULL), _start(FULL).values())
    columns = driven(
        vehicle, tyre, hidden_actuators(1), mu=0.85, drives=LIMIT, duration_s=16.0, once=True
    )
    log = make_log(columns["time_s"], {k: v for k, v in columns.items() if k != "time_s"})
    starts = np.arange(200, log.rows - PIECE, PIECE)
    names = ("vx_mps", "vy_mps", "yaw_rate_radps")
    initial = np.column_stack([log.columns[name][starts] for name in names])
    wanted = log.columns["yaw_rate_radps"][starts + np.arange(PIECE)[:, np.newaxis]]
    layers = {k: v for k, v in truth(1, _start(FULL)).items() if k.startswith("actuator.")}
    for name, tyre in (("full", FULL), ("usual", full_tyre(0.0))):
        start = _start(tyre)
        simulation = LogSimulation(log, start, ("yaw_rate_radps",))
        variant = Variant({**start.values(), **layers, MU: 0.85})
        seen = simulation.prepared([variant]).run(starts, initial, PIECE)
        left[name] = math.sqrt(float(np.mean((seen[0, :, :, 0] - wanted) ** 2)))
    assert left["full"] < 0.2 * left["usual"], left


def test_what_no_tyre_has_is_refused() -> None:
    columns = driven(
        *car_of(_start(FULL), _start(FULL).values()),
        hidden_actuators(1),
        mu=0.85,
        drives=LIMIT,
        duration_s=1.5,
    )
    log = make_log(columns["time_s"], {k: v for k, v in columns.items() if k != "time_s"})
    for value, problem in ((1.5, r"load_sensitivity=1\.5: must be"), (math.nan, "must be finite")):
        with pytest.raises(ParameterError, match=problem):
            identify(
                log,
                load_vehicle("ioniq5_awd"),
                load_tyre("mf96"),
                known={"tyre.mf96.load_sensitivity": value},
            )

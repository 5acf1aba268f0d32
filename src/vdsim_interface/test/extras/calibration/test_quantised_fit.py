"""Maps from logs of whole km/h, 50 ms late: within 2 % of maps that the fit never saw."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_interface.extras.calibration.quantised_fit import (
    COUNTED_N,
    Array,
    Log,
    fit_pedals,
    fit_steering,
    naive_cells,
)
from vdsim_interface.platforms.pedal_map import PedalMapError
from vdsim_interface_kit.quantised_drives import (
    CARS,
    DELAY_S,
    STEERING,
    STEP_RAD,
    Accel,
    drive,
    steer,
)

SPEEDS = np.array([2.0, 4.0, 6.0, 8.0, 11.0, 14.0, 18.0, 22.0])
PEDALS = np.array([-0.4, -0.25, -0.1, 0.0, 0.1, 0.25, 0.4, 0.6])


def error(cells: Array, accel: Accel, counts: NDArray[np.int64]) -> float:
    """RMS over the counted cells, as a share of the map's full range."""
    truth = np.array([[accel(float(p), float(v)) for p in PEDALS] for v in SPEEDS])
    counted = (counts >= COUNTED_N) & np.isfinite(cells)
    assert counted.sum() > 40
    return float(np.sqrt(np.mean((cells - truth)[counted] ** 2)) / np.ptp(truth))


@pytest.mark.parametrize("name", CARS)
def test_a_map_from_whole_kph_is_within_two_percent(name: str) -> None:
    log = drive(CARS[name], 20.0, seed=7)
    fit = fit_pedals(log, SPEEDS, PEDALS, delay_s=DELAY_S)
    ours = error(fit.cells, CARS[name], fit.counts)
    usual = error(naive_cells(log, SPEEDS, PEDALS), CARS[name], fit.counts)
    assert ours < 0.02
    assert usual > 2.0 * ours


def test_the_likelihood_finds_the_delay() -> None:
    log = drive(CARS["combustion"], 6.0, seed=3)
    found = {
        delay: fit_pedals(log, SPEEDS, PEDALS, delay_s=delay).log_likelihood
        for delay in (0.0, 0.05, 0.2)
    }
    assert max(found, key=lambda delay: found[delay]) == DELAY_S


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (Log(np.arange(50.0), np.ones(50), np.zeros(50)), "has 50 samples, must have 200 or more"),
        (Log(0.05 * np.arange(500.0), np.ones(500), np.zeros(500)), "what is read never changes"),
    ],
)
def test_a_log_without_content_is_refused(log: Log, text: str) -> None:
    with pytest.raises(PedalMapError, match=text):
        fit_pedals(log, SPEEDS, PEDALS)


# ---- the steering --------------------------------------------------------------------------------

STEER_SPEEDS = np.array([2.0, 8.0, 14.0, 20.0])
ERRORS = np.array([-0.3, -0.2, -0.12, -0.06, -0.02, 0.0, 0.02, 0.06, 0.12, 0.2, 0.3])


@pytest.mark.parametrize("name", STEERING)
def test_a_steering_map_from_tenths_of_a_degree_is_within_two_percent(name: str) -> None:
    fit = fit_steering(
        steer(STEERING[name], 10.0, 5), STEER_SPEEDS, ERRORS, step_rad=STEP_RAD, delay_s=DELAY_S
    )
    truth = np.array([[STEERING[name](float(e), float(v)) for e in ERRORS] for v in STEER_SPEEDS])
    counted = fit.counts >= COUNTED_N
    assert counted.sum() > 25
    rms = np.sqrt(np.mean((fit.cells - truth)[counted] ** 2)) / np.ptp(truth)
    assert rms < 0.02

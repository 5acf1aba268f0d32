import numpy as np
import pytest
from vdsim_interface.extras.calibration.samples import Samples
from vdsim_interface.extras.calibration.speeds import CLOSEST_MPS, fit_up_to, speed_grid

PEDALS = [round(0.1 * n - 1.0, 9) for n in range(21)]
LIMIT_MPS = 16.0


def measured(limit_mps: float, noise_mps2: float = 0.0) -> Samples:
    """A car whose motor lets go within a metre per second of a limit."""
    rows = []
    for pedal in PEDALS:
        for speed in np.arange(0.5, 26.0, 0.1):
            left = min(max(limit_mps + 1.0 - speed, 0.0), 1.0)
            rows.append((speed, pedal, 4.0 * pedal * (left if pedal > 0.0 else 2.0) - 0.1))
    table = np.array(rows)
    noise = np.random.default_rng(7).normal(0.0, noise_mps2, len(rows))
    return Samples(table[:, 0], table[:, 1], table[:, 2] + noise)


def test_speed_grid() -> None:
    assert speed_grid(12.0) == (1.0, 2.0, 3.0, 5.0, 7.5, 10.0, 12.0)
    assert speed_grid(2.0) == (1.0, 2.0)


def test_a_car_without_bends_keeps_the_plain_grid() -> None:
    assert fit_up_to(measured(99.0), 25.0).pedal_map.speeds_mps == speed_grid(25.0)


def test_noise_is_no_bend() -> None:
    """A recording scatters a little; more speeds would follow the noise, not the car."""
    fit = fit_up_to(measured(99.0, noise_mps2=0.02), 25.0)
    assert fit.pedal_map.speeds_mps == speed_grid(25.0)


def test_a_limiter_is_drawn_where_it_stands() -> None:
    fit = fit_up_to(measured(LIMIT_MPS), 25.0)
    more = set(fit.pedal_map.speeds_mps) - set(speed_grid(25.0))
    assert more
    assert all(abs(speed - LIMIT_MPS) < 2.5 for speed in more)
    assert min(np.diff(fit.pedal_map.speeds_mps)) >= CLOSEST_MPS
    # Full throttle just below the limit: the plain grid would give three quarters of it.
    assert fit.pedal_map.accel(1.0, 15.6) == pytest.approx(3.9, abs=0.2)
    assert fit.max_error_mps2 < 1.0

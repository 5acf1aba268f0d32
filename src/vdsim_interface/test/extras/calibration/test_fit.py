from collections.abc import Iterator

import numpy as np
import pytest
from vdsim_interface.extras.calibration.fit import fit_pedal_map
from vdsim_interface.extras.calibration.samples import Samples, parse_samples
from vdsim_interface.platforms.pedal_map import PedalMapError

SPEEDS = (1.0, 5.0, 10.0, 20.0)
PEDALS = [round(0.1 * n - 1.0, 9) for n in range(21)]


def car(pedal: float, speed: float) -> float:
    """A car with drag, and brakes that lock beyond 80 %."""
    if pedal < -0.8:
        return -6.0
    return (4.0 if pedal > 0 else 10.0) * pedal - 0.1 - 0.001 * speed**2


def measured(pedals: list[float] = PEDALS, top: float = 21.0) -> Samples:
    rows = [(v, p, car(p, v)) for p in pedals for v in np.arange(0.5, top, 0.25)]
    table = np.array(rows)
    return Samples(table[:, 0], table[:, 1], table[:, 2])


def test_the_map_is_the_car_and_ends_where_wheels_lock() -> None:
    fit = fit_pedal_map(measured(), SPEEDS)
    assert fit.pedal_map.pedals[0] == pytest.approx(-0.8)
    assert fit.pedal_map.pedals[-1] == 1.0
    # Linear in the pedal; the drag bends by 0.001 * 5^2 between the grid's speeds 10 and 20 m/s.
    assert fit.max_error_mps2 == pytest.approx(0.025, abs=1e-6)
    assert fit.rms_error_mps2 < 0.02
    assert fit.held_back_count > 500
    assert fit.straightened_mps2 == 0.0
    for pedal in (-0.8, -0.4, 0.0, 0.6):
        assert fit.pedal_map.accel(pedal, 10.0) == pytest.approx(car(pedal, 10.0), abs=0.01)


def test_the_error_is_measured_on_pedals_that_the_map_has_not_seen() -> None:
    """A kink between two pedals of the grid shows in the error."""
    samples = measured()
    accel = samples.accel_mps2.copy()
    odd = np.isclose(samples.pedal, 0.3)
    accel[odd] += 0.2
    fit = fit_pedal_map(samples._replace(accel_mps2=accel), SPEEDS)
    assert fit.max_error_mps2 == pytest.approx(0.2, abs=0.05)


def test_a_flat_stretch_is_straightened_just_enough_to_be_invertible() -> None:
    samples = measured()
    accel = np.where(samples.pedal > 0.5, car(0.5, 0.0), samples.accel_mps2)
    fit = fit_pedal_map(samples._replace(accel_mps2=accel), SPEEDS)
    assert fit.pedal_map.pedals[-1] == 1.0
    assert 0.0 < fit.straightened_mps2 < 0.2


@pytest.mark.parametrize(
    ("samples", "line"),
    [
        (measured(PEDALS[::4]), "samples: must have nine or more pedals"),
        (measured([p for p in PEDALS if p]), "samples: must have nine or more pedals"),
        (measured(top=15.0), "samples at pedal -1: cover 0.5 to 14.8 m/s, must cover 1 to 20 m/s"),
    ],
)
def test_samples_that_are_not_enough(samples: Samples, line: str) -> None:
    with pytest.raises(PedalMapError) as caught:
        fit_pedal_map(samples, SPEEDS)
    assert str(caught.value).startswith(line)


def test_a_car_that_does_not_react_is_refused() -> None:
    samples = measured()
    flat = -samples.accel_mps2
    with pytest.raises(PedalMapError, match="must rise with the pedal over three pedals"):
        fit_pedal_map(samples._replace(accel_mps2=flat), SPEEDS)


def lines() -> Iterator[str]:
    yield "# a recording"
    yield "speed_mps,pedal,accel_mps2"
    yield "1.0,0.5,2.0"
    yield ""
    yield "2.0,-0.5,-3.0"


def test_reading_samples() -> None:
    samples = parse_samples(lines())
    assert samples.speed_mps.tolist() == [1.0, 2.0]
    assert samples.pedal.tolist() == [0.5, -0.5]
    assert samples.accel_mps2.tolist() == [2.0, -3.0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ([], "columns=none: must be speed_mps,pedal,accel_mps2"),
        (["a,b,c"], "columns=a,b,c: must be"),
        (["speed_mps,pedal,accel_mps2", "1,2"], "sample 1=1,2: must be three numbers"),
        (["speed_mps,pedal,accel_mps2", "1,2,nan"], "samples: must be finite"),
    ],
)
def test_what_is_not_a_recording_is_refused(text: list[str], line: str) -> None:
    with pytest.raises(PedalMapError) as caught:
        parse_samples(text)
    assert str(caught.value).startswith(line)


def shaped(samples: Samples, accel: np.ndarray) -> tuple[float, float]:
    """First and last pedal of the map of a changed car."""
    grid = tuple(float(speed) for speed in np.arange(1.0, 21.0))
    pedals = fit_pedal_map(samples._replace(accel_mps2=accel), grid).pedal_map.pedals
    return pedals[0], pedals[-1]


def test_a_limiter_that_cuts_in_earlier_with_more_throttle_does_not_end_the_map() -> None:
    samples = measured()
    cuts_in = 18.0 - 2.0 * samples.pedal
    accel = np.where((samples.pedal > 0.0) & (samples.speed_mps > cuts_in), -0.5,
                     samples.accel_mps2)  # fmt: skip
    assert shaped(samples, accel) == (-0.8, 1.0)


def test_wheels_that_spin_from_standstill_on_end_the_map() -> None:
    samples = measured()
    spins = (samples.pedal > 0.55) & (samples.speed_mps < 2.0)
    assert shaped(samples, np.where(spins, 1.0, samples.accel_mps2)) == (-0.8, 0.5)


def test_wheels_that_lock_at_speed_only_end_the_map() -> None:
    samples = measured()
    locks = (samples.pedal < -0.45) & (samples.speed_mps > 12.0)
    assert shaped(samples, np.where(locks, -3.0, samples.accel_mps2)) == (-0.4, 1.0)

"""Braking: distances against what the road and the brake split allow."""

from pathlib import Path

import numpy as np
import pytest
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError, load_vehicle
from vdsim_plant.study.manoeuvres import straight_brake


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.9])
def test_the_threshold_is_where_the_split_lets_an_axle_lock(mu: float) -> None:
    result = straight_brake(speed_mps=20.0, mu=mu)
    body = load_vehicle("ioniq5_awd").body
    # Each axle brakes m a / 2; the rear one has m (g a_f / L - a h / L) to stand on.
    rear_share = body.cg_to_front_axle_m / body.wheelbase_m
    shift = body.cg_height_m / body.wheelbase_m
    lock_g = mu * rear_share / (0.5 + mu * shift)
    assert result.stopped
    assert result.mean_developed_deceleration_mps2 == pytest.approx(lock_g * GRAVITY_MPS2, rel=0.15)
    assert result.mean_developed_deceleration_mps2 < 1.15 * lock_g * GRAVITY_MPS2
    assert result.friction_utilisation < 1.0


def test_a_force_well_below_the_limit_is_delivered() -> None:
    result = straight_brake(speed_mps=15.0, force_n=4000.0)
    mass = load_vehicle("ioniq5_awd").body.mass_kg
    rolling = 0.012 * GRAVITY_MPS2
    expected = 4000.0 / mass + rolling
    assert result.mean_developed_deceleration_mps2 == pytest.approx(expected, rel=0.05)
    assert result.stopping_distance_m == pytest.approx(15.0**2 / 2 / expected, rel=0.05)


def test_less_friction_is_a_longer_way() -> None:
    ways = [straight_brake(speed_mps=20.0, mu=mu).stopping_distance_m for mu in (0.9, 0.5, 0.2)]
    assert ways == sorted(ways)


def test_the_car_stays_straight_on_an_even_road() -> None:
    result = straight_brake(speed_mps=30.0, mu=0.4)
    assert result.lateral_deviation_m == 0.0
    assert np.all(result.trace.friction_use <= 1.0 + 1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"speed_mps": 0.0}, "speed_mps=0.0: must be 1 to 100 m/s"),
        ({"speed_mps": "fast"}, "speed_mps='fast': must be a number"),
        ({"force_n": -1.0}, "force_n=-1.0: must be > 0 N"),
        ({"mu": 3.0}, "base_mu=3.0: must be > 0 and <= 1.2"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        straight_brake(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_with_a_real_brake_split_the_tyres_decide() -> None:
    """The figures are those of docs/manoeuvres.md."""
    equal, real = straight_brake("ioniq5_awd"), straight_brake("ioniq5_awd_r13h")
    page = (Path(__file__).resolve().parents[5] / "docs" / "manoeuvres.md").read_text()
    text = " ".join(page.split())
    assert f"{equal.stopping_distance_m:.1f} m from 100 km/h on mu 0.9" in text
    assert f"needs {real.stopping_distance_m:.1f} m" in text
    assert f"uses {100.0 * real.friction_utilisation:.0f} % of the friction" in text
    assert real.friction_utilisation > 0.95

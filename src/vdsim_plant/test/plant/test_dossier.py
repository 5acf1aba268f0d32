"""The dossier's figures, and that each would notice a wrong car."""

from __future__ import annotations

import dataclasses
import math

import pytest
from vdsim_plant.cli import dossier
from vdsim_plant.ground import Ground
from vdsim_plant.motion import VehicleMotion
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.parameters.tir_coefficients import NAMES
from vdsim_plant.study.accuracy import book_tyre, laws, linear_car
from vdsim_plant.study.accuracy.claim import Claim, at_most, table
from vdsim_plant.study.accuracy.linear_car import driven_gains, gains
from vdsim_plant.vehicle import Vehicle


def test_every_figure_is_within_its_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert dossier.main([]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 19
    assert "missed" not in "".join(printed)


def test_a_figure_out_of_its_bound_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Claim(what="w", against="a", measured="2", bound="1", passed=False)
    monkeypatch.setattr(dossier, "claims", lambda: (wrong,))
    assert dossier.main([]) == 1
    assert "| w | a | **missed:** 2 | 1 |" in capsys.readouterr().out
    assert table([dataclasses.replace(wrong, passed=True)]).endswith("| w | a | 2 | 1 |")


def test_powers_of_ten_are_rounded_up() -> None:
    assert [at_most(value, " N") for value in (0.0, 1e-3, 1.1e-3, 9e-4)] == [
        "0 N",
        "1e-03 N",
        "1e-02 N",
        "1e-03 N",
    ]


def _changed(monkeypatch: pytest.MonkeyPatch, **factors: float) -> None:
    """Let every car report some of its numbers too high."""
    shipped = Vehicle.motion

    def motion(vehicle: Vehicle) -> VehicleMotion:
        m = shipped(vehicle)
        changes: dict[str, object] = {}
        for name, factor in factors.items():
            value = getattr(m, name)
            changes[name] = (
                tuple(factor * v for v in value) if isinstance(value, tuple) else factor * value
            )
        return dataclasses.replace(m, **changes)

    monkeypatch.setattr(Vehicle, "motion", motion)


@pytest.mark.parametrize(
    ("quantity", "missed"),
    [("tire_fx_n", 0), ("tire_fy_n", 0), ("ax_mps2", 1), ("ay_mps2", 1), ("tire_fz_n", 2)],
)
def test_a_car_that_breaks_a_law_is_noticed(
    monkeypatch: pytest.MonkeyPatch, quantity: str, missed: int
) -> None:
    _changed(monkeypatch, **{quantity: 1.0 + 1e-9})
    claims = laws.circle_and_balances(seconds=0.1)
    assert not claims[missed].passed


def test_a_car_that_gains_energy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = laws._kinetic_j
    calls = iter(range(10**9))
    monkeypatch.setattr(laws, "_kinetic_j", lambda car: shipped(car) * (1.0 + 1e-3 * next(calls)))
    assert not laws.energy(drives=1).passed


def test_a_car_that_creeps_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Vehicle.motion
    monkeypatch.setattr(
        Vehicle,
        "motion",
        lambda car: dataclasses.replace(shipped(car), x_m=1e-9 * shipped(car).time_s),
    )
    assert not laws.standstill(minutes=0.1).passed


def test_the_two_equations_worked_by_hand() -> None:
    """A steady turn is U / (L + K U^2) with K = m / L (b / Cf - a / Cr)."""
    car = load_vehicle("ioniq5_awd")
    body, axles = car.body, car.axles
    a, b, m = body.cg_to_front_axle_m, body.cg_to_rear_axle_m, body.mass_kg
    cf, cr = axles.cornering_stiffness_front_n_per_rad, axles.cornering_stiffness_rear_n_per_rad
    k = m / (a + b) * (b / cf - a / cr)
    yaw, side = gains(car, 20.0, 0.0)
    assert yaw == pytest.approx(20.0 / (a + b + k * 400.0), rel=1e-12)
    assert side == pytest.approx(20.0 * yaw, rel=1e-12)


def test_a_softer_axle_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = load_vehicle("ioniq5_awd")
    car = dataclasses.replace(shipped, aero=dataclasses.replace(shipped.aero, frontal_area_m2=0.0))
    tyre = dataclasses.replace(load_tyre("mf96"), rolling_resistance=0.0)
    axles = car.axles
    softer = dataclasses.replace(
        axles, cornering_stiffness_rear_n_per_rad=0.98 * axles.cornering_stiffness_rear_n_per_rad
    )
    vehicle = Vehicle(car, tyre, Ground(base_mu=axles.mu_nominal))
    monkeypatch.setattr(linear_car, "SETTLES_S", 1.0)
    ours = driven_gains(vehicle, 20.0, 1.0)[0]
    right = abs(ours / gains(car, 20.0, 1.0)[0] - 1.0)
    wrong = abs(ours / gains(dataclasses.replace(car, axles=softer), 20.0, 1.0)[0] - 1.0)
    assert wrong > 5.0 * right


def test_the_book_worked_by_hand() -> None:
    """The tyre and the number of `test_tir_forces.py`: kappa 0.05 gives 3088.06 N."""
    ones = ("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LHY")
    p = dict.fromkeys(NAMES, 0.0) | dict.fromkeys((*ones, "LVY", "LXAL", "LYKA", "LVYKA"), 1.0)
    p |= {"FNOMIN": 4000.0, "PCX1": 1.5, "PDX1": 1.0, "PKX1": 20.0, "RBX1": 10.0, "RCX1": 1.0}
    p |= {"PCY1": 1.3, "PDY1": 1.0, "PKY1": -20.0, "PKY2": 2.0, "RBY1": 8.0, "RCY1": 1.0}
    assert book_tyre.book_forces(p, 0.05, 0.0, 4000.0)[0] == pytest.approx(3088.06, abs=0.02)
    weight = 1.0 / math.sqrt(1.0 + 0.4**2)
    both = book_tyre.book_forces(p, 0.05, 0.04, 4000.0)
    assert both == pytest.approx((3088.06 * weight, -2241.10 * weight), abs=0.02)


@pytest.mark.parametrize("name", ["PDX1", "PKY1", "PEY1", "RBX1", "RVY5", "PHY1"])
def test_a_coefficient_that_is_read_wrongly_is_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    shipped = book_tyre.book_forces
    monkeypatch.setattr(
        book_tyre,
        "book_forces",
        lambda p, *slips: shipped({**p, name: p[name] * 1.001}, *slips),
    )
    assert not book_tyre._compared("road_235_55r19", 200).passed

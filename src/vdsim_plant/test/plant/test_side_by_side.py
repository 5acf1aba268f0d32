"""The figures of docs/side-by-side.md, and that a wrong one would be noticed."""

from __future__ import annotations

import math

import pytest
from vdsim_plant.cli.side_by_side import main
from vdsim_plant.observation import WheelObservation
from vdsim_plant.study.accuracy import side_by_side
from vdsim_plant.study.accuracy.side_by_side import rows, speed, table


def test_every_figure_is_as_the_page_claims(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows()
    assert [row.passed for row in found] == [True] * 4
    text = table(found)
    assert len(text.splitlines()) == 6
    assert "26.9 degrees" in text
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines()[:5] == text.splitlines()[:5]


def wheel(kappa: float, alpha: float, fx: float, fy: float) -> WheelObservation:
    return WheelObservation(
        Fx=fx, Fy=fy, Fz=5000.0, alpha=alpha, kappa=kappa, mu=0.9, mu_peak=0.9, alpha_peak=0.1,
        kappa_peak=0.1, omega=0.0,
    )  # fmt: skip


@pytest.mark.parametrize("alpha", [-0.3, -0.04, 0.0, 0.04, 0.3])
@pytest.mark.parametrize("turned_deg", [0.0, 5.0, -26.9])
def test_the_angle_of_a_locked_wheels_force(alpha: float, turned_deg: float) -> None:
    """A locked wheel slides along where its contact goes: forward, and aside by alpha."""
    direction = math.atan2(-math.sin(alpha), -math.cos(alpha)) + math.radians(turned_deg)
    locked = wheel(-1.0, alpha, math.cos(direction), math.sin(direction))
    assert side_by_side._off_deg(locked) == pytest.approx(abs(turned_deg), abs=1e-9)


def test_the_force_that_vdsim_showed_is_far_off() -> None:
    """Its rear left wheel at 1.3 s: kappa -0.98, alpha -0.04, Fx -0.75 and Fy 0.49 of mu Fz."""
    assert side_by_side._off_deg(wheel(-0.98, -0.04, -0.75, 0.49)) == pytest.approx(30.8, abs=0.3)


def test_a_slow_drive_is_not_as_claimed() -> None:
    assert not speed(lambda drive: 0.2).passed
    assert speed(lambda drive: 0.002).ours == "2.0 ms"


def test_a_car_that_slides_more_than_its_circle_is_not_as_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(side_by_side, "_use", lambda wheel: 1.21)
    assert not side_by_side.circle().passed

"""The truth dossier: every figure of docs/truth.md, measured here and now."""

from __future__ import annotations

from vdsim_plant.study.accuracy import laws
from vdsim_plant.study.accuracy.book_tyre import book_claims
from vdsim_plant.study.accuracy.claim import Claim
from vdsim_plant.study.accuracy.full_tyre import full_tyre_claims
from vdsim_plant.study.accuracy.linear_car import linear_theory


def claims() -> tuple[Claim, ...]:
    """Return all of them; it takes some seconds."""
    return (
        *laws.circle_and_balances(),
        laws.standstill(),
        laws.energy(),
        laws.locked_stop(),
        laws.coast_down(),
        *laws.invariance(),
        *linear_theory(),
        *full_tyre_claims(),
        *book_claims(),
    )

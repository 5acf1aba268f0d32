"""Torque to pedals as the ECU does it, and what outranks it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from vdsim_interface.extras.autohyu.parameters import AutohyuParameters
from vdsim_interface.extras.autohyu.rules import RULES, Cause, Inputs, brake_percent, decide
from vdsim_interface.extras.autohyu.torque_map import TorqueMap

P = AutohyuParameters()
TORQUE = np.arange(-2000.0, 6501.0, 10.0)
SPEED = np.arange(10.0, 201.0)
# 1 % a 50 N m, whatever the speed; nothing below 0.
MAP = TorqueMap(
    TORQUE, SPEED, np.clip(np.repeat(TORQUE[:, None] / 50.0, len(SPEED), axis=1), 0.0, 99.0)
)
DRIVEN = Inputs(
    steer_deg=2.0,
    torque_nm=1000.0,
    steer_rad=0.03,
    speed_mps=10.0,
    steer_stale=False,
    torque_stale=False,
    state_stale=False,
)


@pytest.mark.parametrize(
    ("torque_nm", "percent", "tolerance"),
    [(-1000.0, 4.02, 0.01), (-4650.0, 59.8, 0.1), (-10000.0, 98.6, 0.1), (0.0, 0.0, 0.0)],
)
def test_the_brake_cubic(torque_nm: float, percent: float, tolerance: float) -> None:
    # [VS-0.7.1]
    assert brake_percent(torque_nm, P.pedals.brake_cubic) == pytest.approx(percent, abs=tolerance)


def test_the_brake_stays_within_its_range() -> None:
    assert brake_percent(-1e5, P.pedals.brake_cubic) == 100.0
    assert brake_percent(5000.0, P.pedals.brake_cubic) == 0.0


@pytest.mark.parametrize(
    ("torque_nm", "throttle", "brake"),
    [
        (1000.0, 0.2, 0.0),
        (6400.0, 0.99, 0.0),
        (0.0, 0.0, 0.0),
        (-900.0, 0.0, 0.017595),
        (-1000.0, 0.0, 0.040239),
        (-2000.0, 0.0, 0.241632),
    ],
)
def test_torque_becomes_one_pedal(torque_nm: float, throttle: float, brake: float) -> None:
    # [VS-0.7.1]
    decision = decide(replace(DRIVEN, torque_nm=torque_nm), MAP, P)
    assert decision.cause is Cause.DRIVEN
    assert decision.throttle == pytest.approx(throttle)
    assert decision.brake == pytest.approx(brake, abs=2e-4)
    assert decision.steer_rad == 0.03


def test_below_the_neutral_torque_the_brake_is_used_whatever_the_map_says() -> None:
    creeping = TorqueMap(TORQUE, SPEED, np.full((len(TORQUE), len(SPEED)), 7.0))
    above = decide(replace(DRIVEN, torque_nm=-1000.0), creeping, P)
    below = decide(replace(DRIVEN, torque_nm=-1000.5), creeping, P)
    assert (above.throttle, above.brake) == (0.07, 0.0)
    assert below.throttle == 0.0
    assert below.brake > 0.04


CASES = {
    Cause.NO_TORQUE_YET: (replace(DRIVEN, torque_nm=None), 0.03, 1.0),
    Cause.TORQUE_NOT_FINITE: (replace(DRIVEN, torque_nm=math.inf), 0.03, 1.0),
    Cause.STEER_NOT_FINITE: (replace(DRIVEN, steer_deg=math.nan, steer_stale=True), 0.03, 0.3),
    Cause.COMMAND_STALE: (replace(DRIVEN, torque_stale=True), 0.03, 0.3),
    Cause.STATE_STALE: (replace(DRIVEN, state_stale=True), 0.03, 0.3),
    Cause.DRIVEN: (DRIVEN, 0.03, 0.0),
}


@pytest.mark.parametrize("cause", Cause)
def test_every_cause(cause: Cause) -> None:
    inputs, steer_rad, brake = CASES[cause]
    decision = decide(inputs, MAP, P)
    assert (decision.cause, decision.steer_rad, decision.brake) == (cause, steer_rad, brake)
    assert (decision.throttle > 0.0) is (cause is Cause.DRIVEN)


def test_each_rule_speaks_for_its_cause_alone() -> None:
    causes = [cause for cause in Cause if cause is not Cause.DRIVEN]
    for rule, cause in zip(RULES, causes, strict=True):
        assert rule(DRIVEN, 0.3) is None
        spoken = rule(CASES[cause][0], 0.3)
        assert spoken is not None
        assert spoken.cause is cause


def test_a_bad_steer_is_no_reason_to_brake_before_its_time_out() -> None:
    decision = decide(replace(DRIVEN, steer_deg=math.nan), MAP, P)
    assert (decision.cause, decision.steer_rad) == (Cause.DRIVEN, 0.03)


def test_a_stale_steer_is_a_stale_command() -> None:
    assert decide(replace(DRIVEN, steer_stale=True), MAP, P).cause is Cause.COMMAND_STALE


def test_a_bad_torque_outranks_a_bad_steer() -> None:
    both = replace(DRIVEN, steer_deg=math.nan, steer_stale=True, torque_nm=math.nan)
    assert decide(both, MAP, P).cause is Cause.TORQUE_NOT_FINITE

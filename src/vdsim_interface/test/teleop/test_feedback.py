"""What a person feels at the pad."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.feedback import LED, REFUSALS, RUMBLE, Feedback, PadFeedback
from vdsim_interface.values import Mode, Notice, NoticeKind
from vdsim_interface_kit.teleop import STATE

WHEELBASE_M, LATERAL_MPS2 = 3.0, 3.0
STANDING = MeasuredMotion(0.0, 0.0, STATE)


def pad() -> PadFeedback:
    """A pad whose light shows AUTONOMOUS already."""
    made = PadFeedback(WHEELBASE_M, LATERAL_MPS2)
    made.tick((), STANDING, 0.0)
    return made


@pytest.mark.parametrize("kind", sorted(REFUSALS))
def test_a_refusal_is_a_short_rumble(kind: NoticeKind) -> None:
    made = pad()
    assert made.tick((Notice(kind, "no"),), STANDING, 1.0) == (Feedback(RUMBLE, 0, 1.0),)
    assert made.tick((), STANDING, 1.2) == ()
    assert made.tick((), STANDING, 1.31) == (Feedback(RUMBLE, 0, 0.0),)
    assert made.tick((), STANDING, 9.0) == ()


def test_what_is_no_refusal_is_not_felt() -> None:
    assert pad().tick((Notice(teleop_notices.DRIVING, "driving"),), STANDING, 1.0) == ()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_grip_limit_is_a_rumble_that_is_renewed(side: float) -> None:
    def at(part: float) -> MeasuredMotion:
        angle = side * math.atan(part * LATERAL_MPS2 * WHEELBASE_M / 100.0)
        return MeasuredMotion(10.0, angle, STATE)

    made = pad()
    assert made.tick((), at(0.9), 1.0) == ()
    assert made.tick((), at(0.96), 2.0) == (Feedback(RUMBLE, 0, 0.5),)
    assert made.tick((), at(1.0), 2.3) == ()
    assert made.tick((), at(1.0), 2.5) == (Feedback(RUMBLE, 0, 0.5),)
    assert made.tick((), at(0.9), 2.6) == (Feedback(RUMBLE, 0, 0.0),)
    assert made.tick((), MeasuredMotion(state=STATE), 2.7) == ()


def test_the_light_shows_the_mode_once() -> None:
    made = PadFeedback(WHEELBASE_M, LATERAL_MPS2)
    colours = {}
    for n, mode in enumerate(Mode):
        state = replace(STATE, mode=mode)
        seen = made.tick((), MeasuredMotion(0.0, 0.0, state), float(n))
        colours[mode] = tuple(part.intensity for part in seen if part.kind == LED)
    assert len(set(colours.values())) == len(Mode)
    assert all(len(colour) == 3 for colour in colours.values())
    assert made.tick((), MeasuredMotion(0.0, 0.0, state), 99.0) == ()

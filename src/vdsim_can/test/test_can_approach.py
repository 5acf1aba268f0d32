"""A car that was just enabled is steered from its own angle on, within the interface's limits."""

import math
from itertools import pairwise

import pytest
from vdsim_can.frame import Frame, unpacked
from vdsim_can.platform.approach import Approach
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.world import PERIOD_S, World

STEP_RAD = 0.008
ROUNDING_RAD = 2e-4


def test_what_is_asked_is_sent_where_no_handshake_ran() -> None:
    approach = Approach(PERIOD_S)
    assert [approach.angle(rad) for rad in (0.3, -0.3)] == [0.3, -0.3]


def test_it_begins_at_the_measured_angle_and_is_as_fast_as_the_interface_was() -> None:
    approach = Approach(PERIOD_S)
    for period in range(10):
        approach.wait(STEP_RAD * period, 0.0)
    sent = []
    for _ in range(12):
        sent.append(approach.angle(0.08))
        approach.on_sent(sent[-1])
    assert sent == pytest.approx([STEP_RAD * n for n in range(1, 11)] + [0.08] * 2)
    assert approach.angle(-0.5) == -0.5, "it has arrived, and what is asked is sent"


def test_an_angle_that_the_car_limits_further_is_gone_on_from() -> None:
    approach = Approach(PERIOD_S)
    for period in range(10):
        approach.wait(STEP_RAD * period, 0.0)
    approach.angle(0.08)
    approach.on_sent(0.001)
    assert approach.angle(0.08) == pytest.approx(0.001 + STEP_RAD)


def test_a_wheel_that_turned_by_itself_is_followed_slowly() -> None:
    approach = Approach(PERIOD_S)
    approach.wait(0.1, 0.1)
    approach.wait(0.1, 0.05)
    assert approach.angle(0.1) == pytest.approx(0.051)


def test_without_a_measured_angle_what_is_asked_is_sent() -> None:
    approach = Approach(PERIOD_S)
    approach.wait(0.1, math.nan)
    assert approach.angle(0.1) == 0.1


def test_a_period_without_a_frame_is_made_up_for_step_by_step() -> None:
    approach = Approach(PERIOD_S)
    sent = []
    for period in range(8):
        sent.append(approach.angle(min(STEP_RAD * period, 5 * STEP_RAD)))
        if period == 2:
            approach.on_unsent()
        else:
            approach.on_sent(sent[-1])
    assert sent == pytest.approx([STEP_RAD * n for n in (0, 1, 2, 2, 3, 4, 5, 5)])


def test_a_late_frame_does_not_steer_at_the_cars_rate() -> None:
    """A tick soon after a late one has no frame; the car allows 1 rad/s to straight ahead."""
    made = World()
    made.curvature_1pm = 0.08
    made.run(4.0)
    assert made.is_driving
    made.curvature_1pm = -0.08
    steer = WireMessage(made.car, made.car.send["STEER_CMD"])
    angles, missed_n = [], 0
    for period in range(60):
        is_late = period % 7 == 0
        made.now += 1.6 * PERIOD_S if is_late else 0.0
        made.period()
        sent = [steer.unpack(f.data) for _, f in made.sent if f.can_id == 0x100]
        angles += [1e-4 * raws["ANGLE"] for raws in sent]
        if is_late:
            early = made.pipeline.tick(made.now + 0.4 * PERIOD_S).datagrams
            frames = [unpacked(each.data) for each in early]
            missed_n += all(isinstance(f, Frame) and f.can_id != 0x100 for f in frames)
    assert missed_n > 0
    assert angles[0] - angles[-1] > 0.3
    assert max(abs(b - a) for a, b in pairwise(angles)) <= STEP_RAD + ROUNDING_RAD


def test_what_was_steered_during_the_handshake_is_not_made_up_for_at_the_cars_rate() -> None:
    """The car allows 1 rad/s towards straight ahead, the interface 0.8 rad/s."""
    made = World()
    made.curvature_1pm = 0.08
    made.run(4.0)
    assert made.is_driving
    _, notices = made.pipeline.safety_side.on_change_mode(False, made.now)
    made.notices += notices
    made.run(0.2)
    made.curvature_1pm = -0.08
    assert made.engage().success
    steer = WireMessage(made.car, made.car.send["STEER_CMD"])
    angles = []
    for _ in range(100):
        made.period()
        for raws in (steer.unpack(f.data) for _, f in made.sent if f.can_id == 0x100):
            if raws["ENABLE"]:
                angles.append(1e-4 * raws["ANGLE"])
    assert angles[0] - angles[-1] > 0.3
    assert max(abs(b - a) for a, b in pairwise(angles)) <= STEP_RAD + ROUNDING_RAD

"""Why a packet is another one than was wanted: each change has its kind, and only a change has."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.gate import after_time_jump
from vdsim_interface.gate.gate import HELD_BEFORE_S
from vdsim_interface.values import AccelMeaning, notice_kinds
from vdsim_interface_kit.exploration.gate_packets import EMERGENCY, STALE, Packets, effort


@pytest.mark.parametrize("no_drive", [False, True])
def test_a_stop_that_brakes_harder_says_so_with_both_values(no_drive: bool) -> None:
    packets = Packets()
    packets.send()
    packets.stops = (STALE,)
    sent = packets.send_n(40, 0.0, no_drive=no_drive)
    [change] = packets.changes
    assert effort(sent) < 0.0
    assert change.kind is notice_kinds.GATE_STOP
    assert (change.before, change.after) == (0.0, effort(sent))


def test_an_emergency_stop_has_a_kind_of_its_own() -> None:
    packets = Packets()
    packets.send()
    packets.stops = (STALE, EMERGENCY)
    packets.send_n(40, 0.0)
    assert [change.kind for change in packets.changes] == [notice_kinds.GATE_EMERGENCY]


def test_a_stop_that_is_commanded_as_it_has_to_be_changes_nothing() -> None:
    packets = Packets()
    packets.stops = (STALE,)
    sent = packets.send(-3.0, no_drive=True)
    assert packets.changes == ()
    assert effort(sent) == -3.0
    assert sent.meaning is AccelMeaning.KINEMATIC, "the loop's own command"


@pytest.mark.parametrize(("front", "rear"), [(0.3, 0.0), (0.0, 0.05), (0.3, 0.05)])
def test_each_wheel_angle_that_is_limited_is_named(front: float, rear: float) -> None:
    packets = Packets(5.0)
    packets.send()
    packets.send(0.0, front, rear)
    names = [change.channel for change in packets.changes]
    wanted = {"front_wheel_angle_rad": front, "rear_wheel_angle_rad": rear}
    assert names == [name for name, angle in wanted.items() if angle]
    assert {change.kind for change in packets.changes} == {notice_kinds.GATE_STEER}


def test_a_backward_jump_of_time_forgets_since_when_a_pedal_is_pressed() -> None:
    state = Packets().state
    pressed = after_time_jump(state._replace(pressed_s=50.0)).pressed_s
    assert math.isnan(pressed), "not pressed until now"
    before = after_time_jump(state._replace(pressed_s=HELD_BEFORE_S)).pressed_s
    assert before == HELD_BEFORE_S, "whoever pressed it before has to release it first"

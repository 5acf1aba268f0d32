"""The guard's view of its shell: which frames count at which age, and when it is silent."""

from __future__ import annotations

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import TO_GUARD, Frame, FrameWriter
from vdsim_interface.guard.session import ShellSession, ages
from vdsim_interface.values import Gear, Mode, StateCommand, notice_kinds

TIMEOUT_S = 0.5
ENGAGE, DISENGAGE = frames.ChangeMode(True), frames.ChangeMode(False)
AGE = {
    frames.Activate,
    frames.Configure,
    frames.CommandReceived,
    frames.Front,
    frames.AuxiliaryReceived,
}
COUNT_AT_ANY_AGE = {
    frames.Deactivate,
    frames.AskHealth,
    frames.CabinReceived,
    frames.OverrideReceived,
    frames.EmergencyReceived,
    frames.InputPublishers,
}


def test_each_kind_of_frame_ages_or_counts_at_any_age() -> None:
    assert {*AGE, *COUNT_AT_ANY_AGE, frames.ChangeMode, frames.StateReceived} == set(
        TO_GUARD.values()
    )
    for kind in AGE | COUNT_AT_ANY_AGE:
        empty = tuple.__new__(kind, [None] * len(kind._fields))
        assert ages(Frame(1, 0.0, empty)) is (kind in AGE), kind
    assert ages(Frame(1, 0.0, ENGAGE))
    assert not ages(Frame(1, 0.0, DISENGAGE))


@pytest.mark.parametrize("now", [0.25, 1.0, 1000.0])
def test_without_a_frame_the_shell_is_silent(now: float) -> None:
    assert ShellSession(TIMEOUT_S).is_silent(now)


@pytest.mark.parametrize("now", [0.75, 1.0, 1000.0])
def test_an_old_frame_is_counted_and_no_sign_of_life(now: float) -> None:
    session, writer = ShellSession(TIMEOUT_S), FrameWriter()
    for stale_n in (1, 2):
        frame, [notice] = session.on_frame(writer.write(ENGAGE, now - 0.625)[1], now)
        assert frame is None
        assert notice.kind is notice_kinds.LINK_REJECT
        assert notice.text == "frame of the ROS shell dropped: it is 0.6 s old"
        assert session.counts()["shell_stale"] == stale_n
    frame, notices = session.on_frame(writer.write(DISENGAGE, now - 0.625)[1], now)
    assert frame is not None
    assert notices == ()
    assert session.is_silent(now)
    assert session.counts() == {"shell_lost": 0.0, "shell_stale": 2.0, "shell_rejected": 0.0}


def test_a_frame_of_the_time_out_itself_counts_and_is_a_sign_of_life() -> None:
    session = ShellSession(TIMEOUT_S)
    frame, notices = session.on_frame(FrameWriter().write(ENGAGE, 1000.0)[1], 1000.5)
    assert frame is not None
    assert notices == ()
    assert not session.is_silent(1000.5)
    assert session.is_silent(1000.625)


def test_missing_and_rejected_frames_are_counted() -> None:
    session, writer = ShellSession(TIMEOUT_S), FrameWriter()
    written = [writer.write(DISENGAGE, 1.0)[1] for _ in range(5)]
    for data in (written[0], b"garbage", written[4], written[4]):
        session.on_frame(data, 1.0)
    assert session.counts() == {"shell_lost": 3.0, "shell_stale": 0.0, "shell_rejected": 2.0}


@pytest.mark.parametrize(
    ("request_", "counts"),
    [
        (StateCommand(autonomous=True), False),
        (StateCommand(mode=Mode.AUTONOMOUS, horn=True), False),
        (StateCommand(autonomous=False), True),
        (StateCommand(gear=Gear.NEUTRAL), True),
    ],
)
def test_an_old_request_counts_unless_it_asks_for_autonomy(
    request_: StateCommand, *, counts: bool
) -> None:
    """The shell names a change once: what is dropped here is never named again."""
    session, writer = ShellSession(TIMEOUT_S), FrameWriter()
    frame, _ = session.on_frame(writer.write(frames.StateReceived(request_), 1.0)[1], 9.0)
    assert (frame is not None) is counts

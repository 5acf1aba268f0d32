import itertools

import pytest
from vdsim_interface.safety.engagement import Engagement
from vdsim_interface.safety.inputs import Inputs, LatestCommand
from vdsim_interface.safety.modes import EVENT_WORDS, MODE_TABLE, ModeEvent
from vdsim_interface.values import Mode
from vdsim_interface_kit.safety import LIMITS

ALL = list(itertools.product(Mode, ModeEvent))
TO_MODE = {
    Mode.MANUAL: [],
    Mode.NOT_READY: [ModeEvent.ENGAGE],
    Mode.AUTONOMOUS: [ModeEvent.ENGAGE, ModeEvent.READY],
    Mode.DISENGAGED: [ModeEvent.ENGAGE, ModeEvent.READY, ModeEvent.OVERRIDE],
}


def engagement_in(mode: Mode) -> Engagement:
    engagement = Engagement(LIMITS, Inputs(), LatestCommand(0.5))
    for event in TO_MODE[mode]:
        engagement.handle(event)
    assert engagement.mode is mode
    return engagement


def test_the_table_is_total() -> None:
    assert set(MODE_TABLE) == set(ALL)
    assert set(EVENT_WORDS) == set(ModeEvent)


def test_the_mode_moves_by_the_table() -> None:
    for mode, event in ALL:
        engagement = engagement_in(mode)
        change = engagement.handle(event)
        assert engagement.mode is MODE_TABLE[mode, event], (mode, event)
        assert (change is not None) is (engagement.mode is not mode), (mode, event)


# What must hold for any table: written apart from it.


@pytest.mark.parametrize("event", [e for e in ModeEvent if e is not ModeEvent.READY])
@pytest.mark.parametrize("mode", [m for m in Mode if m is not Mode.AUTONOMOUS])
def test_only_the_completed_handshake_leads_to_autonomous(mode: Mode, event: ModeEvent) -> None:
    assert MODE_TABLE[mode, event] is not Mode.AUTONOMOUS
    if mode is not Mode.NOT_READY:
        assert MODE_TABLE[mode, ModeEvent.READY] is mode


@pytest.mark.parametrize(
    "event",
    [ModeEvent.OVERRIDE, ModeEvent.LINK_LOST, ModeEvent.VEHICLE_LEFT, ModeEvent.DISENGAGE],
)
def test_every_reason_to_end_autonomy_ends_it_at_once(event: ModeEvent) -> None:
    after = MODE_TABLE[Mode.AUTONOMOUS, event]
    assert after is (Mode.MANUAL if event is ModeEvent.DISENGAGE else Mode.DISENGAGED)


@pytest.mark.parametrize("mode", Mode)
def test_stop_always_ends_in_manual(mode: Mode) -> None:
    assert MODE_TABLE[mode, ModeEvent.STOP] is Mode.MANUAL


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.DISENGAGED])
def test_autonomy_can_be_had_again_from_everywhere(mode: Mode) -> None:
    engagement = engagement_in(mode)
    engagement.handle(ModeEvent.ENGAGE)
    engagement.handle(ModeEvent.READY)
    assert engagement.mode is Mode.AUTONOMOUS

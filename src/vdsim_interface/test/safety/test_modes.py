import itertools

import pytest
from vdsim_interface.safety.modes import EVENT_WORDS, MODE_TABLE, ModeEvent, ModeMachine
from vdsim_interface.values import Mode

ALL = list(itertools.product(Mode, ModeEvent))
TO_MODE = {
    Mode.MANUAL: [],
    Mode.NOT_READY: [ModeEvent.ENGAGE],
    Mode.AUTONOMOUS: [ModeEvent.ENGAGE, ModeEvent.READY],
    Mode.DISENGAGED: [ModeEvent.ENGAGE, ModeEvent.READY, ModeEvent.OVERRIDE],
}


def machine_in(mode: Mode) -> ModeMachine:
    machine = ModeMachine()
    for event in TO_MODE[mode]:
        machine.handle(event)
    assert machine.state is mode
    return machine


def test_the_table_is_total() -> None:
    assert set(MODE_TABLE) == set(ALL)
    assert set(EVENT_WORDS) == set(ModeEvent)


def test_the_machine_is_built_from_the_table() -> None:
    for mode, event in ALL:
        machine = machine_in(mode)
        changed = machine.handle(event)
        assert machine.state is MODE_TABLE[mode, event], (mode, event)
        assert changed is (machine.state is not mode), (mode, event)


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
    machine = machine_in(mode)
    machine.handle(ModeEvent.ENGAGE)
    machine.handle(ModeEvent.READY)
    assert machine.state is Mode.AUTONOMOUS

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.pipeline.state_messages import STREAM_PERIOD_S, StateMessageReader
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Mode,
    RequestContext,
    StateCommand,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage

FIRST = StateMessage(blinker=1, headlight=2, wiper=1, gear=1, mode=0, hand_brake=True, horn=True)


def test_the_first_message_counts_in_full() -> None:
    request = StateMessageReader().read(FIRST, 0.0)
    assert request == StateCommand(
        Blinker.LEFT, Headlight.HIGH, Wiper.LOW, Gear.REVERSE, True, True, None, None
    )


def test_mode_and_autonomous_ask_for_nothing_by_default() -> None:
    request = StateMessageReader().read(StateMessage(), 0.0)
    assert request.mode is None
    assert request.autonomous is None
    request = StateMessageReader().read(StateMessage(autonomous=True, mode=2), 0.0)
    assert request.mode is Mode.AUTONOMOUS
    assert request.autonomous is True


def test_a_repeated_message_names_nothing() -> None:
    reader = StateMessageReader()
    reader.read(FIRST, 0.0)
    assert reader.read(FIRST, 0.0) == StateCommand()


CHANGES = {
    "blinker": (2, Blinker.RIGHT),
    "headlight": (0, Headlight.OFF),
    "wiper": (3, Wiper.CLEAN),
    "gear": (4, Gear.NEUTRAL),
    "mode": (2, Mode.AUTONOMOUS),
    "hand_brake": (False, False),
    "horn": (False, False),
    "autonomous": (True, True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_later_message_names_what_differs(name: str) -> None:
    reader = StateMessageReader()
    reader.read(FIRST, 0.0)
    number, value = CHANGES[name]
    request = reader.read(replace(FIRST, **{name: number}), 0.0)  # type: ignore[arg-type]
    assert request == StateCommand(**{name: value})  # type: ignore[arg-type]
    request = reader.read(FIRST, 0.0)
    assert getattr(request, name) is not None, "back again is a change, too"


def test_gear_only_does_not_release_the_hand_brake() -> None:
    """A sender that shifts with the hand brake set repeats hand_brake: only the gear is named."""
    reader = StateMessageReader()
    reader.read(StateMessage(gear=2, hand_brake=True), 0.0)
    request = reader.read(StateMessage(gear=0, hand_brake=True), 0.0)
    assert request == StateCommand(gear=Gear.DRIVE)


def test_a_refused_gear_is_requested_again_while_it_is_repeated() -> None:
    reader = StateMessageReader()
    parked = StateMessage(gear=2)
    assert reader.read(parked, 0.0).gear is Gear.PARK
    assert reader.read(parked, 0.0).gear is None
    assert reader.read(parked, 0.0, RequestContext(refused_gear=Gear.PARK)).gear is Gear.PARK
    assert reader.read(parked, 0.0, RequestContext(refused_gear=Gear.REVERSE)).gear is None


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize(
    "after_s", [0.0, 0.1, STREAM_PERIOD_S, STREAM_PERIOD_S + 0.1, 1e6, -0.5, -5.0]
)
def test_the_gear_before_our_park_is_requested_again(older: bool, after_s: float) -> None:
    """By a message of its own; by a stream only where PARK is older than the autonomy."""
    reader = StateMessageReader()
    drive = StateMessage(gear=0)
    parked = RequestContext(gear_before_park=Gear.DRIVE, parked_before=older)
    reader.read(drive, 10.0)
    request = reader.read(drive, 10.0 + after_s, parked)
    in_stream = 0.0 <= after_s <= STREAM_PERIOD_S
    assert request == StateCommand(gear=Gear.DRIVE if older or not in_stream else None)
    assert reader.read(StateMessage(gear=0), 1e9).gear is None, "PARK is not ours"


@pytest.mark.parametrize(("ours", "named"), [(True, None), (False, True)])
def test_a_message_for_a_lamp_copies_the_hand_brake_that_we_have_set(
    ours: bool, named: bool | None
) -> None:
    reader = StateMessageReader()
    parked = RequestContext(hand_brake_is_ours=ours)
    request = reader.read(StateMessage(headlight=1, hand_brake=True), 0.0, parked)
    assert request.hand_brake is named


def test_a_message_for_a_lamp_may_release_the_hand_brake_that_we_have_set() -> None:
    reader = StateMessageReader()
    parked = RequestContext(hand_brake_is_ours=True)
    request = reader.read(StateMessage(headlight=1, hand_brake=False), 0.0, parked)
    assert (request.headlight, request.hand_brake) == (Headlight.ON, False)


def test_a_request_for_park_with_lamps_as_they_were_is_the_senders() -> None:
    """Whatever came before: only a message that changes lamps, wipers or horn has copies."""
    reader = StateMessageReader()
    parked = RequestContext(gear_before_park=Gear.DRIVE, hand_brake_is_ours=True)
    reader.read(StateMessage(), 0.0)
    request = reader.read(StateMessage(gear=2, hand_brake=True), 0.1, parked)
    assert (request.gear, request.hand_brake) == (Gear.PARK, True)


def test_messages_at_half_a_hertz_are_a_stream_and_slower_ones_are_not() -> None:
    """What a sender repeats within 2 s goes on by itself: nobody has pressed anything."""
    for after_s, gear in ((2.0, None), (2.5, Gear.DRIVE)):
        reader = StateMessageReader()
        reader.read(StateMessage(gear=0), 0.0)
        again = reader.read(
            StateMessage(gear=0), after_s, RequestContext(gear_before_park=Gear.DRIVE)
        )
        assert again.gear is gear


@pytest.mark.parametrize("gear", [1, 2, 3, 4])
def test_another_gear_than_that_before_our_park_is_no_new_request(gear: int) -> None:
    reader = StateMessageReader()
    message = StateMessage(gear=gear)
    reader.read(message, 0.0)
    parked = RequestContext(gear_before_park=Gear.DRIVE, parked_before=True)
    assert reader.read(message, 60.0, parked) == StateCommand()


@pytest.mark.parametrize("name", ["blinker", "headlight", "wiper", "gear", "mode"])
@pytest.mark.parametrize("number", [-1, 5, 9, 255])
def test_undefined_numbers_are_ignored_and_reported_once(name: str, number: int) -> None:
    reader = StateMessageReader()
    reader.read(FIRST, 0.0)
    bad = replace(FIRST, **{name: number}, horn=False)  # type: ignore[arg-type]
    request = reader.read(bad, 0.0)
    [undefined] = request.undefined
    assert undefined.startswith(f"state command {name}={number} ignored: known are 0 ")
    assert request == StateCommand(horn=False, undefined=(undefined,))
    assert reader.read(bad, 0.0) == StateCommand()


NUMBERS = st.integers(-3, 300)
MESSAGES = st.builds(
    StateMessage, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, *[st.booleans()] * 3
)


@given(st.lists(MESSAGES, max_size=20), st.sampled_from([None, *Gear]))
def test_never_raises_and_names_only_differences(
    messages: list[StateMessage], refused: Gear | None
) -> None:
    reader = StateMessageReader()
    before: StateMessage | None = None
    for message in messages:
        request = reader.read(message, 0.0, RequestContext(refused_gear=refused))
        if before is not None:
            for name in ("blinker", "headlight", "wiper", "hand_brake", "horn"):
                if getattr(before, name) == getattr(message, name):
                    assert getattr(request, name) is None
            if before.gear == message.gear:
                assert request.gear in (None, refused)
        before = message


def test_an_undefined_number_of_any_size_is_reported_once() -> None:
    """Numbers are compared by value: large ones are not the same object twice."""
    reader = StateMessageReader()
    first = reader.read(StateMessage(gear=int("100000")), 0.0)
    again = reader.read(StateMessage(gear=int("100000")), 0.0)
    assert [len(first.undefined), len(again.undefined)] == [1, 0]


@pytest.mark.parametrize("please", [StateMessage(autonomous=True), StateMessage(mode=2)])
def test_a_reader_that_is_new_does_not_repeat_a_request_for_autonomy(please: StateMessage) -> None:
    """The shell of a guard was started again; its sender has gone on all the time."""
    asked = RequestContext(autonomous=True)
    reader = StateMessageReader()
    again = reader.read(please, 0.0, asked)
    assert (again.autonomous, again.mode) == (None, None)
    reader.read(StateMessage(), 0.1, asked)
    then = reader.read(please, 0.2)
    assert then.autonomous or then.mode is Mode.AUTONOMOUS

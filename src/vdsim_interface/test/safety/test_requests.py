from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.safety.requests import STREAM_PERIOD_S, Repeatable, StateMessageReader
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Mode,
    StateCommand,
    StateMessage,
    Wiper,
)

FIRST = StateMessage(blinker=1, headlight=2, wiper=1, gear=1, mode=0, hand_brake=True, horn=True)


def test_the_first_message_counts_in_full() -> None:
    request, notices = StateMessageReader().read(FIRST, 0.0)
    assert notices == ()
    assert request == StateCommand(
        Blinker.LEFT, Headlight.HIGH, Wiper.LOW, Gear.REVERSE, True, True, None, None
    )


def test_mode_and_autonomous_ask_for_nothing_by_default() -> None:
    request, _ = StateMessageReader().read(StateMessage(), 0.0)
    assert request.mode is None
    assert request.autonomous is None
    request, _ = StateMessageReader().read(StateMessage(autonomous=True, mode=2), 0.0)
    assert request.mode is Mode.AUTONOMOUS
    assert request.autonomous is True


def test_a_repeated_message_names_nothing() -> None:
    reader = StateMessageReader()
    reader.read(FIRST, 0.0)
    assert reader.read(FIRST, 0.0) == (StateCommand(), ())


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
    request, notices = reader.read(replace(FIRST, **{name: number}), 0.0)  # type: ignore[arg-type]
    assert request == StateCommand(**{name: value})  # type: ignore[arg-type]
    assert notices == ()
    request, _ = reader.read(FIRST, 0.0)
    assert getattr(request, name) is not None, "back again is a change, too"


def test_gear_only_does_not_release_the_hand_brake() -> None:
    """A sender that shifts with the hand brake set repeats hand_brake: only the gear is named."""
    reader = StateMessageReader()
    reader.read(StateMessage(gear=2, hand_brake=True), 0.0)
    request, _ = reader.read(StateMessage(gear=0, hand_brake=True), 0.0)
    assert request == StateCommand(gear=Gear.DRIVE)


def test_a_refused_gear_is_requested_again_while_it_is_repeated() -> None:
    reader = StateMessageReader()
    parked = StateMessage(gear=2)
    assert reader.read(parked, 0.0)[0].gear is Gear.PARK
    assert reader.read(parked, 0.0)[0].gear is None
    assert reader.read(parked, 0.0, Repeatable(Gear.PARK))[0].gear is Gear.PARK
    assert reader.read(parked, 0.0, Repeatable(Gear.REVERSE))[0].gear is None


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize(
    "after_s", [0.0, 0.1, STREAM_PERIOD_S, STREAM_PERIOD_S + 0.1, 1e6, -0.5, -5.0]
)
def test_the_gear_before_our_park_is_requested_again(older: bool, after_s: float) -> None:
    """By a message of its own; by a stream only where PARK is older than the autonomy."""
    reader = StateMessageReader()
    drive = StateMessage(gear=0)
    parked = Repeatable(gear_before_park=Gear.DRIVE, park_is_older=older)
    reader.read(drive, 10.0)
    request, notices = reader.read(drive, 10.0 + after_s, parked)
    in_stream = 0.0 <= after_s <= STREAM_PERIOD_S
    assert request == StateCommand(gear=Gear.DRIVE if older or not in_stream else None)
    assert notices == ()
    assert reader.read(StateMessage(gear=0), 1e9)[0].gear is None, "PARK is not ours"


@pytest.mark.parametrize(("ours", "named"), [(True, None), (False, True)])
def test_a_message_for_a_lamp_copies_the_hand_brake_that_we_have_set(
    ours: bool, named: bool | None
) -> None:
    reader = StateMessageReader()
    parked = Repeatable(hand_brake_is_ours=ours)
    request, _ = reader.read(StateMessage(headlight=1, hand_brake=True), 0.0, parked)
    assert request.hand_brake is named


def test_a_message_for_a_lamp_may_release_the_hand_brake_that_we_have_set() -> None:
    reader = StateMessageReader()
    parked = Repeatable(hand_brake_is_ours=True)
    request, _ = reader.read(StateMessage(headlight=1, hand_brake=False), 0.0, parked)
    assert (request.headlight, request.hand_brake) == (Headlight.ON, False)


def test_a_request_for_park_with_lamps_as_they_were_is_the_senders() -> None:
    """Whatever came before: only a message that changes lamps, wipers or horn has copies."""
    reader = StateMessageReader()
    parked = Repeatable(gear_before_park=Gear.DRIVE, hand_brake_is_ours=True)
    reader.read(StateMessage(), 0.0)
    request, _ = reader.read(StateMessage(gear=2, hand_brake=True), 0.1, parked)
    assert (request.gear, request.hand_brake) == (Gear.PARK, True)


def test_messages_at_half_a_hertz_are_a_stream_and_slower_ones_are_not() -> None:
    """What a sender repeats within 2 s goes on by itself: nobody has pressed anything."""
    for after_s, gear in ((2.0, None), (2.5, Gear.DRIVE)):
        reader = StateMessageReader()
        reader.read(StateMessage(gear=0), 0.0)
        again, _ = reader.read(
            StateMessage(gear=0), after_s, Repeatable(gear_before_park=Gear.DRIVE)
        )
        assert again.gear is gear


@pytest.mark.parametrize("gear", [1, 2, 3, 4])
def test_another_gear_than_that_before_our_park_is_no_new_request(gear: int) -> None:
    reader = StateMessageReader()
    message = StateMessage(gear=gear)
    reader.read(message, 0.0)
    parked = Repeatable(gear_before_park=Gear.DRIVE, park_is_older=True)
    assert reader.read(message, 60.0, parked)[0] == StateCommand()


@pytest.mark.parametrize("name", ["blinker", "headlight", "wiper", "gear", "mode"])
@pytest.mark.parametrize("number", [-1, 5, 9, 255])
def test_undefined_numbers_are_ignored_and_reported_once(name: str, number: int) -> None:
    reader = StateMessageReader()
    reader.read(FIRST, 0.0)
    bad = replace(FIRST, **{name: number}, horn=False)  # type: ignore[arg-type]
    request, notices = reader.read(bad, 0.0)
    assert request == StateCommand(horn=False)
    assert [r.kind for r in notices] == ["undefined_value"]
    assert notices[0].text.startswith(f"state command {name}={number} ignored: known are 0 ")
    assert reader.read(bad, 0.0) == (StateCommand(), ())


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
        request, _ = reader.read(message, 0.0, Repeatable(refused))
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
    assert [len(first[1]), len(again[1])] == [1, 0]

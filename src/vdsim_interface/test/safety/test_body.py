import itertools

import pytest
from vdsim_interface.safety.body import BodyRequests, commanded_body
from vdsim_interface.values import (
    Blinker,
    BodyState,
    Gear,
    Headlight,
    Notice,
    StateCommand,
    Wiper,
    notice_kinds,
)

NOBODY_ASKED = StateCommand()


def merged_with(requested: StateCommand, request: StateCommand) -> StateCommand:
    requests = BodyRequests()
    requests.requested = requested
    requests.add(request)
    return requests.requested


@pytest.mark.parametrize(
    ("wiper", "headlight"), list(itertools.product(Wiper, Headlight)), ids=lambda item: item.name
)
def test_wiping_needs_headlights(wiper: Wiper, headlight: Headlight) -> None:
    """[VI-3.4] LOW and HIGH with the lights off switch them on; a single CLEAN does not."""
    requested = StateCommand(wiper=wiper, headlight=headlight)
    body, changes = commanded_body(requested, BodyState(), Gear.DRIVE, enabled=True, stopping=False)
    forced = wiper in (Wiper.LOW, Wiper.HIGH) and headlight is Headlight.OFF
    assert body.headlight is (Headlight.ON if forced else headlight)
    assert body.wiper is wiper
    assert [(c.kind, c.channel, c.before, c.after) for c in changes] == (
        [("wiper_headlight", "headlight", 0, 1)] if forced else []
    )
    off, none = commanded_body(requested, BodyState(), Gear.DRIVE, enabled=False, stopping=False)
    assert off.headlight is headlight
    assert none == ()


@pytest.mark.parametrize("headlight", Headlight)
def test_a_clean_that_lasts_is_wiping(headlight: Headlight) -> None:
    """[VI-3.4] From 1 s on CLEAN counts, until it ends; then it counts from the start again."""
    requests = BodyRequests()
    requests.add(StateCommand(wiper=Wiper.CLEAN, headlight=headlight))

    def lights(periods_n: int) -> list[Headlight]:
        return [
            requests.compose(
                Gear.DRIVE, commanding=True, enabled=True, stopping=False, period_s=0.01
            )[0].headlight
            for _ in range(periods_n)
        ]

    forced = Headlight.ON if headlight is Headlight.OFF else headlight
    seen = lights(200)
    assert set(seen[:99]) == {headlight}
    assert set(seen[101:]) == {forced}
    requests.add(StateCommand(wiper=Wiper.OFF))
    assert lights(1) == [headlight]
    requests.add(StateCommand(wiper=Wiper.CLEAN))
    assert set(lights(99)) == {headlight}
    assert set(lights(110)[2:]) == {forced}


@pytest.mark.parametrize("blinker", Blinker)
def test_a_safe_stop_flashes_the_hazard_lamps(blinker: Blinker) -> None:
    """Hazard outranks the turn signal; already on is no change."""
    requested = StateCommand(blinker=blinker)
    body, changes = commanded_body(requested, BodyState(), Gear.DRIVE, enabled=True, stopping=True)
    assert body.blinker is Blinker.HAZARD
    expected = [] if blinker is Blinker.HAZARD else [("hazard_priority", blinker, 3)]
    assert [(c.kind, c.before, c.after) for c in changes] == expected
    calm, none = commanded_body(requested, BodyState(), Gear.DRIVE, enabled=True, stopping=False)
    assert calm.blinker is blinker
    assert none == ()


class StoppedCar:
    """A stop has commanded hazard lamps; autonomy ended before a report has shown them."""

    def __init__(self) -> None:
        self.requests = BodyRequests()
        self.requests.base = DARK
        self.requests.compose(Gear.DRIVE, True, True, True, 0.01)

    def mirrored(self, body: BodyState, periods_n: int, fresh_s: float = 0.01) -> "StoppedCar":
        for _ in range(periods_n):
            self.requests.watch(body, fresh_s, 0.1)
            self.requests.base = body
        return self

    @property
    def lamps_of_the_next_drive(self) -> Blinker:
        self.requests.start()
        return self.requests.compose(Gear.DRIVE, True, True, False, 0.01)[0].blinker


DARK, FLASHING = BodyState(blinker=Blinker.OFF), BodyState(blinker=Blinker.HAZARD)


def test_hazard_lamps_of_a_stop_stay_ours_while_no_report_has_answered() -> None:
    # H-1: the reports were old, and later the lamps of the stop were taken for those of a person.
    car = StoppedCar().mirrored(DARK, 200, fresh_s=0.0).mirrored(DARK, 9).mirrored(FLASHING, 50)
    assert car.lamps_of_the_next_drive is Blinker.OFF


def test_hazard_lamps_of_a_stop_that_ends_stay_ours_until_a_report_shows_it() -> None:
    # Seed 9900136: autonomy ended 0.01 s after the stop, and the car still flashed.
    car = StoppedCar()
    car.requests.watch(FLASHING, 0.01, 0.1)
    assert car.requests.compose(Gear.DRIVE, True, True, False, 0.01)[0].blinker is Blinker.OFF
    assert car.mirrored(FLASHING, 50).lamps_of_the_next_drive is Blinker.OFF


@pytest.mark.parametrize(
    "copies",
    [
        StateCommand(blinker=Blinker.HAZARD, gear=Gear.PARK),
        StateCommand(blinker=Blinker.HAZARD, hand_brake=True),
    ],
)
def test_a_copy_of_our_hazard_lamps_is_no_request_for_them(copies: StateCommand) -> None:
    # Seed 9950039: a person pressed PARK on the page, whose message copies what is reported.
    car = StoppedCar().mirrored(FLASHING, 50)
    car.requests.add(copies)
    assert car.requests.requested.hand_brake == copies.hand_brake
    assert car.lamps_of_the_next_drive is Blinker.OFF
    car.mirrored(DARK, 11).requests.add(copies)
    assert car.requests.requested.blinker is Blinker.HAZARD, "no stop has set them"


def test_who_asks_for_hazard_lamps_alone_has_them_after_the_stop() -> None:
    car = StoppedCar().mirrored(FLASHING, 50)
    car.requests.add(StateCommand(blinker=Blinker.HAZARD))
    assert car.lamps_of_the_next_drive is Blinker.HAZARD


@pytest.mark.parametrize(
    ("periods_n", "fresh_s", "lamps"),
    [(2, 0.05, Blinker.OFF), (3, 0.05, Blinker.HAZARD), (11, 0.01, Blinker.HAZARD)],
)
def test_lamps_that_are_reported_dark_for_longer_than_an_answer_takes_are_not_ours(
    periods_n: int, fresh_s: float, lamps: Blinker
) -> None:
    car = StoppedCar().mirrored(DARK, periods_n, fresh_s).mirrored(FLASHING, 5)
    assert car.lamps_of_the_next_drive is lamps


def test_hazard_lamps_of_a_person_who_acts_after_the_stop_stay() -> None:
    car = StoppedCar().mirrored(FLASHING, 50).mirrored(DARK, 11).mirrored(FLASHING, 5)
    assert car.lamps_of_the_next_drive is Blinker.HAZARD


BASE = BodyState(Gear.DRIVE, Blinker.RIGHT, Headlight.HIGH, Wiper.HIGH, hand_brake=True, horn=True)


def test_what_nobody_named_stays_as_the_car_has_it() -> None:
    body, changes = commanded_body(NOBODY_ASKED, BASE, Gear.REVERSE, enabled=True, stopping=False)
    assert (body.blinker, body.headlight, body.wiper) == (
        Blinker.RIGHT,
        Headlight.HIGH,
        Wiper.HIGH,
    )
    assert body.hand_brake
    assert body.horn
    assert body.gear is Gear.REVERSE
    assert changes == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("blinker", Blinker.OFF),
        ("headlight", Headlight.OFF),
        ("wiper", Wiper.OFF),
        ("hand_brake", False),
        ("horn", False),
    ],
)
def test_a_request_changes_only_what_it_names(field: str, value: object) -> None:
    requested = StateCommand(**{field: value})  # type: ignore[arg-type]
    body, _ = commanded_body(requested, BASE, Gear.DRIVE, enabled=False, stopping=False)
    for name in ("blinker", "headlight", "wiper", "hand_brake", "horn"):
        assert getattr(body, name) == (value if name == field else getattr(BASE, name))
    merged = merged_with(
        StateCommand(Blinker.LEFT, Headlight.ON, Wiper.LOW, hand_brake=True, horn=True), requested
    )
    for name in ("blinker", "headlight", "wiper", "hand_brake", "horn"):
        before = getattr(
            StateCommand(Blinker.LEFT, Headlight.ON, Wiper.LOW, hand_brake=True, horn=True), name
        )
        assert getattr(merged, name) == (value if name == field else before)


def test_gear_and_mode_are_not_kept_with_the_body() -> None:
    merged = merged_with(NOBODY_ASKED, StateCommand(gear=Gear.REVERSE, autonomous=True))
    assert merged == NOBODY_ASKED


def test_a_clean_of_a_second_is_a_single_one() -> None:
    requests = BodyRequests()
    requests.add(StateCommand(wiper=Wiper.CLEAN, headlight=Headlight.OFF))
    lights = [
        requests.compose(Gear.DRIVE, commanding=True, enabled=True, stopping=False, period_s=0.25)[
            0
        ].headlight
        for _ in range(5)
    ]
    assert lights == [*4 * (Headlight.OFF,), Headlight.ON]


def test_a_refusal_is_reported_again_after_the_requests_were_discarded() -> None:
    requests = BodyRequests()
    asked = StateCommand(hand_brake=True)
    refusal = Notice(notice_kinds.GEAR_PARK_MOVING, "the car moves")
    assert requests.without_refused(asked, refusal)[1] == (refusal,)
    assert requests.without_refused(asked, refusal)[1] == ()
    requests.discard_hand_brake()
    assert not requests.hand_brake_refused
    assert requests.without_refused(asked, refusal)[1] == (refusal,)

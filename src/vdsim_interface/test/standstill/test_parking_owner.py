"""Hand brake and PARK of ours: when they are set, whose they are, and what ends them."""

from dataclasses import replace

import pytest
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import (
    NO_DRIVER,
    NOTHING_PARKED,
    BodyCommand,
    BodyState,
    Gear,
    Holder,
    Odometry,
    Parked,
    Standing,
    VehicleFeedback,
)

PERIOD_S = 0.25
LIMITS = SafetyParameters(
    standstill_speed_mps=0.1,
    gear_change_speed_mps=0.3,
    report_timeout_s=0.1,
    stop_park_after_s=1.0,
    hold_park_after_s=4.0,
    shift_time_s=0.5,
)
OURS, STACK = Standing(Holder.OURS), Standing(Holder.STACK)
GO = Standing(may_release=True)
NOBODY = Standing()


class Car:
    """A vehicle that reports in each period what it was sent in the one before."""

    def __init__(
        self,
        gear: Gear = Gear.DRIVE,
        limits: SafetyParameters = LIMITS,
        parked: Parked = NOTHING_PARKED,
    ) -> None:
        self.parking = Parking(limits, parked)
        self.body = BodyState(gear=gear)
        self.command = BodyCommand(gear)
        self.now = 10.0
        self.speed_mps, self.wheel_mps, self.doubt, self.age_s = 0.0, 0.0, "", 0.0
        self.sent = self.command
        self.obeys = self.leaves = True

    def step(self, standing: Standing, n: int = 1, *, commanding: bool = True) -> BodyCommand:
        for _ in range(n):
            self.now += PERIOD_S
            reported = BodyCommand(self.body.gear, hand_brake=self.body.hand_brake)
            self.sent = self.parking.step(
                standing,
                self.command if commanding else reported,
                self.feedback,
                self.now,
                commanding=commanding,
                leaves=self.leaves,
            )
            if self.obeys and self.leaves:
                given = self.sent
                self.body = replace(self.body, gear=given.gear, hand_brake=given.hand_brake)
        return self.sent

    @property
    def feedback(self) -> VehicleFeedback:
        odometry = Odometry(self.now - self.age_s, self.speed_mps)
        return self.parking.named(
            VehicleFeedback(odometry, self.body, NO_DRIVER, True, "", self.doubt, self.wheel_mps)
        )

    @property
    def is_parked(self) -> bool:
        return self.sent.hand_brake and self.sent.gear is Gear.PARK

    def parked(self, standing: Standing = OURS, *, commanding: bool = True) -> "Car":
        self.step(standing, 20, commanding=commanding)
        assert self.is_parked
        return self


@pytest.mark.parametrize("commanding", [True, False])
@pytest.mark.parametrize(("standing", "periods_n"), [(OURS, 4), (STACK, 16)])
def test_each_holder_parks_in_the_period_in_which_its_time_is_over(
    standing: Standing, periods_n: int, *, commanding: bool
) -> None:
    car = Car()
    car.step(standing, periods_n, commanding=commanding)
    assert not car.is_parked
    car.step(standing, commanding=commanding)
    assert car.is_parked
    car.step(standing, 100, commanding=commanding)
    assert car.is_parked
    assert car.parking.parked == Parked(True, Gear.DRIVE, True)


def test_zero_seconds_is_never() -> None:
    car = Car(limits=replace(LIMITS, hold_park_after_s=0.0))
    car.step(STACK, 400)
    assert not car.sent.hand_brake


def test_nobody_parks_nothing() -> None:
    car = Car()
    assert car.step(NOBODY, 400) is car.command


@pytest.mark.parametrize(
    "wrong", [{"speed_mps": 0.11}, {"wheel_mps": 0.31}, {"doubt": "a lie"}, {"age_s": 0.11 + 0.25}]
)
def test_what_does_not_show_a_standstill_begins_the_time_again(wrong: dict[str, float]) -> None:
    car = Car()
    car.step(OURS, 3)
    before = dict(vars(car))
    vars(car).update(wrong)
    car.step(OURS)
    vars(car).update({name: before[name] for name in wrong})
    car.step(OURS, 4)
    assert not car.is_parked
    car.step(OURS)
    assert car.is_parked


def test_another_holder_begins_again() -> None:
    car = Car()
    car.step(STACK, 15)
    car.step(OURS, 4)
    assert not car.is_parked
    car.step(OURS)
    assert car.is_parked


@pytest.mark.parametrize("standing", [STACK, OURS, NOBODY])
def test_with_autonomy_it_stays_whoever_holds_the_car_by_then(standing: Standing) -> None:
    car = Car().parked()
    car.step(standing, 2)
    assert car.is_parked


def test_a_request_to_drive_releases_both_and_the_report_acknowledges_it() -> None:
    car = Car().parked()
    assert car.feedback.parked == Parked(True, Gear.DRIVE, True)
    car.obeys = False
    assert car.step(GO) == BodyCommand(Gear.DRIVE)
    assert car.feedback.parked == Parked(True, Gear.DRIVE, False), "still reported, not held"
    car.obeys = True
    car.step(GO, 2)
    assert car.parking.parked == NOTHING_PARKED


def test_a_release_that_is_interrupted_leaves_no_hand_brake_without_an_owner() -> None:
    car = Car().parked()
    car.obeys = False
    car.step(GO)
    car.step(OURS, commanding=False)
    assert car.parking.parked.hand_brake
    car.obeys = True
    car.step(OURS, 8, commanding=False)
    assert car.is_parked
    assert car.step(GO) == BodyCommand(Gear.DRIVE)


def test_what_was_set_in_the_last_packet_of_a_hold_is_ours_once_it_is_reported() -> None:
    """A person takes over before the vehicle reports it: nobody else would ever release it."""
    car = Car()
    car.obeys = False
    car.step(OURS, 4, commanding=False)
    car.step(OURS, commanding=False)
    assert car.is_parked
    set_by_us = car.sent
    assert car.step(NOBODY, commanding=False) == BodyCommand(Gear.DRIVE), "not reported yet"
    car.body = replace(car.body, gear=set_by_us.gear, hand_brake=set_by_us.hand_brake)
    car.obeys = True
    car.step(NOBODY, 8, commanding=False)
    assert car.feedback.parked == Parked(True, Gear.DRIVE, True)
    assert car.step(GO) == BodyCommand(Gear.DRIVE)


def test_what_is_set_and_never_reported_is_not_ours_for_ever() -> None:
    car = Car()
    car.obeys = False
    car.step(OURS, 5, commanding=False)
    car.step(NOBODY, 4, commanding=False)
    assert car.parking.parked == NOTHING_PARKED


def test_park_is_left_at_rest_only_and_the_hand_brake_also_where_it_moves() -> None:
    car = Car().parked()
    car.speed_mps = 0.2
    assert car.step(GO) == BodyCommand(Gear.PARK)
    assert car.feedback.parked.is_held
    car.speed_mps = 0.0
    assert car.step(GO) == BodyCommand(Gear.DRIVE)


def test_park_waits_for_the_shift_before_and_lasts_for_the_time_of_one() -> None:
    car = Car(limits=replace(LIMITS, stop_park_after_s=0.25, shift_time_s=1.0))
    car.step(STACK, 8)
    car.command = BodyCommand(Gear.REVERSE)
    gears = [car.step(OURS).gear for _ in range(5)]
    assert gears == [Gear.REVERSE] * 4 + [Gear.PARK]
    assert car.sent.hand_brake
    gears = [car.step(GO).gear for _ in range(4)]
    assert gears == [Gear.PARK] * 3 + [Gear.REVERSE]


@pytest.mark.parametrize("commanding", [True, False])
@pytest.mark.parametrize(("speed_mps", "is_released"), [(0.3, False), (0.31, True), (-0.31, True)])
def test_a_car_that_moves_after_all_is_not_braked_by_hand(
    speed_mps: float, *, is_released: bool, commanding: bool
) -> None:
    car = Car().parked(commanding=commanding)
    car.speed_mps = speed_mps
    assert car.step(OURS, commanding=commanding).hand_brake is not is_released


def test_a_hand_brake_that_was_set_is_not_ours() -> None:
    car = Car()
    car.body = replace(car.body, hand_brake=True)
    car.step(OURS, 8, commanding=False)
    assert car.parking.parked == Parked(False, Gear.DRIVE, True)
    asked = Car()
    asked.command = BodyCommand(Gear.DRIVE, hand_brake=True)
    asked.step(OURS, 8)
    assert asked.parking.parked == Parked(False, Gear.DRIVE, True)


def test_what_a_sender_takes_is_the_senders() -> None:
    car = Car().parked()
    car.command = BodyCommand(Gear.DRIVE, hand_brake=True)
    car.step(Standing(Holder.STACK, takes_hand_brake=True))
    assert car.parking.parked == Parked(False, Gear.DRIVE, True)
    assert car.step(GO, 2) == BodyCommand(Gear.DRIVE, hand_brake=True)
    car = Car().parked()
    car.command = BodyCommand(Gear.REVERSE)
    assert car.step(Standing(Holder.STACK, takes_gear=True)) == BodyCommand(
        Gear.REVERSE, hand_brake=True
    )
    assert car.parking.parked == Parked(True, None, True)


def test_the_gear_before_follows_the_gear_to_drive_in() -> None:
    car = Car().parked()
    car.command = BodyCommand(Gear.REVERSE)
    car.step(STACK)
    assert car.parking.parked.gear_before is Gear.REVERSE
    assert car.step(GO).gear is Gear.REVERSE


@pytest.mark.parametrize("gear", [Gear.NEUTRAL, Gear.PARK])
def test_there_is_no_park_of_ours_from_a_gear_that_does_not_drive(gear: Gear) -> None:
    car = Car(gear)
    car.step(OURS, 8)
    assert car.sent == BodyCommand(gear, hand_brake=True)


def test_without_autonomy_a_hold_that_is_over_leaves_the_body_as_reported() -> None:
    car = Car().parked(commanding=False)
    car.doubt = "a lie"
    car.body = replace(car.body, gear=Gear.DRIVE, hand_brake=False)
    assert car.step(OURS, commanding=False) == BodyCommand(Gear.DRIVE)
    assert car.parking.parked == NOTHING_PARKED, "a person has released it"


def test_in_a_hold_of_ours_a_person_does_not_release_it() -> None:
    car = Car().parked(commanding=False)
    car.body = replace(car.body, gear=Gear.DRIVE, hand_brake=False)
    car.step(OURS, commanding=False)
    assert car.is_parked


def test_what_a_process_that_crashed_had_set_is_ours() -> None:
    car = Car(Gear.PARK, parked=Parked(True, Gear.REVERSE))
    car.body = replace(car.body, hand_brake=True)
    car.command = BodyCommand(Gear.REVERSE)
    assert car.feedback.parked == Parked(True, Gear.REVERSE, True)
    car.step(STACK, 4)
    assert car.is_parked
    assert car.step(GO) == BodyCommand(Gear.REVERSE)


def test_without_a_report_nothing_is_set() -> None:
    parking = Parking(LIMITS)
    for n in range(20):
        body = parking.step(OURS, BodyCommand(), None, 0.25 * n, commanding=False)
    assert not body.hand_brake


def test_feedback_names_only_what_it_reports_itself() -> None:
    car = Car()
    car.obeys = False
    car.step(OURS, 8)
    assert car.feedback.parked == Parked(False, None, True)
    assert car.feedback.parked.without(car.body) is car.body
    car.body = replace(car.body, gear=Gear.PARK, hand_brake=True)
    given = car.feedback
    assert given.parked.without(given.body) == BodyState(gear=Gear.DRIVE)


def test_what_does_not_leave_is_not_set_and_a_person_keeps_the_hand_brake() -> None:
    # C-4: on CAN no body is sent to a car that is not enabled.
    car = Car()
    car.leaves = False
    car.step(OURS, 20, commanding=False)
    assert car.parking.parked == NOTHING_PARKED
    car.body = replace(car.body, hand_brake=True)
    car.command = replace(car.command, hand_brake=True)
    car.step(GO)
    car.leaves = True
    assert car.step(GO, 4).hand_brake
    assert car.sent.gear is Gear.DRIVE


def test_once_the_body_leaves_the_car_is_parked() -> None:
    car = Car()
    car.leaves = False
    car.step(OURS, 20, commanding=False)
    car.leaves = True
    car.step(OURS, commanding=False)
    assert car.is_parked
    assert car.parking.parked == Parked(True, Gear.DRIVE, True)


def shifted_late(gear: Gear) -> Car:
    """A car whose gear was asked for while nothing left, and has just left."""
    car = Car()
    car.leaves = False
    car.command = BodyCommand(gear)
    car.step(GO, 2)
    car.leaves = True
    car.step(GO)
    return car


def test_a_shift_that_leaves_late_takes_its_time_from_then_on() -> None:
    # the handshake of the bus took a part of the time of the shift.
    car = shifted_late(Gear.REVERSE)
    car.command = BodyCommand(Gear.DRIVE)
    assert [car.step(GO).gear for _ in range(3)] == [Gear.REVERSE, Gear.DRIVE, Gear.DRIVE]


def test_a_shift_that_waits_for_a_late_one_takes_its_time_from_then_on() -> None:
    car = shifted_late(Gear.NEUTRAL)
    car.command = BodyCommand(Gear.REVERSE)
    assert [car.step(GO).gear for _ in range(2)] == [Gear.NEUTRAL, Gear.REVERSE]
    car.command = BodyCommand(Gear.DRIVE)
    assert [car.step(GO).gear for _ in range(3)] == [Gear.REVERSE, Gear.DRIVE, Gear.DRIVE]


def test_after_park_is_left_late_the_next_shift_waits() -> None:
    car = Car()
    while car.sent.gear is not Gear.PARK:
        car.step(OURS)
    assert [car.step(GO).gear for _ in range(2)] == [Gear.PARK, Gear.DRIVE]
    car.command = BodyCommand(Gear.REVERSE)
    assert [car.step(GO).gear for _ in range(2)] == [Gear.DRIVE, Gear.REVERSE]


def test_a_shift_that_was_sent_before_takes_its_time_in_the_gearbox() -> None:
    car = Car()
    car.command = BodyCommand(Gear.REVERSE)
    car.step(GO)
    car.command = BodyCommand(Gear.DRIVE)
    assert car.step(GO).gear is Gear.DRIVE


@pytest.mark.parametrize("back_s", [3.0, 1000.0])
def test_a_shift_from_before_a_backward_jump_of_time_is_over(back_s: float) -> None:
    """Else PARK stays for as long as time went back: it was set at a time yet to come."""
    car = Car()
    while car.sent.gear is not Gear.PARK:
        car.step(OURS)
    car.now -= back_s
    body = car.step(GO, 3)
    assert (body.gear, body.hand_brake) == (Gear.DRIVE, False)
    assert car.parking.parked is NOTHING_PARKED


def test_a_gear_that_was_withheld_before_a_backward_jump_of_time_is_given_after_it() -> None:
    car = shifted_late(Gear.REVERSE)
    car.now -= 1000.0
    car.command = BodyCommand(Gear.DRIVE)
    assert car.step(GO, 2).gear is Gear.DRIVE

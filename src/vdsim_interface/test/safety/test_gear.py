import itertools
import math

import pytest
from vdsim_interface.safety.gearbox import AutomaticGear, Gearbox, gear_choosing_accel, refusal
from vdsim_interface.safety.inputs import NEVER_S, Inputs
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    NOTHING_PARKED,
    BodyState,
    Gear,
    NoticeKind,
    Odometry,
    Parked,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.safety import LIMITS

D, R, P, L, N = Gear.DRIVE, Gear.REVERSE, Gear.PARK, Gear.LOW, Gear.NEUTRAL
PARKS, TURNS = "gear_park_moving", "gear_direction_moving"
UNKNOWN = "gear_speed_unknown"
SPEEDS = (None, -5.0, -0.31, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.31, 5.0)


def expected(current: Gear, requested: Gear, speed: float | None) -> NoticeKind | None:
    """The interlocks in other words than the code's."""
    if current is requested:
        return None
    if requested is N:
        return None
    if speed is None:
        return UNKNOWN
    if requested is P:
        return None if -0.1 <= speed <= 0.1 else PARKS
    if requested is R:
        return TURNS if speed > 0.3 else None
    return TURNS if speed < -0.3 else None


@pytest.mark.parametrize(("current", "requested"), list(itertools.product(Gear, Gear)))
def test_interlocks_over_all_gears_and_speeds(current: Gear, requested: Gear) -> None:
    """[VI-3.2]"""
    for speed in SPEEDS:
        report = refusal(current, requested, speed, LIMITS)
        kind = None if report is None else report.kind
        assert kind == expected(current, requested, speed), speed


def test_refusals_are_sentences() -> None:
    texts = [
        refusal(D, P, 3.14159, LIMITS),
        refusal(D, R, 3.14159, LIMITS),
        refusal(R, D, -2.0, LIMITS),
        refusal(D, P, None, LIMITS),
        refusal(D, R, 0.5, LIMITS),
        refusal(R, L, -0.5, LIMITS),
    ]
    assert [t.text for t in texts if t] == [
        "PARK refused: the car moves at 3.14 m/s; it must stand (at most 0.1 m/s)",
        "REVERSE refused: the car moves forward at 3.14 m/s (at most 0.3 m/s)",
        "DRIVE refused: the car moves backward at 2.00 m/s (at most 0.3 m/s)",
        "PARK refused: the speed is not known, the vehicle does not report",
        "REVERSE refused: the car moves forward at 0.50 m/s (at most 0.3 m/s)",
        "LOW refused: the car moves backward at 0.50 m/s (at most 0.3 m/s)",
    ]


# ---- automatic choice ----------------------------------------------------------------------------


def choices(current: Gear, steps: list[tuple[float, bool]], armed: bool = True) -> list[Gear]:
    """Feed (acceleration, at rest) pairs; each choice is applied at once."""
    automatic = AutomaticGear()
    if not armed:
        automatic.disarm()
    found = []
    for accel, at_rest in steps:
        current = automatic.choose(accel, current, D, at_rest, 0.3)
        found.append(current)
    return found


@pytest.mark.parametrize(
    ("current", "steps", "expected"),
    [
        (D, [(-1.0, True)], [R]),
        (D, [(-0.5, True)], [R]),
        (R, [(0.5, True)], [D]),
        (D, [(-0.3, True)], [D]),
        (R, [(1.0, True)], [D]),
        (R, [(0.3, True)], [R]),
        (P, [(1.0, True)], [D]),
        (P, [(-1.0, True)], [R]),
        (N, [(1.0, True)], [D]),
        (P, [(1.0, False)], [P]),
        (D, [(-1.0, False), (-1.0, True)], [D, D]),  # braked to a stop: stays
        (D, [(-1.0, False), (0.0, True), (-1.0, True)], [D, D, R]),
        (D, [(-1.0, False), (0.3, True), (-1.0, True)], [D, D, R]),
        (D, [(-1.0, False), (-0.3, True), (-1.0, True)], [D, D, R]),
        (D, [(1.0, True), (-1.0, True)], [D, D]),  # drive, then brake: stays
        (L, [(1.0, True)], [L]),
        (R, [(-1.0, True), (1.0, True)], [R, R]),
    ],
)
def test_direction_by_the_sign_of_the_acceleration(
    current: Gear, steps: list[tuple[float, bool]], expected: list[Gear]
) -> None:
    assert choices(current, steps) == expected


def test_disarmed_it_waits_for_the_dead_zone() -> None:
    assert choices(D, [(-1.0, True)], armed=False) == [D]
    assert choices(P, [(1.0, True)], armed=False) == [D], "P and N are always left"
    automatic = AutomaticGear()
    automatic.disarm()
    automatic.arm()
    assert automatic.choose(-1.0, D, D, True, 0.3, by_speed=True) is R


@pytest.mark.parametrize(("speed", "brake", "chosen"), [(1.0, -0.6, R), (-1.0, 0.6, D)])
def test_a_brake_in_neutral_chooses_no_gear(speed: float, brake: float, chosen: Gear) -> None:
    """Seed 9875230: who had asked for NEUTRAL on the move came to rest, and had REVERSE."""
    automatic = AutomaticGear()
    assert automatic.choose(brake, N, D, False, 0.3, True, speed) is N
    assert automatic.choose(brake, N, D, True, 0.3, True, 0.09 * speed) is N
    asks_to_drive_on = automatic.choose(-brake, N, D, True, 0.3, True, 0.0)
    assert asks_to_drive_on is (D if speed > 0.0 else R)
    automatic.choose(0.0, N, D, True, 0.3, True, 0.0)
    assert automatic.choose(brake, N, D, True, 0.3, True, 0.0) is chosen


@pytest.mark.parametrize("current", [D, L, P, N])
def test_at_the_start_of_autonomy_a_brake_is_no_request_to_reverse(current: Gear) -> None:
    automatic = AutomaticGear()
    automatic.arm()
    for _ in range(100):
        assert automatic.choose(-1.0, current, D, True, 0.3) is current
    automatic.choose(0.0, current, D, True, 0.3)
    assert automatic.choose(-1.0, current, D, True, 0.3) is R


def test_a_start_during_which_no_report_comes_stays_a_start() -> None:
    automatic = AutomaticGear()
    automatic.arm()
    automatic.choose(-1.0, P, D, True, 0.3)
    automatic.choose(-1.0, P, D, False, 0.3)
    assert automatic.choose(-1.0, P, D, True, 0.3) is P


@pytest.mark.parametrize(("accel", "gear"), [(-1.0, R), (1.0, D)])
def test_at_the_start_a_speed_and_a_drive_forward_choose_at_once(accel: float, gear: Gear) -> None:
    automatic = AutomaticGear()
    automatic.arm()
    before = R if gear is D else D
    assert automatic.choose(accel, before, D, True, 0.3, by_speed=accel < 0.0) is gear


def test_after_it_has_driven_the_dead_zone_counts_as_ever() -> None:
    automatic = AutomaticGear()
    automatic.arm()
    automatic.choose(1.0, D, D, True, 0.3)
    automatic.choose(1.0, D, D, False, 0.3)
    assert automatic.choose(-1.0, D, D, True, 0.3) is D
    automatic.choose(0.0, D, D, True, 0.3)
    assert automatic.choose(-1.0, D, D, True, 0.3) is R


@pytest.mark.parametrize(("current", "sign"), [(P, 1), (N, 1), (D, 0), (R, 0)])
def test_a_raw_throttle_leaves_park_and_neutral_forward(current: Gear, sign: int) -> None:
    for deadzone_mps2 in (0.3, 3.0):
        limits = SafetyParameters(auto_gear_deadzone_mps2=deadzone_mps2)
        chosen = gear_choosing_accel(RawCommand(0.0, 1), current, limits)
        assert chosen is not None
        assert (chosen > deadzone_mps2) - (chosen < -deadzone_mps2) == sign
        assert gear_choosing_accel(RawCommand(0.0, 0), current, limits) == 0.0


def test_an_acceleration_chooses_the_gear_by_itself() -> None:
    assert gear_choosing_accel(None, P, LIMITS) is None
    assert gear_choosing_accel(VehicleCommand(0.0, -1.25), D, LIMITS) == -1.25


# ---- gearbox -------------------------------------------------------------------------------------


def reports(
    gear: Gear = D, speed: float | None = 0.0, wheel_mps: float = math.nan, parked: bool = False
) -> Inputs:
    """What a vehicle reports at 0 s. `speed` None: nothing. `parked`: PARK of ours replaced D."""
    inputs = Inputs()
    inputs.odometry = Odometry(NEVER_S) if speed is None else Odometry(0.0, speed)
    ours = Parked(gear_before=D) if parked else NOTHING_PARKED
    inputs.on_body(BodyState(gear=P if parked else gear), wheel_mps, ours)
    return inputs


class Box:
    """A gearbox on a car that reports what is commanded, unless a test sets it."""

    def __init__(self, gear: Gear = D, limits: SafetyParameters = LIMITS) -> None:
        self.box = Gearbox()
        self.box.mirror_vehicle(gear)
        self.box.arm_automatic()
        self.box.step(
            0.0, 0.0, reports(gear), limits, 0.01
        )  # the sender has asked for nothing, once
        self.limits = limits
        self.kinds: list[NoticeKind] = []

    def request(self, requested: Gear, speed: float | None = 0.0, checked: bool = True) -> None:
        refused = self.box.request(requested, reports(D, speed), self.limits, 0.0, checked=checked)
        self.kinds += [r.kind for r in refused]

    def step(
        self,
        accel: float | None = 0.0,
        speed: float | None = 0.0,
        n: int = 1,
        reported: Gear | None = None,
    ) -> Gear:
        for _ in range(n):
            now = self.box.gear if reported is None else reported
            changes, notices = self.box.step(accel, speed, reports(now), self.limits, 0.01)
            self.kinds += [c.kind for c in changes] + [r.kind for r in notices]
        return self.box.gear


def test_a_request_is_done_in_the_next_period() -> None:
    car = Box(P)
    car.request(R)
    assert car.box.gear is P
    assert car.step() is R
    assert car.kinds == []
    assert car.box.refused is None


def test_a_refused_request_is_reported_once_and_discarded() -> None:
    car = Box(D)
    car.request(P, 3.0)
    car.request(P, 3.0)
    assert car.kinds == [PARKS]
    assert car.box.refused is P
    assert car.step(0.0, 0.0, 100) is D, "it is not kept for later"
    car.request(P, 0.0)
    assert car.box.refused is None
    assert car.step() is P
    car.request(R, 0.0)
    car.step(0.0, 0.0, 60)
    car.request(D, -3.0)
    assert car.kinds[-1] == TURNS


def test_an_unchecked_request_is_checked_when_it_is_applied() -> None:
    """Requested while autonomy was off; the car moves when it starts."""
    car = Box(D)
    car.request(P, 9.0, checked=False)
    assert car.kinds == []
    assert car.step(0.0, 9.0) is D
    assert car.kinds == [PARKS]
    assert car.box.refused is P
    assert car.step(0.0, 0.0, 10) is D


def test_shifts_keep_their_least_distance() -> None:
    """[VI-3.2] R then D at once: D waits until the shift to R has had its 0.5 s, reported once."""
    car = Box(D)
    car.request(R)
    assert car.step() is R
    car.request(D)
    assert car.step(0.0, 0.0, 49) is R
    assert car.kinds == ["gear_wait"]
    assert car.step(0.0, 0.0, 2) is D
    assert car.kinds == ["gear_wait"]


def test_asking_for_the_gear_in_effect_does_nothing() -> None:
    car = Box(D)
    car.request(R)
    car.step()
    car.request(R)
    assert car.step() is R
    assert car.kinds == []


def test_a_shift_takes_its_time_and_the_vehicles_answer() -> None:
    car = Box(P)
    car.request(D)
    car.step()
    assert car.box.is_shifting
    car.step(n=48)
    assert car.box.is_shifting
    car.step(n=2)
    assert not car.box.is_shifting
    car.request(R)
    car.step(n=100, reported=D)
    assert car.box.is_shifting, "the vehicle still reports D"
    car.step()
    assert not car.box.is_shifting


def test_no_shift_is_under_way_in_p_and_n() -> None:
    car = Box(D)
    car.request(N)
    car.step(0.0, 5.0)
    assert car.box.gear is N
    assert not car.box.is_shifting


@pytest.mark.parametrize("pinned", [P, N])
def test_park_and_neutral_on_request_stay(pinned: Gear) -> None:
    car = Box(D)
    car.request(pinned)
    car.step()
    assert car.step(1.0, 0.0, 100) is pinned
    car.request(D)
    assert car.step(n=2) is D
    assert "gear_automatic" not in car.kinds


def test_park_that_the_car_has_is_left_by_itself() -> None:
    car = Box(P)
    assert car.step(1.0) is D
    assert car.kinds == ["gear_automatic"]


def test_low_is_the_forward_gear_once_requested() -> None:
    car = Box(D)
    car.request(L)
    assert car.step() is L
    car.step(0.0, 0.0, 60)
    assert car.step(-1.0) is R
    car.step(0.0, 0.0, 60)
    assert car.step(1.0) is L
    car.request(D)
    car.step(0.0, 0.0, 120)
    assert car.box.gear is D
    assert car.step(-1.0) is R
    car.step(0.0, 0.0, 60)
    assert car.step(1.0) is D


def test_an_explicit_gear_is_not_undone_by_the_command_that_is_there() -> None:
    """REVERSE on request while +1 m/s2 (which brakes in R) is commanded: stays in R."""
    car = Box(D)
    car.step(1.0)
    car.request(R)
    assert car.step(1.0) is R
    assert car.step(1.0, 0.0, 200) is R


def test_automatic_shifts_keep_the_distance_too() -> None:
    car = Box(D)
    car.step(n=60)
    assert car.step(-1.0) is R
    car.step(0.0, 0.0, 2)
    assert car.step(1.0, 0.0, 40) is R
    assert car.step(1.0, 0.0, 10) is D


def test_no_automatic_choice_when_off_moving_unknown_or_without_command() -> None:
    off = Box(D, SafetyParameters(auto_gear=False))
    assert off.step(-1.0, 0.0, 10) is D
    car = Box(D)
    assert car.step(-1.0, 1.0, 10) is D
    car = Box(D)
    assert car.step(-1.0, None, 10) is D
    car = Box(D)
    assert car.step(None, 0.0, 10) is D


def test_at_rest_means_at_most_the_standstill_speed() -> None:
    assert Box(D).step(-1.0, -0.1) is R
    assert Box(D).step(-1.0, -0.11) is D


@pytest.mark.parametrize("then", [0.0, 1.0, -1.0])
def test_an_acceleration_drives_in_a_requested_gear_once_it_has_changed(then: float) -> None:
    """A stack held the car by -1.5 m/s2, somebody asked for REVERSE: full drive backwards."""
    car = Box(D)
    car.step(-1.5, 8.0)
    car.step(-1.5, 0.0)
    car.request(R)
    assert car.step(-1.5, 0.0) is R
    assert car.step(-1.46, 0.0, 200) is R
    assert car.box.keeps_brake
    assert car.step(then) is R
    assert not car.box.keeps_brake


def test_an_acceleration_that_comes_with_the_request_or_after_it_drives() -> None:
    for early_n in (0, 1):
        car = Box(R)
        car.step(1.0, -2.0)
        car.step(1.0, 0.0, 3)
        car.request(D)
        car.step(1.0, 0.0, early_n)
        assert car.step(0.5, 0.0) is D
        assert car.step(0.5, 0.0) is D
        assert not car.box.keeps_brake


def test_a_brake_is_kept_through_neutral_and_until_autonomy_ends() -> None:
    car = Box(D)
    car.step(-1.5, 8.0)
    car.request(N)
    assert car.step(-1.5, 0.0, 200) is N
    car.request(R)
    assert car.step(-1.5, 0.0) is R
    assert car.box.keeps_brake
    car.step(None, 0.0)
    assert car.box.keeps_brake, "no command ends no brake"
    car.box.mirror_vehicle(R)
    assert not car.box.keeps_brake


def test_a_speed_asks_to_turn_back_once_the_car_rests() -> None:
    """Seed 10820898 of `processes`: the last brake of a stop to 0 m/s chose REVERSE at 0.08 m/s."""

    def gear_of(car: Box, accel_mps2: float, speed_mps: float) -> Gear:
        for _ in range(20):
            car.box.step(accel_mps2, speed_mps, reports(), LIMITS, 0.01, by_speed=True)
        return car.box.gear

    car = Box(D)
    assert gear_of(car, -1.0, 0.11) is D
    assert gear_of(car, -1.0, 0.0) is D, "what stopped it keeps it stopped"
    car = Box(D)
    assert gear_of(car, -0.1, 0.09) is D
    assert gear_of(car, -1.0, 0.08) is D, "within the dead zone the car crept on"
    assert gear_of(car, -1.0, 0.03) is R


def test_an_acceleration_that_slows_a_creeping_car_is_its_brake() -> None:
    """Seed 9634508 of `single`: who drove let go at 0.02 m/s, and the stack's brake was REVERSE."""
    assert Box(D).step(-1.0, 0.03) is R
    car = Box(D)
    assert car.step(-1.0, 0.04, 20) is D
    assert car.step(-1.0, 0.0, 20) is D, "what stopped it keeps it stopped"
    car.step(0.0)
    assert car.step(-1.0, 0.0) is R
    backwards = Box(R)
    assert backwards.step(1.0, -0.04, 20) is R


def test_follow_and_forget() -> None:
    car = Box(D)
    car.request(P, 3.0)
    car.request(N)
    car.box.discard_requests()
    assert car.box.refused is None
    car.step()
    assert car.box.gear is D
    car.request(N)
    car.step()
    car.box.discard_requests()
    assert car.step(1.0) is N, "a shift has just been made"
    assert car.step(1.0, 0.0, 60) is D, "no longer pinned"
    car.request(R)
    car.step(0.0, 0.0, 60)
    car.box.mirror_vehicle(P)
    assert car.box.gear is P
    assert not car.box.is_shifting
    assert car.step(1.0) is D, "what the driver did starts no waiting time"


def test_the_direction_is_that_of_the_gear() -> None:
    car = Box(P)
    assert car.box.direction == 0
    for gear, direction in ((R, -1), (N, 0), (D, 1)):
        car.request(gear)
        car.step(0.0, 0.0, 60)
        assert (car.box.gear, car.box.direction) == (gear, direction)
    car.box.mirror_vehicle(R)
    assert car.box.direction == -1
    assert Gearbox().direction == 0


def test_with_safety_off_requests_are_done_as_they_come() -> None:
    """[VI-3.5]"""
    car = Box(D, SafetyParameters(enabled=False))
    car.request(R, 20.0, checked=False)
    assert car.step(0.0, 20.0) is R
    car.request(P, 20.0, checked=False)
    assert car.step(0.0, 20.0) is P
    assert car.kinds == []


def test_a_new_gearbox_is_at_rest() -> None:
    assert not Gearbox().is_shifting


def test_the_shift_time_to_the_period() -> None:
    """Periods of an eighth of a second, which add up exactly: after four the shift is over."""
    box = Gearbox()
    box.mirror_vehicle(D)
    box.arm_automatic()
    box.request(R, reports(), LIMITS, 0.0, checked=True)
    box.step(0.0, 0.0, reports(R), LIMITS, 0.125)
    box.request(D, reports(), LIMITS, 0.0, checked=True)
    for _ in range(3):
        box.step(0.0, 0.0, reports(R), LIMITS, 0.125)
        assert box.gear is R
        assert box.is_shifting
    box.step(0.0, 0.0, reports(R), LIMITS, 0.125)
    assert box.gear is D, "requested before, done as soon as the time is over"
    for _ in range(3):
        box.step(0.0, 0.0, reports(D), LIMITS, 0.125)
    box.step(-1.0, 0.0, reports(D), LIMITS, 0.125)
    assert box.gear is R, "the automatic choice, too"
    for _ in range(4):
        box.step(0.0, 0.0, reports(R), LIMITS, 0.125)
    assert not box.is_shifting


def test_leaving_park_of_ours_is_a_shift_that_begins_with_the_request() -> None:
    box, limits = Box().box, SafetyParameters(shift_time_s=0.05)

    def shifts(periods_n: int, *, is_parked: bool = True, wants: bool = True) -> list[bool]:
        seen = []
        for _ in range(periods_n):
            box.step(1.0, 0.0, reports(parked=is_parked), limits, 0.01, wants_motion=wants)
            seen.append(box.is_shifting)
        return seen

    for _ in range(2):
        assert not any(shifts(20, wants=False))
        assert all(shifts(3))
        assert shifts(8, is_parked=False) == [True, True, *6 * (False,)], "0.05 s in all"
    assert all(shifts(20))
    assert not any(shifts(8, is_parked=False)), "a long wait for the report is no second shift"

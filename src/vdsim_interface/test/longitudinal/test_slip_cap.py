import math
from collections import deque

import pytest
from vdsim_interface.longitudinal.slip_cap import FORESEES_SHARE, NO_CAP, SlipCap
from vdsim_interface.values import Applied, BodyState, Sensors, VehicleReport

DT = 0.01
LAG_S = 0.08
ROLLING = (10.0, 10.0, 10.0, 10.0)
NOT_REPORTED = (math.nan, 10.0, 10.0, 10.0)


def rolled() -> SlipCap:
    cap = SlipCap(0.08, 3.0)
    cap.update(10.0, 0.0, ROLLING, 0.0, DT)
    return cap


def test_wheels_that_roll_have_no_cap() -> None:
    cap = rolled()
    assert cap.is_supervised
    assert (cap.brake_mps2, cap.drive_mps2) == (NO_CAP, NO_CAP)


@pytest.mark.parametrize("wheel", range(4))
def test_one_wheel_that_locks_reduces_the_brake_and_only_that(wheel: int) -> None:
    cap = rolled()
    wheels = list(ROLLING)
    wheels[wheel] = 8.5
    cap.update(10.0, 0.0, tuple(wheels), -4.0, DT)
    assert cap.brake_mps2 < 4.0
    assert cap.drive_mps2 == NO_CAP
    reduced = cap.brake_mps2
    for _ in range(20):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 > reduced


def test_a_cap_stays_while_the_brake_that_it_allows_is_on_its_way() -> None:
    """Seed 4010763: a brake that lags has let go, and nothing would have limited its return."""
    for is_reached in (True, False):
        cap = rolled()
        cap.update(10.0, 0.0, (8.5, 10.0, 10.0, 10.0), -4.0, DT)
        cap.update(10.0, 0.0, ROLLING, -0.1, DT, is_reached)
        assert (cap.brake_mps2 < 4.0) is is_reached


def test_a_wheel_that_spins_reduces_the_drive_near_standstill_too() -> None:
    for speed, wheel in ((10.0, 12.0), (0.1, 0.5)):
        cap = SlipCap(0.08, 3.0)
        cap.update(speed, 0.0, (speed, speed, speed, speed), 2.0, DT)
        cap.update(speed, 0.0, (speed, speed, wheel, speed), 2.0, DT)
        assert cap.drive_mps2 < 2.0


def test_in_a_bend_the_slower_wheels_do_not_slip() -> None:
    cap = SlipCap(0.08, 3.0)
    half_track_m, yaw_rate = 0.28 * 3.0, 0.8
    left, right = 5.0 - yaw_rate * half_track_m, 5.0 + yaw_rate * half_track_m
    for _ in range(10):
        cap.update(5.0, yaw_rate, (left, right, left, right), -3.0, DT)
    assert cap.brake_mps2 == NO_CAP


@pytest.mark.parametrize("wheels", [NOT_REPORTED, (0.0, 0.0, 0.0, 0.0)])
def test_wheels_that_never_rolled_with_the_car_do_not_release_its_brake(
    wheels: tuple[float, ...],
) -> None:
    cap = SlipCap(0.08, 3.0)
    for _ in range(300):
        cap.update(10.0, 0.0, wheels, -3.0, DT)
    assert not cap.is_supervised
    assert cap.brake_mps2 == NO_CAP


@pytest.mark.parametrize(
    ("wheel_mps", "is_trusted"), [(-3.0, True), (-2.9, True), (0.0, False), (math.nan, False)]
)
def test_wheels_that_roll_while_nothing_is_sent_are_trusted(
    wheel_mps: float, is_trusted: bool
) -> None:
    cap = SlipCap(0.08, 3.0)
    cap.watch(seen(-3.0, wheel_mps), 1, math.inf, DT, is_reached=False)
    assert cap.is_supervised is is_trusted


def test_wheels_that_lock_while_nothing_is_sent_stay_trusted() -> None:
    cap = rolled()
    for _ in range(300):
        cap.watch(seen(3.0, 0.0), 1, math.inf, DT, is_reached=False)
        cap.reset()
    assert cap.is_supervised


@pytest.mark.parametrize(("periods_n", "is_trusted"), [(3, True), (4, False)])
def test_wheels_that_a_new_process_trusts_are_judged_from_the_start(
    periods_n: int, is_trusted: bool
) -> None:
    cap = SlipCap(0.08, 3.0)
    cap.is_supervised = True
    for _ in range(periods_n):
        cap.update(10.0, 0.0, (0.0, 10.0, 10.0, 10.0), 0.0, 0.25)
    assert cap.is_supervised is is_trusted


def seen(speed_mps: float, last_wheel_mps: float) -> VehicleReport:
    """The report of a car whose last wheel is that fast; the others roll."""
    spin_radps = (*(speed_mps / 0.3,) * 3, last_wheel_mps / 0.3)
    sensors = Sensors(wheel_spin_radps=spin_radps, wheel_radius_m=0.3)
    return VehicleReport(
        stamp_s=0.0,
        vehicle_time_s=0.0,
        velocity_mps=speed_mps,
        front_wheel_angle_rad=0.0,
        body=BodyState(),
        applied=Applied(0.0, 0.0),
        sensors=sensors,
    )


def test_a_wheel_sensor_that_dies_does_not_release_the_brake_for_long() -> None:
    """It reads 0: as a locked wheel does, but a locked wheel rolls again without a brake."""
    cap = rolled()
    released_s = 0.0
    for _ in range(400):
        effort = -min(3.0, cap.brake_mps2)
        released_s += DT * (effort > -1.5)
        cap.update(10.0, 0.0, (0.0, 10.0, 10.0, 10.0), effort, DT)
    assert not cap.is_supervised
    assert cap.brake_mps2 == NO_CAP
    assert released_s < 1.5


def test_no_progress_of_time_changes_nothing() -> None:
    cap = rolled()
    cap.update(10.0, 0.0, (5.0, 5.0, 5.0, 5.0), -3.0, 0.0)
    assert cap.brake_mps2 == NO_CAP


def test_after_a_wheel_has_locked_the_cap_returns_fast_to_what_the_tyres_took() -> None:
    """And from there slowly: beyond is where it locked."""
    cap = rolled()
    locking = (9.0, 9.0, 10.0, 10.0)
    effort = 4.0
    for _ in range(6):
        cap.update(10.0, 0.0, locking, -effort, DT)
        effort = min(effort, cap.brake_mps2)
    assert cap.brake_mps2 < 3.0
    for _ in range(25):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert 3.6 < cap.brake_mps2 < 4.1
    for _ in range(10):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 < 4.4


@pytest.mark.parametrize("gap", [True, False])
def test_a_wheel_that_another_brake_has_locked_does_not_slow_the_return_of_ours(gap: bool) -> None:
    """Seed 6011497: the vehicle's own brake locks it while no report comes; ours is next to none.

    Where the reports had followed each other, our brake of 1 m/s2 would be what the tyres took.
    """
    cap = rolled()
    if gap:
        cap.resume()
    cap.update(10.0, 0.0, (6.0, 10.0, 10.0, 10.0), -1.0, DT)
    assert cap.brake_mps2 < 1.0
    for _ in range(25):
        cap.update(10.0, 0.0, (9.9, 10.0, 10.0, 10.0), -cap.brake_mps2, DT)
    assert (cap.brake_mps2 > 2.0) is gap


@pytest.mark.parametrize(("takes_mps2", "least_mps2"), [(3.5, 3.0), (8.0, 5.5)])
def test_a_cap_returns_to_what_a_slip_shows_that_the_tyres_take(
    takes_mps2: float, least_mps2: float
) -> None:
    """Seed 9952296: the inner wheel locks as a bend begins, and soon the tyres take twice that."""
    cap = rolled()
    cap.update(8.0, 0.0, (5.0, 8.0, 8.0, 8.0), -3.4, DT)
    slips = []
    for _ in range(80):
        effort = min(cap.brake_mps2, 6.0)
        slips.append(0.1 * (1.0 - math.sqrt(max(1.0 - effort / takes_mps2, 0.0))))
        cap.update(8.0, 0.0, (8.0 * (1.0 - slips[-1]), 8.0, 8.0, 8.0), -effort, DT, is_reached=True)
    assert least_mps2 < cap.brake_mps2 < 1.1 * takes_mps2
    assert max(slips) <= 0.1


def test_a_cap_from_before_a_gap_does_not_slow_the_return_after_it() -> None:
    """Seed 9874786: a wheel had slipped under next to no brake, then the car locked them all."""
    cap = rolled()
    cap.update(10.0, 0.0, (8.0, 10.0, 10.0, 10.0), -0.15, DT)
    assert cap.brake_mps2 < 0.15
    cap.resume()
    cap.update(8.0, 0.0, (0.0, 0.0, 0.0, 0.0), -0.15, DT, True)
    for _ in range(40):
        cap.update(8.0, 0.0, (7.9, 7.9, 7.9, 7.9), -cap.brake_mps2, DT, True)
    assert cap.brake_mps2 > 2.0


@pytest.mark.parametrize(
    ("slips", "cuts"),
    [
        ((1.0, 0.9, 0.7, 0.4), (True, True, False, False)),  # from 0.7 on it rolls within 0.04 s
        ((1.0, 0.6, 0.55, 0.3), (True, False, True, False)),  # meanwhile it hardly gets faster
        ((1.0, 0.9, 0.6, 0.7), (True, True, False, True)),  # it locks again
    ],
)
def test_a_wheel_that_rolls_again_shortly_needs_no_less_brake(
    slips: tuple[float, ...], cuts: tuple[bool, ...]
) -> None:
    """L-2: each period by a third less, a wheel of raw pedals that had locked had no brake left."""
    cap = rolled()
    cap.resume()
    for slip, cut in zip(slips, cuts, strict=True):
        before = min(cap.brake_mps2, 9.0)
        slipping(cap, slip, before)
        assert (cap.brake_mps2 < before) is cut
        assert cap.brake_mps2 <= before
    after = cap.brake_mps2
    for _ in range(25):
        slipping(cap, 0.025, cap.brake_mps2)
    assert cap.brake_mps2 > after + 1.5, "fast, by the lock that was there at first"


def test_a_gap_between_reports_is_no_trend() -> None:
    """A slip that has grown in half a second would look as if it grew in one period."""
    caps = rolled(), rolled()
    caps[1].resume()
    for cap in caps:
        cap.update(10.0, 0.0, (9.3, 10.0, 10.0, 10.0), -3.0, DT)
    assert [cap.brake_mps2 < 3.0 for cap in caps] == [True, False]


def test_what_the_tyres_took_is_that_of_the_latest_lock() -> None:
    """The road turns to ice: the brake of the dry road counts no longer."""
    cap = rolled()
    for effort in (6.0, 1.5):
        for _ in range(3):
            cap.update(10.0, 0.0, (8.0, 8.0, 10.0, 10.0), -effort, DT)
        for _ in range(2):
            cap.update(10.0, 0.0, ROLLING, -1.5, DT)
    for _ in range(25):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 < 2.0


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("angle_rad", [0.7, -0.5, 0.05])
@pytest.mark.parametrize("slides_mps", [0.0, 0.6, -0.6], ids="slides by {} m/s".format)
@pytest.mark.parametrize("measured_share", [0.0, 0.4, 1.0])
def test_steered_wheels_that_roll_do_not_slip(
    sense: float, angle_rad: float, slides_mps: float, measured_share: float
) -> None:
    """Of a car that slides sideways, too (S5-6), by the least that fits any point of it."""
    cap, wheelbase_m, vx_mps = SlipCap(0.09, 3.0), 3.0, 2.0 * sense
    yaw_rate = vx_mps * math.tan(angle_rad) / wheelbase_m
    turn_mps = wheelbase_m * yaw_rate
    side_mps = slides_mps + measured_share * turn_mps
    report = VehicleReport(
        stamp_s=0.0, vehicle_time_s=0.0, velocity_mps=vx_mps, front_wheel_angle_rad=angle_rad,
        body=BodyState(), applied=Applied(0.0, 0.0), lateral_velocity_mps=side_mps,
        yaw_rate_radps=yaw_rate,
    )  # fmt: skip
    least_mps = min((side_mps - point_n * turn_mps / 1e3 for point_n in range(1001)), key=abs)
    front_mps = abs(vx_mps) / math.cos(angle_rad) + sense * least_mps * math.sin(angle_rad)
    lead_mps = sense * cap.steered_lead_mps(report)
    assert front_mps - lead_mps == pytest.approx(abs(vx_mps), abs=1e-3)
    wheels = (front_mps - lead_mps, front_mps - lead_mps, 2.0, 2.0)
    for _ in range(20):
        cap.update(2.0, sense * yaw_rate, wheels, 3.0, 0.01)
    assert cap.drive_mps2 == math.inf
    assert cap.is_supervised


@pytest.mark.parametrize(("effort", "ends"), [(4.0, False), (2.0, False), (1.99, True)])
def test_a_cap_ends_where_less_than_half_of_it_is_used(effort: float, ends: bool) -> None:
    cap = rolled()
    cap._brake_cap = cap.brake_mps2 = 4.0
    cap.update(10.0, 0.0, ROLLING, -effort, DT)
    assert (cap.brake_mps2 == NO_CAP) is ends


def slipping(cap: SlipCap, slip: float, effort: float, periods_n: int = 1) -> None:
    """Report one wheel of a car at 10 m/s that is slower than the car by a slip."""
    for _ in range(periods_n):
        cap.update(10.0, 0.0, (10.0 * (1.0 - slip), 10.0, 10.0, 10.0), -effort, DT)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("grip_mps2", [1.0, 2.5, 8.0])
def test_a_slip_below_the_limit_foresees_what_the_tyres_take(
    share: float, grip_mps2: float
) -> None:
    cap = rolled()
    for step in range(200):
        slipping(cap, share * 0.08 * step / 200, 9.0)
    slipping(cap, share * 0.08, grip_mps2 * share * (2.0 - share), 2)
    assert cap.brake_mps2 == pytest.approx(grip_mps2)
    assert cap.is_acting


def exact(slip: float, effort: float, cap: SlipCap) -> None:
    """Report a slip of a cap whose limit is 1/16, in numbers that are exact in binary."""
    cap.update(8.0, 0.0, (8.0 * (1.0 - slip), 8.0, 8.0, 8.0), -effort, DT)


def rolled_exactly() -> SlipCap:
    cap = SlipCap(0.0625, 3.0)
    exact(0.0, 0.0, cap)
    return cap


def test_at_the_limit_itself_the_brake_is_what_the_tyres_take() -> None:
    """No hole between a slip that foresees the limit and one beyond it."""
    allowed = {}
    for slip in (0.0624, 0.0625, 0.0626):
        cap = rolled_exactly()
        exact(slip, -1.0, cap)
        exact(slip, 3.0, cap)
        allowed[slip] = cap.brake_mps2
    assert allowed[0.0625] == 3.0
    assert allowed[0.0624] == pytest.approx(3.0, abs=0.01)
    assert allowed[0.0626] < 3.0


def test_a_lock_begins_beyond_the_limit_and_not_at_it() -> None:
    """So the brake to which the cap returns is the one of the period in which a wheel locks."""
    cap = rolled_exactly()
    exact(0.125, 4.0, cap)
    exact(0.0625, 2.0, cap)
    exact(0.0625, 8.0, cap)
    exact(0.125, 3.0, cap)
    for _ in range(40):
        exact(0.0, cap.brake_mps2, cap)
        if cap.brake_mps2 > 0.92 * 3.0:
            break
    before = cap.brake_mps2
    exact(0.0, before, cap)
    assert cap.brake_mps2 - before < 0.06, "slowly from here on"


@pytest.mark.parametrize(("slip", "cuts"), [(0.5625, True), (0.5624, False)])
def test_a_wheel_that_is_at_the_limit_by_then_does_not_roll_yet(slip: float, cuts: bool) -> None:
    cap = rolled_exactly()
    for now in (0.7578125, slip):  # by 12.5 1/s faster: 0.5 in the time ahead
        before = min(cap.brake_mps2, 4.0)
        cap.update(8.0, 0.0, (8.0 * (1.0 - now), 8.0, 8.0, 8.0), -before, 1.0 / 64.0)
    assert (cap.brake_mps2 < before) is cuts


def test_a_small_slip_foresees_nothing() -> None:
    cap = rolled()
    slipping(cap, 0.39 * 0.08, 1.0, 2)
    assert cap.brake_mps2 == NO_CAP


@pytest.mark.parametrize(("share", "foresees"), [(FORESEES_SHARE, False), (0.4001, True)])
def test_a_slip_foresees_beyond_its_share_of_the_limit(share: float, foresees: bool) -> None:
    slip = 0.0625
    cap = SlipCap(slip / share, 3.0)  # the quotient is the share itself, to the bit
    exact(0.0, 0.0, cap)
    for effort in (-1.0, -1.0, 2.0):  # the slip begins while nobody brakes
        exact(slip, effort, cap)
    assert (cap.brake_mps2 < NO_CAP) is foresees


def test_a_small_slip_that_grows_with_the_brake_is_not_a_lock() -> None:
    cap = rolled()
    slipping(cap, 0.005, 1.0, 2)
    slipping(cap, 0.025, 4.0)
    assert cap.brake_mps2 == NO_CAP


@pytest.mark.parametrize("error", [0.03, 0.045])
def test_wheels_of_a_smaller_radius_than_reported_do_not_hold_the_brake_back(error: float) -> None:
    """The car has rolled before it brakes: what its wheels looked slower then is no slip."""
    cap = rolled()
    slipping(cap, error, 0.0, 300)
    slipping(cap, error, 0.6, 2)
    assert cap.brake_mps2 == NO_CAP
    slipping(cap, error + 0.06, 4.0, 2)
    assert cap.brake_mps2 < 4.0


def allowed_after(effort: float, *gaps_s: float) -> float:
    """Return the brake that 6 % of slip allow after reports of 2 % with an effort > 0 that drives.

    The reports are so far apart.
    """
    cap = rolled()
    for gap_s in gaps_s:
        cap.update(10.0, 0.0, (9.8, 10.0, 10.0, 10.0), effort, gap_s)
    slipping(cap, 0.06, -1.0)
    slipping(cap, 0.06, 3.0)
    return cap.brake_mps2


def test_what_looks_slower_is_learned_once_however_far_apart_the_reports_are() -> None:
    often = allowed_after(0.0, *[DT] * 500)
    assert often > allowed_after(0.0) * 1.05
    for gap_s in (0.75, 5.0):
        assert allowed_after(0.0, gap_s) == pytest.approx(often, rel=1e-3)


@pytest.mark.parametrize("effort", [-2.0, -0.5, 0.5, 2.0])
def test_wheels_that_an_effort_slows_or_speeds_up_teach_nothing(effort: float) -> None:
    assert allowed_after(effort, 5.0) == allowed_after(0.0)
    assert allowed_after(0.99 * effort, 5.0) > allowed_after(0.0) or abs(effort) > 0.5


def test_an_error_of_the_radius_that_was_not_seen_hardly_delays_a_brake() -> None:
    """The car has only been driven: its wheels never rolled without an effort."""
    taken_n = {}
    for error in (0.0, 0.045):
        cap = rolled()
        slipping(cap, error, -1.0, 100)
        sent = effort = 0.0
        taken_n[error] = 0
        while effort < 2.3:
            sent = min(2.5, cap.brake_mps2, sent + 2.5 * DT)
            effort += (sent - effort) * DT / (LAG_S + DT)
            slipping(cap, error, effort)
            taken_n[error] += 1
    assert taken_n[0.045] <= taken_n[0.0] + 5, taken_n


@pytest.mark.parametrize("grip_mps2", [2.5, 6.0])
@pytest.mark.parametrize("speed_mps", [10.0, 3.0])
@pytest.mark.parametrize("delay_s", [0.0, 0.03])
def test_a_lagging_brake_rises_to_what_the_tyres_take_and_locks_no_wheel(
    grip_mps2: float, speed_mps: float, delay_s: float
) -> None:
    """Twice what they take is asked for. Past the peak a tyre takes less, and its wheel locks."""
    cap = SlipCap(0.08, 3.0)
    cap.update(speed_mps, 0.0, (speed_mps,) * 4, 0.0, DT)
    sent = given = assumed = 0.5 * grip_mps2
    on_the_way = deque([sent] * round(delay_s / DT))
    wheel_mps, most_slip, pulls = speed_mps, 0.0, []
    for _ in range(150):
        sent = min(2.0 * grip_mps2, cap.brake_mps2, sent + 20.0 * DT)
        on_the_way.append(sent)
        assumed += (sent - assumed) * DT / (LAG_S + DT)
        given += (on_the_way.popleft() - given) * DT / (LAG_S + DT)
        for _ in range(20):
            pull = grip_mps2 * tyre((speed_mps - wheel_mps) / speed_mps)
            wheel_mps = min(max(wheel_mps + 20.0 * (pull - given) * DT / 20, 0.0), speed_mps)
        most_slip = max(most_slip, (speed_mps - wheel_mps) / speed_mps)
        pulls.append(pull)
        cap.update(speed_mps, 0.0, (wheel_mps, wheel_mps, speed_mps, speed_mps), -assumed, DT)
    assert most_slip < 0.12
    assert sum(pulls[50:]) / 100 > 0.95 * grip_mps2


@pytest.mark.parametrize("before_mps2", [1.5, 0.5, 0.0])
def test_a_brake_that_acts_sooner_than_assumed_rises_to_what_the_tyres_take(
    before_mps2: float,
) -> None:
    """S6-2: what is assumed lags behind a drive. A slip foresees too little then; the brake falls.

    The slip falls with it. A brake that stepped back to what is asked for would look like a lock,
    and begin a cap at an effort that is assumed too small.
    """
    cap, speed_mps, grip_mps2 = SlipCap(0.09, 3.0), 7.0, 2.75
    sent, wheel_mps, assumed = 0.0, speed_mps, -before_mps2
    for period_n in range(60):
        is_reached = sent > cap.brake_mps2 - 0.05
        cap.update(speed_mps, 0.0, (wheel_mps, *(speed_mps,) * 3), -assumed, DT, is_reached)
        sent = min(2.5, 20.0 * DT * period_n, cap.brake_mps2)
        assumed += (sent - assumed) * DT / (LAG_S + DT)
        wheel_mps = speed_mps * (1.0 - 0.09 * (1.0 - math.sqrt(1.0 - sent / grip_mps2)))
    assert sent > 2.4


@pytest.mark.parametrize("slip", [0.02, 0.0, -0.01])
def test_a_brake_at_what_was_foreseen_rises_from_there_until_less_is_asked_for(slip: float) -> None:
    for is_reached in (True, False):
        cap = rolled()
        slipping(cap, 0.06, -1.0)
        slipping(cap, 0.06, 3.0)
        before = cap.brake_mps2
        assert before < 4.0
        wheel_mps = 10.0 * (1.0 - slip)
        cap.update(10.0, 0.0, (wheel_mps,) * 4, -3.0, DT, is_reached)
        assert cap.brake_mps2 == (pytest.approx(before + 0.12) if is_reached else NO_CAP)


def tyre(slip: float) -> float:
    """The share of a tyre's force: its peak is at 0.09, a locked wheel has 0.7."""
    share = slip / 0.09
    return share * (2.0 - share) if share < 1.0 else max(1.3 - 0.3 * share, 0.7)

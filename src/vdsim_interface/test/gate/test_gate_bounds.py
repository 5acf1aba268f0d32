"""What a small change of a bound or of a first value would change."""

import math

import pytest
from vdsim_interface.gate import START
from vdsim_interface.safety.rules import steer_rate
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    BodyCommand,
    DriverActivity,
    Gear,
    RawCommand,
    Stop,
)
from vdsim_interface_kit.exploration.gate_packets import (
    EMERGENCY,
    PERIOD_S,
    STALE,
    Packets,
    effort,
    emergency,
)
from vdsim_interface_kit.exploration.gate_scene import limits

SOFT, HARD = Stop("soft", 2.0, 2.0), Stop("hard", 5.0, 10.0)


def test_before_the_first_packet_nothing_is_sent_demanded_or_latched() -> None:
    assert START[:-1] == (-math.inf, 0, -math.inf, 0, 0, 0, 0, False, 0, 0, -math.inf)
    assert math.isnan(START.pressed_s)


@pytest.mark.parametrize("number", [0, 1, 7])
def test_silence_follows_the_count_of_engagements(number: int) -> None:
    packets = Packets()
    packets.engagement = number
    packets.send(authority=Authority.SILENT)
    assert packets.state.engagement == number


@pytest.mark.parametrize("stops", [(SOFT, HARD), (HARD, SOFT)])
def test_of_two_stops_the_harder_counts_in_any_order(stops: tuple[Stop, ...]) -> None:
    packets = Packets()
    packets.send(0.0)
    packets.stops = stops
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(HARD.jerk_mps3 * PERIOD_S)
    packets.send_n(100, 0.0)
    assert packets.state.demand_mps2 == HARD.decel_mps2


def test_a_drive_that_is_asked_for_demands_nothing() -> None:
    packets = Packets()
    packets.send(0.5, asked=0.5)
    assert packets.state.demand_mps2 == 0.0


@pytest.mark.parametrize(("drive", "counts_as"), [(0.5, 0.5), (0.0, -3.0), (-0.5, -3.0)])
def test_a_brake_beside_a_drive_is_not_what_the_gate_remembers(
    drive: float, counts_as: float
) -> None:
    packets = Packets(speed=0.0)
    packets.send(drive, hold_mps2=3.0)
    assert packets.state.effort_mps2 == counts_as


def test_a_car_has_answered_after_a_packet_that_is_longer_than_its_response() -> None:
    packets = Packets()
    packets.limits = packets.limits.__class__(packets.limits.safety, 0.5, 0.5, 3.0, 0.0, 0.6, 0.1)
    packets.send(0.0, after_s=0.5)
    packets.stops = (HARD,)
    packets.send(0.0, after_s=0.5)
    assert packets.state.settled_mps2 == packets.state.demand_mps2 == HARD.decel_mps2


def test_a_stop_that_ends_a_small_drive_brakes_by_its_jerk_from_nothing() -> None:
    packets = Packets()
    packets.accel = 1.0  # the car does not answer yet
    packets.send(0.5)
    packets.stops = (HARD,)
    assert effort(packets.send(0.5)) == pytest.approx(-HARD.jerk_mps3 * PERIOD_S)


def test_an_emergency_stop_counts_before_any_packet() -> None:
    packets = Packets()
    packets.stops = (EMERGENCY, STALE)
    packets.send(0.0, authority=Authority.SILENT)
    assert packets.state.emergency_mps2 == EMERGENCY.decel_mps2


def test_a_car_that_has_just_been_driven_a_little_is_held_at_once() -> None:
    packets = Packets(speed=0.5)
    packets.accel = 1.0
    packets.send(0.5)
    packets.stops = (SOFT,)
    assert effort(packets.send(0.5)) == -packets.hold


def test_a_gentle_emergency_stop_brakes_in_silence_too() -> None:
    packets = Packets()
    packets.accel = 1.0
    packets.stops = (EMERGENCY._replace(decel_mps2=0.8),)
    assert packets.send(0.0, authority=Authority.SILENT).authority is not Authority.SILENT


def test_a_car_that_its_demand_does_not_stop_within_half_a_metre_is_braked_on() -> None:
    packets = Packets(speed=1.45, limits=limits())
    packets.send(0.0, after_s=0.5)
    packets.stops = (SOFT,)
    sent = [effort(packets.send(0.0, after_s=0.5)) for _ in range(2)]
    assert sent == [-1.0, -2.0]


def test_what_the_car_can_have_answered_follows_the_demand_by_its_response() -> None:
    packets = Packets()
    packets.stops = (HARD,)
    packets.send(0.0)
    demand = HARD.jerk_mps3 * PERIOD_S
    assert packets.state.settled_mps2 == pytest.approx(demand * PERIOD_S / 0.3)


def test_wheels_that_turn_at_their_rate_pass_as_they_are() -> None:
    packets = Packets()
    packets.send(0.0)
    wheelbase_m = packets.limits.wheelbase_m
    rate = steer_rate(packets.speed, 0.0, wheelbase_m, packets.limits.safety)
    packets.send(0.0, front=rate * PERIOD_S)
    assert packets.changes == ()


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_a_release_is_reported_as_it_is_sent(gear: Gear) -> None:
    packets = Packets(speed=10.0 if gear is Gear.DRIVE else -10.0)
    packets.gear, packets.body = gear, BodyCommand(gear=gear)
    sign = 1.0 if gear is Gear.DRIVE else -1.0
    packets.stops = (HARD,)
    packets.send_n(50, 0.0)
    packets.stops = ()
    sent = packets.send(sign * 2.0)
    change = packets.changes[0]
    assert (change.before, change.after) == (sign * 2.0, effort(sent))


def test_the_least_throttle_in_a_gear_that_is_refused_is_a_drive() -> None:
    packets = Packets(speed=5.0)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    assert packets.send(0.0, raw=RawCommand(0.0, throttle=1)).raw is None


@pytest.mark.parametrize("asked", [-0.01, -0.5, -1.0, -3.0])
def test_a_stop_begins_at_the_gentlest_braking_that_was_asked_for(asked: float) -> None:
    packets = Packets()
    packets.send(asked)
    assert packets.state.demand_mps2 == -asked


def test_a_report_in_which_nobody_uses_the_controls_shows_no_person() -> None:
    packets = Packets()
    packets.driver = DriverActivity(pedal=False)  # another object, and equal to NO_DRIVER
    packets.send(authority=Authority.SILENT)
    packets.stops = (EMERGENCY,)
    assert packets.send(authority=Authority.SILENT).authority is Authority.IDLE


def test_of_a_gear_that_is_refused_nothing_else_is_reported() -> None:
    packets = Packets(speed=5.0)
    packets.body = BodyCommand(gear=Gear.PARK)
    packets.send(0.0)
    assert [change.channel for change in packets.changes] == ["gear"]


def test_at_the_speed_of_standstill_an_emergency_stop_is_released() -> None:
    packets = emergency(Packets())
    packets.stops = ()
    packets.emergency_n += 1
    packets.speed = packets.limits.safety.standstill_speed_mps
    packets.send(0.0)
    assert packets.state.emergency_mps2 == 0.0


def test_a_person_of_exactly_one_second_ago_still_has_the_controls() -> None:
    packets = Packets()
    packets.driver = DriverActivity(pedal=True)
    packets.send(authority=Authority.SILENT)
    packets.driver = NO_DRIVER
    packets.stops = (EMERGENCY,)
    packets.now = packets.state.person_s
    assert packets.send(authority=Authority.SILENT, after_s=1.0).authority is Authority.SILENT


@pytest.mark.parametrize(
    ("gear", "limit"),
    [(Gear.PARK, "standstill_speed_mps"), (Gear.REVERSE, "gear_change_speed_mps")],
)
def test_at_its_speed_a_gear_may_be_set(gear: Gear, limit: str) -> None:
    packets = Packets()
    packets.speed = getattr(packets.limits.safety, limit)
    packets.body = BodyCommand(gear=gear)
    assert packets.send(0.0).body.gear is gear


def test_at_its_speed_the_hand_brake_may_be_set_and_above_it_is_reported_as_refused() -> None:
    packets = Packets()
    packets.speed = packets.limits.safety.gear_change_speed_mps
    packets.body = BodyCommand(gear=Gear.DRIVE, hand_brake=True)
    assert packets.send(0.0).body.hand_brake
    packets.speed += 0.01
    assert not packets.send(0.0).body.hand_brake
    [change] = packets.changes
    assert (change.channel, change.before, change.after) == ("hand_brake", True, False)


@pytest.mark.parametrize("emergency_n", [1, 3])
def test_a_release_of_what_is_not_latched_is_counted(emergency_n: int) -> None:
    packets = Packets()
    packets.send(0.0)
    packets.emergency_n = emergency_n
    packets.send(0.0)
    assert packets.state.emergency_n == emergency_n


def test_a_pedal_that_is_pressed_at_a_release_is_newly_pressed_in_the_next_stop() -> None:
    packets = emergency(Packets(speed=0.0))
    packets.stops, packets.driver = (), DriverActivity(accelerator=True)
    packets.emergency_n += 1
    packets.send(0.0)
    assert math.isnan(packets.state.pressed_s)


def test_a_car_that_stands_and_was_not_driven_gets_its_hold_by_the_jerk_of_the_stop() -> None:
    packets = Packets(speed=0.0)
    packets.send(0.0)
    packets.stops = (STALE,)
    assert effort(packets.send(0.0)) == pytest.approx(-STALE.jerk_mps3 * PERIOD_S)

"""The gate alone: what passes unchanged, and each of its promises from packet to packet."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.gate import START, Facts, GateLimits, GateState, Wanted, gate
from vdsim_interface.gate.gate import GIVEN_S, NO_STOP
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    BodyCommand,
    Change,
    DriverActivity,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Stop,
    Until,
    VehicleCommand,
)

NAN, INF = math.nan, math.inf
PERIOD_S = 0.01
LIMITS = GateLimits(SafetyParameters(), PERIOD_S, 0.5, 3.0, 0.0, 0.6, 0.1)
STALE = Stop("command_timeout", 2.5, 2.5)
CABIN = Stop("cabin_unsecured", 2.5, 2.5, Until.ENGAGED)
EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)
DRIVE_BODY = BodyCommand(gear=Gear.DRIVE)


class Packets:
    """Consecutive packets of a car in D; `speed` and the rest are what the vehicle reports."""

    def __init__(self, speed: float = 10.0, limits: GateLimits = LIMITS) -> None:
        self.limits, self.speed = limits, speed
        self.state: GateState = START
        self.now = 100.0
        self.accel = self.front = 0.0
        self.hold, self.slips = 2.0, False
        self.report_age_s = self.command_age_s = 0.0
        self.gear: Gear | None = Gear.DRIVE
        self.hand_brake = False
        self.driver = NO_DRIVER
        self.stops: tuple[Stop, ...] = ()
        self.engagement, self.emergency_n = 1, 0
        self.body = DRIVE_BODY
        self.changes: tuple[Change, ...] = ()

    def send(
        self,
        accel: float = 0.0,
        front: float = 0.0,
        *,
        asked: float | None = None,
        authority: Authority = Authority.COMMAND,
        after_s: float = PERIOD_S,
        raw: RawCommand | None = None,
        **more: Any,
    ) -> PlatformCommand:
        """The command that is sent in place of an effort and an angle."""
        self.now += after_s
        vehicle = VehicleCommand(self.now - self.command_age_s, accel, front)
        command = PlatformCommand(
            authority, Mode.AUTONOMOUS, vehicle, self.body, raw, AccelMeaning.KINEMATIC, **more
        )
        wanted = Wanted(
            command,
            accel if asked is None else asked,
            self.stops,
            self.engagement,
            self.emergency_n,
        )
        facts = Facts(
            self.now,
            self.now - self.command_age_s,
            self.now - self.report_age_s,
            self.speed,
            self.accel,
            self.hold,
            self.slips,
            self.front,
            0.0,
            self.gear,
            self.hand_brake,
            self.driver,
        )
        sent, self.state, self.changes = gate(self.state, wanted, facts, self.limits)
        return sent

    def send_n(self, count: int, accel: float = 0.0, **more: Any) -> PlatformCommand:
        for _ in range(count):
            sent = self.send(accel, **more)
        return sent


def effort(command: PlatformCommand) -> float:
    return command.vehicle.long_accel_mps2


# ---- it passes what is in order ------------------------------------------------------------------


def test_a_command_in_order_passes_as_the_same_object() -> None:
    packets = Packets()
    vehicle = VehicleCommand(packets.now, 1.5, 0.001)
    packets.now += PERIOD_S
    command = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, vehicle, DRIVE_BODY)
    facts = Facts(packets.now, packets.now, packets.now, 10.0, 0.0, 2.0, False, 0.0, 0.0,
                  Gear.DRIVE, False, NO_DRIVER)  # fmt: skip
    sent, state, changes = gate(START, Wanted(command, 1.5, (), 1, 0), facts, LIMITS)
    assert sent is command
    assert changes == ()
    assert len(state) <= 12


def test_silence_passes_as_silence() -> None:
    packets = Packets()
    sent = packets.send(authority=Authority.SILENT)
    assert sent.authority is Authority.SILENT
    assert packets.state.sent_s == -INF


# ---- a: no drive ---------------------------------------------------------------------------------

CAUSES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("a stop", {"stops": (STALE,)}, {}),
    ("a stale command", {"command_age_s": 0.51}, {}),
    ("a command of the future", {"command_age_s": -0.51}, {}),
    ("a stale report", {"report_age_s": 0.11}, {}),
    ("no authority", {}, {"authority": Authority.IDLE}),
    ("an effort that is no number", {}, {"accel": NAN, "asked": 0.0}),
)


@pytest.mark.parametrize(("name", "facts", "call"), CAUSES, ids=[c[0] for c in CAUSES])
@pytest.mark.parametrize("speed", [12.0, 0.5, 0.0])
def test_the_first_packet_after_the_cause_has_no_drive(
    name: str, facts: dict[str, Any], call: dict[str, Any], speed: float
) -> None:
    packets = Packets(speed)
    packets.send_n(5, 2.0)
    for field, value in facts.items():
        setattr(packets, field, value)
    sent = packets.send(**{"accel": 2.0, **call})
    assert effort(sent) <= 0.0
    assert sent.no_drive
    assert sent.hold_mps2 == 0.0


@pytest.mark.parametrize("speed", [0.9, 0.3, 0.0, -0.2])
def test_a_slow_car_whose_drive_is_taken_away_is_held_in_the_same_packet(speed: float) -> None:
    packets = Packets(speed)
    packets.hold = 3.4
    packets.send_n(5, 2.0)
    packets.stops = (STALE,)
    assert effort(packets.send(2.0)) == -3.4
    assert effort(packets.send(-0.1)) == -3.4, "and stays held"


def test_a_faster_one_is_not() -> None:
    packets = Packets(1.1)
    packets.send_n(5, 2.0)
    packets.stops = (STALE,)
    assert effort(packets.send(2.0)) > -1.0


def test_both_pedals_of_a_start_become_the_brake() -> None:
    packets = Packets(0.0)
    packets.send_n(5, 1.0, hold_mps2=4.0)
    packets.stops = (STALE,)
    sent = packets.send(1.0, hold_mps2=4.0)
    assert (effort(sent), sent.hold_mps2) == (-4.0, 0.0)


@pytest.mark.parametrize("speed", [0.5, 0.0])
def test_a_start_whose_drive_is_still_zero_keeps_the_brake_of_its_second_pedal(
    speed: float,
) -> None:
    packets = Packets(speed)
    packets.send_n(5, 0.0, hold_mps2=4.0)
    packets.stops = (STALE,)
    assert effort(packets.send(0.0)) <= -packets.hold


def test_a_car_that_rolls_back_is_held_at_once() -> None:
    packets = Packets(3.0)
    packets.stops = (STALE,)
    packets.send_n(2)
    packets.speed = -0.05
    assert effort(packets.send(0.0)) == -packets.hold


def test_a_slow_stop_rises_to_the_brake_that_holds_whatever_else_it_may_do() -> None:
    packets = Packets(0.8)
    packets.stops, packets.slips = (STALE,), True
    assert effort(packets.send(0.0)) == pytest.approx(-0.025)
    assert effort(packets.send_n(100, 0.0)) == -packets.hold


# ---- b: no stop brakes less than before ----------------------------------------------------------


def test_the_demand_starts_at_what_was_asked_and_never_falls_while_the_car_moves() -> None:
    packets = Packets()
    packets.send_n(5, -5.0)
    packets.stops = (STALE,)
    for _ in range(100):
        assert effort(packets.send(0.0)) <= -5.0 + 1e-9
    assert packets.state.demand_mps2 == 5.0


def test_it_rises_with_the_jerk_of_the_stop_to_the_hardest() -> None:
    packets = Packets()
    packets.send_n(2)
    packets.stops = (STALE,)
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(0.025)
    packets.stops = (STALE, EMERGENCY)
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(0.525)
    packets.send_n(60)
    assert packets.state.demand_mps2 == 6.0


def test_what_the_sender_asks_counts_on_top() -> None:
    packets = Packets()
    packets.stops = (CABIN,)
    packets.send(-4.0)
    assert packets.state.demand_mps2 == 4.0


@pytest.mark.parametrize(
    ("facts", "may_be_less"),
    [
        ({}, False),
        ({"slips": True}, True),
        ({"accel": -2.4}, True),
        ({"accel": -1.5}, False),
        ({"speed": 1.4}, True),
        ({"speed": 1.6}, False),
        ({"speed": -1.4}, True),
    ],
)
def test_the_effort_is_below_the_demand_only_with_a_reason(
    facts: dict[str, Any], may_be_less: bool
) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(400, -2.5)
    for field, value in facts.items():
        setattr(packets, field, value)
    sent = packets.send_n(100, -0.4, asked=-2.5)
    assert (effort(sent) > -2.4) is may_be_less


def test_an_effort_that_falls_short_rises_with_the_jerk_of_the_stop() -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(400, -0.4, asked=-2.5)
    assert effort(packets.send(-0.4, asked=-2.5)) == -2.5
    packets.slips = True
    packets.send(-0.4, asked=-2.5)
    packets.slips = False
    assert effort(packets.send(-0.4, asked=-2.5)) == pytest.approx(-0.425)


@pytest.mark.parametrize(("wanted", "sent"), [(-0.5, -2.5), (-2.6, -2.6), (-9.0, -3.0)])
def test_blind_it_lies_between_the_demand_and_a_fifth_more(wanted: float, sent: float) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(200, -2.5)
    packets.report_age_s = 1.0
    assert effort(packets.send(wanted, asked=-2.5)) == pytest.approx(sent)


def test_blind_a_brake_that_was_harder_before_stays() -> None:
    packets = Packets(0.0)
    packets.stops = (STALE,)
    packets.send_n(200, -4.0, asked=-2.5)
    packets.report_age_s = 1.0
    assert effort(packets.send(-4.0, asked=-2.5)) == -4.0


def test_at_rest_the_demand_is_let_go_to_what_stands() -> None:
    packets = Packets()
    packets.send_n(2, -5.0)
    packets.stops = (STALE,)
    packets.send_n(5)
    packets.speed = 0.0
    packets.send(0.0)
    assert packets.state.demand_mps2 == 2.5


@pytest.mark.parametrize("asked", [-INF, NAN])
def test_a_demand_that_is_no_number_changes_nothing(asked: float) -> None:
    packets = Packets()
    packets.send_n(2, -5.0)
    packets.stops = (STALE,)
    packets.send(0.0, asked=asked)
    assert packets.state[1:3] == (5.0, 5.0)
    packets.stops, packets.speed = (), 0.0
    packets.send(1.0, asked=asked)
    assert packets.state[1:3] == (0.0, NO_STOP)


def test_a_stop_that_ends_while_the_car_moves_is_released_by_the_jerk_whatever_the_rules_are() -> (
    None
):
    packets = Packets(limits=LIMITS._replace(safety=SafetyParameters(enabled=False)))
    packets.send_n(5, -2.5)
    packets.stops = (STALE,)
    packets.send_n(5, -2.5)
    packets.stops = ()
    sent = [effort(packets.send(1.0)) for _ in range(36)]
    steps = [after - before for before, after in zip([-2.5, *sent], sent, strict=False)]
    assert steps[:34] == pytest.approx([0.1] * 34)
    assert [change.kind for change in packets.changes] == []
    assert sent[-1] == 1.0
    assert effort(packets.send(2.0)) == 2.0, "after that the sender's own jerk counts"


@pytest.mark.parametrize(
    ("facts", "call"),
    [
        ({"speed": 0.0}, {}),
        ({"slips": True}, {}),
        ({}, {"hold_mps2": 3.0}),
        ({}, {"raw": RawCommand(100.0)}),
    ],
    ids=["at rest", "wheels slip", "both pedals", "raw"],
)
def test_a_release_is_not_delayed(facts: dict[str, Any], call: dict[str, Any]) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(200, -2.5)
    packets.stops = ()
    for field, value in facts.items():
        setattr(packets, field, value)
    assert effort(packets.send(1.0, **call)) == 1.0
    assert packets.changes == ()


def test_the_next_stop_in_a_release_starts_at_what_was_demanded() -> None:
    packets = Packets()
    packets.send_n(5, -2.5)
    packets.stops = (STALE,)
    packets.send_n(5, -2.5)
    packets.stops = ()
    packets.send_n(3, 1.0)
    packets.stops = (STALE,)
    assert effort(packets.send(1.0)) == pytest.approx(-2.2, abs=0.03)


# ---- c: the emergency stop -----------------------------------------------------------------------


def emergency(packets: Packets, count: int = 30) -> Packets:
    packets.stops = (EMERGENCY,)
    packets.send_n(count, -1.0)
    assert packets.state.emergency_mps2 == 6.0
    return packets


@pytest.mark.parametrize("authority", list(Authority))
def test_nothing_upstream_ends_it(authority: Authority) -> None:
    packets = emergency(Packets())
    packets.stops = ()
    packets.engagement += 1
    sent = packets.send(2.0, authority=authority)
    assert sent.authority is not Authority.SILENT
    assert effort(sent) <= -6.0 + 1e-9


def test_it_is_released_at_standstill_and_not_before() -> None:
    packets = emergency(Packets())
    packets.stops, packets.emergency_n = (), 1
    packets.send(2.0)
    assert packets.state.emergency_mps2 == 6.0, "the car moves"
    packets.speed = 0.0
    assert effort(packets.send(2.0)) == 2.0
    assert packets.state.emergency_mps2 == 0.0


def test_a_count_that_falls_releases_nothing() -> None:
    packets = Packets(0.0)
    packets.emergency_n = 3
    packets.send()
    emergency(packets)
    packets.stops, packets.emergency_n = (), 0
    packets.send(2.0)
    assert packets.state.emergency_mps2 == 6.0, "the safety stage was started again"
    packets.emergency_n = 1
    packets.send(2.0)
    assert packets.state.emergency_mps2 == 0.0


def test_where_nothing_was_sent_it_brakes() -> None:
    packets = Packets()
    packets.send(authority=Authority.SILENT)
    packets.stops = (EMERGENCY,)
    sent = packets.send_n(20, 0.0, authority=Authority.SILENT)
    assert sent.authority is Authority.IDLE
    assert effort(sent) == pytest.approx(-6.0)


@pytest.mark.parametrize(("ago_s", "brakes"), [(0.9, False), (1.1, True)])
def test_unless_a_person_used_the_controls_within_the_last_second(
    ago_s: float, brakes: bool
) -> None:
    packets = Packets()
    packets.driver = DriverActivity(pedal=True)
    packets.send(authority=Authority.SILENT)
    packets.driver = NO_DRIVER
    packets.stops = (EMERGENCY,)
    sent = packets.send(authority=Authority.SILENT, after_s=ago_s)
    assert (sent.authority is Authority.IDLE) is brakes
    assert packets.state.emergency_mps2 == 6.0, "latched in any case"


@pytest.mark.parametrize(
    ("driver", "ends"),
    [
        (DriverActivity(accelerator=True), True),
        (DriverActivity(switch=True), True),
        (DriverActivity(pedal=True), False),
        (DriverActivity(wheel=True), False),
        (DriverActivity(gear_lever=True), False),
    ],
)
def test_a_person_ends_it_by_accelerator_or_switch_alone(
    driver: DriverActivity, ends: bool
) -> None:
    packets = emergency(Packets())
    packets.driver = driver
    for _ in range(30):
        assert packets.send(authority=Authority.SILENT).authority is Authority.IDLE
    sent = packets.send_n(5, authority=Authority.SILENT)
    assert (sent.authority is Authority.SILENT) is ends
    assert packets.state.emergency_mps2 == 6.0, "it stays latched"


def test_a_pedal_that_was_pressed_before_has_to_be_released_first() -> None:
    packets = Packets()
    packets.send()
    packets.driver = DriverActivity(accelerator=True)
    emergency(packets, 100)
    assert packets.state.pressed_s != GIVEN_S
    packets.driver = NO_DRIVER
    packets.send()
    packets.driver = DriverActivity(accelerator=True)
    packets.send_n(40)
    assert packets.state.pressed_s == GIVEN_S


def test_a_pedal_that_is_pressed_for_a_moment_ends_nothing() -> None:
    packets = emergency(Packets())
    for _ in range(10):
        packets.driver = DriverActivity(accelerator=True)
        packets.send_n(25)
        packets.driver = NO_DRIVER
        packets.send()
    assert packets.state.pressed_s != GIVEN_S


def test_it_is_not_released_while_the_speed_is_unknown() -> None:
    packets = emergency(Packets(0.0))
    packets.stops, packets.emergency_n, packets.report_age_s = (), 1, 1.0
    packets.send(2.0)
    assert packets.state.emergency_mps2 == 6.0
    packets.report_age_s = 0.0
    packets.send(2.0)
    assert packets.state.emergency_mps2 == 0.0, "it counts once the car is known to stand"


def test_a_person_in_a_report_of_the_past_does_not_keep_it_from_braking() -> None:
    packets = Packets()
    packets.driver, packets.report_age_s = DriverActivity(pedal=True), 5.0
    packets.send(authority=Authority.SILENT)
    packets.stops = (EMERGENCY,)
    assert packets.send(authority=Authority.SILENT).authority is Authority.IDLE


def test_an_accelerator_in_a_report_of_the_past_does_not_end_it() -> None:
    packets = emergency(Packets())
    packets.driver = DriverActivity(accelerator=True)
    packets.send_n(5)
    packets.report_age_s = 1.0
    packets.send_n(100)
    packets.report_age_s = 0.0
    packets.send_n(29)
    assert packets.state.pressed_s != GIVEN_S, "how long it is pressed counts from here"
    packets.send_n(5)
    assert packets.state.pressed_s == GIVEN_S


@pytest.mark.parametrize("age_s", [0.0, 1.0])
def test_what_may_have_been_pressed_before_is_not_newly_pressed(age_s: float) -> None:
    packets = Packets()
    packets.send()
    packets.driver, packets.report_age_s = DriverActivity(accelerator=True), age_s
    emergency(packets, 5)
    packets.report_age_s = 1.0
    packets.send_n(5)
    packets.report_age_s = 0.0
    packets.send_n(100)
    assert packets.state.pressed_s != GIVEN_S


def test_where_a_person_has_taken_it_no_sender_drives_until_it_is_released() -> None:
    packets = emergency(Packets())
    packets.driver = DriverActivity(accelerator=True)
    packets.send_n(40, authority=Authority.SILENT)
    packets.driver, packets.stops = NO_DRIVER, ()
    packets.engagement += 1
    sent = packets.send(2.0)
    assert effort(sent) <= 0.0
    assert sent.no_drive


@pytest.mark.parametrize(("ago_s", "brakes"), [(0.5, False), (1.5, True)])
def test_the_next_request_takes_it_back_from_a_person_who_has_let_go(
    ago_s: float, brakes: bool
) -> None:
    packets = emergency(Packets())
    packets.driver = DriverActivity(accelerator=True)
    sent = packets.send_n(40, authority=Authority.SILENT)
    assert sent.authority is Authority.SILENT
    packets.driver = NO_DRIVER
    sent = packets.send(authority=Authority.SILENT, after_s=ago_s)
    assert sent.authority is Authority.SILENT, "the first one is theirs"
    packets.emergency_n += 1
    sent = packets.send(authority=Authority.SILENT)
    assert (sent.authority is Authority.IDLE) is brakes


# ---- d: no restart by itself ---------------------------------------------------------------------


def test_a_stop_that_held_the_car_passes_no_drive_until_a_later_engagement() -> None:
    packets = Packets(0.0)
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops = ()
    assert effort(packets.send_n(200, 2.0)) <= 0.0
    packets.engagement += 1
    assert effort(packets.send(2.0)) == 2.0


def test_one_that_ended_before_the_car_stood_does_not() -> None:
    packets = Packets(3.0)
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops = ()
    assert effort(packets.send_n(100, 2.0)) == 2.0


@pytest.mark.parametrize("authority", [Authority.COMMAND, Authority.SILENT])
def test_a_safety_side_that_starts_again_is_no_later_engagement(authority: Authority) -> None:
    packets = Packets(0.0)
    packets.engagement = 3
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops, packets.engagement = (), 0
    packets.send(authority=authority)
    assert effort(packets.send_n(2, 2.0)) <= 0.0
    packets.engagement = 1
    assert effort(packets.send(2.0)) == 2.0


# ---- e: steering, gear and hand brake ------------------------------------------------------------


@pytest.mark.parametrize("after_s", [0.002, 0.01, 0.09])
def test_one_packet_turns_the_wheel_by_one_period_at_most(after_s: float) -> None:
    packets = Packets(5.0)
    packets.send()
    sent = packets.send(0.0, 0.3, after_s=after_s)
    most = 0.8 * min(after_s, PERIOD_S)
    assert sent.vehicle.front_wheel_angle_rad == pytest.approx(most, abs=2e-6)


def test_steering_starts_from_the_reported_angle_after_silence_and_with_an_engagement() -> None:
    packets = Packets(5.0)
    packets.front = 0.2
    assert packets.send(0.0, 0.2).vehicle.front_wheel_angle_rad == 0.2
    packets.front = 0.1
    assert packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad == pytest.approx(0.208, abs=1e-5)
    packets.engagement += 1
    assert packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad == pytest.approx(0.108, abs=1e-5)


@pytest.mark.parametrize("after_raw", [False, True])
def test_a_reported_angle_beyond_the_range_is_not_sent(after_raw: bool) -> None:
    packets = Packets(5.0)
    packets.front = 0.7
    if after_raw:
        packets.send(0.0, 0.7, raw=RawCommand(packets.now))
    assert packets.send(0.0, 0.7).vehicle.front_wheel_angle_rad == 0.6


def test_without_the_rule_rate_only_the_range_holds() -> None:
    limits = LIMITS._replace(safety=SafetyParameters(disabled_rules="rate"))
    packets = Packets(5.0, limits)
    packets.send()
    assert packets.send(0.0, 0.5).vehicle.front_wheel_angle_rad == 0.5
    assert packets.send(0.0, 9.0).vehicle.front_wheel_angle_rad == 0.6
    assert packets.send(0.0, NAN).vehicle.front_wheel_angle_rad == 0.6


@pytest.mark.parametrize(
    ("gear", "speed", "is_set"),
    [
        (Gear.PARK, 0.09, True),
        (Gear.PARK, 0.11, False),
        (Gear.PARK, -0.11, False),
        (Gear.REVERSE, 0.29, True),
        (Gear.REVERSE, 0.31, False),
        (Gear.REVERSE, -5.0, True),
        (Gear.LOW, 30.0, True),
        (Gear.NEUTRAL, 30.0, True),
    ],
)
def test_a_gear_is_set_only_at_its_speed(gear: Gear, speed: float, is_set: bool) -> None:
    packets = Packets(speed)
    packets.body = BodyCommand(gear=gear)
    assert packets.send().body.gear is (gear if is_set else Gear.DRIVE)


@pytest.mark.parametrize(("speed", "is_set"), [(0.29, True), (0.31, False)])
def test_the_hand_brake_too(speed: float, is_set: bool) -> None:
    packets = Packets(speed)
    packets.body = BodyCommand(gear=Gear.DRIVE, hand_brake=True)
    assert packets.send().body.hand_brake is is_set


def test_without_a_fresh_report_neither_is_set() -> None:
    packets = Packets(0.0)
    packets.report_age_s = 1.0
    packets.body = BodyCommand(gear=Gear.PARK, hand_brake=True)
    sent = packets.send()
    assert (sent.body.gear, sent.body.hand_brake) == (Gear.DRIVE, False)


def test_what_the_vehicle_reports_itself_stays() -> None:
    packets = Packets(20.0)
    packets.gear, packets.hand_brake = Gear.PARK, True
    packets.body = BodyCommand(gear=Gear.PARK, hand_brake=True)
    sent = packets.send()
    assert sent.body is packets.body


def test_braking_in_a_refused_gear_stays_braking() -> None:
    packets = Packets(5.0)
    packets.stops = (STALE,)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    sent = packets.send(2.0, asked=-2.0)  # in R a positive acceleration brakes
    assert sent.body.gear is Gear.DRIVE
    assert effort(sent) <= -2.0


# ---- raw -----------------------------------------------------------------------------------------


def test_a_raw_command_passes_or_is_replaced_by_the_stop() -> None:
    packets = Packets()
    raw = RawCommand(packets.now, throttle=300)
    assert packets.send(0.0, raw=raw).raw is raw
    packets.stops = (EMERGENCY,)
    sent = packets.send(0.0, raw=raw)
    assert sent.raw is None
    assert effort(sent) < 0.0
    assert sent.no_drive


# ---- whatever arrives ----------------------------------------------------------------------------

NUMBERS = st.one_of(st.floats(-50.0, 50.0), st.sampled_from([NAN, INF, -INF, 1e308]))
AGES = st.sampled_from([-1.0, -0.01, 0.0, 0.05, 0.09, 0.11, 0.6, 2.0])
STOPS = st.lists(st.sampled_from([STALE, CABIN, EMERGENCY]), max_size=3).map(tuple)


@given(
    accel=NUMBERS,
    front=NUMBERS,
    asked=NUMBERS,
    speed=st.floats(-40.0, 40.0),
    stops=STOPS,
    authority=st.sampled_from(list(Authority)),
    ages=st.tuples(AGES, AGES),
    gear=st.sampled_from(list(Gear)),
    after_s=st.sampled_from([0.0, 0.01, 0.5, -1.0]),
)
def test_what_is_sent_is_finite_in_range_and_without_drive_where_none_is_allowed(
    accel: float,
    front: float,
    asked: float,
    speed: float,
    stops: tuple[Stop, ...],
    authority: Authority,
    ages: tuple[float, float],
    gear: Gear,
    after_s: float,
) -> None:
    packets = Packets(speed)
    packets.send(1.0)
    packets.stops, packets.gear = stops, gear
    packets.command_age_s, packets.report_age_s = ages
    sent = packets.send(accel, front, asked=asked, authority=authority, after_s=after_s)
    if sent.authority is Authority.SILENT:
        return
    assert math.isfinite(sum(sent.vehicle[1:]))
    assert abs(sent.vehicle.front_wheel_angle_rad) <= LIMITS.front_max_rad
    if stops or authority is not Authority.COMMAND or abs(ages[1]) > 0.1:
        direction = -1 if sent.body.gear is Gear.REVERSE else 1
        if sent.body.gear in (Gear.PARK, Gear.NEUTRAL):
            direction = -1 if speed < -0.1 else 1
        assert direction * sent.vehicle.long_accel_mps2 <= 0.0
        assert sent.no_drive

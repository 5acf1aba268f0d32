"""An emergency stop is latched; a release at standstill or a person ends it (c)."""

from __future__ import annotations

import pytest
from vdsim_interface.gate.gate import GIVEN_S
from vdsim_interface.values import NO_DRIVER, Authority, DriverActivity
from vdsim_interface_kit.exploration.gate_packets import EMERGENCY, Packets, effort, emergency


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

"""The checks on records that a test writes: each can fail, and says what it measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import pytest
from vdsim_campaign import checks
from vdsim_campaign.bounds import STOPS, limits
from vdsim_campaign.checks import Finding
from vdsim_campaign.faults import INTERFACE, Expect
from vdsim_campaign.record import Record
from vdsim_campaign.roads import FLAT, ROADS, Road
from vdsim_campaign.wire_tap import Seen
from vdsim_kit.wire_car import state_at

from vdsim_protocol import vds1

STATE_PERIOD_S = 0.005
Motion = Callable[[float], tuple[float, float]]
"""Time since the fault [s] -> speed [m/s] and throttle."""
QUIET = Expect(brakes_within_s=0.5, stop=INTERFACE)


def record(motion: Motion, lasts_s: float = 4.0, steer: Callable[[float], float] = lambda _: 0.1,
           commands: tuple[bytes, ...] = ()) -> Record:  # fmt: skip
    """A record of a fault at 0 s; the car drives again half a second after its end."""
    sender, seen = vds1.Sender(version=5), []
    for n in range(int((lasts_s + 0.6) / STATE_PERIOD_S)):
        now = n * STATE_PERIOD_S
        speed_mps, throttle = motion(now)
        state = dataclasses.replace(
            state_at(speed_mps), throttle_applied=throttle, brake_applied=0.0,
            steering_tire_angle_applied_rad=steer(now),
        )  # fmt: skip
        seen.append(Seen(now, sender.state(state, now)))
    sent = [Seen(0.0, data) for data in commands]
    return Record(
        begin_s=0.0, cleared_s=lasts_s, drives_s=lasts_s + 0.5, states=seen, commands=sent
    )


def stops_after(delay_s: float, decel_mps2: float = 2.5) -> Motion:
    def motion(now: float) -> tuple[float, float]:
        braking_s = max(0.0, now - delay_s)
        return max(0.0, 4.0 - decel_mps2 * braking_s), 0.1 if braking_s == 0.0 else 0.0

    return motion


def no_wait(begin_s: float, end_s: float) -> float:
    return 0.0


def broken(
    expect: Expect, made: Record, waited: checks.Waited = no_wait, road: Road = ROADS[FLAT]
) -> set[str]:
    return {f.requirement for f in checks.of_the_fault(expect, made, waited, road) if not f.holds}


def test_a_stop_in_time_holds() -> None:
    assert not broken(QUIET, record(stops_after(0.5)))


def test_a_late_stop_is_seen() -> None:
    assert {"brakes in time"} <= broken(QUIET, record(stops_after(0.8)))


def test_only_what_the_machine_took_lengthens_a_bound() -> None:
    late = record(stops_after(0.8))
    assert "brakes in time" in broken(QUIET, late, lambda begin_s, end_s: 0.05)
    assert "brakes in time" not in broken(QUIET, late, lambda begin_s, end_s: 0.3)


def test_a_weak_stop_is_seen_in_time_and_distance() -> None:
    found = broken(QUIET, record(stops_after(0.5, 1.0)))
    assert {"stopping time", "stopping distance"} <= found


def test_a_car_that_never_stops_is_seen() -> None:
    found = broken(QUIET, record(lambda now: (4.0, 0.0)))
    assert {"stopping time", "stopping distance", "no throttle until at rest"} <= found


def test_throttle_in_the_middle_of_a_stop_is_seen() -> None:
    def motion(now: float) -> tuple[float, float]:
        speed_mps, throttle = stops_after(0.5)(now)
        return speed_mps, 0.2 if 1.0 < now < 1.05 else throttle

    assert {"brakes in time", "no throttle until at rest"} <= broken(QUIET, record(motion))


def test_a_wheel_that_turns_during_a_stop_is_seen() -> None:
    made = record(stops_after(0.5), steer=lambda now: 0.1 + 0.02 * now)
    assert broken(QUIET, made) == {"steering held"}


def test_a_car_that_slows_down_does_not_drive_on() -> None:
    expect = Expect(drives_on=True)
    assert not broken(expect, record(lambda now: (4.0, 0.1)))
    assert broken(expect, record(lambda now: (3.4 if now > 1.0 else 4.0, 0.1))) == {"drives on"}


def test_a_late_recovery_is_seen() -> None:
    made = dataclasses.replace(record(stops_after(0.5)), drives_s=30.0)
    assert "drives again in time" in broken(QUIET, made)


def requirement(findings: list[Finding], name: str) -> Finding:
    [found] = [finding for finding in findings if finding.requirement == name]
    return found


def test_rolling_back_is_seen() -> None:
    findings = list(checks.invariants(record(lambda now: (-0.1 if now > 2.0 else 1.0, 0.0))))
    assert not requirement(findings, "no rollback").holds


def test_a_packet_that_is_not_finite_is_seen() -> None:
    good = vds1.Sender().command(vds1.Command(0.1, 0.2, 0.0, 1, False), 0.0)
    made = record(lambda now: (4.0, 0.1), commands=(good,))
    assert requirement(list(checks.invariants(made)), "every packet finite and in range").holds
    bad = bytearray(good)
    bad[40] ^= 1
    made = record(lambda now: (4.0, 0.1), commands=(good, bytes(bad)))
    assert not requirement(list(checks.invariants(made)), "every packet finite and in range").holds


def test_a_packet_that_was_not_sent_is_seen() -> None:
    def packet(throttle: float, stamp_s: float = 1.0) -> bytes:
        command = vds1.Command(0.1, throttle, 0.0, 1, False)
        return vds1.encode_command(command, seq=7, timestamp_s=stamp_s)

    sent = [packet(0.1), packet(0.2)]
    assert checks.applied_was_sent([packet(0.1)], sent).holds
    assert checks.applied_was_sent([packet(0.1, stamp_s=1.1)], sent).holds, "a clock that is wrong"
    assert not checks.applied_was_sent([packet(0.1), packet(0.3)], sent).holds


def test_a_stop_is_measured_by_what_the_tyres_take() -> None:
    made = record(stops_after(0.5, 1.4))
    assert not broken(QUIET, made, road=Road(tyres_mps2=1.5))
    assert "stopping time" in broken(QUIET, made)


@pytest.mark.parametrize("road", ["up_20", "down_20"])
def test_the_throttle_ends_as_stated_on_any_slope(road: str) -> None:
    def motion(ends_s: float, now: float) -> tuple[float, float]:
        speed_mps, _ = stops_after(0.5)(now)
        return speed_mps, 0.1 if now < ends_s else 0.0

    late, again = record(partial(motion, 0.6)), record(lambda now: motion(0.5 + (now > 0.8), now))
    assert not broken(QUIET, record(partial(motion, 0.5)), road=ROADS[road])
    assert {"brakes in time", "no throttle until at rest"} <= broken(QUIET, late, road=ROADS[road])
    assert "no throttle until at rest" in broken(QUIET, again, road=ROADS[road])


def test_a_reason_is_found_by_its_words() -> None:
    said = "INFO\nlink: no report from the vehicle for 0.2 s\n"
    assert (
        checks.reason_given("no report", said).text == "link: no report from the vehicle for 0.2 s"
    )
    assert not checks.reason_given("fail-safe", said).holds


@pytest.mark.parametrize(("expected", "ended", "holds"), [(True, True, True), (True, False, False),
                                                          (False, True, False)])  # fmt: skip
def test_autonomy_ends_where_it_must_and_only_there(
    expected: bool, ended: bool, holds: bool
) -> None:
    [found] = checks.autonomy_ended(expected, ended)
    assert found.holds is holds
    assert not list(checks.autonomy_ended(None, ended))


def test_the_bound_of_a_stop_is_the_ideal_one_with_its_margin() -> None:
    bound = limits(STOPS[INTERFACE], 4.0, 0.5, 0.0)
    # v / a + a / (2 j), as the deceleration grows at j first.
    assert bound.time_s == pytest.approx(0.5 + 1.3 * (4.0 / 2.5 + 2.5 / (2 * 2.5)), abs=0.01)
    assert limits(STOPS[INTERFACE], 4.0, 0.5, 0.1).distance_m == pytest.approx(
        bound.distance_m + 0.4
    )

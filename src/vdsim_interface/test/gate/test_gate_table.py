"""The table of docs/safety.md, which promise of the gate holds where, walked cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from vdsim_interface.gate import GateLimits
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.rule_context import RuleContext
from vdsim_interface.safety.rules import MotionCommand
from vdsim_interface.safety.stops import standing_stops
from vdsim_interface.values import (
    BodyCommand,
    Gear,
    PlatformCommand,
    RawCommand,
    Stop,
    Until,
    notice_kinds,
)
from vdsim_interface_kit.exploration.gate_packets import (
    EMERGENCY,
    INF,
    LIMITS,
    PERIOD_S,
    STALE,
    Packets,
    effort,
)

PAGE = Path(__file__).resolve().parents[4] / "docs" / "safety.md"
HEAD = "| holds | high and vehicle level | raw level | `safety.enabled: false` |"
LOST = Stop("input_lost", 2.5, 2.5, Until.ENGAGED)


class Sender:
    """Packets of one column: commands of a level, under the safety parameters of that column."""

    def __init__(self, speed: float, safety: SafetyParameters, *, raw: bool) -> None:
        self.packets = Packets(speed, limits_of(safety))
        self.raw = raw

    def send(self, accel: float, front: float = 0.0, count: int = 1) -> PlatformCommand:
        steer = 0 if front == 0.0 else 1000
        for _ in range(count):
            raw = RawCommand(self.packets.now, 300, 0, steer) if self.raw else None
            sent = self.packets.send(accel, front, raw=raw)
        return sent


def limits_of(safety: SafetyParameters) -> GateLimits:
    return replace(LIMITS, safety=safety)


def no_drive_and_emergency(sender: Sender) -> bool:
    """A cause takes the drive away in its packet; an emergency stop outlives its request."""
    packets = sender.packets
    sender.send(1.0, count=5)
    packets.stops = (STALE,)
    stale = sender.send(1.0)
    packets.stops, packets.emergency_n = (EMERGENCY,), 1
    sender.send(1.0)
    packets.stops = ()
    packets.engagement += 1
    after = sender.send(1.0)
    sent = (stale, after)
    return all(one.raw is None and one.no_drive and effort(one) <= 0.0 for one in sent)


def brakes_no_less(sender: Sender) -> bool:
    """A stop brakes harder from packet to packet, up to its own deceleration, by our command."""
    sender.send(0.0, count=5)
    sender.packets.stops = (STALE,)
    sent = [sender.send(0.0) for _ in range(200)]
    efforts = [effort(one) for one in sent]
    rises = all(after <= before for before, after in pairwise(efforts))
    ours = all(one.raw is None for one in sent)
    return rises and ours and efforts[-1] == pytest.approx(-STALE.decel_mps2)


def release_is_limited(sender: Sender) -> bool:
    sender.packets.stops = (STALE,)
    before = effort(sender.send(0.0, count=200))
    sender.packets.stops = ()
    sent = sender.send(1.0)
    most = before + sender.packets.limits.safety.jerk_max_mps3 * PERIOD_S
    return sent.raw is None and effort(sent) == pytest.approx(most)


def waits_for_an_engagement(sender: Sender) -> bool:
    packets = sender.packets
    packets.speed, packets.stops = 0.0, (LOST,)
    sender.send(1.0, count=5)
    packets.stops = ()
    waits = sender.send(1.0)
    packets.engagement += 1
    drives = sender.send(1.0)
    held = waits.raw is None and waits.no_drive
    return held and (drives.raw is not None or effort(drives) > 0.0)


def steering_rate_is_limited(sender: Sender) -> bool:
    sender.packets.speed = 2.0
    sender.send(0.0, count=5)
    sent = sender.send(0.0, 0.5)
    return sent.raw is None and abs(sent.vehicle.front_wheel_angle_rad) < 0.05


def is_in_range(sender: Sender) -> bool:
    """A number within the range of the wheel angle, by our command."""
    sent = sender.send(0.0, INF)
    return sent.raw is None and abs(sent.vehicle.front_wheel_angle_rad) <= LIMITS.front_max_rad


def body_follows_speed(sender: Sender) -> bool:
    sender.packets.body = BodyCommand(gear=Gear.REVERSE, hand_brake=True)
    body = sender.send(0.0).body
    return body.gear is Gear.DRIVE and not body.hand_brake


Holds = Callable[[Sender], bool]
PROMISES: dict[str, tuple[Holds, ...]] = {
    "a, no drive; c, emergency stop": (no_drive_and_emergency,),
    "b, no stop brakes less": (brakes_no_less,),
    "b, release by the jerk": (release_is_limited,),
    "d, a later engagement": (waits_for_an_engagement,),
    "e, rate of the wheel angle": (steering_rate_is_limited,),
    "e, finite, in range, gear and hand brake by speed": (is_in_range, body_follows_speed),
}
ON, OFF = SafetyParameters(), SafetyParameters(enabled=False)
COLUMNS = ((ON, False), (ON, True), (OFF, False))
"""The safety parameters and whether the level is raw, in the order of the page's columns."""
EVERY = frozenset(holds.__name__ for every in PROMISES.values() for holds in every)
NOT_HELD: dict[str, frozenset[str]] = {
    "always": frozenset(),
    "always: our own command replaces the raw one": frozenset(),
    "not for the cabin, which then stops nothing": frozenset(),
    "while the rule `rate` is on": frozenset(),
    "no": EVERY,
    "gear and hand brake; the platform limits counts": frozenset({"is_in_range"}),
}
"""Which promises do not hold, by the text of a cell."""


def cells() -> list[tuple[str, int, str]]:
    """Every cell of the page: its promise, its column, its text."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(HEAD) + 2
    rows = []
    for line in lines[start : start + len(PROMISES)]:
        name, *texts = (cell.strip() for cell in line.strip("|").split("|"))
        rows += [(name, column, text) for column, text in enumerate(texts)]
    return rows


@pytest.mark.parametrize(("name", "column", "text"), cells())
def test_a_promise_holds_where_the_page_says_so(name: str, column: int, text: str) -> None:
    safety, raw = COLUMNS[column]
    for holds in PROMISES[name]:
        expected = holds.__name__ not in NOT_HELD[text]
        assert holds(Sender(10.0, safety, raw=raw)) is expected, holds.__name__


def test_the_page_has_every_promise_and_column_once() -> None:
    assert [name for name, _, _ in cells()] == [name for name in PROMISES for _ in COLUMNS]


def test_without_the_rule_rate_no_steering_rate_is_limited() -> None:
    without = SafetyParameters(disabled_rules="rate")
    assert not steering_rate_is_limited(Sender(10.0, without, raw=False))


@pytest.mark.parametrize(("safety", "stops"), [(ON, 1), (OFF, 0)])
def test_an_unsecured_cabin_stops_nothing_with_safety_disabled(
    safety: SafetyParameters, stops: int
) -> None:
    context = RuleContext(
        0.0, 0.0, 0.0, Gear.DRIVE, False, True, MotionCommand(0.0, 0.0, 0.0), PERIOD_S,
        False, True, True, False, False, (False, False, False), 3.0, 0.6, 0.1, False, False, None,
    )  # fmt: skip
    standing = standing_stops(context, safety)
    assert [stop.source for stop in standing] == [notice_kinds.CABIN_UNSECURED][:stops]

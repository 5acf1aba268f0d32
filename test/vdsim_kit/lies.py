"""What a vehicle may report wrongly, and how long it takes until the interface notices.

A lie alters the reports (or the commands on their way to the car) from one moment on, in a drive in
which the signal matters. The pipeline, the packets and the car are the real ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from vdsim_interface.pipeline.vehicle_watch import SLICE_S, SLICES_N, TrackingParameters
from vdsim_interface.plausibility.checks import CHECKS
from vdsim_interface.values import HighLevelCommand, Mode, RawCommand, VehicleReport, notice_kinds

from vdsim_kit.alterations import (
    always,
    angle_scaled,
    bare,
    flipped,
    frozen,
    held,
    once,
    pedals,
    pedals_scaled,
    ramp_to_zero,
    scaled,
    steadily,
    steered_wrong,
    then,
    twisted,
    wheels,
)
from vdsim_kit.lying_platform import Alter, LyingPlatform, Twist
from vdsim_kit.plant_loop import PERIOD_S, PLAIN_WIRE, PlantLoop

KPH = 3.6
LONGEST_S = 8.0
FOLLOWING_S = TrackingParameters().lost_s + SLICE_S * (SLICES_N + 2)
"""The comparison of what was sent with what is applied: its time and its window."""


class Lie(NamedTuple):
    """`make`: what alters the reports from now on, given the last true one.

    `found_by`: the checks of which one must find it, `following`: the comparison of what was sent
    with what is applied. `ends`: whether autonomy must end. `scene`: the drive before and during.
    `always`: the vehicle reports so from its first report on. `within_s`: the time within which it
    must be found, by default the longest that the checks state.
    """

    name: str
    scene: str
    found_by: frozenset[str]
    ends: bool
    make: Callable[[VehicleReport], Alter] | None = None
    twist: Twist | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    always: Alter | None = None
    within_s: float = 0.0

    @property
    def limit_s(self) -> float:
        """The time within which it must be found [s]."""
        stated = [check.detects_s for check in CHECKS if check.name in self.found_by]
        return self.within_s or max(stated, default=FOLLOWING_S)

    def faults(self, outcome: Outcome) -> str:
        """What is wrong with an outcome; empty for nothing."""
        if not outcome.checks & self.found_by:
            return f"found by {sorted(outcome.checks)}"
        if math.isfinite(outcome.ended_s) != self.ends:
            return f"ended after {outcome.ended_s:.2f} s"
        last_s = outcome.ended_s if self.ends else outcome.noticed_s
        return f"{last_s:.2f} s" if last_s > self.limit_s + PERIOD_S else ""


class Outcome(NamedTuple):
    """Times since the lie began [s], nan: never. `checks`: what found it first."""

    noticed_s: float
    ended_s: float
    checks: frozenset[str]
    reason: str


def found(*names: str) -> frozenset[str]:
    return frozenset(names)


MIRROR = steadily(
    lambda report: {"yaw_rate_radps": -report.yaw_rate_radps, "yaw_rad": -report.yaw_rad}
)
ZERO_SPEED = steadily(lambda report: {"velocity_mps": 0.0, "lateral_velocity_mps": 0.0})
V5 = {"version": 5}
LIES: tuple[Lie, ...] = (
    Lie(
        "yaw rate: sign",
        "bend",
        found("yaw_heading", "yaw_steering"),
        True,
        flipped("yaw_rate_radps"),
    ),
    Lie("yaw rate: deg/s", "bend", found("yaw_heading"), True, scaled(57.3, "yaw_rate_radps")),
    Lie("heading: sign", "bend", found("yaw_heading"), True, flipped("yaw_rad")),
    Lie("heading: degrees", "bend", found("yaw_heading"), True, scaled(57.3, "yaw_rad")),
    Lie(
        "heading and yaw rate: always the sign",
        "slalom",
        found("yaw_steering"),
        True,
        always=always(MIRROR),
        within_s=5.0,
    ),
    Lie(
        "wheel angle: sign, report only",
        "bend",
        found("yaw_steering"),
        True,
        lambda last: steered_wrong,
    ),
    Lie(
        "wheel angle: sign, command and report",
        "slalom",
        found("yaw_steering"),
        True,
        lambda last: steered_wrong,
        twist=twisted,
    ),
    Lie("wheel angle: sign, command only", "bend", found("following"), True, None, twist=twisted),
    Lie("wheel angle: degrees", "bend", found("out_of_range"), True, angle_scaled(57.3)),
    Lie("wheel angle: rad as degrees", "bend", found("following"), True, angle_scaled(1 / 57.3)),
    Lie("speed: 9 to 0 at once", "cruise", found("speed_jump"), True, ZERO_SPEED),
    Lie("speed: one wrong report", "cruise", found("speed_jump"), False, once(0.0)),
    Lie("speed: sign", "cruise", found("speed_jump"), True, flipped("velocity_mps")),
    Lie(
        "speed: always km/h",
        "cruise",
        found("speed_position", "speed_wheels"),
        True,
        always=always(scaled(KPH, "velocity_mps", "lateral_velocity_mps")),
        within_s=2.5,
    ),
    Lie(
        "speed: always m/s as km/h",
        "raw",
        found("speed_position"),
        True,
        options={"level": "raw"},
        always=always(scaled(1 / KPH, "velocity_mps", "lateral_velocity_mps")),
        within_s=2.5,
    ),
    Lie(
        "speed: falls, nothing else does",
        "cruise",
        found("speed_acceleration"),
        True,
        ramp_to_zero,
        always=bare,
    ),
    Lie(
        "speed: stands still in a stop",
        "brake",
        # The slip control takes the slower wheels for locked ones and eases the brake.
        found("speed_frozen"),
        True,
        held("velocity_mps"),
    ),
    Lie("position: stands still", "cruise", found("speed_position"), True, held("x_m", "y_m")),
    Lie("wheel spin: zero", "cruise", found("speed_wheels"), True, wheels(0.0)),
    Lie("wheel spin: a third", "cruise", found("speed_wheels"), True, wheels(1 / KPH)),
    Lie("wheel spin: zero, slow", "creep", found("speed_wheels"), False, wheels(0.0)),
    Lie("stamp stands still", "cruise", found("stamp_frozen"), True, held("vehicle_time_s")),
    Lie("content stands still, stamp goes on", "cruise", found("speed_position"), True, frozen),
    Lie("content stands still, slow", "creep", found("speed_position"), False, frozen),
    Lie(
        "yaw rate: sign, slow", "slow bend", found("yaw_heading"), False, flipped("yaw_rate_radps")
    ),
    Lie(
        "pedals reported 0, driving",
        "pull",
        found("following"),
        True,
        pedals(0.0, 0.0),
        options=V5,
        within_s=3.5,
    ),
    Lie(
        "pedals reported 0, standing",
        "stand",
        found("following"),
        True,
        pedals(0.0, 0.0),
        options=V5,
    ),
    Lie(
        "throttle reported half open",
        "cruise",
        found("following"),
        True,
        pedals(0.5, 0.0),
        options=V5,
    ),
    Lie(
        "pedals reported 0 in a stop",
        "brake",
        found("following"),
        True,
        pedals(0.0, 0.0),
        options=V5,
        within_s=4.5,
    ),
    Lie(
        "pedals in per cent",
        "cruise",
        found("out_of_range"),
        True,
        pedals_scaled(100.0),
        options=V5,
    ),
    Lie(
        "throttle not applied, standing",
        "start",
        found("pedals_no_effect"),
        False,
        within_s=2.5,
        twist=lambda command: command._replace(
            vehicle=command.vehicle._replace(long_accel_mps2=0.0)
        ),
    ),
    Lie(
        "brake not applied",
        "brake",
        found("pedals_no_effect"),
        False,
        twist=lambda command: command._replace(
            vehicle=command.vehicle._replace(long_accel_mps2=0.0)
        ),
    ),
)
"""Every lie: what it is, when, and what must find it."""


def go(speed: float, curvature: float = 0.0) -> HighLevelCommand:
    return HighLevelCommand(0.0, speed, curvature)


def push(now: float) -> RawCommand:
    """A constant throttle pedal."""
    return RawCommand(0.0, 300, 0, 0, 0)


def slalom(now: float) -> HighLevelCommand:
    """Legs of 3 s to the left and to the right."""
    return go(7.0, 0.03 if now % 6.0 < 3.0 else -0.03)


SCENES: dict[str, tuple[float, Callable[[float], Any], Callable[[float], Any]]] = {
    "cruise": (6.0, lambda now: go(9.0), lambda now: go(9.0)),
    "raw": (1.0, push, push),
    "pull": (1.0, lambda now: go(25.0), lambda now: go(25.0)),
    "bend": (6.0, lambda now: go(8.0, 0.03), lambda now: go(8.0, 0.03)),
    "slalom": (5.0, lambda now: go(7.0), slalom),
    "brake": (6.0, lambda now: go(12.0), lambda now: go(0.0)),
    "creep": (4.0, lambda now: go(2.0), lambda now: go(2.0)),
    "slow bend": (4.0, lambda now: go(2.0, 0.1), lambda now: go(2.0, 0.1)),
    "stand": (2.0, lambda now: go(0.0), lambda now: go(0.0)),
    "start": (1.0, lambda now: go(0.0), lambda now: go(6.0)),
}
"""How long before the lie begins, the commands before, the commands after."""


def measured(lie: Lie, **options: Any) -> Outcome:
    """Drive, lie, and measure."""
    loop = PlantLoop(wrap=LyingPlatform, **{"version": PLAIN_WIRE, **lie.options, **options})
    platform = loop.platform
    assert isinstance(platform, LyingPlatform)
    before_s, before, after = SCENES[lie.scene]
    platform.lie = lie.always
    if lie.always is None or lie.make is not None:
        while loop.now < before_s:
            loop.period(before(loop.now))
        assert loop.pipeline.mode is Mode.AUTONOMOUS, lie.name
        assert not texts(loop), (lie.name, texts(loop))
    last = platform.true_report
    if lie.make is not None:
        assert last is not None
        make = lie.make if lie.always is None else then(lie.always, lie.make)
        platform.lie = make(last)
    platform.twist = lie.twist
    return _run(loop, lie, after)


def _run(loop: PlantLoop, lie: Lie, after: Callable[[float], Any]) -> Outcome:
    began = loop.now
    noticed = ended = math.nan
    checks: frozenset[str] = frozenset()
    while loop.now < began + LONGEST_S:
        loop.period(after(loop.now))
        if math.isnan(noticed) and texts(loop):
            noticed = loop.now - began
            checks = loop.pipeline.vehicle_side.plausibility.found
        if loop.pipeline.mode is Mode.DISENGAGED:
            ended = loop.now - began
            break
    reason = loop.pipeline.safety_side.status(loop.now).last_disengage_reason
    if "does not follow" in reason and not checks:
        checks = frozenset({"following"})
        noticed = ended
    if math.isnan(ended):
        reason = "; ".join(texts(loop))
    return Outcome(noticed, ended, checks, reason)


def texts(loop: PlantLoop) -> list[str]:
    """The notices of contradictions so far."""
    return [n.text for n in loop.notices if n.kind is notice_kinds.IMPLAUSIBLE_REPORT]


def outcomes(**options: Any) -> Iterator[tuple[Lie, Outcome]]:
    """Every lie on one car."""
    for lie in LIES:
        yield lie, measured(lie, **options)

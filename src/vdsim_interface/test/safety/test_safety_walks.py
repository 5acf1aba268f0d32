"""Walks over the thresholds: the whole stage answers as it did, on every side of each.

safety_walks.json holds the sums of what came out. A change that is meant is stored with

    cd src/vdsim_interface
    PYTHONPATH=. ../../ws python test/safety/test_safety_walks.py
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.gearbox import AutomaticGear
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    Blinker,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    RawCommand,
    Stop,
    Until,
    VehicleCommand,
    Wiper,
)
from vdsim_interface_kit.safety_stage import Bench
from vdsim_interface_kit.walks import Held, Row, Walk, store, sum_of, sums

STORED = Path(__file__).with_name("safety_walks.json")
WALKS_N, STEPS_N = 60, 200
NAN = math.nan
MEANINGS, AUTHORITIES = tuple(AccelMeaning), tuple(Authority)
LIMITS: tuple[dict[str, Any], ...] = (
    {},
    {"rig": "driverless"},
    {"auto_engage": True},
    {"rig": "driverless", "cabin_required": True, "stop_park_after_s": 0.3},
    {"auto_gear": False, "hold_park_after_s": 0.3, "stop_park_after_s": 0.3},
    {"enabled": False},
    {"driver_switch_required": True, "stop_park_after_s": 0.3},
)
INPUTS = {
    "sends": (*6 * ("vehicle",), "raw", "nothing"),
    "accel": (1.0, 0.0625, 0.05, 0.0, -0.05, -0.0625, -0.5, -3.0, 9.0),
    "front": (0.0, 0.1, 0.1, 0.7, -0.4),
    "rear": (0.0, 0.0, 0.05),
    "meaning": (*4 * (AccelMeaning.FLAT_ROAD,), *AccelMeaning),
    "speed": (0.0, 0.0, 0.0, 0.01, 0.05, 0.0625, -0.0625, 0.25, 0.3, 2.0, 8.0, -1.0),
    "wheels": (NAN, NAN, 0.0, 0.05, 0.0625, 1.0),
    "doubt": (*6 * ("",), "the speed disagrees"),
    "reports_come": (*19 * (True,), False),
}
ACTS = (
    *40 * ("",),
    *(
        "engage",
        "engage",
        "engage",
        "disengage",
        "door",
        "shut",
        "shut",
        "stop",
        "release",
        "switch",
    ),
    *("let go", "gear", "gear", "hand brake", "lamps", "person's gear", "person's hand brake"),
    *("not ready", "ready", "fault", "restart", "wheels", "resume", "silent"),
)


def act(bench: Bench, name: str, number: int) -> None:
    """One thing that happens before a period."""
    safety, now = bench.safety, bench.now
    gears, is_odd = tuple(Gear), bool(number % 2)
    if name in ("engage", "disengage"):
        result, notices = safety.on_change_mode(name == "engage", now)
        bench.record((*notices,))
        assert result.success or result.reason
    elif name in ("door", "shut"):
        safety.inputs.on_cabin(CabinState(doors_closed=name == "shut"), now)
    elif name in ("stop", "release"):
        stop = Stop("emergency", 6.0, 30.0, Until.RELEASED)
        safety.inputs.emergency = stop if name == "stop" else None
    elif name in ("switch", "let go"):
        safety.inputs.required.switch.on_message(name == "switch", now)
        driver = DriverActivity(switch=True) if name == "switch" else NO_DRIVER
        bench.record(safety.on_driver(driver))
    elif name == "gear":
        bench.request(gear=gears[number % len(gears)])
    elif name == "hand brake":
        bench.request(hand_brake=is_odd)
    elif name == "lamps":
        bench.request(
            blinker=tuple(Blinker)[number % 4], wiper=tuple(Wiper)[number % 4],
            headlight=tuple(Headlight)[number % 3], horn=is_odd,
        )  # fmt: skip
    elif name == "person's gear":
        bench.body = replace(bench.body, gear=gears[number % len(gears)])
    elif name == "person's hand brake":
        bench.body = replace(bench.body, hand_brake=is_odd)
    elif name in ("not ready", "ready"):
        bench.record(safety.on_vehicle_ready(name == "ready"))
    elif name == "fault":
        bench.record(safety.on_tracking("the vehicle does not brake"))
    elif name == "restart":
        bench.record(safety.restart())
    elif name == "wheels":
        safety.hold_wheels((0.2, 0.0))
    elif name == "resume":
        safety.go_on(tuple(LastDriver)[number % len(LastDriver)])


def publish_inputs(bench: Bench) -> None:
    """Cabin and driver's switch, as they were."""
    inputs, required = bench.safety.inputs, bench.safety.inputs.required
    required.on_publishers(1, 1)
    inputs.on_cabin(inputs.cabin, bench.now)
    required.switch.on_message(bool(inputs.driver.switch), bench.now)


@cache
def walk(number: int) -> list[Row]:
    """One car, with one of the sets of limits."""
    bench = Bench(rear_steering=bool(number % 3), **LIMITS[number % len(LIMITS)])
    held = Held(f"safety {number}", {**INPUTS, "act": ACTS, "number": tuple(range(12))})
    publish_inputs(bench)
    if number % 4:
        bench.engage()
    rows, last = [], ""
    for _ in range(STEPS_N):
        v = held.next()
        if v["act"] != last:
            act(bench, v["act"], v["number"])
            last = v["act"]
        if v["act"] != "silent":
            publish_inputs(bench)
        rows.append(step(bench, v))
    return rows


def step(bench: Bench, v: Mapping[str, Any]) -> Row:
    """One period: what goes in, and what comes out as numbers."""
    bench.speed, bench.wheel_mps, bench.doubt = v["speed"], v["wheels"], v["doubt"]
    bench.reports_come = v["reports_come"]
    command: VehicleCommand | RawCommand | None = None
    if v["sends"] == "vehicle":
        command = VehicleCommand(0.0, v["accel"], v["front"], v["rear"])
    elif v["sends"] == "raw":
        command = RawCommand(0.0, 300, 0, 50)
    told_n = len(bench.notices)
    output = bench.step(command, meaning=v["meaning"])
    if not output.stops:
        bench.front = output.command.vehicle.front_wheel_angle_rad
    given, vehicle, body = output.command, output.command.vehicle, output.command.body
    holder, *standing = given.standing
    context = bench.safety.request_context
    refused, before_park = context.refused_gear, context.gear_before_park
    return (
        AUTHORITIES.index(given.authority), given.mode.value, vehicle.long_accel_mps2,
        vehicle.front_wheel_angle_rad, vehicle.rear_wheel_angle_rad,
        body.gear.value, body.blinker.value, body.headlight.value, body.wiper.value,
        2 * body.hand_brake + body.horn, given.raw is not None, MEANINGS.index(given.meaning),
        holder.value, sum(2**n * flag for n, flag in enumerate(standing)),
        sum(sum_of(f"{change.kind} {change.channel}") for change in output.changes),
        sum(float(change.before) for change in output.changes),
        sum(float(change.after) for change in output.changes),
        sum(sum_of(notice.text) for notice in bench.notices[told_n:]),
        sum(stop[1] for stop in output.stops),
        context.parked_before + 2 * context.hand_brake_refused + 4 * context.autonomous,
        -1 if refused is None else refused.value, -1 if before_park is None else before_park.value,
        sum_of(bench.safety.blocked(bench.now)), sum_of(bench.safety.status(bench.now).mode_reason),
    )  # fmt: skip


GEAR = {
    "accel": (0.5, 0.0625, 0.05, 0.0, -0.05, -0.0625, -0.5),
    "current": tuple(Gear),
    "at_rest": (True, True, True, False),
    "by_speed": (False, False, True),
    "speed": (None, 0.0, 0.5, -0.5),
    "act": (*20 * ("",), "arm", "disarm"),
}


def gear_walk(number: int) -> list[Row]:
    """The sign of the acceleration in each gear, at rest and in motion."""
    automatic, held, last = AutomaticGear(), Held(f"gear {number}", GEAR), ""
    rows = []
    for _ in range(STEPS_N):
        v = held.next()
        if v["act"] and v["act"] != last:
            getattr(automatic, v["act"])()
        last = v["act"]
        chosen = automatic.choose(
            v["accel"], v["current"], Gear.LOW, v["at_rest"], 0.05, v["by_speed"], v["speed"]
        )
        rows.append((chosen.value,))
    return rows


WALKS: dict[str, Walk] = {"safety": walk, "gear": gear_walk}


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_over_the_thresholds_is_as_it_was(name: str) -> None:
    stored: list[list[float]] = json.loads(STORED.read_text(encoding="utf-8"))[name]
    for number, was in enumerate(stored):
        assert sums(WALKS[name](number)) == pytest.approx(was, rel=1e-7, abs=1e-4), f"walk {number}"
    assert len(stored) == WALKS_N


def test_the_walks_reach_every_authority_and_mode_often() -> None:
    rows = [row for number in range(WALKS_N) for row in walk(number)]
    seen = {Mode(int(row[1])): 0 for row in rows}
    for row in rows:
        seen[Mode(int(row[1]))] += 1
    assert set(seen) == set(Mode)
    assert seen[Mode.AUTONOMOUS] > 3000
    assert {row[0] for row in rows} == set(range(len(Authority)))
    for column in zip(*rows, strict=True):
        assert len(set(column)) > 1


if __name__ == "__main__":
    store(
        STORED, {name: [make(number) for number in range(WALKS_N)] for name, make in WALKS.items()}
    )

"""Walks over the thresholds: each part of the loop answers as it did, on every side of each.

stored_walks.json holds the sums of what came out. A change that is meant is stored with

    cd src/vdsim_interface
    PYTHONPATH=. ../../ws python test/longitudinal/test_stored_walks.py
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.longitudinal.motion_observer import MotionObserver
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.longitudinal.slip_cap import SlipCap
from vdsim_interface.longitudinal.standing_brake import StandingBrake
from vdsim_interface.longitudinal.start_attempts import StartAttempts
from vdsim_interface.longitudinal.stopping import StopSupervision
from vdsim_interface.platforms.spec import Capabilities
from vdsim_interface.values import (
    AccelMeaning,
    Applied,
    Authority,
    BodyCommand,
    BodyState,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Sensors,
    VehicleCommand,
    VehicleReport,
)
from vdsim_interface_kit.walks import Held, Row, Walk, store, sum_of, sums

STORED = Path(__file__).with_name("stored_walks.json")
WALKS_N, LOOP_WALKS_N = 40, 120
NAN, INF = math.nan, math.inf


def finite(value: float) -> float:
    """A number for sums: what has no limit, or is not known, counts as itself."""
    return 1e3 if value == INF else -7e3 if math.isnan(value) else value


LOOP = {
    "speed": (0.0, 0.01, -0.01, 0.03, -0.03, 0.05, -0.05, -0.06, 0.25, 0.3, 0.5, 1.0, 1.5, 6.0),
    "dt": (0.01, 0.01, 0.01, 0.01, 0.01, 0.05, 0.0625, 0.0, -0.02),
    "meaning": tuple(AccelMeaning),
    "asked": (-6.0, -2.5, -0.5, 0.0, 0.05, 0.06, 0.125, 0.175, 1.5, 4.0),
    "gear": (*5 * (Gear.DRIVE,), Gear.REVERSE, Gear.NEUTRAL),
    "hand_brake": (False, False, False, False, True),
    "pitch": (0.0, -0.1, 0.1, -0.3),
    "yaw_rate": (0.0, 0.5),
    "angle": (0.0, 0.0, 0.4),
    "felt": (0.0, 1.0, NAN),
    "wheels": (1.0, 1.0, 1.0, 1.09, 1.5, 0.5, NAN),
    "applied": (NAN, NAN, 0.0, -2.0, 3.0),
    "fresh": (True, True, True, True, False),
    "passes": (*20 * ("",), "raw", "silent", "nothing"),
    "sent": (NAN, NAN, 0.0, -0.05, -0.5),
}
STARTS = LOOP | {
    "speed": (0.0, 0.0, 0.0, 0.0, 0.005, 0.01, -0.03, -0.05, -0.06, 0.05, 0.75),
    "meaning": (*4 * (AccelMeaning.DRIVE,), *AccelMeaning),
    "asked": (0.125, 0.15, 0.175, 0.2, 1.5, 0.05),
    "gear": (*9 * (Gear.DRIVE,), Gear.REVERSE),
    "hand_brake": (*9 * (False,), True),
    "passes": (*60 * ("",), "raw"),
}


def loop_walk(number: int) -> list[Row]:
    """The whole loop, with one of four platforms."""
    platforms = (("pitch", True), ("specific_force", True), ("", False), ("pitch", False))
    slope_from, overlap = platforms[number % 4]
    capabilities = Capabilities(slope_from=slope_from, pedals_overlap=overlap)
    loop = AccelerationLoop(AccelerationParameters(), capabilities, 2.0, 2.5, 0.01)
    held = Held(f"loop {number}", LOOP if number % 3 else STARTS)
    now = 0.0
    report: VehicleReport | None = None
    rows = []
    for step_n in range(400):
        v = held.next()
        if v["fresh"] or report is None:
            now += v["dt"]
            report = reported(v, now)
        if step_n == 200:
            loop.configure(2.5, 3.0)
        command = PlatformCommand(
            Authority.SILENT if v["passes"] == "silent" else Authority.COMMAND,
            Mode.AUTONOMOUS,
            VehicleCommand(now, v["asked"], 0.1, 0.0),
            BodyCommand(gear=v["gear"], hand_brake=v["hand_brake"]),
            RawCommand(now) if v["passes"] == "raw" else None,
            v["meaning"],
        )
        seen = None if v["passes"] == "nothing" else report
        given = loop.step(command, command.vehicle, seen, fresh=v["fresh"])
        effort = given.vehicle.long_accel_mps2
        loop.on_sent(effort + v["sent"])
        flags = 4 * given.past_map + 2 * given.no_drive + bool(loop.refusal)
        texts = sum(sum_of(notice.text) for notice in loop.take_notices())
        phase = ("moving", "standing", "starting").index(loop.phase.value)
        rows.append((effort, given.hold_mps2, flags, phase, texts))
    return rows


def reported(v: Mapping[str, Any], now: float) -> VehicleReport:
    """What the vehicle says of itself."""
    spin = v["speed"] * v["wheels"] / 0.25
    return VehicleReport(
        stamp_s=now,
        vehicle_time_s=now,
        velocity_mps=v["speed"],
        front_wheel_angle_rad=v["angle"],
        body=BodyState(gear=v["gear"]),
        applied=Applied(0.0, 0.0, effort_mps2=v["applied"]),
        pitch_rad=v["pitch"],
        yaw_rate_radps=v["yaw_rate"],
        sensors=Sensors(
            accel_x_mps2=v["felt"],
            wheel_spin_radps=(spin, spin, v["speed"] / 0.25, v["speed"] / 0.25),
            wheel_radius_m=0.25,
        ),
    )


SLIP = {
    "speed": (0.05, 0.5, 1.0, 2.0, 4.0, 20.0, 0.25, -0.25, -2.0, 0.0),
    "yaw_rate": (0.0, 0.0, 0.0, 1.0, -1.0),
    "left": (1.0, 1.0, 1.0, 1.05, 0.95, 1.25, 1.5, 0.5, 0.25, 2.0, NAN),
    "rear": (1.0, 1.0, 1.0, 1.05, 1.5, 0.5, 0.0),
    "one": (0.0, 0.0, 0.125, -0.125),
    "effort": (0.0, 0.3, -0.3, 0.25, -0.25, 2.0, -2.0, 4.0, -4.0, -0.125, 0.125),
    "dt": (0.0078125, 0.0078125, 0.0078125, 0.25, 0.0),
}


def slip_walk(number: int) -> list[Row]:
    """Wheels that roll, spin and lock; a limit of the slip that is exact."""
    cap = SlipCap(0.5, 1.0 / 0.28)
    held = Held(f"slip {number}", SLIP)
    rows = []
    for step_n in range(300):
        v = held.next()
        speed = v["speed"]
        left, rear = speed * v["left"], speed * v["rear"]
        wheels = (left, left if math.isnan(left) else speed + v["one"], rear, speed)
        cap.update(speed, v["yaw_rate"], wheels, v["effort"], v["dt"])
        if step_n == 150:
            cap.configure(2.0)
            cap.reset()
        lead = cap.steered_lead_mps(
            VehicleReport(
                0.0, 0.0, speed, v["one"], BodyState(), Applied(0.0, 0.0),
                yaw_rate_radps=v["yaw_rate"],
            )
        )  # fmt: skip
        flags = 2 * cap.is_acting + cap.is_supervised
        rows.append((finite(cap.brake_mps2), finite(cap.drive_mps2), flags, lead))
    return rows


BRAKE = {
    "before": (0.0, -1.0, -2.0, -2.5, -3.0, -4.0, 0.5),
    "pull": (0.0, 1.0, 1.2, 2.0, 4.0),
    "speed": (0.0, 0.005, 0.01, -0.01, 0.03, -0.03, 0.0625, -0.0625, 0.5),
    "asked": (0.0, -1.0, -2.5, -4.0, 1.0),
    "dt_s": (0.01, 0.0625, 0.0),
    "is_new": (False, False, False, True),
    "least": (2.0, 0.0),
    "again": (False, False, False, True),
}


def brake_walk(number: int) -> list[Row]:
    """The brake of a car that stands, or nearly."""
    brake = StandingBrake(2.0)
    held = Held(f"brake {number}", BRAKE)
    rows = [(0.0, brake.more_mps2)]
    for _ in range(200):
        v = dict(held.next())
        brake.least_mps2 = v.pop("least")
        again, before = v.pop("again"), v.pop("before")
        before = rows[-1][0] if again else before
        rows.append((brake.effort(before, **v), brake.more_mps2))
    return rows


OBSERVER = {
    "speed_mps": (0.0, 1.0, 1.0625, 0.9375, -1.0),
    "known_mps2": (0.0, 1.0, -2.0, 4.5),
    "dt_s": (0.0078125, 0.0078125, 0.015625, 0.0625, 0.0, -0.25),
    "learns": (True, True, False),
    "event": (*12 * ("",), "reset", "turn", "expect", "bound"),
}


def observer_walk(number: int) -> list[Row]:
    """Speeds that fit the effort, or do not."""
    observer = MotionObserver(6.0, 4.5, "")
    held = Held(f"observer {number}", OBSERVER)
    rows = []
    for _ in range(300):
        v = dict(held.next())
        event = v.pop("event")
        if event == "reset":
            observer.reset()
        elif event == "turn":
            observer.turn()
        elif event == "expect":
            observer.expect(-0.5)
        observer.bound_mps2 = 6.0 if event == "bound" else 4.5
        observer.update(v.pop("speed_mps"), v.pop("known_mps2"), v.pop("dt_s"), **v)
        rows.append((observer.disturbance_mps2, observer.accel_mps2))
    return rows


STOPS = {
    "asked": (-2.0, -4.0, 0.0),
    "accel": (-2.0, -1.0, -1.8, -1.9, -0.5, 0.0),
    "disturbance": (0.0, 4.5, 5.0, 4.0),
    "dt_s": (0.25, 0.0625, 0.0),
    "slips": (False, False, False, False, True),
    "event": (*10 * ("",), "end", "reset"),
}


def stops_walk(number: int) -> list[Row]:
    """Stops that slow the car, or do not."""
    stops, observer = StopSupervision(4.5), MotionObserver(6.0, 4.5, "")
    held = Held(f"stops {number}", STOPS)
    rows = []
    for _ in range(200):
        v = held.next()
        if v["event"] == "end":
            stops.end(observer)
        elif v["event"] == "reset":
            stops.reset()
        observer.accel_mps2, observer.disturbance_mps2 = v["accel"], v["disturbance"]
        was_active = stops.is_active
        notices = stops.step(observer, v["asked"], v["dt_s"], slips=v["slips"])
        texts = sum(sum_of(notice.text) for notice in notices)
        rows.append((observer.bound_mps2, texts, was_active))
    return rows


ATTEMPTS = {
    "event": ("end_request", "succeed", "forget_grip", "spin", "fail", "fail", "refuse"),
    "drive": (4.0, 2.0, 3.0),
}


def attempts_walk(number: int) -> list[Row]:
    """Starts that roll back, spin and succeed."""
    attempts = StartAttempts(slope_is_reported=bool(number % 2))
    held = Held(f"attempts {number}", ATTEMPTS)
    rows = []
    for _ in range(200):
        v = held.next()
        arguments = {"spin": (v["drive"],), "refuse": ("no",)}.get(v["event"], ())
        notices = getattr(attempts, v["event"])(*arguments) or ()
        texts = sum(len(notice.text) for notice in notices)
        most = finite(attempts.most_mps2)
        rows.append((most, attempts.is_first, bool(attempts.refusal), texts))
    return rows


WALKS: dict[str, Walk] = {
    "loop": loop_walk,
    "slip cap": slip_walk,
    "standing brake": brake_walk,
    "motion observer": observer_walk,
    "stop supervision": stops_walk,
    "start attempts": attempts_walk,
}


def walks(name: str) -> list[list[Row]]:
    """All walks of a name."""
    return [WALKS[name](number) for number in range(LOOP_WALKS_N if name == "loop" else WALKS_N)]


@pytest.fixture(scope="module")
def stored() -> dict[str, list[list[float]]]:
    """The sums as they were."""
    content: dict[str, list[list[float]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_over_the_thresholds_is_as_it_was(
    name: str, stored: dict[str, list[list[float]]]
) -> None:
    for number, (rows, was) in enumerate(zip(walks(name), stored[name], strict=True)):
        assert sums(rows) == pytest.approx(was, rel=1e-7, abs=1e-4), f"walk {number}"


@pytest.mark.parametrize("name", WALKS)
def test_every_output_of_a_walk_takes_several_values(name: str) -> None:
    rows = [row for walk in walks(name) for row in walk]
    for column in zip(*rows, strict=True):
        assert len(set(column)) > 1


def test_the_loop_walks_through_every_phase_often() -> None:
    phases = [row[3] for walk in walks("loop") for row in walk]
    for phase in range(3):
        assert phases.count(phase) > 500


if __name__ == "__main__":
    store(STORED, {name: walks(name) for name in WALKS})

"""The last look at the bus: numbers computed here, not by the code that they judge.

BREAKS are mistakes that somebody could make in it, one at a time: each must make a drive or a frame
of this file fail (test_each_break_of_the_limiter_is_caught).
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from vdsim_can.car import (
    MEASURED,
    AngleLimits,
    CarFile,
    Limits,
    SignalName,
    SpeedTable,
    TorqueLimits,
)
from vdsim_can.fields.encoding import number_of
from vdsim_can.frame import Frame
from vdsim_can.platform import bounds, limiter
from vdsim_can.platform.limiter import Limiter, Situation
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.dbw_car import dbw_car, field

WHEELBASE_M = 2.97
STEP_RAD = 0.0001


def at(now: float, speed: float = 0.0, measured: float = 0.0, **more: Any) -> Situation:
    values = {"driver_nm": 0.0, "drives": True, **more}
    return Situation(now=now, speed_mps=speed, measured_rad=measured, **values)


class Bench:
    """A limiter, and a way to pack an angle or pedals as no encoder of ours would."""

    def __init__(self, car: CarFile | None = None) -> None:
        self.car = dbw_car() if car is None else car
        self.limiter = Limiter(self.car)
        self.wires = {name: WireMessage(self.car, row) for name, row in self.car.send.items()}

    def angle(self, rad: float, where: Situation) -> str:
        frame = self.wires["STEER_CMD"].frame({"ANGLE": round(rad / STEP_RAD)}, 0)
        return self.limiter.refusal("chassis", frame, where)

    def throttle(self, share: float, where: Situation) -> str:
        frame = self.wires["PEDAL_CMD"].frame({"THROTTLE": round(share / 0.0001)}, 0)
        return self.limiter.refusal("chassis", frame, where)

    def furthest(self, where: Situation, sign: int = 1) -> float:
        """The largest angle that passes, by trying [rad]; nothing counts as sent."""
        state = self.limiter._angle_rad, self.limiter._angle_s
        best = math.nan
        for step in range(0, 7000, 5):
            if not self.angle(sign * step * STEP_RAD, where):
                best = sign * step * STEP_RAD
                self.limiter._angle_rad, self.limiter._angle_s = state
        return best


def limited(**angle: Any) -> CarFile:
    """The car with these limits of the angle alone."""
    return dbw_car(limits=Limits(angle=AngleLimits(**{"wheelbase_m": WHEELBASE_M, **angle})))


def torque_car(**changes: Any) -> CarFile:
    """A car whose angle signal carries a torque, 0.01 N m a step."""
    values = {"max_nm": SpeedTable((0.0, 20.0), (3.0, 2.0)), "step_up_nm": 0.1, "step_down_nm": 0.2}
    row = field("steering_torque_nm", "STEER_CMD.ANGLE", scale=100.0)
    return dbw_car(commands=(row,), limits=Limits(torque=TorqueLimits(**{**values, **changes})))


# ---- what passes and what does not; each is a scene, run with every break ------------------------


def the_angle_is_bounded_by_the_table_by_speed() -> None:
    car = limited(max_rad=SpeedTable((0.0, 10.0, 30.0), (0.6, 0.4, 0.06)))
    for speed, most in ((0.0, 0.6), (5.0, 0.5), (10.0, 0.4), (20.0, 0.23), (50.0, 0.06)):
        for sign in (1, -1):
            bench = Bench(car)
            assert bench.furthest(at(1.0, speed * sign), sign) == pytest.approx(
                sign * most, abs=6e-4
            )


def the_rate_is_that_of_its_direction_and_of_real_time() -> None:
    car = limited(rate_up=SpeedTable((0.0, 20.0), (0.8, 0.4)), rate_down=SpeedTable((0.0,), (1.5,)))
    for speed, before, later_s, ends in (
        (0.0, 0.1, 0.01, (0.085, 0.108)),
        (0.0, -0.1, 0.01, (-0.108, -0.085)),
        (10.0, 0.1, 0.02, (0.07, 0.112)),
        (0.0, 0.1, 0.0, (0.1, 0.1)),
        (0.0, 0.1, 5.0, (-0.0266666, 0.18)),  # no more than 0.1 s counts
        (0.0, 0.003, 0.01, (-0.0064, 0.011)),  # back to 0 in 2 ms, and on at the rate of the way up
    ):
        for wanted, end in zip((-0.6, 0.6), ends, strict=True):
            bench = Bench(car)
            assert bench.angle(before, at(1.0, speed, before)) == ""
            now = at(1.0 + later_s, speed, before)
            assert bench.limiter.bounded(wanted, now) == pytest.approx(end, abs=1e-6)
            outside = end + math.copysign(2.0 * STEP_RAD, wanted)
            assert bench.angle(outside, now) != ""
            assert bench.angle(end, now) == ""


def lateral_acceleration_is_that_of_the_file_s_car() -> None:
    for slip in (0.0, -0.002):
        car = limited(lateral_accel_mps2=4.0, slip_factor_s2pm2=slip)
        for speed in (10.0, 20.0, 30.0):
            most = 4.0 * WHEELBASE_M * (1.0 - slip * speed * speed) / (speed * speed)
            assert Bench(car).furthest(at(1.0, speed)) == pytest.approx(most, abs=6e-4)
    assert Bench(limited(lateral_accel_mps2=0.1)).furthest(at(1.0, 0.0)) > 0.6


def lateral_jerk_is_a_rate_of_the_angle() -> None:
    car = limited(lateral_jerk_mps3=5.0)
    for speed in (10.0, 25.0):
        rate = 5.0 * WHEELBASE_M / (speed * speed)
        for sign in (1.0, -1.0):
            bench = Bench(car)
            assert bench.angle(0.0, at(1.0, speed)) == ""
            bound = bench.limiter.bounded(sign, at(1.02, speed))
            assert bound == pytest.approx(sign * 0.02 * rate, rel=1e-6)


def many_small_steps_are_no_faster_than_the_rate() -> None:
    """Each frame may be off by its rounding; their sum must not be."""
    bench = Bench(limited(rate_up=SpeedTable((0.0,), (0.33,))))
    now, angle = 1.0, 0.0
    bench.angle(0.0, at(now))
    for _ in range(100):
        now += 0.001
        steps = (angle + n * STEP_RAD for n in range(20, -1, -1))
        angle = next(each for each in steps if bench.angle(each, at(now)) == "")
    assert 0.025 < angle < 0.0335


def what_is_refused_is_not_what_the_next_one_counts_from() -> None:
    bench = Bench(limited(rate_up=SpeedTable((0.0,), (0.8,))))
    assert bench.angle(0.1, at(1.0, measured=0.1)) == ""
    assert bench.angle(0.4, at(1.01)) != ""
    assert bench.angle(0.405, at(1.02)) != ""
    assert bench.angle(0.115, at(1.02)) == ""
    assert bench.limiter.refused == {"front_wheel_angle_rad": 2}


def a_drive_begins_at_the_measured_angle() -> None:
    bench = Bench(limited(rate_up=SpeedTable((0.0,), (0.8,))))
    assert bench.angle(0.5, at(1.0, measured=0.1)) != ""
    assert bench.limiter.bounded(0.5, at(1.0, measured=0.1)) == pytest.approx(0.18)
    assert bench.angle(0.12, at(1.0, measured=0.1)) == ""
    bench.limiter.restart()
    assert bench.angle(0.3, at(1.01, measured=0.3)) == ""


def a_car_that_is_not_ours_sees_its_own_angle_and_no_pedal() -> None:
    bench = Bench()
    assert bench.angle(0.1, at(1.0, measured=0.1, drives=False)) == ""
    assert bench.angle(0.13, at(1.01, measured=0.1, drives=False)) != ""
    assert bench.angle(0.07, at(1.01, measured=0.1, drives=False)) != ""
    assert bench.throttle(0.0, at(1.0, drives=False)) == ""
    assert bench.throttle(0.01, at(1.0, drives=False)) != ""
    assert bench.throttle(0.5, at(1.0)) == ""


def a_car_with_a_neutral_angle_of_its_own_sees_that_one() -> None:
    row = field("front_wheel_angle_rad", "STEER_CMD.ANGLE", neutral=0.05)
    bench = Bench(dbw_car(commands=(row,)))
    assert bench.angle(0.05, at(1.0, measured=0.4, drives=False)) == ""
    assert bench.angle(0.4, at(1.0, measured=0.4, drives=False)) != ""


def only_messages_of_the_list_are_sent() -> None:
    bench = Bench()
    good = bench.wires["BODY_CMD"].frame({}, 0)
    assert bench.limiter.refusal("chassis", good, at(1.0)) == ""
    for frame, bus in (
        (good, "body"),
        (good._replace(can_id=0x103), "chassis"),
        (good._replace(extended=True), "chassis"),
        (Frame(0x200, bytes(8)), "chassis"),
    ):
        assert "not in the list" in bench.limiter.refusal(bus, frame, at(1.0))
    short = good._replace(data=b"")
    assert "0 bytes, not 2" in bench.limiter.refusal("chassis", short, at(1.0))
    assert bench.limiter.refused == {"id": 4, "length": 1}


def an_acceleration_is_bounded_and_none_drives_before_the_car_is_ours() -> None:
    row = field("long_accel_mps2", "STEER_CMD.ANGLE", scale=100.0)
    car = dbw_car(commands=(row,), limits=Limits(accel_min_mps2=-6.0, accel_max_mps2=2.0))
    bench = Bench(car)
    for accel, drives, passes in (
        (2.0, True, True), (2.1, True, False), (-6.0, True, True), (-6.1, True, False),
        (0.1, False, False), (-1.0, False, False), (0.0, False, True),
    ):  # fmt: skip
        frame = bench.wires["STEER_CMD"].frame({"ANGLE": round(100.0 * accel)}, 0)
        why = bench.limiter.refusal("chassis", frame, at(1.0, drives=drives))
        assert (not why) is passes, (accel, drives)


def what_the_message_cannot_carry_is_not_asked_for() -> None:
    """The encoder would carry its end, and nobody would be told of a weaker brake."""
    accel = field("long_accel_mps2", "STEER_CMD.ANGLE", scale=100.0, least=-2.0)
    angle = field("front_wheel_angle_rad", "STEER_CMD.ANGLE", most=0.3)
    rear = field("rear_wheel_angle_rad", "STEER_CMD.ANGLE", least=-0.1, most=0.2)
    bench = Bench(dbw_car(commands=(accel, angle, rear)))
    assert [bench.limiter.bounded_accel(mps2) for mps2 in (-3.1, -2.0, 1.0)] == [-2.0, -2.0, 1.0]
    assert bench.limiter.bounded(0.5, at(1.0, measured=0.28)) == 0.3
    assert [bench.limiter.bounded_rear(rad) for rad in (-0.3, -0.1, 0.3)] == [-0.1, -0.1, 0.2]
    signal = bench.car.signal(accel.signal)
    least, most = signal.raw_range()
    ends = sorted(number_of(signal, accel, raw) for raw in (least, most))
    assert bench.limiter.bounded_accel(1e9) <= ends[1] < 1e9


def torques_pass(car: CarFile, torques: tuple[float, ...], **where: Any) -> list[bool]:
    bench = Bench(car)
    passes = []
    for number, torque in enumerate(torques):
        frame = bench.wires["STEER_CMD"].frame({"ANGLE": round(100.0 * torque)}, 0)
        why = bench.limiter.refusal("chassis", frame, at(1.0 + 0.01 * number, **where))
        passes.append(not why)
    return passes


def first_refused(car: CarFile, torques: tuple[float, ...], **where: Any) -> int:
    """Number of the first torque that is refused; -1: none."""
    passes = torques_pass(car, torques, **where)
    return -1 if all(passes) else passes.index(False)


def a_torque_rises_and_falls_by_its_steps() -> None:
    car = torque_car()
    assert torques_pass(car, (0.1, 0.2, 0.31)) == [True, True, False]
    assert torques_pass(car, (-0.1, -0.2, -0.31)) == [True, True, False]
    # Back to 0 at once, or through it by one step.
    assert torques_pass(car, (0.1, 0.2, 0.0, -0.1)) == [True] * 4
    assert torques_pass(car, (0.1, 0.2, -0.11)) == [True, True, False]
    rising = tuple(0.1 * n for n in range(1, 32))
    assert first_refused(car, rising) == 30
    assert first_refused(car, rising, speed=20.0) == 20


def a_torque_against_the_driver_is_taken_away() -> None:
    car = torque_car(driver_allowance_nm=1.0, driver_factor=2.0)
    rising = tuple(0.1 * n for n in range(1, 12))
    assert first_refused(car, rising) == 10
    assert all(torques_pass(car, rising, driver_nm=0.5))
    assert first_refused(car, rising, driver_nm=-0.25) == 5
    falling = tuple(-0.1 * n for n in range(1, 12))
    assert first_refused(car, falling, driver_nm=0.25) == 5
    assert torques_pass(car, (0.1,), driver_nm=-5.0) == [False]
    assert torques_pass(car, (0.0,), driver_nm=-5.0) == [True]
    bench = Bench(car)
    for number, torque in enumerate((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)):
        frame = bench.wires["STEER_CMD"].frame({"ANGLE": round(100.0 * torque)}, 0)
        assert not bench.limiter.refusal("chassis", frame, at(1.0 + 0.01 * number))
    steered = at(1.1, driver_nm=-5.0)
    for torque, passes in ((0.5, False), (0.4, True)):
        frame = bench.wires["STEER_CMD"].frame({"ANGLE": round(100.0 * torque)}, 0)
        assert (not bench.limiter.refusal("chassis", frame, steered)) is passes


def a_torque_rises_no_further_within_a_time() -> None:
    car = torque_car(window_ms=100.0, window_delta_nm=0.35)
    assert first_refused(car, (0.1, 0.2, 0.3, 0.4, 0.5)) == 4
    assert first_refused(car, (-0.1, -0.2, -0.3, -0.4, -0.5)) == 4
    slow = tuple(0.03 * n for n in range(1, 60))
    assert all(torques_pass(car, slow))


def no_torque_before_the_car_is_ours() -> None:
    assert torques_pass(torque_car(), (0.0, 0.1), drives=False) == [True, False]


def every_bit_is_one_that_the_file_accounts_for() -> None:
    steer = {"ANGLE": 0}
    row = replace(dbw_car().send["STEER_CMD"], fixed=(("CLEAR", 1),))
    car = dbw_car(send={**dbw_car().send, "STEER_CMD": row})
    enabled = {SignalName("STEER_CMD", "ENABLE"): 1}
    for enable, clear, settings, passes in (
        (0, 1, {}, True), (1, 1, {}, False), (0, 0, {}, False),
        (1, 1, enabled, True), (0, 1, enabled, False),
    ):  # fmt: skip
        bench = Bench(car)
        frame = bench.wires["STEER_CMD"].frame({**steer, "ENABLE": enable, "CLEAR": clear}, 3)
        where = at(1.0, settings=settings)
        assert (not bench.limiter.refusal("chassis", frame, where)) is passes, (enable, clear)
    bench = Bench(car)
    good = bench.wires["STEER_CMD"].frame({**steer, "CLEAR": 1}, 0)
    wire = bench.wires["STEER_CMD"]
    known = {bit for signal in wire.message.signals for bit in signal.bits()}
    unused = next(bit for bit in range(8 * len(good.data)) if bit not in known)
    data = bytearray(good.data)
    data[unused // 8] ^= 1 << unused % 8
    why = bench.limiter.refusal("chassis", good._replace(data=bytes(data)), at(1.0))
    assert why == f"STEER_CMD, bit {unused}, is not as the car file says"
    assert bench.limiter.refusal("chassis", good, at(1.0)) == ""


def a_bit_that_was_right_in_the_last_state_is_judged_by_this_one() -> None:
    bench = Bench()
    enabled = {SignalName("STEER_CMD", "ENABLE"): 1}
    frame = bench.wires["STEER_CMD"].frame({"ENABLE": 1}, 0)
    assert bench.limiter.refusal("chassis", frame, at(1.0, settings=enabled)) == ""
    assert "STEER_CMD.ENABLE" in bench.limiter.refusal("chassis", frame, at(1.0, settings={}))


def nothing_is_sent_while_it_is_denied() -> None:
    bench = Bench()
    frame = bench.wires["BODY_CMD"].frame({}, 0)
    assert bench.limiter.refusal("chassis", frame, at(1.0, denied="a person drives")) == (
        "a person drives"
    )
    assert bench.limiter.refused == {"denied": 1}
    assert bench.limiter.refusal("chassis", frame, at(1.0)) == ""


def no_more_frames_steer_in_a_time_than_may() -> None:
    bench = Bench(limited(frames=4, frames_ms=100.0))
    times = (1.0, 1.01, 1.02, 1.03, 1.04, 1.099, 1.1001, 1.1002)
    passes = [not bench.angle(0.0, at(time)) for time in times]
    assert passes == [True, True, True, True, False, False, True, False]
    # What does not steer does not count.
    assert all(not bench.angle(0.0, at(2.0 + 0.001 * n, drives=False)) for n in range(20))


def a_frame_counts_for_no_longer_than_its_time() -> None:
    bench = Bench(limited(rate_up=SpeedTable((0.0,), (0.8,)), longest_ms=20.0))
    assert bench.angle(0.0, at(1.0)) == ""
    assert bench.limiter.bounded(0.5, at(5.0)) == pytest.approx(0.016)
    assert bench.angle(0.0163, at(5.0)) != ""
    assert bench.angle(0.016, at(5.0)) == ""


def a_car_that_is_not_ours_may_have_to_see_exactly_its_angle() -> None:
    bench = Bench(limited(near_measured_rad=0.0))
    assert bench.angle(0.1, at(1.0, measured=0.1, drives=False)) == ""
    assert bench.angle(0.1002, at(1.0, measured=0.1, drives=False)) != ""


def a_wheel_that_is_turned_beyond_its_row_is_shown_at_the_end() -> None:
    row = field("front_wheel_angle_rad", "STEER_CMD.ANGLE", neutral=MEASURED, least=-0.4, most=0.5)
    bench = Bench(replace(limited(near_measured_rad=0.0), commands=(row,)))
    for measured, shown in ((0.6, 0.5), (-0.6, -0.4), (0.3, 0.3)):
        where = at(1.0, measured=measured, drives=False)
        assert bench.angle(shown, where) == ""
        for other in (shown + 0.0002, shown - 0.0002, measured + 0.0002):
            assert bench.angle(other, where) != ""


def a_value_beyond_its_row_is_refused() -> None:
    rows = (
        field("long_accel_mps2", "STEER_CMD.ANGLE", scale=100.0, least=0.0),
        field("velocity_mps", "PEDAL_CMD.THROTTLE", scale=100.0, most=5.0),
    )
    bench = Bench(dbw_car(commands=rows))
    for message, signal, value, passes in (
        ("STEER_CMD", "ANGLE", 0.0, True), ("STEER_CMD", "ANGLE", -0.01, False),
        ("PEDAL_CMD", "THROTTLE", 5.0, True), ("PEDAL_CMD", "THROTTLE", 5.1, False),
    ):  # fmt: skip
        step = 100.0 * abs(bench.car.signal(SignalName(message, signal)).scale)
        frame = bench.wires[message].frame({signal: round(value / step)}, 0)
        assert (not bench.limiter.refusal("chassis", frame, at(1.0))) is passes, (signal, value)


SCENES: tuple[Callable[[], None], ...] = (
    the_angle_is_bounded_by_the_table_by_speed,
    the_rate_is_that_of_its_direction_and_of_real_time,
    lateral_acceleration_is_that_of_the_file_s_car,
    lateral_jerk_is_a_rate_of_the_angle,
    many_small_steps_are_no_faster_than_the_rate,
    what_is_refused_is_not_what_the_next_one_counts_from,
    a_drive_begins_at_the_measured_angle,
    a_car_that_is_not_ours_sees_its_own_angle_and_no_pedal,
    a_car_with_a_neutral_angle_of_its_own_sees_that_one,
    only_messages_of_the_list_are_sent,
    an_acceleration_is_bounded_and_none_drives_before_the_car_is_ours,
    what_the_message_cannot_carry_is_not_asked_for,
    a_torque_rises_and_falls_by_its_steps,
    a_torque_against_the_driver_is_taken_away,
    a_torque_rises_no_further_within_a_time,
    no_torque_before_the_car_is_ours,
    every_bit_is_one_that_the_file_accounts_for,
    a_bit_that_was_right_in_the_last_state_is_judged_by_this_one,
    nothing_is_sent_while_it_is_denied,
    no_more_frames_steer_in_a_time_than_may,
    a_frame_counts_for_no_longer_than_its_time,
    a_car_that_is_not_ours_may_have_to_see_exactly_its_angle,
    a_wheel_that_is_turned_beyond_its_row_is_shown_at_the_end,
    a_value_beyond_its_row_is_refused,
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_the_limiter(scene: Callable[[], None]) -> None:
    scene()


# ---- mistakes ------------------------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch], None]


def _source(module: Any, name: str, *changes: tuple[str, str]) -> Patch:
    """A break that is another text of a function or class of the module."""
    text = inspect.getsource(getattr(module, name))
    for before, after in changes:
        assert before in text, f"{name} has no {before!r} to break"
        text = text.replace(before, after)

    def apply(patch: pytest.MonkeyPatch) -> None:
        scope: dict[str, Any] = {}
        exec(compile(text, name, "exec"), module.__dict__, scope)
        patch.setattr(module, name, scope[name])
        if hasattr(limiter, name):
            patch.setattr(limiter, name, scope[name])
        if name == "Limiter":
            patch.setitem(globals(), name, scope[name])

    return apply


_A, _L, _REACH = "angle_bounds", "Limiter", "_product(up, time_s - "
_NOT_OURS = "elif field == THROTTLE and not at.drives:\n            low, high = 0.0, "
_BEFORE = "self._angle_rad, self._angle_s, self._torque_nm = None, -math.inf, 0.0"
_FOUND = "            if fault:\n"
_TOO_EARLY = "            self._angle_rad = value\n"
_TIME, _SQUARE = (
    "min(max(elapsed_s, 0.0), 1e-3 * limits.longest_ms)",
    "speed_squared = speed_mps * speed_mps",
)
_DRIVER, _NEAR = (
    "limits.driver_factor * driver_nm",
    "return measured_rad - near_rad, measured_rad + near_rad",
)
_ALLOWS, _LATERAL = "limits.driver_allowance_nm is not None", "limits.lateral_accel_mps2 / per_rad"
_CASES: dict[str, tuple[Any, str, str, str]] = {
    "no table by speed": (bounds, _A, "limits.max_rad.at(speed_mps)", "math.inf"),
    "table at standstill": (bounds, _A, "max_rad.at(speed_mps)", "max_rad.at(0.0)"),
    "one side unbounded": (bounds, _A, "low, high = -most, most", "low, high = -9.0, most"),
    "no lateral acceleration": (bounds, _A, _LATERAL, "math.inf"),
    "by the speed, not its square": (bounds, _A, _SQUARE, "speed_squared = abs(speed_mps)"),
    "understeer with the other sign": (bounds, _A, "1.0 - limits", "1.0 + limits"),
    "no real time": (bounds, _A, _TIME, "0.1"),
    "a pause saves up steps": (bounds, _A, _TIME, "max(elapsed_s, 0.0)"),
    "rates swapped": (bounds, "_rates", "return up, down", "return down, up"),
    "no jerk": (bounds, "_rates", "limits.lateral_jerk_mps3 / per_rad", "math.inf"),
    "through 0 at the rate back": (bounds, "_reach", _REACH, "_product(down, time_s - "),
    "torque steps without end": (bounds, "_torque_end", "limits.step_up_nm", "9.0"),
    "no driver": (bounds, "torque_bounds", _ALLOWS, "False"),
    "driver on the wrong side": (bounds, "torque_bounds", _DRIVER, f"-{_DRIVER}"),
    "no list of ids": (limiter, _L, 'Verdict("id", text', 'Verdict("", ""'),
    "no length": (limiter, _L, "len(frame.data) != wire.message.length", "False"),
    "a refused frame counts as sent": (limiter, _L, _FOUND, _TOO_EARLY + _FOUND),
    "pedals before the car is ours": (limiter, _L, f"{_NOT_OURS}0.0", f"{_NOT_OURS}1.0"),
    "any angle before the car is ours": (limiter, _L, _NEAR, "return -9.0, 9.0"),
    "steps of rounding": (limiter, _L, "rounding = 0.5 * step", "rounding = 3.0 * step"),
    "no window": (limiter, _L, "if limits.window_ms:", "if False:"),
    "a restart keeps the angle": (limiter, _L, _BEFORE, "self._torque_nm = 0.0"),
    "any bit": (limiter, "Judged", "if not found:", "if True:"),
    "bits of the last state": (limiter, "Judged", "is not self._settings", "is self._settings"),
    "sent although denied": (limiter, _L, "if at.denied:", "if False:"),
    "as often as one likes": (limiter, _L, "if self._is_too_often(at.now):", "if False:"),
    "frames of the first time": (limiter, _L, "now - sent[0] <", "now - sent[-1] <"),
    "no least value": (limiter, _L, "max(low, row.least) - rounding", "low - rounding"),
    "far from the measured angle": (limiter, _L, "else limits.near_measured_rad", "else 1.0"),
    "a longer time counts": (bounds, _A, "1e-3 * limits.longest_ms", "0.1"),
    "a wheel beyond its row": (
        limiter,
        _L,
        "min(max(at.measured_rad, row.least), row.most)",
        "at.measured_rad",
    ),
    "brakes before the car is ours": (limiter, _L, "(neutral, neutral)", "(-9.0, neutral)"),
    "any acceleration": (limiter, _L, "math.inf if most is None else most", "math.inf"),
}
BREAKS: dict[str, Patch] = {
    name: _source(module, where, (before, after))
    for name, (module, where, before, after) in _CASES.items()
}


@pytest.mark.parametrize("name", BREAKS)
def test_each_break_of_the_limiter_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BREAKS[name](monkeypatch)
    caught = []
    for scene in SCENES:
        try:
            scene()
        except AssertionError:
            caught.append(scene.__name__)
            break
    assert caught, f"no scene notices: {name}"


def test_there_are_at_least_twenty_breaks() -> None:
    assert len(BREAKS) >= 20


def test_a_drive_through_the_encoder_is_refused_nothing() -> None:
    """What `bounded` returns passes, whatever is asked for, however irregular the periods."""
    chance = random.Random(5)
    car = dbw_car()
    bench = Bench(car)
    now, speed = 1.0, 0.0
    for _ in range(5000):
        now += chance.choice((0.0, 0.002, 0.01, 0.02, 0.3))
        speed = min(max(speed + chance.uniform(-1.0, 1.0), -5.0), 35.0)
        where = at(now, speed)
        wanted = chance.uniform(-0.7, 0.7)
        angle = bench.limiter.bounded(wanted, where)
        assert bench.angle(angle, where) == "", (speed, wanted, angle)

"""Fields <-> raw values: scale, range, dead band, names, what is refused, what is not known."""

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_can.car import OutOfRange
from vdsim_can.fields.decoding import FieldDecoder, ReportDecoder
from vdsim_can.fields.encoding import CommandEncoder, Cut, FieldEncoder
from vdsim_can.platform.vehicle_reports import CarClock
from vdsim_can_kit.dbw_car import GEARS, dbw_car, field

CAR = dbw_car()
ANGLE = "STEER_CMD.ANGLE"  # 20 bits, signed, 0.0001 rad a step, -1 to 1


def encoder(name: str, signal: str, **more: Any) -> FieldEncoder:
    return FieldEncoder(CAR, field(name, signal, **more))


@pytest.mark.parametrize(
    ("more", "value", "raw"),
    [
        ({}, 0.1, 1000),
        ({}, -0.10004, -1000),
        ({}, 0.10006, 1001),
        ({"scale": -1.0}, 0.1, -1000),
        ({"scale": 0.0625}, 0.01, 1600),
        ({"offset": 0.05}, 0.1, 500),
        ({"dead_band": 0.02}, 0.019, 0),
        ({"dead_band": 0.02}, -0.021, -210),
    ],
)
def test_a_number_becomes_the_nearest_raw_value_and_back(
    more: dict[str, Any], value: float, raw: int
) -> None:
    row = field("front_wheel_angle_rad", ANGLE, **more)
    assert FieldEncoder(CAR, row).raw(value) == (raw, None)
    if raw:
        back = FieldDecoder(CAR, row).value(raw)
        assert back == pytest.approx(value, abs=0.00006 * abs(row.scale))


@pytest.mark.parametrize(("value", "raw", "kept"), [(1.5, 10000, 1.0), (-7e300, -10000, -1.0)])
def test_what_is_beyond_the_range_of_the_signal_is_cut_and_named(
    value: float, raw: int, kept: float
) -> None:
    found, cut = encoder("front_wheel_angle_rad", ANGLE).raw(value)
    assert found == raw
    assert cut == Cut("front_wheel_angle_rad", value, pytest.approx(kept))


def test_a_message_with_a_value_that_must_fit_is_refused_where_it_does_not() -> None:
    row = field("front_wheel_angle_rad", ANGLE, out_of_range=OutOfRange.REFUSE)
    car = dbw_car(commands=(row, *CAR.commands[1:]))
    fields = CommandEncoder(car).raws({"front_wheel_angle_rad": 2.0}, {})
    assert fields.refused == {
        "STEER_CMD": "front_wheel_angle_rad 2 does not fit into STEER_CMD.ANGLE, which carries at "
        "most 1"
    }
    assert not CommandEncoder(car).raws({"front_wheel_angle_rad": 0.2}, {}).refused


def test_a_field_that_is_not_commanded_is_neutral_measured_or_the_first_name() -> None:
    raws = CommandEncoder(CAR).raws({}, {"front_wheel_angle_rad": -0.2, "gear": "NEUTRAL"}).raws
    assert raws["STEER_CMD"]["ANGLE"] == -2000
    assert raws["PEDAL_CMD"] == {"THROTTLE": 0, "BRAKE": 0, "GEAR": 2, "HAND_BRAKE": 0}
    unknown = CommandEncoder(CAR).raws({}, {}).raws
    assert unknown["STEER_CMD"]["ANGLE"] == 0
    assert unknown["PEDAL_CMD"]["GEAR"] == dict(GEARS)["PARK"]


def test_a_name_without_a_raw_value_is_sent_as_the_neutral_one() -> None:
    gears = FieldEncoder(CAR, field("gear", "PEDAL_CMD.GEAR", enum=GEARS[:4], neutral="NEUTRAL"))
    assert gears.raw("LOW") == (2, None)
    assert gears.raw("DRIVE") == (3, None)


def test_of_several_raw_values_of_a_name_the_first_is_sent_and_all_are_read() -> None:
    row = field("gear", "PEDAL_CMD.GEAR", enum=(*GEARS, ("DRIVE", 5)))
    assert FieldEncoder(CAR, row).raw("DRIVE") == (3, None)
    assert [FieldDecoder(CAR, row).value(raw) for raw in (3, 5, 7)] == ["DRIVE", "DRIVE", None]


def test_a_count_begins_again_where_its_signal_ends() -> None:
    counts = encoder("sequence", "BODY_STATUS.CHARGE", scale=2.0)  # 8 bits of 0.5, so 1 a step
    assert [counts.raw(number)[0] for number in (5, 199, 256, 261)] == [5, 199, 0, 5]


def test_a_raw_value_that_means_not_known_leaves_the_field_out() -> None:
    rows = tuple(
        replace(row, unavailable=frozenset({-1})) if row.field == "velocity_mps" else row
        for row in CAR.reports
    )
    decoder = ReportDecoder(dbw_car(reports=rows))
    fresh = {"MOTION": {"SPEED": -1, "YAW_RATE": 10, "ACCEL": 0}}
    values = decoder.values(fresh)
    assert "velocity_mps" not in values
    assert values["yaw_rate_radps"] == pytest.approx(0.005)
    assert decoder.unknown(values, ("velocity_mps",)) == "velocity_mps (MOTION.SPEED)"


def test_a_message_that_is_not_fresh_gives_nothing_and_a_frame_is_decoded_once() -> None:
    decoder = ReportDecoder(CAR)
    raws = {"SPEED": 5000, "YAW_RATE": 0, "ACCEL": 0}
    assert decoder.values({"MOTION": raws})["velocity_mps"] == 5.0
    raws["SPEED"] = 1  # the same frame: what was decoded stays
    assert decoder.values({"MOTION": raws})["velocity_mps"] == 5.0
    assert decoder.values({}) == {}


def test_a_clock_of_the_car_goes_on_where_its_signal_begins_again() -> None:
    clock = CarClock(65.536)
    assert [clock.read(t) for t in (65.0, 65.5, 0.1, 30.0)] == [65.0, 65.5, 65.636, 95.536]
    assert CarClock(math.inf).read(7.0) == 7.0

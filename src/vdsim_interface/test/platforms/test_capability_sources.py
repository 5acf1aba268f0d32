"""What is real on each wire and version: the tables agree with what the reports hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vdsim_interface.platforms.discovery import discover
from vdsim_interface.platforms.sources import (
    CapabilityTable,
    imu_sources,
    modelled_by_default,
    table_of,
)
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.ros.messages.imu import imu_covariances
from vdsim_interface.ros.messages.odometry_covariances import odometry_covariances
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.sensors.standard import UNKNOWN_VARIANCE
from vdsim_interface.values import Source

ABSENT, MODELLED, VEHICLE = Source.ABSENT, Source.MODELLED, Source.VEHICLE
SPECS = discover()


def table(spec: PlatformSpec, version: int) -> dict[str, Source]:
    return dict(whole(spec, version).items())


def whole(spec: PlatformSpec, version: int) -> CapabilityTable:
    return table_of(spec, version, modelled_by_default(spec))


@pytest.mark.parametrize(
    ("platform", "version", "expected"),
    [
        ("vds1", 1, {"sensor.gnss": ABSENT, "sensor.tyres": VEHICLE, "state.pedals": ABSENT}),
        ("vds1", 2, {"sensor.gnss": VEHICLE, "state.pedals": ABSENT}),
        ("vds1", 5, {"state.pedals": VEHICLE, "state.gear": MODELLED, "command.gear": VEHICLE}),
        (
            "vds1",
            5,
            {"command.headlight": MODELLED, "state.horn": MODELLED, "state.fuel": MODELLED},
        ),
        ("vds1", 5, {"command.rear_wheel_angle": ABSENT, "command.aux_speed_target_mps": VEHICLE}),
        ("morai", 1, {"state.yaw_rate": MODELLED, "state.roll_rate": ABSENT}),
        ("morai", 1, {"state.vehicle_time": MODELLED, "sensor.tyres": ABSENT}),
        ("morai", 3, {"state.yaw_rate": VEHICLE, "state.roll_rate": VEHICLE}),
        ("morai", 4, {"sensor.tyres": VEHICLE, "state.rear_wheel_angle": ABSENT}),
        ("morai", 5, {"state.rear_wheel_angle": VEHICLE, "sensor.gnss": MODELLED}),
        ("morai", 5, {"command.blinker": VEHICLE, "state.blinker": MODELLED}),
        ("morai", 5, {"sensor.wheel_speeds": ABSENT, "sensor.battery": ABSENT}),
        ("fake", 0, {"command.rear_wheel_angle": VEHICLE, "sensor.gnss": MODELLED}),
        ("fake", 0, {"command.wiper": MODELLED, "state.roll_rate": ABSENT}),
    ],
)
def test_what_is_real(platform: str, version: int, expected: dict[str, Source]) -> None:
    found = table(SPECS[platform], version)
    assert {name: found[name] for name in expected} == expected


def test_no_wire_carries_lights_wipers_or_horn() -> None:
    """They are held and echoed on every shipped platform, and say so."""
    for spec in SPECS.values():
        for version in spec.wire_versions:
            found = table(spec, version)
            for name in ("headlight", "wiper", "horn"):
                assert found[f"command.{name}"] is MODELLED
                assert found[f"state.{name}"] is MODELLED


def test_the_wire_is_named_with_its_version() -> None:
    assert whole(SPECS["vds1"], 3).wire == "VDS1 version 3"
    assert whole(SPECS["morai"], 4).wire == "MORAI Ego Vehicle Status generation 4"
    assert whole(SPECS["fake"], 0).wire == ""


def test_a_body_that_reports_its_charge_has_a_battery() -> None:
    spec = SPECS["vds1"]
    reported = modelled_by_default(spec) - {"fuel_percent"}
    found = dict(table_of(spec, 5, reported).items())
    assert (found["state.fuel"], found["sensor.battery"]) == (VEHICLE, VEHICLE)


@pytest.mark.parametrize(
    ("platform", "version", "rates", "vertical"),
    [
        ("vds1", 3, (2.5e-5, 2.5e-5, 2.5e-5), UNKNOWN_VARIANCE),
        ("morai", 1, (UNKNOWN_VARIANCE, UNKNOWN_VARIANCE, 2.5e-5), 2.5e-3),
        ("morai", 3, (2.5e-5, 2.5e-5, 2.5e-5), 2.5e-3),
    ],
)
def test_the_imu_says_which_axes_are_measured(
    platform: str, version: int, rates: tuple[float, ...], vertical: float
) -> None:
    found = imu_covariances(SPECS[platform], version, OutputParameters())
    assert tuple(found[1][axis] for axis in (0, 4, 8)) == pytest.approx(rates)
    assert found[2][8] == pytest.approx(vertical)
    assert imu_sources(SPECS[platform], version)[0] is VEHICLE


def test_an_imu_without_rates_or_acceleration_says_minus_one() -> None:
    """As REP 145 asks for a vector of which nothing is known."""
    bare = replace(SPECS["vds1"].capabilities, signals=frozenset(), reported={})
    spec = replace(SPECS["vds1"], capabilities=bare)
    orientation, rates, acceleration = imu_covariances(spec, 5, OutputParameters())
    assert (rates[0], acceleration[0]) == (-1.0, -1.0)
    assert orientation[0] == UNKNOWN_VARIANCE, "the heading alone is known"
    assert orientation[8] < 1.0


def test_odometry_says_which_axes_are_reported() -> None:
    output = OutputParameters()
    _, full = odometry_covariances(SPECS["vds1"], 5, output)
    assert max(full) < 1.0
    bare = replace(SPECS["vds1"].capabilities, signals=frozenset(), reported={})
    pose, twist = odometry_covariances(replace(SPECS["vds1"], capabilities=bare), 5, output)
    unknown = [[flat[7 * n] == UNKNOWN_VARIANCE for n in range(6)] for flat in (pose, twist)]
    assert unknown[0] == [False, False, True, True, True, False], "position and heading are known"
    assert unknown[1] == [False, True, True, True, True, True], "the speed alone is known"
